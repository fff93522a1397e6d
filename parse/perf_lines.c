/* SPDX-License-Identifier: MIT */
#include "parse/perf_lines.h"

#include "base/num.h"

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

/* "> > ": at any depth, tight or loose. */
static struct slice without_quotes(struct slice line)
{
	struct slice s = slice_ltrim(line);

	if (!s.n || *s.p != '>')
		return line;
	while (s.n && *s.p == '>') {
		s = slice_skip(s, 1);
		if (s.n > 1 && *s.p == ' ' && s.p[1] == '>')
			s = slice_skip(s, 1);
	}
	return s;
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
	struct slice plain = without_quotes(s);
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

void perf_lines_read(struct slice text, struct perf_builder *b, struct perf_lines *ret)
{
	unsigned long number = 0;

	*ret = (struct perf_lines){ 0 };
	if (slice_starts(text, SLICE("\xef\xbb\xbf")))
		text = slice_skip(text, 3);
	for (struct slice rest = text; rest.n;) {
		struct cut c = slice_cut_line(rest);
		struct slice s = perf_line_clean(c.head, ++number, b),
			     flat = perf_unflatten(s, b->a);

		rest = c.tail;
		if (!flat.n) {
			add_line(ret, s, number);
			continue;
		}
		perf_build_note(b, NOTE_WRAPPED, number, s);
		for (; flat.n; flat = c.tail) {
			c = slice_cut_line(flat);
			add_line(ret, c.head, number);
		}
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
	struct slice words = SLICE("Performance counter stats for ");
	ptrdiff_t at = slice_find(line, words);

	return at < 0 ? -1 : at + (ptrdiff_t)words.n;
}

/* ":" or " (N runs):" at the front: its length, or 0. */
static size_t colon_length(struct slice s, int64_t *runs)
{
	struct slice rest = s;
	uint64_t n = 1;

	if (slice_starts(rest, SLICE(" ("))) {
		rest = slice_skip(rest, 2);
		if (num_take_u64(&rest, &n) != NUM_OK || n > INT32_MAX ||
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

	for (size_t i = 0; i < s.n; i++) {
		size_t n = s.p[i] == '\'' ? colon_length(slice_skip(s, i + 1), ret_runs) : 0;

		if (!n)
			continue;
		if (found >= 0 && i + 1 + n != slice_rtrim(s).n)
			continue;
		found = (ptrdiff_t)i;
		*ret_end = i + 1 + n;
	}
	return found;
}
