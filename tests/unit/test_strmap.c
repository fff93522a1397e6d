/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/strmap.h"

static void test_empty(void **state)
{
	struct strmap m = { 0 };

	(void)state;
	assert_null(strmap_find(&m, SLICE("a")));
	strmap_free(&m);
}

static void test_new_and_known(void **state)
{
	struct strmap m = { 0 };
	bool fresh = false;

	(void)state;
	*strmap_at(&m, SLICE("a"), &fresh) = 7;
	assert_true(fresh);
	assert_int_equal(*strmap_at(&m, slice_of("a", 1), &fresh), 7);
	assert_false(fresh);
	assert_int_equal(*strmap_at(&m, slice_of(NULL, 0), &fresh), 0); /* the empty key is a key */
	assert_true(fresh);
	assert_non_null(strmap_find(&m, slice_of("", 0)));
	assert_null(strmap_find(&m, SLICE("aa")));
	assert_int_equal(m.n, 2);
	strmap_free(&m);
}

static void test_many(void **state)
{
	struct strmap m = { 0 };
	struct arena a = { 0 };

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		*strmap_at(&m, slice_str(arena_printf(&a, "key%zu", i)), NULL) = i;
	assert_int_equal(m.n, 5000);
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(*strmap_find(&m, slice_str(arena_printf(&a, "key%zu", i))), i);
	assert_true(2 * m.n <= m.size);
	strmap_free(&m);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_new_and_known),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
