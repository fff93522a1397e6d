/* SPDX-License-Identifier: MIT */
#include "parse/lkp_scan.h"

/* ---- what a word is ---- */

static size_t digits(struct slice s)
{
	size_t n = 0;

	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n;
}

/* digits[.digits][e±digits], no zero in front: the length of it, 0 for anything else. */
static size_t unsigned_number(struct slice w)
{
	size_t n = digits(w), fraction;

	if (n == 0 || (n > 1 && *w.p == '0'))
		return 0;
	if (n < w.n && w.p[n] == '.') {
		fraction = digits(slice_skip(w, n + 1));
		if (!fraction)
			return 0;
		n += 1 + fraction;
	}
	if (n + 1 < w.n && w.p[n] == 'e' && (w.p[n + 1] == '+' || w.p[n + 1] == '-')) {
		size_t exponent = digits(slice_skip(w, n + 2));

		n += exponent ? 2 + exponent : 0;
	}
	return n;
}

bool lkp_is_number(struct slice w)
{
	if (w.n && *w.p == '-')
		w = slice_skip(w, 1);
	return w.n && unsigned_number(w) == w.n;
}

bool lkp_is_signed(struct slice w)
{
	if (w.n < 2 || (*w.p != '+' && *w.p != '-'))
		return false;
	w = slice_skip(w, 1);
	size_t n = unsigned_number(w);
	return n && (n == w.n || (n + 1 == w.n && w.p[n] == '%'));
}

bool lkp_is_rule(struct slice w, char c, size_t min)
{
	for (size_t i = 0; i < w.n; i++)
		if (w.p[i] != c)
			return false;
	return w.n >= min;
}

/* Old tables print "~"; a client that knows no better prints "?" for each byte. */
bool lkp_is_pm(struct slice w)
{
	static const char *const signs[] = { "\xc2\xb1", "~", "?", "??" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (slice_eq_str(w, signs[i]))
			return true;
	return false;
}

bool lkp_is_hex(struct slice w, size_t min)
{
	for (size_t i = 0; i < w.n; i++)
		if (!is_digit(w.p[i]) && !(w.p[i] >= 'a' && w.p[i] <= 'f'))
			return false;
	return w.n >= min;
}

/* ---- cutting ---- */

/* Left-out rows: dots glued to the next number (they count), or a mark of their own. */
static bool is_elision(struct slice w)
{
	static const char *const marks[] = { "<snip>", "[snip]", "[...]", "<...>", "[..]" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (slice_eq_str(w, marks[i]))
			return true;
	return w.n && lkp_is_rule(w, '.', 2);
}

static struct slice without_front(struct slice w, char c)
{
	while (w.n && *w.p == c)
		w = slice_skip(w, 1);
	return w;
}

/* Quoting left inside a flattened text, and dots glued in front of a number. */
static struct slice tidy(struct lkp_scan *s, struct slice w, size_t line)
{
	w = without_front(w, '>');
	if (w.n > 2 && w.p[0] == '.' && w.p[1] == '.') {
		struct slice rest = without_front(w, '.');

		if (rest.n && (is_digit(*rest.p) || *rest.p == '-')) {
			source_note(s->info, NOTE_ELIDED, s->lines[line].number);
			return rest;
		}
	}
	return w;
}

static void cut_line(struct lkp_scan *s, size_t line, size_t *cap)
{
	struct cut c = slice_cut_word(s->lines[line].text);

	for (; c.head.n; c = slice_cut_word(c.tail)) {
		struct slice w = tidy(s, c.head, line);

		if (is_elision(w)) {
			source_note(s->info, NOTE_ELIDED, s->lines[line].number);
			s->used[line] = true;
		} else if (w.n) {
			s->words = mem_grow(s->words, cap, s->n + 1, sizeof(*s->words));
			s->words[s->n++] = (struct lkp_word){ w, (uint32_t)line };
		}
	}
}

void lkp_words_cut(struct lkp_scan *s)
{
	size_t cap = 0;

	s->used = arena_array(s->a, s->nlines, sizeof(*s->used));
	for (size_t i = 0; i < s->nlines; i++)
		cut_line(s, i, &cap);
}

/* ---- words and lines ---- */

bool lkp_first_on_line(const struct lkp_scan *s, size_t i)
{
	return i < s->n && (i == 0 || s->words[i - 1].line != s->words[i].line);
}

bool lkp_last_on_line(const struct lkp_scan *s, size_t i)
{
	return i < s->n && (i + 1 == s->n || s->words[i + 1].line != s->words[i].line);
}

struct slice lkp_join(const struct lkp_scan *s, size_t from, size_t to)
{
	size_t n = 0;

	if (from >= to || to > s->n)
		return (struct slice){ 0 };
	struct slice first = s->words[from].s, last = s->words[to - 1].s;
	if (s->words[from].line == s->words[to - 1].line)
		return slice_of(first.p, (size_t)(last.p + last.n - first.p));
	for (size_t i = from; i < to; i++)
		n += s->words[i].s.n + 1;
	char *p = arena_alloc(s->a, n), *at = p;
	for (size_t i = from; i < to; i++) {
		memcpy(at, s->words[i].s.p, s->words[i].s.n);
		at += s->words[i].s.n;
		*at++ = ' ';
	}
	return slice_of(p, n - 1);
}

void lkp_mark(struct lkp_scan *s, size_t from, size_t to)
{
	for (size_t i = from; i < to && i < s->n; i++)
		s->used[s->words[i].line] = true;
}

/* Rules and strokes of tables and boxes say nothing. */
static bool is_stroke(struct slice w)
{
	return lkp_is_rule(w, '|', 1) || lkp_is_rule(w, '\\', 1) || lkp_is_rule(w, '=', 3) ||
	       lkp_is_rule(w, '*', 3) || lkp_is_rule(w, '-', 3) ||
	       slice_starts(w, SLICE("+--"));
}

void lkp_note(const struct lkp_scan *s, enum note n, size_t i)
{
	source_note(s->info, n, s->lines[s->words[i].line].number);
}

void lkp_note_foreign(const struct lkp_scan *s)
{
	uint32_t counted = UINT32_MAX;

	for (size_t i = 0; i < s->n; i++) {
		uint32_t line = s->words[i].line;

		if (line == counted || s->used[line] || is_stroke(s->words[i].s))
			continue;
		counted = line;
		lkp_note(s, NOTE_FOREIGN, i);
	}
}
