/* SPDX-License-Identifier: MIT */
/* From what was read to groups of results. Between cmd/check*.c only. */
#ifndef CMD_CHECK_JUDGE_H
#define CMD_CHECK_JUDGE_H

#include "cmd/check.h"

struct check_groups {
	struct check_group *at;
	size_t n, cap;
};

/* All rules of one subject. Nothing of the result points into what was read. */
void check_judge_subject(const struct check_subject *s, struct check_group *g);
/* Appends the group of one reading, with --each one a source. Without rules: suggestions. */
int check_judge_read(struct check_groups *to, struct check *c, struct check_read *r, struct err *e);
/* Each rule must hold at both moments; the result is that of the one that decides. */
void check_join_moments(struct check_group *at_end, const struct check_group *at_peak);

/* Takes the i-th sample: appends its groups. */
typedef int check_sample_fn(struct check_groups *to, struct check *c, size_t i, void *arg,
			    struct err *e);
/* --samples: the groups of the last one, with medians for values. */
int check_judge_samples(struct check_groups *to, struct check *c, check_sample_fn *sample,
			void *arg, struct err *e);

enum outcome check_outcome(const struct check_view *v);

#endif
