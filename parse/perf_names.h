/* SPDX-License-Identifier: MIT */
/* The headings of perf stat --metric-only in text. */
#ifndef PARSE_PERF_NAMES_H
#define PARSE_PERF_NAMES_H

#include "base/slice.h"

/* "time socket cpus  name  name": without what heads the time and the aggregate. */
struct slice perf_names_of_interval(struct slice s);
/*
 * Names are set right-aligned, and hold single blanks: they end where two
 * blanks stand, or where the next one begins with a percent sign. At most max
 * names go to ret; returns how many there are.
 */
size_t perf_names_split(struct slice line, struct slice *ret, size_t max);

#endif
