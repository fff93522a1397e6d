/* SPDX-License-Identifier: MIT */
/* The headings of perf stat --metric-only in text. */
#ifndef PARSE_PERF_NAMES_H
#define PARSE_PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/*
 * A heading names a metric of each row below: a longer one is not perf's, and
 * would make of a small file a very large report.
 */
enum { PERF_NAME_MAX = 256 };

struct perf_names { /* mem_free(at) at the end */
	struct slice *at;
	size_t n, cap;
};

/* False: it is too long, and was not added. */
bool perf_names_add(struct perf_names *list, struct slice name);

/* "time socket cpus  name  name": without what heads the time and the aggregate. */
struct slice perf_names_of_interval(struct slice s);
/*
 * Names are set right-aligned, and hold single blanks: they end where two
 * blanks stand, or where the next one begins with a percent sign. No names are
 * in a line of which one is too long.
 */
void perf_names_split(struct slice line, struct perf_names *ret);

#endif
