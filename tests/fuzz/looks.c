/* SPDX-License-Identifier: MIT */
#include "looks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

_Noreturn void looks_bad(const char *what, struct slice text, size_t at)
{
	size_t from = at > 200 ? at - 200 : 0;

	printf("%s at byte %zu of:\n", what, at);
	for (size_t i = from; i < text.n && i < at + 100; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == '\n' || (c >= 0x20 && c < 0x7f))
			putchar(c);
		else
			printf("<%02x>", c);
	}
	putchar('\n');
	fflush(stdout);
	abort();
}

/* ---- characters: not by base/utf8.h, which is what is tested ---- */

/* Length of the character at i, 0 when it is none; its code point to *ret. */
static size_t character(struct slice s, size_t i, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = (unsigned char)s.p[i];
	size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
	uint32_t v = n == 1 ? c : n == 2 ? c & 0x1fu : n == 3 ? c & 0x0fu : c & 0x07u;

	if (!n || i + n > s.n)
		return 0;
	for (size_t k = 1; k < n; k++) {
		if (((unsigned char)s.p[i + k] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | ((unsigned char)s.p[i + k] & 0x3f);
	}
	*ret = v;
	return v < least[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000) ? 0 : n;
}

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* Characters that change the order of a line or break it. */
static bool reorders(uint32_t c)
{
	return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
}

static void characters(struct slice text, bool may_reorder)
{
	uint32_t c = 0;

	for (size_t i = 0, n; i < text.n; i += n) {
		n = character(text, i, &c);
		if (!n)
			looks_bad("no UTF-8", text, i);
		if (is_control(c) && c != '\n')
			looks_bad("a control character", text, i);
		if (!may_reorder && reorders(c))
			looks_bad("a character that reorders", text, i);
	}
}

void looks_text(struct slice text)
{
	characters(text, false);
	if (text.n && text.p[text.n - 1] != '\n')
		looks_bad("no newline at its end", text, text.n);
}

static bool may_show(int32_t c)
{
	return !c || (!is_control((uint32_t)c) && !reorders((uint32_t)c) && c <= 0x10ffff);
}

void looks_grid(const struct grid *g)
{
	for (int i = 0; i < g->rows * g->cols; i++) {
		const struct cell *c = &g->at[i];

		if (!may_show(c->ch) || !may_show(c->mark[0]) || !may_show(c->mark[1]))
			looks_bad("a character on the screen that may do more", slice_of("", 0), (size_t)i);
	}
}

/* ---- CSV ---- */

static size_t digits(struct slice s, size_t i, const char *also)
{
	while (i < s.n && (is_digit(s.p[i]) || strchr(also, s.p[i])))
		i++;
	return i;
}

/* A number with its sign is none: -12.5e-3% */
static bool is_formula(struct slice cell)
{
	if (!cell.n || !strchr("=+-@\t\r", *cell.p))
		return false;
	size_t i = digits(cell, 1, ".");
	if ((*cell.p != '-' && *cell.p != '+') || i == 1)
		return true;
	if (i < cell.n && cell.p[i] == 'e')
		i = digits(cell, i + 1, "+-");
	i += i < cell.n && cell.p[i] == '%';
	return i != cell.n;
}

/* One cell from i on; returns where it ends: at a comma, a newline or the end. */
static size_t cell(struct slice text, size_t i)
{
	size_t from = i;
	bool quoted = i < text.n && text.p[i] == '"';

	if (quoted) {
		from = ++i;
		while (i < text.n && (text.p[i] != '"' || (i + 1 < text.n && text.p[i + 1] == '"')))
			i += text.p[i] == '"' ? 2 : 1;
		if (i >= text.n)
			looks_bad("a quote that does not end", text, from);
	} else {
		while (i < text.n && text.p[i] != ',' && text.p[i] != '\n') {
			if (text.p[i] == '"')
				looks_bad("a quote inside of a cell", text, i);
			i++;
		}
	}
	if (is_formula(slice_of(text.p + from, i - from)))
		looks_bad("a cell that is a formula", text, from);
	i += quoted;
	if (i < text.n && text.p[i] != ',' && text.p[i] != '\n')
		looks_bad("text behind a quoted cell", text, i);
	return i;
}

/* Rows below one heading have as many cells; an empty line parts two tables. */
void looks_csv(struct slice text)
{
	size_t width = 0, cells = 0, from = 0;

	looks_text(text);
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n' && i == from) {
			width = 0;
			from = i + 1;
			continue;
		}
		i = cell(text, i);
		cells++;
		if (i < text.n && text.p[i] == ',')
			continue;
		if (width && cells != width)
			looks_bad("a row with another number of cells", text, from);
		width = cells;
		cells = 0;
		from = i + 1;
	}
}

/* ---- JSON ---- */

void looks_schema(struct slice text)
{
	struct json_doc d;
	struct err e = { 0 };

	if (json_read(text, 1, &d, &e)) {
		printf("%s, %lu:%lu\n", e.text, e.line, e.column);
		looks_bad("JSON that cannot be read", text, 0);
	}
	const struct schema *s = schema_of(&d, &e);
	if (!s || schema_check(s, &d, d.root, &e)) {
		printf("%s: %s\n", e.file, e.text);
		looks_bad("JSON that does not fit its schema", text, 0);
	}
	json_doc_free(&d);
}

void looks_json(struct slice text)
{
	characters(text, true);
	if (!text.n || text.p[text.n - 1] != '\n')
		looks_bad("no newline at the end of a document", text, text.n);
	looks_schema(text);
}

/* ---- XML ---- */

enum { XML_DEPTH = 16 };

static size_t name_end(struct slice s, size_t i)
{
	while (i < s.n && (is_alpha(s.p[i]) || is_digit(s.p[i]) || strchr("_-.:", s.p[i])))
		i++;
	return i;
}

/* Behind "&": a name that XML knows, or a number. */
static size_t entity(struct slice s, size_t i)
{
	static const char *const known[] = { "amp;", "lt;", "gt;", "quot;", "apos;" };
	struct slice rest = slice_skip(s, i + 1);

	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
		if (slice_starts(rest, slice_str(known[k])))
			return i + 1 + strlen(known[k]);
	if (!slice_starts(rest, SLICE("#")))
		looks_bad("an & that is no entity", s, i);
	for (i += 2; i < s.n && s.p[i] != ';'; i++)
		if (!is_digit(s.p[i]) && !is_alpha(s.p[i]))
			looks_bad("an entity without its end", s, i);
	return i + 1;
}

/* The attributes of a tag; returns the place of its ">". */
static size_t attributes(struct slice s, size_t i)
{
	for (;;) {
		while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\n'))
			i++;
		if (i >= s.n || s.p[i] == '>' || s.p[i] == '/' || s.p[i] == '?')
			return i;
		size_t end = name_end(s, i);
		if (end == i || end + 1 >= s.n || s.p[end] != '=' || s.p[end + 1] != '"')
			looks_bad("an attribute without a value", s, i);
		for (i = end + 2; i < s.n && s.p[i] != '"';) {
			if (s.p[i] == '<')
				looks_bad("a < in an attribute", s, i);
			i = s.p[i] == '&' ? entity(s, i) : i + 1;
		}
		i++;
	}
}

void looks_xml(struct slice s)
{
	struct slice open[XML_DEPTH];
	size_t depth = 0;

	looks_text(s);
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] != '<') {
			if (s.p[i] == '>' && i >= 2 && s.p[i - 1] == ']' && s.p[i - 2] == ']')
				looks_bad("the end of a CDATA section", s, i);
			i = s.p[i] == '&' ? entity(s, i) : i + 1;
			continue;
		}
		bool closes = i + 1 < s.n && s.p[i + 1] == '/', heads = i + 1 < s.n && s.p[i + 1] == '?';
		size_t from = i + 1 + (closes || heads), end = name_end(s, from);
		struct slice name = slice_of(s.p + from, end - from);
		if (!name.n)
			looks_bad("a tag without a name", s, i);
		if (closes && (!depth || !slice_eq(name, open[--depth])))
			looks_bad("a tag that closes another", s, i);
		i = attributes(s, end);
		if (i >= s.n || (s.p[i] != '>' && (i + 1 >= s.n || s.p[i + 1] != '>')))
			looks_bad("a tag without an end", s, from);
		if (s.p[i] == '>' && !closes) {
			if (depth == XML_DEPTH)
				looks_bad("tags nested deeper than ours are", s, i);
			open[depth++] = name;
		}
		i += s.p[i] == '>' ? 1 : 2;
	}
	if (depth)
		looks_bad("a tag that is not closed", s, s.n);
}

/* ---- annotations ---- */

/* "::error title=TEXT::": TEXT has no ":" and no ",". Every line of ours begins so. */
static bool is_command(struct slice line)
{
	static const char *const commands[] = { "::error title=", "::warning title=", "::notice title=" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (slice_starts(line, slice_str(commands[i]))) {
			struct slice title = slice_skip(line, strlen(commands[i]));
			ptrdiff_t end = slice_find(title, SLICE(":"));

			return end >= 0 && slice_starts(slice_skip(title, (size_t)end), SLICE("::")) &&
			       !slice_has(slice_first(title, (size_t)end), SLICE(","));
		}
	return false;
}

void looks_github(struct slice text)
{
	looks_text(text);
	for (struct cut c = slice_cut_line(text); c.head.n || c.ok; c = slice_cut_line(c.tail))
		if (!is_command(c.head))
			looks_bad("a line that is no command of ours", text, (size_t)(c.head.p - text.p));
}

/* ---- Markdown ---- */

static size_t bars(struct slice line)
{
	size_t n = 0;

	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] == '\\')
			i++;
		else
			n += line.p[i] == '|';
	}
	return n;
}

void looks_markdown(struct slice text)
{
	static const char *const never[] = { "<script", "</pre", "<!--" };
	size_t width = 0;

	looks_text(text);
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		ptrdiff_t at = slice_find(text, slice_str(never[i]));

		if (at >= 0)
			looks_bad("markup", text, (size_t)at);
	}
	for (struct cut c = slice_cut_line(text); c.head.n || c.ok; c = slice_cut_line(c.tail)) {
		size_t n = slice_starts(c.head, SLICE("|")) ? bars(c.head) : 0;

		if (n && width && n != width)
			looks_bad("a row with another number of cells", text, (size_t)(c.head.p - text.p));
		width = n;
	}
}
