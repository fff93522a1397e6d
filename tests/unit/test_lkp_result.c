/* SPDX-License-Identifier: MIT */
/* Raw results of the robot: reading them, and means without the runs that lack a monitor. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/lkp_runs.h"

struct fixture {
	struct arena a;
	struct source_info info;
	struct lkp_result result;
	struct lkp_means means;
	struct readings readings;
	struct err e;
};

static int make(struct fixture *f, const char *text)
{
	*f = (struct fixture){ 0 };
	if (lkp_result_parse(slice_str(text), &f->a, &f->info, &f->result, &f->e))
		return -1;
	lkp_means(&f->result, &f->a, &f->means);
	lkp_run_readings(&f->means, "after", &f->a, &f->readings);
	return 0;
}

static void drop(struct fixture *f)
{
	readings_free(&f->readings);
	arena_free(&f->a);
}

static void test_path(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(
		make(&f,
		     "{\"stats_source\": "
		     "[\"/lkp/result/vms/300s-8T/box/deb/x86/gcc/abc123/0/s.json\","
		     "\"/lkp/result/vms/300s-8T/box/deb/x86/gcc/abc123/1/s.json\"], \"a.b\": [1]}"),
		0);
	assert_true(slice_eq_str(f.result.testcase, "vms"));
	assert_true(slice_eq_str(f.result.parameters, "300s-8T"));
	assert_true(slice_eq_str(f.result.machine, "box"));
	assert_true(slice_eq_str(f.result.commit, "abc123"));
	assert_int_equal(f.result.runs, 2);
	drop(&f);
}

static const struct {
	const char *text;
	size_t metric; /* this is judged */
	size_t have, runs;
	double mean, deviation_pct;
	size_t readings;
} means[] = {
	{ "{\"a.b\": [1, 2, 3]}", 0, 3, 3, 2, 50, 0 },
	{ "{\"a.b\": 4}", 0, 1, 1, 4, NAN, 0 },
	{ "{\"a.b\": [2000000000.0, 1]}", 0, 2, 2, 1000000000.5, 141.42135609, 0 },
	/* all of a monitor is zero in a run: it was not there */
	{ "{\"m.a\": [5, 0, 7], \"m.b\": [1, 0, 1]}", 0, 2, 3, 6, 23.57022604, 1 },
	/* not all of it: the zero is one */
	{ "{\"m.a\": [5, 0, 7], \"m.b\": [1, 2, 1]}", 0, 3, 3, 4, 90.13878189, 0 },
	/* a single metric that is never zero, and one that may be */
	{ "{\"perf-stat.overall.cpi\": [1.25, 0, 1.27]}", 0, 2, 3, 1.26, 1.12239172, 1 },
	{ "{\"dmesg.oops\": [1, 0, 1]}", 0, 3, 3, 2.0 / 3, 86.60254038, 0 },
	/* a list that ends early */
	{ "{\"m.a\": [5, 7], \"m.b\": [5, 7], \"n.c\": [1, 2, 3]}", 0, 2, 3, 6, 23.57022604, 1 },
	{ "{\"m.a\": [NaN, 7], \"m.b\": [1, 1], \"m.Infinity\": [1, Infinity]}", 0, 1, 2, 7, NAN,
	  0 },
	{ "{\"m.a\": [0, 0], \"m.b\": [0, 0]}", 0, 0, 2, NAN, NAN, 0 },
	/* lists of one monitor that end at different runs, and runs that none has */
	{ "{\"m.a\": [5, 7], \"m.b\": [5, 7, 0, 1], \"n.c\": [1]}", 0, 2, 4, 6, 23.57022604, 1 },
	{ "{\"stats_source\": [1, 1, 1], \"m.a\": [5], \"m.b\": [5]}", 0, 1, 3, 5, NAN, 1 },
	/* no double holds them together */
	{ "{\"m.a\": [1e308, 1e308]}", 0, 2, 2, NAN, NAN, 0 },
	{ "{\"m.a\": [1e300, 2e300]}", 0, 2, 2, 1.5e300, NAN, 0 },
};

static bool near(double have, double want)
{
	return isnan(want) ? isnan(have) : fabs(have - want) < 1e-6 * fmax(1, fabs(want));
}

static void test_means(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++) {
		struct fixture f;

		if (make(&f, means[i].text))
			fail_msg("%s: %s", means[i].text, f.e.text);
		const struct lkp_mean *m = &f.means.at[means[i].metric];
		if (m->have != means[i].have || f.result.runs != means[i].runs ||
		    !near(m->mean, means[i].mean) ||
		    !near(m->deviation_pct, means[i].deviation_pct))
			fail_msg("%s: %zu of %zu, %.12g +- %.12g", means[i].text, m->have,
				 f.result.runs, m->mean, m->deviation_pct);
		if (f.readings.n != means[i].readings)
			fail_msg("%s: %zu readings", means[i].text, f.readings.n);
		drop(&f);
	}
}

static void test_reading(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(lkp_run_reading_count, 1);
	assert_int_equal(make(&f, "{\"m.a\": [5, 0, 7], \"m.b\": [1, 0, 1], \"n.a\": [1, 1, 1]}"),
			 0);
	assert_int_equal(f.readings.n, 1);
	assert_string_equal(f.readings.at[0].id, lkp_run_reading_rows[0].id);
	assert_true(slice_has(f.readings.at[0].text,
			      SLICE("After: m has no data in 1 of 3 runs, which is left out")));
	assert_true(slice_eq_str(
		f.readings.at[0].evidence,
		"{\"monitor\":\"m\",\"side\":\"after\",\"missing\":1,\"runs\":3,\"metrics\":2}"));
	drop(&f);
}

static void test_counters(void **state)
{
	struct counter_list l = { 0 };
	struct fixture f;
	char buf[DEC_BUF];

	(void)state;
	assert_int_equal(
		make(&f, "{\"m.a\": [5, 0, 7.5], \"m.b\": [1, 0, 1], \"z.z\": [null, null, null]}"),
		0);
	lkp_means_counters(&f.means, &f.a, &l);
	assert_int_equal(l.n, 3);
	assert_true(slice_eq_str(l.at[0].name, "m.a"));
	assert_true(slice_eq_str(dec_put(buf, l.at[0].value), "6.25"));
	assert_true(near(l.at[0].variance_pct, 20)); /* sqrt(3.125) / sqrt(2) of 6.25 */
	assert_true(slice_eq_str(l.at[0].note, "1 of 3 runs have no data"));
	assert_false(l.at[2].present);
	counters_free(&l);
	drop(&f);
}

static const struct {
	const char *text;
	enum err_kind kind;
	const char *says;
} refusals[] = {
	{ "{\"meminfo.time\": [1, 2], \"meminfo.MemFree\": [1, 2]}", ERR_KIND,
	  "samples of one run" },
	{ "{\"a\": 1}", ERR_KIND, "no metric" },
	{ "{\"a.b\": [\"x\"], \"a.c\": {}}", ERR_KIND, "no metric" },
	{ "[1]", ERR_KIND, "one JSON object" },
	{ "{\"a.b\": [1,\n 2", ERR_PARSE, "" },
};

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct fixture f;

		assert_int_equal(make(&f, refusals[i].text), -1);
		assert_int_equal(f.e.kind, refusals[i].kind);
		if (!strstr(f.e.text, refusals[i].says))
			fail_msg("%s: %s", refusals[i].text, f.e.text);
		drop(&f);
	}
}

static void test_looks(void **state)
{
	(void)state;
	assert_true(lkp_result_looks(SLICE("{\n \"a.b\": [\n 1")));
	assert_true(lkp_result_looks(SLICE("{\"a.b\":-1.5}")));
	assert_true(lkp_result_looks(SLICE("{\"stats_source\":[]}")));
	assert_false(lkp_result_looks(SLICE("{\"counter-value\" : \"1.0\"}")));
	assert_false(lkp_result_looks(SLICE("{\"a\": 1}")));
	assert_false(lkp_result_looks(SLICE("{\"a.b\": \"c\"}")));
	assert_false(lkp_result_looks(SLICE("{")));
	assert_false(lkp_result_looks(SLICE("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),	 cmocka_unit_test(test_means),
		cmocka_unit_test(test_reading),	 cmocka_unit_test(test_counters),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_looks),
	};

	return cmocka_run_group_tests_name("lkp_result", tests, NULL, NULL);
}
