/* SPDX-License-Identifier: MIT */
#include "parse/perf_num.h"

enum { ELAPSED_VOTES = 1000 };

/*
 * Separators other than the point and the comma. U+2009 is nowhere in glibc, but
 * in edited mails.
 */
static const struct slice separators[] = {
	SLICE("'"), SLICE("\xe2\x80\x99"), SLICE("\xe2\x80\xaf"), SLICE("\xe2\x80\x89"),
	SLICE("\xc2\xa0"), SLICE("\xa0"),
};

static bool digit_at(struct slice s, size_t i)
{
	return i < s.n && is_digit(s.p[i]);
}

/* " 345" and no fourth digit: a group behind a blank. */
static bool is_blank_group(struct slice s)
{
	return s.n && *s.p == ' ' && digit_at(s, 1) && digit_at(s, 2) && digit_at(s, 3) &&
	       !digit_at(s, 4);
}

/* Length of a separator that has a digit behind it, or 0. */
static size_t separator(struct slice s, bool blank_groups)
{
	if (s.n && (*s.p == '.' || *s.p == ',') && digit_at(s, 1))
		return 1;
	if (blank_groups && is_blank_group(s))
		return 1;
	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++)
		if (slice_starts(s, separators[i]) && digit_at(s, separators[i].n))
			return separators[i].n;
	return 0;
}

enum num_status perf_take_number(struct slice *s, const struct perf_locale *l, struct dec *ret)
{
	char buf[80];
	size_t n = 0, sep = 0;
	bool point = false, full = false;
	struct slice rest = *s;

	if (rest.n > 1 && *rest.p == '-' && digit_at(rest, 1)) {
		buf[n++] = '-';
		rest = slice_skip(rest, 1);
	}
	if (!digit_at(rest, 0))
		return NUM_NONE;
	while (digit_at(rest, 0) || (sep = separator(rest, l->blank_groups && !point))) {
		full |= n + 2 > sizeof(buf);
		if (digit_at(rest, 0)) {
			buf[full ? 0 : n++] = *rest.p;
			rest = slice_skip(rest, 1);
			continue;
		}
		if (*rest.p == l->decimal) {
			if (point)
				return NUM_NONE; /* 1.2.3: a version, an address */
			point = true;
			buf[full ? 0 : n++] = '.';
		}
		rest = slice_skip(rest, sep);
	}
	*s = rest;
	return !full && dec_parse(slice_of(buf, n), ret) ? NUM_OK : NUM_OVERFLOW;
}

bool perf_take_nan(struct slice *s)
{
	static const struct slice words[] = { SLICE("-nan"), SLICE("nan"), SLICE("-inf"),
					      SLICE("inf") };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_starts(*s, words[i]) &&
		    (s->n == words[i].n || !is_alpha(s->p[words[i].n]))) {
			*s = slice_skip(*s, words[i].n);
			return true;
		}
	return false;
}

/* ---- which sign is the decimal one ---- */

struct shape {
	char first, last;      /* signs in the number, '\0': none */
	bool repeated;         /* the last sign stands there twice */
	bool grouped;          /* it has a separator that is no point or comma */
	size_t behind;         /* digits behind the last sign */
};

static struct shape take_shape(struct slice *s)
{
	struct shape h = { 0 };
	size_t sep = 0;

	while (digit_at(*s, 0) || (sep = separator(*s, false))) {
		char c = *s->p;

		if (is_digit(c)) {
			h.behind++;
			*s = slice_skip(*s, 1);
			continue;
		}
		if (c == '.' || c == ',') {
			h.repeated = h.last == c;
			h.first = h.first ? h.first : c;
			h.last = c;
			h.behind = 0;
		} else {
			h.grouped = true;
		}
		*s = slice_skip(*s, sep);
	}
	return h;
}

static void vote(unsigned votes[2], char decimal, unsigned n)
{
	votes[decimal == ','] += n;
}

/* What one number says, given what stands in front of it and behind it. */
static void vote_number(unsigned votes[2], struct shape h, bool metric, struct slice rest)
{
	if (!h.last)
		return;
	if (h.repeated) /* 45.678.901: the other sign is the decimal one */
		vote(votes, h.last == '.' ? ',' : '.', 1);
	else if (h.first != h.last || h.grouped || h.behind != 3 || metric ||
		 (rest.n && *rest.p == '%'))
		vote(votes, h.last, 1); /* metrics and percentages are never grouped */
}

static bool is_elapsed(struct slice line)
{
	return slice_has(line, SLICE(" seconds time elapsed")) ||
	       slice_has(line, SLICE(" seconds user")) || slice_has(line, SLICE(" seconds sys"));
}

void perf_num_votes(struct slice line, unsigned votes[2])
{
	bool elapsed = is_elapsed(line), start = true, metric = false;
	struct slice s = line;

	while (s.n) {
		if (start && is_digit(*s.p)) {
			struct shape h = take_shape(&s);

			if (elapsed && h.first && h.first == h.last)
				vote(votes, h.first, ELAPSED_VOTES);
			else if (h.behind != 9) /* a time stamp of -I has a point in every locale */
				vote_number(votes, h, metric, s);
			start = metric = false;
			continue;
		}
		metric = *s.p == '#' || (metric && is_blank(*s.p));
		start = is_blank(*s.p) || *s.p == '(' || *s.p == '[' || *s.p == '-';
		s = slice_skip(s, 1);
	}
}
