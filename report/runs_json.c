/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "report/csv.h"
#include "report/report_json.h"
#include "report/runs_view.h"

static const char *const side_names[SIDES] = { "before", "after" };

/* Whole numbers as such: most figures are kB. */
static void number(struct json *j, double v)
{
	if (v == floor(v) && fabs(v) < 9e15)
		json_i64(j, (int64_t)v);
	else
		json_double(j, v);
}

static void kv_number(struct json *j, const char *key, double v)
{
	json_key(j, key);
	number(j, v);
}

static void json_side(struct json *j, const struct figure *f, int side)
{
	const struct stats *s = &f->stats[side];

	json_key(j, side_names[side]);
	if (!s->n) {
		json_null(j);
		return;
	}
	json_object(j);
	json_kv_u64(j, "n", s->n);
	kv_number(j, "median", s->median);
	kv_number(j, "mad", s->mad);
	kv_number(j, "min", s->min);
	kv_number(j, "max", s->max);
	kv_number(j, "mean", s->mean);
	json_key(j, "values");
	json_array(j);
	for (size_t i = 0; i < s->n; i++)
		number(j, f->values[side][i]);
	json_array_end(j);
	json_object_end(j);
}

static void json_test(struct json *j, const struct figure *f)
{
	static const char *const keys[] = { "delta", "percent", "u", "p", "exact", "stands_out" };

	if (!f->tested) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			json_kv_null(j, keys[i]);
		return;
	}
	kv_number(j, "delta", f->delta);
	json_kv_double(j, "percent", f->percent);
	kv_number(j, "u", f->test.u);
	json_kv_double(j, "p", f->test.p);
	json_kv_bool(j, "exact", f->test.exact);
	json_kv_bool(j, "stands_out", f->stands_out);
}

static void json_figure(struct json *j, const struct figure *f)
{
	json_break(j);
	json_object(j);
	json_kv_slice(j, "name", f->name);
	if (f->unit.n)
		json_kv_slice(j, "unit", f->unit);
	else
		json_kv_null(j, "unit");
	json_kv_str(j, "kind", counter_kind_names[f->kind]);
	for (int s = 0; s < SIDES; s++)
		json_side(j, f, s);
	json_test(j, f);
	json_object_end(j);
}

void runs_json(struct json *j, const struct runs *r)
{
	json_object(j);
	json_schema(j, "hugecov.runs/1");
	for (int s = 0; s < SIDES; s++) {
		json_key(j, side_names[s]);
		json_array(j);
		for (size_t i = 0; i < r->n[s]; i++) {
			json_break(j);
			json_object(j);
			json_source(j, "source", &r->side[s][i].source);
			json_object_end(j);
		}
		json_array_end(j);
	}
	json_key(j, "unlike");
	json_array(j);
	for (size_t i = 0; i < r->unlike_n; i++)
		json_str(j, r->unlike[i]);
	json_array_end(j);
	json_kv_double(j, "p_min", r->p_min);
	json_kv_double(j, "p_limit", RUNS_P);
	json_key(j, "figures");
	json_array(j);
	for (size_t i = 0; i < r->figures_n; i++)
		json_figure(j, &r->figures[i]);
	json_array_end(j);
	if (r->loss_known)
		kv_number(j, "thp_loss_kb", r->loss_kb);
	else
		json_kv_null(j, "thp_loss_kb");
	json_kv_str(j, "verdict", verdict_names[r->verdict]);
	json_object_end(j);
}

/* ---- CSV ---- */

static void csv_side(struct csv *c, const struct stats *s)
{
	csv_u64(c, s->n);
	csv_double(c, s->n ? s->median : NAN);
	csv_double(c, s->n ? s->mad : NAN);
	csv_double(c, s->n ? s->min : NAN);
	csv_double(c, s->n ? s->max : NAN);
}

void runs_csv(struct out *o, const struct runs *r)
{
	static const char *const names[] = {
		"name",		 "unit",       "kind",	    "before_n", "before_median",
		"before_mad",	 "before_min", "before_max", "after_n", "after_median",
		"after_mad",	 "after_min",  "after_max", "delta",	"percent",
		"u",		 "p",	       "stands_out",
	};
	struct csv c = { .o = o };

	csv_header(&c, names, sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < r->figures_n; i++) {
		const struct figure *f = &r->figures[i];

		csv_text(&c, f->name);
		csv_text(&c, f->unit);
		csv_str(&c, counter_kind_names[f->kind]);
		csv_side(&c, &f->stats[BEFORE]);
		csv_side(&c, &f->stats[AFTER]);
		csv_double(&c, f->tested ? f->delta : NAN);
		csv_double(&c, f->tested ? f->percent : NAN);
		csv_double(&c, f->tested ? f->test.u : NAN);
		csv_double(&c, f->tested ? f->test.p : NAN);
		csv_str(&c, !f->tested ? NULL : f->stands_out ? "true" : "false");
		csv_end(&c);
	}
}
