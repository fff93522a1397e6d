/* SPDX-License-Identifier: MIT */
/* Printed changes against printed values, holes, noise, and figures for rules. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/lkp_check.h"

static struct arena a;
static struct lkp_doc doc;

static int teardown(void **state)
{
	(void)state;
	arena_free(&a);
	return 0;
}

/* Verdicts of the first table of a text. */
static const struct lkp_verdict *judge(const char *text)
{
	struct source_info info = { 0 };
	struct lkp_checked checked;
	struct err e;

	if (lkp_parse(slice_str(text), &a, &info, &doc, &e))
		fail_msg("%s: %s", text, e.text);
	lkp_check(&doc, &a, &checked);
	return checked.tables[0];
}

static const struct {
	const char *row;
	double recomputed; /* NAN: null */
	enum lkp_tri agrees;
} changes[] = {
	/* Real rows whose change was taken from unrounded means: all within rounding. */
	{ "18.98 ±  5% +30.5% 24.78 ± 14% a.b", 30.55848261327713, LKP_YES },
	{ "0.05 ±  7% +886.3% 0.50 ± 86% a.b", 900, LKP_YES },
	{ "0.40 -9.1% 0.36 a.b", -10, LKP_YES },
	{ "0.14 +1.6% 0.14 a.b", 0, LKP_YES },
	{ "1.983e+10 +1.3% 2.01e+10 a.b", 1.3615733736762, LKP_YES },
	{ "2500 +2.3e+06% 57748000 a.b", 2309820, LKP_YES },
	{ "-12345 -50.0% -6172 a.b", -50.0040502227622, LKP_YES },
	{ "1000.00 +100.0% 1999 a.b", 99.9, LKP_YES }, /* 1999 stands for 1999.99 too: it is cut */
	{ "6.15 +0.2 6.30 a.b%", 0.15, LKP_YES },
	{ "0.00 +0.6 0.58 a.b%", 0.58, LKP_YES },
	{ "100 +5% 105 a.b", 5, LKP_YES }, /* old tables print whole percents */
	/* Nothing can be told. */
	{ "0.00 +3.3e+101% 0.33 ±141% a.b", NAN, LKP_UNKNOWN },
	{ "10 +Inf% 11 a.b", 10, LKP_UNKNOWN },
	/* Wrong ones. */
	{ "100.00 +30.5% 124.78 a.b", 24.78, LKP_NO },
	{ "2745 +9.2% 2492 a.b", -9.2167577413479, LKP_NO },
	{ "6.15 -0.2 6.30 a.b%", 0.15, LKP_NO },
	{ "1999 +100.0% 3990 a.b", 99.59979989995, LKP_NO },
	/* An exponent of any size */
	{ "1.00e-9223372036854775808 +5.0% 1.05 a.b", NAN, LKP_UNKNOWN },
	{ "1.05 +5.0e-9223372036854775808% 1.05 a.b", 0, LKP_YES },
	{ "1e-300 +5.0% 1e+300 a.b", NAN, LKP_UNKNOWN },
	/* Failure rows by their counts. */
	{ "60:60 85% 111:111 a.fail", 0, LKP_NO },
	{ ":60 105% 63:111 a.fail", 56.7567567567568, LKP_NO },
	{ "13:6 0% 13:6 a.fail", 0, LKP_YES },
	{ ":6 50% 3:6 a.fail", 50, LKP_YES },
	{ "1:3 33% 2:3 a.fail", 33.3333333333333, LKP_YES },
	{ "1:0 33% 2:3 a.fail", NAN, LKP_UNKNOWN },
};

static void test_changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct lkp_verdict *v = judge(changes[i].row);

		assert_true(isnan(v[0].recomputed));
		assert_int_equal(v[0].agrees, LKP_UNKNOWN);
		if (isnan(changes[i].recomputed)
			    ? !isnan(v[1].recomputed)
			    : !(fabs(v[1].recomputed - changes[i].recomputed) < 1e-9))
			fail_msg("%s: %.15g", changes[i].row, v[1].recomputed);
		if (v[1].agrees != changes[i].agrees)
			fail_msg("%s: %d", changes[i].row, (int)v[1].agrees);
	}
}

/* Differences are exact in decimal: 4.44 - 2.51 is 1.93. */
static void test_exact(void **state)
{
	const struct lkp_verdict *v = judge("2.51 ± 27% +1.9 4.44 ± 35% mpstat.cpu.all.idle%");
	char buf[DEC_BUF];

	(void)state;
	assert_true(v[1].has_exact);
	assert_true(slice_eq_str(dec_put(buf, v[1].exact), "1.93"));
}

static const struct {
	const char *rows; /* the first is judged */
	int hole;         /* 1 + column, 0: none */
	unsigned missing, runs;
	double whole;
} holes[] = {
	{ "7.30 -18.4% 5.96 ± 44% perf-stat.overall.cpi", 2, 1, 6, 7.152 },
	{ "0.84 ± 70% +49.4% 1.26 perf-stat.overall.cpi", 1, 1, 3, 1.26 },
	{ "1.67 ± 70% +48.0% 2.47 perf-stat.overall.MPKI\n0.08 ±223% +0.5 0.55 perf-profile.x.y", 1,
	  2, 6, 2.505 },
	{ "1.67 ± 70% +48.0% 2.47 perf-stat.overall.MPKI\n:6 50% 3:6 dmesg.x", 1, 2, 6, 2.505 },
	{ "500 ± 57% +33.0% 665 stress-ng.x.ops_per_sec", 1, 1, 4, 2000.0 / 3 },
	{ "100 -50.0% 50 ±100% meminfo.AnonPages", 2, 2, 4, 100 },
	{ "10 ± 44% +20.0% 12 proc-vmstat.nr_anon_pages", 1, 1, 6, 12 },
	{ "10 ± 44% +20.0% 12 proc-vmstat.workingset_nodes", 1, 1, 6, 12 },
	{ "10 ± 44% +20.0% 12 filebench.sum_operations/s", 1, 1, 6, 12 },
	/* Three columns: any other column may be the one it comes near. */
	{ "5.00 ± 44% +1.0% 9.00 +20.0% 6.10 perf-stat.overall.cpi", 1, 1, 6, 6 },
	/* The mark, but the metric may be zero. */
	{ "0.34 ± 70% +0.3 0.51 perf-profile.x.y", 0, 0, 0, 0 },
	{ "10 ± 44% +20.0% 12 iostat.sda.w/s", 0, 0, 0, 0 },
	{ "10 ± 44% +20.0% 12 perf-stat.i.major-faults", 0, 0, 0, 0 },
	{ "10 ± 44% +20.0% 12 proc-vmstat.pgmajfault", 0, 0, 0, 0 },
	{ "10 ± 44% +20.0% 12 meminfo.Writeback", 0, 0, 0, 0 },
	{ "10 ± 44% +20.0% 12 proc-vmstat.nr_dirtied", 0, 0, 0, 0 },
	{ "10 ± 44% +20.0% 12 proc-vmstat.nr_tlb_local_flush_all", 0, 0, 0, 0 },
	/* The metric, but no mark. */
	{ "10 ± 47% +20.0% 12 perf-stat.i.cpi", 0, 0, 0, 0 },
	{ "10 +20.0% 12 perf-stat.i.cpi", 0, 0, 0, 0 },
	/* Both, but without the zeros it is near no other column. */
	{ "10 ± 44% +50.0% 15 perf-stat.i.cpi", 0, 0, 0, 0 },
	/* Or the other is as uncertain. */
	{ "600.00 ± 40% -10.0% 540.00 ± 40% meminfo.AnonHugePages", 0, 0, 0, 0 },
	{ "0.00 ± 44% +0.0% 0.00 perf-stat.i.cpi", 0, 0, 0, 0 },
};

static void test_holes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(holes) / sizeof(holes[0]); i++) {
		const struct lkp_verdict *v = judge(holes[i].rows);
		int found = 0;

		for (size_t c = 0; c < doc.tables[0].rows[0].n; c++)
			found = v[c].hole ? (int)c + 1 : found;
		if (found != holes[i].hole)
			fail_msg("%s: hole in column %d", holes[i].rows, found - 1);
		if (!found)
			continue;
		v += found - 1;
		if (v->missing != holes[i].missing || v->runs != holes[i].runs ||
		    fabs(v->whole - holes[i].whole) > 1e-9)
			fail_msg("%s: %u of %u, %.15g", holes[i].rows, v->missing, v->runs,
				 v->whole);
	}
}

static void test_noise(void **state)
{
	static const struct {
		const char *row;
		bool within;
	} rows[] = {
		{ "600.00 ± 40% -10.0% 540.00 ± 40% a.b", true },
		{ "100.00 ±  3% +5.0% 105.00 ±  5% a.b", true },
		{ "100.00 ±  3% +7.0% 107.00 ±  5% a.b", false },
		{ "100.00 +0.1% 100.10 a.b", false }, /* without a deviation nothing is said */
		{ ":6 50% 3:6 a.b", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		judge(rows[i].row);
		if (lkp_within_noise(&doc.tables[0].rows[0], 1) != rows[i].within)
			fail_msg("%s", rows[i].row);
	}
}

static void test_figures(void **state)
{
	struct lkp_figures f;

	(void)state;
	judge("1315990 -63.8% 475807 ±  3% +1.0% 1329150 meminfo.AnonHugePages\n2.00 +1.0 3.00 "
	      "a.b%\n"
	      ":60 105% 63:111 a.fail\n0.00 +3.3e+101% 0.33 a.zero\n0.00 +1.0 1.00 b%.c%\n");
	const struct lkp_table *t = &doc.tables[0];
	assert_true(lkp_figures(t, SLICE("meminfo.AnonHugePages"), &a, &f));
	assert_true(f.base == 1315990 && f.head == 1329150 && f.percent == 1.0 && f.printed);
	assert_true(lkp_figures(t, SLICE("a.b%"), &a, &f));
	assert_true(f.base == 2 && f.head == 3 && f.percent == 50 && !f.printed);
	assert_true(lkp_figures(t, SLICE("a.fail"), &a, &f));
	assert_true(f.base == 0 && fabs(f.head - 56.756756756756758) < 1e-9 && f.percent == f.head);
	assert_true(lkp_figures(t, SLICE("a.zero"), &a, &f));
	assert_true(isnan(f.percent) && f.head == 0.33);
	assert_true(lkp_figures(t, SLICE("b%.c%"), &a, &f));
	assert_true(isnan(f.percent));
	assert_false(lkp_figures(t, SLICE("a.none"), &a, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes), cmocka_unit_test(test_exact),
		cmocka_unit_test(test_holes),	cmocka_unit_test(test_noise),
		cmocka_unit_test(test_figures),
	};

	return cmocka_run_group_tests_name("lkp_check", tests, NULL, teardown);
}
