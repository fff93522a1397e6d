/* SPDX-License-Identifier: MIT */
/* Robot tables and latency tables as counter sources. */
#include "cmd/counters.h"
#include "model/lat_counters.h"
#include "model/lat_readings.h"
#include "model/lkp_readings.h"
#include "report/lat_json.h"
#include "report/lkp_json.h"

/* ---- robot tables ---- */

struct robot {
	struct lkp_doc doc;
	struct lkp_checked checked;
	size_t *ends;
};

int counters_read_lkp(struct counters_doc *d, struct slice bytes, struct err *e)
{
	struct robot *r = arena_alloc(&d->arena, sizeof(*r));

	d->data = r;
	if (lkp_parse(bytes, &d->arena, &d->info, &r->doc, e))
		return -1;
	lkp_check(&r->doc, &d->arena, &r->checked);
	r->ends = arena_array(&d->arena, r->doc.n, sizeof(*r->ends));
	lkp_readings(&r->doc, &r->checked, &d->arena, &d->readings, r->ends);
	return 0;
}

static struct lkp_view robot_view(const struct counters_doc *d, bool all)
{
	const struct robot *r = d->data;

	return (struct lkp_view){ &d->info, &r->doc, &r->checked, &d->readings, r->ends, all };
}

void counters_json_lkp(const struct counters_doc *d, const struct counters_show *s)
{
	struct lkp_view v = robot_view(d, s->all);

	lkp_json(s->out, &v);
}

void counters_csv_lkp(const struct counters_doc *d, const struct counters_show *s)
{
	struct lkp_view v = robot_view(d, s->all);

	lkp_csv(s->out, &v);
}

void counters_text_lkp(const struct counters_doc *d, const struct counters_show *s)
{
	struct lkp_view v = robot_view(d, s->all);

	lkp_text(s->out, s->style, &v);
}

const struct lkp_doc *counters_robot(const struct counters_doc *d)
{
	const struct robot *r = d->data;

	return d->info.kind == KIND_LKP ? &r->doc : NULL;
}

/* ---- latency tables ---- */

int counters_read_lat(struct counters_doc *d, struct slice bytes, struct err *e)
{
	struct lat_doc *doc = arena_alloc(&d->arena, sizeof(*doc));

	d->data = doc;
	if (lat_parse(bytes, &d->arena, &d->info, doc, e))
		return -1;
	lat_readings(doc, &d->arena, &d->readings);
	return 0;
}

static struct lat_view lat_view(const struct counters_doc *d, bool all)
{
	return (struct lat_view){ &d->info, d->data, &d->readings, all };
}

void counters_json_lat(const struct counters_doc *d, const struct counters_show *s)
{
	struct lat_view v = lat_view(d, s->all);

	lat_json(s->out, &v);
}

void counters_csv_lat(const struct counters_doc *d, const struct counters_show *s)
{
	struct lat_view v = lat_view(d, s->all);

	lat_csv(s->out, &v);
}

void counters_text_lat(const struct counters_doc *d, const struct counters_show *s)
{
	struct lat_view v = lat_view(d, s->all);

	lat_text(s->out, s->style, &v);
}

void counters_list_lat(struct counters_doc *d, struct counter_list *ret)
{
	lat_counters(d->data, &d->arena, ret);
}

void counters_compare_lat(const struct counters_doc *before, const struct counters_doc *after,
			  const struct counter_rows *rows, struct arena *a, struct readings *to)
{
	(void)rows;
	lat_diff_readings(before->data, after->data, a, to);
}

void counters_diff_text_lat(const struct counters_doc *before, const struct counters_doc *after,
			    const struct counter_rows *rows, const struct readings *readings,
			    const struct counters_show *s)
{
	struct lat_diff_view v = { &before->info, &after->info, before->data,
				   after->data,	  readings,	s->all };

	(void)rows;
	lat_diff_text(s->out, s->style, &v);
}
