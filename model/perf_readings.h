/* SPDX-License-Identifier: MIT */
/*
 * The readings of perf stat's output. To add one: a row in perf_reading_rows,
 * its function, a test that hits and one that misses (tests/unit/test_perf_counters.c).
 */
#ifndef MODEL_PERF_READINGS_H
#define MODEL_PERF_READINGS_H

#include "model/counters.h"
#include "model/readings.h"
#include "parse/perf.h"

extern const struct reading_row perf_reading_rows[];
extern const size_t perf_reading_count;

/* Of one output. `side` is "", or "before" and "after" in a diff. Texts go to `a`. */
void perf_readings(const struct perf_doc *d, const char *side, struct arena *a,
		   struct readings *to);
/* Of the differences of two. */
void perf_diff_readings(const struct counter_rows *rows, struct arena *a, struct readings *to);

#endif
