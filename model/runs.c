/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "model/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/strmap.h"
#include "model/system_counters.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct run *runs_add(struct runs *r, int side)
{
	r->side[side] = mem_grow(r->side[side], &r->cap[side], r->n[side] + 1, sizeof(struct run));
	struct run *run = &r->side[side][r->n[side]++];

	*run = (struct run){ 0 };
	return run;
}

void runs_free(struct runs *r)
{
	for (int s = 0; s < SIDES; s++) {
		for (size_t i = 0; i < r->n[s]; i++)
			counters_free(&r->side[s][i].figures);
		mem_free(r->side[s]);
	}
	mem_free(r->figures);
	arena_free(&r->arena);
	*r = (struct runs){ 0 };
}

/* ---- the figures of one run ---- */

static void add_kb(struct runs *r, struct run *run, const char *group, const char *name,
		   const char *unit, uint64_t v)
{
	struct counter *c = counters_add(&run->figures,
					 slice_str(arena_printf(&r->arena, "%s.%s", group, name)),
					 slice_str(unit), COUNTER_GAUGE);

	c->present = true;
	c->value = (struct dec){ .mantissa = v };
}

/* A ratio with nine digits: more than enough for one of integers below 2^32. */
static void add_ratio(struct runs *r, struct run *run, const char *group, const char *name,
		      double v)
{
	struct counter *c = counters_add(&run->figures,
					 slice_str(arena_printf(&r->arena, "%s.%s", group, name)),
					 SLICE("fraction"), COUNTER_GAUGE);

	c->present = !isnan(v);
	if (c->present)
		c->value = (struct dec){ .mantissa = llround(v * 1e9), .scale = 9 };
}

static void add_fall(struct runs *r, struct run *run, const char *group,
		     const struct fall_total *f)
{
	const struct waterfall *w = &f->w;

	if (!f->known)
		return;
	add_kb(r, run, group, "rss_kb", "kB", w->rss);
	add_kb(r, run, group, "huge_kb", "kB", w->huge);
	add_kb(r, run, group, "policy_loss_kb", "kB", w->policy_loss);
	add_kb(r, run, group, "alignment_loss_kb", "kB", w->alignment_loss);
	add_kb(r, run, group, "subslot_kb", "kB", w->subslot);
	add_kb(r, run, group, "delivery_loss_kb", "kB", w->delivery_loss);
	add_ratio(r, run, group, "share", fall_share(w));
	add_ratio(r, run, group, "coverage", fall_coverage(w));
	add_ratio(r, run, group, "delivered", fall_delivered(w));
}

static void add_totals(struct runs *r, struct run *run, const struct model *m)
{
	const struct totals *t = &m->totals;

	for (int i = 0; i < TOTAL_COUNT; i++)
		if (t->sum[i].known && !(m->smaps->rollup && i == TOTAL_SIZE))
			add_kb(r, run, "totals", total_names[i], "kB", t->sum[i].kb);
	if (m->smaps->rollup)
		return;
	add_kb(r, run, "totals", "vmas", "", t->vmas);
	add_kb(r, run, "totals", "slots_ideal", "", t->slots_ideal);
	add_kb(r, run, "totals", "slots_fit", "", t->slots_fit);
	add_kb(r, run, "totals", "slots_lost", "", t->slots_ideal - t->slots_fit);
}

/* Beside mappings only gauges of huge pages: the others are the machine's, not the run's. */
static bool is_about_huge_pages(struct slice name)
{
	static const char *const words[] = { "Huge", "PmdMapped", "hugepages", "pmdmapped" };

	if (slice_has(name, SLICE("HugePages_")) || slice_has(name, SLICE("Hugepagesize")))
		return false;
	for (size_t i = 0; i < COUNT(words); i++)
		if (slice_has(name, slice_str(words[i])))
			return true;
	return false;
}

static void add_counters(struct runs *r, struct run *run, const struct counter_list *l,
			 bool huge_only)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct counter *from = &l->at[i];

		if (from->kind == COUNTER_COUNTER ||
		    (huge_only && !is_about_huge_pages(from->name)))
			continue;
		struct counter *to = counters_add(&run->figures, arena_copy(&r->arena, from->name),
						  arena_copy(&r->arena, from->unit), from->kind);
		to->present = from->present;
		to->value = from->value;
	}
}

void runs_counters(struct runs *r, struct run *run, const struct counter_list *l)
{
	add_counters(r, run, l, false);
}

void runs_snapshot(struct runs *r, struct run *run, const struct model *m)
{
	struct counter_list system = { 0 };
	const struct snapshot *s = m->snap;

	run->source = s->source;
	run->page_kb = m->page_kb;
	run->pmd_kb = m->pmd_kb;
	run->policy = m->policy;
	run->mappings = s->has_smaps && !m->smaps->rollup;
	for (int i = 0; i < FALL_COUNT && run->mappings; i++)
		add_fall(r, run, fall_names[i], &m->totals.fall[i]);
	if (s->has_smaps)
		add_totals(r, run, m);
	system_counters(&s->system, &r->arena, &system);
	add_counters(r, run, &system, s->has_smaps);
	counters_free(&system);
}

/* ---- all runs ---- */

static void add_figure(struct runs *r, const struct counter *c)
{
	r->figures = mem_grow(r->figures, &r->figures_cap, r->figures_n + 1, sizeof(*r->figures));
	struct figure *f = &r->figures[r->figures_n++];

	*f = (struct figure){ .name = c->name, .unit = c->unit, .kind = c->kind };
	for (int s = 0; s < SIDES; s++)
		f->values[s] = arena_array(&r->arena, 1, sizeof(double));
}

/* Most figures are in each run, but each run may have its own. */
static void add_value(struct runs *r, struct figure *f, int side, double v)
{
	size_t n = f->stats[side].n++;

	if (n && (n & (n - 1)) == 0) { /* a power of two: full */
		double *more = arena_array(&r->arena, 2 * n, sizeof(*more));

		memcpy(more, f->values[side], n * sizeof(*more));
		f->values[side] = more;
	}
	f->values[side][n] = v;
}

/* `names` are places in r->figures. */
static void collect(struct runs *r, struct strmap *names, int side, const struct run *run)
{
	for (size_t i = 0; i < run->figures.n; i++) {
		const struct counter *c = &run->figures.at[i];
		bool is_new;
		size_t *at = strmap_at(names, c->name, &is_new);

		if (is_new) {
			add_figure(r, c);
			*at = r->figures_n - 1;
		}
		struct figure *f = &r->figures[*at];
		/* A name that one run says twice counts once. */
		if (c->present && f->stats[side].n < (size_t)(run - r->side[side]) + 1)
			add_value(r, f, side, dec_double(c->value));
	}
}

/* What is the same in all runs cannot stand out, and is not counted as tested. */
static bool varies(const struct figure *f)
{
	return f->stats[BEFORE].min != f->stats[BEFORE].max ||
	       f->stats[AFTER].min != f->stats[AFTER].max;
}

static void judge_figure(struct runs *r, struct figure *f)
{
	for (int s = 0; s < SIDES; s++)
		f->stats[s] = stats_of(f->values[s], f->stats[s].n);
	f->tested = stats_mann_whitney(f->values[BEFORE], f->stats[BEFORE].n, f->values[AFTER],
				       f->stats[AFTER].n, &f->test);
	if (!f->tested)
		return;
	f->delta = f->stats[AFTER].median - f->stats[BEFORE].median;
	f->percent = f->stats[BEFORE].median == 0 ? NAN :
		     100 * f->delta / fabs(f->stats[BEFORE].median);
	f->stands_out = f->test.p <= RUNS_P && f->delta != 0;
	r->tested += f->delta != 0 || varies(f);
	r->standing_out += f->stands_out;
}

/* ---- what differs between the runs themselves ---- */

static uint64_t page_of(const struct run *r) { return r->page_kb; }
static uint64_t pmd_of(const struct run *r) { return r->pmd_kb; }
static uint64_t policy_of(const struct run *r) { return r->policy; } /* POLICY_UNKNOWN is 0 */

static bool differs(const struct runs *r, uint64_t (*of)(const struct run *))
{
	uint64_t known = 0;

	for (int s = 0; s < SIDES; s++) {
		for (size_t i = 0; i < r->n[s]; i++) {
			uint64_t v = of(&r->side[s][i]);

			if (known && v && v != known)
				return true;
			known = v ? v : known;
		}
	}
	return false;
}

static void find_unlike(struct runs *r)
{
	static const struct {
		const char *name;
		uint64_t (*of)(const struct run *);
	} facts[UNLIKE_MAX] = {
		{ "page_kb", page_of }, { "pmd_kb", pmd_of }, { "policy", policy_of },
	};

	for (size_t i = 0; i < UNLIKE_MAX; i++)
		if (differs(r, facts[i].of))
			r->unlike[r->unlike_n++] = facts[i].name;
}

/* ---- the verdict ---- */

const struct figure *runs_figure(const struct runs *r, const char *name)
{
	for (size_t i = 0; i < r->figures_n; i++)
		if (slice_eq_str(r->figures[i].name, name))
			return &r->figures[i];
	return NULL;
}

/* The difference of the medians; 0 for what is not there. */
static double delta_of(const struct runs *r, const char *group, const char *name)
{
	char full[64];

	snprintf(full, sizeof(full), "%s.%s", group, name);
	const struct figure *f = runs_figure(r, full);
	return f && f->tested ? f->delta : 0;
}

/* min(max(0, -huge), what went elsewhere); memory that is no longer resident is no loss. */
static double loss_of(const struct runs *r, const char *group)
{
	static const char *const elsewhere[] = { "subslot_kb", "policy_loss_kb",
						 "alignment_loss_kb", "delivery_loss_kb" };
	double lost = fmax(0, -delta_of(r, group, "huge_kb")), rose = 0;

	for (size_t i = 0; i < COUNT(elsewhere); i++)
		rose += fmax(0, delta_of(r, group, elsewhere[i]));
	if (strcmp(group, "anon") == 0)
		rose += fmax(0, delta_of(r, "totals", "swap_kb"));
	return fmin(lost, rose);
}

static bool huge_stands_out(const struct runs *r, const char *group)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.huge_kb", group);
	const struct figure *f = runs_figure(r, name);
	return f && f->stands_out;
}

static bool all_have_mappings(const struct runs *r)
{
	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < r->n[s]; i++)
			if (!r->side[s][i].mappings)
				return false;
	return true;
}

static void find_verdict(struct runs *r)
{
	double most = 0;
	bool shown = false;
	uint64_t pmd = r->n[BEFORE] ? r->side[BEFORE][0].pmd_kb : 0;

	r->loss_known = all_have_mappings(r);
	for (int i = 0; i < FALL_ALL && r->loss_known; i++) {
		double loss = loss_of(r, fall_names[i]);

		r->loss_kb += loss;
		shown |= loss >= (double)pmd && huge_stands_out(r, fall_names[i]);
		if (loss > most) {
			most = loss;
			r->loss_class = fall_names[i];
		}
	}
	if (!r->loss_known || r->p_min > RUNS_P)
		return;
	r->verdict = VERDICT_NO_LOSS;
	if (shown)
		r->verdict = VERDICT_LOSS;
	else if (delta_of(r, "all", "huge_kb") >= (double)pmd && huge_stands_out(r, "all"))
		r->verdict = VERDICT_GAIN;
}

void runs_compare(struct runs *r)
{
	struct strmap names = { 0 };

	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < r->n[s]; i++)
			collect(r, &names, s, &r->side[s][i]);
	strmap_free(&names);
	for (size_t i = 0; i < r->figures_n; i++)
		judge_figure(r, &r->figures[i]);
	r->p_min = stats_p_min(r->n[BEFORE], r->n[AFTER]);
	find_unlike(r);
	find_verdict(r);
}
