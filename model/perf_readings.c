/* SPDX-License-Identifier: MIT */
#include "model/perf_readings.h"

#include <math.h>

#include "base/json.h"
#include "base/strmap.h"

enum { MULTIPLEXED_PERCENT = 50, SMALLEST_COUNT = 1000 };

enum { READING_MULTIPLEXED, READING_LAST_RUN };

const struct reading_row perf_reading_rows[] = {
	{ "multiplexed", "events counted on both sides ran below 50 % of the time on either",
	  "running share as printed, each side",
	  "So many events ran less than half of the time: their counts, and the differences of "
	  "them, are estimates.",
	  "events" },
	{ "perf-r-last-run",
	  "repeats (-r); a count of 1000 or more and the metric beside it do not fit (perf 6.1 to "
	  "6.4)",
	  "insn per cycle, rates, GHz and ratios from the printed counts of the same block, "
	  "against the printed metric within the digits of both",
	  "The counts are those of the last run, the metrics those of the mean of all.", "events" },
};
const size_t perf_reading_count = sizeof(perf_reading_rows) / sizeof(perf_reading_rows[0]);

/* ---- a list of events as evidence ---- */

struct evidence {
	struct out out;
	struct json j;
	size_t n;
};

static void evidence_start(struct evidence *v)
{
	v->n = 0;
	out_memory(&v->out);
	json_start(&v->j, &v->out);
	json_object(&v->j);
	json_key(&v->j, "events");
	json_array(&v->j);
}

static void evidence_add(struct evidence *v, struct slice name)
{
	json_slice(&v->j, name);
	v->n++;
}

/* The reading is made only when something was added. */
static void evidence_end(struct evidence *v, int row, const char *text, struct arena *a,
			 struct readings *to)
{
	json_array_end(&v->j);
	json_object_end(&v->j);
	if (v->n)
		readings_add(to, perf_reading_rows[row].id, slice_str(text),
			     arena_copy(a, out_slice(&v->out)));
	out_close(&v->out);
}

/* ---- multiplexed ---- */

static bool is_low(double running)
{
	return running >= 0 && running < MULTIPLEXED_PERCENT;
}

void perf_diff_readings(const struct counter_rows *rows, struct arena *a, struct readings *to)
{
	struct evidence v;
	double low = MULTIPLEXED_PERCENT;

	evidence_start(&v);
	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *r = &rows->at[i];

		if (!r->has_before || !r->has_after ||
		    (!is_low(r->running_before) && !is_low(r->running_after)))
			continue;
		evidence_add(&v, r->name);
		low = is_low(r->running_before) ? fmin(low, r->running_before) : low;
		low = is_low(r->running_after) ? fmin(low, r->running_after) : low;
	}
	const char *text =
		v.n == 1 ? "%zu event was counted less than half of the time (%.4g %%): its "
			   "count is an estimate, and so is the difference."
			 : "%zu events were counted less than half of the time (down to %.4g %%): "
			   "their counts are estimates, and so are the differences.";
	evidence_end(&v, READING_MULTIPLEXED, arena_printf(a, text, v.n, low), a, to);
}

/* ---- perf-r-last-run ---- */

/*
 * A number as printed, and how far from the true one it may be: the mean is cut
 * off at its last digit.
 */
struct figure {
	double v, slack;
};

static struct figure figure_of(struct dec d)
{
	return (struct figure){ dec_double(d), pow(10, -(double)d.scale) };
}

/* The modifier of an event, with its colon: "instructions:u" is per "cycles:u". */
static struct slice modifier(struct slice event)
{
	for (size_t i = 0; i < event.n; i++)
		if (event.p[i] == ':')
			return slice_skip(event, i);
	return slice_skip(event, event.n);
}

/* The counts of a block by where and what they are. */
struct counts {
	const struct perf_event *first; /* of the block */
	struct strmap at;               /* key to place in the block */
	struct arena keys;
	struct out key;
};

/* With lengths, so that no two places make one key. */
static void start_key(struct counts *c, const struct perf_event *of)
{
	out_reset(&c->key);
	out_printf(&c->key, "%zu %zu ", of->place.aggregate.n, of->cgroup.n);
	out_put(&c->key, of->place.aggregate);
	out_put(&c->key, of->cgroup);
}

static void counts_read(struct counts *c, const struct perf_doc *d, const struct perf_block *b)
{
	*c = (struct counts){ .first = perf_events(d, b) };
	out_memory(&c->key);
	for (size_t i = 0; i < b->n_events; i++) {
		if (c->first[i].state != PERF_OK)
			continue;
		start_key(c, &c->first[i]);
		out_put(&c->key, c->first[i].event);
		if (!strmap_find(&c->at, out_slice(&c->key))) /* the first counts */
			*strmap_at(&c->at, arena_copy(&c->keys, out_slice(&c->key)), NULL) = i;
	}
}

static void counts_free(struct counts *c)
{
	strmap_free(&c->at);
	arena_free(&c->keys);
	out_close(&c->key);
}

/* The event STEM END MODIFIER that was counted where `of` was. */
static const struct perf_event *find(struct counts *c, const struct perf_event *of,
				     struct slice stem, struct slice end, struct slice mod)
{
	start_key(c, of);
	out_put(&c->key, stem);
	out_put(&c->key, end);
	out_put(&c->key, mod);
	size_t *at = strmap_find(&c->at, out_slice(&c->key));
	return at ? &c->first[*at] : NULL;
}

static const struct perf_event *find_clock(struct counts *c, const struct perf_event *of)
{
	struct slice none = SLICE("");
	const struct perf_event *ev = find(c, of, SLICE("task-clock"), none, none);

	return ev ? ev : find(c, of, SLICE("cpu-clock"), none, none);
}

/*
 * What a miss is a share of: branch-misses of branches, x-misses of
 * x-references, x-load-misses of x-loads.
 */
static const struct perf_event *find_all(struct counts *c, const struct perf_event *ev,
					 struct slice mod)
{
	struct slice misses = SLICE("-misses");
	struct slice stem = slice_first(ev->event, ev->event.n - mod.n);

	if (!slice_ends(stem, misses))
		return NULL;
	stem = slice_first(stem, stem.n - misses.n);
	if (slice_eq_str(stem, "branch"))
		return find(c, ev, stem, SLICE("es"), mod);
	const struct perf_event *all = find(c, ev, stem, SLICE("s"), mod);
	return all ? all : find(c, ev, stem, SLICE("-references"), mod);
}

/* What the metrics of an event may be shares of. */
struct wholes {
	const struct perf_event *clock, *cycles, *all;
};

/* Found once for all metrics of the event: its name may be long. */
static struct wholes wholes_of(struct counts *c, const struct perf_event *ev)
{
	struct slice mod = modifier(ev->event);

	return (struct wholes){
		.clock = find_clock(c, ev),
		.cycles = find(c, ev, SLICE("cycles"), SLICE(""), mod),
		.all = find_all(c, ev, mod),
	};
}

/* How a metric comes from two counts: count / whole * factor. */
struct relation {
	const struct perf_event *whole;
	double factor;
};

static struct relation relation_of(const struct wholes *w, struct slice unit)
{
	static const struct {
		const char *unit;
		double factor; /* of a count per millisecond */
	} rates[] = { { "/sec", 1e3 },
		      { "K/sec", 1 },
		      { "M/sec", 1e-3 },
		      { "G/sec", 1e-6 },
		      { "GHz", 1e-6 } };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (slice_eq_str(unit, rates[i].unit))
			return (struct relation){ w->clock, rates[i].factor };
	if (slice_eq_str(unit, "insn per cycle") || slice_eq_str(unit, "insns per cycle"))
		return (struct relation){ w->cycles, 1 };
	if (slice_starts(unit, SLICE("of all ")) || slice_starts(unit, SLICE("% of all ")))
		return (struct relation){ w->all, 100 };
	return (struct relation){ NULL, 1 };
}

static bool is_clock(const struct perf_event *ev)
{
	return slice_ends(ev->event, SLICE("-clock"));
}

/* Does the metric contradict the counts, whatever their last digits were before they were cut? */
static bool contradicts(const struct perf_event *ev, const struct wholes *w,
			const struct perf_metric *m)
{
	struct relation r = relation_of(w, m->unit);

	if (!m->present || !r.whole)
		return false;
	struct figure count = figure_of(ev->value), whole = figure_of(r.whole->value),
		      have = figure_of(m->value);
	if (count.v < SMALLEST_COUNT || whole.v <= whole.slack ||
	    (!is_clock(r.whole) && whole.v < SMALLEST_COUNT))
		return false;
	double low = r.factor * (count.v - count.slack) / (whole.v + whole.slack);
	double high = r.factor * (count.v + count.slack) / (whole.v - whole.slack);
	return have.v + have.slack < low || have.v - have.slack > high;
}

static bool event_contradicts(const struct perf_doc *d, struct counts *c,
			      const struct perf_event *ev)
{
	if (ev->state != PERF_OK || !ev->n_metrics)
		return false;
	struct wholes w = wholes_of(c, ev);
	for (size_t i = 0; i < ev->n_metrics; i++)
		if (contradicts(ev, &w, &d->metrics[ev->first_metric + i]))
			return true;
	return false;
}

static void block_readings(const struct perf_doc *d, const struct perf_block *b, struct evidence *v)
{
	struct counts c;

	counts_read(&c, d, b);
	for (size_t i = 0; i < b->n_events; i++)
		if (event_contradicts(d, &c, &c.first[i]))
			evidence_add(v, c.first[i].event);
	counts_free(&c);
}

/* CSV and JSON do not say how many runs there were, but they have deviations then. */
static bool is_repeated(const struct perf_doc *d, const struct perf_block *b)
{
	bool variance = false;

	for (size_t i = 0; i < b->n_events; i++)
		variance |= d->events[b->first_event + i].has_variance;
	return b->runs > 1 || (!b->has_header && variance);
}

static const char *in_side(const char *side, struct arena *a)
{
	return *side ? arena_printf(a, "%s: ", side) : "";
}

void perf_readings(const struct perf_doc *d, const char *side, struct arena *a, struct readings *to)
{
	struct evidence v;

	evidence_start(&v);
	for (size_t k = 0; k < d->n_blocks; k++)
		if (is_repeated(d, &d->blocks[k]))
			block_readings(d, &d->blocks[k], &v);
	const char *text = "%sThe counts are those of the last run, the metrics beside them those "
			   "of the mean of all runs (perf 6.1 to 6.4 print -r so): %zu event%s %s "
			   "contradicted by %s metric. Compare the metrics, not the counts.";
	evidence_end(&v, READING_LAST_RUN,
		     arena_printf(a, text, in_side(side, a), v.n, v.n == 1 ? "" : "s",
				  v.n == 1 ? "is" : "are", v.n == 1 ? "its" : "their"),
		     a, to);
}
