/* SPDX-License-Identifier: MIT */
#include "cmd/help.h"

#include <string.h>

#include "report/style.h"
#include "report/wrap.h"

enum { HELP_WIDTH = 80, HELP_COLUMN = 25 };

/* Words of `text` from column `at` on, wrapped with `indent` blanks. */
static void wrap(struct out *o, struct slice text, int at, int indent)
{
	struct wrap w;

	wrap_start(&w, o, HELP_WIDTH, at, indent);
	wrap_words(&w, text);
	wrap_end(&w);
}

static void paragraphs(struct out *o, const char *text, int indent)
{
	struct slice rest = slice_str(text);

	while (rest.n) {
		ptrdiff_t gap = slice_find(rest, SLICE("\n\n"));
		struct slice one = gap < 0 ? rest : slice_first(rest, (size_t)gap);

		out_pad(o, ' ', indent);
		wrap(o, one, indent, indent);
		rest = gap < 0 ? slice_of(NULL, 0) : slice_skip(rest, (size_t)gap + 2);
		out_str(o, rest.n ? "\n" : "");
	}
}

/* "-f, --format FORMAT", without the indent. */
static void help_option_head(struct out *o, const struct opt *row)
{
	if (row->letter)
		out_printf(o, "-%c, ", row->letter);
	else
		out_str(o, "    ");
	out_printf(o, "--%s", row->name);
	if (row->metavar)
		out_printf(o, " %s", row->metavar);
}

/* The sentence with choices or limits: "Form of the output: text, json or csv". */
static void help_option_text(struct out *o, const struct opt *row)
{
	out_str(o, row->help);
	for (const struct opt_choice *c = row->choices; c && c->name; c++) {
		const char *before = c == row->choices ? ": " : c[1].name ? ", " : " or ";

		out_printf(o, "%s%s", before, c->name);
	}
}

static void option(struct out *o, const struct opt *row)
{
	struct out text, head;

	out_memory(&text);
	out_memory(&head);
	help_option_head(&head, row);
	help_option_text(&text, row);
	out_str(o, "  ");
	out_put(o, out_slice(&head));
	int at = 2 + (int)out_slice(&head).n;
	if (at + 2 > HELP_COLUMN) {
		out_byte(o, '\n');
		at = 0;
	}
	out_pad(o, ' ', HELP_COLUMN - at);
	wrap(o, out_slice(&text), HELP_COLUMN, HELP_COLUMN);
	out_close(&text);
	out_close(&head);
}

static void group(struct out *o, const struct opt_set *set, enum opt_group g)
{
	const struct opt *row;
	bool any = false;

	for (size_t i = 0; (row = opt_row(set, i)); i++) {
		if (row->group != g)
			continue;
		if (!any)
			out_printf(o, "\n%s:\n", opt_group_titles[g]);
		any = true;
		option(o, row);
	}
}

static void examples(struct out *o, const struct example *x)
{
	out_str(o, "\nExamples:\n");
	for (; x->line; x++) {
		out_printf(o, "  %s\n", x->line);
		out_pad(o, ' ', 6);
		wrap(o, slice_str(x->says), 6, 6);
	}
}

/* The words of the text report beside the keys of JSON. */
static void fates(struct out *o)
{
	out_str(o, "\nWhere resident memory goes, in text and in JSON (vmas[].thp, waterfall):\n");
	for (enum fate f = 0; f < FATE_COUNT; f++) {
		const struct fate_row *row = &fate_rows[f];

		out_printf(o, "  %c  %-14s %-18s ", row->glyph, row->name, row->json_key);
		wrap(o, slice_str(row->meaning), 39, 39);
	}
}

void help_command(struct out *o, const struct command *c)
{
	const struct command_text *t = &command_texts[c->id];
	struct opt_set set = option_set(c->id);

	for (size_t i = 0; i < sizeof(t->usage) / sizeof(t->usage[0]) && t->usage[i]; i++)
		out_printf(o, "%s hugecov %s %s\n", i ? "      " : "Usage:", c->name, t->usage[i]);
	out_byte(o, '\n');
	paragraphs(o, t->about, 0);
	for (enum opt_group g = 0; g < GROUP_COUNT; g++)
		group(o, &set, g);
	if (t->fates)
		fates(o);
	examples(o, t->examples);
	out_str(o, "\nExit status: ");
	wrap(o, slice_str(t->exit), 13, 2);
}

void help_main(struct out *o)
{
	out_str(o, "Usage: hugecov COMMAND [OPTIONS] ARGUMENTS\n\n"
		   "Huge-page coverage for Linux memory, as code coverage is for tests.\n\n"
		   "Commands:\n");
	for (const struct command *c = commands; c->name; c++)
		out_printf(o, "  %-10s %s\n", c->name, command_texts[c->id].summary);
	out_str(o, "\n"
		   "  hugecov COMMAND --help   its options, with examples\n"
		   "  hugecov --version        the version\n"
		   "  man hugecov              all of it\n\n"
		   "A first look:  hugecov report self\n");
}
