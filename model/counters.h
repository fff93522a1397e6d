/* SPDX-License-Identifier: MIT */
/*
 * Named counters of any source (meminfo, vmstat, nodes, perf stat, latency
 * tables) as one flat list, and the difference of two lists.
 */
#ifndef MODEL_COUNTERS_H
#define MODEL_COUNTERS_H

#include "base/dec.h"
#include "base/mem.h"
#include "base/slice.h"

enum counter_kind { COUNTER_GAUGE, COUNTER_COUNTER, COUNTER_EVENT, COUNTER_LATENCY };

struct counter {
	struct slice name;      /* "vmstat.thp_fault_alloc", "perf.S0.cycles", "lat_mem_rd.64" */
	struct slice unit;      /* empty: none */
	enum counter_kind kind;
	bool present;           /* false: printed but without a value (<not counted>) */
	struct dec value;
	struct slice note;      /* "multiplexed 19.95 %", "not counted"; may be empty */
	double variance_pct;    /* negative: not printed */
	double running_pct;     /* share of time it was counted; negative: all of it */
};

struct counter_list {
	struct counter *at;
	size_t n, cap;
};

struct counter_row {
	struct slice name, unit;
	enum counter_kind kind;
	bool has_before, has_after, has_delta;
	struct dec before, after, delta; /* exact in decimal */
	bool has_percent;                /* false when before is 0 */
	double percent;
	struct slice note;               /* "reset", "not counted before", "multiplexed 19.95 %"… */
	double variance_before, variance_after; /* percent; negative: none */
	double running_before, running_after;   /* percent; negative: none */
};

struct counter_rows {
	struct counter_row *at;
	size_t n, cap;
};

extern const char *const counter_kind_names[4]; /* "gauge" "counter" "event" "latency" */

struct counter *counters_add(struct counter_list *l, struct slice name, struct slice unit,
			     enum counter_kind kind);
void counters_free(struct counter_list *l);

/*
 * Pairs by name, in the order of `before` and then what only `after` has.
 * O(n) by a hash. A counter (not a gauge) that fell is noted "reset" and has
 * no delta. Slices point into the lists' own memory or into `a`.
 */
void counters_diff(const struct counter_list *before, const struct counter_list *after,
		   struct arena *a, struct counter_rows *ret);
void counter_rows_free(struct counter_rows *r);

#endif
