/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "model/diff_set.h"

struct given {
	const char *comm;
	int64_t pid;
	uint64_t start;
	const char *boot;
};

static void fill(struct snapshot *s, const struct given *g, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s[i] = (struct snapshot){ 0 };
		s[i].process.comm = slice_str(g[i].comm);
		s[i].process.pid = g[i].pid;
		s[i].process.start_ticks = g[i].start;
		s[i].system.boot_id = slice_str(g[i].boot);
	}
}

/* "b>a" for each pair, "=" for the same process; then what is left on each side. */
static void check(const struct given *before, size_t n_b, const struct given *after, size_t n_a,
		  const char *due)
{
	struct snapshot b[8], a[8];
	struct process_pairs p;
	struct arena arena = { 0 };
	struct out o;

	fill(b, before, n_b);
	fill(a, after, n_a);
	process_pairs_find((const struct snapshot *const[]){ b, a }, (const size_t[]){ n_b, n_a },
			   &arena, &p);
	out_memory(&o);
	for (size_t i = 0; i < p.n; i++)
		out_printf(&o, "%zu%s%zu ", p.at[i].at[BEFORE], p.at[i].same ? "=" : ">",
			   p.at[i].at[AFTER]);
	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < p.left_n[s]; i++)
			out_printf(&o, "%s%zu ", s ? "+" : "-", p.left[s][i]);
	if (!slice_eq_str(out_slice(&o), due))
		fail_msg("\"%.*s\" is not \"%s\"", SLICE_FMT(out_slice(&o)), due);
	out_close(&o);
	arena_free(&arena);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CHECK(b, a, due) check(b, COUNT(b), a, COUNT(a), due)

static void the_same_first(void **state)
{
	static const struct given before[] = {
		{ "server", 10, 100, "x" }, { "worker", 11, 110, "x" }, { "worker", 12, 120, "x" },
	};
	static const struct given after[] = {
		{ "worker", 12, 120, "x" }, { "worker", 11, 900, "x" }, { "server", 10, 100, "x" },
	};

	(void)state;
	/* worker 11 is another one by now, and takes the place of the first */
	CHECK(before, after, "0=2 1>1 2=0 ");
}

static void another_boot(void **state)
{
	static const struct given before[] = { { "a", 10, 100, "x" }, { "b", 11, 110, "x" } };
	static const struct given after[] = { { "b", 10, 100, "y" }, { "a", 11, 110, "y" } };

	(void)state;
	CHECK(before, after, "0>1 1>0 ");
}

static void unknown_boot_or_start(void **state)
{
	static const struct given before[] = { { "a", 10, 100, "" }, { "b", 11, 0, "x" } };
	static const struct given after[] = { { "a", 10, 100, "" }, { "b", 11, 0, "x" } };

	(void)state;
	CHECK(before, after, "0>0 1>1 ");
}

static void by_order_of_pids(void **state)
{
	static const struct given before[] = {
		{ "w", 7, 1, "x" }, { "w", 5, 2, "x" }, { "w", 6, 3, "x" }, { "only", 1, 1, "x" },
	};
	static const struct given after[] = {
		{ "w", 30, 1, "y" }, { "w", 20, 2, "y" }, { "new", 2, 9, "y" },
	};

	(void)state;
	CHECK(before, after, "1>1 2>0 -3 -0 +2 ");
}

static void nothing(void **state)
{
	static const struct given one[] = { { "a", 1, 1, "x" } };

	(void)state;
	check(one, 1, one, 0, "-0 ");
	check(one, 0, one, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_first),	  cmocka_unit_test(another_boot),
		cmocka_unit_test(unknown_boot_or_start), cmocka_unit_test(by_order_of_pids),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("diff_set", tests, NULL, NULL);
}
