/* SPDX-License-Identifier: MIT */
#include "model/lkp_runs.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/strmap.h"
#include "model/lkp_check.h"
#include "model/say.h"

const struct reading_row lkp_run_reading_rows[] = {
	{
		.id = "missing-runs",
		.when = "a monitor has no data in some runs of a raw result: all its metrics are "
			"zero or absent there, and not in the others; one for each monitor",
		.formula = "mean over the runs that have data",
		.sentence = "Those runs are left out here; the robot's averages and tables count "
			    "them as zero.",
		.evidence = "monitor side missing runs metrics",
	},
};
const size_t lkp_run_reading_count = sizeof(lkp_run_reading_rows) / sizeof(lkp_run_reading_rows[0]);

/* ---- which runs lack a monitor ---- */

/* "perf-stat" of "perf-stat.overall.cpi" */
static struct slice monitor_of(struct slice name)
{
	return slice_cut(name, '.').head;
}

static double value_of(const struct lkp_series *s, size_t run)
{
	double v = NAN;

	num_double(s->values[run], &v);
	return v;
}

static bool is_data(const struct lkp_series *s, size_t run)
{
	double v = value_of(s, run);

	return !isnan(v) && v != 0;
}

/* Monitors of a result: found once, asked for each metric. */
struct monitor {
	struct slice name;
	size_t metrics, longest; /* series, and values of the longest */
	bool *data;              /* by run, of the longest: one of its metrics has some */
	/*
	 * A run without data lacks it. With a single metric a zero may be one, unless
	 * it is of a kind that never is.
	 */
	bool certain;
	size_t missing; /* runs that lack it */
};

struct monitors {
	struct monitor *at;
	size_t n;
	struct monitor **of; /* by series */
};

static void count_series(struct monitor *m, const struct lkp_series *s)
{
	m->longest = s->n > m->longest ? s->n : m->longest;
	m->certain = ++m->metrics > 1 || lkp_never_zero(s->name);
}

static void group_series(const struct lkp_result *r, struct monitors *ret)
{
	struct strmap places = { 0 };
	bool is_new;

	for (size_t i = 0; i < r->n; i++) {
		struct slice name = monitor_of(r->series[i].name);
		size_t *place = strmap_at(&places, name, &is_new);

		if (is_new) {
			*place = ret->n++;
			ret->at[*place].name = name;
		}
		ret->of[i] = &ret->at[*place];
		count_series(ret->of[i], &r->series[i]);
	}
	strmap_free(&places);
}

static void mark_data(const struct lkp_series *s, struct monitor *m, struct arena *a)
{
	if (!m->data)
		m->data = arena_array(a, m->longest, sizeof(*m->data));
	for (size_t run = 0; run < s->n; run++)
		m->data[run] |= is_data(s, run);
}

/* Nothing here is of all runs for each metric: a list may be short, and runs are many by a word. */
static void find_monitors(const struct lkp_result *r, struct arena *a, struct monitors *ret)
{
	*ret = (struct monitors){ .at = arena_array(a, r->n, sizeof(*ret->at)),
				  .of = arena_array(a, r->n, sizeof(struct monitor *)) };
	group_series(r, ret);
	for (size_t i = 0; i < r->n; i++)
		mark_data(&r->series[i], ret->of[i], a);
	for (size_t i = 0; i < ret->n; i++) {
		struct monitor *m = &ret->at[i];

		m->missing = m->certain ? r->runs : 0;
		for (size_t run = 0; m->certain && run < m->longest; run++)
			m->missing -= m->data[run];
	}
}

/* ---- means ---- */

/* What no double holds is not known. */
static double finite(double v)
{
	return isfinite(v) ? v : NAN;
}

static void mean_of(const struct lkp_series *s, const struct monitor *m, struct arena *a,
		    struct lkp_mean *ret)
{
	double sum = 0, squares = 0;

	*ret = (struct lkp_mean){ .name = s->name, .missing = arena_array(a, s->n, sizeof(bool)) };
	for (size_t run = 0; run < s->n; run++) {
		double v = value_of(s, run);

		ret->missing[run] = isnan(v) || (v == 0 && m->certain && !m->data[run]);
		if (ret->missing[run])
			continue;
		sum += v;
		ret->have++;
	}
	ret->mean = ret->have ? finite(sum / (double)ret->have) : NAN;
	for (size_t run = 0; run < s->n; run++)
		if (!ret->missing[run])
			squares += pow(value_of(s, run) - ret->mean, 2);
	ret->deviation_pct =
		ret->have < 2 || ret->mean == 0
			? NAN
			: finite(100 * sqrt(squares / (double)(ret->have - 1)) / fabs(ret->mean));
}

void lkp_means(const struct lkp_result *r, struct arena *a, struct lkp_means *ret)
{
	struct monitors monitors;

	find_monitors(r, a, &monitors);
	*ret = (struct lkp_means){ r, arena_array(a, r->n, sizeof(*ret->at)) };
	for (size_t i = 0; i < r->n; i++)
		mean_of(&r->series[i], monitors.of[i], a, &ret->at[i]);
}

void lkp_means_counters(const struct lkp_means *m, struct arena *a, struct counter_list *ret)
{
	char buf[NUM_BUF];

	for (size_t i = 0; i < m->of->n; i++) {
		const struct lkp_mean *mean = &m->at[i];
		struct counter *c =
			counters_add(ret, mean->name, (struct slice){ 0 }, COUNTER_GAUGE);
		int n = snprintf(buf, sizeof(buf), "%.12g", mean->mean);

		c->present = mean->have && dec_parse(slice_of(buf, (size_t)n), &c->value);
		if (!isnan(mean->deviation_pct))
			c->variance_pct = mean->deviation_pct / sqrt((double)mean->have);
		if (mean->have < m->of->runs)
			c->note = slice_str(arena_printf(a, "%zu of %zu runs have no data",
							 m->of->runs - mean->have, m->of->runs));
	}
}

/* ---- the reading ---- */

static void read_monitor(const struct monitor *m, size_t runs, const char *side, struct arena *a,
			 struct readings *to)
{
	struct say say;

	say_begin(&say, to, a, "missing-runs");
	json_kv_slice(&say.json, "monitor", m->name);
	json_kv_str(&say.json, "side", side);
	json_kv_u64(&say.json, "missing", m->missing);
	json_kv_u64(&say.json, "runs", runs);
	json_kv_u64(&say.json, "metrics", m->metrics);
	if (side)
		say_f(&say, "%c%s: ", side[0] & ~0x20, side + 1);
	say_slice(&say, m->name);
	say_f(&say,
	      " has no data in %zu of %zu runs, which %s left out here; averages and comparison "
	      "tables of the robot count %s as zero.",
	      m->missing, runs, m->missing == 1 ? "is" : "are", m->missing == 1 ? "it" : "them");
	say_end(&say);
}

void lkp_run_readings(const struct lkp_means *m, const char *side, struct arena *a,
		      struct readings *to)
{
	struct monitors monitors;

	find_monitors(m->of, a, &monitors);
	for (size_t i = 0; i < monitors.n; i++)
		if (monitors.at[i].missing && monitors.at[i].missing < m->of->runs)
			read_monitor(&monitors.at[i], m->of->runs, side, a, to);
}
