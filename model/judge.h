/* SPDX-License-Identifier: MIT */
/*
 * A measured value against the limit of a rule. Pure. Whole numbers and
 * printed decimals are compared exactly; a ratio of whole numbers as the
 * double nearest to it, against the double nearest to the limit, so that 9 of
 * 10 is exactly 90 %.
 */
#ifndef MODEL_JUDGE_H
#define MODEL_JUDGE_H

#include "model/rule.h"

struct measure {
	bool known;
	const char *why;   /* not known: why, a sentence without its final stop */
	enum unit unit;
	bool exact;        /* `dec` holds it, else only `v` */
	struct dec dec;
	double v;          /* set in both cases */
	size_t mappings;   /* it was measured over; 0 of what has none */
};

enum outcome { OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_COULD_NOT, OUTCOMES };
extern const char *const outcome_names[OUTCOMES]; /* "pass", "fail", "could-not" */

struct measure measure_unknown(enum unit unit, const char *why);
struct measure measure_whole(enum unit unit, int64_t v);
struct measure measure_dec(enum unit unit, struct dec v);
struct measure measure_double(enum unit unit, double v); /* not finite: unknown, without a why */
/* part / of; unknown when `of` is 0. `why` says what is 0 then. */
struct measure measure_ratio(uint64_t part, uint64_t of, const char *why);
/* after - before, or in percent of before. Exact where both are. */
struct measure measure_delta(const struct measure *before, const struct measure *after,
			     bool relative);
/* The difference of a/b and c/d in points, from whole numbers: 90 % less 85 % is 5 points. */
struct measure measure_points(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

enum outcome judge_rule(const struct rule *r, const struct measure *m);
/* value - limit in the rule's unit. m must be known. */
struct measure judge_distance(const struct rule *r, const struct measure *m);

#endif
