/* SPDX-License-Identifier: MIT */
/*
 * Headlines of a mail: its title ("ID: METRIC 9.2% regression"), its first
 * sentence ("noticed a 9.2% regression of METRIC on:") and the box of other
 * tests. Neither is a row of a table.
 */
#include "parse/lkp_scan.h"

#include "base/num.h"

enum { BOX_WORDS = 400, PARAMETERS_MAX = 64 };

/* The longest of the robot's, call chains, are a third of it. It is named again for each table. */
enum { METRIC_MAX = 1024 };

static struct slice without_ends(struct slice w)
{
	static const char ends[] = "\"',;:.()|";

	while (w.n && strchr(ends, w.p[w.n - 1]))
		w.n--;
	while (w.n && strchr(ends, *w.p))
		w = slice_skip(w, 1);
	return w;
}

/* "9.2%", "-19.0%", "+245.1%" */
static bool take_percent(struct slice w, struct lkp_headline *h)
{
	w = without_ends(w);
	if (w.n < 2 || w.p[w.n - 1] != '%')
		return false;
	w.n--;
	if (*w.p == '+')
		w = slice_skip(w, 1);
	h->percent = w;
	return lkp_is_number(w) && num_double(w, &h->number);
}

static bool take_direction(struct slice w, struct lkp_headline *h)
{
	static const char *const words[] = { "regression", "improvement", "increase", "decrease" };

	h->direction = without_ends(w);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_eq_str(h->direction, words[i]))
			return true;
	return false;
}

static bool take_metric(struct slice w, struct lkp_headline *h)
{
	h->metric = without_ends(w);
	return h->metric.n > 2 && h->metric.n <= METRIC_MAX &&
	       slice_find(h->metric, SLICE(".")) > 0 && !lkp_is_number(h->metric);
}

/* "noticed a 9.2% regression of METRIC": word i is the direction. */
static bool is_sentence(const struct lkp_scan *s, size_t i, struct lkp_headline *h)
{
	bool noticed = false;

	for (size_t k = 2; k <= 4 && k <= i; k++)
		noticed |= slice_eq_str(lkp_word(s, i - k), "noticed");
	return noticed && take_percent(lkp_word(s, i - 1), h) &&
	       slice_eq_str(lkp_word(s, i + 1), "of") && take_metric(lkp_word(s, i + 2), h);
}

/* "d4148aeab4: METRIC 9.2% regression" */
static bool is_title(const struct lkp_scan *s, size_t i, struct lkp_headline *h)
{
	struct slice id;

	if (i < 3 || !take_percent(lkp_word(s, i - 1), h) || !take_metric(lkp_word(s, i - 2), h))
		return false;
	id = lkp_word(s, i - 3);
	return slice_ends(id, SLICE(":")) && lkp_is_hex(slice_first(id, id.n - 1), 7);
}

/* ---- the box ---- */

static bool is_parameter(const struct lkp_scan *s, size_t i)
{
	struct slice w = lkp_word(s, i);

	return slice_eq_str(lkp_word(s, i - 1), "|") && slice_find(w, SLICE("=")) > 0;
}

static size_t box_end(const struct lkp_scan *s, size_t i)
{
	size_t end = i;

	for (; end < s->n && end < i + BOX_WORDS; end++)
		if (slice_starts(lkp_word(s, end), SLICE("+--")) ||
		    slice_eq_str(lkp_word(s, end), "testcase:") ||
		    lkp_is_rule(lkp_word(s, end), '=', 20))
			break;
	return end;
}

static bool has_parameter(const struct lkp_parameter *p, size_t n, struct slice name)
{
	for (size_t i = 0; i < n; i++)
		if (slice_eq(p[i].name, name))
			return true;
	return false;
}

static void take_parameters(struct lkp_scan *s, size_t from, size_t to, struct lkp_headline *h)
{
	struct lkp_parameter found[PARAMETERS_MAX];
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		if (slice_eq_str(lkp_word(s, i), "machine") ||
		    slice_eq_str(lkp_word(s, i), "parameters"))
			lkp_mark(s, i, i + 1);
		if (!is_parameter(s, i) || n == PARAMETERS_MAX)
			continue;
		struct cut c = slice_cut(lkp_word(s, i), '=');

		if (has_parameter(found, n, c.head)) /* a name has one value, the first */
			lkp_note(s, NOTE_FOREIGN, i);
		else
			found[n++] = (struct lkp_parameter){ c.head, c.tail };
		lkp_mark(s, i, i + 1);
	}
	h->parameters = arena_dup(s->a, found, n, sizeof(*found));
	h->nparameters = n;
}

/* "testcase: change | SUITE: METRIC 9.2% regression |" at word i. */
static size_t take_box(struct lkp_scan *s, size_t i, struct lkp_headline *h)
{
	size_t at = i + 2;

	while (slice_eq_str(lkp_word(s, at), "|"))
		at++;
	struct slice suite = lkp_word(s, at);
	if (!slice_ends(suite, SLICE(":")) || !take_metric(lkp_word(s, at + 1), h) ||
	    !take_percent(lkp_word(s, at + 2), h) || !take_direction(lkp_word(s, at + 3), h))
		return 0;
	h->where = LKP_BOX;
	h->testcase = slice_first(suite, suite.n - 1);
	size_t end = box_end(s, at + 4);
	take_parameters(s, at + 4, end, h);
	lkp_mark(s, i, at + 4);
	return end - i;
}

size_t lkp_headline_take(struct lkp_scan *s, size_t i, struct lkp_headline *ret)
{
	struct slice w = lkp_word(s, i);

	*ret = (struct lkp_headline){ 0 };
	if (slice_eq_str(w, "testcase:") && slice_eq_str(lkp_word(s, i + 1), "change"))
		return take_box(s, i, ret);
	if (!take_direction(w, ret))
		return 0;
	if (is_sentence(s, i, ret)) {
		ret->where = LKP_SENTENCE;
		lkp_mark(s, i - 1, i + 3);
		return 3;
	}
	if (!is_title(s, i, ret))
		return 0;
	ret->where = LKP_TITLE;
	lkp_mark(s, i - 2, i + 1);
	return 1;
}
