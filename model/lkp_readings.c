/* SPDX-License-Identifier: MIT */
#include "model/lkp_readings.h"

#include <math.h>
#include <stdio.h>

const struct lkp_reading lkp_reading_rows[] = {
	{
		.row = {
			.id = "huge-lost-memory-kept",
			.when = "AnonHugePages (else nr_anon_transparent_hugepages) fell by 10 "
				"% or more, anonymous memory of the same table or node fell by "
				"less than a quarter of that",
			.formula = "100 (head/base - 1) of both; memory is AnonPages, else "
				   "nr_anon_pages, else the sum of active and inactive "
				   "anonymous pages",
			.sentence = "Huge pages were lost, memory was not: the two changes.",
			.evidence = "huge_percent memory_percent memory_metric huge_metric node",
		},
		.make = read_huge_lost,
		.of = OF_RESULTS | OF_SNAPSHOTS,
	},
	{
		.row = {
			.id = "huge-share",
			.when = "AnonHugePages and AnonPages of one table or node",
			.formula = "AnonHugePages / AnonPages, each side",
			.sentence = "The share of anonymous memory that is mapped by PMDs, each "
				    "side.",
			.evidence = "before after node",
		},
		.make = read_huge_share,
		.of = OF_RESULTS | OF_SNAPSHOTS,
	},
	{
		.row = {
			.id = "faults-explained",
			.when = "minor faults of the test (else pgfault) rose and "
				"thp_fault_alloc (else nr_anon_transparent_hugepages) fell",
			.formula = "extra faults / (huge pages lost x (pages of a huge page - "
				   "1))",
			.sentence = "The extra faults are N % of what the lost huge pages cost "
				    "in small ones; outside 50 to 150 % only the two numbers.",
			.evidence = "extra_faults huge_pages_lost pages_per_huge_page assumed "
				    "ratio metric huge_metric",
		},
		.make = read_faults_explained,
		.of = OF_RESULTS,
	},
	{
		.row = {
			.id = "splits-per-alloc",
			.when = "100 thp_fault_alloc or more on each side, and thp_split_pmd "
				"over it is within 0.05 of the same whole number of at least 2 "
				"on both",
			.formula = "thp_split_pmd / thp_fault_alloc, each side",
			.sentence = "Each huge page was split as if so many processes mapped "
				    "it, on both sides: fewer huge pages were used, not more "
				    "splitting.",
			.evidence = "before after integer",
		},
		.make = read_splits,
		.of = OF_RESULTS | OF_SNAPSHOTS,
	},
	{
		.row = {
			.id = "demand-not-supply",
			.when = "thp_fault_alloc fell by 5 % or more, thp_fault_fallback is "
				"there and did not rise, thp_collapse_alloc did not rise",
			.formula = "100 (head/base - 1) of thp_fault_alloc",
			.sentence = "Fewer faults asked for a huge page. With more minor "
				    "faults: places or policy were lost; with no more: less "
				    "memory was touched.",
			.evidence = "alloc_before alloc_after fallback_before fallback_after "
				    "faults_rose",
		},
		.make = read_demand,
		.of = OF_RESULTS,
	},
	{
		.row = {
			.id = "fallback-rate",
			.when = "thp_fault_alloc and thp_fault_fallback, 100 or more together "
				"on a side",
			.formula = "fallback / (alloc + fallback), each side that has 100",
			.sentence = "The share of huge-page faults that fell back to small "
				    "pages.",
			.evidence = "before after",
		},
		.make = read_fallback_rate,
		.of = OF_RESULTS | OF_SNAPSHOTS,
	},
	{
		.row = {
			.id = "split-not-freed",
			.when = "thp_deferred_split_page rose by more than thp_split_page, or "
				"there are more huge pages of the PMD size than are mapped by "
				"PMDs (nr_anon above nr_anon_transparent_hugepages)",
			.formula = "the difference of the two",
			.sentence = "Huge pages were unmapped in part and are held still.",
			.evidence = "pages",
		},
		.make = read_split_not_freed,
		.of = OF_RESULTS | OF_SNAPSHOTS,
	},
	{
		.row = {
			.id = "less-clearing",
			.when = "profile rows of clear_page*, clear_huge* fell by 5 points or "
				"more together",
			.formula = "sum of the rows of one kind (children, else self, else call "
				   "chains by their innermost function); with children clear_huge* "
				   "only where no clear_page* is, which it calls",
			.sentence = "The share of time spent clearing memory fell. With a fall "
				    "of AnonHugePages or of the resident set: so the run "
				    "populates less memory.",
			.evidence = "before after kind populated",
		},
		.make = read_less_clearing,
	},
	{
		.row = {
			.id = "hole",
			.when = "a cell whose deviation is what zeros for missing runs leave, of "
				"a metric of which every run has some (perf-stat, meminfo, "
				"gauges of proc-vmstat, numa, throughputs; not major faults, "
				"swap, dirty pages and the like); one for each",
			.formula = "value x n / (n - k); its change against the base",
			.sentence = "The value without the missing runs, and the change that "
				    "leaves.",
			.evidence = "metric missing runs value change printed",
		},
		.make = read_holes,
		.once = true,
	},
	{
		.row = {
			.id = "disagrees",
			.when = "metric rows whose printed change is not in the range of their "
				"printed values, one for each; failure rows once, together",
			.formula = "100 (head/base - 1), head - base, or 100 (f/r - f0/r0)",
			.sentence = "What the change should be.",
			.evidence = "metric printed recomputed rows metrics",
		},
		.make = read_disagrees,
		.once = true,
	},
	{
		.row = {
			.id = "unexplained",
			.when = "a headline regression, and the table of its test has huge-page "
				"rows that all stay within their noise (or within 2 % where no "
				"deviation is printed); of many headlines of one table the last says "
				"how many more",
			.formula = "the difference against the deviations of both sides, as the "
				   "root of their squares",
			.sentence = "Huge pages do not explain it: their rows did not move.",
			.evidence = "headline metrics rows more",
		},
		.make = read_unexplained,
	},
};
const size_t lkp_reading_count = sizeof(lkp_reading_rows) / sizeof(lkp_reading_rows[0]);

/* ---- looking up ---- */

static double percent(double before, double after)
{
	return before == 0 ? NAN : 100 * (after - before) / before; /* 10000 -> 9000 is -10 in full */
}

static bool pair_of_row(const struct lkp_row *row, size_t column, struct metric_pair *ret)
{
	if (!row || row->section != LKP_METRIC || column >= row->n)
		return false;
	double before = row->cells[0].number, after = row->cells[column].number;

	*ret = (struct metric_pair){ before, after, percent(before, after), row->metric, row };
	return true;
}

/* Names of snapshots: vmstat.X for proc-vmstat.X, node0.meminfo.X for numa-meminfo.node0.X. */
static struct slice snapshot_name(const char *name, char *buf, size_t size)
{
	struct slice s = slice_str(name), node;

	if (slice_starts(s, SLICE("proc-")))
		return slice_skip(s, 5);
	if (!slice_starts(s, SLICE("numa-")))
		return s;
	struct cut file = slice_cut(slice_skip(s, 5), '.'), rest = slice_cut(file.tail, '.');
	node = rest.head;
	int n = snprintf(buf, size, "%.*s.%.*s.%.*s", SLICE_FMT(node), SLICE_FMT(file.head),
			 SLICE_FMT(rest.tail));
	return slice_of(buf, (size_t)n);
}

static bool pair_of_counter(const struct counter_row *c, struct metric_pair *ret)
{
	if (!c->has_before || !c->has_after || (c->kind == COUNTER_COUNTER && !c->has_delta))
		return false;
	double before = dec_double(c->before), after = dec_double(c->after);

	*ret = (struct metric_pair){ before, after, percent(before, after), c->name, NULL };
	return true;
}

bool scope_find(const struct reading_scope *s, const char *name, struct metric_pair *ret)
{
	char buf[128];

	if (s->table)
		return pair_of_row(lkp_row_find(s->table, slice_str(name)), s->column, ret);
	struct slice want = s->results ? slice_str(name) : snapshot_name(name, buf, sizeof(buf));
	for (size_t i = 0; i < s->counters->n; i++)
		if (slice_eq(s->counters->at[i].name, want))
			return pair_of_counter(&s->counters->at[i], ret);
	return false;
}

bool scope_find_end(const struct reading_scope *s, const char *end, struct metric_pair *ret)
{
	for (size_t i = 0; s->table && i < s->table->n; i++)
		if (slice_ends(s->table->rows[i].metric, slice_str(end)) &&
		    pair_of_row(&s->table->rows[i], s->column, ret))
			return true;
	for (size_t i = 0; s->results && i < s->counters->n; i++)
		if (slice_ends(s->counters->at[i].name, slice_str(end)) &&
		    pair_of_counter(&s->counters->at[i], ret))
			return true;
	return false;
}

/* ---- making ---- */

static size_t columns_of(const struct lkp_table *t)
{
	size_t n = 2;

	for (size_t i = 0; i < t->n; i++)
		n = t->rows[i].n > n ? t->rows[i].n : n;
	return n;
}

static void read_table(struct reading_scope *s)
{
	size_t columns = columns_of(s->table);

	for (size_t i = 0; i < lkp_reading_count; i++)
		for (s->column = 1; s->column < columns; s->column++) {
			lkp_reading_rows[i].make(s);
			if (lkp_reading_rows[i].once)
				break;
		}
}

void lkp_readings(const struct lkp_doc *doc, const struct lkp_checked *checked, struct arena *a,
		  struct readings *to, size_t *ends)
{
	struct lkp_about about;

	lkp_about_open(&about, doc, a);
	for (size_t i = 0; i < doc->n; i++) {
		struct reading_scope s = { .doc = doc, .about = &about, .table = &doc->tables[i],
					   .number = i, .verdicts = checked->tables[i], .a = a,
					   .to = to };

		read_table(&s);
		if (ends)
			ends[i] = to->n;
	}
	lkp_about_close(&about);
}

static void read_counters(struct reading_scope *s, enum reading_of of)
{
	for (size_t i = 0; i < lkp_reading_count; i++)
		if (lkp_reading_rows[i].of & of)
			lkp_reading_rows[i].make(s);
}

void snapshot_readings(const struct counter_rows *rows, struct arena *a, struct readings *to)
{
	struct reading_scope s = { .counters = rows, .a = a, .to = to };

	read_counters(&s, OF_SNAPSHOTS);
}

void result_readings(const struct counter_rows *rows, struct arena *a, struct readings *to)
{
	struct reading_scope s = { .counters = rows, .results = true, .a = a, .to = to };

	read_counters(&s, OF_RESULTS);
}
