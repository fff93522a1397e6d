/* SPDX-License-Identifier: MIT */
#include "model/perf_counters.h"

#include <stdio.h>

#include "base/out.h"
#include "base/strmap.h"

/* ---- events ---- */

static const struct {
	const char *old, *now;
} renamed[] = {
	{ "CPU-migrations", "cpu-migrations" },
	{ "task-clock-msecs", "task-clock" },
	{ "cpu-clock-msecs", "cpu-clock" },
};

/* "CPU-migrations" is "cpu-migrations" since 3.1x, "task-clock-msecs" was "task-clock". */
static struct slice perf_event_name(struct slice printed)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (slice_eq_str(printed, renamed[i].old))
			return slice_str(renamed[i].now);
	return printed;
}

/* A part of the name, in the order in which they are shown. */
static const char *const ranks[] = {
	"dTLB",         "dtlb",         "iTLB",       "itlb",      "page-faults",
	"minor-faults", "major-faults", "page_fault", "page_walk", "L1-dcache",
	"L1-icache",    "LLC",          "cache",      "mem_load",
};

int perf_event_rank(struct slice event)
{
	for (int i = 0; i < (int)(sizeof(ranks) / sizeof(ranks[0])); i++)
		if (slice_has(event, slice_str(ranks[i])))
			return i;
	return PERF_RANK_OTHER;
}

/* ---- names ---- */

/*
 * How often a name without its #2 came: in earlier blocks, and in this interval of
 * this one; and the number of the last counter that was named so.
 */
struct times {
	unsigned before, now, most, number;
	size_t first; /* 1 + place in the list of the first one; most have no other */
	unsigned interval, block;
};

/* What became of a counter's rows, by its place in the list. */
struct tally {
	unsigned rows, counted, unsupported;
	bool too_large;
};

struct maker {
	const struct perf_doc *d;
	struct arena *a;
	struct counter_list *list;
	struct strmap times_of[2]; /* of gauges and of events: name without #2 to 1 + place in times */
	struct strmap counter_of;  /* of further ones: "place in times:occurrence" to the same */
	struct strmap numbered;    /* names in the list that got a number */
	struct times *times;
	size_t n_times, cap_times;
	struct tally *tally;
	size_t cap_tally;
	struct out name;
	struct slice base; /* the newest name without a number */
	unsigned interval, block;
	bool several_cgroups;
};

/* The entry of the name in m->name. */
static struct times *times_at(struct maker *m, enum counter_kind kind)
{
	struct strmap *map = &m->times_of[kind == COUNTER_EVENT];
	struct slice name = out_slice(&m->name);
	size_t *at = strmap_find(map, name);

	if (!at) {
		m->times = mem_grow(m->times, &m->cap_times, m->n_times + 1, sizeof(*m->times));
		m->times[m->n_times++] = (struct times){ .interval = m->interval,
							 .block = m->block };
		m->base = arena_copy(m->a, name);
		at = strmap_at(map, m->base, NULL);
		*at = m->n_times;
	}
	return &m->times[*at - 1];
}

/* The number of this occurrence, from 1. The intervals of a block count the same events again. */
static unsigned occurrence(struct maker *m, struct times *t)
{
	if (t->block != m->block) {
		t->before += t->most;
		t->most = 0;
	}
	if (t->block != m->block || t->interval != m->interval)
		t->now = 0;
	t->block = m->block;
	t->interval = m->interval;
	if (++t->now > t->most)
		t->most = t->now;
	return t->before + t->now;
}

static bool is_taken(const struct maker *m, struct slice name)
{
	for (size_t k = 0; k < 2; k++) {
		const size_t *at = strmap_find(&m->times_of[k], name);
		size_t first = at ? m->times[*at - 1].first : 0;

		if (first && slice_eq(m->list->at[first - 1].name, name))
			return true;
	}
	return strmap_find(&m->numbered, name) != NULL;
}

/* The next name with a number that is free: an event may be called cycles#2 by itself. */
static struct slice free_name(struct maker *m, struct times *t)
{
	size_t n = out_slice(&m->name).n;

	do {
		m->name.n = n;
		if (++t->number > 1)
			out_printf(&m->name, "#%u", t->number);
	} while (is_taken(m, out_slice(&m->name)));
	if (t->number == 1)
		return m->base; /* it is new, or it had this number already */
	struct slice name = arena_copy(m->a, out_slice(&m->name));
	strmap_at(&m->numbered, name, NULL);
	return name;
}

/* Where the place of the nth occurrence is kept. */
static size_t *further_at(struct maker *m, const struct times *t, unsigned n)
{
	char buf[48];
	int len = snprintf(buf, sizeof(buf), "%zu:%u", (size_t)(t - m->times), n);
	struct slice key = slice_of(buf, (size_t)len);
	size_t *at = strmap_find(&m->counter_of, key);

	return at ? at : strmap_at(&m->counter_of, arena_copy(m->a, key), NULL);
}

/* The counter of the name in m->name, made when it is new. */
static struct counter *counter_at(struct maker *m, enum counter_kind kind, struct slice unit)
{
	struct times *t = times_at(m, kind);
	unsigned n = occurrence(m, t);
	size_t *at = n == 1 ? &t->first : further_at(m, t, n);

	if (!*at) {
		counters_add(m->list, free_name(m, t), unit, kind);
		*at = m->list->n;
		m->tally = mem_grow(m->tally, &m->cap_tally, m->list->n, sizeof(*m->tally));
		m->tally[*at - 1] = (struct tally){ 0 };
	}
	return &m->list->at[*at - 1];
}

static struct tally *tally_of(struct maker *m, const struct counter *c)
{
	return &m->tally[c - m->list->at];
}

static void put_part(struct out *o, struct slice s)
{
	out_put(o, s);
	out_byte(o, '.');
}

static void start_name(struct maker *m, const struct perf_place *p, struct slice cgroup)
{
	out_reset(&m->name);
	out_str(&m->name, "perf.");
	if (p->aggregate.n) {
		out_str(&m->name, p->is_cpu ? "CPU" : "");
		put_part(&m->name, p->aggregate);
	}
	if (m->several_cgroups && cgroup.n)
		put_part(&m->name, cgroup);
}

/* ---- values ---- */

static void add_value(struct maker *m, struct counter *c, struct dec v)
{
	struct tally *t = tally_of(m, c);

	t->too_large |= c->present && !dec_add(c->value, v, &c->value);
	if (!c->present)
		c->value = v;
	c->present = true;
	t->counted++;
}

static void add_event(struct maker *m, const struct perf_event *ev)
{
	start_name(m, &ev->place, ev->cgroup);
	out_put(&m->name, perf_event_name(ev->event));
	struct counter *c = counter_at(m, COUNTER_EVENT, ev->unit);
	struct tally *t = tally_of(m, c);

	t->rows++;
	t->unsupported += ev->state == PERF_NOT_SUPPORTED;
	if (ev->state == PERF_OK)
		add_value(m, c, ev->value);
	if (ev->has_running && ev->state == PERF_OK) {
		double pct = dec_double(ev->running_pct);

		c->running_pct = c->running_pct < 0 || pct < c->running_pct ? pct : c->running_pct;
	}
	/* The error of a sum of intervals is not the sum of their errors. */
	if (ev->has_variance)
		c->variance_pct = t->rows == 1 ? dec_double(ev->variance_pct) : -1;
}

static struct counter *add_gauge(struct maker *m, struct slice unit, bool present, struct dec v)
{
	struct counter *c = counter_at(m, COUNTER_GAUGE, unit);

	tally_of(m, c)->rows++;
	if (present)
		add_value(m, c, v);
	return c;
}

/* A share of an interval cannot be added up, so metrics of -I are left out. */
static void add_cell(struct maker *m, const struct perf_cell *cell)
{
	struct slice name = cell->name, unit = cell->metric.unit;

	if (cell->place.has_time || !name.n)
		return;
	if (*name.p == '%') { /* "%  tma_retiring" */
		name = slice_ltrim(slice_skip(name, 1));
		unit = SLICE("%");
	} else if (slice_starts(unit, SLICE("%"))) {
		unit = SLICE("%");
	}
	start_name(m, &cell->place, cell->cgroup);
	out_put(&m->name, name);
	add_gauge(m, unit, cell->metric.present, cell->metric.value);
}

static void add_seconds(struct maker *m, const char *name, bool has, struct dec v, double variance)
{
	if (!has)
		return;
	out_reset(&m->name);
	out_str(&m->name, name);
	add_gauge(m, SLICE("s"), true, v)->variance_pct = variance;
}

/* ---- blocks ---- */

static bool has_times(const struct perf_doc *d, const struct perf_block *b)
{
	return b->n_events && d->events[b->first_event].place.has_time;
}

static void add_block(struct maker *m, const struct perf_block *b)
{
	const struct perf_event *ev = perf_events(m->d, b);
	bool timed = has_times(m->d, b);

	m->block++;
	m->interval = 0;
	for (size_t i = 0; i < b->n_events; i++) {
		if (timed && !ev[i].place.has_time)
			continue; /* --summary: the sum is made here */
		if (timed && i && dec_cmp(ev[i].place.time, ev[i - 1].place.time) != 0)
			m->interval++;
		add_event(m, &ev[i]);
	}
	for (size_t i = 0; i < b->n_cells; i++)
		add_cell(m, &m->d->cells[b->first_cell + i]);
	add_seconds(m, "perf.elapsed", b->has_elapsed, b->elapsed_s,
		    b->has_elapsed_variance ? dec_double(b->elapsed_variance_pct) : -1);
	add_seconds(m, "perf.user", b->has_user, b->user_s, -1);
	add_seconds(m, "perf.sys", b->has_sys, b->sys_s, -1);
}

static struct slice note_of(const struct tally *t, const struct counter *c, struct arena *a)
{
	char *note = NULL;

	if (t->too_large)
		return SLICE("the sum has more than 38 digits");
	if (t->counted == 0)
		return t->unsupported ? SLICE("not supported") : SLICE("not counted");
	if (t->counted < t->rows)
		note = arena_printf(a, "not counted in %u of %u intervals", t->rows - t->counted,
				    t->rows);
	if (c->running_pct >= 0 && c->running_pct < 100)
		note = arena_printf(a, "%s%smultiplexed %.4g %%", note ? note : "",
				    note ? ", " : "", c->running_pct);
	return slice_str(note);
}

void perf_counters(const struct perf_doc *d, struct arena *a, struct counter_list *ret)
{
	struct maker m = { .d = d, .a = a, .list = ret, .several_cgroups = d->several_cgroups };

	size_t first = ret->n; /* the list may hold other counters */

	out_memory(&m.name);
	for (size_t i = 0; i < d->n_blocks; i++)
		add_block(&m, &d->blocks[i]);
	for (size_t i = first; i < ret->n; i++) {
		ret->at[i].note = note_of(&m.tally[i], &ret->at[i], a);
		ret->at[i].present &= !m.tally[i].too_large;
	}
	out_close(&m.name);
	strmap_free(&m.times_of[0]);
	strmap_free(&m.times_of[1]);
	strmap_free(&m.counter_of);
	strmap_free(&m.numbered);
	mem_free(m.times);
	mem_free(m.tally);
}
