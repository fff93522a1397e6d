/* SPDX-License-Identifier: MIT */
#include "parse/perf_row.h"

static size_t digits_at(struct slice s)
{
	size_t n = 0;

	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n;
}

/* A number, or -1 with its place when it has too many digits. */
static int take(struct slice *s, const struct perf_locale *l, struct dec *ret, const char **at)
{
	const char *start = s->p;
	enum num_status st = perf_take_number(s, l, ret);

	if (st == NUM_OVERFLOW) {
		*at = start;
		return -1;
	}
	return st == NUM_OK;
}

/* ---- the end of a line ---- */

/* What stands in the last bracket of *s: "+- 0.30%", "24.96%", "scaled from 66.62%". */
static bool last_bracket(struct slice s, struct slice *inner, struct slice *before)
{
	s = slice_rtrim(s);
	if (s.n < 2 || (s.p[s.n - 1] != ')' && s.p[s.n - 1] != ']'))
		return false;
	char open = s.p[s.n - 1] == ')' ? '(' : '[';
	size_t i = s.n - 1;
	while (i > 0 && s.p[i - 1] != open)
		i--;
	if (i == 0 || (i > 1 && !is_blank(s.p[i - 2])))
		return false;
	*inner = slice_trim(slice_of(s.p + i, s.n - 1 - i));
	*before = slice_first(s, i - 1);
	return true;
}

int perf_row_tail(struct slice *s, const struct perf_locale *l, struct perf_row *row,
		  const char **at)
{
	struct slice inner, before;

	while (last_bracket(*s, &inner, &before)) {
		bool noise = slice_starts(inner, SLICE("+-")) ||
			     slice_starts(inner, SLICE("\xc2\xb1"));
		struct dec d;

		if (noise)
			inner = slice_ltrim(slice_skip(inner, 2));
		else if (slice_starts(inner, SLICE("scaled from "))) /* 2.6.3x */
			inner = slice_skip(inner, 12);
		int got = take(&inner, l, &d, at);
		if (got < 0)
			return -1;
		if (!got || !slice_eq_str(inner, "%"))
			return 0;
		*(noise ? &row->variance_pct : &row->running_pct) = d;
		*(noise ? &row->has_variance : &row->has_running) = true;
		*s = before;
	}
	return 0;
}

/* ---- metrics ---- */

/* Does a value stand here, with a blank, a percent sign or nothing behind it? */
static bool is_value(struct slice s, const struct perf_locale *l)
{
	struct dec d;

	s = slice_ltrim(s);
	return (perf_take_nan(&s) || perf_take_number(&s, l, &d) != NUM_NONE) &&
	       (s.n == 0 || is_blank(*s.p) || *s.p == '%');
}

/* The offset of the next '#' that a value follows, or s.n. An event may have a '#' in its name. */
static size_t next_metric(struct slice s, const struct perf_locale *l)
{
	for (size_t i = 0; i + 1 < s.n; i++)
		if (s.p[i] == '#' && is_blank(s.p[i + 1]) && (i == 0 || is_blank(s.p[i - 1])) &&
		    is_value(slice_skip(s, i + 1), l))
			return i;
	return s.n;
}

/* A percent sign that is glued to the value goes to the front of the unit. */
static struct slice percent_unit(struct arena *a, struct slice rest)
{
	rest = slice_trim(slice_skip(rest, 1));
	return slice_str(arena_printf(a, "%%%s%.*s", rest.n ? " " : "", SLICE_FMT(rest)));
}

static int take_metric(struct slice s, const struct perf_locale *l, struct arena *a,
		       struct perf_metric *m, const char **at)
{
	s = slice_ltrim(s);
	*m = (struct perf_metric){ 0 };
	if (!perf_take_nan(&s)) {
		if (take(&s, l, &m->value, at) < 0)
			return -1;
		m->present = true;
	}
	m->unit = s.n && *s.p == '%' ? percent_unit(a, s) : slice_trim(s);
	return 0;
}

/* All of "# value unit # value unit …" */
static int take_metrics(struct slice s, const struct perf_locale *l, struct arena *a,
			struct perf_row *row, const char **at)
{
	while (s.n) {
		struct perf_metric m;

		s = slice_skip(s, 1);
		size_t n = next_metric(s, l);

		if (take_metric(slice_first(s, n), l, a, &m, at))
			return -1;
		perf_metrics_add(&row->metrics, m);
		s = slice_skip(s, n);
	}
	return 0;
}

/* --metric-only: numbers and percent signs to the end. False when there is anything else. */
static bool take_cells(struct slice s, const struct perf_locale *l, struct perf_row *row)
{
	for (s = slice_trim(s); s.n; s = slice_ltrim(s)) {
		struct perf_metric m = { 0 };

		if (!perf_take_nan(&s)) {
			if (perf_take_number(&s, l, &m.value) != NUM_OK)
				return false;
			m.present = true;
		}
		struct slice percent = slice_ltrim(s); /* "25.000 %" (6.1) is one cell */
		if (percent.n && *percent.p == '%') {
			m.unit = SLICE("%");
			s = slice_skip(percent, 1);
		}
		if (s.n && !is_blank(*s.p))
			return false;
		perf_metrics_add(&row->metrics, m);
	}
	return row->metrics.n > 0;
}

/* ---- the start of a line ---- */

/* "12.000345678 ": nine decimals, with a point in every locale. */
static bool take_time(struct slice *s, struct perf_place *p)
{
	size_t n = digits_at(*s);
	struct slice word = slice_first(*s, n + 10);

	if (n == 0 || word.n != n + 10 || word.p[n] != '.' ||
	    digits_at(slice_skip(word, n + 1)) != 9)
		return false;
	if (s->n > word.n && !is_blank(s->p[word.n]))
		return false;
	if (!dec_parse(word, &p->time))
		return false;
	/* "0.050475315 seconds time elapsed" is no row */
	struct slice rest = slice_ltrim(slice_skip(*s, word.n));
	if (slice_starts(rest, SLICE("seconds ")))
		return false;
	p->has_time = true;
	*s = rest;
	return true;
}

bool perf_is_topology(struct slice w)
{
	if (w.n > PERF_ID_MAX)
		return false;
	if (slice_starts(w, SLICE("CPU")))
		return w.n > 3 && digits_at(slice_skip(w, 3)) == w.n - 3;
	if (w.n < 2 || (*w.p != 'S' && *w.p != 'N'))
		return false;
	while (w.n) { /* S0 -D0 -L3 -ID0 -CLS1 -C1 */
		size_t letters = 0;

		while (letters < w.n && w.p[letters] >= 'A' && w.p[letters] <= 'Z')
			letters++;
		size_t digits = digits_at(slice_skip(w, letters));
		if (letters == 0 || letters > 3 || digits == 0)
			return false;
		w = slice_skip(w, letters + digits);
		if (w.n && *w.p != '-')
			return false;
		w = slice_skip(w, 1);
	}
	return true;
}

static bool starts_count(struct slice s, const struct perf_locale *l)
{
	struct dec d;

	if (slice_starts(s, SLICE("<not ")))
		return true;
	return perf_take_number(&s, l, &d) != NUM_NONE && (s.n == 0 || is_blank(*s.p));
}

/*
 * The number of CPUs behind an aggregate. A modifier /percore/ under -A prints
 * the core without it: then the number is the count. A group line has no
 * count, but its name starts with a capital.
 */
static void take_cpus(struct slice *s, const struct perf_locale *l, struct perf_place *p)
{
	size_t n = digits_at(*s);
	struct slice rest = slice_ltrim(slice_skip(*s, n));
	uint64_t v;

	if (n == 0 || n > 9 || s->n == n || !is_blank(s->p[n]) || !num_u64(slice_first(*s, n), &v))
		return;
	if (rest.n && !starts_count(rest, l) && *rest.p != '#' &&
	    !(*rest.p >= 'A' && *rest.p <= 'Z' && next_metric(rest, l) < rest.n))
		return;
	p->cpus = (int64_t)v;
	*s = rest;
}

/* "Web Content-123": the pid is behind the last dash before the count. */
static bool take_thread(struct slice *s, const struct perf_locale *l, struct perf_place *p)
{
	struct slice rest = *s;

	while (rest.n && rest.p - s->p < PERF_ID_MAX) {
		struct cut c = slice_cut_word(rest);
		size_t digits = 0;

		while (digits < c.head.n && is_digit(c.head.p[c.head.n - 1 - digits]))
			digits++;
		rest = slice_ltrim(c.tail);
		size_t end = (size_t)(c.head.p + c.head.n - s->p);
		if (digits == 0 || digits + 1 >= c.head.n ||
		    c.head.p[c.head.n - 1 - digits] != '-' || end > PERF_ID_MAX)
			continue;
		if (starts_count(rest, l) || (rest.n && *rest.p == '#')) {
			p->aggregate = slice_first(*s, end);
			*s = rest;
			return true;
		}
	}
	return false;
}

static void take_place(struct slice *s, const struct perf_locale *l, struct perf_place *p)
{
	*p = (struct perf_place){ .cpus = -1 };
	take_time(s, p);
	struct cut c = slice_cut_word(*s);
	if (perf_is_topology(c.head)) {
		p->aggregate = c.head;
		*s = slice_ltrim(c.tail);
		if (*c.head.p != 'C')
			take_cpus(s, l, p);
	} else if (!starts_count(*s, l)) {
		take_thread(s, l, p);
	}
}

/* ---- the middle: count, unit, event, cgroup ---- */

/* 1: a count and blanks were taken; 0: there is none; -1: it is too long. */
static int take_count(struct slice *s, const struct perf_locale *l, struct perf_row *row,
		      const char **at)
{
	static const struct slice words[] = { SLICE("<not counted>"), SLICE("<not supported>") };
	struct slice rest = *s;
	int got = 0;

	row->state = PERF_OK;
	for (size_t i = 0; i < 2 && !got; i++)
		if (slice_starts(rest, words[i])) {
			row->state = i ? PERF_NOT_SUPPORTED : PERF_NOT_COUNTED;
			rest = slice_skip(rest, words[i].n);
			got = 1;
		}
	if (!got)
		got = take(&rest, l, &row->value, at);
	if (got <= 0 || !rest.n || !is_blank(*rest.p))
		return got < 0 ? -1 : 0;
	*s = slice_ltrim(rest);
	size_t n = (size_t)(s->p - rest.p);
	for (size_t i = 0; i < n; i++)
		row->blanks += rest.p[i] == '\t' ? 2 : 1; /* a tab stands for several */
	return 1;
}

static void take_unit(struct slice *field, const struct perf_layout *layout, struct perf_row *row)
{
	struct cut c = slice_cut_word(*field);
	struct slice rest = slice_ltrim(c.tail);

	if (row->blanks != 1 || rest.n == 0 || *rest.p == '[' || *rest.p == '(')
		return;
	if (!layout->padded && !perf_is_unit(c.head))
		return;
	row->unit = c.head;
	*field = rest;
}

/* Where a column of cgroups stands behind the event: the last blanks that may be its border. */
static void take_cgroup(struct slice field, const struct perf_layout *layout, struct perf_row *row)
{
	size_t end = field.n;

	while (end > 0 && !is_blank(field.p[end - 1]))
		end--;
	size_t start = end;
	while (start > 0 && is_blank(field.p[start - 1]))
		start--;
	row->event = field;
	if (start == 0 || field.p[end] == '[' || field.p[end] == '(')
		return;
	row->gap = end - start;
	if (row->gap < 2 && !layout->cgroups)
		return;
	row->event = slice_first(field, start);
	row->cgroup = slice_skip(field, end);
}

static int read_counter(struct slice s, const struct perf_layout *layout, struct arena *a,
			struct perf_row *row, const char **at)
{
	size_t n = next_metric(s, &layout->locale);
	struct slice field = slice_rtrim(slice_first(s, n));

	if (field.n == 0)
		return 0;
	row->kind = ROW_COUNT;
	take_unit(&field, layout, row);
	take_cgroup(field, layout, row);
	return take_metrics(slice_skip(s, n), &layout->locale, a, row, at);
}

/* No count: further metrics, or a group's name and its first metric. */
static int read_metrics(struct slice s, const struct perf_layout *layout, struct arena *a,
			struct perf_row *row, const char **at)
{
	size_t n = next_metric(s, &layout->locale);
	struct cut name = slice_cut_word(slice_first(s, n));

	if (n == s.n || slice_trim(name.tail).n || name.head.n > PERF_ID_MAX)
		return 0;
	row->kind = name.ok ? ROW_GROUP : ROW_CONTINUATION;
	row->event = name.head;
	return take_metrics(slice_skip(s, n), &layout->locale, a, row, at);
}

int perf_row_read(struct slice line, const struct perf_layout *layout, struct arena *a,
		  struct perf_row *ret, const char **at)
{
	struct slice s = slice_trim(line);

	*ret = (struct perf_row){ .metrics = { ret->metrics.at, 0, ret->metrics.cap } };
	if (perf_row_tail(&s, &layout->locale, ret, at))
		return -1;
	s = slice_rtrim(s);
	if (s.n == 0) {
		ret->kind = ret->has_running || ret->has_variance ? ROW_TAIL : ROW_NONE;
		return 0;
	}
	take_place(&s, &layout->locale, &ret->place);
	if (take_cells(s, &layout->locale, ret)) {
		ret->kind = ROW_CELLS;
		return 0;
	}
	ret->metrics.n = 0;
	int got = take_count(&s, &layout->locale, ret, at);
	if (got <= 0)
		return got < 0 ? -1 : read_metrics(s, layout, a, ret, at);
	return read_counter(s, layout, a, ret, at);
}
