/* SPDX-License-Identifier: MIT */
#include "parse/perf_mail.h"

#include "base/out.h"

/* ---- quoting ---- */

struct slice perf_unquote(struct slice line)
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

/* ---- quoted-printable ---- */

enum { SOFT_MIN = 60, SOFT_MAX = 90 }; /* 76, and quote marks */

static bool ends_softly(struct slice line)
{
	line = slice_rtrim(line);
	return line.n > 1 && line.p[line.n - 1] == '=' && line.p[line.n - 2] != '=';
}

bool perf_is_encoded(struct slice text)
{
	size_t breaks = 0;

	for (struct slice rest = text; rest.n && breaks < 2;) {
		struct cut c = slice_cut_line(rest);

		rest = c.tail;
		breaks += c.head.n >= SOFT_MIN && c.head.n <= SOFT_MAX && ends_softly(c.head);
	}
	return breaks >= 2;
}

static void decode(struct out *o, struct slice from)
{
	for (size_t i = 0; i < from.n; i++) {
		bool escape = from.p[i] == '=' && i + 2 < from.n && is_upper_hex(from.p[i + 1]) &&
			      is_upper_hex(from.p[i + 2]);

		out_byte(o, escape ? hex_byte(from.p + i + 1) : from.p[i]);
		i += escape ? 2 : 0;
	}
}

/* A quoted copy has its quote marks, and the blank behind them, behind each break too. */
static struct slice behind_quotes(struct slice line)
{
	struct slice s = perf_unquote(line);

	return s.p != line.p && s.n && *s.p == ' ' ? slice_skip(s, 1) : s;
}

struct slice perf_decode_line(struct slice *rest, unsigned long *lines, struct arena *a)
{
	struct out o;
	bool soft = true;

	out_memory(&o);
	for (bool first = true; soft && rest->n; first = false) {
		struct cut c = slice_cut_line(*rest);
		struct slice part = first ? c.head : behind_quotes(c.head);

		soft = ends_softly(part);
		if (soft)
			part = slice_first(part, slice_rtrim(part).n - 1);
		decode(&o, part);
		*rest = c.tail;
		++*lines;
	}
	struct slice line = arena_copy(a, out_slice(&o));
	out_close(&o);
	return line;
}

/* ---- characters ---- */

/* Blanks that are none in ASCII, and HTML's spellings, in which blanks are never separators. */
static const struct spelling {
	struct slice from;
	const char *to;
} blanks[] = {
	{ SLICE("\xc2\xa0"), " " },
	{ SLICE("\xe2\x80\xaf"), " " },
	{ SLICE("\xe2\x80\x89"), " " },
}, entities[] = {
	{ SLICE("&lt;"), "<" },	   { SLICE("&gt;"), ">" },   { SLICE("&amp;"), "&" },
	{ SLICE("&quot;"), "\"" }, { SLICE("&#39;"), "'" },  { SLICE("&apos;"), "'" },
	{ SLICE("&#x27;"), "'" },  { SLICE("&nbsp;"), " " }, { SLICE("&#160;"), " " },
	{ SLICE("&plusmn;"), "+-" },
};

bool perf_is_html(struct slice text)
{
	return slice_has(text, SLICE("&lt;not ")) || slice_has(text, SLICE("&nbsp;")) ||
	       slice_has(text, SLICE("&#160;")) || slice_has(text, SLICE("&plusmn;"));
}

static bool may_be_odd(struct slice line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] == '&' || (unsigned char)line.p[i] >= 0x80)
			return true;
	return false;
}

static const struct spelling *find(struct slice rest, const struct spelling *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_starts(rest, list[i].from))
			return &list[i];
	return NULL;
}

/* Between digits such a blank separates thousands. */
static bool is_separator(struct slice line, size_t i, const struct spelling *blank)
{
	size_t end = i + blank->from.n;

	return i > 0 && is_digit(line.p[i - 1]) && end < line.n && is_digit(line.p[end]);
}

struct slice perf_plain_text(struct slice line, bool html, struct arena *a)
{
	struct out o;

	if (!may_be_odd(line))
		return line;
	out_memory(&o);
	for (size_t i = 0; i < line.n;) {
		struct slice rest = slice_skip(line, i);
		const struct spelling *s = find(rest, blanks, sizeof(blanks) / sizeof(*blanks));

		if (s && is_separator(line, i, s))
			s = NULL;
		if (!s && html)
			s = find(rest, entities, sizeof(entities) / sizeof(*entities));
		out_str(&o, s ? s->to : "");
		if (!s)
			out_byte(&o, line.p[i]);
		i += s ? s->from.n : 1;
	}
	struct slice ret = arena_copy(a, out_slice(&o));
	out_close(&o);
	return ret;
}
