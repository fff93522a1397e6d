/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <math.h>

#include "base/rfc3339.h"
#include "base/stats.h"

#define ARRAY(...) (const double[]){ __VA_ARGS__ }
#define LIST(...) ARRAY(__VA_ARGS__), sizeof(ARRAY(__VA_ARGS__)) / sizeof(double)

static void near(double got, double due)
{
	if (fabs(got - due) > 1e-12)
		fail_msg("%.15g is not %.15g", got, due);
}

static void middle_and_spread(void **state)
{
	(void)state;
	struct stats s = stats_of(LIST(7, 1, 4));
	near(s.median, 4);
	near(s.min, 1);
	near(s.max, 7);
	near(s.mean, 4);
	near(s.mad, 3); /* distances 3 0 3 */
	s = stats_of(LIST(1, 2, 3, 100));
	near(s.median, 2.5);
	near(s.mean, 26.5);
	near(s.mad, 1); /* 1.5 0.5 0.5 97.5 */
	s = stats_of(LIST(1e308, 1e308));
	near(s.median / 1e308, 1);
	s = stats_of(NULL, 0);
	assert_int_equal(s.n, 0);
	near(s.median, 0);
}

static struct mann_whitney test(const double *a, size_t n_a, const double *b, size_t n_b)
{
	struct mann_whitney m;

	assert_true(stats_mann_whitney(a, n_a, b, n_b, &m));
	return m;
}

static void exact_by_hand(void **state)
{
	(void)state;
	/* 3 of 6 can be taken in 20 ways; only the two extremes are this lopsided */
	struct mann_whitney m = test(LIST(1, 2, 3), LIST(4, 5, 6));
	assert_true(m.exact);
	near(m.u, 0);
	near(m.p, 2.0 / 20);
	near(m.p_min, 2.0 / 20);
	m = test(LIST(4, 5, 6), LIST(1, 2, 3));
	near(m.u, 9);
	near(m.p, 2.0 / 20);
	/* sums of a: 7 (1 2 4); as far from 10.5: 6 7 and 14 15, one way each */
	m = test(LIST(1, 2, 4), LIST(3, 5, 6));
	near(m.u, 1);
	near(m.p, 4.0 / 20);
	/* 1 against 1 says nothing */
	m = test(LIST(1), LIST(2));
	near(m.p, 1);
	near(m.p_min, 1);
	/* 4 against 4: 70 ways */
	m = test(LIST(1, 2, 3, 4), LIST(5, 6, 7, 8));
	near(m.p, 2.0 / 70);
	/* 2 against 3, expected sum 6: 4 (1 3) has 3 4 8 9 at least as far off, 4 of 10 */
	m = test(LIST(1, 3), LIST(2, 4, 5));
	near(m.u, 1);
	near(m.p, 4.0 / 10);
}

static void ties_by_hand(void **state)
{
	(void)state;
	/* all equal: every way is as extreme as any */
	struct mann_whitney m = test(LIST(5, 5, 5), LIST(5, 5, 5));
	near(m.u, 4.5);
	near(m.p, 1);
	/* ranks 1 2.5 | 2.5 4; sums of two: 3.5 3.5 5 5 6.5 6.5; 3.5 is 1.5 off: 4 of 6 */
	m = test(LIST(1, 2), LIST(2, 3));
	near(m.u, 0.5);
	near(m.p, 4.0 / 6);
	/* ranks 1.5 1.5 | 3.5 3.5: 3 once, 5 four times, 7 once */
	m = test(LIST(1, 1), LIST(2, 2));
	near(m.u, 0);
	near(m.p, 2.0 / 6);
	/* lopsided counts: ranks 2 2 2 4 5, one taken; 5 is 2 off the expected 3: 1 of 5 */
	m = test(LIST(9), LIST(1, 1, 1, 2));
	near(m.u, 4);
	near(m.p, 1.0 / 5);
}

static void many(void **state)
{
	double a[40], b[40];

	(void)state;
	for (int i = 0; i < 40; i++) {
		a[i] = i;
		b[i] = i + 0.5;
	}
	/* u = pairs a > b = 780; mean 800, sd sqrt(1600 * 81 / 12) = 103.92304845; z = 19.5 / sd */
	struct mann_whitney m = test(a, 40, b, 40);
	assert_false(m.exact);
	near(m.u, 780);
	near(m.p, erfc(19.5 / 103.92304845413264 / sqrt(2)));
	/* at the edge both ways agree to a few thousandths */
	m = test(a, 25, b, 25);
	assert_true(m.exact);
	double sd = sqrt(625.0 * 51 / 12);
	assert_true(fabs(m.p - erfc((fabs(m.u - 312.5) - 0.5) / sd / sqrt(2))) < 0.005);
	for (int i = 0; i < 40; i++)
		a[i] = b[i] = 1;
	m = test(a, 40, b, 40);
	near(m.p, 1);
}

static void symmetric(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		double v[12];
		size_t n_a = 1 + (size_t)round % 11;

		for (int i = 0; i < 12; i++) {
			seed = seed * 1103515245 + 12345;
			v[i] = seed >> 16 & 7;
		}
		struct mann_whitney x = test(v, n_a, v + n_a, 12 - n_a);
		struct mann_whitney y = test(v + n_a, 12 - n_a, v, n_a);
		near(x.u + y.u, (double)(n_a * (12 - n_a)));
		near(x.p, y.p);
		assert_true(x.p > 0 && x.p <= 1);
	}
}

static void empty_sides(void **state)
{
	struct mann_whitney m;

	(void)state;
	assert_false(stats_mann_whitney(NULL, 0, LIST(1), &m));
	assert_false(stats_mann_whitney(LIST(1), NULL, 0, &m));
}

static void times(void **state)
{
	static const struct {
		const char *text;
		int64_t ns; /* -1: refused */
		const char *back;
	} cases[] = {
		{ "1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z" },
		{ "2026-07-01T12:34:56Z", 1782909296000000000, "2026-07-01T12:34:56Z" },
		{ "2026-07-01T12:34:56.5Z", 1782909296500000000, "2026-07-01T12:34:56.500000000Z" },
		{ "2026-07-01t14:34:56+02:00", 1782909296000000000, "2026-07-01T12:34:56Z" },
		{ "2026-07-01 10:04:56.000000001-02:30", 1782909296000000001,
		  "2026-07-01T12:34:56.000000001Z" },
		{ "2026-02-31T00:00:00Z", -1, "" },
		{ "2026-13-01T00:00:00Z", -1, "" },
		{ "2026-07-01T12:34:56", -1, "" },
		{ "2026-07-01T12:34:56.Z", -1, "" },
		{ "2026-07-01T12:34:56Zx", -1, "" },
		{ "1969-12-31T23:59:59Z", -1, "" },
		{ "9999-12-31T23:59:59Z", -1, "" },
		{ "", -1, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = -1;
		char buf[RFC3339_BUF];

		assert_int_equal(rfc3339_read(slice_str(cases[i].text), &ns), cases[i].ns >= 0);
		assert_int_equal(ns, cases[i].ns);
		if (ns >= 0)
			assert_true(slice_eq_str(rfc3339_put(buf, ns), cases[i].back));
	}
	assert_true(time_now_ns() > 1700000000000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(middle_and_spread), cmocka_unit_test(exact_by_hand),
		cmocka_unit_test(ties_by_hand),	     cmocka_unit_test(many),
		cmocka_unit_test(symmetric),	     cmocka_unit_test(empty_sides),
		cmocka_unit_test(times),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
