/* SPDX-License-Identifier: MIT */
/* hugecov.counters/1 of a robot's raw result, and the same as CSV and as text. */
#ifndef REPORT_LKP_RESULT_VIEW_H
#define REPORT_LKP_RESULT_VIEW_H

#include "base/out.h"
#include "model/lkp_runs.h"
#include "report/style.h"

struct lkp_result_view {
	const struct source_info *source;
	const struct lkp_means *means;
	const struct readings *readings;
	bool all; /* text: every metric */
};

void lkp_result_json(struct out *o, const struct lkp_result_view *v);
/* One line for each metric. */
void lkp_result_csv(struct out *o, const struct lkp_result_view *v);
void lkp_result_text(struct out *o, const struct text_style *st, const struct lkp_result_view *v);

/* A diff of two: readings, then what concerns memory and huge pages. */
struct lkp_result_diff {
	const struct lkp_result_view *before, *after;
	const struct counter_rows *rows;
	const struct readings *readings;
	bool all;
};

void lkp_result_diff_text(struct out *o, const struct text_style *st,
			  const struct lkp_result_diff *v);

#endif
