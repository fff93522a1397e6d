/* SPDX-License-Identifier: MIT */
#include "report/lkp_result_view.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "report/counters_text.h"
#include "report/csv.h"
#include "report/lkp_json.h"
#include "report/readings_view.h"
#include "report/report_json.h"

/* ---- JSON ---- */

static void kv_number(struct json *j, const char *key, double v)
{
	char buf[NUM_BUF];

	json_key(j, key);
	if (isfinite(v))
		json_raw(j, slice_of(buf, (size_t)snprintf(buf, sizeof(buf), "%.12g", v)));
	else
		json_null(j);
}

/* Values as written; null where a run has no data. A short list stays one: its size is the input's. */
static void put_metric(struct json *j, const struct lkp_series *s, const struct lkp_mean *m,
		       size_t runs)
{
	json_break(j);
	json_object(j);
	json_kv_slice(j, "metric", m->name);
	json_key(j, "values");
	json_array(j);
	for (size_t run = 0; run < s->n; run++) {
		if (m->missing[run])
			json_null(j);
		else
			json_raw(j, s->values[run]);
	}
	json_array_end(j);
	json_kv_u64(j, "missing", runs - m->have);
	kv_number(j, "mean", m->mean);
	kv_number(j, "stddev_pct", m->deviation_pct);
	json_object_end(j);
}

void lkp_result_json(struct out *o, const struct lkp_result_view *v)
{
	const struct lkp_result *r = v->means->of;
	struct json j;

	json_start(&j, o);
	json_object(&j);
	json_schema(&j, "hugecov.counters/1");
	json_source(&j, "source", v->source);
	json_readings(&j, v->readings);
	json_key(&j, "result");
	json_object(&j);
	json_kv_printed(&j, "testcase", r->testcase);
	json_kv_printed(&j, "parameters", r->parameters);
	json_kv_printed(&j, "machine", r->machine);
	json_kv_printed(&j, "commit", r->commit);
	json_kv_u64(&j, "runs", r->runs);
	json_key(&j, "metrics");
	json_array(&j);
	for (size_t i = 0; i < r->n; i++)
		put_metric(&j, &r->series[i], &v->means->at[i], r->runs);
	json_array_end(&j);
	json_object_end(&j);
	json_object_end(&j);
	json_end(&j);
}

/* ---- CSV ---- */

static const char *const columns[] = {
	"commit", "metric", "runs", "missing", "mean", "stddev_pct"
};

void lkp_result_csv(struct out *o, const struct lkp_result_view *v)
{
	const struct lkp_result *r = v->means->of;
	struct csv c = { .o = o };

	csv_header(&c, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < r->n; i++) {
		const struct lkp_mean *m = &v->means->at[i];

		csv_text(&c, r->commit);
		csv_text(&c, m->name);
		csv_u64(&c, r->runs);
		csv_u64(&c, r->runs - m->have);
		csv_double(&c, m->mean);
		csv_double(&c, m->deviation_pct);
		csv_end(&c);
	}
}

/* ---- text ---- */

static void put_top(struct out *o, const struct text_style *st, const struct lkp_result *r)
{
	struct out text;

	out_memory(&text);
	out_printf(&text, "robot result, %zu metrics of %zu run%s", r->n, r->runs,
		   r->runs == 1 ? "" : "s");
	if (r->testcase.n)
		out_printf(&text, ": %.*s, %.*s, %.*s", SLICE_FMT(r->testcase),
			   SLICE_FMT(r->parameters), SLICE_FMT(r->machine));
	if (r->commit.n)
		out_printf(&text, ", commit %.*s", SLICE_FMT(slice_first(r->commit, 12)));
	text_wrapped(o, st, out_slice(&text), 0, 2);
	out_close(&text);
}

static void put_row(struct out *o, const struct text_style *st, const struct lkp_mean *m,
		    size_t runs)
{
	int name = st->width - 40;
	char buf[STYLE_BUF];

	out_str(o, "  ");
	out_pad(o, ' ', name - out_safe_cut(o, m->name, name, st->ascii));
	snprintf(buf, sizeof(buf), isnan(m->mean) ? "-" : "%.6g", m->mean);
	style_right(o, buf, 14);
	if (isnan(m->deviation_pct))
		snprintf(buf, sizeof(buf), "-");
	else
		snprintf(buf, sizeof(buf), "%.1f", m->deviation_pct);
	style_right(o, buf, 8);
	snprintf(buf, sizeof(buf), "%zu of %zu", m->have, runs);
	style_right(o, buf, 12);
	out_byte(o, '\n');
}

void lkp_result_text(struct out *o, const struct text_style *st, const struct lkp_result_view *v)
{
	const struct lkp_result *r = v->means->of;
	size_t shown = 0;

	put_top(o, st, r);
	if (v->readings->n)
		out_byte(o, '\n');
	text_readings(o, st, v->readings, 0, v->readings->n);
	for (size_t i = 0; i < r->n; i++) {
		if (!v->all && lkp_rank(v->means->at[i].name) == LKP_RANK_OTHER)
			continue;
		if (!shown++) {
			out_str(o, "\n  ");
			style_left(o, v->all ? "metric" : "memory and huge pages", st->width - 40);
			out_str(o, "          mean    +- %        runs\n");
		}
		put_row(o, st, &v->means->at[i], r->runs);
	}
	if (shown < r->n)
		out_printf(o, "%s%zu metric%s%s: --all\n", shown ? "" : "\n", r->n - shown,
			   r->n - shown == 1 ? "" : "s", shown ? " more" : "");
}

void lkp_result_diff_text(struct out *o, const struct text_style *st,
			  const struct lkp_result_diff *v)
{
	put_top(o, st, v->before->means->of);
	put_top(o, st, v->after->means->of);
	if (v->readings->n)
		out_byte(o, '\n');
	text_readings(o, st, v->readings, 0, v->readings->n);
	out_byte(o, '\n');
	counters_text(o, st,
		      &(struct counters_text){ .rows = v->rows,
					       .title = "mean of the runs",
					       .prefix = "",
					       .rank = lkp_rank,
					       .rank_other = LKP_RANK_OTHER,
					       .all = v->all });
}
