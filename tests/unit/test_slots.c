/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/slots.h"

enum { MB = 1 << 20, P = 2 * MB };

struct one {
	struct snapshot snap;
	struct model m;
	struct arena a;
	struct strip s;
};

/* One anonymous mapping of size_kb at start, with what smaps says of it. */
static void make(struct one *x, uint64_t start, uint64_t size_kb, uint64_t rss_kb, uint64_t huge_kb,
		 uint64_t swap_kb)
{
	*x = (struct one){ 0 };
	struct vma *v = smaps_add(&x->snap.smaps);

	v->start = start;
	v->end = start + (size_kb << 10);
	memcpy(v->perms, "rw-p", 4);
	smaps_set(&x->snap.smaps, v, SMAPS_KernelPageSize, 4);
	smaps_set(&x->snap.smaps, v, SMAPS_Rss, rss_kb);
	smaps_set(&x->snap.smaps, v, SMAPS_AnonHugePages, huge_kb);
	smaps_set(&x->snap.smaps, v, SMAPS_Swap, swap_kb);
	model_init(&x->m, &x->snap, &(struct model_options){ 0 });
}

static void done(struct one *x)
{
	model_free(&x->m);
	smaps_free(&x->snap.smaps);
	arena_free(&x->a);
}

static const char *text(const struct strip *s)
{
	static char buf[256];
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		buf[n++] = slot_glyphs[s->cell[i]];
	buf[n] = '\0';
	return buf;
}

static void test_states(void **state)
{
	(void)state;
	struct one x;
	const uint64_t a = 64 * MB; /* an aligned start */

	make(&x, a, 7 * 2048, 0, 0, 0);
	strip_start(&x.s, &x.m, x.snap.smaps.vma, 16, &x.a);
	assert_false(x.s.head || x.s.tail);
	strip_add(&x.s, a, a + P, SLOT_HUGE);
	strip_add(&x.s, a + P, a + P + 4096, SLOT_SMALL);         /* one page is enough */
	strip_add(&x.s, a + 2 * P, a + 3 * P, SLOT_ZERO);
	strip_add(&x.s, a + 3 * P, a + 3 * P + 4096, SLOT_ZERO);  /* read, then */
	strip_add(&x.s, a + 3 * P + 8192, a + 4 * P, SLOT_SWAPPED);
	strip_add(&x.s, a + 4 * P, a + 4 * P + 4096, SLOT_SWAPPED);
	strip_add(&x.s, a + 4 * P + 4096, a + 4 * P + 8192, SLOT_SMALL);
	/* slot 5: nothing; slot 6 was not reached */
	strip_finish(&x.s, a + 6 * P + 4096);
	assert_string_equal(text(&x.s), "#-zs-.?");
	done(&x);
}

static void test_edges(void **state)
{
	(void)state;
	struct one x;
	const uint64_t a = 64 * MB + 4096; /* 4 kB behind a boundary */

	make(&x, a, 4 * 2048, 8192, 6144, 0);
	strip_start(&x.s, &x.m, x.snap.smaps.vma, 16, &x.a);
	assert_true(x.s.head && x.s.tail);
	assert_int_equal(x.s.n, 3);
	/* A run that begins before the first slot, covers two, and ends in the tail. */
	strip_add(&x.s, a, 64 * MB + P, SLOT_SMALL);
	strip_add(&x.s, 64 * MB + P, 64 * MB + 3 * P, SLOT_HUGE);
	strip_add(&x.s, 64 * MB + 4 * P, a + 4 * P, SLOT_SMALL);
	strip_finish(&x.s, a + 4 * P);
	assert_string_equal(text(&x.s), "##.");
	done(&x);

	make(&x, 64 * MB + MB, 2048, 2048, 0, 0); /* around a boundary: no slot */
	strip_start(&x.s, &x.m, x.snap.smaps.vma, 16, &x.a);
	strip_add(&x.s, 64 * MB + MB, 64 * MB + 3 * MB, SLOT_SMALL);
	strip_finish(&x.s, 64 * MB + 3 * MB);
	assert_true(x.s.head && x.s.tail && x.s.n == 0);
	done(&x);
}

static void test_cells(void **state)
{
	(void)state;
	struct one x;
	const uint64_t a = 64 * MB;

	/* 63 slots in 16 cells: four a cell, the last one of three. */
	make(&x, a, 63 * 2048, 0, 0, 0);
	strip_start(&x.s, &x.m, x.snap.smaps.vma, 16, &x.a);
	assert_int_equal(x.s.per_cell, 4);
	assert_int_equal(x.s.n, 16);
	strip_add(&x.s, a, a + 16 * (uint64_t)P, SLOT_HUGE);
	strip_add(&x.s, a + 17 * (uint64_t)P, a + 20 * (uint64_t)P, SLOT_HUGE); /* 3 of 4 */
	strip_add(&x.s, a + 23 * (uint64_t)P, a + 23 * (uint64_t)P + 4096, SLOT_SMALL); /* 1 of 4 */
	strip_add(&x.s, a + 60 * (uint64_t)P, a + 63 * (uint64_t)P, SLOT_HUGE);
	strip_finish(&x.s, a + 63 * (uint64_t)P);
	assert_string_equal(text(&x.s), "####+-.........#");
	done(&x);

	make(&x, a, 17 * 2048, 0, 0, 0); /* one more than fits one by one */
	strip_start(&x.s, &x.m, x.snap.smaps.vma, 16, &x.a);
	assert_int_equal(x.s.per_cell, 2);
	assert_int_equal(x.s.n, 9);
	done(&x);
}

static void test_estimate(void **state)
{
	(void)state;
	struct one x;

	make(&x, 64 * MB, 8 * 2048, 4 * 2048 + 100, 2 * 2048, 4);
	strip_start(&x.s, &x.m, x.snap.smaps.vma, 16, &x.a);
	strip_estimate(&x.s, &x.m, x.snap.smaps.vma);
	assert_true(x.s.estimated);
	assert_string_equal(text(&x.s), "##---s..");
	done(&x);
	make(&x, 64 * MB, 2 * 2048, 0, 0, 0);
	strip_start(&x.s, &x.m, x.snap.smaps.vma, 16, &x.a);
	strip_estimate(&x.s, &x.m, x.snap.smaps.vma);
	assert_string_equal(text(&x.s), "..");
	done(&x);
	/* More resident than the slots hold: the rest lies outside of them. */
	make(&x, 64 * MB + 4096, 2 * 2048, 4096, 0, 0);
	strip_start(&x.s, &x.m, x.snap.smaps.vma, 16, &x.a);
	strip_estimate(&x.s, &x.m, x.snap.smaps.vma);
	assert_string_equal(text(&x.s), "-");
	done(&x);
}

/* All of an address space is as quick as one mapping: by cells, not by slots. */
static void test_all_of_an_address_space(void **state)
{
	(void)state;
	struct one x;
	const uint64_t end = UINT64_MAX - P + 1, kb = (end - P) >> 10;

	for (int i = 0; i < 1000; i++) {
		make(&x, P, kb, 0, kb / 2, kb / 4);
		strip_start(&x.s, &x.m, x.snap.smaps.vma, 4, &x.a);
		strip_estimate(&x.s, &x.m, x.snap.smaps.vma);
		assert_string_equal(text(&x.s), "#+s.");
		strip_start(&x.s, &x.m, x.snap.smaps.vma, 4, &x.a);
		strip_add(&x.s, P, 2 * P, SLOT_SMALL);
		strip_add(&x.s, 2 * P, end / 4 * 3, SLOT_ZERO);
		strip_finish(&x.s, end - P);
		assert_string_equal(text(&x.s), "-zz?");
		strip_start(&x.s, &x.m, x.snap.smaps.vma, 4, &x.a);
		strip_add(&x.s, end - P, end, SLOT_HUGE);
		strip_finish(&x.s, end);
		assert_string_equal(text(&x.s), "...+");
		done(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_estimate),
		cmocka_unit_test(test_all_of_an_address_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
