/* SPDX-License-Identifier: MIT */
/* From a snapshot to what the model says of it, as the options want: report, diff, check, watch. */
#ifndef CMD_JUDGE_H
#define CMD_JUDGE_H

#include "cmd/options.h"
#include "model/diff.h"
#include "model/filter.h"
#include "model/findings.h"

struct judged {
	struct model model;
	struct findings findings;
};

/* --match, --class, --min-size. *ret may be NULL: all mappings. filter_free() it. */
int judge_filter(struct filter **ret, const struct common_options *c, struct err *e);
/* Model, selection, totals and findings of `s`, which must outlive `j`. -1: nothing to free. */
int judge(struct judged *j, struct snapshot *s, const struct common_options *c,
	  const struct filter *f, struct err *e);
void judged_free(struct judged *j);

/* Two snapshots as one pair: diff, and check with a baseline. */
struct judged_pair {
	struct model model[SIDES];
	struct diff diff;
};

/*
 * Models, pairing, selection and the whole diff. Both snapshots must outlive
 * `j`. -1: nothing to free.
 */
int judge_pair(struct judged_pair *j, struct snapshot *before, struct snapshot *after,
	       const struct common_options *c, enum match_by by, const struct filter *f,
	       struct err *e);
void judged_pair_free(struct judged_pair *j);

#endif
