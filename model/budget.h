/* SPDX-License-Identifier: MIT */
/*
 * The rules of a gate: those of the command line and those of a budget file,
 * hugecov.budget/1 (schemas/hugecov.budget-1.json).
 */
#ifndef MODEL_BUDGET_H
#define MODEL_BUDGET_H

#include "model/rule.h"
#include "parse/json_read.h"

/* Which mappings, or which table, a rule is about. All zero: everything. */
struct selector {
	const char *match;    /* a PCRE2 pattern, NULL: any name */
	unsigned classes;     /* bit n: enum vma_class n; 0: all (short names: anon) */
	uint64_t min_size_kb;
	struct slice table;   /* part of the title of a robot table, or its number from 1 */
};
static inline bool selector_of_mappings(const struct selector *s)
{
	return s->match || s->classes || s->min_size_kb;
}

struct gate_rule {
	struct rule rule;
	struct slice name;    /* of the budget file; else the rule's own text */
	struct selector select;
	bool warn;            /* severity warn: broken, it is said and does not fail */
	unsigned long line;   /* in the budget file; 0: of the command line */
};

struct gate_rules {
	struct gate_rule *at;
	size_t n, cap;
};

struct gate_rule *gate_rules_add(struct gate_rules *g, struct rule r);
void gate_rules_free(struct gate_rules *g);

/*
 * Appends the rules of the text, which must outlive them; a rule with several
 * limits becomes several, all with its name. Strings go into `a`. -1: e has
 * the line and the column, no file; nothing was appended.
 */
int budget_read(struct slice text, struct arena *a, struct gate_rules *ret, struct err *e);

#endif
