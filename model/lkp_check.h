/* SPDX-License-Identifier: MIT */
/*
 * What the printed numbers of a robot table say about each other: the change
 * they give, whether the printed one agrees, and whether a deviation is the
 * mark of runs without data that were counted as zero.
 */
#ifndef MODEL_LKP_CHECK_H
#define MODEL_LKP_CHECK_H

#include "base/dec.h"
#include "base/mem.h"
#include "parse/lkp.h"

enum lkp_tri { LKP_UNKNOWN, LKP_NO, LKP_YES };

struct lkp_verdict {
	/*
	 * Percent rows: 100 (head/base - 1). Differences: head - base, exact.
	 * Failure rows: 100 (f/r - f0/r0), in points; the printed figure is wrong
	 * when the numbers of runs differ. NAN: none, or the base prints as 0.
	 */
	double recomputed;
	struct dec exact; /* of a difference */
	bool has_exact;
	/*
	 * Do the intervals overlap that the printed change and the printed values
	 * may stand for? The robot takes the change from unrounded means, prints
	 * two decimals, cuts integers from 1000 on, and rounds to four digits
	 * above 100,000,000.
	 */
	enum lkp_tri agrees;
	/*
	 * `missing` of `runs` runs had no data and count as zero: the deviation is
	 * within 1 of 100 sqrt(k/(n-k)), the metric is never truly zero, and
	 * without those zeros the value is near another column's (`other`).
	 */
	bool hole;
	unsigned missing, runs;
	double whole; /* the value without the zeros */
	size_t other;
};

struct lkp_checked {
	struct lkp_verdict **tables; /* by number of the table */
};
void lkp_check(const struct lkp_doc *doc, struct arena *a, struct lkp_checked *ret);

/* Every run of a machine has some of it: a zero means that it was not measured. */
bool lkp_never_zero(struct slice metric);

/* Is the difference within what single runs differ by? Needs a printed deviation. */
bool lkp_within_noise(const struct lkp_row *row, size_t column);

/* ---- for rules: one metric as base, head and percent of the last column ---- */

struct lkp_figures {
	double base, head; /* failure rows: fails in percent of runs */
	double percent;    /* printed in a percent row, else recomputed; NAN: none, or from 0 */
	bool printed;      /* percent is the printed one */
	const struct lkp_row *row;
	enum lkp_tri agrees;
};

/* From a table that holds it (lkp_row_find). False: it does not. */
bool lkp_figures(const struct lkp_table *t, struct slice metric, struct arena *a,
		 struct lkp_figures *ret);

#endif
