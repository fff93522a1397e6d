/* SPDX-License-Identifier: MIT */
/*
 * Budget files, and each of their lines as a rule: judged over a dump and
 * against a baseline, tested against made-up reports, shown in all forms.
 */
#include "fuzz.h"

#include "model/budget.h"

enum { LINES_MAX = 8 };

static const char dump[] =
	"7f0000001000-7f0000601000 rw-p 00000000 00:00 0 \nRss: 6144 kB\nAnonymous: 6144 kB\n"
	"AnonHugePages: 4096 kB\nVmFlags: rd wr mr mw me ac \n"
	"7f0001000000-7f0001600000 r--p 00000000 08:01 77                         /lib/x\nRss: 6144 kB\n"
	"Anonymous: 0 kB\nAnonHugePages: 0 kB\nFilePmdMapped: 2048 kB\n";

static void judge_rules(const struct gate_rules *rules, struct arena *a)
{
	struct snapshot before, after;

	if (!fuzz_smaps(slice_str(dump), &before) || !fuzz_smaps(slice_str(dump), &after))
		abort();
	struct load b = { .snaps = &before, .n = 1 }, x = { .snaps = &after, .n = 1 };
	if (fuzz_turn(3))
		fuzz_check(&x, NULL, NULL, rules);
	if (fuzz_turn(3))
		fuzz_check(&x, NULL, &b, rules);
	if (fuzz_turn(3))
		fuzz_self_test(rules, a);
	snapshot_free(&before);
	snapshot_free(&after);
}

/* Lines of their own, as --require gives them. */
static void add_lines(struct gate_rules *rules, struct slice text)
{
	struct cut c = slice_cut_line(text);

	for (int i = 0; i < LINES_MAX && (c.head.n || c.ok); i++, c = slice_cut_line(c.tail)) {
		struct err e = { 0 };
		struct rule r;

		if (rule_parse(c.head, &r, &e))
			fuzz_error(&e);
		else
			gate_rules_add(rules, r);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_text(data, size);
	struct gate_rules rules = { 0 };
	struct arena a = { 0 };
	struct err e = { 0 };

	if (budget_read(text, &a, &rules, &e)) {
		fuzz_error(&e);
		if (rules.n)
			looks_bad("rules of a budget that is none", text, 0);
		add_lines(&rules, text);
	} else {
		looks_schema(text); /* what the reader takes, an editor with the schema takes */
	}
	if (rules.n && rules.n <= 32)
		judge_rules(&rules, &a);
	gate_rules_free(&rules);
	arena_free(&a);
	return 0;
}
