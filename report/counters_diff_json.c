/* SPDX-License-Identifier: MIT */
#include "report/counters_diff_json.h"

#include "report/perf_json.h"
#include "report/readings_view.h"
#include "report/report_json.h"

/* Negative: was not printed. */
static void kv_share(struct json *j, const char *key, double percent)
{
	if (percent >= 0)
		json_kv_double(j, key, percent);
	else
		json_kv_null(j, key);
}

void json_counter_members(struct json *j, const struct counter_row *r)
{
	json_kv_slice(j, "name", r->name);
	json_kv_printed(j, "unit", r->unit);
	json_kv_str(j, "kind", counter_kind_names[r->kind]);
	json_kv_dec(j, "before", r->has_before, r->before);
	json_kv_dec(j, "after", r->has_after, r->after);
	json_kv_dec(j, "delta", r->has_delta, r->delta);
	json_key(j, "percent");
	if (r->has_percent)
		json_double(j, r->percent);
	else
		json_null(j);
	json_kv_printed(j, "note", r->note);
	if (r->kind == COUNTER_EVENT) {
		kv_share(j, "variance_before_pct", r->variance_before);
		kv_share(j, "variance_after_pct", r->variance_after);
		kv_share(j, "running_before_pct", r->running_before);
		kv_share(j, "running_after_pct", r->running_after);
	}
}

/* The member `counters`, key included. rows may be NULL: an empty array. */
static void json_counters(struct json *j, const struct counter_rows *rows)
{
	json_key(j, "counters");
	json_array(j);
	for (size_t i = 0; rows && i < rows->n; i++) {
		json_break(j);
		json_object(j);
		json_counter_members(j, &rows->at[i]);
		json_object_end(j);
	}
	json_array_end(j);
}

static void json_empty(struct json *j, const char *key)
{
	json_key(j, key);
	json_array(j);
	json_array_end(j);
}

static void json_side(struct json *j, const char *key, const struct source_info *s)
{
	json_key(j, key);
	json_object(j);
	json_source(j, "source", s);
	json_object_end(j);
}

/* Counters have no mappings: what tells of those is null, the verdict too. */
void counters_diff_json(struct json *j, const struct counters_diff_view *v)
{
	json_object(j);
	json_schema(j, "hugecov.diff/1");
	json_side(j, "before", v->before);
	json_side(j, "after", v->after);
	json_kv_null(j, "matched");
	json_empty(j, "unlike");
	json_kv_null(j, "totals");
	json_kv_null(j, "waterfall");
	json_kv_null(j, "thp_loss_kb");
	json_kv_null(j, "vmas");
	json_counters(j, v->rows);
	json_readings(j, v->readings);
	json_empty(j, "findings");
	json_kv_null(j, "verdict");
	json_object_end(j);
}
