/* SPDX-License-Identifier: MIT */
/*
 * Every prefix of every fixture up to 32 kB, ending right at an unreadable
 * page: a parser that looks one byte too far dies here. Beyond that size
 * every line edge and 1,000 seeded cuts.
 */
#define _GNU_SOURCE
#include "test.h"

#include <glob.h>
#include <sys/mman.h>
#include <unistd.h>

#include "parse/keyval.h"
#include "parse/smaps.h"
#include "parse/sniff.h"

enum { EVERY = 32 * 1024 };

static char *guard_end; /* the first byte that must not be read */
static size_t room;

static void make_guard(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	room = (size + page - 1) / page * page;
	char *p = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(p != MAP_FAILED);
	assert_int_equal(mprotect(p + room, page, PROT_NONE), 0);
	guard_end = p + room;
}

static void try_smaps(struct slice text)
{
	struct smaps s = { 0 };
	struct err e = { 0 };

	if (smaps_parse(text, (struct smaps_options){ 0 }, &s, &e))
		assert_true(e.text[0] && (e.line || e.kind == ERR_KIND));
	smaps_free(&s);
}

static void try_keyvals(struct slice text)
{
	struct arena a = { 0 };
	struct keyvals k;
	struct err e = { 0 };

	meminfo_parse(text, &a, false, &k, &e);
	vmstat_parse(text, &a, false, &k, &e);
	status_value(text, "THP_enabled");
	arena_free(&a);
}

static void try_prefix(struct slice text, size_t n, bool smaps)
{
	struct err e = { 0 };
	char *at = guard_end - n;

	memcpy(at, text.p, n);
	struct slice cut = slice_of(at, n);
	if (smaps)
		try_smaps(cut);
	else
		try_keyvals(cut);
	if (n % 97 == 0)
		sniff(cut, &e);
}

static size_t try_file(const char *path, bool smaps)
{
	struct arena a = { 0 };
	struct slice text = test_file(&a, path);
	uint64_t seed = 5;
	size_t tried = 0;

	/* Quadratic in the size: each byte of a small file, samples of a large one. */
	for (size_t n = 0; n <= text.n && n <= EVERY; n++, tried++)
		try_prefix(text, n, smaps);
	for (size_t n = EVERY; n <= text.n; n++)
		if (text.p[n - 1] == '\n')
			try_prefix(text, n, smaps), tried++;
	for (int i = 0; i < 1000 && text.n > EVERY; i++, tried++)
		try_prefix(text, EVERY + test_below(&seed, text.n - EVERY), smaps);
	arena_free(&a);
	return tried;
}

static void prefixes(const char *pattern, bool smaps, size_t at_least)
{
	size_t tried = 0;
	glob_t g;

	assert_int_equal(glob(pattern, GLOB_BRACE, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		tried += try_file(g.gl_pathv[i], smaps);
	assert_true(tried >= at_least);
	printf("# %zu prefixes of %s\n", tried, pattern);
	globfree(&g);
}

static void smaps_prefixes(void **state)
{
	(void)state;
	prefixes("tests/fixtures/{forms,malloc128}/*", true, 4000);
	prefixes("tests/fixtures/kernel-6.18/{17-32bit-process,16-loss-after,15a-torn-duplicate,08-odd-file-names}.smaps*", true, 50000);
}

static void system_prefixes(void **state)
{
	(void)state;
	prefixes("tests/fixtures/kernel-6.18/{*.status,*.vmstat,*.meminfo,system/*}", false, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smaps_prefixes),
		cmocka_unit_test(system_prefixes),
	};

	make_guard(1 << 20);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
