/* SPDX-License-Identifier: MIT */
/* Budget files, and each of their lines as a rule and as a pattern. */
#include "fuzz.h"

#include "model/budget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_text(data, size);
	struct gate_rules rules = { 0 };
	struct arena a = { 0 };
	struct err e = { 0 };

	budget_read(text, &a, &rules, &e);
	gate_rules_free(&rules);
	for (struct cut c = slice_cut_line(text); c.head.n || c.ok; c = slice_cut_line(c.tail)) {
		struct rule r;

		rule_parse(c.head, &r, &e);
	}
	arena_free(&a);
	return 0;
}
