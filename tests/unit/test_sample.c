/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "model/image.h"
#include "model/sample.h"

enum { MB = 1 << 20 };
static const int64_t SECOND = 1000000000;

/* ---- history ---- */

static void test_history(void **state)
{
	(void)state;
	static struct history h;

	assert_null(history_back(&h, 0));
	for (unsigned i = 0; i < 3 * HISTORY_MAX + 5; i++)
		history_add(&h, (struct point){ .elapsed_ns = i });
	assert_int_equal(h.n, HISTORY_MAX);
	assert_int_equal(history_back(&h, 0)->elapsed_ns, 3 * HISTORY_MAX + 4);
	assert_int_equal(history_back(&h, HISTORY_MAX - 1)->elapsed_ns, 2 * HISTORY_MAX + 5);
	assert_null(history_back(&h, HISTORY_MAX));
}

/* ---- rates ---- */

static void tick(struct rates *r, int64_t elapsed, uint64_t alloc, uint64_t gauge)
{
	rates_begin(r, elapsed);
	rates_note(r, "vmstat", SLICE("thp_fault_alloc"), alloc, false);
	rates_note(r, "vmstat", SLICE("nr_anon_transparent_hugepages"), gauge, false);
	rates_note(r, "vmstat", SLICE("nr_dirty"), alloc, false); /* of no interest */
	rates_end(r, false);
}

static void test_rates(void **state)
{
	(void)state;
	struct rates r = { 0 };

	tick(&r, 0, 100, 7);
	assert_int_equal(r.n, 2);
	const struct rate *x = rates_find(&r, "vmstat.thp_fault_alloc");
	assert_true(isnan(x->per_s)); /* one value has no rate */
	tick(&r, 2 * SECOND, 130, 5);
	assert_true(x->per_s == 15);
	assert_true(rates_find(&r, "vmstat.nr_anon_transparent_hugepages")->per_s == -1);
	assert_true(x->changed && !x->reset);
	assert_null(rates_find(&r, "vmstat.nr_dirty"));

	/* A counter that falls was reset: no rate, and counted anew from there. */
	tick(&r, 3 * SECOND, 10, 5);
	assert_true(x->reset && isnan(x->per_s) && x->first == 10);
	tick(&r, 4 * SECOND, 20, 5);
	assert_true(!x->reset && x->per_s == 10);

	/* No time passed, or the clock went back: no rate, not an infinite one. */
	tick(&r, 4 * SECOND, 30, 5);
	assert_true(isnan(x->per_s));
	tick(&r, 3 * SECOND, 40, 5);
	assert_true(isnan(x->per_s));
	tick(&r, 4 * SECOND, 50, 5);
	assert_true(x->per_s == 10);
	rates_free(&r);
}

static void test_rates_of_a_recording(void **state)
{
	(void)state;
	struct rates r = { 0 };

	tick(&r, 0, 100, 7);
	rates_begin(&r, SECOND);
	rates_note(&r, "vmstat", SLICE("thp_fault_alloc"), 101, false);
	rates_end(&r, true); /* the gauge is not named: it is as it was */
	const struct rate *gauge = rates_find(&r, "vmstat.nr_anon_transparent_hugepages");
	assert_true(gauge->present && gauge->value == 7 && gauge->per_s == 0 && !gauge->changed);
	rates_begin(&r, 2 * SECOND);
	rates_end(&r, false);
	assert_false(gauge->present);
	rates_free(&r);
}

/* Counters without end are found at once, and a copy outlives what it is of. */
static void test_many_rates(void **state)
{
	(void)state;
	struct rates r = { 0 }, copy;
	char key[32];

	for (int round = 0; round < 2; round++) {
		rates_begin(&r, round * SECOND);
		for (unsigned i = 0; i < 200000; i++) {
			snprintf(key, sizeof(key), "thp_%u", i);
			rates_note(&r, "vmstat", slice_str(key), i, false);
		}
		rates_end(&r, true);
	}
	assert_int_equal(r.n, 200000);
	rates_copy(&copy, &r);
	rates_free(&r);
	assert_int_equal(rates_find(&copy, "vmstat.thp_199999")->value, 199999);
	assert_ptr_equal(rates_of(&copy, "vmstat", SLICE("thp_7")), &copy.at[7]);
	assert_null(rates_of(&copy, "meminfo", SLICE("thp_7")));
	rates_free(&copy);
}

/* ---- changes ---- */

struct side {
	struct snapshot snap;
	struct model m;
};

static void map(struct side *s, uint64_t start, uint64_t end, uint64_t rss_kb, uint64_t huge_kb)
{
	struct vma *v = smaps_add(&s->snap.smaps);

	v->start = start;
	v->end = end;
	memcpy(v->perms, "rw-p", 4);
	smaps_set(&s->snap.smaps, v, SMAPS_KernelPageSize, 4);
	smaps_set(&s->snap.smaps, v, SMAPS_Rss, rss_kb);
	smaps_set(&s->snap.smaps, v, SMAPS_AnonHugePages, huge_kb);
}

static void judge(struct side *s)
{
	model_init(&s->m, &s->snap, &(struct model_options){ 0 });
}

static void drop(struct side *s)
{
	model_free(&s->m);
	smaps_free(&s->snap.smaps);
}

static void test_changes(void **state)
{
	(void)state;
	struct side b = { 0 }, n = { 0 };
	struct arena a = { 0 };
	struct changes c;

	map(&b, 0x200000, 0x400000, 100, 0);           /* goes */
	map(&b, 10 * MB, 18 * MB, 8192, 8192);         /* is cut in three, loses one huge page */
	map(&b, 20 * MB, 22 * MB, 2048, 0);            /* grows, and gains one */
	map(&b, 30 * MB, 32 * MB, 2048, 2048);         /* these two merge */
	map(&b, 32 * MB, 34 * MB, 2048, 2048);
	map(&b, 40 * MB, 42 * MB, 4, 0);               /* stays */
	map(&n, 10 * MB, 13 * MB, 3072, 2048);
	map(&n, 13 * MB, 13 * MB + 4096, 4, 0);
	map(&n, 13 * MB + 4096, 18 * MB, 5116, 4096);
	map(&n, 20 * MB, 24 * MB, 4096, 2048);
	map(&n, 30 * MB, 34 * MB, 4096, 4096);
	map(&n, 40 * MB, 42 * MB, 4, 0);
	map(&n, 50 * MB, 52 * MB, 2048, 2048);         /* comes */
	judge(&b);
	judge(&n);
	changes_find(&b.m, &n.m, &a, &c);
	assert_int_equal(c.gone, 1);
	assert_int_equal(c.appeared, 1);
	assert_int_equal(c.at[0].huge_kb, -2048);
	assert_int_equal(c.at[0].rss_kb, 0);
	assert_int_equal(c.at[1].huge_kb, 0);
	assert_int_equal(c.at[2].huge_kb, 0);
	assert_int_equal(c.at[3].huge_kb, 2048);
	assert_int_equal(c.at[3].rss_kb, 2048);
	assert_int_equal(c.at[4].huge_kb, 0);
	assert_int_equal(c.at[5].rss_kb, 0);
	assert_true(c.at[6].appeared && c.at[6].huge_kb == 2048);
	assert_int_equal(c.huge_kb, 2048);
	assert_int_equal(c.rss_kb, -100 + 2048 + 2048);
	assert_true(c.any);

	changes_find(&n.m, &n.m, &a, &c);
	assert_false(c.any);
	changes_find(NULL, &n.m, &a, &c);
	assert_false(c.any);
	drop(&b);
	drop(&n);
	arena_free(&a);
}

static void test_image(void **state)
{
	(void)state;
	struct side b = { 0 }, n = { 0 };

	map(&b, 0x7ffc00000000, 0x7ffc00021000, 4, 0);
	b.snap.smaps.vma[0].name = NAME_STACK;
	map(&n, 0x7ffbffff0000, 0x7ffc00021000, 4, 0); /* it grew */
	n.snap.smaps.vma[0].name = NAME_STACK;
	assert_false(image_changed(&b.snap.smaps, &n.snap.smaps));
	n.snap.smaps.vma[0].start = 0x7ffd00000000;
	n.snap.smaps.vma[0].end = 0x7ffd00021000;
	assert_true(image_changed(&b.snap.smaps, &n.snap.smaps));
	drop(&n);
	assert_false(image_changed(&b.snap.smaps,
				   &n.snap.smaps)); /* no mappings: ended, not another program */
	map(&n, 0x7ffc00000000, 0x7ffc00021000, 4, 0);
	n.snap.smaps.vma[0].name = NAME_STACK;
	map(&b, 0x7ffc00100000, 0x7ffc00102000, 4, 0);
	b.snap.smaps.vma[1].name = NAME_VDSO;
	map(&n, 0x7ffc00180000, 0x7ffc00182000, 4, 0);
	n.snap.smaps.vma[1].name = NAME_VDSO;
	assert_true(image_changed(&b.snap.smaps, &n.snap.smaps));
	drop(&b);
	drop(&n);
}

/* A rollup between two full looks moves the point, by what it says of huge pages. */
static void test_point(void **state)
{
	(void)state;
	struct side s = { 0 };
	struct sample t = { .look = LOOK_FULL };

	map(&s, 64 * MB, 72 * MB, 8192, 6144);
	judge(&s);
	model_totals(&s.m);
	struct point p = point_of(&s.m, &t);
	assert_true(p.coverage == 0.75 && p.huge_kb == 6144 && !p.estimated);
	t = (struct sample){ .look = LOOK_ROLLUP, .rollup_known = true, .rollup_huge_kb = 4096 };
	p = point_of(&s.m, &t);
	assert_true(p.coverage == 0.5 && p.estimated);
	t.rollup_huge_kb = 1 << 20;
	assert_true(point_of(&s.m, &t).coverage == 1);
	drop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_rates_of_a_recording), cmocka_unit_test(test_many_rates),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
