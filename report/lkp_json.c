/* SPDX-License-Identifier: MIT */
#include "report/lkp_json.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "report/readings_view.h"
#include "report/report_json.h"

/* Digits as they were printed. */
static void kv_digits(struct json *j, const char *key, struct slice v)
{
	json_key(j, key);
	if (v.n)
		json_raw(j, v);
	else
		json_null(j);
}

static void kv_printed(struct json *j, const char *key, int64_t v)
{
	if (v < 0)
		json_kv_null(j, key);
	else
		json_kv_i64(j, key, v);
}

static void put_parameters(struct json *j, const struct lkp_parameter *p, size_t n)
{
	json_key(j, "parameters");
	if (!n) {
		json_null(j);
		return;
	}
	json_object(j);
	for (size_t i = 0; i < n; i++) {
		json_key_slice(j, p[i].name);
		json_slice(j, p[i].value);
	}
	json_object_end(j);
}

static void put_headlines(struct json *j, const struct lkp_doc *d)
{
	json_key(j, "headlines");
	json_array(j);
	for (size_t i = 0; i < d->nheadlines; i++) {
		const struct lkp_headline *h = &d->headlines[i];

		json_break(j);
		json_object(j);
		json_kv_printed(j, "metric", h->metric);
		kv_digits(j, "percent", h->percent);
		json_kv_printed(j, "direction", h->direction);
		json_kv_str(j, "where", lkp_where_names[h->where]);
		json_kv_printed(j, "testcase", h->testcase);
		put_parameters(j, h->parameters, h->nparameters);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_commits(struct json *j, const struct lkp_table *t)
{
	json_key(j, "commits");
	json_array(j);
	for (size_t i = 0; i < t->ncommits; i++) {
		json_object(j);
		json_kv_printed(j, "id", t->commits[i].id);
		json_kv_printed(j, "subject", t->commits[i].subject);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_recomputed(struct json *j, const struct lkp_verdict *v)
{
	char buf[DEC_BUF]; /* larger than NUM_BUF */

	json_key(j, "recomputed");
	if (v->has_exact)
		json_raw(j, dec_put(buf, v->exact));
	else if (isfinite(v->recomputed))
		json_raw(j,
			 slice_of(buf, (size_t)snprintf(buf, sizeof(buf), "%.15g", v->recomputed)));
	else
		json_null(j);
}

static void put_cell(struct json *j, const struct lkp_row *row, const struct lkp_cell *c,
		     const struct lkp_verdict *v)
{
	json_object(j);
	kv_digits(j, "value", c->value);
	kv_printed(j, "stddev_pct", c->stddev_pct);
	kv_printed(j, "fails", c->fails);
	kv_printed(j, "runs", c->runs);
	kv_digits(j, "change", c->change);
	json_kv_str(j, "change_kind", lkp_kind_names[c->kind]);
	put_recomputed(j, v);
	json_key(j, "agrees");
	if (v->agrees == LKP_UNKNOWN)
		json_null(j);
	else
		json_bool(j, v->agrees == LKP_YES);
	json_key(j, "hole");
	if (row->section == LKP_FAILURE)
		json_null(j);
	else
		json_bool(j, v->hole);
	json_object_end(j);
}

static void put_row(struct json *j, const struct lkp_row *row, const struct lkp_verdict *v)
{
	json_break(j);
	json_object(j);
	json_kv_slice(j, "metric", row->metric);
	json_kv_str(j, "section", lkp_section_names[row->section]);
	json_key(j, "columns");
	json_array(j);
	for (size_t c = 0; c < row->n; c++)
		put_cell(j, row, &row->cells[c], &v[c]);
	json_array_end(j);
	json_object_end(j);
}

static void put_table(struct json *j, const struct lkp_table *t, const struct lkp_verdict *v)
{
	json_break(j);
	json_object(j);
	json_kv_printed(j, "title", t->title);
	json_kv_printed(j, "testcase", t->testcase);
	put_parameters(j, t->parameters, t->nparameters);
	put_commits(j, t);
	json_key(j, "rows");
	json_array(j);
	for (size_t i = 0; i < t->n; i++)
		put_row(j, &t->rows[i], v + t->rows[i].first);
	json_array_end(j);
	json_object_end(j);
}

void lkp_json(struct out *o, const struct lkp_view *v)
{
	struct json j;

	json_start(&j, o);
	json_object(&j);
	json_schema(&j, "hugecov.counters/1");
	json_source(&j, "source", v->source);
	put_headlines(&j, v->doc);
	json_readings(&j, v->readings);
	json_key(&j, "tables");
	json_array(&j);
	for (size_t i = 0; i < v->doc->n; i++)
		put_table(&j, &v->doc->tables[i], v->checked->tables[i]);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
