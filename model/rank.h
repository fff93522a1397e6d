/* SPDX-License-Identifier: MIT */
/* Mappings in the order a reader asked for, without sorting more than is shown. */
#ifndef MODEL_RANK_H
#define MODEL_RANK_H

#include "model/model.h"

enum rank_key { RANK_COST, RANK_ADDRESS, RANK_SIZE, RANK_RSS, RANK_HUGE, RANK_SLOTS, RANK_NAME };

/*
 * Indices of the selected mappings, largest first (addresses and names: smallest
 * first; equals by address), at most `top` of them; 0: all. *ret is to be freed
 * with mem_free(). O(n log top).
 */
size_t rank_pick(const struct model *m, enum rank_key key, size_t top, uint32_t **ret);

/* What rank_pick() and others rank. */
struct ranked {
	uint64_t key;
	uint32_t index;
};
/* The `top` largest keys first, equals by index; returns how many that are. Rearranges `at`. */
size_t rank_largest(struct ranked *at, size_t n, size_t top);

#endif
