/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/pace.h"

enum { MS = 1000000 };

struct tally {
	unsigned of[LOOKS];
	int64_t spent;
};

/* n ticks of a target whose looks cost what cost[] says. */
static struct tally watch(struct pace *p, unsigned n, int64_t interval, const int64_t cost[LOOKS])
{
	struct tally t = { 0 };
	int64_t now = 1000;

	for (unsigned i = 0; i < n; i++, now += interval) {
		enum look l = pace_next(p, now);

		pace_spent(p, l, cost[l]);
		t.of[l]++;
		t.spent += cost[l];
	}
	return t;
}

static void test_cheap_target_is_read_each_time(void **state)
{
	(void)state;
	struct pace p = { .share = 0.02, .can_scan = true, .can_rollup = true };
	const int64_t cost[LOOKS] = { 13 * MS, 4 * MS, 2 * MS, MS / 50 };
	struct tally t = watch(&p, 100, 1000 * MS, cost);

	assert_int_equal(t.of[LOOK_FULL], 100); /* 1.3 % */
	assert_int_equal(pace_full_every(&p, 1000 * MS), 1);
}

static void test_dear_target_is_spared(void **state)
{
	(void)state;
	struct pace p = { .share = 0.02, .can_scan = true, .can_rollup = true };
	const int64_t cost[LOOKS] = { 82 * MS, 14 * MS, 12 * MS, MS / 50 };
	struct tally t = watch(&p, 1000, 1000 * MS, cost);

	/* 20 ms a second: half of it pays a full look every 82 / 10 seconds. */
	assert_int_equal(pace_full_every(&p, 1000 * MS), 9);
	assert_in_range(t.of[LOOK_FULL], 105, 125);
	assert_in_range(t.of[LOOK_SCAN], 600, 720);
	assert_int_equal(t.of[LOOK_ROLLUP], 0);
	assert_true(t.spent <= 1000 * (int64_t)1000 * MS / 50 + 2 * cost[LOOK_FULL]);
}

static void test_without_scan_and_rollup(void **state)
{
	(void)state;
	struct pace p = { .share = 0.02 };
	const int64_t cost[LOOKS] = { 82 * MS, 0, 0, MS / 50 };
	struct tally t = watch(&p, 1000, 1000 * MS, cost);

	assert_int_equal(pace_full_every(&p, 1000 * MS), 5);
	assert_in_range(t.of[LOOK_FULL], 195, 245);
	assert_int_equal(t.of[LOOK_FULL] + t.of[LOOK_COUNTERS], 1000);
	p = (struct pace){ .share = 0.02, .can_rollup = true };
	const int64_t rollup[LOOKS] = { 82 * MS, 0, 12 * MS, MS / 50 };
	t = watch(&p, 1000, 1000 * MS, rollup);
	assert_true(t.of[LOOK_ROLLUP] > 700 && t.of[LOOK_FULL] > 100);
	assert_true(t.spent <= 1000 * (int64_t)1000 * MS / 50 + 2 * rollup[LOOK_FULL]);
}

/* A cheap look that costs more than its share comes now and then; full ones still come. */
static void test_nothing_starves(void **state)
{
	(void)state;
	struct pace p = { .share = 0.02, .can_rollup = true };
	const int64_t cost[LOOKS] = { 500 * MS, 0, 300 * MS, MS / 50 };
	struct tally t = watch(&p, 1000, 1000 * MS, cost);

	assert_in_range(t.of[LOOK_FULL], 18, 25);
	assert_in_range(t.of[LOOK_ROLLUP], 28, 40);
	assert_true(t.spent <= 1000 * (int64_t)1000 * MS / 50 + 2 * cost[LOOK_FULL]);
}

static void test_no_burst_after_a_pause(void **state)
{
	(void)state;
	struct pace p = { .share = 0.02 };

	assert_int_equal(pace_next(&p, 1), LOOK_FULL);
	pace_spent(&p, LOOK_FULL, 100 * MS);
	/* An hour later one look is due, and the next one again after five seconds. */
	int64_t now = 1 + (int64_t)3600 * 1000 * MS;
	assert_int_equal(pace_next(&p, now), LOOK_FULL);
	pace_spent(&p, LOOK_FULL, 100 * MS);
	unsigned full = 0;
	for (int i = 0; i < 10; i++) {
		enum look l = pace_next(&p, now += 1000 * MS);

		full += l == LOOK_FULL;
		pace_spent(&p, l, l == LOOK_FULL ? 100 * MS : 1);
	}
	assert_int_equal(full, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cheap_target_is_read_each_time),
		cmocka_unit_test(test_dear_target_is_spared),
		cmocka_unit_test(test_without_scan_and_rollup),
		cmocka_unit_test(test_nothing_starves),
		cmocka_unit_test(test_no_burst_after_a_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
