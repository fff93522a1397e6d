/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "model/runs.h"

static void add(struct counter_list *l, const char *name, enum counter_kind kind, long long v)
{
	struct counter *c = counters_add(l, slice_str(name), SLICE("kB"), kind);

	c->present = v >= 0;
	c->value = dec_i64(v);
}

/* A run whose 100 MiB of anonymous memory are huge but for what goes elsewhere. */
static void snapshot_run(struct runs *r, int side, long long rss, long long huge,
			 long long misplaced)
{
	struct counter_list l = { 0 };
	struct run *run = runs_add(r, side);

	run->pmd_kb = 2048;
	run->page_kb = 4;
	run->mappings = true;
	add(&l, "anon.rss_kb", COUNTER_GAUGE, rss);
	add(&l, "anon.huge_kb", COUNTER_GAUGE, huge);
	add(&l, "anon.alignment_loss_kb", COUNTER_GAUGE, misplaced);
	add(&l, "all.huge_kb", COUNTER_GAUGE, huge);
	runs_counters(r, run, &l);
	counters_free(&l);
}

enum { KB = 102400 };

/* Four runs a side; noise of a few pages that touches neither verdict. */
static void sides(struct runs *r, long long rss, long long huge, long long misplaced)
{
	for (int i = 0; i < 4; i++) {
		snapshot_run(r, BEFORE, KB + 4 * i, KB - 2048, 2048 + 4 * i);
		snapshot_run(r, AFTER, rss + 4 * i, huge, misplaced + 4 * i);
	}
	runs_compare(r);
}

static void a_loss(void **state)
{
	struct runs r = { 0 };

	(void)state;
	sides(&r, KB, KB - 8192, 8192);
	assert_int_equal(r.verdict, VERDICT_LOSS);
	assert_true(r.loss_known);
	assert_true(r.loss_kb == 6144);
	assert_string_equal(r.loss_class, "anon");
	const struct figure *f = runs_figure(&r, "anon.huge_kb");
	assert_true(f->tested && f->stands_out && f->test.exact);
	assert_true(f->delta == -6144);
	assert_true(fabs(f->percent + 100.0 * 6144 / (KB - 2048)) < 1e-9);
	assert_true(f->stats[BEFORE].n == 4 && f->stats[AFTER].n == 4);
	runs_free(&r);
}

/* Less huge because less is resident: what was unmapped is not lost. */
static void freed_is_no_loss(void **state)
{
	struct runs r = { 0 };

	(void)state;
	sides(&r, KB - 6144, KB - 8192, 2048);
	assert_int_equal(r.verdict, VERDICT_NO_LOSS);
	assert_true(r.loss_kb == 0);
	assert_true(runs_figure(&r, "anon.huge_kb")->stands_out);
	runs_free(&r);
}

static void a_gain(void **state)
{
	struct runs r = { 0 };

	(void)state;
	sides(&r, KB, KB, 0);
	assert_int_equal(r.verdict, VERDICT_GAIN);
	runs_free(&r);
}

/* The medians differ by 3 huge pages, the runs by more among themselves. */
static void noise(void **state)
{
	static const long long before[] = { 0, 20, 10, 13 }, after[] = { 3, 1, 12, 30 };
	struct runs r = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		snapshot_run(&r, BEFORE, KB, KB - 2048 * before[i], 2048 * before[i]);
		snapshot_run(&r, AFTER, KB, KB - 2048 * after[i], 2048 * after[i]);
	}
	runs_compare(&r);
	assert_int_equal(r.verdict, VERDICT_NO_LOSS);
	assert_int_equal(r.standing_out, 0);
	assert_int_equal(r.tested, 3); /* Rss is the same in all */
	runs_free(&r);
}

static void too_few(void **state)
{
	struct runs r = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		snapshot_run(&r, BEFORE, KB, KB, 0);
		snapshot_run(&r, AFTER, KB, 0, KB);
	}
	runs_compare(&r);
	assert_int_equal(r.verdict, VERDICT_NONE);
	assert_true(fabs(r.p_min - 0.1) < 1e-12);
	assert_true(r.loss_kb == KB); /* the size is known, whether it is chance is not */
	assert_int_equal(r.standing_out, 0);
	runs_free(&r);
}

/* Figures that some runs lack, in another order, twice, or without a value. */
static void ragged(void **state)
{
	struct runs r = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct counter_list l = { 0 };

		if (i != 1)
			add(&l, "x", COUNTER_EVENT, 10 + i);
		add(&l, "y", COUNTER_EVENT, i == 2 ? -1 : i);
		if (i == 1)
			add(&l, "x", COUNTER_EVENT, 11);
		add(&l, "x", COUNTER_EVENT, 99);
		add(&l, "since boot", COUNTER_COUNTER, 5);
		runs_counters(&r, runs_add(&r, BEFORE), &l);
		counters_free(&l);
	}
	struct counter_list l = { 0 };
	add(&l, "z", COUNTER_EVENT, 1);
	add(&l, "y", COUNTER_EVENT, 7);
	runs_counters(&r, runs_add(&r, AFTER), &l);
	counters_free(&l);
	runs_compare(&r);

	const struct figure *x = runs_figure(&r, "x"), *y = runs_figure(&r, "y");
	assert_int_equal(r.figures_n, 3);
	assert_int_equal(x->stats[BEFORE].n, 3);
	assert_true(x->stats[BEFORE].median == 11 && x->stats[BEFORE].max == 12);
	assert_false(x->tested);
	assert_int_equal(y->stats[BEFORE].n, 2);
	assert_true(y->tested && y->delta == 6.5);
	assert_null(runs_figure(&r, "since boot"));
	assert_int_equal(r.verdict, VERDICT_NONE);
	assert_false(r.loss_known);
	runs_free(&r);
}

static void unlike_runs(void **state)
{
	struct runs r = { 0 };

	(void)state;
	for (int s = 0; s < SIDES; s++)
		for (int i = 0; i < 2; i++)
			snapshot_run(&r, s, KB, KB, 0);
	r.side[AFTER][1].pmd_kb = 32768;
	r.side[BEFORE][0].policy = POLICY_ALWAYS; /* unknown in the others: never unlike */
	r.side[BEFORE][1].page_kb = 0;
	runs_compare(&r);
	assert_int_equal(r.unlike_n, 1);
	assert_string_equal(r.unlike[0], "pmd_kb");
	runs_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss),  cmocka_unit_test(freed_is_no_loss),
		cmocka_unit_test(a_gain),  cmocka_unit_test(noise),
		cmocka_unit_test(too_few), cmocka_unit_test(ragged),
		cmocka_unit_test(unlike_runs),
	};

	return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
