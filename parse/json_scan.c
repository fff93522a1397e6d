/* SPDX-License-Identifier: MIT */
#include "parse/json_scan.h"

#include <stdio.h>

#include "base/mem.h"

/* ---- where a fault is ---- */

/* The lines are counted only now: the scan itself need not know them. */
int json_fault_va(const struct json_doc *d, size_t at, struct err *e, const char *fmt, va_list ap)
{
	char text[sizeof(e->text)];
	size_t from = 0;
	unsigned long line = d->line;

	vsnprintf(text, sizeof(text), fmt, ap);
	for (size_t i = 0; i < at && i < d->text.n; i++)
		if (d->text.p[i] == '\n') {
			line++;
			from = i + 1;
		}
	struct slice whole = slice_cut_line(slice_skip(d->text, from)).head;
	size_t column = at - from < whole.n ? at - from : whole.n;
	return err_at(e, line, whole, whole.p + column, "%s", text);
}

int json_fault_at(const struct json_doc *d, size_t at, struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	json_fault_va(d, at, e, fmt, ap);
	va_end(ap);
	return -1;
}

/* ---- the scan: tokens, their places, and what cJSON would let pass ---- */

struct scan {
	struct json_doc *d;
	size_t cap, at;
	unsigned depth;
};

static void add_token(struct scan *s)
{
	s->d->starts = mem_grow(s->d->starts, &s->cap, s->d->n + 1, sizeof(*s->d->starts));
	s->d->starts[s->d->n++] = (uint32_t)s->at;
}

static char byte_at(const struct scan *s, size_t i)
{
	return i < s->d->text.n ? s->d->text.p[i] : '\0';
}

static int scan_string(struct scan *s, struct err *e)
{
	size_t i = s->at + 1;

	for (; i < s->d->text.n && s->d->text.p[i] != '"'; i++) {
		if ((unsigned char)s->d->text.p[i] < 0x20)
			return json_fault_at(s->d, i, e, "a control character in a string");
		if (s->d->text.p[i] == '\\') {
			if (slice_starts(slice_skip(s->d->text, i), SLICE("\\u0000")))
				return json_fault_at(s->d, i, e, "a NUL in a string");
			i++;
		}
	}
	if (i >= s->d->text.n)
		return json_fault_at(s->d, s->at, e, "the string does not end");
	add_token(s);
	s->at = i + 1;
	return 0;
}

static size_t skip_digits(const struct scan *s, size_t i)
{
	while (is_digit(byte_at(s, i)))
		i++;
	return i;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? : the end, or 0 when it is none. */
static size_t number_end(const struct scan *s)
{
	size_t i = s->at + (byte_at(s, s->at) == '-'), from = i;

	i = skip_digits(s, i);
	if (i == from || (byte_at(s, from) == '0' && i > from + 1))
		return 0;
	if (byte_at(s, i) == '.') {
		from = i + 1;
		i = skip_digits(s, from);
		if (i == from)
			return 0;
	}
	if (byte_at(s, i) == 'e' || byte_at(s, i) == 'E') {
		from = i + 1 + (byte_at(s, i + 1) == '-' || byte_at(s, i + 1) == '+');
		i = skip_digits(s, from);
		if (i == from)
			return 0;
	}
	return i;
}

static int scan_number(struct scan *s, struct err *e)
{
	size_t end = number_end(s);

	if (!end)
		return json_fault_at(s->d, s->at, e, "not a number as JSON writes them");
	add_token(s);
	s->at = end;
	return 0;
}

static int scan_word(struct scan *s, struct err *e)
{
	static const struct slice words[] = { SLICE("true"), SLICE("false"), SLICE("null") };
	struct slice rest = slice_skip(s->d->text, s->at);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_starts(rest, words[i])) {
			add_token(s);
			s->at += words[i].n;
			return 0;
		}
	return json_fault_at(s->d, s->at, e, "not JSON here");
}

static int scan_open(struct scan *s, struct err *e)
{
	if (++s->depth > JSON_DEPTH_MAX)
		return json_fault_at(s->d, s->at, e, "nested deeper than %d levels",
				     JSON_DEPTH_MAX);
	add_token(s);
	s->at++;
	return 0;
}

static int scan_token(struct scan *s, struct err *e)
{
	switch (byte_at(s, s->at)) {
	case '{':
	case '[':
		return scan_open(s, e);
	case '}':
	case ']':
		s->depth -= s->depth > 0;
		s->at++;
		return 0;
	case ',':
	case ':':
	case ' ':
	case '\t':
	case '\n':
	case '\r':
		s->at++;
		return 0;
	case '"':
		return scan_string(s, e);
	default:
		return byte_at(s, s->at) == '-' || is_digit(byte_at(s, s->at)) ? scan_number(s, e)
										: scan_word(s, e);
	}
}

int json_scan(struct json_doc *d, struct err *e)
{
	struct scan s = { .d = d };

	while (s.at < d->text.n)
		if (scan_token(&s, e))
			return -1;
	if (s.depth)
		return json_fault_at(d, s.at, e, "the document is cut off");
	return d->n ? 0 : json_fault_at(d, 0, e, "no JSON value: there is nothing but blanks");
}
