/* SPDX-License-Identifier: MIT */
#include "parse/perf_lines.h"

#include "base/num.h"
#include "parse/perf_mail.h"

static bool is_dirty(char c)
{
	return c == '\x1b' || c == '\0' || c == '\r';
}

/* Length of an escape sequence ESC [ … letter at the front, or 0. */
static size_t escape_length(struct slice s)
{
	size_t n = 2;

	if (s.n < 3 || s.p[0] != '\x1b' || s.p[1] != '[')
		return 0;
	while (n < s.n && (unsigned char)s.p[n] >= 0x20 && (unsigned char)s.p[n] < 0x40)
		n++;
	return n < s.n ? n + 1 : 0;
}

static struct slice without_escapes(struct slice line, struct arena *a)
{
	char *p = arena_alloc(a, line.n);
	size_t n = 0;

	while (line.n) {
		size_t skip = escape_length(line);

		if (!skip && !is_dirty(*line.p))
			p[n++] = *line.p;
		line = slice_skip(line, skip ? skip : 1);
	}
	return slice_of(p, n);
}

struct slice perf_line_clean(struct slice line, unsigned long number, struct perf_builder *b)
{
	bool dirty = false, nul = false, tab = false;
	struct slice s = line;

	if (s.n && s.p[s.n - 1] == '\r') {
		perf_build_note(b, NOTE_CRLF, number, line);
		s.n--;
	}
	for (size_t i = 0; i < s.n; i++) {
		dirty |= is_dirty(s.p[i]);
		nul |= s.p[i] == '\0';
		tab |= s.p[i] == '\t';
	}
	if (nul)
		perf_build_note(b, NOTE_NUL, number, line);
	if (tab && b->doc->form == PERF_TEXT)
		perf_build_note(b, NOTE_TABS, number, line);
	if (dirty)
		s = without_escapes(s, b->a);
	struct slice plain = perf_unquote(s);
	if (plain.p != s.p)
		perf_build_note(b, NOTE_QUOTED, number, line);
	return plain;
}

void perf_lines_end(struct slice text, unsigned long number, struct perf_builder *b)
{
	if (text.n && text.p[text.n - 1] != '\n')
		perf_build_note(b, NOTE_NO_FINAL_NEWLINE, number, slice_of(text.p + text.n, 0));
}

static void add_line(struct perf_lines *l, struct slice s, unsigned long number)
{
	l->at = mem_grow(l->at, &l->cap, l->n + 1, sizeof(*l->at));
	l->at[l->n++] = (struct perf_line){ s, number };
}

/* A line of the input, or the lines that were one before they were encoded for mail. */
static struct slice take_line(struct slice *rest, bool encoded, unsigned long *number,
			      struct arena *a)
{
	if (encoded)
		return perf_decode_line(rest, number, a);
	struct cut c = slice_cut_line(*rest);
	*rest = c.tail;
	++*number;
	return c.head;
}

/* The line, or the lines it was before it was flattened. */
static void add_lines(struct perf_lines *l, struct slice s, unsigned long number,
		      struct perf_builder *b)
{
	struct slice flat = perf_unflatten(s, b->a);

	if (!flat.n) {
		add_line(l, s, number);
		return;
	}
	perf_build_note(b, NOTE_WRAPPED, number, s);
	while (flat.n) {
		struct cut c = slice_cut_line(flat);

		add_line(l, c.head, number);
		flat = c.tail;
	}
}

void perf_lines_read(struct slice text, struct perf_builder *b, struct perf_lines *ret)
{
	bool encoded = perf_is_encoded(text), html = perf_is_html(text);
	unsigned long number = 0;

	*ret = (struct perf_lines){ 0 };
	if (slice_starts(text, SLICE("\xef\xbb\xbf")))
		text = slice_skip(text, 3);
	for (struct slice rest = text; rest.n;) {
		unsigned long first = number + 1;
		struct slice s = take_line(&rest, encoded, &number, b->a);

		s = perf_line_clean(s, first, b);
		if (html || perf_header_start(s) < 0) /* a target stays as it is */
			s = perf_plain_text(s, html, b->a);
		add_lines(ret, s, first, b);
	}
	perf_lines_end(text, number, b);
}

void perf_lines_free(struct perf_lines *l)
{
	mem_free(l->at);
	*l = (struct perf_lines){ 0 };
}

/* ---- the header ---- */

ptrdiff_t perf_header_start(struct slice line)
{
	ptrdiff_t at = slice_find(line, PERF_HEADER);

	return at < 0 ? -1 : at + (ptrdiff_t)PERF_HEADER.n;
}

/* ":" or " (N runs):" at the front: its length, or 0. */
static size_t colon_length(struct slice s, int64_t *runs)
{
	struct slice rest = s;
	uint64_t n = 1;

	if (slice_starts(rest, SLICE(" ("))) {
		rest = slice_skip(rest, 2);
		if (num_take_u64(&rest, &n) != NUM_OK || n == 0 || n > INT32_MAX ||
		    !slice_starts(rest, SLICE(" runs)")))
			return 0;
		rest = slice_skip(rest, 6);
	}
	if (!rest.n || *rest.p != ':' || (rest.n > 1 && !is_blank(rest.p[1])))
		return 0;
	*runs = (int64_t)n;
	return s.n - rest.n + 1;
}

/* A quote inside of the command is not escaped: on a line of its own the last one closes it. */
ptrdiff_t perf_header_end(struct slice s, int64_t *ret_runs, size_t *ret_end)
{
	ptrdiff_t found = -1;
	size_t all = slice_rtrim(s).n;

	for (size_t i = 0; i < s.n; i++) {
		int64_t runs;
		size_t n = s.p[i] == '\'' ? colon_length(slice_skip(s, i + 1), &runs) : 0;

		if (!n || (found >= 0 && i + 1 + n != all))
			continue;
		found = (ptrdiff_t)i;
		*ret_runs = runs;
		*ret_end = i + 1 + n;
	}
	return found;
}
