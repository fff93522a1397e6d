/* SPDX-License-Identifier: MIT */
/*
 * Numbers as perf prints them under any locale: perf calls setlocale(), so
 * counts have the locale's thousands separators and every number has its
 * decimal sign. 12.345 alone is ambiguous: perf_num_votes() finds out which
 * sign is which from a whole block.
 */
#ifndef PARSE_PERF_NUM_H
#define PARSE_PERF_NUM_H

#include <stdbool.h>

#include "base/dec.h"
#include "base/num.h"
#include "base/slice.h"

struct perf_locale {
	char decimal;      /* '.' or ',' */
	bool blank_groups; /* a single blank separates groups of three (old fr_FR) */
};

/*
 * Takes a number from the front of *s. Between digits these separate groups:
 * the sign that is not the decimal one, ' U+2019 U+00A0 U+202F U+2009, a
 * single byte A0 (Latin-1). NUM_NONE: none is there, *s is unchanged.
 */
enum num_status perf_take_number(struct slice *s, const struct perf_locale *l, struct dec *ret);

/* nan, -nan, inf, -inf: taken from the front. */
bool perf_take_nan(struct slice *s);

/* Counts what speaks for each decimal sign in a line, [0] for '.', [1] for ','. */
void perf_num_votes(struct slice line, unsigned votes[2]);

#endif
