/* SPDX-License-Identifier: MIT */
/* Reading JSON: exact numbers, types and ranges, order and repeated names, faults with their place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/mem.h"
#include "parse/json_read.h"

static struct json_doc doc;
static struct err err;

static int teardown(void **state)
{
	(void)state;
	json_doc_free(&doc);
	return 0;
}

static void read_ok(const char *text)
{
	json_doc_free(&doc);
	if (json_read(slice_str(text), 1, &doc, &err))
		fail_msg("%s: %lu:%lu: %s", text, err.line, err.column, err.text);
}

static void assert_refused(const char *text, unsigned long line, unsigned long column,
			   const char *says)
{
	struct json_doc d;

	if (json_read(slice_str(text), 1, &d, &err) == 0)
		fail_msg("read: %s", text);
	if (err.line != line || err.column != column || !strstr(err.text, says))
		fail_msg("%s: %lu:%lu: %s", text, err.line, err.column, err.text);
}

static void assert_slice(struct slice s, const char *want)
{
	char buf[200];

	assert_string_equal(slice_cstr(s, buf, sizeof(buf)), want);
}

static void test_exact_numbers(void **state)
{
	uint64_t u = 0;
	int64_t i = 0;
	double f = 0;
	struct dec d;
	char buf[DEC_BUF];

	(void)state;
	read_ok("{\"u\": 18446744073709551615, \"i\":-9223372036854775808,\"f\":1.5e3,\n "
		"\"d\":12345.680}");
	assert_int_equal(json_get_u64(&doc, doc.root, "u", &u, &err), 1);
	assert_true(u == UINT64_MAX);
	assert_int_equal(json_get_range(&doc, doc.root, "i", INT64_MIN, INT64_MAX, &i, &err), 1);
	assert_true(i == INT64_MIN);
	assert_int_equal(json_as_double(&doc, json_find(doc.root, "f"), &f, &err), 1);
	assert_true(f == 1500);
	assert_int_equal(json_as_dec(&doc, json_find(doc.root, "d"), &d, &err), 1);
	assert_slice(dec_put(buf, d), "12345.680");
	assert_slice(json_text(&doc, json_find(doc.root, "d")), "12345.680");
}

static void test_types(void **state)
{
	struct slice s = { 0 };
	bool b = false;
	uint64_t a = 0;
	const struct json_value *v = NULL;

	(void)state;
	read_ok("{\"s\":\"a\\u00e9\\n\\\"\",\"t\":true,\"n\":null,\"l\":[1,\"x\",[],{}],\"a\":"
		"\"0x7f00deadbeef\"}");
	assert_int_equal(json_get_str(&doc, doc.root, "s", &s, &err), 1);
	assert_slice(s, "a\xc3\xa9\n\"");
	assert_int_equal(json_get_bool(&doc, doc.root, "t", &b, &err), 1);
	assert_true(b);
	assert_int_equal(json_get_addr(&doc, doc.root, "a", &a, &err), 1);
	assert_true(a == UINT64_C(0x7f00deadbeef));
	assert_int_equal(json_get(&doc, doc.root, "l", JSON_ARRAY, &v, &err), 1);
	assert_int_equal(json_count(v), 4);
	v = json_next(json_first(v));
	assert_int_equal(json_as_str(&doc, v, &s, &err), 1);
	assert_slice(s, "x");
	assert_int_equal(json_type(json_next(v)), JSON_ARRAY);
	assert_int_equal(json_type(json_next(json_next(v))), JSON_OBJECT);
	assert_null(json_first(json_next(v)));
}

static void test_absent_and_null(void **state)
{
	uint64_t u = 42;
	struct slice s = SLICE("kept");

	(void)state;
	read_ok("{\"n\":null}");
	assert_int_equal(json_get_u64(&doc, doc.root, "n", &u, &err), 0);
	assert_int_equal(json_get_u64(&doc, doc.root, "none", &u, &err), 0);
	assert_int_equal(json_get_str(&doc, doc.root, "n", &s, &err), 0);
	assert_int_equal(u, 42);
	assert_slice(s, "kept");
	assert_null(json_find(json_find(doc.root, "n"), "x"));
}

static void test_wrong(void **state)
{
	uint64_t u;
	int64_t i;
	struct slice s;

	(void)state;
	read_ok("{\n \"big\": 18446744073709551616,\n \"neg\": -1, \"frac\": 1.0, \"str\": "
		"\"7\",\n \"addr\":\"7f\"}");
	assert_int_equal(json_get_u64(&doc, doc.root, "big", &u, &err), -1);
	assert_int_equal(err.line, 2);
	assert_int_equal(err.column, 9);
	assert_string_equal(err.context, " \"big\": 18446744073709551616,");
	assert_int_equal(json_get_u64(&doc, doc.root, "neg", &u, &err), -1);
	assert_int_equal(json_get_u64(&doc, doc.root, "frac", &u, &err), -1);
	assert_int_equal(json_get_u64(&doc, doc.root, "str", &u, &err), -1);
	assert_string_equal(err.text, "str is a string, not a number");
	assert_int_equal(json_get_str(&doc, doc.root, "neg", &s, &err), -1);
	assert_int_equal(json_get_range(&doc, doc.root, "neg", 0, 5, &i, &err), -1);
	assert_string_equal(err.text, "neg is not from 0 to 5");
	assert_int_equal(json_get_range(&doc, doc.root, "neg", -1, 5, &i, &err), 1);
	assert_int_equal(json_get_addr(&doc, doc.root, "addr", &u, &err), -1);
	assert_int_equal(err.line, 4);
}

static void test_names(void **state)
{
	static const char *const known[] = { "a", "b" };
	const struct json_value *v;

	(void)state;
	read_ok("{\"b\":1,\"a\":2,\"c\":3,\"a\":4,\"b\":5}");
	assert_slice(json_key_of(json_first(doc.root)), "b");
	assert_slice(json_text(&doc, json_find(doc.root, "a")), "2");
	v = json_unknown(doc.root, known, 2);
	assert_slice(json_key_of(v), "c");
	v = json_repeated(doc.root);
	assert_slice(json_text(&doc, v), "4");
	assert_int_equal(json_fault(&doc, v, &err, "%s twice", "a"), -1);
	assert_int_equal(err.column, 24);
	read_ok("{\"a\":1,\"b\":{\"a\":1}}");
	assert_null(json_repeated(doc.root));
	assert_null(json_unknown(doc.root, known, 2));
	read_ok("{}");
	assert_null(json_repeated(doc.root));
}

static void test_scalars_and_blanks(void **state)
{
	uint64_t u;

	(void)state;
	read_ok(" 7 ");
	assert_int_equal(json_as_u64(&doc, doc.root, &u, &err), 1);
	assert_int_equal(u, 7);
	read_ok("\xef\xbb\xbf{\"a\":[ ] }\r\n");
	read_ok("\"\\ud83d\\ude00\"");
	assert_slice(json_text(&doc, doc.root), "\xf0\x9f\x98\x80");
	read_ok("\"a\\\\\"");
	assert_slice(json_text(&doc, doc.root), "a\\");
}

static void test_refused(void **state)
{
	(void)state;
	assert_refused("", 1, 1, "nothing but blanks");
	assert_refused(" \n ", 1, 1, "nothing but blanks");
	assert_refused("{\"a\":1} x", 1, 9, "not JSON here");
	assert_refused("{\"a\":1}\n{\"b\":2}", 2, 1, "behind the end");
	assert_refused("[1,\n2", 2, 2, "cut off");
	assert_refused("{\"a\":\n", 2, 1, "cut off");
	assert_refused("[1,]", 1, 4, "goes wrong");
	assert_refused("{\"a\" 1}", 1, 6, "goes wrong");
	assert_refused("]", 1, 1, "");
	assert_refused("[01]", 1, 2, "not a number");
	assert_refused("[1.]", 1, 2, "not a number");
	assert_refused("[-]", 1, 2, "not a number");
	assert_refused("[1e]", 1, 2, "not a number");
	assert_refused("[1-2]", 1, 3, "");
	assert_refused("[NaN]", 1, 2, "not JSON");
	assert_refused("[\"a\tb\"]", 1, 4, "control character");
	assert_refused("[\"a\\u0000b\"]", 1, 4, "NUL");
	assert_refused("[\"a", 1, 2, "does not end");
	assert_refused("[\"\\x\"]", 1, 3, "goes wrong");
	assert_refused("['a']", 1, 2, "not JSON");
}

static void test_depth(void **state)
{
	char text[2 * 1000 + 1];
	struct json_doc d;

	(void)state;
	memset(text, '[', 1000);
	memset(text + 1000, ']', 1000);
	assert_int_equal(json_read(slice_of(text + 1000 - JSON_DEPTH_MAX, 2 * JSON_DEPTH_MAX), 1,
				   &doc, &err),
			 0);
	assert_int_equal(json_read(slice_of(text + 999 - JSON_DEPTH_MAX, 2 * JSON_DEPTH_MAX + 2), 1,
				   &d, &err),
			 -1);
	assert_int_equal(err.column, JSON_DEPTH_MAX + 1);
	assert_int_equal(json_read(slice_of(text, 2000), 7, &d, &err), -1);
	assert_int_equal(err.line, 7);
}

/* No prefix of a document is a document, none reads past its end. */
static void test_prefixes(void **state)
{
	static const char whole[] =
		"{\"schema\":\"x/"
		"1\",\"n\":[-1.5e+3,true,null,{\"k\":\"\\u00e9\\\"\"}],\"z\":false}";
	struct json_doc d;

	(void)state;
	for (size_t n = 0; n < sizeof(whole) - 1; n++) {
		char *copy = mem_alloc(n);

		memcpy(copy, whole, n);
		assert_int_equal(json_read(slice_of(copy, n), 1, &d, &err), -1);
		mem_free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_exact_numbers, teardown),
		cmocka_unit_test_teardown(test_types, teardown),
		cmocka_unit_test_teardown(test_absent_and_null, teardown),
		cmocka_unit_test_teardown(test_wrong, teardown),
		cmocka_unit_test_teardown(test_names, teardown),
		cmocka_unit_test_teardown(test_scalars_and_blanks, teardown),
		cmocka_unit_test_teardown(test_refused, teardown),
		cmocka_unit_test_teardown(test_depth, teardown),
		cmocka_unit_test_teardown(test_prefixes, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
