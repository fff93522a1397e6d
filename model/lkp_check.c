/* SPDX-License-Identifier: MIT */
#include "model/lkp_check.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "model/system_counters.h"

/* ---- what a printed number may stand for ---- */

struct range {
	double from, to;
};

/* What stands behind the "e": of any size, "1e-9223372036854775808" is a number, too. */
static double exponent_of(struct slice s, size_t e)
{
	double exponent = 0;

	num_double(slice_skip(s, e + 1), &exponent);
	return exponent;
}

/* 10 to the power of the last digit before an exponent, "2.01e+10" being 2.010e+10. */
static double exponent_unit(struct slice s, size_t e)
{
	struct slice mantissa = slice_first(s, e);
	ptrdiff_t dot = slice_find(mantissa, SLICE("."));
	long decimals = dot < 0 ? 0 : (long)mantissa.n - dot - 1;

	return pow(10, exponent_of(s, e) - (double)(decimals < 3 ? 3 : decimals));
}

static struct range value_range(const struct lkp_cell *c)
{
	ptrdiff_t e = slice_find(c->value, SLICE("e")), dot = slice_find(c->value, SLICE("."));
	double v = c->number, unit;

	if (e >= 0) {
		unit = exponent_unit(c->value, (size_t)e);
		return (struct range){ v - unit / 2, v + unit / 2 };
	}
	if (dot >= 0) {
		unit = pow(10, -(double)((ptrdiff_t)c->value.n - dot - 1));
		return (struct range){ v - unit / 2, v + unit / 2 };
	}
	if (fabs(v) >= 1000) /* cut off, toward zero */
		return v < 0 ? (struct range){ v - 1, v } : (struct range){ v, v + 1 };
	return (struct range){ v - 1, v + 1 };
}

static struct range change_range(const struct lkp_cell *c)
{
	ptrdiff_t e = slice_find(c->change, SLICE("e")), dot = slice_find(c->change, SLICE("."));
	double half = 0.5;

	if (e >= 0) /* two significant digits */
		half = 0.5 * pow(10, exponent_of(c->change, (size_t)e) -
					     (double)(dot < 0 ? 0 : e - dot - 1));
	else if (dot >= 0)
		half = 0.5 * pow(10, -(double)((ptrdiff_t)c->change.n - dot - 1));
	return (struct range){ c->change_number - half, c->change_number + half };
}

/* LKP_UNKNOWN: an end of them is beyond what a double holds. */
static enum lkp_tri overlap(struct range a, struct range b)
{
	double slack = 1e-9 * (1 + fabs(a.from) + fabs(b.from));

	if (!isfinite(slack))
		return LKP_UNKNOWN;
	return a.from <= b.to + slack && b.from <= a.to + slack ? LKP_YES : LKP_NO;
}

/* ---- the change ---- */

static double percent_of(double base, double head)
{
	double percent = 100 * (head / base - 1);

	return isfinite(percent) ? percent : NAN;
}

/* false: the base may be zero, or nearly so, and anything is possible */
static bool percent_range(struct range base, struct range head, struct range *ret)
{
	double corner[4] = { percent_of(base.from, head.from), percent_of(base.from, head.to),
			     percent_of(base.to, head.from), percent_of(base.to, head.to) };

	if (base.from <= 0 && base.to >= 0)
		return false;
	*ret = (struct range){ corner[0], corner[0] };
	for (int i = 1; i < 4; i++) {
		if (isnan(corner[i - 1]) || isnan(corner[i]))
			return false;
		ret->from = fmin(ret->from, corner[i]);
		ret->to = fmax(ret->to, corner[i]);
	}
	return true;
}

static void check_percent(const struct lkp_cell *base, const struct lkp_cell *head,
			  struct lkp_verdict *v)
{
	struct range r;

	if (base->number != 0)
		v->recomputed = percent_of(base->number, head->number);
	if (!isnan(head->change_number) && percent_range(value_range(base), value_range(head), &r))
		v->agrees = overlap(r, change_range(head));
}

static void check_difference(const struct lkp_cell *base, const struct lkp_cell *head,
			     struct lkp_verdict *v)
{
	struct range b = value_range(base), h = value_range(head);
	struct dec x, y;

	v->has_exact = dec_parse(base->value, &x) && dec_parse(head->value, &y) &&
		       dec_sub(y, x, &v->exact);
	v->recomputed = v->has_exact ? dec_double(v->exact) : head->number - base->number;
	if (!isnan(head->change_number))
		v->agrees = overlap((struct range){ h.from - b.to, h.to - b.from },
				    change_range(head));
}

static double rate(const struct lkp_cell *c)
{
	return c->runs > 0 ? 100.0 * (double)c->fails / (double)c->runs : NAN;
}

static void check_failures(const struct lkp_cell *base, const struct lkp_cell *head,
			   struct lkp_verdict *v)
{
	v->recomputed = rate(head) - rate(base);
	if (!isnan(v->recomputed) && !isnan(head->change_number))
		v->agrees = overlap((struct range){ v->recomputed, v->recomputed },
				    change_range(head));
}

typedef void check(const struct lkp_cell *base, const struct lkp_cell *head, struct lkp_verdict *v);

static check *const checks[] = {
	[LKP_PERCENT] = check_percent,
	[LKP_DIFFERENCE] = check_difference,
	[LKP_REPRODUCTION] = check_failures,
};

/* ---- holes ---- */

enum { RUNS_MIN = 3, RUNS_MAX = 9 };

/*
 * Metrics of which every run has some. Not in it: profiles and schedules
 * (below 0.05 they print 0.00), disks, and events that may not happen at all.
 */
static const struct {
	const char *front, *end;
} never_zero[] = {
	{ "perf-stat.", "" },	    { "meminfo.", "" },		 { "numa-meminfo.", "" },
	{ "numa-vmstat.", "" },	    { "numa-numastat.", "" },	 { "filebench.", "/s" },
	{ "", ".throughput" },	    { "", ".ops" },		 { "", "_per_sec" },
	{ "", ".per_process_ops" }, { "", ".per_thread_ops" },	 { "", ".workload" },
	{ "", ".median" },	    { "", ".Throughput_Mbps" },	 { "", ".Throughput_tps" },
	{ "", "throughput-MB/sec" }, { "", ".jobs-per-min" },	 { "", ".jobs_per_min" },
	{ "", "_bw_MBps" },	    { "", "_bandwidth_MBps" },	 { "", "_per_sec_per_cpu" },
};

static const char *const may_be_zero[] = {
	"major-faults", "alignment-faults", "emulation-faults", "migrations",
	"Writeback", "writeback", "Dirty", "dirty", "Swap", "swap",
	"HugePages_", "Hugetlb", "Unevictable", "unevictable",
	"Mlocked", "mlock", "isolated", "Bounce", "NFS_Unstable", "HardwareCorrupted",
	"Cma", "cma",
	"numa_foreign", "numa_miss", "other_node",
};

static bool is_vmstat_gauge(struct slice metric)
{
	struct slice front = SLICE("proc-vmstat.");

	return slice_starts(metric, front) && vmstat_is_gauge(slice_skip(metric, front.n));
}

bool lkp_never_zero(struct slice metric)
{
	bool found = is_vmstat_gauge(metric);

	for (size_t i = 0; i < sizeof(never_zero) / sizeof(never_zero[0]); i++)
		found |= slice_starts(metric, slice_str(never_zero[i].front)) &&
			 slice_ends(metric, slice_str(never_zero[i].end));
	for (size_t i = 0; found && i < sizeof(may_be_zero) / sizeof(may_be_zero[0]); i++)
		if (slice_has(metric, slice_str(may_be_zero[i])))
			return false;
	return found;
}

/*
 * Runs of a column: what its failure rows say, else the mark of a metric that
 * only one run had, 100 sqrt(n-1). 0: nothing tells.
 */
static unsigned runs_of(const struct lkp_table *t, size_t column)
{
	unsigned marked = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->rows[i].n <= column)
			continue;
		const struct lkp_cell *c = &t->rows[i].cells[column];

		if (c->runs >= RUNS_MIN && c->runs <= RUNS_MAX)
			return (unsigned)c->runs;
		for (unsigned n = RUNS_MIN; n <= RUNS_MAX && !marked; n++)
			if (fabs((double)c->stddev_pct - floor(100 * sqrt(n - 1))) < 0.5)
				marked = n;
	}
	return marked;
}

/* Missing runs that leave this deviation; of several the one with `known` runs, else the fewest. */
static bool find_mark(int64_t stddev_pct, unsigned known, struct lkp_verdict *v)
{
	bool found = false;

	for (unsigned n = RUNS_MIN; n <= RUNS_MAX; n++)
		for (unsigned k = 1; 2 * k <= n; k++) {
			double mark = 100 * sqrt((double)k / (n - k));

			if (fabs((double)stddev_pct - mark) > 1 || (found && n != known))
				continue;
			v->missing = k;
			v->runs = n;
			found = true;
		}
	return found;
}

static void check_hole(const struct lkp_row *row, size_t column, unsigned known,
		       struct lkp_verdict *v)
{
	const struct lkp_cell *c = &row->cells[column];

	if (c->stddev_pct < 0 || c->number == 0 || !find_mark(c->stddev_pct, known, v))
		return;
	v->whole = c->number * v->runs / (v->runs - v->missing);
	for (size_t i = 0; i < row->n && !v->hole; i++) {
		const struct lkp_cell *o = &row->cells[i];

		if (i == column || o->stddev_pct > 10)
			continue;
		v->hole = fabs(v->whole - o->number) <= 0.1 * fabs(o->number);
		v->other = i;
	}
}

/* ---- all of it ---- */

static void check_row(const struct lkp_row *row, const unsigned *runs, struct lkp_verdict *v)
{
	bool may_have_holes = row->section == LKP_METRIC && lkp_never_zero(row->metric);

	for (size_t c = 0; c < row->n; c++) {
		v[c] = (struct lkp_verdict){ .recomputed = NAN, .whole = NAN };
		if (c && row->cells[c].kind)
			checks[row->cells[c].kind](&row->cells[0], &row->cells[c], &v[c]);
		if (may_have_holes)
			check_hole(row, c, runs[c], &v[c]);
	}
}

static size_t columns_of(const struct lkp_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n = t->rows[i].n > n ? t->rows[i].n : n;
	return n;
}

/* Verdicts of all cells of a table: that of a cell is at row->first + column. */
static struct lkp_verdict *lkp_check_table(const struct lkp_table *t, struct arena *a)
{
	struct lkp_verdict *v = arena_array(a, t->cells, sizeof(*v));
	size_t columns = columns_of(t);
	unsigned *runs = arena_array(a, columns, sizeof(*runs));

	for (size_t c = 0; c < columns; c++)
		runs[c] = runs_of(t, c);
	for (size_t i = 0; i < t->n; i++)
		check_row(&t->rows[i], runs, v + t->rows[i].first);
	return v;
}

void lkp_check(const struct lkp_doc *doc, struct arena *a, struct lkp_checked *ret)
{
	ret->tables = arena_array(a, doc->n, sizeof(*ret->tables));
	for (size_t i = 0; i < doc->n; i++)
		ret->tables[i] = lkp_check_table(&doc->tables[i], a);
}

static double deviation(const struct lkp_cell *c)
{
	return c->stddev_pct > 0 ? fabs(c->number) * (double)c->stddev_pct / 100 : 0;
}

bool lkp_within_noise(const struct lkp_row *row, size_t column)
{
	const struct lkp_cell *base = &row->cells[0], *head = &row->cells[column];
	double noise = hypot(deviation(base), deviation(head));

	return row->section == LKP_METRIC && column && noise > 0 &&
	       fabs(head->number - base->number) <= noise;
}

bool lkp_figures(const struct lkp_table *t, struct slice metric, struct arena *a,
		 struct lkp_figures *ret)
{
	const struct lkp_row *row = lkp_row_find(t, metric);

	if (!row)
		return false;
	const struct lkp_cell *base = &row->cells[0], *head = &row->cells[row->n - 1];
	const struct lkp_verdict *v = &lkp_check_table(t, a)[row->first + row->n - 1];
	bool failure = row->section == LKP_FAILURE;

	*ret = (struct lkp_figures){ failure ? rate(base) : base->number,
				     failure ? rate(head) : head->number, v->recomputed, false, row,
				     v->agrees };
	if (!failure && base->number == 0) {
		ret->percent = NAN; /* what is printed then is a mark, not a figure */
	} else if (head->kind == LKP_PERCENT && !isnan(head->change_number)) {
		ret->percent = head->change_number;
		ret->printed = true;
	} else if (head->kind == LKP_DIFFERENCE) {
		ret->percent = percent_of(base->number, head->number);
	}
	return true;
}
