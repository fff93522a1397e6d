/* SPDX-License-Identifier: MIT */
#include "model/snapshot.h"

void snapshot_free(struct snapshot *s)
{
	smaps_free(&s->smaps);
	arena_free(&s->arena);
	*s = (struct snapshot){ 0 };
}
