/* SPDX-License-Identifier: MIT */
/* The manifest.json of a snapshot (source/snapshot_write.h), as far as others need it. */
#ifndef CMD_MANIFEST_H
#define CMD_MANIFEST_H

#include "source/source.h"

struct manifest {
	int64_t time_ns;       /* when it was taken; -1: not said */
	int64_t *incomplete;   /* processes that ended while they were read */
	size_t incomplete_n;
};

/*
 * Of the tree, or of another maker's tree without one. A damaged manifest, or
 * one of a later major version, says nothing. -1: it is there and cannot be
 * read, so that nobody knows what is complete. Lists are in the arena.
 */
int manifest_read(struct tree *t, struct arena *a, struct manifest *ret, struct err *e);
bool manifest_is_complete(const struct manifest *m, int64_t pid);

#endif
