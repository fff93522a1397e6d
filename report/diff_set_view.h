/* SPDX-License-Identifier: MIT */
/* A diff of two sets of processes (model/diff_set.h): hugecov.diffs/1, CSV, text. */
#ifndef REPORT_DIFF_SET_VIEW_H
#define REPORT_DIFF_SET_VIEW_H

#include "model/diff_set.h"
#include "report/diff_json.h"
#include "report/style.h"

struct diff_set_view {
	const struct diff_set *set;
	const struct process_pairs *pairs;
	const struct diff *const *diffs; /* pairs->n of them */
	const struct snapshot *side[SIDES];
	size_t n[SIDES];
	const char *path[SIDES];         /* as the user named the sides */
	enum diff_vmas_shown vmas;       /* JSON */
	const struct text_style *style;  /* text */
	bool all;                        /* text: each diff in full behind the table */
	uint64_t top;                    /* text: rows at most; 0: those that lost or gained */
};

/*
 * One document:
 *   schema, tool, processes[{match "same"|"comm", comm, before_pid, after_pid,
 *   diff (hugecov.diff/1)}], unmatched{before[{pid,comm}], after[...]},
 *   totals{processes, losing, thp_loss_kb}, verdict
 */
void diff_set_json(struct json *j, const struct diff_set_view *v);
void diff_set_csv(struct out *o, const struct diff_set_view *v); /* one line a pair */
void diff_set_text(struct out *o, const struct diff_set_view *v);

#endif
