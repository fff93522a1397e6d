/* SPDX-License-Identifier: MIT */
/* perf stat's output as a counter source. */
#include "cmd/counters.h"
#include "model/perf_counters.h"
#include "model/perf_readings.h"
#include "parse/perf.h"
#include "report/perf_json.h"
#include "report/perf_text.h"

int counters_read_perf(struct counters_doc *d, struct slice bytes, struct err *e)
{
	struct perf_doc *doc = arena_alloc(&d->arena, sizeof(*doc));

	d->data = doc;
	if (perf_parse(bytes, d->strict, &d->arena, doc, &d->info, e))
		return -1;
	perf_readings(doc, "", &d->arena, &d->readings);
	return 0;
}

void counters_json_perf(const struct counters_doc *d, const struct counters_show *s)
{
	struct json j;

	json_start(&j, s->out);
	perf_json(&j, d->data, &d->info, &d->readings);
	json_end(&j);
}

void counters_csv_perf(const struct counters_doc *d, const struct counters_show *s)
{
	perf_csv(s->out, d->data);
}

void counters_text_perf(const struct counters_doc *d, const struct counters_show *s)
{
	perf_text(s->out, s->style, &(struct perf_text){ d->data, &d->info, &d->readings, s->all });
}

void counters_list_perf(struct counters_doc *d, struct counter_list *ret)
{
	perf_counters(d->data, &d->arena, ret);
}

void counters_compare_perf(const struct counters_doc *before, const struct counters_doc *after,
			   const struct counter_rows *rows, struct arena *a, struct readings *to)
{
	perf_diff_readings(rows, a, to);
	perf_readings(before->data, "before", a, to);
	perf_readings(after->data, "after", a, to);
}

void counters_diff_text_perf(const struct counters_doc *before, const struct counters_doc *after,
			     const struct counter_rows *rows, const struct readings *readings,
			     const struct counters_show *s)
{
	perf_diff_text(s->out, s->style,
		       &(struct perf_diff_text){ before->data, after->data, &before->info,
						 &after->info, rows, readings, s->all });
}
