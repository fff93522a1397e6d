/* SPDX-License-Identifier: MIT */
/*
 * How closely a target may be watched. Reading smaps holds up whoever maps
 * and unmaps in the target, by about the time the reading takes; so it is
 * rationed: time spent looking stays below a share of the time that passes.
 * Pure: times come in, a decision comes out.
 */
#ifndef MODEL_PACE_H
#define MODEL_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum look {
	LOOK_FULL, /* one pass over smaps: everything */
	LOOK_SCAN, /* maps and PAGEMAP_SCAN: resident and huge of each mapping, a third of it */
	LOOK_ROLLUP,   /* smaps_rollup: sums only, a tenth of the cost for many small mappings */
	LOOK_COUNTERS, /* system files only: next to nothing */
	LOOKS
};
extern const char *const look_names[LOOKS]; /* "full" "scan" "rollup" "counters" */

struct pace {
	double share;            /* of one CPU, 0 to 1 */
	bool can_scan, can_rollup;
	int64_t cost_ns[LOOKS];  /* CPU time of the last such look; 0: none yet */
	double saved_full, saved_cheap; /* ns that may be spent */
	int64_t last_ns;         /* CLOCK_MONOTONIC of the last decision; 0: none */
};

/* Which look to take at now_ns (CLOCK_MONOTONIC). The first one is full. */
enum look pace_next(struct pace *p, int64_t now_ns);
/* What it cost. */
void pace_spent(struct pace *p, enum look look, int64_t ns);
/* With ticks of this length, every how many ticks a full look can be paid; at least 1. */
uint64_t pace_full_every(const struct pace *p, int64_t interval_ns);

#endif
