/* SPDX-License-Identifier: MIT */
#include "parse/lkp_scan.h"

#include "base/out.h"
#include "base/utf8.h"

/* Text under construction; numbers[] holds the input's number of each line. */
struct build {
	struct out o;
	unsigned long *numbers;
	size_t n, cap;
};

static void line_starts(struct build *b, unsigned long number)
{
	b->numbers = mem_grow(b->numbers, &b->cap, b->n + 1, sizeof(*b->numbers));
	b->numbers[b->n++] = number;
}

static void build_free(struct build *b)
{
	out_close(&b->o);
	mem_free(b->numbers);
}

static bool is_quoting(char c)
{
	return c == '>' || is_blank(c);
}

/* Length of "> > " in front of a line; 0 when no '>' is in it. */
static size_t quoting(struct slice line)
{
	size_t n = 0, last = 0;

	for (; n < line.n && is_quoting(line.p[n]); n++)
		if (line.p[n] == '>')
			last = n + 1;
	return last ? n : 0;
}

/* ---- quoted-printable ---- */

/* Bytes of a soft line break at s, "=\n": 0 when it is none. */
static size_t soft_break(struct slice s)
{
	if (s.n >= 2 && s.p[1] == '\n')
		return 2;
	return s.n >= 3 && s.p[1] == '\r' && s.p[2] == '\n' ? 3 : 0;
}

/*
 * Is the text still encoded? "x=10" is no proof, and a row of '=' ends in
 * "=\n" too: only what plain text does not hold counts.
 */
static bool qp_marked(struct slice text)
{
	size_t breaks = 0, length = 0;

	if (slice_has(text, SLICE("=C2=B1")) || slice_has(text, SLICE("=3D=3D")) ||
	    slice_has(text, SLICE("=B1 ")) || slice_has(text, SLICE("=B1\n")))
		return true;
	for (size_t i = 0; i < text.n && breaks < 2; i++, length++) {
		if (text.p[i] == '\n')
			length = 0;
		else if (text.p[i] == '=' && i && text.p[i - 1] != '=' && length >= 50 &&
			 length < 80 && soft_break(slice_skip(text, i)))
			breaks++;
	}
	return breaks >= 2 || (breaks && slice_has(text, SLICE("=3D")));
}

/* One '=' of the text at i. Returns the bytes it takes. */
static size_t qp_escape(struct build *b, struct slice text, size_t i, bool quoted,
			unsigned long *number)
{
	struct slice rest = slice_skip(text, i);
	size_t n = soft_break(rest);

	if (n && (i == 0 || text.p[i - 1] != '=')) {
		++*number;
		/* A quoted copy of encoded text has the quoting again behind each break. */
		return n + (quoted ? quoting(slice_skip(rest, n)) : 0);
	}
	if (rest.n >= 3 && is_upper_hex(rest.p[1]) && is_upper_hex(rest.p[2])) {
		char c = hex_byte(rest.p + 1);

		out_byte(&b->o, c == '\n' || c == '\r' || c == '\0' ? ' ' : c);
		return 3;
	}
	out_byte(&b->o, '=');
	return 1;
}

static void qp_decode(struct build *b, struct slice text)
{
	unsigned long number = 1;
	bool quoted = quoting(text) != 0;

	line_starts(b, number);
	for (size_t i = 0; i < text.n;) {
		if (text.p[i] == '=') {
			i += qp_escape(b, text, i, quoted, &number);
			continue;
		}
		out_byte(&b->o, text.p[i]);
		if (text.p[i++] != '\n')
			continue;
		line_starts(b, ++number);
		quoted = quoting(slice_skip(text, i)) != 0;
	}
}

static void no_decode(struct build *b, struct slice text)
{
	unsigned long number = 1;

	out_put(&b->o, text);
	line_starts(b, number);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\n')
			line_starts(b, ++number);
}

/* ---- characters ---- */

#define PM " \xc2\xb1 "

/*
 * What mail programs, archives and pages make of the robot's characters. The
 * sign is also met as UTF-8 read as Latin-1 once and twice, read as GBK (U+5364),
 * GB2312 read as Latin-1, and as one or two replacement characters.
 */
static const struct spelling {
	struct slice from;
	const char *to;
} spellings[] = {
	{ SLICE("\xc2\xb1"), PM },
	{ SLICE("\xc3\x83\xe2\x80\x9a\xc3\x82\xc2\xb1"), PM },
	{ SLICE("\xc3\x82\xc2\xb1"), PM },
	{ SLICE("\xef\xbf\xbd\xef\xbf\xbd"), PM },
	{ SLICE("\xef\xbf\xbd"), PM },
	{ SLICE("\xe5\x8d\xa4"), PM },
	{ SLICE("\xc2\xa1\xc3\x80"), PM },
	{ SLICE("\xa1\xc0"), PM },
	{ SLICE("&plusmn;"), PM },
	{ SLICE("&amp;plusmn;"), PM },
	{ SLICE("&#177;"), PM },
	{ SLICE("&#xb1;"), PM },
	{ SLICE("&#xB1;"), PM },
	{ SLICE("+/-"), PM },
	{ SLICE("&lt;"), "<" },
	{ SLICE("&amp;lt;"), "<" },
	{ SLICE("&gt;"), ">" },
	{ SLICE("&amp;gt;"), ">" },
	{ SLICE("&quot;"), "\"" },
	{ SLICE("&amp;quot;"), "\"" },
	{ SLICE("&#34;"), "\"" },
	{ SLICE("&#39;"), "'" },
	{ SLICE("&apos;"), "'" },
	{ SLICE("&nbsp;"), " " },
	{ SLICE("&#160;"), " " },
	{ SLICE("&#xa0;"), " " },
	{ SLICE("&amp;"), "&" },
	{ SLICE("<br>"), " " },
	{ SLICE("<br/>"), " " },
	{ SLICE("<br />"), " " },
	{ SLICE("<pre>"), " " },
	{ SLICE("</pre>"), " " },
	{ SLICE("\xc3\x82\xc2\xa0"), " " },
	{ SLICE("\xc2\xa0"), " " },
	{ SLICE("\xe2\x80\x87"), " " }, /* figure space */
	{ SLICE("\xe2\x80\x89"), " " }, /* thin space */
	{ SLICE("\xe2\x80\xaf"), " " }, /* narrow no-break space */
	{ SLICE("\xe2\x80\xa8"), " " }, /* line separator */
	{ SLICE("\xe3\x80\x80"), " " }, /* ideographic space */
	{ SLICE("\xe2\x80\x8b"), "" },  /* zero width space */
	{ SLICE("\xef\xbb\xbf"), "" },  /* byte order mark */
	{ SLICE("\xe2\x88\x92"), "-" }, /* minus sign */
	{ SLICE("\xe2\x80\xa6"), "..." },
};

/* "+-141%" and "+- 5%": a deviation, not a signed number. */
static bool ascii_pm(struct slice s)
{
	size_t i = 2, digits = 0;

	if (!slice_starts(s, SLICE("+-")))
		return false;
	while (i < s.n && (is_blank(s.p[i]) || s.p[i] == '\n' || s.p[i] == '\r'))
		i++;
	for (; i < s.n && is_digit(s.p[i]); i++)
		digits++;
	return digits && i < s.n && s.p[i] == '%';
}

/* Bytes of a terminal's escape sequence, ESC [ parameters letter: no other byte is between them. */
static size_t ansi(struct slice s)
{
	size_t i = 2;

	if (s.n < 3 || s.p[0] != '\033' || s.p[1] != '[')
		return 0;
	while (i < s.n && s.p[i] >= ' ' && s.p[i] <= '?')
		i++;
	return i < s.n && is_alpha(s.p[i]) ? i + 1 : 0;
}

/* A byte that is not UTF-8 is taken for Latin-1. */
static size_t put_character(struct out *o, struct slice s)
{
	struct slice rest = s;
	char buf[4];

	if (utf8_take(&rest) >= 0) {
		out_put(o, slice_first(s, s.n - rest.n));
		return s.n - rest.n;
	}
	unsigned char c = (unsigned char)*s.p;
	if (c == 0xb1)
		out_str(o, PM);
	else if (c == 0xa0)
		out_byte(o, ' ');
	else
		out_write(o, buf, utf8_put(buf, c));
	return 1;
}

static size_t put_special(struct out *o, struct slice s)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		if (slice_starts(s, spellings[i].from)) {
			out_str(o, spellings[i].to);
			return spellings[i].from.n;
		}
	if (ascii_pm(s)) {
		out_str(o, PM);
		return 2;
	}
	size_t n = ansi(s);
	return n ? n : put_character(o, s);
}

static const struct {
	char c;
	enum note note;
	const char *to;
} blanks[] = { { '\t', NOTE_TABS, " " }, { '\0', NOTE_NUL, "" } };

/* Text on its way through, and the line of the input that it is in. */
struct passing {
	struct source_info *info;
	const unsigned long *number; /* of this line */
};

static void put_plain(struct out *o, char c, const struct passing *at)
{
	for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++)
		if (c == blanks[i].c) {
			source_note(at->info, blanks[i].note, *at->number);
			out_str(o, blanks[i].to);
			return;
		}
	out_byte(o, (c >= 0 && c < ' ' && c != '\n') || c == 0x7f ? ' ' : c);
}

static void clean(struct out *o, struct slice text, const struct build *b, struct source_info *info)
{
	struct passing at = { info, b->numbers };

	while (text.n) {
		char c = *text.p;
		size_t n = 1;

		if (c == '\r' && text.n > 1 && text.p[1] == '\n')
			source_note(info, NOTE_CRLF, *at.number);
		else if ((unsigned char)c >= 0x80 || c == '&' || c == '+' || c == '<' ||
			 c == '\033')
			n = put_special(o, text);
		else
			put_plain(o, c, &at);
		at.number += c == '\n';
		text = slice_skip(text, n);
	}
}

/* ---- lines ---- */

static void split(struct slice text, const struct build *b, struct arena *a, struct source_info *info,
		  struct lkp_text *ret)
{
	ret->lines = arena_array(a, b->n, sizeof(*ret->lines));
	for (size_t i = 0; i < b->n; i++) {
		struct cut c = slice_cut_line(text);
		size_t quoted = quoting(c.head);

		if (quoted)
			source_note(info, NOTE_QUOTED, b->numbers[i]);
		ret->lines[i] = (struct lkp_line){ slice_skip(c.head, quoted), b->numbers[i] };
		text = c.tail;
	}
	ret->n = b->n;
}

void lkp_text_read(struct slice bytes, struct arena *a, struct source_info *info, struct lkp_text *ret)
{
	struct build decoded = { 0 };
	struct out cleaned;

	out_memory(&decoded.o);
	out_memory(&cleaned);
	if (qp_marked(bytes))
		qp_decode(&decoded, bytes);
	else
		no_decode(&decoded, bytes);
	clean(&cleaned, out_slice(&decoded.o), &decoded, info);
	if (bytes.n && bytes.p[bytes.n - 1] != '\n')
		source_note(info, NOTE_NO_FINAL_NEWLINE, decoded.numbers[decoded.n - 1]);
	split(arena_copy(a, out_slice(&cleaned)), &decoded, a, info, ret);
	out_close(&cleaned);
	build_free(&decoded);
}
