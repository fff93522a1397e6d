/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/style.h"

static const struct text_style mib = { .width = 80 }, kb = { .width = 80, .kb = true };

static void test_sizes(void **state)
{
	(void)state;
	char buf[STYLE_BUF];

	/* The rows of a report that add up: 143,360 + 65,536 + 6,144 + 1,080 kB. */
	assert_string_equal(style_size(buf, &mib, 143360), "140.0 MiB");
	assert_string_equal(style_size(buf, &kb, 143360), "143,360 kB");
	assert_string_equal(style_size(buf, &mib, 216120), "211.1 MiB");
	assert_string_equal(style_size(buf, &mib, 1080), "1.1 MiB");
	assert_string_equal(style_size(buf, &mib, 4), "0.0 MiB");
	assert_string_equal(style_size(buf, &mib, 1023), "1.0 MiB");
	assert_string_equal(style_amount(buf, &mib, 51), "0.0"); /* 0.0498 */
	assert_string_equal(style_amount(buf, &mib, 52), "0.1"); /* 0.0508 */
	assert_string_equal(style_amount(buf, &mib, 0), "0.0");
	assert_string_equal(style_amount(buf, &mib, UINT64_MAX), "18014398509481984.0");
	assert_string_equal(style_kb(buf, 2048), "2,048 kB");
	assert_string_equal(style_change(buf, -32768), "-32,768");
	assert_string_equal(style_change(buf, 2048), "+2,048");
	assert_string_equal(style_change(buf, 0), "0");
}

static void test_percent(void **state)
{
	(void)state;
	char buf[STYLE_BUF];

	assert_string_equal(style_percent(buf, 140.0 / 210.0), "66.7 %");
	assert_string_equal(style_percent(buf, 1), "100.0 %");
	assert_string_equal(style_percent(buf, 0.99999), "99.9 %"); /* less than all is never all */
	assert_string_equal(style_percent(buf, 0), "0.0 %");
	assert_string_equal(style_percent(buf, -0.638), "-63.8 %");
}

static void test_color_adds_no_meaning(void **state)
{
	(void)state;
	struct text_style colored = { .width = 80, .color = true };
	struct out a, b;

	out_memory(&a);
	out_memory(&b);
	for (enum role r = 0; r < ROLE_COUNT; r++) {
		style_text(&a, &mib, r, "word");
		style_text(&b, &colored, r, "word");
	}
	assert_int_equal(a.n, 4 * ROLE_COUNT);
	assert_true(slice_has(out_slice(&b), SLICE("word\033[0m")));
	assert_false(slice_has(out_slice(&a), SLICE("\033")));
	out_close(&a);
	out_close(&b);
}

static void test_glyphs(void **state)
{
	(void)state;
	struct text_style ascii = { .width = 80, .ascii = true };

	for (enum fate f = 0; f < FATE_COUNT; f++) {
		assert_int_equal(*style_glyph(&ascii, f), fate_rows[f].glyph);
		for (enum fate g = 0; g < f; g++)
			assert_int_not_equal(fate_rows[f].glyph, fate_rows[g].glyph);
	}
	assert_string_equal(style_glyph(&mib, FATE_HUGE), "\xe2\x96\x88");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_color_adds_no_meaning),
		cmocka_unit_test(test_glyphs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
