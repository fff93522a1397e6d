/* SPDX-License-Identifier: MIT */
/* The man page: man/hugecov.1.in, with lines "@WORD@" replaced by what the tables say. */
#include "tools/gendocs.h"

#include <string.h>

#include "report/style.h"

/* Running text: each sentence's dashes and backslashes as roff wants them. */
static void text(struct out *o, const char *s)
{
	bool start = true;

	for (; *s; s++) {
		if (start && (*s == '.' || *s == '\''))
			out_str(o, "\\&");
		start = *s == '\n';
		if (*s == '\\')
			out_str(o, "\\e");
		else if (*s == '-' && (s[1] == '-' || s[-1] == '-' || s[-1] == ' '))
			out_str(o, "\\-");
		else
			out_byte(o, *s);
	}
}

/* A sentence a line, as mdoc wants it; an empty line is a paragraph. */
static void prose(struct out *o, const char *s)
{
	char one[1000];

	while (*s) {
		const char *stop = strstr(s, ". "), *gap = strstr(s, "\n\n");
		const char *end = s + strlen(s);

		if (gap && (!stop || gap < stop))
			end = gap;
		else if (stop)
			end = stop + 1;
		slice_cstr(slice_of(s, (size_t)(end - s)), one, sizeof(one));
		text(o, one);
		out_byte(o, '\n');
		if (end == gap)
			out_str(o, ".Pp\n");
		s = end + (end == gap ? 2 : *end != '\0');
	}
}

static void choices(struct out *o, const struct opt *row)
{
	out_str(o, ".Bl -tag -width Ds -compact\n");
	for (const struct opt_choice *c = row->choices; c->name; c++) {
		out_printf(o, ".It Cm %s\n", c->name);
		text(o, c->help);
		out_byte(o, '\n');
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
	text(o, row->help);
	out_str(o, row->choices ? ":\n" : ".\n");
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
			out_printf(o, ".Nm\n.Cm %s\n.Li \"", c->name);
			text(o, command_texts[c->id].usage[i]);
			out_str(o, "\"\n");
		}
}

static void all_commands(struct out *o)
{
	for (const struct command *c = commands; c->name; c++) {
		struct opt_set set = option_set(c->id);

		out_printf(o, ".Ss hugecov %s\n", c->name);
		prose(o, command_texts[c->id].about);
		table(o, &set.tables[0]);
		out_str(o, ".Pp\nExit status:\n");
		text(o, command_texts[c->id].exit);
		out_byte(o, '\n');
	}
}

/* " (report, diff and check)" for a row that not every command has. */
static void whose(struct out *o, const struct opt *row)
{
	const char *names[COMMAND_IDS];
	size_t n = 0, all = 0;

	for (const struct command *c = commands; c->name; c++, all++)
		if (!row->commands || row->commands & 1u << c->id)
			names[n++] = c->name;
	if (n == all)
		return;
	out_str(o, "For\n");
	for (size_t i = 0; i < n; i++)
		out_printf(o, ".Cm %s%s", names[i],
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
			text(o, x->says);
			out_str(o, "\n.Pp\n.Dl \"");
			text(o, x->line);
			out_str(o, "\"\n.Pp\n");
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
