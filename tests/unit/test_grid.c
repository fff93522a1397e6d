/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/grid.h"

static char text[4096];

static const char *dump(const struct grid *g)
{
	struct out o;

	out_memory(&o);
	grid_dump(g, &o);
	slice_cstr(out_slice(&o), text, sizeof(text));
	out_close(&o);
	return text;
}

static void test_put(void **state)
{
	(void)state;
	struct grid g = { 0 };

	grid_start(&g, 2, 10);
	assert_int_equal(grid_str(&g, 0, 2, "abc", 1), 5);
	assert_string_equal(dump(&g), "  abc\n\n");
	grid_str(&g, 1, 8, "xyz", 0); /* cut at the edge */
	assert_string_equal(dump(&g), "  abc\n        xy\n");
	assert_int_equal(grid_str(&g, 7, 3, "outside", 0), 3);
	assert_int_equal(grid_str(&g, -1, 3, "outside", 0), 3);
	grid_str(&g, 0, -2, "12345", 0); /* the left edge cuts too */
	assert_string_equal(dump(&g), "345bc\n        xy\n");
	assert_int_equal(grid_put(&g, 1, 0, SLICE("hello!"), 0), 6);
	grid_right(&g, 1, 8, "r", 0);
	assert_string_equal(dump(&g), "345bc\nhello! rxy\n");
	grid_free(&g);
}

static void test_wide(void **state)
{
	(void)state;
	struct grid g = { 0 };

	grid_start(&g, 1, 6);
	/* U+5B57 is two columns wide. */
	assert_int_equal(grid_str(&g, 0, 0, "\xe5\xad\x97\xe5\xad\x97", 0), 4);
	assert_int_equal(grid_at(&g, 0, 1)->ch, 0);
	assert_string_equal(dump(&g), "\xe5\xad\x97\xe5\xad\x97\n");
	grid_str(&g, 0, 1, "x", 0); /* on the right half: the left one goes */
	assert_string_equal(dump(&g), " x\xe5\xad\x97\n");
	grid_str(&g, 0, 2, "y", 0); /* on the left half: the right one goes */
	assert_string_equal(dump(&g), " xy\n");
	grid_start(&g, 1, 3);
	grid_str(&g, 0, 0, "ab\xe5\xad\x97", 0); /* does not fit: no half of it */
	assert_string_equal(dump(&g), "ab\n");
	grid_start(&g, 1, 3);
	grid_str(&g, 0, -1, "\xe5\xad\x97z", 0);
	assert_string_equal(dump(&g), " z\n");
	grid_free(&g);
}

static void test_marks(void **state)
{
	(void)state;
	struct grid g = { 0 };

	grid_start(&g, 1, 4);
	/* e and U+0301, one column; a third mark is left out. */
	assert_int_equal(grid_str(&g, 0, 0, "e\xcc\x81\xcc\x82\xcc\x83x", 0), 2);
	assert_int_equal(grid_at(&g, 0, 0)->mark[0], 0x301);
	assert_string_equal(dump(&g), "e\xcc\x81\xcc\x82x\n");
	grid_start(&g, 1, 4);
	grid_str(&g, 0, 0, "\xcc\x81y", 0); /* nothing to stand on */
	assert_string_equal(dump(&g), "y\n");
	grid_start(&g, 1, 4);
	grid_str(&g, 0, 0, "\xe5\xad\x97\xcc\x81", 0); /* on a wide one */
	assert_int_equal(grid_at(&g, 0, 0)->mark[0], 0x301);
	grid_free(&g);
}

static void test_unsafe_text_moves_nothing(void **state)
{
	(void)state;
	struct grid g = { 0 };

	grid_start(&g, 1, 8);
	assert_int_equal(grid_str(&g, 0, 0, "a\033[2Jb\xff", 0), 6);
	assert_string_equal(dump(&g), "a[2Jb?\n");
	grid_free(&g);
}

static void test_roles(void **state)
{
	(void)state;
	struct grid g = { 0 };
	struct out o;

	grid_start(&g, 2, 5);
	grid_str(&g, 0, 1, "ab", 1);
	grid_str(&g, 1, 0, "cd", 2);
	grid_reverse(&g, 1);
	grid_reverse(&g, 9);
	out_memory(&o);
	grid_dump_roles(&g, " xy", &o);
	slice_cstr(out_slice(&o), text, sizeof(text));
	assert_string_equal(text, " xx\nYY___\n");
	out_close(&o);
	grid_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put),	  cmocka_unit_test(test_wide),
		cmocka_unit_test(test_marks),	  cmocka_unit_test(test_unsafe_text_moves_nothing),
		cmocka_unit_test(test_roles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
