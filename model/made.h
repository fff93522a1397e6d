/* SPDX-License-Identifier: MIT */
/*
 * Two made-up snapshots of one process, for proving rules: BEST, where all
 * that could be huge is, and WORST, where nothing is and every finding stands
 * that a rule can count. Same ranges where both have them, so that from BEST
 * to WORST huge pages are lost; 4 kB pages, 2 MiB huge pages, policy madvise.
 */
#ifndef MODEL_MADE_H
#define MODEL_MADE_H

#include "base/err.h"
#include "model/snapshot.h"

enum made { MADE_BEST, MADE_WORST };

/* snapshot_free() it. -1 only when the made-up files cannot be read: a fault of ours. */
int made_snapshot(struct snapshot *ret, enum made which, struct err *e);

#endif
