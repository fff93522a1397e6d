/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/filter.h"

static const char dump[] =
	"00400000-00500000 r-xp 00000000 08:01 11 /usr/bin/server\nRss: 4 kB\n"
	"00700000-00900000 rw-p 00000000 00:00 0 [heap]\nRss: 4 kB\n"
	"7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \nRss: 4 kB\n"
	"7f0000600000-7f0000601000 rw-p 00000000 00:00 0 \nRss: 4 kB\n"
	"7f0000800000-7f0000a00000 rw-s 00000000 00:01 5 /memfd:caf\xc3\xa9 \xff (deleted)\nRss: 4 kB\n"
	"7f0000c00000-7f0000c01000 r--p 00000000 08:01 12 /tmp/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\nRss: 4 kB\n";

/* The mappings kept, one letter each: 'x' or '.'; "!" when the filter failed. */
static const char *kept(const char *match, unsigned classes, uint64_t min_size_kb, struct err *e)
{
	static char ret[16];
	struct snapshot s = { 0 };
	struct model m;
	struct filter *f;

	assert_int_equal(smaps_parse(slice_str(dump), (struct smaps_options){ 0 }, &s.smaps, e), 0);
	model_init(&m, &s, &(struct model_options){ 0 });
	strcpy(ret, "!");
	if (filter_new(&f, &(struct filter_options){ match, "--match", classes, min_size_kb }, e))
		goto out;
	if (filter_apply(f, &m, e) == 0) {
		size_t n = 0;

		for (size_t i = 0; i < s.smaps.n; i++) {
			ret[i] = model_keeps(&m, i) ? 'x' : '.';
			n += model_keeps(&m, i);
		}
		ret[s.smaps.n] = '\0';
		assert_int_equal(m.kept, n);
	}
	filter_free(f);
out:
	model_free(&m);
	smaps_free(&s.smaps);
	return ret;
}

static void test_names(void **state)
{
	(void)state;
	struct err e = { 0 };

	assert_string_equal(kept(NULL, 0, 0, &e), "xxxxxx");
	assert_string_equal(kept("heap", 0, 0, &e), ".x....");
	assert_string_equal(kept("^\\[anon\\]$", 0, 0, &e), "..xx..");
	assert_string_equal(kept("SERVER", 0, 0, &e), "......");
	assert_string_equal(kept("(?i)SERVER", 0, 0, &e), "x.....");
	/* Bytes: what is not UTF-8 hides nothing, and a letter of two bytes is found. */
	assert_string_equal(kept("^/memfd:.*deleted", 0, 0, &e), "....x.");
	assert_string_equal(kept("caf\xc3\xa9", 0, 0, &e), "....x.");
	assert_string_equal(kept("\\xff", 0, 0, &e), "....x.");
	assert_int_equal(e.kind, ERR_NONE);
}

static void test_class_and_size(void **state)
{
	(void)state;
	struct err e = { 0 };

	assert_string_equal(kept(NULL, 1u << CLASS_ANON, 0, &e), ".xxx..");
	assert_string_equal(kept(NULL, 1u << CLASS_SHMEM | 1u << CLASS_FILE, 0, &e), "x...xx");
	assert_string_equal(kept(NULL, 0, 2048, &e), ".xx.x.");
	assert_string_equal(kept(NULL, 0, 2049, &e), "..x...");
	assert_string_equal(kept("anon", 1u << CLASS_ANON, 2048, &e), "..x...");
	assert_string_equal(kept("anon", 1u << CLASS_HUGETLB, 0, &e), "......");
	assert_int_equal(e.kind, ERR_NONE);
}

static void test_bad_patterns(void **state)
{
	(void)state;
	struct err e = { 0 };

	assert_string_equal(kept("lib(c", 0, 0, &e), "!");
	assert_int_equal(e.kind, ERR_PARSE);
	assert_int_equal(e.column, 6);
	assert_string_equal(e.file, "--match");
	assert_string_equal(e.context, "lib(c");
	assert_string_equal(kept("(*UTF)x", 0, 0, &e), "!");
	assert_int_equal(e.kind, ERR_PARSE);
	/* 2^44 ways to fail on the last name: refused after a bounded number of steps. */
	assert_string_equal(kept("(a+)+$", 0, 0, &e), "!");
	assert_int_equal(e.kind, ERR_LIMIT);
	assert_non_null(strstr(e.text, "too many steps for the name '/tmp/aaaa"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_class_and_size),
		cmocka_unit_test(test_bad_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
