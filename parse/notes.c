/* SPDX-License-Identifier: MIT */
#include "parse/notes.h"

#include "parse/smaps_line.h"

static const char *find(struct slice line, const char *const *what, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ptrdiff_t at = slice_find(line, slice_str(what[i]));

		if (at >= 0)
			return line.p + at;
	}
	return NULL;
}

/* The first comma between two digits. */
static const char *decimal_comma(struct slice line)
{
	for (size_t i = 1; i + 1 < line.n; i++)
		if (line.p[i] == ',' && is_digit(line.p[i - 1]) && is_digit(line.p[i + 1]))
			return line.p + i;
	return NULL;
}

/* Where a line departs from what was written; its first word when nothing tells. */
static const char *place(enum note n, struct slice line)
{
	static const char *const elisions[] = { "..", "\xe2\x80\xa6", "snip", "[cut" };
	static const char *const quotes[] = { ">", "&gt;" };
	struct slice text = line;
	const char *at = NULL;

	line_unquote(&text);
	if (n == NOTE_ELIDED)
		at = find(line, elisions, sizeof(elisions) / sizeof(*elisions));
	else if (n == NOTE_QUOTED)
		at = find(line, quotes, sizeof(quotes) / sizeof(*quotes));
	else if (line.n && n == NOTE_TABS)
		at = memchr(line.p, '\t', line.n);
	else if (line.n && n == NOTE_NUL)
		at = memchr(line.p, '\0', line.n);
	else if (n == NOTE_CRLF && line.n && line.p[line.n - 1] == '\r')
		at = line.p + line.n - 1;
	else if (n == NOTE_NO_FINAL_NEWLINE)
		at = line.p + line.n;
	else if (line.n && n == NOTE_DECIMAL_COMMA)
		at = decimal_comma(line);
	else if (n == NOTE_INDENTED)
		at = line.p;
	return at ? at : text.p;
}

int notes_refuse(const struct source_info *s, struct slice text, struct err *e)
{
	struct cut c = slice_cut_line(text);

	if (!s->note_line)
		return 0;
	for (unsigned long i = 1; i < s->note_line && c.ok; i++)
		c = slice_cut_line(c.tail);
	return err_at(e, s->note_line, c.head, place(s->note, c.head), "%s (--strict)", note_words[s->note]);
}
