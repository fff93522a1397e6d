/* SPDX-License-Identifier: MIT */
/*
 * From one moment to the next: what did not change is copied, so that the
 * moment before can go. Used where a moment is not read from the kernel as a
 * whole: in a replay, and after a look at the page tables only.
 */
#ifndef MODEL_CARRY_H
#define MODEL_CARRY_H

#include "model/snapshot.h"
#include "parse/smaps_table.h"

/* A table of mappings made of others, any number of them. Zero-initialise but for `to`. */
struct carry {
	struct smaps *to;
	struct names_index names;
	const struct smaps *from; /* the last source, and where its names went */
	uint32_t *name;           /* by index of `from`; UINT32_MAX: not carried yet */
};

/* Appends a copy of from->vma[i]; the pointer is valid until the next call. Starts must ascend. */
struct vma *carry_vma(struct carry *c, const struct smaps *from, size_t i);
void carry_end(struct carry *c);

/* Source, process and system of `from`, all text copied into to->arena. Not its mappings. */
void carry_snapshot(struct snapshot *to, const struct snapshot *from);

/* Are two mappings alike in all that smaps says of them? */
bool same_vma(const struct smaps *a, size_t i, const struct smaps *b, size_t k);

#endif
