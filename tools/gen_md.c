/* SPDX-License-Identifier: MIT */
/* docs/fields.md, docs/findings.md and the commands in README.md, as the tables say. */
#include "tools/gendocs.h"

#include "model/findings.h"

/* A cell of a Markdown table. */
static void cell(struct out *o, const char *text)
{
	out_str(o, " ");
	for (; *text; text++) {
		if (*text == '|' || *text == '<' || *text == '*' || *text == '_')
			out_byte(o, '\\');
		out_byte(o, *text);
	}
	out_str(o, " |");
}

static void row(struct out *o, const char *code, const char *a, const char *b, const char *c)
{
	out_printf(o, "| `%s` |", code);
	cell(o, a);
	if (b)
		cell(o, b);
	if (c)
		cell(o, c);
	out_byte(o, '\n');
}

void gen_fields(struct out *o)
{
	out_str(o, "# Fields, flags and notes\n\n"
		   "Made from the tables of the parser by `make docs`. JSON keeps the "
		   "kernel's names (`vmas[].smaps`, `vmas[].flags`). A field that a kernel "
		   "does not print is absent, not 0. Fields and flags that are not listed "
		   "here are kept, and counted (`source.notes.unknown`).\n\n"
		   "| field | since Linux | unit | meaning |\n|---|---|---|---|\n");
#define KB "kB"
#define NONE "-"
#define SMAPS_FIELD(name, since, unit, meaning) row(o, #name, since, unit, meaning);
#include "parse/smaps_fields.def"
#undef SMAPS_FIELD
#undef KB
#undef NONE
	out_str(o, "\n## VmFlags\n\n| flag | since Linux | meaning |\n|---|---|---|\n");
#define VM_FLAG(code, since, meaning) row(o, #code, since, meaning, NULL);
#include "parse/vm_flags.def"
#undef VM_FLAG
	out_str(o, "\n## What is forgiven\n\nPeople paste, and transports break lines. What was read in spite "
		   "of it is counted under these names (`source.notes`), told in text, and refused with its place by "
		   "`--strict`, but for `unknown`. `torn` (of unequal ranges), `oversize` and `damaged` also set "
		   "`complete` to false.\n\n"
		   "| note | meaning |\n|---|---|\n");
	for (enum note n = 0; n < NOTE_COUNT; n++)
		row(o, note_names[n], note_words[n], NULL, NULL);
}

static void item(struct out *o, const char *what, const char *text)
{
	out_printf(o, "- *%s*: %s\n", what, text);
}

void gen_findings(struct out *o)
{
	out_str(o, "# Findings\n\nMade from the table of rules by `make docs`. *By cost* "
		   "means: high when the loss is a huge page or more and at least half of "
		   "what is resident, medium when it is a huge page or more, low when "
		   "slots or less than a huge page are lost, info when nothing is. Of two "
		   "findings that name one loss of a mapping the later one has `same_as`, "
		   "the id of the earlier.\n\n*Nature* says whether another run finds the "
		   "same: *layout* (sizes, advice, policy) does; *placement* depends on "
		   "addresses, which are chance where a length is no multiple of the huge "
		   "page size; *delivery* is what the kernel happened to do.\n");
	for (enum finding_id i = 0; i < FINDING_IDS; i++) {
		const struct finding_rule *r = &finding_rules[i];

		out_printf(o, "\n## `%s`\n\n", r->id);
		item(o, "When", r->when);
		item(o, "Severity", r->severity);
		item(o, "Certainty", r->certainty);
		item(o, "Nature", r->nature);
		item(o, "`lost_kb`", r->lost);
		item(o, "What to change", r->advice);
	}
}

/* The first form of a command's call, without the word [OPTIONS]. */
static void command_row(struct out *o, const struct command *c)
{
	struct slice usage = slice_str(command_texts[c->id].usage[0]);

	if (slice_starts(usage, SLICE("[OPTIONS] ")))
		usage = slice_skip(usage, strlen("[OPTIONS] "));
	out_printf(o, "| `hugecov %s %.*s` |", c->name, SLICE_FMT(usage));
	cell(o, command_texts[c->id].summary);
	out_byte(o, '\n');
}

void gen_readme(struct out *o, struct slice readme)
{
	bool inside = false;

	for (struct cut c = { .tail = readme, .ok = true }; c.ok && c.tail.n;) {
		c = slice_cut_line(c.tail);
		inside &= !slice_starts(c.head, SLICE("<!-- /commands"));
		if (inside)
			continue;
		out_put(o, c.head);
		out_byte(o, '\n');
		if (!slice_starts(c.head, SLICE("<!-- commands")))
			continue;
		inside = true;
		out_str(o, "| | |\n|---|---|\n");
		for (const struct command *k = commands; k->name; k++)
			command_row(o, k);
	}
}
