/* SPDX-License-Identifier: MIT */
/*
 * The row grammar:
 *
 *   metric   VALUE [± N%] ( CHANGE[%] VALUE [± N%] )+ NAME
 *   failure  [FAILS]:RUNS ( N% [FAILS]:RUNS )+ NAME
 *
 * A value has no sign but a minus, a change always has one: that is what makes
 * a row readable when all blanks are collapsed.
 */
#include "parse/lkp_scan.h"

#include <math.h>

#include "base/num.h"

enum { COLUMNS_MAX = 64 };

/* What reading a part of a row found. */
enum found { FOUND_FAULT = -1, FOUND_NOT, FOUND };

static enum found too_large(const struct lkp_scan *s, size_t i)
{
	const struct lkp_line *line = &s->lines[s->words[i].line];

	err_at(s->e, line->number, line->text, s->words[i].s.p, "this number is too large");
	return FOUND_FAULT;
}

/* The integer of "5%", "-16%". */
static bool percent_word(struct slice w, struct slice *ret)
{
	struct slice d = w;

	if (!slice_ends(w, SLICE("%")))
		return false;
	d.n--;
	*ret = d;
	if (d.n && *d.p == '-')
		d = slice_skip(d, 1);
	for (size_t i = 0; i < d.n; i++)
		if (!is_digit(d.p[i]))
			return false;
	return lkp_is_number(d);
}

static bool is_nan_percent(struct slice w)
{
	return slice_eq_str(w, "NaN%") || slice_eq_str(w, "nan%") || slice_eq_str(w, "-nan%");
}

/*
 * The percentage of a deviation at word i, and the words both take; 0: there is
 * none. From 100 % on no blank stands between it and a sign that was not known.
 */
static size_t deviation_words(const struct lkp_scan *s, size_t i, struct slice *percent)
{
	struct slice w = lkp_word(s, i);

	*percent = lkp_word(s, i + 1);
	if (lkp_is_pm(w))
		return 2;
	*percent = w;
	while (percent->n && (*percent->p == '?' || *percent->p == '~'))
		*percent = slice_skip(*percent, 1);
	return percent->n < w.n;
}

/* "± N%" where it is printed. Old tables print "± -1%" for "not known". */
static enum found take_deviation(const struct lkp_scan *s, size_t *i, struct lkp_cell *c)
{
	struct slice percent, n;
	size_t words = deviation_words(s, *i, &percent);

	c->stddev_pct = -1;
	if (!words || is_nan_percent(percent)) {
		*i += words;
		return FOUND;
	}
	if (!percent_word(percent, &n))
		return FOUND_NOT;
	if (!num_i64(n, &c->stddev_pct))
		return too_large(s, *i + words - 1);
	if (c->stddev_pct < 0)
		c->stddev_pct = -1;
	*i += words;
	return FOUND;
}

static enum found take_value(const struct lkp_scan *s, size_t *i, struct lkp_cell *c)
{
	struct slice w = lkp_word(s, *i);

	if (!lkp_is_number(w))
		return FOUND_NOT;
	*c = (struct lkp_cell){ .value = w, .fails = -1, .runs = -1, .change_number = NAN };
	if (!num_double(w, &c->number))
		return too_large(s, *i);
	++*i;
	return take_deviation(s, i, c);
}

/* "+Inf%" of old tables: a change that is no number. */
static bool is_no_number(struct slice w)
{
	static const char *const words[] = { "+Inf%", "-Inf%", "+inf%", "-inf%",
					     "NaN%",  "+NaN%", "-NaN%" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_eq_str(w, words[i]))
			return true;
	return false;
}

static enum found take_change(const struct lkp_scan *s, size_t *i, struct lkp_cell *c)
{
	struct slice w = lkp_word(s, *i);
	bool percent = slice_ends(w, SLICE("%"));

	c->kind = percent ? LKP_PERCENT : LKP_DIFFERENCE;
	if (is_no_number(w)) {
		++*i;
		return FOUND;
	}
	/* A difference has a decimal: "-5" between two numbers is something else. */
	if (!lkp_is_signed(w) || (!percent && slice_find(w, SLICE(".")) < 0))
		return FOUND_NOT;
	w.n -= percent;
	if (*w.p == '+')
		w = slice_skip(w, 1);
	if (!num_double(w, &c->change_number))
		return too_large(s, *i);
	c->change = w;
	++*i;
	return FOUND;
}

/* "13:6", ":25" (no fails in 25 runs). */
static enum found take_fails(const struct lkp_scan *s, size_t *i, struct lkp_cell *c)
{
	struct slice w = lkp_word(s, *i);
	uint64_t fails = 0, runs = 0;
	enum num_status first = num_take_u64(&w, &fails);

	if (w.n < 2 || *w.p != ':')
		return FOUND_NOT;
	w = slice_skip(w, 1);
	enum num_status second = num_take_u64(&w, &runs);
	if (w.n || second == NUM_NONE)
		return FOUND_NOT;
	if (first == NUM_OVERFLOW || second == NUM_OVERFLOW || fails > INT64_MAX ||
	    runs > INT64_MAX)
		return too_large(s, *i);
	*c = (struct lkp_cell){ .number = NAN, .change_number = NAN, .stddev_pct = -1,
				.fails = (int64_t)fails, .runs = (int64_t)runs };
	++*i;
	return FOUND;
}

static enum found take_reproduction(const struct lkp_scan *s, size_t *i, struct lkp_cell *c)
{
	struct slice n;

	c->kind = LKP_REPRODUCTION;
	if (is_nan_percent(lkp_word(s, *i))) {
		++*i;
		return FOUND;
	}
	if (!percent_word(lkp_word(s, *i), &n))
		return FOUND_NOT;
	if (!num_double(n, &c->change_number))
		return too_large(s, *i);
	c->change = n;
	++*i;
	return FOUND;
}

/* ---- the name ---- */

static struct slice without_end(struct slice w)
{
	while (w.n && (w.p[w.n - 1] == ',' || w.p[w.n - 1] == ';' || w.p[w.n - 1] == '.'))
		w.n--;
	return w;
}

static bool has_dot_inside(struct slice w)
{
	for (size_t i = 1; i + 1 < w.n; i++)
		if (w.p[i] == '.')
			return true;
	return false;
}

/*
 * The metric at word j of a row that started at i. All of the robot's metrics
 * hold a dot; a word without one is believed only where it can be nothing else.
 */
static bool take_name(const struct lkp_scan *s, size_t i, size_t j, bool in_table,
		      struct slice *ret)
{
	struct slice w = without_end(lkp_word(s, j));

	if (!w.n || lkp_is_number(w) || !(is_alpha(*w.p) || is_digit(*w.p) || *w.p == '_'))
		return false;
	*ret = w;
	if (has_dot_inside(w))
		return s->words[j].line - s->words[j - 1].line <= 1;
	return in_table && w.n > 1 && lkp_first_on_line(s, i) && lkp_last_on_line(s, j) &&
	       s->words[i].line == s->words[j].line;
}

/* ---- rows ---- */

typedef enum found take_cell(const struct lkp_scan *s, size_t *i, struct lkp_cell *c);

struct grammar {
	take_cell *cell, *change;
	enum lkp_section section;
};

static const struct grammar grammars[] = {
	{ take_value, take_change, LKP_METRIC },
	{ take_fails, take_reproduction, LKP_FAILURE },
};

/* A change and the cell behind it. */
static enum found take_pair(const struct lkp_scan *s, const struct grammar *g, size_t *i,
			    struct lkp_cell *c)
{
	struct lkp_cell change = { .change_number = NAN };
	size_t at = *i;
	enum found f = g->change(s, &at, &change);

	if (f == FOUND)
		f = g->cell(s, &at, c);
	if (f != FOUND)
		return f;
	c->kind = change.kind;
	c->change = change.change;
	c->change_number = change.change_number;
	*i = at;
	return FOUND;
}

static enum found take_cells(const struct lkp_scan *s, const struct grammar *g, size_t *i,
			     struct lkp_cell *cells, size_t *n)
{
	enum found f = g->cell(s, i, &cells[0]);

	*n = 1;
	while (f == FOUND && *n < COLUMNS_MAX) {
		f = take_pair(s, g, i, &cells[*n]);
		*n += f == FOUND;
	}
	return f == FOUND_FAULT ? f : *n > 1 ? FOUND : FOUND_NOT;
}

static long take_row(struct lkp_scan *s, const struct grammar *g, size_t i, bool in_table,
		     struct lkp_row *ret)
{
	struct lkp_cell cells[COLUMNS_MAX];
	size_t at = i, n;
	enum found f = take_cells(s, g, &at, cells, &n);

	if (f != FOUND)
		return f;
	if (!take_name(s, i, at, in_table, &ret->metric))
		return 0;
	ret->section = g->section;
	ret->n = n;
	ret->cells = arena_dup(s->a, cells, n, sizeof(*cells));
	ret->line = s->lines[s->words[i].line].number;
	if (s->words[at].line != s->words[i].line)
		lkp_note(s, NOTE_WRAPPED, at);
	lkp_mark(s, i, at + 1);
	return (long)(at + 1 - i);
}

long lkp_row_take(struct lkp_scan *s, size_t i, bool in_table, struct lkp_row *ret)
{
	struct slice w = lkp_word(s, i);

	if (!w.n || !(is_digit(*w.p) || *w.p == '-' || *w.p == ':'))
		return 0;
	for (size_t g = 0; g < sizeof(grammars) / sizeof(grammars[0]); g++) {
		long n = take_row(s, &grammars[g], i, in_table, ret);

		if (n)
			return n;
	}
	return 0;
}

static bool row_like(struct slice w)
{
	struct slice n;

	return lkp_is_number(w) || lkp_is_signed(w) || lkp_is_pm(w) || percent_word(w, &n);
}

bool lkp_row_broken(const struct lkp_scan *s, size_t i)
{
	if (i == 0 || !row_like(s->words[i - 1].s))
		return false;
	if (!lkp_first_on_line(s, i))
		return true;
	/* The line above ends in a change or a sign, and nothing else is on it. */
	if (lkp_is_number(s->words[i - 1].s) && *s->words[i - 1].s.p != '-')
		return false;
	for (size_t k = i - 1; s->words[k].line == s->words[i - 1].line; k--) {
		if (!row_like(s->words[k].s))
			return false;
		if (k == 0)
			break;
	}
	return true;
}
