/* SPDX-License-Identifier: MIT */
/*
 * A rule, 'METRIC OP VALUE', as people write it on a command line or into a
 * budget file. Parsing finds out what METRIC is by its form alone; whether a
 * source has it is found when it is measured.
 */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

#include "base/dec.h"
#include "base/err.h"
#include "base/out.h"
#include "model/metrics.h"

enum rule_op { OP_LT, OP_LE, OP_EQ, OP_NE, OP_GE, OP_GT, OPS };
extern const char *const rule_ops[OPS]; /* "<" "<=" … */

enum rule_form {
	RULE_METRIC,  /* a short name; id is enum metric_id */
	RULE_FINDING, /* number of findings; id is enum finding_id */
	RULE_DELTA,   /* delta.NAME; id is enum metric_id */
	RULE_COUNTER, /* counters[NAME].SIDE */
	RULE_CELL,    /* of a robot table: NAME.SIDE */
	RULE_PATH,    /* a dotted path into the report */
};

/* Of a counter or a cell. In tables BEFORE is written base and AFTER head. */
enum rule_side { SIDE_BEFORE, SIDE_AFTER, SIDE_DELTA, SIDE_PERCENT };

struct rule {
	struct slice text;   /* as written, trimmed */
	struct slice metric; /* the part of it before the operator */
	struct slice value;  /* and behind it */
	enum rule_op op;
	enum rule_form form;
	int id;
	struct slice name;   /* of the counter or cell; the path */
	enum rule_side side;
	enum unit unit;      /* of limit and measured value. UNIT_NUMBER: what the source counts */
	bool size;           /* the value was written with kB, MiB …: a UNIT_NUMBER must be in kB */
	bool relative;       /* delta.NAME against a percentage of before; unit is UNIT_PERCENT */
	enum nature nature;
	struct dec limit;    /* in `unit`; fractions and points as 0 to 1 */
};

/*
 * text must outlive the rule. -1: no rule; e has the place in it (line 1, no
 * file) and names the nearest metric.
 */
int rule_parse(struct slice text, struct rule *ret, struct err *e);

bool rule_needs_baseline(const struct rule *r);
/* Does it ask about mappings, which counter sources have none of? */
bool rule_needs_mappings(const struct rule *r);

/* Writes the rule with another limit: "huge_kb >= 141312"; fractions in percent. */
void rule_write(struct out *o, const struct rule *r, struct dec limit);

#endif
