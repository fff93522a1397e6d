/* SPDX-License-Identifier: MIT */
/*
 * The slot strip: the huge-page slots of one mapping, in order, as they are.
 * From the page tables where the kernel tells them (runs of pages, Linux 6.7
 * and later), else estimated from the sums of smaps.
 */
#ifndef MODEL_SLOTS_H
#define MODEL_SLOTS_H

#include "model/model.h"

enum slot_state {
	SLOT_EMPTY,
	SLOT_ZERO,    /* only the zero page, huge or small: it is read and holds no memory */
	SLOT_SWAPPED, /* swapped out, nothing resident */
	SLOT_SMALL,   /* resident in small pages, at least one */
	SLOT_HUGE,    /* mapped as a whole */
	SLOT_PART,    /* of a cell: some of its slots are huge, others not */
	SLOT_UNKNOWN, /* not looked at */
	SLOT_STATES
};
extern const char slot_glyphs[SLOT_STATES]; /* ". z s - # + ?" */
extern const char *const slot_names[SLOT_STATES];

struct strip {
	uint64_t start;    /* of the mapping: whose strip this is */
	uint8_t *cell;     /* enum slot_state, n of them */
	size_t n;
	uint64_t per_cell; /* slots a cell: 1, 2, 4, ... */
	bool head, tail;   /* memory before the first and behind the last slot */
	bool estimated;
	/* while it is made */
	uint64_t first, pmd, slots; /* bytes, bytes, number */
	uint64_t at;                /* slot under work */
	uint8_t seen;               /* states of its pages, a bit each */
	uint8_t *cell_seen;         /* states of each cell's slots, a bit each */
};

/*
 * Starts a strip of at most max_cells cells for a mapping; without a slot it
 * has none. Everything lives in `a`.
 */
void strip_start(struct strip *s, const struct model *m, const struct vma *v, size_t max_cells,
		 struct arena *a);
/* Pages [start, end) that are alike; ascending. What no call names is empty. */
void strip_add(struct strip *s, uint64_t start, uint64_t end, enum slot_state pages);
/* All pages below `known` have been added; what lies above was not looked at. */
void strip_finish(struct strip *s, uint64_t known);
/* Instead of the two above: how many slots of each kind smaps' sums allow, in that order. */
void strip_estimate(struct strip *s, const struct model *m, const struct vma *v);

#endif
