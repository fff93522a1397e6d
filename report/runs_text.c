/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/utf8.h"
#include "report/readings_view.h"
#include "report/runs_view.h"

enum {
	MARK = 2,
	MEDIAN = 12,
	SPREAD = 8,
	CHANGE = 9,
	CHANCE = 8,
	NUMBERS = 2 * (MEDIAN + SPREAD) + CHANGE + CHANCE,
	NAME_MIN = 16,
	CELL = 64,
};

/* ---- one cell ---- */

static bool unit_is(const struct figure *f, const char *unit)
{
	return slice_eq_str(f->unit, unit);
}

static void put_plain(char *cell, double v)
{
	char digits[NUM_BUF];

	if (fabs(v) >= 1e13) /* CSV and JSON have every digit */
		snprintf(cell, CELL, "%.5g T", v / 1e12);
	else if (fabs(v) >= 1e10)
		snprintf(cell, CELL, "%.5g G", v / 1e9);
	else if (v == floor(v))
		snprintf(cell, CELL, "%.*s", SLICE_FMT(num_put_commas(digits, (int64_t)v)));
	else
		snprintf(cell, CELL, "%.6g", v);
}

static void put_value(char *cell, const struct runs_view *v, const struct figure *f, double x)
{
	char buf[STYLE_BUF];

	if (unit_is(f, "fraction"))
		snprintf(cell, CELL, "%.1f %%", 100 * x);
	else if (unit_is(f, "kB") && !v->style->kb)
		snprintf(cell, CELL, "%s", style_amount(buf, v->style, (uint64_t)llround(x)));
	else
		put_plain(cell, x);
}

/* Of fractions in points, since a percentage of a percentage is misread. */
static void put_change(char *cell, const struct figure *f)
{
	if (unit_is(f, "fraction"))
		snprintf(cell, CELL, "%+.1f pt", 100 * f->delta);
	else if (!isnan(f->percent) && fabs(f->percent) < 1e5)
		snprintf(cell, CELL, "%+.1f %%", f->percent);
	else
		snprintf(cell, CELL, "%s", f->delta > 0 ? "up" : f->delta < 0 ? "down" : "0");
}

static void put_chance(char *cell, double p)
{
	if (p < 0.001)
		snprintf(cell, CELL, "<0.001");
	else
		snprintf(cell, CELL, "%.3f", p);
}

/* ---- names ---- */

static const struct {
	const char *key, *name;
} words[] = {
	{ "rss_kb", "resident" },
	{ "coverage", "coverage" },
	{ "share", "share" },
	{ "delivered", "delivered" },
	{ "size_kb", "size" },
	{ "pss_kb", "Pss" },
	{ "anonymous_kb", "Anonymous" },
	{ "swap_kb", "swapped" },
	{ "anon_huge_kb", "AnonHugePages" },
	{ "shmem_pmd_kb", "ShmemPmdMapped" },
	{ "file_pmd_kb", "FilePmdMapped" },
	{ "hugetlb_kb", "hugetlb" },
	{ "vmas", "mappings" },
	{ "slots_ideal", "slots by size" },
	{ "slots_fit", "slots that fit" },
	{ "slots_lost", "slots lost" },
};

static const char *word_of(struct slice key)
{
	for (int i = 0; i < FATE_COUNT; i++)
		if (slice_eq_str(key, fate_rows[i].json_key))
			return fate_rows[i].name;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_eq_str(key, words[i].key))
			return words[i].name;
	return NULL;
}

/* "anon.policy_loss_kb" is "anon not allowed": the words of a report. */
static void put_name(struct out *o, const struct runs *r, const struct figure *f)
{
	struct cut c = slice_cut(f->name, '.');
	const char *word = c.ok ? word_of(c.tail) : NULL;

	if (word) {
		if (slice_eq_str(c.head, "totals"))
			out_str(o, "total");
		else
			out_put(o, c.head);
		out_printf(o, " %s", word);
	} else {
		out_put(o, f->name);
	}
	if (f->unit.n && !unit_is(f, "kB") && !unit_is(f, "fraction")) {
		out_str(o, ", ");
		out_put(o, f->unit);
	}
	if (f->stats[BEFORE].n != r->n[BEFORE] || f->stats[AFTER].n != r->n[AFTER])
		out_printf(o, " (%zu+%zu)", f->stats[BEFORE].n, f->stats[AFTER].n);
}

/* ---- the table ---- */

static int name_width(const struct runs_view *v)
{
	int n = v->style->width - MARK - NUMBERS;

	return n < NAME_MIN ? NAME_MIN : n;
}

static void write_header(struct out *o, const struct runs_view *v)
{
	char chance[CELL];
	const char *unit = v->style->kb ? "sizes in kB" : "sizes in MiB";

	snprintf(chance, sizeof(chance), "p %zu+%zu", v->r->n[BEFORE], v->r->n[AFTER]);
	style_on(o, v->style, ROLE_DIM);
	out_pad(o, ' ', MARK);
	style_left(o, unit, name_width(v));
	style_right(o, "before", MEDIAN);
	style_right(o, "+-", SPREAD);
	style_right(o, "after", MEDIAN);
	style_right(o, "+-", SPREAD);
	style_right(o, "change", CHANGE);
	style_right(o, chance, CHANCE);
	style_off(o, v->style, ROLE_DIM);
	out_byte(o, '\n');
}

/* How far the farthest run is off: few runs have no other spread that hides nothing. */
static double spread_of(const struct stats *s)
{
	return fmax(s->max - s->median, s->median - s->min);
}

static void write_row(struct out *o, const struct runs_view *v, const struct figure *f)
{
	enum role role = f->stands_out ? ROLE_TITLE : ROLE_PLAIN;
	struct out name;
	char cell[CELL];

	style_on(o, v->style, role);
	out_str(o, f->stands_out ? "* " : "  ");
	out_memory(&name);
	put_name(&name, v->r, f);
	out_pad(o, ' ', name_width(v) - out_safe_cut(o, out_slice(&name), name_width(v),
						      v->style->ascii));
	out_close(&name);
	for (int s = 0; s < SIDES; s++) {
		snprintf(cell, sizeof(cell), "-");
		if (f->stats[s].n)
			put_value(cell, v, f, f->stats[s].median);
		style_right(o, cell, MEDIAN);
		snprintf(cell, sizeof(cell), "-");
		if (f->stats[s].n > 1)
			put_value(cell, v, f, spread_of(&f->stats[s]));
		style_right(o, cell, SPREAD);
	}
	snprintf(cell, sizeof(cell), "-");
	if (f->tested)
		put_change(cell, f);
	style_right(o, cell, CHANGE);
	snprintf(cell, sizeof(cell), "-");
	if (f->tested)
		put_chance(cell, f->test.p);
	style_right(o, cell, CHANCE);
	style_off(o, v->style, role);
	out_byte(o, '\n');
}

/* What a reader looks for first, whether it stands out or not. */
static bool always_shown(struct slice name)
{
	static const char *const names[] = { "anon.huge_kb", "anon.rss_kb", "anon.coverage" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_eq_str(name, names[i]))
			return true;
	return false;
}

static bool same_values(const struct figure *a, const struct figure *b)
{
	for (int s = 0; s < SIDES; s++) {
		if (a->stats[s].n != b->stats[s].n)
			return false;
		for (size_t i = 0; i < a->stats[s].n; i++)
			if (a->values[s][i] != b->values[s][i])
				return false;
	}
	return true;
}

/* Where all memory is anonymous, "all" and "totals" say everything again. */
static bool said_before(const struct runs *r, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_values(&r->figures[i], &r->figures[at]))
			return true;
	return false;
}

static bool is_shown(const struct runs_view *v, size_t i)
{
	const struct figure *f = &v->r->figures[i];

	if (!f->stats[BEFORE].n && !f->stats[AFTER].n)
		return false;
	if (v->all || always_shown(f->name))
		return true;
	return f->stands_out && !said_before(v->r, i);
}

/* Returns how many were left out. */
static size_t write_table(struct out *o, const struct runs_view *v)
{
	size_t shown = 0;

	for (size_t i = 0; i < v->r->figures_n; i++) {
		const struct figure *f = &v->r->figures[i];

		if (!is_shown(v, i))
			continue;
		if (v->top && shown == v->top)
			break;
		if (!shown++)
			write_header(o, v);
		write_row(o, v, f);
	}
	if (shown)
		out_byte(o, '\n');
	return v->r->figures_n - shown;
}

/* ---- sentences ---- */

static void write_side(struct out *o, const struct runs_view *v, int side)
{
	static const char *const names[SIDES] = { "before", "after " };
	size_t n = v->r->n[side];
	struct out list;

	out_memory(&list);
	for (size_t i = 0; i < n; i++) {
		const struct source_info *s = &v->r->side[side][i].source;

		out_str(&list, i ? " " : "");
		if (s->path)
			out_str(&list, s->path);
		else
			out_i64(&list, s->pid);
	}
	int used = snprintf(NULL, 0, "%s  %zu run%s: ", names[side], n, n == 1 ? "" : "s");
	out_printf(o, "%s  %zu run%s: ", names[side], n, n == 1 ? "" : "s");
	out_safe_cut(o, out_slice(&list), v->style->width - used, v->style->ascii);
	out_byte(o, '\n');
	out_close(&list);
}

/* How many runs a side can show a difference. */
static size_t enough_runs(void)
{
	size_t n = 1;

	while (stats_p_min(n, n) > RUNS_P)
		n++;
	return n;
}

static void write_too_few(struct out *o, const struct text_style *st, const struct runs *r)
{
	text_say(o, st, "Too few runs: %zu and %zu cannot show a difference (p is at least %.3f); "
			"%zu a side can (%.3f).",
		 r->n[BEFORE], r->n[AFTER], r->p_min, enough_runs(), stats_p_min(enough_runs(), enough_runs()));
}

static const char *class_word(const char *name)
{
	static const char *const class_words[][2] = {
		{ "anon", "anonymous" }, { "shmem", "shared" }, { "file", "file" },
	};

	for (size_t i = 0; i < sizeof(class_words) / sizeof(class_words[0]); i++)
		if (name && strcmp(name, class_words[i][0]) == 0)
			return class_words[i][1];
	return "";
}

/* Where most of what was huge is now. */
static const char *cause_of(const struct runs *r)
{
	const char *cause = NULL;
	double most = 0;
	char name[CELL];

	for (int i = 0; i < FATE_COUNT; i++) {
		snprintf(name, sizeof(name), "%s.%s", r->loss_class, fate_rows[i].json_key);
		const struct figure *f = runs_figure(r, name);

		if (i != FATE_HUGE && f && f->tested && f->delta > most) {
			most = f->delta;
			cause = fate_rows[i].name;
		}
	}
	return cause;
}

static void write_loss(struct out *o, const struct runs_view *v)
{
	char kb[STYLE_BUF], name[CELL];
	const struct runs *r = v->r;
	const struct figure *f;

	snprintf(name, sizeof(name), "%s.huge_kb", r->loss_class);
	f = runs_figure(r, name);
	style_text(o, v->style, ROLE_BAD, "LOSS");
	out_printf(o, ": %s of %s memory is no longer huge in the median run",
		   style_kb(kb, (uint64_t)llround(r->loss_kb)), class_word(r->loss_class));
	if (f && f->tested)
		out_printf(o, "\n(p %.3f, %zu and %zu runs)", f->test.p, f->stats[BEFORE].n,
			   f->stats[AFTER].n);
	if (cause_of(r))
		out_printf(o, "; most of it is %s now", cause_of(r));
	out_str(o, ".\n");
}

static void write_verdict(struct out *o, const struct runs_view *v)
{
	const struct runs *r = v->r;
	const struct figure *huge = runs_figure(r, "all.huge_kb");
	char kb[STYLE_BUF];

	if (r->p_min > RUNS_P) {
		write_too_few(o, v->style, r);
	} else if (r->verdict == VERDICT_LOSS) {
		write_loss(o, v);
	} else if (r->verdict == VERDICT_GAIN) {
		style_text(o, v->style, ROLE_GOOD, "GAIN");
		out_printf(o, ": %s more is huge in the median run (p %.3f, %zu and %zu runs).\n",
			   style_kb(kb, (uint64_t)llround(huge->delta)), huge->test.p,
			   huge->stats[BEFORE].n, huge->stats[AFTER].n);
	} else if (r->verdict == VERDICT_NO_LOSS) {
		style_text(o, v->style, ROLE_GOOD, "NO LOSS");
		out_str(o, " of huge pages stands out.\n");
	} else {
		out_printf(o, "%zu of %zu figures that vary stand out.\n", r->standing_out,
			   r->tested);
	}
}

static void write_foot(struct out *o, const struct runs_view *v, size_t hidden)
{
	const struct runs *r = v->r;
	size_t chance = (size_t)floor((double)r->tested * RUNS_P);

	out_str(o, "Medians; all runs lie within +- of them; p is that of Mann-Whitney U.\n");
	if (r->p_min <= RUNS_P)
		out_printf(o, "* stands out: p is at most %.2f. %zu of the %zu figures that vary "
			      "do; up to %zu\nwould by chance.\n", RUNS_P, r->standing_out,
			   r->tested, chance);
	if (hidden)
		out_printf(o, "%zu figure%s not shown: --all\n", hidden, hidden == 1 ? "" : "s");
}

void runs_text(struct out *o, const struct runs_view *v)
{
	for (int s = 0; s < SIDES; s++)
		write_side(o, v, s);
	for (size_t i = 0; i < v->r->unlike_n; i++)
		out_printf(o, "%s%s%s", i ? ", " : "The runs differ in: ", v->r->unlike[i],
			   i + 1 == v->r->unlike_n ? "\n" : "");
	write_verdict(o, v);
	out_byte(o, '\n');
	size_t hidden = write_table(o, v);
	write_foot(o, v, hidden);
}
