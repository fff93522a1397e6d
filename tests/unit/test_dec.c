/* SPDX-License-Identifier: MIT */
/* Exact decimals: digits kept, overflow refused, order right at every scale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/dec.h"

#define NINES38 "99999999999999999999999999999999999999"

static struct dec parse(const char *s)
{
	struct dec d;

	if (!dec_parse(slice_str(s), &d))
		fail_msg("not parsed: %s", s);
	return d;
}

static void assert_put(struct dec d, const char *want)
{
	char buf[DEC_BUF], have[DEC_BUF + 1];

	assert_string_equal(slice_cstr(dec_put(buf, d), have, sizeof(have)), want);
}

static void test_round_trip(void **state)
{
	static const char *const same[] = {
		"0",
		"7",
		"-7",
		"12345.68",
		"0.00",
		"0.05",
		"-0.05",
		"100.00",
		"1000.000",
		"12.3450",
		"18446744073709551615",
		"-9223372036854775808",
		NINES38,
		("-" NINES38),
		"0.000000000000000000000000000001",
		"99999999.999999999999999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		assert_put(parse(same[i]), same[i]);
}

static void test_forms(void **state)
{
	static const char *const forms[][2] = {
		{ "+5", "5" },
		{ "007", "7" },
		{ ".5", "0.5" },
		{ "5.", "5" },
		{ "-0", "0" },
		{ "-0.0", "0.0" },
		{ "1.235e+08", "123500000" },
		{ "2.01e+10", "20100000000" },
		{ "1e+08", "100000000" },
		{ "1.5E-3", "0.0015" },
		{ "12.50e1", "125.0" },
		{ "0e999", "0" },
		{ "1e37", "10000000000000000000000000000000000000" },
		{ "0.0000000000000000000000000000000000000", "0.000000000000000000000000000000" },
		{ "1.5000000000000000000000000000000000000", "1.500000000000000000000000000000" },
		{ "10e-31", "0.000000000000000000000000000001" },
		{ "0000000000000000000000000000000000000000000000001", "1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		assert_put(parse(forms[i][0]), forms[i][1]);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"-",
		"+",
		".",
		"e5",
		"1e",
		"1e+",
		"1e5.",
		"1.2.3",
		"1,5",
		" 1",
		"1 ",
		"0x10",
		"nan",
		"inf",
		"--1",
		"1-",
		("1" NINES38),
		"100000000000000000000000000000000000000",
		"1e38",
		"1e400",
		"1e-31",
		"0.0000000000000000000000000000001",
		"1e99999999999999999999",
		"123456789.999999999999999999999999999999",
	};
	struct dec d;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (dec_parse(slice_str(bad[i]), &d))
			fail_msg("parsed: %s", bad[i]);
	assert_false(dec_parse(slice_of(NULL, 0), &d));
}

static void test_sums(void **state)
{
	struct dec d;

	(void)state;
	assert_true(dec_sub(parse("12345.68"), parse("12283.95"), &d));
	assert_put(d, "61.73");
	assert_true(dec_sub(parse("0.1"), parse("0.30"), &d));
	assert_put(d, "-0.20");
	assert_true(dec_add(parse("0.1"), parse("0.2"), &d));
	assert_put(d, "0.3");
	assert_true(dec_sub(parse("18446744073709551615"), parse("0.000001"), &d));
	assert_put(d, "18446744073709551614.999999");
	/* the zeros behind the point are what does not fit */
	assert_true(dec_sub(parse(NINES38), parse("1.00"), &d));
	assert_put(d, "99999999999999999999999999999999999998");
}

static void test_sum_overflow(void **state)
{
	struct dec d = dec_i64(1);

	(void)state;
	assert_false(dec_add(parse(NINES38), dec_i64(1), &d));
	assert_false(dec_sub(parse("-" NINES38), dec_i64(1), &d));
	assert_false(dec_add(parse(NINES38), parse("0.5"), &d));
	assert_false(dec_sub(parse("1000000000"), parse("0.000000000000000000000000000001"), &d));
	assert_put(d, "1"); /* untouched */
}

static void test_cmp(void **state)
{
	static const char *const rising[] = { ("-" NINES38),
					      "-2",
					      "-1.5",
					      "-1.49999",
					      "-0.5",
					      "0",
					      "0.000000000000000000000000000001",
					      "0.1",
					      "1",
					      "1.01",
					      "2",
					      "10",
					      NINES38 };

	(void)state;
	for (size_t i = 0; i < sizeof(rising) / sizeof(rising[0]); i++)
		for (size_t k = 0; k < sizeof(rising) / sizeof(rising[0]); k++)
			assert_int_equal(dec_cmp(parse(rising[i]), parse(rising[k])),
					 (i > k) - (i < k));
	assert_int_equal(dec_cmp(parse("1.50"), parse("1.5")), 0);
	assert_int_equal(dec_cmp(parse("-0.0"), parse("0")), 0);
}

static void test_trim(void **state)
{
	(void)state;
	assert_put(dec_trim(parse("12.000")), "12");
	assert_put(dec_trim(parse("12.340")), "12.34");
	assert_put(dec_trim(parse("1200")), "1200");
	assert_put(dec_trim(parse("0.00")), "0");
	assert_put(dec_trim(parse("-5.0")), "-5");
}

static void test_double(void **state)
{
	static const char *const v[] = { "0",   "12345.678901", "-0.1", "9007199254740993",
					 "0.3", "1e-30",        NINES38 };

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		assert_true(dec_double(parse(v[i])) == strtod(v[i], NULL));
	assert_true(dec_is_zero(parse("0.000")));
	assert_false(dec_is_zero(parse("0.001")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_forms),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_sums),
		cmocka_unit_test(test_sum_overflow), cmocka_unit_test(test_cmp),
		cmocka_unit_test(test_trim),         cmocka_unit_test(test_double),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
