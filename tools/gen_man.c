/* SPDX-License-Identifier: MIT */
/* The man page: man/hugecov.1.in, with lines "@WORD@" replaced by what the tables say. */
#include "tools/gendocs.h"

#include <string.h>

#include "report/style.h"

enum { LINE = 78 }; /* mandoc -Tlint wants lines of the source below 80 */

/* One word as roff wants it: dashes that are ones, no backslash, no dot where a line starts. */
static void word(struct out *o, struct slice w, bool starts_line)
{
	if (starts_line && w.n && (*w.p == '.' || *w.p == '\''))
		out_str(o, "\\&");
	for (size_t i = 0; i < w.n; i++) {
		bool dash = w.p[i] == '-' && (i == 0 || w.p[i - 1] == '-' || !is_alpha(w.p[i - 1]));

		if (w.p[i] == '\\')
			out_str(o, "\\e");
		else
			out_printf(o, dash ? "\\%c" : "%c", w.p[i]);
	}
}

/* A sentence ends here: the next one starts a line, as mdoc wants it. */
static bool ends_sentence(struct slice w)
{
	return w.n > 1 && strchr(".?!", w.p[w.n - 1]) && w.p[w.n - 2] != '.';
}

static void paragraph(struct out *o, struct slice s, const char *end)
{
	int at = 0;

	for (struct cut c = slice_cut_word(s); c.head.n; c = slice_cut_word(c.tail)) {
		if (at && at + 1 + (int)c.head.n > LINE) {
			out_byte(o, '\n');
			at = 0;
		} else if (at) {
			out_byte(o, ' ');
			at++;
		}
		word(o, c.head, at == 0);
		at += (int)c.head.n;
		if (ends_sentence(c.head) && slice_ltrim(c.tail).n) {
			out_byte(o, '\n');
			at = 0;
		}
	}
	out_printf(o, "%s\n", end);
}

/* Running text; an empty line is a paragraph. `end` closes the last sentence. */
static void prose(struct out *o, const char *text, const char *end)
{
	struct slice rest = slice_str(text);
	ptrdiff_t gap;

	while ((gap = slice_find(rest, SLICE("\n\n"))) >= 0) {
		paragraph(o, slice_first(rest, (size_t)gap), "");
		out_str(o, ".Pp\n");
		rest = slice_skip(rest, (size_t)gap + 2);
	}
	paragraph(o, rest, end);
}

/* A line to be typed, as the argument of a macro. */
static void literal(struct out *o, const char *line)
{
	out_byte(o, '"');
	for (; *line; line++)
		out_str(o, *line == '"' ? "\\(dq" : *line == '-' ? "\\-" : *line == '\\' ? "\\e" :
			(char[]){ *line, '\0' });
	out_str(o, "\"\n");
}

static void choices(struct out *o, const struct opt *row)
{
	out_str(o, ".Bl -tag -width markdown -compact\n");
	for (const struct opt_choice *c = row->choices; c->name; c++) {
		out_printf(o, ".It Cm %s\n", c->name);
		prose(o, c->help, "");
	}
	out_str(o, ".El\n");
}

static void option(struct out *o, const struct opt *row)
{
	out_str(o, ".It ");
	if (row->letter)
		out_printf(o, "Fl %c , ", row->letter);
	out_printf(o, "Fl -%s", row->name);
	if (row->metavar)
		out_printf(o, " Ar %s", row->metavar);
	out_byte(o, '\n');
	prose(o, row->help, row->choices ? ":" : ".");
	if (row->choices)
		choices(o, row);
}

static void table(struct out *o, const struct opt_table *t)
{
	out_str(o, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < t->n; i++)
		option(o, &t->at[i]);
	out_str(o, ".El\n");
}

static void synopsis(struct out *o)
{
	for (const struct command *c = commands; c->name; c++)
		for (size_t i = 0; i < 4 && command_texts[c->id].usage[i]; i++) {
			out_printf(o, ".Nm\n.Cm %s\n.Li ", c->name);
			literal(o, command_texts[c->id].usage[i]);
		}
}

static void all_commands(struct out *o)
{
	for (const struct command *c = commands; c->name; c++) {
		struct opt_set set = option_set(c->id);

		out_printf(o, ".Ss hugecov %s\n", c->name);
		prose(o, command_texts[c->id].about, "");
		table(o, &set.tables[0]);
		out_str(o, ".Pp\nExit status:\n");
		prose(o, command_texts[c->id].exit, "");
	}
}

/* "Not for watch and snap." for a row that not every command has. */
static void whose(struct out *o, const struct opt *row)
{
	const char *names[COMMAND_IDS];
	size_t n = 0;

	for (const struct command *c = commands; c->name; c++)
		if (row->commands && !(row->commands & 1u << c->id))
			names[n++] = c->name;
	for (size_t i = 0; i < n; i++)
		out_printf(o, "%s.Cm %s%s", i ? "" : "Not for\n", names[i],
			   i + 1 == n ? " .\n" : i + 2 == n ? "\nand\n" : " ,\n");
}

static void common_options(struct out *o)
{
	struct opt_set set = option_set(commands[0].id);
	const struct opt_table *t = &set.tables[1];

	for (enum opt_group g = GROUP_SELECT; g < GROUP_COUNT; g++) {
		out_printf(o, ".Ss %s\n.Bl -tag -width Ds\n", opt_group_titles[g]);
		for (size_t i = 0; i < t->n; i++)
			if (t->at[i].group == g) {
				option(o, &t->at[i]);
				whose(o, &t->at[i]);
			}
		out_str(o, ".El\n");
	}
}

static void words(struct out *o)
{
	out_str(o, ".Bl -tag -width Ds\n");
	for (enum fate f = 0; f < FATE_COUNT; f++) {
		out_printf(o, ".It Sy \\&%c %s Pq Va %s\n%s.\n", fate_rows[f].glyph,
			   fate_rows[f].name, fate_rows[f].json_key, fate_rows[f].meaning);
	}
	out_str(o, ".El\n");
}

static void examples(struct out *o)
{
	for (const struct command *c = commands; c->name; c++)
		for (const struct example *x = command_texts[c->id].examples; x->line; x++) {
			if (c != commands || x != command_texts[c->id].examples)
				out_str(o, ".Pp\n");
			prose(o, x->says, "");
			out_str(o, ".Pp\n.Dl ");
			literal(o, x->line);
		}
}

static const struct {
	const char *mark;
	void (*write)(struct out *);
} marks[] = {
	{ "@SYNOPSIS@", synopsis }, { "@COMMANDS@", all_commands },
	{ "@OPTIONS@", common_options }, { "@WORDS@", words }, { "@EXAMPLES@", examples },
};

void gen_man(struct out *o, struct slice template)
{
	for (struct cut c = { .tail = template, .ok = true }; c.ok && c.tail.n;) {
		bool done = false;

		c = slice_cut_line(c.tail);
		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
			if (slice_eq_str(c.head, marks[i].mark)) {
				marks[i].write(o);
				done = true;
			}
		if (!done) {
			out_put(o, c.head);
			out_byte(o, '\n');
		}
	}
}
