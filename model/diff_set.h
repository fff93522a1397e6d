/* SPDX-License-Identifier: MIT */
/*
 * Two sets of processes: which is which, and what all of them lost. A process
 * is itself when pid, start ticks and boot are; the others are paired by comm,
 * in the order of their pids.
 */
#ifndef MODEL_DIFF_SET_H
#define MODEL_DIFF_SET_H

#include "model/diff.h"

struct process_pair {
	size_t at[SIDES]; /* indexes into the snapshots of each side */
	bool same;        /* the very process, not only its name */
};

struct process_pairs {
	struct process_pair *at; /* in the order of before */
	size_t n;
	size_t *left[SIDES];     /* those without a partner */
	size_t left_n[SIDES];
};

/* Lists are in the arena. */
void process_pairs_find(const struct snapshot *const side[SIDES], const size_t n[SIDES],
			struct arena *a, struct process_pairs *ret);

/* What the diffs of all pairs come to. */
struct diff_set {
	bool loss_known;
	uint64_t loss_kb;   /* of shared memory: what the process lost that lost most of it */
	size_t losing;      /* pairs with verdict loss */
	enum verdict verdict; /* loss when one of them is; else gain when one is */
};

void diff_set_sum(const struct diff *const *diffs, size_t n, struct diff_set *ret);

#endif
