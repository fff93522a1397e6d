/* SPDX-License-Identifier: MIT */
/*
 * Counters of a diff for people: those that matter first, the rest counted.
 * A mark stands before each row: + rose, - fell, = did not or by less than
 * twice the error of both sides, ~ one side was counted less than half of the
 * time, so that the difference is an estimate.
 */
#ifndef REPORT_COUNTERS_TEXT_H
#define REPORT_COUNTERS_TEXT_H

#include "base/out.h"
#include "model/counters.h"
#include "report/style.h"

struct counters_text {
	const struct counter_rows *rows;
	const char *title;              /* of the table: "TLB, page faults, caches" */
	const char *prefix;             /* of the names that are shown, without it: "perf." */
	int (*rank)(struct slice name); /* smaller is earlier */
	int rank_other; /* this and more only with `all`, or when there is nothing else */
	bool all;
};

void counters_text(struct out *o, const struct text_style *st, const struct counters_text *v);

enum { COUNT_BUF = 96 };
/* "12,345.68": every digit that was printed, with commas. Returns buf. */
const char *count_text(char *buf, struct dec v);

#endif
