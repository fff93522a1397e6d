/* SPDX-License-Identifier: MIT */
/* Raw results of the test robot as counter sources. */
#include "cmd/counters.h"
#include "model/lkp_readings.h"
#include "model/lkp_runs.h"
#include "report/lkp_result_view.h"

struct runs {
	struct lkp_result result;
	struct lkp_means means;
};

int counters_read_result(struct counters_doc *d, struct slice bytes, struct err *e)
{
	struct runs *r = arena_alloc(&d->arena, sizeof(*r));

	d->data = r;
	if (lkp_result_parse(bytes, &d->arena, &d->info, &r->result, e))
		return -1;
	lkp_means(&r->result, &d->arena, &r->means);
	lkp_run_readings(&r->means, NULL, &d->arena, &d->readings);
	return 0;
}

static struct lkp_result_view result_view(const struct counters_doc *d, bool all)
{
	const struct runs *r = d->data;

	return (struct lkp_result_view){ &d->info, &r->means, &d->readings, all };
}

void counters_json_result(const struct counters_doc *d, const struct counters_show *s)
{
	struct lkp_result_view v = result_view(d, s->all);

	lkp_result_json(s->out, &v);
}

void counters_csv_result(const struct counters_doc *d, const struct counters_show *s)
{
	struct lkp_result_view v = result_view(d, s->all);

	lkp_result_csv(s->out, &v);
}

void counters_text_result(const struct counters_doc *d, const struct counters_show *s)
{
	struct lkp_result_view v = result_view(d, s->all);

	lkp_result_text(s->out, s->style, &v);
}

void counters_list_result(struct counters_doc *d, struct counter_list *ret)
{
	const struct runs *r = d->data;

	lkp_means_counters(&r->means, &d->arena, ret);
}

void counters_compare_result(const struct counters_doc *before, const struct counters_doc *after,
			     const struct counter_rows *rows, struct arena *a, struct readings *to)
{
	const struct runs *x = before->data, *y = after->data;

	result_readings(rows, a, to);
	lkp_run_readings(&x->means, "before", a, to);
	lkp_run_readings(&y->means, "after", a, to);
}

void counters_diff_text_result(const struct counters_doc *before, const struct counters_doc *after,
			       const struct counter_rows *rows, const struct readings *readings,
			       const struct counters_show *s)
{
	struct lkp_result_view x = result_view(before, s->all), y = result_view(after, s->all);
	struct lkp_result_diff v = { &x, &y, rows, readings, s->all };

	lkp_result_diff_text(s->out, s->style, &v);
}
