/* SPDX-License-Identifier: MIT */
/*
 * perf stat's output as a flat list of counters, for differences and rules.
 *
 * Names: perf.EVENT; an aggregate stands before the event (perf.S0.cycles), a
 * cgroup too when there are several; a repeated event gets #2, #3 ..., the
 * next that is no other's name: each is there once. The
 * intervals of -I are summed, rows of --summary beside them left out. Elapsed,
 * user and sys time are perf.elapsed, perf.user and perf.sys in seconds; a
 * metric without a count is perf.NAME. Old names of events get today's, so
 * that outputs of two versions can be compared.
 */
#ifndef MODEL_PERF_COUNTERS_H
#define MODEL_PERF_COUNTERS_H

#include "model/counters.h"
#include "parse/perf.h"

/* Names and notes go to `a` or point into the document's. */
void perf_counters(const struct perf_doc *d, struct arena *a, struct counter_list *ret);

/* Events that tell of huge pages first: dTLB, page faults, caches. Smaller is earlier. */
int perf_event_rank(struct slice event);
enum { PERF_RANK_OTHER = 100 };

#endif
