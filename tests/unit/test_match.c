/* SPDX-License-Identifier: MIT */
/* Pairing of mappings: against a slow and plain pairing on random tables, and cases by hand. */
#include "test.h"

#include "model/match.h"
#include "model_build.h"

static struct snapshot snap[SIDES];
static struct model model[SIDES];
static struct match match;

static void stop(void)
{
	match_free(&match);
	for (int s = 0; s < SIDES; s++) {
		model_free(&model[s]);
		snapshot_free(&snap[s]);
		snap[s].process.pid = -1;
	}
}

static void run(enum match_by by)
{
	match_free(&match);
	for (int s = 0; s < SIDES; s++)
		model_free(&model[s]);
	model_init_pair(&model[BEFORE], &snap[BEFORE], &model[AFTER], &snap[AFTER],
			&(struct model_options){ 0 });
	match_make(&model[BEFORE], &model[AFTER], by, &match);
}

static void add(int side, uint64_t start, uint64_t kb, const char *perms, const char *name)
{
	build_add(&snap[side], (struct mapping){ start, kb, perms, name, PLAIN, .eligible = 0,
						 .inode = name && *name == '/' ? 7 : 0 });
}

static size_t count(enum match_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < match.n; i++)
		n += match.row[i].kind == kind;
	return n;
}

static const struct match_row *first(enum match_kind kind)
{
	for (size_t i = 0; i < match.n; i++)
		if (match.row[i].kind == kind)
			return &match.row[i];
	fail_msg("no row %s", match_kind_names[kind]);
	return NULL;
}

/* ---- names ---- */

static void plain_names(void **state)
{
	static const struct {
		const char *name, *plain;
	} rows[] = {
		{ "", "" },
		{ "[heap]", "[heap]" },
		{ "[stack:1234]", "[stack:]" },
		{ "/usr/lib/libc-2.36.so", "/usr/lib/libc-..so" },
		{ "/usr/lib/libc.so.6 (deleted)", "/usr/lib/libc.so." },
		{ "/memfd:x (deleted) (deleted)", "/memfd:x (deleted)" },
		{ "/SYSV00005eed (deleted)", "/SYSV" },
		{ "/tmp/deadbeef01/x", "/tmp//x" },
		{ "/tmp/deadbee/x", "/tmp/deadbee/x" },
		{ "/tmp/dead77f/x", "/tmp/deadf/x" },
		{ "/proc/self/fd/12", "/proc/self/fd/" },
		{ "DEADBEEFDEADBEEF", "" },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_slice(match_plain_name(slice_str(rows[i].name), buf), rows[i].plain);
}

/* ---- is it the same process? ---- */

static void half_of_the_ranges(void **state)
{
	(void)state;
	for (int equal = 0; equal <= 4; equal++) {
		for (int i = 0; i < 4; i++) {
			add(BEFORE, AT(16 * i), 4, "rw-p", "");
			add(AFTER, i < equal ? AT(16 * i) : AT(16 * i + 8), 4, "rw-p", "");
		}
		run(MATCH_AUTO);
		assert_int_equal(match.by_address,
				 equal > 2); /* more than half of the longer dump's */
		stop();
	}
	add(BEFORE, AT(0), 4, "rw-p", "");
	for (int i = 0; i < 3; i++)
		add(AFTER, AT(16 * i), 4, "rw-p", "");
	run(MATCH_AUTO);
	assert_false(match.by_address);
	stop();
}

static void by_its_ids(void **state)
{
	static const struct {
		int64_t pid;
		uint64_t ticks;
		const char *boot;
		bool same;
	} rows[] = {
		{ 17, 99, "b", true }, { 18, 99, "b", false }, { 17, 98, "b", false },
		{ 17, 99, "c", false }, { 17, 99, "", false },  { 17, 0, "b", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		add(BEFORE, AT(0), 4, "rw-p", "");
		add(AFTER, AT(16), 4, "rw-p", "");
		for (int s = 0; s < SIDES; s++) {
			snap[s].has_process = true;
			snap[s].process = (struct process_info){ .pid = 17, .start_ticks = 99 };
			snap[s].system.boot_id = SLICE("b");
		}
		snap[AFTER].process =
			(struct process_info){ .pid = rows[i].pid, .start_ticks = rows[i].ticks };
		snap[AFTER].system.boot_id = slice_str(rows[i].boot);
		run(MATCH_AUTO);
		assert_int_equal(match.by_address, rows[i].same);
		stop();
	}
}

/* One process by its ids, with a file, the heap and the stack; `shift` pages away on the second side. */
static void run_image(const char *const file[SIDES], const char *const inode[SIDES], uint64_t shift)
{
	for (int s = 0; s < SIDES; s++) {
		uint64_t off = s == AFTER ? shift : 0;

		add(s, AT(off), 4, "r-xp", file[s]);
		snap[s].smaps.vma[0].inode = (uint64_t)inode[s][0];
		add(s, AT(16 + off), 4, "rw-p", "[heap]");
		add(s, AT(32 + off), 4, "r-xp", "/lib/libc.so.6");
		snap[s].smaps.vma[2].inode = 1;
		add(s, AT(64 + off), 4, "rw-p", "[stack]");
		snap[s].has_process = true;
		snap[s].process = (struct process_info){ .pid = 17, .start_ticks = 99 };
		snap[s].system.boot_id = SLICE("b");
	}
	run(MATCH_AUTO);
}

/* After an exec only equal ranges make addresses mean anything. */
static void after_an_exec(void **state)
{
	static const struct {
		const char *file[SIDES], *inode[SIDES];
		uint64_t shift;
		bool exec;
		enum match_basis basis;
	} rows[] = {
		{ { "/bin/a", "/bin/a" }, { "a", "a" }, 0, false, BASIS_PROCESS },
		{ { "/bin/a", "/bin/b" }, { "a", "b" }, 0, true, BASIS_RANGES },
		{ { "/bin/a", "/bin/b" }, { "a", "b" }, 100, true, BASIS_EXEC },
		{ { "/bin/a", "/bin/a" }, { "a", "a" }, 100, true, BASIS_EXEC },
		{ { "/bin/a", "/bin/b" }, { "a", "a" }, 0, false, BASIS_PROCESS },
		{ { "/bin/a", "/bin/a (deleted)" }, { "a", "a" }, 0, false, BASIS_PROCESS },
		{ { "/bin/a", "/bin/a" }, { "a", "b" }, 0, false, BASIS_PROCESS },
		{ { "/bin/a", "/lib/libc.so.6" }, { "a", "b" }, 0, false, BASIS_PROCESS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		run_image(rows[i].file, rows[i].inode, rows[i].shift);
		assert_int_equal(match.exec, rows[i].exec);
		assert_int_equal(match.basis, rows[i].basis);
		assert_int_equal(match.by_address, rows[i].basis != BASIS_EXEC);
		assert_false(match.other);
		stop();
	}
}

/* ---- by address, by hand ---- */

static void kinds_by_address(void **state)
{
	(void)state;
	add(BEFORE, AT(0), 8192, "rw-p", "");	 /* stays */
	add(AFTER, AT(0), 8192, "rw-p", "");
	add(BEFORE, AT(16), 8192, "rw-p", "");	 /* cut in three */
	add(AFTER, AT(16), 2048, "rw-p", "");
	add(AFTER, AT(18), 2048, "r--p", "");
	add(AFTER, AT(20), 4096, "rw-p", "");
	add(BEFORE, AT(32), 2048, "r--p", "");	 /* two become one that is larger */
	add(BEFORE, AT(34), 2048, "rw-p", "");
	add(AFTER, AT(32), 8192, "rw-p", "");
	add(BEFORE, AT(48), 4096, "rw-p", "");	 /* grows at its front and its end */
	add(AFTER, AT(47), 8192, "rw-p", "");
	add(BEFORE, AT(64), 4096, "rw-p", "");	 /* moves */
	add(AFTER, AT(80), 4096, "rw-p", "");
	add(BEFORE, AT(96), 4096, "rwxp", "");	 /* goes */
	add(AFTER, AT(112), 4096, "rw-p", "/new"); /* comes */
	run(MATCH_ADDRESS);
	assert_int_equal(match.n, 7);
	for (int k = 0; k < MATCH_POOL; k++)
		assert_int_equal(count((enum match_kind)k), 1);
	assert_int_equal(first(MATCH_SPLIT)->n[AFTER], 3);
	assert_int_equal(first(MATCH_MERGED)->n[BEFORE], 2);
	assert_true(first(MATCH_MOVED)->identity);
	assert_false(first(MATCH_RESIZED)->identity);
	stop();
}

/* Between the parts of a mapping that was cut others may lie, of another kind. */
static void cut_by_another_kind(void **state)
{
	(void)state;
	add(BEFORE, AT(0), 8192, "rw-p", "");
	add(AFTER, AT(0), 2048, "rw-p", "");
	add(AFTER, AT(2), 2048, "r--p", "/file");
	add(AFTER, AT(4), 4096, "rw-p", "");
	run(MATCH_ADDRESS);
	assert_int_equal(first(MATCH_SPLIT)->n[AFTER], 2);
	assert_int_equal(count(MATCH_ADDED), 1);
	assert_int_equal(match.n, 2);
	stop();
}

/* A region grows into its reservation, and another is opened in the middle. */
static void reservations_are_no_memory(void **state)
{
	(void)state;
	add(BEFORE, AT(0), 8192, "rw-p", "");
	build_add(&snap[BEFORE],
		  (struct mapping){ AT(8), 65536, "---p", .flags = PLAIN, .eligible = 0 });
	add(AFTER, AT(0), 16384, "rw-p", "");
	build_add(&snap[AFTER],
		  (struct mapping){ AT(16), 16384, "---p", .flags = PLAIN, .eligible = 0 });
	add(AFTER, AT(32), 4096, "rw-p", "");
	build_add(&snap[AFTER],
		  (struct mapping){ AT(36), 36864, "---p", .flags = PLAIN, .eligible = 0 });
	run(MATCH_ADDRESS);
	assert_int_equal(match.n, 3);
	assert_int_equal(count(MATCH_RESIZED), 1);
	assert_int_equal(first(MATCH_SPLIT)->n[AFTER], 2);
	assert_int_equal(count(MATCH_ADDED), 1);
	stop();
	/* Opened as a whole it is the same mapping; with memory in it, it is none. */
	build_add(&snap[BEFORE],
		  (struct mapping){ AT(0), 4096, "---p", .flags = PLAIN, .eligible = 0 });
	add(BEFORE, AT(16), 8192, "rw-p", "");
	add(AFTER, AT(0), 4096, "rw-p", "");
	add(AFTER, AT(16), 4096, "rw-p", "");
	build_add(&snap[AFTER],
		  (struct mapping){ AT(20), 4, "---p", .flags = PLAIN, .rss = 4, .eligible = 0 });
	run(MATCH_ADDRESS);
	assert_int_equal(match.n, 2);
	assert_int_equal(count(MATCH_SAME), 1);
	assert_int_equal(first(MATCH_SPLIT)->n[AFTER], 2);
	stop();
}

static void as_many_as_before_is_merged(void **state)
{
	(void)state;
	add(BEFORE, AT(0), 4096, "rw-p", "");
	add(BEFORE, AT(4), 4096, "rw-p", "");
	add(AFTER, AT(0), 6144, "rw-p", "");
	add(AFTER, AT(6), 2048, "rw-p", "");
	run(MATCH_ADDRESS);
	assert_int_equal(first(MATCH_MERGED)->n[BEFORE], 2);
	assert_int_equal(match.n, 1);
	stop();
}

/* ---- by identity, by hand ---- */

static void equal_sizes_first(void **state)
{
	static const uint64_t kb[SIDES][4] = { { 100, 200, 300, 100 }, { 300, 100, 500, 100 } };
	/* 100 and 100 and 300 find their equals, 200 gets 500. */
	static const int partner[4] = { 1, 2, 0, 3 };

	(void)state;
	for (int s = 0; s < SIDES; s++)
		for (uint64_t i = 0; i < 4; i++)
			add(s, AT(16 * i), kb[s][i], "rw-p", "");
	run(MATCH_IDENTITY);
	assert_int_equal(match.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(match_member(&match, &match.row[i], AFTER, 0), partner[i]);
	assert_int_equal(count(MATCH_SAME), 3);
	assert_int_equal(count(MATCH_RESIZED), 1);
	stop();
}

static void only_with_its_like(void **state)
{
	(void)state;
	add(BEFORE, AT(0), 4, "r-xp", "/usr/lib/libx-1.2.so");
	add(BEFORE, AT(16), 4, "rw-p", "/usr/lib/libx-1.2.so");
	add(BEFORE, AT(32), 4, "rw-p", "");
	add(AFTER, AT(0), 4, "rw-p", "[heap]");
	add(AFTER, AT(16), 4, "r-xp", "/usr/lib/libx-1.3.so (deleted)");
	add(AFTER, AT(32), 4, "rw-p", "/usr/lib/liby.so");
	run(MATCH_IDENTITY);
	assert_int_equal(count(MATCH_SAME), 1);
	assert_int_equal(count(MATCH_REMOVED), 2);
	assert_int_equal(count(MATCH_ADDED), 2);
	assert_int_equal(match_member(&match, first(MATCH_SAME), AFTER, 0), 1);
	stop();
}

/* ---- random tables against plain pairing ---- */

static const char *const names[] = { "",	 "[heap]",  "/lib/a-1.so", "/lib/a-2.so",
				     "/memfd:x", "[anon:y]" };
static const char *const perms[] = { "rw-p", "r--p", "r-xp" };

static void random_table(int side, uint64_t *seed)
{
	uint64_t at = AT(0), n = test_below(seed, 30);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t kb = 4 + 4 * test_below(seed, 6);

		at += 4096 * test_below(seed, 5);
		add(side, at, kb, perms[test_below(seed, 3)], names[test_below(seed, 6)]);
		at += kb << 10;
	}
}

static bool overlap(const struct vma *b, const struct vma *a)
{
	return match_group_of[b->class] == match_group_of[a->class] && b->start < a->end &&
	       a->start < b->end;
}

/* Labels mappings that hang together by overlaps, by going round until nothing changes. */
static void components(int *label[SIDES])
{
	const struct smaps *b = &snap[BEFORE].smaps, *a = &snap[AFTER].smaps;
	bool moved = true;

	for (size_t i = 0; i < b->n; i++)
		label[BEFORE][i] = (int)i;
	for (size_t j = 0; j < a->n; j++)
		label[AFTER][j] = (int)(b->n + j);
	while (moved) {
		moved = false;
		for (size_t i = 0; i < b->n; i++) {
			for (size_t j = 0; j < a->n; j++) {
				int *x = &label[BEFORE][i], *y = &label[AFTER][j];

				if (*x == *y || !overlap(&b->vma[i], &a->vma[j]))
					continue;
				*x = *y = *x < *y ? *x : *y;
				moved = true;
			}
		}
	}
}

static size_t labelled(const int *label, size_t n, int want)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += label[i] == want;
	return found;
}

static void check_components(void)
{
	int *label[SIDES];

	for (int s = 0; s < SIDES; s++)
		label[s] = mem_array(snap[s].smaps.n, sizeof(int));
	components(label);
	for (size_t i = 0; i < match.n; i++) {
		const struct match_row *r = &match.row[i];

		for (int s = 0; s < SIDES && !r->identity; s++) {
			int want = label[BEFORE][match_member(&match, r, BEFORE, 0)];

			assert_int_equal(labelled(label[s], snap[s].smaps.n, want), r->n[s]);
			for (uint32_t k = 0; k < r->n[s]; k++)
				assert_int_equal(label[s][match_member(&match, r, s, k)], want);
		}
		/* What was left to identity overlapped nothing. */
		for (int s = 0; s < SIDES && r->identity; s++)
			for (uint32_t k = 0; k < r->n[s]; k++)
				assert_int_equal(labelled(label[!s], snap[!s].smaps.n,
							  label[s][match_member(&match, r, s, k)]),
						 0);
	}
	mem_free(label[BEFORE]);
	mem_free(label[AFTER]);
}

static bool alike(const struct vma *b, const struct vma *a, bool with_size)
{
	char plain[SIDES][64];
	struct slice x = match_plain_name(snap[BEFORE].smaps.names[b->name], plain[BEFORE]);
	struct slice y = match_plain_name(snap[AFTER].smaps.names[a->name], plain[AFTER]);

	return slice_eq(x, y) && !memcmp(b->perms, a->perms, 4) &&
	       match_group_of[b->class] == match_group_of[a->class] &&
	       (!with_size || b->end - b->start == a->end - a->start);
}

/* Each of before in order takes the first of after that is alike and free; equal sizes first. */
static void check_identity(void)
{
	const struct smaps *b = &snap[BEFORE].smaps, *a = &snap[AFTER].smaps;
	size_t *partner = mem_array(b->n, sizeof(*partner)); /* 1-based */
	bool *taken = mem_array(a->n, sizeof(*taken));

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < b->n; i++)
			for (size_t j = 0; j < a->n && !partner[i]; j++)
				if (!taken[j] && alike(&b->vma[i], &a->vma[j], round == 0)) {
					taken[j] = true;
					partner[i] = j + 1;
				}
	for (size_t r = 0; r < match.n; r++) {
		const struct match_row *x = &match.row[r];

		if (x->n[BEFORE] && x->n[AFTER])
			assert_int_equal(partner[match_member(&match, x, BEFORE, 0)],
					 match_member(&match, x, AFTER, 0) + 1);
		else if (x->n[BEFORE])
			assert_int_equal(partner[match_member(&match, x, BEFORE, 0)], 0);
		else
			assert_false(taken[match_member(&match, x, AFTER, 0)]);
	}
	mem_free(partner);
	mem_free(taken);
}

/* Every mapping stands in one row and no more. */
static void check_once(void)
{
	for (int s = 0; s < SIDES; s++) {
		unsigned *seen = mem_array(snap[s].smaps.n, sizeof(*seen));

		for (size_t i = 0; i < match.n; i++)
			for (uint32_t k = 0; k < match.row[i].n[s]; k++)
				seen[match_member(&match, &match.row[i], s, k)]++;
		for (size_t i = 0; i < snap[s].smaps.n; i++)
			assert_int_equal(seen[i], 1);
		mem_free(seen);
	}
}

static void random_tables(void **state)
{
	uint64_t seed = 4;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		random_table(BEFORE, &seed);
		random_table(AFTER, &seed);
		run(MATCH_IDENTITY);
		check_once();
		check_identity();
		run(MATCH_ADDRESS);
		check_once();
		check_components();
		stop();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_names),
		cmocka_unit_test(half_of_the_ranges),
		cmocka_unit_test(by_its_ids),
		cmocka_unit_test(after_an_exec),
		cmocka_unit_test(kinds_by_address),
		cmocka_unit_test(cut_by_another_kind),
		cmocka_unit_test(reservations_are_no_memory),
		cmocka_unit_test(as_many_as_before_is_merged),
		cmocka_unit_test(equal_sizes_first),
		cmocka_unit_test(only_with_its_like),
		cmocka_unit_test(random_tables),
	};

	snap[BEFORE].process.pid = snap[AFTER].process.pid = -1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
