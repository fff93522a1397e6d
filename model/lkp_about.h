/* SPDX-License-Identifier: MIT */
/* Which table a headline of a robot's mail is about: that which holds its metric, else that of its test. */
#ifndef MODEL_LKP_ABOUT_H
#define MODEL_LKP_ABOUT_H

#include "base/strmap.h"
#include "parse/lkp.h"

enum { ABOUT_MAX = 8 }; /* headlines that are listed: mails have one or two of a table */

struct lkp_headlines {
	const struct lkp_headline *at[ABOUT_MAX]; /* in the order of the text */
	size_t n; /* all of them: more than ABOUT_MAX, or fewer */
};

struct lkp_about {
	const struct lkp_doc *doc;
	struct strmap metrics;       /* of headlines: 1 + place of the first with it */
	size_t *round;               /* by headline: the last look-up that met it; 0: no table holds it */
	size_t rounds;
	struct strmap tests;         /* 1 + place in of_test */
	struct lkp_headlines *of_test; /* those whose metric no table holds */
	size_t n;
};

/* Regressions only, a metric once. Belongs to the arena, but for what lkp_about_close() releases. */
void lkp_about_open(struct lkp_about *x, const struct lkp_doc *doc, struct arena *a);
/* O(rows of the table). */
void lkp_about_table(struct lkp_about *x, const struct lkp_table *t, struct lkp_headlines *ret);
void lkp_about_close(struct lkp_about *x);

#endif
