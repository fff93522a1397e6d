/* SPDX-License-Identifier: MIT */
/*
 * Figures of several runs: where they lie, how far they spread, and whether
 * two sides differ by more than their order could by chance.
 */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct stats {
	size_t n;
	double min, max, median, mean;
	double mad; /* median of the distances from the median: no outlier moves it far */
};

/* Values are finite. With n 0 all is 0. O(n log n), copies the values. */
struct stats stats_of(const double *values, size_t n);

/*
 * Mann-Whitney U, two-sided. It asks only which values are larger, so one wild
 * run does no harm and nothing need be normally distributed. Ties get the mean
 * of their ranks. p is the share of all ways to deal the values onto the two
 * sides that are at least as lopsided: counted out, exactly and with the ties
 * that there are, up to STATS_EXACT_MAX values in all; beyond, from the normal
 * distribution with corrections for ties and continuity.
 */
enum { STATS_EXACT_MAX = 50 };
struct mann_whitney {
	size_t n_a, n_b;
	double u;     /* pairs in which a is larger, ties counted half: 0 to n_a * n_b */
	double p;     /* 0 to 1 */
	double p_min; /* the smallest p that such counts can give: 0.1 for 3 against 3 */
	bool exact;
};

/* The smallest p that two sides of these sizes can give; 1 when one is empty. */
double stats_p_min(size_t n_a, size_t n_b);

/* false: a side is empty. */
bool stats_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b,
			struct mann_whitney *ret);

#endif
