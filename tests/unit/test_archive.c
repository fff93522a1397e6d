/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source/archive.h"
#include "source/archive_select.h"

static char dir[64];

static char *at(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/hugecov-archive.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

/* ---- a tar by hand, so that it can be wrong in every way ---- */

static struct out tar;

/* Digits and a NUL. */
static void octal(char *p, int digits, unsigned long long v)
{
	for (p[digits] = '\0'; digits-- > 0; v >>= 3)
		p[digits] = (char)('0' + (v & 7));
}

static void checksum(char *h)
{
	unsigned sum = 0;

	memset(h + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += (unsigned char)h[i];
	octal(h + 148, 6, sum);
}

static void member(const char *name, char type, const char *link, const char *data)
{
	char h[512] = { 0 };
	size_t n = strlen(data);

	snprintf(h, 100, "%s", name);
	strcpy(h + 100, "0000644");
	strcpy(h + 108, "0000000");
	strcpy(h + 116, "0000000");
	octal(h + 124, 11, n);
	strcpy(h + 136, "00000000000");
	h[156] = type;
	snprintf(h + 157, 100, "%s", link);
	memcpy(h + 257, "ustar\0" "00", 8);
	checksum(h);
	out_write(&tar, h, sizeof(h));
	out_write(&tar, data, n);
	out_pad(&tar, '\0', (int)((512 - n % 512) % 512));
}

static void file(const char *name, const char *data)
{
	member(name, '0', "", data);
}

static void finish(void)
{
	out_pad(&tar, '\0', 1024);
}

static void save(const char *name, struct slice bytes)
{
	FILE *f = fopen(at(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	assert_int_equal(fclose(f), 0);
}

static int open_saved(const char *name, struct tree **t, struct err *e)
{
	*t = NULL;
	return tree_open(at(name), t, e);
}

/* Writes what was built and opens it; the next one starts afresh. */
static int open_built(struct tree **t, struct err *e)
{
	save("t.tar", out_slice(&tar));
	out_reset(&tar);
	return open_saved("t.tar", t, e);
}

static void refused(const char *word)
{
	struct tree *t;
	struct err e;

	assert_int_equal(open_built(&t, &e), -1);
	assert_null(t);
	if (!strstr(e.text, word))
		fail_msg("\"%s\" does not say \"%s\"", e.text, word);
	assert_string_equal(e.file, at("t.tar"));
}

static void holds(struct tree *t, const char *name, const char *text)
{
	struct arena a = { 0 };
	struct slice s;
	struct err e;

	assert_int_equal(tree_read(t, name, 1 << 20, &a, &s, &e), GOT_ALL);
	assert_true(slice_eq_str(s, text));
	arena_free(&a);
}

static void lacks(struct tree *t, const char *name)
{
	struct arena a = { 0 };
	struct slice s;
	struct err e;

	assert_int_equal(tree_read(t, name, 1 << 20, &a, &s, &e), GOT_ABSENT);
	arena_free(&a);
}

/* ---- what is read ---- */

static void build_tree(const char *prefix)
{
	static const char *const files[][2] = {
		{ "proc/meminfo", "MemTotal: 1 kB\n" },
		{ "proc/10/smaps", "ten\n" },
		{ "proc/9/smaps", "nine\n" },
		{ "proc/9/fd/0", "not wanted\n" },
		{ "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n" },
		{ "sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 1 kB\n" },
		{ "etc/passwd", "not wanted\n" },
	};
	char name[100];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", prefix, files[i][0]);
		file(name, files[i][1]);
	}
	finish();
}

static void check_tree(struct tree *t)
{
	struct arena a = { 0 };
	struct slice *names;
	size_t n;
	struct err e;
	struct stream *s;
	struct slice piece;

	assert_false(tree_is_live(t));
	holds(t, "proc/meminfo", "MemTotal: 1 kB\n");
	holds(t, "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	holds(t, "sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 1 kB\n");
	lacks(t, "etc/passwd");
	lacks(t, "proc/9/fd/0");
	assert_int_equal(tree_list(t, "proc", &a, &names, &n, &e), GOT_ALL);
	assert_int_equal(n, 3);
	assert_true(slice_eq_str(names[0], "9"));
	assert_true(slice_eq_str(names[1], "10"));
	assert_true(slice_eq_str(names[2], "meminfo"));
	assert_int_equal(stream_open(t, "proc/9/smaps", SMAPS_PIECE, &s, &e), GOT_ALL);
	assert_int_equal(stream_next(s, &piece, &e), 0);
	assert_true(slice_eq_str(piece, "nine\n"));
	stream_close(s);
	arena_free(&a);
}

static void plain_and_prefixed(void **state)
{
	static const char *const prefixes[] = { "", "./", "host-2026/", "./a/b/c/", "a//./b/" };

	(void)state;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		struct tree *t;
		struct err e;
		enum source_form form;
		int64_t pid;

		build_tree(prefixes[i]);
		assert_int_equal(open_built(&t, &e), 0);
		check_tree(t);
		tree_close(t);
		assert_int_equal(source_form(at("t.tar"), &form, &pid, &e), 0);
		assert_int_equal(form, FORM_ARCHIVE);
	}
}

static const struct {
	const char *program, *suffix;
} packers[] = { { "gzip", "gz" }, { "xz", "xz" }, { "zstd -q", "zst" }, { "bzip2", "bz2" } };

static bool pack(size_t i, const char *name)
{
	char command[256];

	snprintf(command, sizeof(command), "cd %s && %s -c <%s >packed 2>/dev/null", dir,
		 packers[i].program, name);
	return system(command) == 0;
}

static void packed(void **state)
{
	int seen = 0;

	(void)state;
	build_tree("host/");
	save("p.tar", out_slice(&tar));
	out_reset(&tar);
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
		struct tree *t;
		struct err e;
		enum source_form form;
		int64_t pid;

		if (!pack(i, "p.tar"))
			continue; /* the program is not installed */
		seen++;
		assert_int_equal(open_saved("packed", &t, &e), 0);
		check_tree(t);
		tree_close(t);
		assert_int_equal(source_form(at("packed"), &form, &pid, &e), 0);
		assert_int_equal(form, FORM_ARCHIVE);
	}
	assert_true(seen > 0);
}

static void packed_file(void **state)
{
	(void)state;
	save("smaps", SLICE("one\ntwo\n"));
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
		struct arena a = { 0 };
		struct stream *s;
		struct slice all;
		struct err e;
		enum source_form form;
		int64_t pid;

		if (!pack(i, "smaps"))
			continue;
		assert_int_equal(source_form(at("packed"), &form, &pid, &e), 0);
		assert_int_equal(form, FORM_FILE);
		assert_int_equal(stream_open_path(at("packed"), &s, &e), 0);
		assert_int_equal(stream_all(s, 100, &a, &all, &e), 0);
		assert_true(slice_eq_str(all, "one\ntwo\n"));
		stream_close(s);
		arena_free(&a);
	}
}

/* Cut anywhere, a compressed archive or a tar is refused; no prefix of it passes for a whole. */
static void cut_short(void **state)
{
	struct tree *t;
	struct err e;

	(void)state;
	build_tree("host/");
	save("whole.tar", out_slice(&tar));
	for (size_t n = 512; n < tar.n - 1024; n += 256) {
		save("cut.tar", slice_first(out_slice(&tar), n));
		assert_int_equal(open_saved("cut.tar", &t, &e), -1);
		assert_non_null(strstr(e.text, "cut short"));
	}
	out_reset(&tar);
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
		static char bytes[1 << 16];

		if (!pack(i, "whole.tar"))
			continue;
		FILE *f = fopen(at("packed"), "r");
		size_t size = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
		for (size_t n = 16; n < size; n += n + 24 < size ? 7 : 1) {
			save("cut", slice_of(bytes, n));
			assert_int_equal(open_saved("cut", &t, &e), -1);
		}
	}
}

static void flat(void **state)
{
	struct tree *t;
	struct err e;

	(void)state;
	file("case/smaps", "s\n");
	file("case/meminfo", "m\n");
	file("case/notes.txt", "n\n");
	file("case/transparent_hugepage/enabled", "always\n");
	file("other/comm", "x\n"); /* beside nothing that counts */
	finish();
	assert_int_equal(open_built(&t, &e), 0);
	holds(t, "smaps", "s\n");
	holds(t, "meminfo", "m\n");
	holds(t, "transparent_hugepage/enabled", "always\n");
	lacks(t, "notes.txt");
	lacks(t, "comm");
	tree_close(t);
	/* the outermost tree counts, and one with proc/ before a flat one */
	file("meminfo", "flat\n");
	file("host/proc/meminfo", "tree\n");
	file("host/old/proc/meminfo", "deep\n");
	finish();
	assert_int_equal(open_built(&t, &e), 0);
	holds(t, "proc/meminfo", "tree\n");
	lacks(t, "meminfo");
	tree_close(t);
}

static void later_wins(void **state)
{
	struct tree *t;
	struct err e;

	(void)state;
	file("proc/meminfo", "old\n");
	file("proc/vmstat", "v\n");
	file("./proc/meminfo", "new\n");
	finish();
	assert_int_equal(open_built(&t, &e), 0);
	holds(t, "proc/meminfo", "new\n");
	tree_close(t);
}

static void links(void **state)
{
	struct tree *t;
	struct err e;

	(void)state;
	file("a/proc/9/smaps", "nine\n");
	member("a/proc/10/smaps", '1', "a/proc/9/smaps", "");
	member("a/proc/11/smaps", '2', "../10/smaps", "");
	member("a/etc/x", '2', "/etc/passwd", ""); /* none of ours: no matter */
	member("a/proc/self", '2', "9", "");
	finish();
	assert_int_equal(open_built(&t, &e), 0);
	holds(t, "proc/10/smaps", "nine\n");
	holds(t, "proc/11/smaps", "nine\n");
	tree_close(t);
}

static void refusals(void **state)
{
	static const struct {
		const char *name;
		char type;
		const char *link, *word;
	} cases[] = {
		{ "/proc/meminfo", '0', "", "absolute" },
		{ "../proc/meminfo", '0', "", "leads out" },
		{ "a/../../proc/meminfo", '0', "", "leads out" },
		{ "a/..", '5', "", "leads out" },
		{ "/", '5', "", "absolute" },
		{ "proc/meminfo", '2', "/proc/meminfo", "leads out" },
		{ "proc/meminfo", '2', "../../x", "leads out" },
		{ "proc/meminfo", '1', "/etc/passwd", "leads out" },
		{ "proc/meminfo", '1', "../x", "leads out" },
		{ "proc/meminfo", '2', "vmstat", "no file for hugecov" },
		{ "proc/meminfo", '2', "meminfo", "circle" },
		{ "proc/meminfo", '6', "", "no regular file" },
		{ "proc/meminfo", '3', "", "no regular file" },
		{ "etc/passwd", '0', "", "holds neither" },
		{ "manifest.json", '0', "", "holds neither" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		member(cases[i].name, cases[i].type, cases[i].link, "");
		finish();
		refused(cases[i].word);
	}
	file("a/proc/meminfo", "a\n");
	file("b/proc/meminfo", "b\n");
	finish();
	refused("second tree");
	finish();
	refused("neither a directory nor an archive");
}

/* The header promises 4 GiB; nothing of it is there. */
static void promised_too_much(void **state)
{
	(void)state;
	member("proc/meminfo", '0', "", "");
	octal(tar.buf + 124, 11, 4ULL << 30);
	checksum(tar.buf);
	finish();
	refused("larger than a GiB");
}

/* 100 MiB of zeros in a few kB. */
static void a_bomb(void **state)
{
	struct tree *t;
	struct err e;
	char command[400];

	(void)state;
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p proc/1 && truncate -s 100M proc/1/smaps && "
		 "tar -cf - proc | xz -0 >packed && rm -r proc",
		 dir);
	if (system(command) != 0)
		skip();
	assert_int_equal(open_saved("packed", &t, &e), -1);
	assert_non_null(strstr(e.text, "times its size"));
}

static void wanted_names(void **state)
{
	static const struct {
		const char *name;
		enum role role;
		size_t prefix;
	} cases[] = {
		{ "proc/1/smaps", ROLE_TREE, 0 },
		{ "proc/x/smaps", ROLE_FLAT, 7 },
		{ "h/proc/1/stat", ROLE_TREE, 2 },
		{ "proc/1/environ", ROLE_NONE, 0 },
		{ "proc/1/task/1/smaps", ROLE_FLAT, 14 },
		{ "proc/sys/kernel/random/boot_id", ROLE_TREE, 0 },
		{ "sys/kernel/mm/transparent_hugepage", ROLE_NONE, 0 },
		{ "sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", ROLE_TREE, 0 },
		{ "smaps", ROLE_FLAT, 0 },
		{ "a/comm", ROLE_COMPANION, 2 },
		{ "manifest.json", ROLE_COMPANION, 0 },
		{ "x/transparent_hugepage/hugepages-64kB/enabled", ROLE_COMPANION, 2 },
		{ "smaps.old", ROLE_NONE, 0 },
		{ "", ROLE_NONE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct candidate c = { 0 };

		if (!archive_wants(slice_str(cases[i].name), &c))
			c.role = ROLE_NONE;
		assert_int_equal(c.role, cases[i].role);
		assert_int_equal(c.prefix, cases[i].prefix);
	}
}

/* A file of a tree is unpacked when it is asked for, and only then; in an archive too. */
static void packed_in_a_tree(void **state)
{
	struct arena a = { 0 };
	struct tree *t;
	struct stream *s;
	struct slice all;
	struct err e;

	(void)state;
	save("plain", SLICE("one\ntwo\n"));
	if (!pack(0, "plain"))
		skip();
	assert_int_equal(tree_open(dir, &t, &e), 0);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "packed" : "plain";

		assert_int_equal(stream_open(t, name, 0, &s, &e), GOT_ALL);
		stream_unpack(s);
		assert_int_equal(stream_all(s, 100, &a, &all, &e), 0);
		assert_true(slice_eq_str(all, "one\ntwo\n"));
		stream_close(s);
	}
	assert_int_equal(stream_open(t, "packed", 0, &s, &e), GOT_ALL);
	assert_int_equal(stream_all(s, 100, &a, &all, &e), 0);
	assert_true(bytes_are_compressed(all));
	stream_close(s);
	s = stream_memory(all);
	stream_unpack(s);
	assert_int_equal(stream_all(s, 100, &a, &all, &e), 0);
	assert_true(slice_eq_str(all, "one\ntwo\n"));
	stream_close(s);
	tree_close(t);
	arena_free(&a);
}

static void from_a_pipe(void **state)
{
	struct arena a = { 0 };
	struct stream *s;
	struct slice all;
	struct err e;
	char path[32];
	int ends[2];

	(void)state;
	save("smaps", SLICE("one\ntwo\n"));
	if (!pack(0, "smaps"))
		skip();
	assert_int_equal(pipe(ends), 0);
	FILE *f = fopen(at("packed"), "r");
	char bytes[4096];
	size_t n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	assert_int_equal(write(ends[1], bytes, n), n);
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_int_equal(stream_open_path(path, &s, &e), 0);
	assert_int_equal(stream_all(s, 100, &a, &all, &e), 0);
	assert_true(slice_eq_str(all, "one\ntwo\n"));
	stream_close(s);
	close(ends[0]);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_and_prefixed), cmocka_unit_test(packed),
		cmocka_unit_test(packed_file),	      cmocka_unit_test(cut_short),
		cmocka_unit_test(flat),		      cmocka_unit_test(later_wins),
		cmocka_unit_test(links),	      cmocka_unit_test(refusals),
		cmocka_unit_test(promised_too_much),  cmocka_unit_test(a_bomb),
		cmocka_unit_test(wanted_names),	      cmocka_unit_test(from_a_pipe),
		cmocka_unit_test(packed_in_a_tree),
	};

	out_memory(&tar);
	return cmocka_run_group_tests_name("archive", tests, make_dir, drop_dir);
}
