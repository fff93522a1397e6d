/* SPDX-License-Identifier: MIT */
/* The difference of two lists of counters: pairing, absent values, resets, exact differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/counters.h"

static struct counter_list before, after;
static struct counter_rows rows;
static struct arena arena;

static struct counter *add(struct counter_list *l, const char *name, const char *value,
			   enum counter_kind kind)
{
	struct counter *c = counters_add(l, slice_str(name), slice_of(NULL, 0), kind);

	c->present = value && dec_parse(slice_str(value), &c->value);
	return c;
}

static const struct counter_row *row(const char *name)
{
	for (size_t i = 0; i < rows.n; i++)
		if (slice_eq_str(rows.at[i].name, name))
			return &rows.at[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void assert_dec(struct dec d, const char *want)
{
	char buf[DEC_BUF], have[DEC_BUF + 1];

	assert_string_equal(slice_cstr(dec_put(buf, d), have, sizeof(have)), want);
}

static void assert_note(const char *name, const char *want)
{
	char have[200];

	assert_string_equal(slice_cstr(row(name)->note, have, sizeof(have)), want);
}

static int teardown(void **state)
{
	(void)state;
	counters_free(&before);
	counters_free(&after);
	counter_rows_free(&rows);
	arena_free(&arena);
	return 0;
}

static void diff(void)
{
	counters_diff(&before, &after, &arena, &rows);
}

static void test_exact(void **state)
{
	(void)state;
	add(&before, "perf.task-clock", "12345.68", COUNTER_EVENT);
	add(&after, "perf.task-clock", "12283.9", COUNTER_EVENT);
	add(&before, "vmstat.pgfault", "18446744073709551614", COUNTER_COUNTER);
	add(&after, "vmstat.pgfault", "18446744073709551615", COUNTER_COUNTER);
	diff();
	assert_int_equal(rows.n, 2);
	assert_dec(row("perf.task-clock")->delta, "-61.78");
	assert_dec(row("vmstat.pgfault")->delta, "1");
	assert_true(row("vmstat.pgfault")->has_percent);
}

static void test_percent(void **state)
{
	(void)state;
	add(&before, "a", "200", COUNTER_GAUGE);
	add(&after, "a", "150", COUNTER_GAUGE);
	add(&before, "zero", "0.00", COUNTER_GAUGE);
	add(&after, "zero", "5", COUNTER_GAUGE);
	diff();
	assert_true(row("a")->percent == -25.0);
	assert_false(row("zero")->has_percent);
	assert_dec(row("zero")->delta, "5.00");
}

static void test_reset(void **state)
{
	(void)state;
	add(&before, "c", "10", COUNTER_COUNTER);
	add(&after, "c", "3", COUNTER_COUNTER);
	add(&before, "e", "10", COUNTER_EVENT);
	add(&after, "e", "3", COUNTER_EVENT);
	diff();
	assert_note("c", "reset");
	assert_false(row("c")->has_delta);
	assert_false(row("c")->has_percent);
	assert_dec(row("e")->delta, "-7");
	assert_note("e", "");
}

static void test_absent(void **state)
{
	(void)state;
	add(&before, "gone", "1", COUNTER_GAUGE);
	add(&after, "new", "2", COUNTER_GAUGE);
	add(&before, "half", NULL, COUNTER_EVENT)->note = SLICE("not counted");
	add(&after, "half", "7", COUNTER_EVENT);
	diff();
	assert_int_equal(rows.n, 3);
	assert_note("gone", "absent after");
	assert_note("new", "absent before");
	assert_note("half", "not counted before");
	assert_false(row("half")->has_before);
	assert_false(row("half")->has_delta);
	assert_true(row("half")->has_after);
	assert_string_equal(rows.at[2].name.p, "new"); /* what only after has comes last */
}

static void test_notes_and_units(void **state)
{
	struct counter *c;

	(void)state;
	add(&before, "m", "1", COUNTER_EVENT)->note = SLICE("multiplexed 19.95 %");
	add(&after, "m", "2", COUNTER_EVENT)->note = SLICE("multiplexed 20.00 %");
	c = add(&before, "u", "1", COUNTER_EVENT);
	c->unit = SLICE("msec");
	c->variance_pct = 0.33;
	add(&after, "u", "1000000", COUNTER_EVENT)->unit = SLICE("ns");
	diff();
	assert_note("m", "multiplexed 19.95 % before, multiplexed 20.00 % after");
	assert_note("u", "unit msec before, ns after");
	assert_false(row("u")->has_delta);
	assert_true(row("u")->variance_before == 0.33);
	assert_true(row("u")->variance_after < 0);
}

static void test_repeated_and_many(void **state)
{
	char *name;

	(void)state;
	add(&before, "twice", "1", COUNTER_EVENT);
	add(&before, "twice", "2", COUNTER_EVENT);
	add(&after, "twice", "5", COUNTER_EVENT);
	add(&after, "twice", "9", COUNTER_EVENT);
	for (int i = 0; i < 1000; i++) {
		name = arena_printf(&arena, "n%d", i);
		add(&before, name, "1", COUNTER_EVENT);
		add(&after, name, "2", COUNTER_EVENT);
	}
	diff();
	assert_int_equal(rows.n, 1002);
	assert_dec(rows.at[0].delta, "4");
	assert_dec(rows.at[1].delta, "7");
	for (size_t i = 2; i < rows.n; i++)
		assert_dec(rows.at[i].delta, "1");
}

static void test_empty(void **state)
{
	(void)state;
	diff();
	assert_int_equal(rows.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_exact, teardown),
		cmocka_unit_test_teardown(test_percent, teardown),
		cmocka_unit_test_teardown(test_reset, teardown),
		cmocka_unit_test_teardown(test_absent, teardown),
		cmocka_unit_test_teardown(test_notes_and_units, teardown),
		cmocka_unit_test_teardown(test_repeated_and_many, teardown),
		cmocka_unit_test_teardown(test_empty, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
