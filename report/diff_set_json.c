/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "report/csv.h"
#include "report/diff_set_view.h"
#include "report/report_json.h"

static const char *const side_names[SIDES] = { "before", "after" };

static const struct process_info *process_of(const struct diff_set_view *v,
					     const struct process_pair *p, int side)
{
	return &v->side[side][p->at[side]].process;
}

static void json_pair(struct json *j, const struct diff_set_view *v, size_t i)
{
	const struct process_pair *p = &v->pairs->at[i];

	json_break(j);
	json_object(j);
	json_kv_str(j, "match", p->same ? "same" : "comm");
	json_kv_slice(j, "comm", process_of(v, p, AFTER)->comm);
	json_kv_i64(j, "before_pid", process_of(v, p, BEFORE)->pid);
	json_kv_i64(j, "after_pid", process_of(v, p, AFTER)->pid);
	json_key(j, "diff");
	diff_json(j, &(struct diff_view){ .d = v->diffs[i], .vmas = v->vmas });
	json_object_end(j);
}

static void json_left(struct json *j, const struct diff_set_view *v, int side)
{
	json_key(j, side_names[side]);
	json_array(j);
	for (size_t i = 0; i < v->pairs->left_n[side]; i++) {
		const struct process_info *p = &v->side[side][v->pairs->left[side][i]].process;

		json_object(j);
		json_kv_i64(j, "pid", p->pid);
		json_kv_slice(j, "comm", p->comm);
		json_object_end(j);
	}
	json_array_end(j);
}

void diff_set_json(struct json *j, const struct diff_set_view *v)
{
	json_object(j);
	json_schema(j, "hugecov.diffs/1");
	json_key(j, "processes");
	json_array(j);
	for (size_t i = 0; i < v->pairs->n; i++)
		json_pair(j, v, i);
	json_array_end(j);
	json_key(j, "unmatched");
	json_object(j);
	for (int s = 0; s < SIDES; s++)
		json_left(j, v, s);
	json_object_end(j);
	json_key(j, "totals");
	json_object(j);
	json_kv_u64(j, "processes", v->pairs->n);
	json_kv_u64(j, "losing", v->set->losing);
	if (v->set->loss_known)
		json_kv_u64(j, "thp_loss_kb", v->set->loss_kb);
	else
		json_kv_null(j, "thp_loss_kb");
	json_object_end(j);
	json_kv_str(j, "verdict", verdict_names[v->set->verdict]);
	json_object_end(j);
}

static void csv_sum(struct csv *c, const struct diff *d, enum total which)
{
	for (int s = 0; s < SIDES; s++) {
		const struct sum *sum = &d->m[s]->totals.sum[which];

		if (sum->known)
			csv_u64(c, sum->kb);
		else
			csv_absent(c);
	}
}

void diff_set_csv(struct out *o, const struct diff_set_view *v)
{
	static const char *const names[] = {
		"match",      "comm",	       "before_pid",	 "after_pid",   "before_rss_kb",
		"after_rss_kb", "before_huge_kb", "after_huge_kb", "thp_loss_kb", "verdict",
	};
	struct csv c = { .o = o };

	csv_header(&c, names, sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < v->pairs->n; i++) {
		const struct process_pair *p = &v->pairs->at[i];

		csv_str(&c, p->same ? "same" : "comm");
		csv_text(&c, process_of(v, p, AFTER)->comm);
		csv_i64(&c, process_of(v, p, BEFORE)->pid);
		csv_i64(&c, process_of(v, p, AFTER)->pid);
		csv_sum(&c, v->diffs[i], TOTAL_RSS);
		csv_sum(&c, v->diffs[i], TOTAL_HUGE);
		if (v->diffs[i]->loss_known)
			csv_u64(&c, v->diffs[i]->loss_kb);
		else
			csv_absent(&c);
		csv_str(&c, verdict_names[v->diffs[i]->verdict]);
		csv_end(&c);
	}
}
