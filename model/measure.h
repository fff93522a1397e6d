/* SPDX-License-Identifier: MIT */
/*
 * What rules are measured on: sums over the selected mappings of one or
 * several processes, and numbers of findings. What the input does not say is
 * unknown with a reason, never 0: a rule must not hold because nothing was
 * looked at.
 */
#ifndef MODEL_MEASURE_H
#define MODEL_MEASURE_H

#include "model/judge.h"

struct gauge {
	size_t all;          /* mappings there are */
	size_t mappings;     /* selected */
	size_t known;        /* of these have a waterfall */
	size_t holders;      /* of these could hold a slot by their size */
	size_t open;         /* of holders, it is not known whether they may be huge */
	bool rollup;         /* a sum without mappings was among them */
	struct waterfall w;
	uint64_t slots_lost; /* over those that may be huge */
};

/*
 * Sums of what each of n models keeps; of several processes shared memory
 * counts once. Makes their totals.
 */
struct gauge gauge_of(struct model *m, size_t n);
struct measure gauge_measure(const struct gauge *g, enum metric_id id);
/* after - before, or in percent of before; of fractions in points. */
struct measure gauge_delta(const struct gauge *before, const struct gauge *after, enum metric_id id,
			   bool relative);

/*
 * Is f one that a rule about `id` counts? Likely or certain, low or worse;
 * when mappings were selected, only what concerns some of them.
 */
bool finding_counts(const struct finding *f, enum finding_id id, bool selected);
/* NULL when such findings could have been seen in this dump; else why not. */
const char *finding_blind(const struct model *m, enum finding_id id);
/* The same for findings of a diff. */
const char *finding_blind_pair(const struct model *before, const struct model *after,
			       enum finding_id id);

#endif
