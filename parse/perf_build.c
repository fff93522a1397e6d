/* SPDX-License-Identifier: MIT */
#include "parse/perf_build.h"

#include <stdlib.h>

#include "parse/smaps_line.h"

const char *const perf_form_names[4] = { NULL, "text", "csv", "json" };
const char *const perf_state_names[3] = { "ok", "not-counted", "not-supported" };
const char *const perf_target_names[6] = { NULL, "command", "system", "cpus", "pid", "tid" };

void perf_build_start(struct perf_builder *b, struct arena *a, struct perf_doc *doc,
		      struct source_info *info)
{
	*b = (struct perf_builder){
		.a = a, .doc = doc, .info = info, .fresh = true
	};
	info->complete = true;
}

void perf_build_note(struct perf_builder *b, enum note note, unsigned long lineno,
		     struct slice line)
{
	if (note == NOTE_FOREIGN && line_elides(slice_ltrim(line)))
		note = NOTE_ELIDED;
	source_note(b->info, note, lineno);
}

/* ---- blocks ---- */

static struct perf_block *last_block(struct perf_builder *b)
{
	return b->doc->n_blocks ? &b->doc->blocks[b->doc->n_blocks - 1] : NULL;
}

/* The names of a block's events (of its first interval only), sorted, each once. */
static size_t event_names(const struct perf_doc *d, const struct perf_block *k, struct slice **ret)
{
	const struct perf_event *ev = perf_events(d, k);
	struct slice *names = mem_array(k->n_events + 1, sizeof(*names));
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < k->n_events; i++) {
		if (ev[i].place.has_time && dec_cmp(ev[i].place.time, ev[0].place.time) != 0)
			break;
		names[n++] = ev[i].event;
	}
	qsort(names, n, sizeof(*names), slice_order);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || !slice_eq(names[kept - 1], names[i]))
			names[kept++] = names[i];
	*ret = names;
	return kept;
}

static bool same_events(const struct perf_doc *d, const struct perf_block *x,
			const struct perf_block *y)
{
	struct slice *a, *b;
	size_t na = event_names(d, x, &a), nb = event_names(d, y, &b), i = 0;

	while (i < na && i < nb && slice_eq(a[i], b[i]))
		i++;
	mem_free(a);
	mem_free(b);
	return i == na && i == nb;
}

/* The last time stamp of a block without header; false when it is no such block. */
static bool interval_end(const struct perf_doc *d, const struct perf_block *k, struct dec *ret)
{
	const struct perf_place *last = NULL;

	if (k->has_header)
		return false;
	if (k->n_events)
		last = &d->events[k->first_event + k->n_events - 1].place;
	else if (k->n_cells)
		last = &d->cells[k->first_cell + k->n_cells - 1].place;
	if (!last || !last->has_time)
		return false;
	*ret = last->time;
	return true;
}

/*
 * With -I --summary the interval lines come first, without a header, and then
 * an ordinary block. They are one when that block counted the same events and
 * ended no earlier; else the lines are another run's.
 */
static void join_summary(struct perf_builder *b)
{
	struct perf_doc *d = b->doc;
	struct dec end;

	if (d->n_blocks < 2)
		return;
	struct perf_block *k = &d->blocks[d->n_blocks - 1], *before = k - 1;
	if (!k->has_header || !k->has_elapsed || !interval_end(d, before, &end) ||
	    dec_cmp(k->elapsed_s, end) < 0 || !same_events(d, before, k))
		return;
	k->first_event = before->first_event;
	k->n_events += before->n_events;
	k->first_cell = before->first_cell;
	k->n_cells += before->n_cells;
	*before = *k;
	d->n_blocks--;
}

static struct perf_block *open_block(struct perf_builder *b)
{
	struct perf_doc *d = b->doc;

	join_summary(b);
	d->blocks = mem_grow(d->blocks, &d->cap_blocks, d->n_blocks + 1, sizeof(*d->blocks));
	struct perf_block *k = &d->blocks[d->n_blocks++];
	*k = (struct perf_block){ .runs = -1,
				  .first_event = d->n_events,
				  .first_cell = d->n_cells };
	b->fresh = b->has_trailer = b->has_untimed = b->has_time = b->last_is_group = false;
	return k;
}

void perf_build_break(struct perf_builder *b)
{
	b->fresh = true;
}

struct perf_block *perf_build_header(struct perf_builder *b)
{
	struct perf_block *k = open_block(b);

	k->has_header = true;
	return k;
}

struct perf_block *perf_build_block(struct perf_builder *b)
{
	return b->fresh ? open_block(b) : last_block(b);
}

/* Opens a block when a row at this time cannot belong to the current one. */
static void place_row(struct perf_builder *b, const struct perf_place *p)
{
	bool other = p->has_time && (b->has_trailer || b->has_untimed ||
				     (b->has_time && dec_cmp(p->time, b->last_time) < 0));

	if (b->fresh || other)
		open_block(b);
	if (p->has_time) {
		b->has_time = true;
		b->last_time = p->time;
	} else {
		b->has_untimed = true;
	}
}

void perf_build_elapsed(struct perf_builder *b, struct dec seconds)
{
	struct perf_block *k = perf_build_block(b);

	k->has_elapsed = true;
	k->elapsed_s = seconds;
	b->has_trailer = true;
}

static bool has_several_cgroups(const struct perf_doc *d)
{
	for (size_t i = 1; i < d->n_events; i++)
		if (!slice_eq(d->events[i].cgroup, d->events[0].cgroup))
			return true;
	return false;
}

void perf_build_finish(struct perf_builder *b)
{
	join_summary(b);
	struct perf_doc old = *b->doc, *d = b->doc;
	d->blocks = arena_dup(b->a, old.blocks, old.n_blocks, sizeof(*old.blocks));
	d->events = arena_dup(b->a, old.events, old.n_events, sizeof(*old.events));
	d->metrics = arena_dup(b->a, old.metrics, old.n_metrics, sizeof(*old.metrics));
	d->cells = arena_dup(b->a, old.cells, old.n_cells, sizeof(*old.cells));
	b->doc = &old;
	perf_build_drop(b);
	b->doc = d;
	d->several_cgroups = has_several_cgroups(d);
}

void perf_build_drop(struct perf_builder *b)
{
	mem_free(b->doc->blocks);
	mem_free(b->doc->events);
	mem_free(b->doc->metrics);
	mem_free(b->doc->cells);
}

/* ---- rows ---- */

/* Runs of blanks made one, ends trimmed. */
static struct slice perf_squeeze(struct arena *a, struct slice s)
{
	s = slice_trim(s);
	bool tight = true;
	for (size_t i = 0; i < s.n; i++)
		tight &= !is_blank(s.p[i]) || (s.p[i] == ' ' && !is_blank(s.p[i + 1]));
	if (tight)
		return s;

	char *p = arena_alloc(a, s.n);
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		if (!is_blank(s.p[i]) || (n && p[n - 1] != ' '))
			p[n++] = is_blank(s.p[i]) ? ' ' : s.p[i];
	return slice_of(p, n);
}

struct perf_event *perf_build_event(struct perf_builder *b, const struct perf_place *place)
{
	struct perf_doc *d = b->doc;

	place_row(b, place);
	d->events = mem_grow(d->events, &d->cap_events, d->n_events + 1, sizeof(*d->events));
	struct perf_event *ev = &d->events[d->n_events++];
	*ev = (struct perf_event){ .place = *place, .first_metric = d->n_metrics };
	last_block(b)->n_events++;
	b->last_is_group = false;
	return ev;
}

struct perf_cell *perf_build_cell(struct perf_builder *b, const struct perf_place *place)
{
	struct perf_doc *d = b->doc;

	place_row(b, place);
	d->cells = mem_grow(d->cells, &d->cap_cells, d->n_cells + 1, sizeof(*d->cells));
	struct perf_cell *c = &d->cells[d->n_cells++];
	*c = (struct perf_cell){ .place = *place };
	last_block(b)->n_cells++;
	return c;
}

void perf_build_group(struct perf_builder *b, const struct perf_place *place, struct slice name)
{
	place_row(b, place);
	b->last_is_group = true;
	b->group = name;
}

/* "% tma_retiring" is the metric tma_retiring. */
static struct slice metric_name(struct slice unit)
{
	if (slice_starts(unit, SLICE("%")))
		return slice_ltrim(slice_skip(unit, 1));
	return unit;
}

static bool belongs_to_event(const struct perf_builder *b, const struct perf_place *p)
{
	const struct perf_doc *d = b->doc;

	if (b->fresh || b->last_is_group || d->n_events == 0 ||
	    d->n_events == d->blocks[d->n_blocks - 1].first_event)
		return false;
	const struct perf_place *q = &d->events[d->n_events - 1].place;
	return slice_eq(p->aggregate, q->aggregate) && p->has_time == q->has_time &&
	       (!p->has_time || dec_cmp(p->time, q->time) == 0);
}

static void build_metric(struct perf_builder *b, const struct perf_place *place, struct perf_metric m)
{
	struct perf_doc *d = b->doc;

	m.unit = perf_squeeze(b->a, m.unit);
	if (!belongs_to_event(b, place)) {
		struct perf_cell *c = perf_build_cell(b, place);

		c->group = b->last_is_group ? b->group : c->group;
		c->name = metric_name(m.unit);
		c->metric = m;
		return;
	}
	d->metrics = mem_grow(d->metrics, &d->cap_metrics, d->n_metrics + 1, sizeof(*d->metrics));
	d->metrics[d->n_metrics++] = m;
	d->events[d->n_events - 1].n_metrics++;
}

void perf_build_metrics(struct perf_builder *b, const struct perf_place *place,
			const struct perf_metrics *list)
{
	for (size_t i = 0; i < list->n; i++)
		build_metric(b, place, list->at[i]);
}

void perf_metrics_add(struct perf_metrics *list, struct perf_metric m)
{
	list->at = mem_grow(list->at, &list->cap, list->n + 1, sizeof(*list->at));
	list->at[list->n++] = m;
}

/* ---- units ---- */

/* Units of events in perf's own tables and in the kernel's; not the units of metrics. */
static const char *const units[] = {
	"msec",    "ms",      "sec",     "s",       "ns",         "us",     "usec",    "Joules",
	"J",       "mJ",      "uJ",      "Watts",   "W",          "mW",     "B",       "Bytes",
	"bytes",   "KB",      "kB",      "MB",      "GB",         "KiB",    "MiB",     "GiB",
	"TiB",     "64Bytes", "32Bytes", "16Bytes", "8Bytes",     "4Bytes", "Celsius", "C",
	"percent", "%",       "Hz",      "KHz",     "MHz",        "GHz",    "V",       "mV",
	"A",       "mA",      "RPM",     "rpm",     "cycles/sec", "ratio",  "pages",
};

bool perf_is_unit(struct slice word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_eq_str(word, units[i]))
			return true;
	return false;
}

/*
 * task-clock and cpu-clock, with a modifier ("task-clock:u") and as of 2.6.3x
 * ("task-clock-msecs").
 */
static bool is_clock(struct slice event)
{
	if (!slice_starts(event, SLICE("task-clock")) && !slice_starts(event, SLICE("cpu-clock")))
		return false;
	event = slice_skip(event, *event.p == 't' ? 10 : 9);
	return event.n == 0 || *event.p == ':' || *event.p == ' ' || slice_eq_str(event, "-msecs");
}

void perf_build_settle(struct perf_builder *b, struct perf_event *ev)
{
	struct slice suffix = SLICE(" (msec)"); /* 3.17 to 4.19 */

	ev->event = slice_trim(ev->event);
	ev->unit = perf_squeeze(b->a, ev->unit);
	if (slice_ends(ev->event, suffix)) {
		ev->unit = SLICE("msec");
		ev->event = slice_rtrim(slice_first(ev->event, ev->event.n - suffix.n));
	}
	if (ev->unit.n == 0 && is_clock(ev->event))
		ev->unit = SLICE("msec");
}
