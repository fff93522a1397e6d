/* SPDX-License-Identifier: MIT */
#include "report/perf_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "model/perf_counters.h"
#include "report/counters_text.h"
#include "report/readings_view.h"

enum { SHOWN_WITHOUT_RANK = 12, NAME_MAX = 36, LOW_PERCENT = 50, UNIT_MIN = 8 };

static const char title[] = "TLB, page faults, caches";

/* ---- what was measured ---- */

static struct slice shown_path(const struct source_info *info)
{
	return slice_str(strcmp(info->path, "-") ? info->path : "standard input");
}

/* "'make -j2'", "the whole system", "process 7" */
static void put_target(struct out *o, const struct text_style *st, const struct perf_block *b,
		       int width)
{
	static const char *const words[] = {
		"", "", "the whole system", "", "process ", "thread "
	};
	bool quoted = b->target_kind == PERF_COMMAND || b->target_kind == PERF_TARGET_NONE;

	out_str(o, words[b->target_kind]);
	if (b->target_kind == PERF_SYSTEM)
		return;
	out_str(o, quoted ? "'" : "");
	out_safe_cut(o, b->target, width, st->ascii);
	out_str(o, quoted ? "'" : "");
}

static void put_seconds(struct out *o, const char *before, struct dec v, const char *behind)
{
	out_printf(o, "%s%.3f s%s", before, dec_double(v), behind);
}

static size_t count_intervals(const struct perf_doc *d, const struct perf_block *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n_events; i++) {
		const struct perf_place *p = &d->events[b->first_event + i].place;

		n += p->has_time &&
		     (i == 0 ||
		      dec_cmp(p->time, d->events[b->first_event + i - 1].place.time) != 0);
	}
	return n;
}

/* "5 runs, 0.051 s elapsed +- 6.36 %, 0.001 s user, 0.000 s sys, 25 events" */
static void put_facts(struct out *o, const struct perf_doc *d, const struct perf_block *b)
{
	size_t intervals = count_intervals(d, b);
	char buf[DEC_BUF];

	if (b->runs > 1)
		out_printf(o, "%lld runs, ", (long long)b->runs);
	if (b->has_elapsed)
		put_seconds(o, "", b->elapsed_s, " elapsed");
	if (b->has_elapsed_variance)
		out_printf(o, " +- %.*s %%", SLICE_FMT(dec_put(buf, b->elapsed_variance_pct)));
	if (b->has_user)
		put_seconds(o, ", ", b->user_s, " user");
	if (b->has_sys)
		put_seconds(o, ", ", b->sys_s, " sys");
	if (b->has_elapsed)
		out_str(o, ", ");
	if (intervals)
		out_printf(o, "%zu interval%s, summed, ", intervals, intervals == 1 ? "" : "s");
}

/* ---- rows of one block ---- */

struct row {
	const struct counter *c;
	const struct perf_metric *metric; /* its first; NULL: none, or of an interval */
	int rank;
	size_t place;
};

struct table {
	struct out *o;
	const struct text_style *st;
	struct row *rows;
	size_t n, first; /* all, and those of a rank */
	int name, value, noise, ran;
	size_t estimates;
};

static bool is_estimate(const struct counter *c)
{
	return c->present && c->running_pct >= 0 && c->running_pct < LOW_PERCENT;
}

static int by_rank(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->rank != y->rank)
		return (x->rank > y->rank) - (x->rank < y->rank);
	return (x->place > y->place) - (x->place < y->place);
}

/* Elapsed, user and sys stand in the line above. */
static bool is_row(const struct counter *c)
{
	return c->kind == COUNTER_EVENT || !slice_eq_str(c->unit, "s");
}

/* Without intervals the counters of events stand in the order of the events. */
static void fill_rows(struct table *t, const struct perf_doc *d, const struct perf_block *b,
		      const struct counter_list *list)
{
	bool timed = count_intervals(d, b) > 0;
	const struct perf_event *ev = perf_events(d, b);

	t->rows = mem_array(list->n + 1, sizeof(*t->rows));
	for (size_t i = 0; i < list->n; i++) {
		const struct counter *c = &list->at[i];
		struct row *r = &t->rows[t->n];

		if (!is_row(c))
			continue;
		*r = (struct row){ .c = c, .rank = perf_event_rank(c->name), .place = t->n++ };
		if (!timed && i < b->n_events && ev[i].n_metrics)
			r->metric = &d->metrics[ev[i].first_metric];
		t->first += r->rank < PERF_RANK_OTHER;
		t->estimates += is_estimate(c);
	}
	qsort(t->rows, t->n, sizeof(*t->rows), by_rank);
}

static struct slice shown_name(const struct counter *c)
{
	return slice_skip(c->name, strlen("perf."));
}

static const char *value_text(char *buf, const struct counter *c)
{
	if (c->present)
		return count_text(buf, c->value);
	return slice_eq_str(c->note, "not supported") ? "unsupported" : "not counted";
}

/* "0.33", or "" */
static const char *noise_text(char *buf, const struct counter *c)
{
	snprintf(buf, COUNT_BUF, "%.2f", c->variance_pct);
	return c->variance_pct < 0 ? "" : buf;
}

static const char *ran_text(char *buf, const struct counter *c)
{
	snprintf(buf, COUNT_BUF, "%s%.0f %%", is_estimate(c) ? "~" : "", c->running_pct);
	return c->running_pct < 0 || c->running_pct >= 100 || !c->present ? "" : buf;
}

static void widen(int *width, const char *text)
{
	int n = (int)strlen(text);

	*width = n > *width ? n : *width;
}

static int unit_columns(const struct counter *c)
{
	return c->unit.n ? utf8_columns(c->unit) + 1 : 0;
}

static void measure(struct table *t, size_t shown)
{
	char buf[COUNT_BUF];

	t->name = (int)strlen(title);
	t->value = 5;
	for (size_t i = 0; i < shown; i++) {
		const struct counter *c = t->rows[i].c;
		int name = utf8_columns(shown_name(c)) + unit_columns(c);

		t->name = name > t->name ? name : t->name;
		widen(&t->value, value_text(buf, c));
		widen(&t->noise, noise_text(buf, c));
		widen(&t->ran, ran_text(buf, c));
	}
	t->name = t->name > NAME_MAX ? NAME_MAX : t->name;
	t->noise = t->noise && t->noise < 4 ? 4 : t->noise;
}

static void put_cell(struct table *t, const char *text, int width)
{
	if (width) {
		out_str(t->o, "  ");
		style_right(t->o, text, width);
	}
}

/* "% of all L1-dcache accesses" is "% of accesses": the event says the rest. */
static struct slice short_unit(struct slice unit, char *buf, size_t size)
{
	size_t i = unit.n;

	if (!slice_starts(unit, SLICE("% of all ")) && !slice_starts(unit, SLICE("of all ")))
		return unit;
	while (i > 0 && unit.p[i - 1] != ' ')
		i--;
	snprintf(buf, size, "%% of %.*s", SLICE_FMT(slice_skip(unit, i)));
	return slice_str(buf);
}

/* The metric as far as there is room: a unit may be a sentence. */
static void put_metric(struct table *t, const struct perf_metric *m, int used)
{
	char buf[DEC_BUF], unit[64];
	struct slice v = dec_put(buf, m->value);
	int room = t->st->width - used - 2 - (int)v.n - 1;

	if (!m->present || room < UNIT_MIN)
		return;
	out_printf(t->o, "  %.*s ", SLICE_FMT(v));
	out_safe_cut(t->o, short_unit(m->unit, unit, sizeof(unit)), room, t->st->ascii);
}

static void put_row(struct table *t, const struct row *r)
{
	const struct counter *c = r->c;
	char buf[COUNT_BUF];
	int unit = unit_columns(c), used = 2 + t->name;

	out_str(t->o, "  ");
	int name = out_safe_cut(t->o, shown_name(c), t->name - unit, t->st->ascii);
	if (unit) {
		out_byte(t->o, ' ');
		name += 1 + out_safe_cut(t->o, c->unit, unit - 1, t->st->ascii);
	}
	out_pad(t->o, ' ', t->name - name);
	put_cell(t, value_text(buf, c), t->value);
	bool noise = *noise_text(buf, c), ran = *ran_text(buf, c);
	used += 2 + t->value;
	if (noise || ran || r->metric) {
		put_cell(t, noise_text(buf, c), t->noise);
		put_cell(t, ran_text(buf, c), t->ran);
		used += (t->noise ? 2 + t->noise : 0) + (t->ran ? 2 + t->ran : 0);
	}
	if (r->metric)
		put_metric(t, r->metric, used);
	while (t->o->n && t->o->buf[t->o->n - 1] == ' ') /* nothing behind the last word */
		t->o->n--;
	out_byte(t->o, '\n');
}

static void put_rows(struct table *t, bool all)
{
	size_t shown = t->first;

	if (all)
		shown = t->n;
	else if (!shown)
		shown = t->n < SHOWN_WITHOUT_RANK ? t->n : SHOWN_WITHOUT_RANK;
	measure(t, shown);
	if (shown) {
		out_str(t->o, "\n  ");
		style_left(t->o, t->first ? title : "events", t->name);
		put_cell(t, "count", t->value);
		put_cell(t, "+- %", t->noise);
		put_cell(t, "ran", t->ran);
		out_byte(t->o, '\n');
	}
	for (size_t i = 0; i < shown; i++)
		put_row(t, &t->rows[i]);
	if (t->estimates)
		text_say(t->o, t->st, "~ %zu event%s counted less than half of the time: estimates.",
			 t->estimates, t->estimates == 1 ? " was" : "s were");
	if (t->n > shown)
		out_printf(t->o, "%zu event%s more: --all\n", t->n - shown,
			   t->n - shown == 1 ? "" : "s");
}

static void put_block(struct out *o, const struct text_style *st, const struct perf_text *v,
		      size_t which)
{
	struct perf_doc one = *v->doc;
	struct counter_list list = { 0 };
	struct arena a = { 0 };
	struct table t = { .o = o, .st = st };
	const struct perf_block *b = &v->doc->blocks[which];

	one.blocks = &v->doc->blocks[which];
	one.n_blocks = 1;
	perf_counters(&one, &a, &list);
	fill_rows(&t, v->doc, b, &list);
	if (b->has_header) {
		out_str(o, "of ");
		put_target(o, st, b, st->width - 12);
		out_byte(o, '\n');
	}
	struct out facts;

	out_memory(&facts);
	put_facts(&facts, v->doc, b);
	out_printf(&facts, "%zu event%s", t.n, t.n == 1 ? "" : "s");
	text_wrapped(o, st, out_slice(&facts), 0, 0);
	out_close(&facts);
	put_rows(&t, v->all);
	mem_free(t.rows);
	counters_free(&list);
	arena_free(&a);
}

static void put_source(struct out *o, const struct text_style *st, const struct source_info *info,
		       const struct perf_doc *d)
{
	uint32_t foreign = info->notes[NOTE_FOREIGN], damaged = info->notes[NOTE_DAMAGED];

	out_path_cut(o, shown_path(info), st->width - 40, st->ascii);
	out_printf(o, "   perf stat as %s", perf_form_names[d->form]);
	if (d->n_blocks > 1)
		out_printf(o, ", %zu blocks", d->n_blocks);
	if (foreign)
		out_printf(o, ", %u line%s not of perf skipped", foreign, foreign == 1 ? "" : "s");
	out_byte(o, '\n');
	if (damaged)
		out_printf(o, "INCOMPLETE: %u line%s cut or broken, and %s left out.\n", damaged,
			   damaged == 1 ? " is" : "s are", damaged == 1 ? "is" : "are");
}

void perf_text(struct out *o, const struct text_style *st, const struct perf_text *v)
{
	put_source(o, st, v->info, v->doc);
	for (size_t i = 0; i < v->doc->n_blocks; i++) {
		if (v->doc->n_blocks > 1)
			out_byte(o, '\n');
		put_block(o, st, v, i);
	}
	if (v->readings->n)
		out_byte(o, '\n');
	text_readings(o, st, v->readings, 0, v->readings->n);
}

/* ---- the difference of two ---- */

static const struct perf_block *only_header(const struct perf_doc *d)
{
	return d->n_blocks == 1 && d->blocks[0].has_header ? &d->blocks[0] : NULL;
}

static void put_targets(struct out *o, const struct text_style *st, const struct perf_diff_text *v)
{
	const struct perf_block *b = only_header(v->before), *a = only_header(v->after);

	if (!b || !a)
		return;
	if (slice_eq(b->target, a->target)) {
		out_str(o, "both of ");
		put_target(o, st, b, st->width - 12);
	} else {
		out_str(o, "of ");
		put_target(o, st, b, st->width / 2 - 8);
		out_str(o, " -> ");
		put_target(o, st, a, st->width / 2 - 8);
	}
	out_byte(o, '\n');
}

static void put_elapsed(struct out *o, const struct counter_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *r = &rows->at[i];

		if (!slice_eq_str(r->name, "perf.elapsed") || !r->has_before || !r->has_after)
			continue;
		out_printf(o, "elapsed %.3f -> %.3f s", dec_double(r->before),
			   dec_double(r->after));
		if (r->has_percent)
			out_printf(o, "   %+.1f %%", r->percent);
		out_byte(o, '\n');
	}
}

void perf_rows_text(struct out *o, const struct text_style *st, const struct counter_rows *rows,
		    bool all)
{
	counters_text(o, st,
		      &(struct counters_text){ .rows = rows,
					       .title = title,
					       .prefix = "perf.",
					       .rank = perf_event_rank,
					       .rank_other = PERF_RANK_OTHER,
					       .all = all });
}

/* perf stat -r: its numbers are means of several runs, and it prints how far they vary. */
static bool is_repeated(const struct perf_doc *d)
{
	for (size_t i = 0; i < d->n_blocks; i++)
		if (d->blocks[i].runs > 1)
			return true;
	return false;
}

void perf_diff_text(struct out *o, const struct text_style *st, const struct perf_diff_text *v)
{
	const char *before = v->before_info->path, *after = v->after_info->path;

	text_sides(o, st, before ? before : "?", after ? after : "?", "perf stat");
	put_targets(o, st, v);
	put_elapsed(o, v->rows);
	out_byte(o, '\n');
	perf_rows_text(o, st, v->rows, v->all);
	if (v->readings->n)
		out_byte(o, '\n');
	text_readings(o, st, v->readings, 0, v->readings->n);
	if (!is_repeated(v->before) && !is_repeated(v->after)) {
		out_byte(o, '\n');
		text_say(o, st, STYLE_ONE_RUN);
	}
}
