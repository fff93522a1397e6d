/* SPDX-License-Identifier: MIT */
#include "model/lkp_runs.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
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

static bool has_value(const struct lkp_series *s, size_t run)
{
	return run < s->n && s->values[run].n;
}

static double value_of(const struct lkp_series *s, size_t run)
{
	double v = NAN;

	if (has_value(s, run))
		num_double(s->values[run], &v);
	return v;
}

static bool is_data(const struct lkp_series *s, size_t run)
{
	double v = value_of(s, run);

	return !isnan(v) && v != 0;
}

/*
 * No metric of the series' monitor has data in this run. With a single metric
 * a zero may be one, unless it is of a kind that never is.
 */
static bool lacks_monitor(const struct lkp_result *r, const struct lkp_series *of, size_t run)
{
	struct slice monitor = monitor_of(of->name);
	size_t metrics = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (!slice_eq(monitor_of(r->series[i].name), monitor))
			continue;
		if (is_data(&r->series[i], run))
			return false;
		metrics++;
	}
	return metrics > 1 || lkp_never_zero(of->name);
}

/* Monitors of a result, each with the runs that lack it: found once, asked for each metric. */
struct monitor {
	struct slice name;
	bool *lacking; /* by run */
	size_t metrics, missing;
};

struct monitors {
	struct monitor *at;
	size_t n;
};

static struct monitor *find_monitor(const struct monitors *m, struct slice name)
{
	for (size_t i = 0; i < m->n; i++)
		if (slice_eq(m->at[i].name, name))
			return &m->at[i];
	return NULL;
}

static void find_monitors(const struct lkp_result *r, struct arena *a, struct monitors *ret)
{
	*ret = (struct monitors){ arena_array(a, r->n, sizeof(*ret->at)), 0 };
	for (size_t i = 0; i < r->n; i++) {
		struct slice name = monitor_of(r->series[i].name);
		struct monitor *m = find_monitor(ret, name);

		if (m) {
			m->metrics++;
			continue;
		}
		m = &ret->at[ret->n++];
		*m = (struct monitor){ name, arena_array(a, r->runs, sizeof(bool)), 1, 0 };
		for (size_t run = 0; run < r->runs; run++) {
			m->lacking[run] = lacks_monitor(r, &r->series[i], run);
			m->missing += m->lacking[run];
		}
	}
}

/* ---- means ---- */

static void mean_of(const struct lkp_series *s, size_t runs, const struct monitor *m,
		    struct arena *a, struct lkp_mean *ret)
{
	double sum = 0, squares = 0;

	*ret = (struct lkp_mean){ .name = s->name, .missing = arena_array(a, runs, sizeof(bool)) };
	for (size_t run = 0; run < runs; run++) {
		double v = value_of(s, run);

		ret->missing[run] = isnan(v) || (v == 0 && m->lacking[run]);
		if (ret->missing[run])
			continue;
		sum += v;
		ret->have++;
	}
	ret->mean = ret->have ? sum / (double)ret->have : NAN;
	for (size_t run = 0; run < runs; run++)
		if (!ret->missing[run])
			squares += pow(value_of(s, run) - ret->mean, 2);
	ret->deviation_pct =
		ret->have < 2 || ret->mean == 0
			? NAN
			: 100 * sqrt(squares / (double)(ret->have - 1)) / fabs(ret->mean);
}

void lkp_means(const struct lkp_result *r, struct arena *a, struct lkp_means *ret)
{
	struct monitors monitors;

	find_monitors(r, a, &monitors);
	*ret = (struct lkp_means){ r, arena_array(a, r->n, sizeof(*ret->at)) };
	for (size_t i = 0; i < r->n; i++)
		mean_of(&r->series[i], r->runs,
			find_monitor(&monitors, monitor_of(r->series[i].name)), a, &ret->at[i]);
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
