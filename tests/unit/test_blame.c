/* SPDX-License-Identifier: MIT */
/* Findings joined, alike mappings as one row, sets of processes, ranks. */
#include "test.h"

#include "model/blame.h"
#include "model/rank.h"
#include "model/runtime.h"
#include "model/set.h"
#include "model_build.h"

struct one {
	struct snapshot snap;
	struct model m;
	struct findings f;
};

static void start(struct one *x)
{
	*x = (struct one){ .snap = { .source = { .pid = -1, .time_ns = -1 } } };
	build_policy(&x->snap, MADVISE_HOST, SHMEM_NEVER);
}

static void judge(struct one *x)
{
	model_init(&x->m, &x->snap, &(struct model_options){ 0 });
	findings_make(&x->m, &x->f);
}

static void end(struct one *x)
{
	findings_free(&x->f);
	model_free(&x->m);
	snapshot_free(&x->snap);
}

static struct blame blame_one(const struct one *x, bool all)
{
	struct blame b;

	blame_make(&b, &(struct blame_member){ &x->m, &x->f }, 1, (struct blame_options){ .all = all });
	return b;
}

/* A header page is the reason for misplacement: one cause, counted once. */
static void joined(void **state)
{
	(void)state;
	struct one x;

	start(&x);
	build_add(&x.snap, (struct mapping){ AT(1), 131076, .flags = ADVISED, .rss = 131072, .huge = 129024, .eligible = 1 });
	judge(&x);
	assert_int_equal(x.f.n, 2);
	struct blame b = blame_one(&x, false);
	assert_int_equal(b.causes_n, 1);
	assert_int_equal(b.causes[0].finding, FINDING_HEADER_PAGE);
	assert_int_equal(b.causes[0].advice, ADVICE_FEWER_BYTES);
	assert_int_equal(b.causes[0].lost_kb, 2048);
	assert_int_equal(b.rows_n, 1);
	assert_int_equal(b.rows[0].cost_kb, 2048);
	blame_free(&b);
	end(&x);
}

/* 300 equal mappings and one other: two causes, two rows. */
static void equal_ones(void **state)
{
	(void)state;
	struct one x;

	start(&x);
	for (unsigned i = 0; i < 300; i++)
		build_add(&x.snap, (struct mapping){ AT(16 * i), 4096, .flags = PLAIN, .rss = 4096, .eligible = 0 });
	build_add(&x.snap, (struct mapping){ AT(16 * 300) + 4096, 8192, .flags = ADVISED, .rss = 8192, .huge = 6144, .eligible = 1 });
	judge(&x);
	assert_int_equal(x.f.n, 301);
	struct blame b = blame_one(&x, false);
	assert_int_equal(b.causes_n, 2);
	assert_int_equal(b.causes[0].finding, FINDING_NEEDS_ADVICE);
	assert_int_equal(b.causes[0].mappings, 300);
	assert_int_equal(b.causes[0].lost_kb, 300 * 4096);
	assert_int_equal(b.causes[1].finding, FINDING_MISALIGNED);
	assert_int_equal(b.rows_n, 2);
	assert_int_equal(b.rows[0].mappings, 300);
	assert_int_equal(b.rows[0].size_kb, 300 * 4096);
	assert_int_equal(b.rows[0].slots_fit, 600);
	assert_int_equal(b.mappings_shown, 301);
	uint8_t *each = blame_of_mappings(&b, &(struct blame_member){ &x.m, &x.f }, (struct blame_options){ 0 });
	assert_int_equal(each[0], 0);
	assert_int_equal(each[300 * ROW_CAUSES], 1);
	assert_int_equal(each[1], NO_CAUSE);
	mem_free(each);
	blame_free(&b);
	end(&x);
}

/* Many rows of different sizes find their likes again when the table of rows grows. */
static void many_sizes(void **state)
{
	(void)state;
	struct one x;

	start(&x);
	for (unsigned i = 0; i < 2000; i++)
		build_add(&x.snap, (struct mapping){ AT(1024 * i), 4096 + 4 * (i % 500), .flags = PLAIN, .rss = 4096, .eligible = 0 });
	judge(&x);
	struct blame b = blame_one(&x, false);
	assert_int_equal(b.rows_n, 500);
	for (size_t i = 0; i < b.rows_n; i++)
		assert_int_equal(b.rows[i].mappings, 4);
	blame_free(&b);
	end(&x);
}

static void what_is_hidden(void **state)
{
	(void)state;
	struct one x;

	start(&x);
	build_add(&x.snap, (struct mapping){ AT(1), 4096, .name = "[heap]", .flags = ADVISED, .rss = 4, .eligible = 1 });
	build_add(&x.snap, (struct mapping){ AT(32) + 4096, 8192, .flags = ADVISED, .rss = 16, .eligible = 1 });
	judge(&x);
	/* Nothing costs anything: what is low is shown, what is info is not. */
	struct blame b = blame_one(&x, false);
	assert_int_equal(b.causes_n, 1);
	assert_int_equal(b.hidden_info, 1);
	assert_int_equal(b.hidden_vma, 0);
	blame_free(&b);
	b = blame_one(&x, true);
	assert_int_equal(b.causes_n, 2);
	assert_int_equal(b.hidden_info + b.hidden_free + b.hidden_possible, 0);
	blame_free(&b);
	end(&x);
	/* Another costs something: what costs nothing steps back. */
	start(&x);
	build_add(&x.snap, (struct mapping){ AT(0), 4096, .flags = PLAIN, .rss = 4096, .eligible = 0 });
	build_add(&x.snap, (struct mapping){ AT(32) + 4096, 8192, .flags = ADVISED, .rss = 16, .eligible = 1 });
	judge(&x);
	b = blame_one(&x, false);
	assert_int_equal(b.causes_n, 1);
	assert_int_equal(b.causes[0].finding, FINDING_NEEDS_ADVICE);
	assert_int_equal(b.hidden_free, 1);
	blame_free(&b);
	end(&x);
}

/* What the policy takes from a mapping is the process's finding, and stands on the mapping's row. */
static void of_the_process(void **state)
{
	(void)state;
	struct one x = { .snap = { .source = { .pid = -1, .time_ns = -1 } } };

	build_policy(&x.snap, NEVER_HOST, SHMEM_NEVER);
	build_add(&x.snap, (struct mapping){ AT(0), 4096, .flags = PLAIN, .rss = 4096, .eligible = 0 });
	build_add(&x.snap, (struct mapping){ AT(16), 6144, .flags = PLAIN, .rss = 6144, .eligible = 0 });
	judge(&x);
	struct blame b = blame_one(&x, false);
	assert_int_equal(b.causes_n, 1);
	assert_int_equal(b.causes[0].finding, FINDING_POLICY_OFF);
	assert_int_equal(b.causes[0].lost_kb, 10240);
	assert_int_equal(b.rows_n, 2);
	assert_int_equal(b.rows[0].cause[0], 0);
	blame_free(&b);
	end(&x);
}

/* ---- sets ---- */

static void shared_memory(struct one *x, uint32_t rss, uint32_t pss)
{
	build_add(&x->snap, (struct mapping){ AT(64), 16384, .perms = "rw-s", .name = "/dev/zero (deleted)",
					      .flags = "rd wr sh mr mw me ms", .rss = rss, .inode = 9, .eligible = 0 });
	smaps_set(&x->snap.smaps, &x->snap.smaps.vma[x->snap.smaps.n - 1], SMAPS_Pss, pss);
}

static void set_counts_once(void **state)
{
	(void)state;
	struct one x[3];
	const struct model *models[3];
	struct blame_member members[3];

	for (int i = 0; i < 3; i++) {
		start(&x[i]);
		build_add(&x[i].snap, (struct mapping){ AT(0), 4096, .flags = PLAIN, .rss = 4096, .eligible = 0 });
		shared_memory(&x[i], 10240 + 4, i < 2 ? 3415 : 3414);
		judge(&x[i]);
		models[i] = &x[i].m;
		members[i] = (struct blame_member){ &x[i].m, &x[i].f };
	}
	struct set s;
	set_make(&s, models, 3);
	assert_int_equal(s.processes, 3);
	assert_int_equal(s.fall[FALL_ANON].w.policy_loss, 3 * 4096);
	/* Together the 10,244 kB that are there, of which 10,240 are whole slots. */
	const struct waterfall *w = &s.fall[FALL_SHMEM].w;
	assert_int_equal(w->rss, 10244);
	assert_int_equal(w->policy_loss, 10240);
	assert_int_equal(w->subslot, 4);
	assert_int_equal(s.fall[FALL_ALL].w.rss, 10244 + 3 * 4096);
	assert_int_equal(s.sum[TOTAL_RSS].kb, 3 * (10244 + 4096));
	assert_int_equal(s.objects_n, 1);
	assert_int_equal(s.objects[0].mapped_by, 3);
	assert_int_equal(s.objects[0].pss_kb, 10244);
	assert_int_equal(set_headline(&s), FALL_ANON);
	set_free(&s);

	struct blame b;
	blame_make(&b, members, 3, (struct blame_options){ 0 });
	assert_int_equal(b.causes_n, 2);
	assert_int_equal(b.causes[0].finding, FINDING_NEEDS_ADVICE);
	assert_int_equal(b.causes[0].processes, 3);
	assert_int_equal(b.causes[1].finding, FINDING_SHMEM_POLICY);
	assert_in_range(b.causes[1].lost_kb, 10239, 10241); /* rounded in each process */
	assert_int_equal(b.rows_n, 2);
	const struct blame_row *shared = b.rows[0].shared ? &b.rows[0] : &b.rows[1];
	assert_int_equal(shared->processes, 3);
	assert_int_equal(shared->size_kb, 16384);
	assert_int_equal(shared->slots_ideal, 8);
	blame_free(&b);
	for (int i = 0; i < 3; i++)
		end(&x[i]);
}

/* The members of each waterfall add up, whatever the numbers are. */
static void set_adds_up(void **state)
{
	(void)state;
	uint64_t seed = 7;

	for (int round = 0; round < 200; round++) {
		struct one x[5];
		const struct model *models[5];
		struct set s;

		for (int i = 0; i < 5; i++) {
			start(&x[i]);
			for (int k = 0; k < 3; k++) {
				uint32_t rss = 4 * (uint32_t)test_below(&seed, 4096);

				shared_memory(&x[i], rss, rss ? (uint32_t)test_below(&seed, rss + 1) : 0);
				x[i].snap.smaps.vma[k].inode = 20 + (uint64_t)k;
				x[i].snap.smaps.vma[k].start += (uint64_t)k << 30;
				x[i].snap.smaps.vma[k].end += (uint64_t)k << 30;
			}
			judge(&x[i]);
			models[i] = &x[i].m;
		}
		set_make(&s, models, 5);
		for (int f = 0; f < FALL_COUNT; f++) {
			const struct waterfall *w = &s.fall[f].w;

			assert_int_equal(w->rss, w->subslot + w->policy_loss + w->alignment_loss + w->delivery_loss + w->huge);
		}
		assert_int_equal(s.fall[FALL_SHMEM].w.rss, s.sum[TOTAL_PSS].kb);
		set_free(&s);
		for (int i = 0; i < 5; i++)
			end(&x[i]);
	}
}

/* ---- runtimes ---- */

static enum runtime runtime_with(const char *library, struct mapping m)
{
	struct one x;

	start(&x);
	build_add(&x.snap, (struct mapping){ 0x400000, 8, .perms = "r-xp", .name = library, .rss = 8, .inode = 3 });
	build_add(&x.snap, m);
	judge(&x);
	enum runtime r = runtime_of(&x.m, 1);
	end(&x);
	return r;
}

static void runtimes(void **state)
{
	(void)state;
	const char *libc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	struct mapping plain = { AT(0), 8192, .flags = PLAIN, .rss = 8192 };
	struct mapping block = { AT(1), 131076, .flags = PLAIN, .rss = 4 };
	struct mapping heap = { AT(0), 8192, .name = "[heap]", .flags = PLAIN };
	struct mapping arena = { AT(64), 65536, .flags = PLAIN };
	struct mapping go = { UINT64_C(0xc000000000), 65536, .flags = PLAIN };
	struct mapping shmem = { AT(0), 8192, .perms = "rw-s", .name = "/dev/zero (deleted)", .inode = 5 };

	assert_int_equal(runtime_with(libc, plain), RUNTIME_NONE);
	assert_int_equal(runtime_with(libc, block), RUNTIME_GLIBC);
	assert_int_equal(runtime_with(libc, heap), RUNTIME_GLIBC);
	assert_int_equal(runtime_with(libc, arena), RUNTIME_GLIBC);
	assert_int_equal(runtime_with("/lib/ld-musl-x86_64.so.1", block), RUNTIME_NONE);
	assert_int_equal(runtime_with("/opt/server", go), RUNTIME_GO);
	assert_int_equal(runtime_with("/usr/lib/libjemalloc.so.2", plain), RUNTIME_JEMALLOC);
	assert_int_equal(runtime_with("/usr/lib/libtcmalloc_minimal.so.4", plain), RUNTIME_TCMALLOC);
	assert_int_equal(runtime_with("/usr/lib/libmimalloc.so.2", plain), RUNTIME_MIMALLOC);
	assert_int_equal(runtime_with("/usr/lib/jvm/lib/server/libjvm.so", plain), RUNTIME_JVM);
	assert_int_equal(runtime_with("/usr/lib/postgresql/15/bin/postgres", shmem), RUNTIME_POSTGRES);
	assert_int_equal(runtime_with("/opt/postgres_exporter", shmem), RUNTIME_NONE);
	plain.name = "[anon:jemalloc_pg]";
	assert_int_equal(runtime_with("/opt/server", plain), RUNTIME_JEMALLOC);
	plain.perms = "r--p";
	plain.name = NULL;
	assert_int_equal(runtime_with("/usr/lib/libjemalloc.so.2", plain), RUNTIME_NONE);
}

/* ---- ranks ---- */

static void ranks(void **state)
{
	(void)state;
	struct ranked list[1000], sorted[1000];
	uint64_t seed = 3;

	for (size_t top = 0; top < 40; top += 3) {
		for (uint32_t i = 0; i < 1000; i++)
			list[i] = sorted[i] = (struct ranked){ test_below(&seed, 300), i };
		assert_int_equal(rank_largest(sorted, 1000, 0), 1000);
		for (size_t i = 1; i < 1000; i++)
			assert_true(sorted[i - 1].key > sorted[i].key ||
				    (sorted[i - 1].key == sorted[i].key && sorted[i - 1].index < sorted[i].index));
		size_t n = rank_largest(list, 1000, top);
		assert_int_equal(n, top ? top : 1000);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(list[i].index, sorted[i].index);
	}
}

static void rank_keys(void **state)
{
	(void)state;
	struct one x;
	uint32_t *order;

	start(&x);
	build_add(&x.snap, (struct mapping){ AT(0), 4096, .name = "[anon:b]", .flags = PLAIN, .rss = 8 });
	build_add(&x.snap, (struct mapping){ AT(8), 8192, .name = "[anon:a]", .flags = PLAIN, .rss = 4 });
	build_add(&x.snap, (struct mapping){ AT(33), 2048, .flags = ADVISED, .rss = 2048, .eligible = 0 });
	judge(&x);
	static const struct {
		enum rank_key key;
		uint32_t want[3];
	} cases[] = {
		{ RANK_COST, { 2, 0, 1 } }, { RANK_SIZE, { 1, 0, 2 } }, { RANK_RSS, { 2, 0, 1 } },
		{ RANK_SLOTS, { 2, 0, 1 } }, { RANK_ADDRESS, { 0, 1, 2 } }, { RANK_NAME, { 2, 1, 0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(rank_pick(&x.m, cases[i].key, 0, &order), 3);
		for (int k = 0; k < 3; k++)
			assert_int_equal(order[k], cases[i].want[k]);
		mem_free(order);
	}
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joined),	   cmocka_unit_test(equal_ones), cmocka_unit_test(many_sizes),
		cmocka_unit_test(what_is_hidden),  cmocka_unit_test(of_the_process), cmocka_unit_test(set_counts_once),
		cmocka_unit_test(set_adds_up),	   cmocka_unit_test(runtimes),	 cmocka_unit_test(ranks),
		cmocka_unit_test(rank_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
