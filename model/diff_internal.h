/* SPDX-License-Identifier: MIT */
/* Between the files of the diff only. */
#ifndef MODEL_DIFF_INTERNAL_H
#define MODEL_DIFF_INTERNAL_H

#include "model/diff.h"

/* The start, of shmem and file the start - offset, is a multiple of the PMD size. */
bool diff_on_boundary(const struct model *m, const struct vma *v);
/*
 * A loss between two runs that may be chance: the mapping is several blocks
 * that merged, and how many slots straddle two of them depends on where the
 * first one lies (such a slot is faulted small, block by block). Of one row
 * that starts off the boundary on both sides, so that nobody placed it, and
 * lost less than a tenth of what was huge.
 */
bool diff_loss_may_be_chance(const struct diff *d, const struct match_row *r,
			     enum loss_cause cause);

#endif
