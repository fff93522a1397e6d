/* SPDX-License-Identifier: MIT */
/*
 * Several processes of one machine as one: what each has for itself is added
 * up; of shared memory and files each process counts the part that Pss gives
 * it (Pss / Rss of its waterfall), so that a page counts once. Exact: the
 * members of a waterfall add up to its Rss, which is the sum of Pss.
 */
#ifndef MODEL_SET_H
#define MODEL_SET_H

#include "model/model.h"

/* A file or shared memory that more than one of the processes maps. */
struct set_object {
	struct slice name;
	uint8_t class; /* CLASS_SHMEM or CLASS_FILE */
	uint32_t major, minor;
	uint64_t inode;
	uint32_t mapped_by; /* processes */
	uint64_t pss_kb;
	uint64_t huge_kb;   /* each huge page once */
	uint64_t rss_kb;    /* as each process sees it */
	const struct model *m; /* one that maps it */
	uint32_t vma, last_member;
};

struct set {
	size_t processes, vmas;
	struct sum sum[TOTAL_COUNT]; /* as each process sees it: shared memory counts many times */
	struct fall_total fall[FALL_COUNT]; /* counted once */
	size_t unscaled; /* mappings of shmem and files without Pss: they count in full each time */
	struct set_object *objects; /* mapped by two and more; most Pss first */
	size_t objects_n, objects_cap;
};

/* model_totals() of each must have run. O(mappings). */
void set_make(struct set *ret, const struct model *const *members, size_t n);
void set_free(struct set *s);
/* As model_headline(). */
int set_headline(const struct set *s);

#endif
