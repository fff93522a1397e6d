/* SPDX-License-Identifier: MIT */
#include "report/counters_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

enum { SHOWN_WITHOUT_RANK = 12, NAME_MIN = 16, NAME_MAX = 40, LOW_PERCENT = 50 };

const char *count_text(char *buf, struct dec v)
{
	char digits[DEC_BUF];
	struct slice s = dec_put(digits, v);
	size_t whole = 0, sign = s.n && *s.p == '-', n = 0;

	while (whole < s.n && s.p[whole] != '.')
		whole++;
	for (size_t i = 0; i < s.n; i++) {
		if (i > sign && i < whole && (whole - i) % 3 == 0)
			buf[n++] = ',';
		buf[n++] = s.p[i];
	}
	buf[n] = '\0';
	return buf;
}

/* ---- marks ---- */

static bool is_estimate(const struct counter_row *r)
{
	return (r->running_before >= 0 && r->running_before < LOW_PERCENT) ||
	       (r->running_after >= 0 && r->running_after < LOW_PERCENT);
}

/* perf's percentages are standard errors of the mean, of the value beside them. */
static bool within_noise(const struct counter_row *r)
{
	if (r->variance_before < 0 && r->variance_after < 0)
		return false;
	double b = dec_double(r->before) * fmax(r->variance_before, 0) / 100;
	double a = dec_double(r->after) * fmax(r->variance_after, 0) / 100;
	return fabs(dec_double(r->delta)) <= 2 * hypot(a, b);
}

static char mark_of(const struct counter_row *r)
{
	if (!r->has_delta)
		return ' ';
	if (dec_is_zero(r->delta) || within_noise(r))
		return '=';
	if (is_estimate(r))
		return '~';
	return r->delta.mantissa > 0 ? '+' : '-';
}

/* ---- cells ---- */

static const char *side_text(char *buf, bool has, struct dec v, struct slice note, const char *side)
{
	char text[64];

	if (has)
		return count_text(buf, v);
	/* "not counted before": the row's note says why there is nothing */
	snprintf(text, sizeof(text), "not supported %s", side);
	if (slice_has(note, slice_str(text)) || slice_eq_str(note, "not supported"))
		return "unsupported";
	snprintf(text, sizeof(text), "not counted %s", side);
	if (slice_has(note, slice_str(text)) || slice_eq_str(note, "not counted"))
		return "not counted";
	return "-";
}

static const char *change_text(char *buf, const struct counter_row *r)
{
	char digits[COUNT_BUF];

	if (r->has_percent && fabs(r->percent) < 1e6)
		snprintf(buf, COUNT_BUF, "%+.1f %%", r->percent);
	else if (r->has_delta)
		snprintf(buf, COUNT_BUF, "%s%s", r->delta.mantissa > 0 ? "+" : "",
			 count_text(digits, r->delta));
	else
		snprintf(buf, COUNT_BUF, "-");
	return buf;
}

static const char *noise_side(char *buf, size_t size, double v)
{
	if (v < 0)
		return "-";
	snprintf(buf, size, "%.2g", v);
	return buf;
}

/* "0.33/51": the error of each side, in percent. */
static const char *noise_text(char *buf, const struct counter_row *r)
{
	char before[16], after[16];

	if (r->variance_before < 0 && r->variance_after < 0)
		return "";
	snprintf(buf, COUNT_BUF, "%s/%s", noise_side(before, sizeof(before), r->variance_before),
		 noise_side(after, sizeof(after), r->variance_after));
	return buf;
}

/* ---- rows ---- */

struct table {
	struct out *o;
	const struct text_style *st;
	const struct counters_text *v;
	int name, before, after, change, noise;
	bool estimates, within;
};

static struct slice shown_name(const struct table *t, const struct counter_row *r)
{
	struct slice prefix = slice_str(t->v->prefix);

	return slice_starts(r->name, prefix) ? slice_skip(r->name, prefix.n) : r->name;
}

static void widen(int *width, const char *text)
{
	int n = (int)strlen(text);

	*width = n > *width ? n : *width;
}

static void measure(struct table *t, const struct counter_row *r)
{
	char buf[COUNT_BUF];
	int unit = r->unit.n ? utf8_columns(r->unit) + 1 : 0;
	int name = utf8_columns(shown_name(t, r)) + unit;

	t->name = name > t->name ? name : t->name;
	widen(&t->before, side_text(buf, r->has_before, r->before, r->note, "before"));
	widen(&t->after, side_text(buf, r->has_after, r->after, r->note, "after"));
	widen(&t->change, change_text(buf, r));
	widen(&t->noise, noise_text(buf, r));
	t->estimates |= mark_of(r) == '~';
	t->within |= mark_of(r) == '=' && !dec_is_zero(r->delta);
}

static void put_name(struct table *t, const struct counter_row *r)
{
	int unit = r->unit.n ? utf8_columns(r->unit) + 1 : 0, room = t->name;

	if (unit > room / 2)
		unit = 0;
	int used = out_safe_cut(t->o, shown_name(t, r), room - unit, t->st->ascii);
	if (unit) {
		out_byte(t->o, ' ');
		used += 1 + out_safe_cut(t->o, r->unit, unit - 1, t->st->ascii);
	}
	out_pad(t->o, ' ', room - used);
}

static void put_row(struct table *t, const struct counter_row *r)
{
	char buf[COUNT_BUF];

	out_printf(t->o, "%c ", mark_of(r));
	put_name(t, r);
	out_str(t->o, "  ");
	style_right(t->o, side_text(buf, r->has_before, r->before, r->note, "before"), t->before);
	out_str(t->o, "  ");
	style_right(t->o, side_text(buf, r->has_after, r->after, r->note, "after"), t->after);
	out_str(t->o, "  ");
	style_right(t->o, change_text(buf, r), t->change);
	if (t->noise && *noise_text(buf, r)) {
		out_str(t->o, "  ");
		style_right(t->o, noise_text(buf, r), t->noise);
	}
	out_byte(t->o, '\n');
}

static void put_heading(struct table *t)
{
	out_str(t->o, "  ");
	style_left(t->o, t->v->title, t->name);
	out_str(t->o, "  ");
	style_right(t->o, "before", t->before);
	out_str(t->o, "  ");
	style_right(t->o, "after", t->after);
	out_str(t->o, "  ");
	style_right(t->o, "change", t->change);
	if (t->noise) {
		out_str(t->o, "  ");
		style_right(t->o, "+- %", t->noise);
	}
	out_byte(t->o, '\n');
}

/* ---- which rows ---- */

struct place {
	int rank;
	size_t row;
};

static int by_rank(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
				  : (x->row > y->row) - (x->row < y->row);
}

/* The rows in the order in which they are shown: by rank, then as they stand. */
static struct place *ranked(const struct counters_text *v, size_t *ret_n, size_t *ret_first)
{
	struct place *p = mem_array(v->rows->n + 1, sizeof(*p));
	size_t n = 0;

	*ret_first = 0;
	for (size_t i = 0; i < v->rows->n; i++) {
		struct slice name = v->rows->at[i].name;

		if (!slice_starts(name, slice_str(v->prefix)))
			continue;
		p[n++] = (struct place){ v->rank(name), i };
		*ret_first += p[n - 1].rank < v->rank_other;
	}
	qsort(p, n, sizeof(*p), by_rank);
	*ret_n = n;
	return p;
}

static void put_legend(const struct table *t, size_t hidden)
{
	if (t->within)
		out_str(t->o, "= changed by less than twice the error of both sides\n");
	if (t->estimates)
		out_str(t->o,
			"~ counted less than half of the time: estimates, the difference too\n");
	if (hidden)
		out_printf(t->o, "%zu counter%s more: --all\n", hidden, hidden == 1 ? "" : "s");
}

void counters_text(struct out *o, const struct text_style *st, const struct counters_text *v)
{
	struct table t = { .o = o, .st = st, .v = v, .before = 6, .after = 5, .change = 6 };
	size_t total, n;
	struct place *order = ranked(v, &total, &n);

	if (v->all)
		n = total;
	else if (!n)
		n = total < SHOWN_WITHOUT_RANK ? total : SHOWN_WITHOUT_RANK;
	t.name = (int)strlen(v->title);
	for (size_t i = 0; i < n; i++)
		measure(&t, &v->rows->at[order[i].row]);
	int room = st->width - 2 - t.before - t.after - t.change - 6 - (t.noise ? t.noise + 2 : 0);
	t.noise = t.noise && t.noise < 4 ? 4 : t.noise;
	t.name = t.name > room ? room : t.name;
	t.name = t.name < NAME_MIN ? NAME_MIN : t.name > NAME_MAX ? NAME_MAX : t.name;
	if (n)
		put_heading(&t);
	for (size_t i = 0; i < n; i++)
		put_row(&t, &v->rows->at[order[i].row]);
	put_legend(&t, total - n);
	mem_free(order);
}
