/* SPDX-License-Identifier: MIT */
/* Several processes for people: totals first, shared memory once, mappings of all by cost. */
#ifndef REPORT_SET_TEXT_H
#define REPORT_SET_TEXT_H

#include "model/set.h"
#include "report/report_text.h"

struct set_text {
	const struct set *set;
	const struct blame_member *members; /* set->processes of them */
	enum rank_key sort;
	uint64_t top;
	bool all;
};

void set_text(struct out *o, const struct text_style *st, const struct set_text *v);

#endif
