/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "parse/keyval.h"
#include "parse/binary.h"
#include "parse/sniff.h"
#include "parse/thp_settings.h"

static struct arena arena;

static void meminfo(void **state)
{
	struct keyvals k;
	struct err e;
	uint64_t v;

	(void)state;
	assert_int_equal(meminfo_parse(SLICE("MemTotal:       16 kB\nActive(anon):  7 kB\nHugePages_Total:  3\nMemTotal: 9 kB\n"),
				       &arena, false, &k, &e), 0);
	assert_int_equal(k.n, 3);
	assert_int_equal(k.node, -1);
	assert_true(keyvals_get(&k, "MemTotal", &v) && v == 16); /* the first of two */
	assert_true(keyvals_get(&k, "Active(anon)", &v) && v == 7);
	assert_false(k.at[2].kb);
	assert_false(keyvals_get(&k, "AnonHugePages", &v));
}

static void meminfo_of_a_node(void **state)
{
	struct keyvals k;
	struct err e;
	uint64_t v;

	(void)state;
	assert_int_equal(meminfo_parse(SLICE("\nNode 3 MemTotal:       16 kB\nNode 3 HugePages_Surp:  3\n"), &arena, false, &k, &e), 0);
	assert_int_equal(k.node, 3);
	assert_true(keyvals_get(&k, "MemTotal", &v) && v == 16);
	assert_int_equal(meminfo_parse(SLICE("Node 3 MemTotal:       16 kB\nNode 4 MemFree:  3 kB\n"), &arena, false, &k, &e), -1);
	assert_int_equal(e.line, 2);
}

static void meminfo_errors(void **state)
{
	struct keyvals k;
	struct err e;

	(void)state;
	assert_int_equal(meminfo_parse(SLICE("MemTotal: 16 MB\n"), &arena, false, &k, &e), -1);
	assert_int_equal(e.column, 14);
	assert_int_equal(meminfo_parse(SLICE("MemTotal: 99999999999999999999 kB\n"), &arena, false, &k, &e), -1);
	assert_int_equal(e.column, 11);
	assert_int_equal(meminfo_parse(SLICE("hello\n"), &arena, false, &k, &e), -1);
	assert_int_equal(meminfo_parse(SLICE(""), &arena, false, &k, &e), -1);
	assert_int_equal(meminfo_parse(SLICE("MemTotal: 1 kB\nhello\n"), &arena, false, &k, &e), 0);
	assert_int_equal(k.notes[NOTE_FOREIGN], 1);
	assert_int_equal(meminfo_parse(SLICE("MemTotal: 1 kB\nhello\n"), &arena, true, &k, &e), -1);
	/* A word where the number is due is no foreign line; prose is one. */
	assert_int_equal(meminfo_parse(SLICE("MemTotal: 1 kB\nAnonHugePages:    abc kB\n"), &arena, false, &k, &e), -1);
	assert_true(e.line == 2 && e.column == 19);
	assert_int_equal(meminfo_parse(SLICE("MemTotal: 1 kB\nHugePages_Free: nan\n"), &arena, false, &k, &e), -1);
	assert_int_equal(meminfo_parse(SLICE("Node 0 MemTotal: 1 kB\nNode 0 Active(anon): x kB\n"), &arena, false, &k, &e), -1);
	assert_int_equal(meminfo_parse(SLICE("MemTotal: 1 kB\nFrom: bob\nCached: is what counts\n"), &arena, false, &k, &e), 0);
	assert_int_equal(k.notes[NOTE_FOREIGN], 2);
	/* The last line without its number was cut on the way. */
	assert_int_equal(meminfo_parse(SLICE("MemTotal: 1 kB\nMemFree:"), &arena, false, &k, &e), 0);
	assert_int_equal(k.n, 1);
}

/* What people paste is counted, and refused by --strict with its line. */
static void tolerance(void **state)
{
	static const struct {
		enum note note;
		uint32_t count;
		unsigned long line;
		const char *text;
	} rows[] = {
		{ NOTE_QUOTED, 2, 1, "> MemTotal: 4 kB\n>> MemFree: 1 kB\n" },
		{ NOTE_INDENTED, 1, 2, "MemTotal: 4 kB\n    MemFree: 1 kB\n" },
		{ NOTE_CRLF, 2, 1, "MemTotal: 4 kB\r\nMemFree: 1 kB\r\n" },
		{ NOTE_TABS, 1, 2, "MemTotal: 4 kB\nMemFree:\t1 kB\n" },
		{ NOTE_TABS, 1, 1, "MemTotal:\xc2\xa0 4 kB\nMemFree: 1 kB\n" },
		{ NOTE_NO_FINAL_NEWLINE, 1, 2, "MemTotal: 4 kB\nMemFree: 1 kB" },
		{ NOTE_ELIDED, 1, 2, "MemTotal: 4 kB\n...\nMemFree: 1 kB\n" },
		{ NOTE_FOREIGN, 1, 1, "$ cat /proc/meminfo\nMemTotal: 4 kB\nMemFree: 1 kB\n" },
		{ NOTE_CUT, 1, 3, "MemTotal: 4 kB\nMemFree: 1 kB\nBuff" },
		{ NOTE_CUT, 1, 3, "MemTotal: 4 kB\nMemFree: 1 kB\nBuffers: 12" },
	};
	struct keyvals k;
	struct err e;
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(meminfo_parse(slice_str(rows[i].text), &arena, false, &k, &e), 0);
		assert_int_equal(k.n, 2);
		assert_true(keyvals_get(&k, "MemTotal", &v) && v == 4);
		assert_true(keyvals_get(&k, "MemFree", &v) && v == 1);
		assert_int_equal(k.notes[rows[i].note], rows[i].count);
		assert_int_equal(meminfo_parse(slice_str(rows[i].text), &arena, true, &k, &e), -1);
		assert_int_equal(e.line, rows[i].line);
	}
	struct slice nul = SLICE("MemTotal: 4 kB\nMemFree: 1 kB\n\0\0");
	assert_int_equal(meminfo_parse(nul, &arena, false, &k, &e), 0);
	assert_int_equal(k.n, 2);
	assert_int_equal(k.notes[NOTE_NUL], 1);
	assert_int_equal(vmstat_parse(SLICE("nr_free_pages -1\n"), &arena, false, &k, &e), -1);
	assert_int_equal(e.column, 15);
}

static void vmstat(void **state)
{
	struct keyvals k;
	struct err e;
	uint64_t v;

	(void)state;
	assert_int_equal(vmstat_parse(SLICE("nr_free_pages 12\nthp_fault_alloc 18446744073709551615\n"), &arena, false, &k, &e), 0);
	assert_true(keyvals_get(&k, "thp_fault_alloc", &v) && v == UINT64_MAX);
	assert_int_equal(vmstat_parse(SLICE("nr_free_pages 12\nx 18446744073709551616\n"), &arena, false, &k, &e), -1);
	assert_int_equal(e.line, 2);
	assert_int_equal(vmstat_parse(SLICE("nr_free_pages 12 13\n"), &arena, false, &k, &e), -1);
}

static void settings(void **state)
{
	struct thp_settings t = { 0 };

	(void)state;
	assert_slice(thp_bracketed(SLICE("always [madvise] never\n")), "madvise");
	assert_slice(thp_bracketed(SLICE("2097152\n")), "2097152");
	assert_slice(thp_bracketed(SLICE("broken [word")), "broken [word");
	thp_settings_add(&t, &arena, SLICE("enabled"), SLICE("always [madvise] never\n"));
	thp_settings_add(&t, &arena, SLICE("hugepages-2048kB/enabled"), SLICE("always [inherit] madvise never\n"));
	thp_settings_add(&t, &arena, SLICE("hugepages-64kB/stats/nr_anon"), SLICE("5\n"));
	thp_settings_add(&t, &arena, SLICE("hugepages-64kB/shmem_enabled"), SLICE("always [never]\n"));
	assert_slice(thp_setting(&t, "enabled"), "madvise");
	assert_int_equal(thp_setting(&t, "defrag").n, 0);
	assert_int_equal(t.sizes_n, 2);
	assert_int_equal(t.sizes[0].kb, 64);
	assert_int_equal(t.sizes[0].stats[0].n, 5);
	assert_slice(t.sizes[0].shmem_enabled, "never");
	assert_slice(thp_size_of(&t, 2048)->enabled, "inherit");
	assert_null(thp_size_of(&t, 4));

	/* One size by two names, a file named twice: the first counts. */
	thp_settings_add(&t, &arena, SLICE("hugepages-064kB/stats/nr_anon"), SLICE("6\n"));
	thp_settings_add(&t, &arena, SLICE("enabled"), SLICE("[always] madvise never\n"));
	assert_int_equal(t.sizes_n, 2);
	assert_int_equal(t.sizes[0].stats_n, 1);
	assert_int_equal(t.sizes[0].stats[0].n, 5);
	assert_slice(thp_setting(&t, "enabled"), "madvise");

	/* No kernel has such a file. */
	thp_settings_add(&t, &arena, SLICE("a\xff"), SLICE("1\n"));
	thp_settings_add(&t, &arena, SLICE(""), SLICE("1\n"));
	thp_settings_add(&t, &arena, slice_str(arena_printf(&arena, "%0200d", 1)), SLICE("1\n"));
	assert_int_equal(t.n, 1);
	/* Nor one that leads out of its directory. */
	static const char *const out[] = { "..", ".", "/", "/a", "a/", "a//b", "../a", "a/..", "a/./b", "./a", "a/../../b",
					   "hugepages-64kB/stats/..", "hugepages-64kB/stats/../../a",
					   "hugepages-64kB/stats/", "hugepages-4kB/../x" };
	for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++)
		thp_settings_add(&t, &arena, slice_str(out[i]), SLICE("1\n"));
	assert_int_equal(t.n, 1);
	assert_int_equal(t.sizes_n, 2);
	assert_int_equal(t.sizes[0].stats_n, 1);
	thp_settings_add(&t, &arena, SLICE("khugepaged/..defrag."), SLICE("1\n")); /* a name with dots is one */
	assert_int_equal(t.n, 2);

	/* A tree that no kernel made costs no more than one of a kernel. */
	for (int i = 0; i < 5000; i++) {
		thp_settings_add(&t, &arena, slice_str(arena_printf(&arena, "hugepages-%dkB/enabled", i)), SLICE("[never]"));
		thp_settings_add(&t, &arena, slice_str(arena_printf(&arena, "file%d", i)), SLICE("1"));
	}
	assert_true(t.sizes_n < 100 && t.n < 1000);
}

static void status(void **state)
{
	static const struct slice text = { "Name:\tcat\nState:\tS (sleeping)\nTHP_enabled:\t0\n", 45 };

	(void)state;
	assert_slice(status_value(text, "THP_enabled"), "0");
	assert_slice(status_value(text, "Name"), "cat");
	assert_int_equal(status_value(text, "Foo").n, 0);
}

static void kinds(void **state)
{
	static const struct {
		const char *text;
		enum source_kind kind;
		const char *says; /* of a refusal */
	} rows[] = {
		{ "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \nRss: 4 kB\n", KIND_SMAPS, NULL },
		{ "> > 7f0000000000-7f0000200000 rw-p 00000000 00:00 0\n> > Rss: 4 kB\n", KIND_SMAPS, NULL },
		{ "00400000-7ffd0000 ---p 00000000 00:00 0    [rollup]\nRss: 4 kB\n", KIND_ROLLUP, NULL },
		{ "MemTotal: 1 kB\nMemFree: 1 kB\nBuffers: 1 kB\n", KIND_MEMINFO, NULL },
		{ "Node 0 MemTotal: 1 kB\nNode 0 MemFree: 1 kB\nNode 0 MemUsed: 1 kB\n", KIND_NODE_MEMINFO, NULL },
		{ "nr_free_pages 1\nnr_zone_inactive_anon 2\nnr_mlock 3\npgpgin 3\n", KIND_VMSTAT, NULL },
		{ "nr_free_pages 1\nnr_zone_inactive_anon 2\nnuma_hit 3\n", KIND_NODE_VMSTAT, NULL },
		{ "{\"schema\":\"hugecov.report/1\",", KIND_REPORT, NULL },
		{ "", KIND_UNKNOWN, "empty" },
		{ "--- a\n+++ b\n@@ -1,3 +1,3 @@\n MemTotal: 1 kB\n MemFree: 1 kB\n-Buffers: 1 kB\n", KIND_UNKNOWN, "diff" },
		{ "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n", KIND_UNKNOWN, "maps" },
		{ "Size: 4 kB\nRss: 4 kB\n", KIND_UNKNOWN, "without any mapping line" },
		{ "7f00 default anon=1 dirty=1 N0=1 kernelpagesize_kB=4\n", KIND_UNKNOWN, "numa_maps" },
		{ "procs -----------memory---------- ---swap--\n r  b   swpd   free\n", KIND_UNKNOWN, "vmstat command" },
		{ "hello world\n", KIND_UNKNOWN, "none of the files" },
		{ "Total RAM: 1,862,020K (status normal)\n Free RAM: 884,932K\n", KIND_UNKNOWN, "none of the files" },
		{ "{\"schema\":\"hugecov.diff/1\",", KIND_UNKNOWN, "another document" },
		{ "\177ELF\002\001\001", KIND_UNKNOWN, "not text but a program" },
		{ "PERFILE2h", KIND_UNKNOWN, "not text but a perf.data file" },
		{ "\xff\xfeM", KIND_UNKNOWN, "text in UTF-16" },
		{ "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg\n"
		  "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg\n"
		  "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg\n", KIND_UNKNOWN, "base64" },
		{ "abc\001\002\003\004", KIND_UNKNOWN, "not text: it has bytes" },
		{ "\033[1mhello\033[0m\a\b\r\n\xe9", KIND_UNKNOWN, "none of the files" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err e = { 0 };

		if (sniff(slice_str(rows[i].text), &e) != rows[i].kind)
			fail_msg("row %zu: %s", i, e.text);
		if (rows[i].says && !strstr(e.text, rows[i].says))
			fail_msg("row %zu says '%s'", i, e.text);
		/* What is no text is no other kind of text either. */
		if (rows[i].says && strstr(rows[i].says, "text") && strstr(e.hint, "--kind"))
			fail_msg("row %zu hints '%s'", i, e.hint);
	}
}

/* --kind overrides what it looks like, but makes no text of a program. */
static void binary(void **state)
{
	static const char nuls[64], smaps[] = "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \nRss: 4 kB\n\0\0\0\0";
	struct err e;

	(void)state;
	assert_int_equal(binary_refuse(slice_of(smaps, sizeof(smaps)), &e), 0);
	assert_int_equal(binary_refuse(slice_of(NULL, 0), &e), 0);
	assert_int_equal(binary_refuse(SLICE("\x80\xff caf\xe9 \t\f\v"), &e), 0);
	assert_int_equal(binary_refuse(slice_of(nuls, sizeof(nuls)), &e), -1);
	assert_int_equal(binary_refuse(SLICE("\177ELF"), &e), -1);
	assert_string_equal(e.hint, "Of a process that runs it: hugecov report PID");
	assert_int_equal(binary_refuse(SLICE("\211PNG\r\n\032\n"), &e), -1);
	assert_string_equal(e.hint, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meminfo), cmocka_unit_test(meminfo_of_a_node), cmocka_unit_test(meminfo_errors),
		cmocka_unit_test(tolerance), cmocka_unit_test(binary),
		cmocka_unit_test(vmstat), cmocka_unit_test(settings), cmocka_unit_test(status), cmocka_unit_test(kinds),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&arena);
	return failed;
}
