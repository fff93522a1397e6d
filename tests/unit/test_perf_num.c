/* SPDX-License-Identifier: MIT */
/* Numbers under the locales perf prints in, and which sign is the decimal one. */
#include "test.h"

#include "parse/perf_num.h"

static const struct perf_locale point = { '.', false }, comma = { ',', true };

static void assert_takes(const struct perf_locale *l, const char *text, const char *number,
			 const char *rest)
{
	struct slice s = slice_str(text);
	struct dec d;
	char buf[DEC_BUF];

	assert_int_equal(perf_take_number(&s, l, &d), NUM_OK);
	assert_slice(dec_put(buf, d), number);
	assert_slice(s, rest);
}

static void test_locales(void **state)
{
	(void)state;
	assert_takes(&point, "12345.68 msec", "12345.68", " msec");
	assert_takes(&point, "12,345,678.90", "12345678.90", "");
	assert_takes(&point, "1,23,45,678", "12345678", "");
	assert_takes(&point, "12\xe2\x80\x99" "345.68", "12345.68", ""); /* de_CH */
	assert_takes(&point, "12'345", "12345", "");
	assert_takes(&comma, "12.345.678,90", "12345678.90", "");
	assert_takes(&comma, "12\xe2\x80\xaf" "345,68 x", "12345.68", " x"); /* fr_FR */
	assert_takes(&comma, "12\xc2\xa0" "345", "12345", "");
	assert_takes(&comma,
		     "12\xa0"
		     "345",
		     "12345", ""); /* the same in Latin-1 */
	assert_takes(&comma, "12 345 678,90 msec", "12345678.90", " msec");   /* old C libraries */
	assert_takes(&point, "12 345 678", "12", " 345 678");
	assert_takes(&comma, "12 3456", "12", " 3456");
	assert_takes(&point, "-5.5%", "-5.5", "%");
	assert_takes(&point, "18446744073709551616", "18446744073709551616", "");
}

static void test_no_number(void **state)
{
	static const char *const none[] = { "", "x1", "-", "-x", ".5", ",5", "+5", "1.2.3" };
	struct dec d;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct slice s = slice_str(none[i]);

		assert_int_equal(perf_take_number(&s, &point, &d), NUM_NONE);
		assert_slice(s, none[i]);
	}
}

static void test_overflow(void **state)
{
	char text[200];
	struct slice s = SLICE("123456789012345678901234567890123456789");
	struct dec d;

	(void)state;
	assert_int_equal(perf_take_number(&s, &point, &d), NUM_OVERFLOW);
	memset(text, '7', sizeof(text));
	s = slice_of(text, sizeof(text));
	assert_int_equal(perf_take_number(&s, &point, &d), NUM_OVERFLOW);
	assert_int_equal(s.n, 0);
}

static void test_nan(void **state)
{
	struct slice s = SLICE("-nan %"), other = SLICE("nanosleep");

	(void)state;
	assert_true(perf_take_nan(&s));
	assert_slice(s, " %");
	assert_false(perf_take_nan(&other));
}

/* -1: nothing speaks for either. */
static int decimal_of(const char *line)
{
	unsigned votes[2] = { 0, 0 };

	perf_num_votes(slice_str(line), votes);
	return votes[0] == votes[1] ? -1 : votes[1] > votes[0] ? ',' : '.';
}

static void test_votes(void **state)
{
	(void)state;
	assert_int_equal(decimal_of("       0,051421967 seconds time elapsed"), ',');
	assert_int_equal(decimal_of("       0.051421967 seconds user"), '.');
	assert_int_equal(decimal_of("   45.678.901.234      cycles"), ',');
	assert_int_equal(decimal_of("   45,678,901,234      cycles"), '.');
	assert_int_equal(decimal_of("   12.345,68 msec task-clock"), ',');
	assert_int_equal(decimal_of("   1.234      context-switches"), -1);
	assert_int_equal(decimal_of("   1.234      context-switches    #   99,954 /sec"), ',');
	assert_int_equal(decimal_of("   1,234      context-switches    #   99.954 /sec"), '.');
	assert_int_equal(decimal_of("   12,34,56,789  branch-misses"), '.');
	assert_int_equal(decimal_of("   56      cpu-migrations     (83,33%)"), ',');
	/* the time stamp of -I has a point in every locale */
	assert_int_equal(decimal_of("     0.100130301        48,60 msec task-clock"), ',');
	assert_int_equal(decimal_of("     0.100130301        56      cycles"), -1);
	/* numbers inside of a name do not vote */
	assert_int_equal(decimal_of("   56      cpu/event=0x3c,umask=0x1.5/"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_locales),  cmocka_unit_test(test_no_number),
		cmocka_unit_test(test_overflow), cmocka_unit_test(test_nan),
		cmocka_unit_test(test_votes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
