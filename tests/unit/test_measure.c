/* SPDX-License-Identifier: MIT */
/* What rules are measured on, against values computed by hand; what cannot be seen is unknown. */
#include "tests/test.h"

#include <math.h>

#include "model/measure.h"
#include "tests/model_build.h"

static struct snapshot snap;
static struct model model;

static void start(const char *enabled)
{
	static const struct model_options none;

	if (enabled)
		build_policy(&snap, enabled, SHMEM_NEVER);
	model_init(&model, &snap, &none);
}

static int teardown(void **state)
{
	(void)state;
	model_free(&model);
	snapshot_free(&snap);
	snap = (struct snapshot){ 0 };
	return 0;
}

/* 8 MiB advised: 3 of 4 huge; 3 MiB advised that straddles; 4 MiB not advised; all resident. */
static void three(void)
{
	build_add(&snap, (struct mapping){ AT(0), 8192, .flags = ADVISED, .rss = 8192, .huge = 6144, .eligible = 1 });
	build_add(&snap, (struct mapping){ AT(17), 3072, .flags = ADVISED, .rss = 3072, .eligible = 0 });
	build_add(&snap, (struct mapping){ AT(32), 4096, .flags = PLAIN, .rss = 4096, .eligible = 0 });
}

static void test_every_metric(void **state)
{
	/* R = 15360, I = 14336, A = F = 10240: the 3 MiB hold one slot, at 18 MiB. */
	static const double want[METRICS] = {
		[METRIC_COVERAGE] = 6144 / 14336.0, [METRIC_SHARE] = 6144 / 15360.0, [METRIC_DELIVERED] = 6144 / 10240.0,
		[METRIC_HUGE] = 6144, [METRIC_RSS] = 15360, [METRIC_SUBSLOT] = 1024, [METRIC_POLICY_LOSS] = 4096,
		[METRIC_ALIGNMENT_LOSS] = 0, [METRIC_DELIVERY_LOSS] = 4096, [METRIC_SLOTS_LOST] = 0,
		[METRIC_THP_LOSS] = NAN,
	};

	(void)state;
	three();
	snap.smaps.vma[1].value[SMAPS_THPeligible] = 1;
	start(MADVISE_HOST);
	struct gauge g = gauge_of(&model, 1);
	assert_int_equal(g.mappings, 3);
	for (int i = 0; i < METRICS; i++) {
		struct measure m = gauge_measure(&g, (enum metric_id)i);

		if (m.known != !isnan(want[i]) || (m.known && m.v != want[i]))
			fail_msg("%s: %.17g, want %.17g", metrics[i].name, m.v, want[i]);
		assert_int_equal(m.unit, metrics[i].unit);
		assert_int_equal(m.exact, m.known && metrics[i].unit != UNIT_FRACTION);
	}
}

static void test_lost_slots(void **state)
{
	(void)state;
	build_add(&snap, (struct mapping){ AT(1), 3072 - 1024, .flags = ADVISED, .rss = 2048, .eligible = 0 });
	start(MADVISE_HOST);
	struct gauge g = gauge_of(&model, 1);
	assert_true(gauge_measure(&g, METRIC_SLOTS_LOST).v == 1);
	assert_true(gauge_measure(&g, METRIC_ALIGNMENT_LOSS).v == 2048);
}

static void test_nothing_is_never_zero(void **state)
{
	struct gauge none = { 0 }, rollup = { .rollup = true };

	(void)state;
	for (int i = 0; i < METRICS; i++) {
		assert_false(gauge_measure(&none, (enum metric_id)i).known);
		assert_false(gauge_measure(&rollup, (enum metric_id)i).known);
		assert_non_null(gauge_measure(&none, (enum metric_id)i).why);
	}
	/* 12 kB: nothing could be huge. */
	build_add(&snap, (struct mapping){ AT(0), 12, .flags = PLAIN, .rss = 12, .eligible = 0 });
	start(MADVISE_HOST);
	struct gauge g = gauge_of(&model, 1);
	assert_false(gauge_measure(&g, METRIC_COVERAGE).known);
	assert_false(gauge_measure(&g, METRIC_DELIVERED).known);
	assert_true(gauge_measure(&g, METRIC_SHARE).known);
	assert_true(gauge_measure(&g, METRIC_HUGE).known);
}

static void test_open_eligibility_loses_no_known_slots(void **state)
{
	(void)state;
	build_add(&snap, (struct mapping){ AT(1), 8192, .rss = 8192, .eligible = -1 });
	start(NULL);
	struct gauge g = gauge_of(&model, 1);
	assert_false(gauge_measure(&g, METRIC_SLOTS_LOST).known);
	assert_true(gauge_measure(&g, METRIC_RSS).known);
}

static void test_blind(void **state)
{
	(void)state;
	three();
	start(MADVISE_HOST);
	for (int id = 0; id < FINDING_THP_LOSS; id++)
		assert_null(finding_blind(&model, (enum finding_id)id));
	teardown(NULL);

	build_add(&snap, (struct mapping){ AT(0), 8192, .rss = 8192, .eligible = -1 });
	start(NULL);
	assert_non_null(finding_blind(&model, FINDING_NEEDS_ADVICE)); /* no VmFlags */
	assert_non_null(finding_blind(&model, FINDING_OPTED_OUT));
	assert_non_null(finding_blind(&model, FINDING_POLICY_OFF)); /* no policy */
	assert_non_null(finding_blind(&model, FINDING_UNDELIVERED)); /* open */
	assert_null(finding_blind(&model, FINDING_HEADER_PAGE));
	teardown(NULL);

	start(MADVISE_HOST);
	assert_non_null(finding_blind(&model, FINDING_MISALIGNED)); /* no mapping at all */
}

static void test_what_counts(void **state)
{
	struct finding f = { .id = FINDING_MISALIGNED, .severity = SEVERITY_LOW, .certainty = LIKELY, .vma = 3 };

	(void)state;
	assert_true(finding_counts(&f, FINDING_MISALIGNED, true));
	assert_false(finding_counts(&f, FINDING_ODD_LENGTH, true));
	f.same_as = FINDING_HEADER_PAGE;
	assert_true(finding_counts(&f, FINDING_MISALIGNED, false));
	f.certainty = POSSIBLE;
	assert_false(finding_counts(&f, FINDING_MISALIGNED, false));
	f.certainty = CERTAIN;
	f.severity = SEVERITY_INFO;
	assert_false(finding_counts(&f, FINDING_MISALIGNED, false));
	f.severity = SEVERITY_HIGH;
	f.vma = -1;
	assert_true(finding_counts(&f, FINDING_MISALIGNED, false));
	assert_false(finding_counts(&f, FINDING_MISALIGNED, true));
	f.more = &f; /* a row of a diff that has no mapping any more */
	assert_true(finding_counts(&f, FINDING_MISALIGNED, true));
}

static void test_differences(void **state)
{
	struct gauge a = { .mappings = 1, .known = 1, .w = { .rss = 4096, .delivery_loss = 0, .huge = 4096 } }, b = a;

	(void)state;
	b.w = (struct waterfall){ .rss = 4096, .delivery_loss = 2048, .huge = 2048 };
	assert_true(gauge_delta(&a, &b, METRIC_COVERAGE, false).v == -0.5);
	assert_int_equal(gauge_delta(&a, &b, METRIC_COVERAGE, false).unit, UNIT_POINTS);
	assert_true(gauge_delta(&a, &b, METRIC_HUGE, false).v == -2048);
	assert_true(gauge_delta(&a, &b, METRIC_HUGE, true).v == -50);
	assert_false(gauge_delta(&a, &b, METRIC_SUBSLOT, true).known); /* percent of 0 */
	struct gauge none = { 0 };
	assert_false(gauge_delta(&none, &b, METRIC_COVERAGE, false).known);
	assert_false(gauge_delta(&a, &none, METRIC_RSS, false).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_every_metric, teardown),
		cmocka_unit_test_teardown(test_lost_slots, teardown),
		cmocka_unit_test_teardown(test_nothing_is_never_zero, teardown),
		cmocka_unit_test_teardown(test_open_eligibility_loses_no_known_slots, teardown),
		cmocka_unit_test_teardown(test_blind, teardown),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_differences),
	};

	return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
