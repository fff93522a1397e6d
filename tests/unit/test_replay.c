/* SPDX-License-Identifier: MIT */
/* What a recording says, read back, is what was seen. */
#include <malloc.h>
#include <math.h>

#include "model/carry.h"
#include "model/replay.h"
#include "parse/json_read.h"
#include "report/tick_json.h"
#include "test.h"

struct seen {
	struct snapshot snap;
	struct model m;
	struct findings findings;
};

static void judge(struct seen *x)
{
	x->snap.has_smaps = true;
	model_init(&x->m, &x->snap, &(struct model_options){ 0 });
	findings_make(&x->m, &x->findings);
}

static void see(struct seen *x, const char *fixture)
{
	char path[128];
	struct err e;

	*x = (struct seen){ 0 };
	snprintf(path, sizeof(path), "tests/fixtures/kernel-6.18/%s.smaps", fixture);
	assert_int_equal(
		smaps_parse(test_file(&x->snap.arena, path), (struct smaps_options){ 0 }, &x->snap.smaps, &e), 0);
	x->snap.source = (struct source_info){ .kind = KIND_PROCESS, .pid = 7, .complete = true };
	x->snap.has_process = true;
	x->snap.process = (struct process_info){
		.pid = 7, .comm = SLICE("demo"), .start_ticks = 5, .thp_disabled = 0
	};
	thp_settings_add(&x->snap.system.thp, &x->snap.arena, SLICE("enabled"),
			 SLICE("always [madvise] never"));
	thp_settings_add(&x->snap.system.thp, &x->snap.arena, SLICE("hpage_pmd_size"),
			 SLICE("2097152"));
	x->snap.system.has_thp = true;
	x->snap.system.has_vmstat = true;
	assert_int_equal(
		vmstat_parse(SLICE("nr_free_pages 5\nthp_fault_alloc 103\nthp_split_pmd 9\n"),
			     &x->snap.arena, false, &x->snap.system.vmstat, &e),
		0);
	judge(x);
}

static void forget(struct seen *x)
{
	findings_free(&x->findings);
	model_free(&x->m);
	snapshot_free(&x->snap);
}

static struct sample sample_of(uint64_t n)
{
	return (struct sample){ .n = n,
				.time_ns =
					INT64_C(1767268841123) * 1000000 + (int64_t)n * 1000000000,
				.elapsed_ns = (int64_t)(n - 1) * 1000000000,
				.interval_ns = 1000000000,
				.cost_ns = 312000,
				.full_cost_ns = 312000,
				.full_every = 1 };
}

static void note(struct rates *r, uint64_t n)
{
	rates_begin(r, (int64_t)(n - 1) * 1000000000);
	rates_note(r, "vmstat", SLICE("thp_fault_alloc"), 100 + 3 * n, false);
	rates_note(r, "vmstat", SLICE("thp_split_pmd"), 9, false);
	rates_note(r, "meminfo", SLICE("AnonHugePages"), 2048 * n, true);
	rates_end(r, false);
}

static struct slice line_of(struct out *o, const struct seen *x, const struct sample *s,
			    const struct rates *r, const struct seen *before)
{
	out_reset(o);
	tick_json(o, &(struct tick_view){ .s = s, .m = &x->m, .findings = &x->findings, .rates = r,
					  .before = before ? &before->m : NULL });
	return slice_rtrim(out_slice(o));
}

static void same_mappings(const struct smaps *a, const struct smaps *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		assert_true(same_vma(a, i, b, i));
}

/* Four moments of different processes, as if one had changed so much: forth and back. */
static void test_round_trip(void **state)
{
	(void)state;
	static const char *const order[] = {
		"16-loss-before",    "16-loss-after", "16-loss-after",
		"08-odd-file-names", "01-aligned",    "16-loss-before"
	};
	struct rates written = { 0 }, read = { 0 };
	struct seen now[2], then[2];
	struct err e;
	struct out o;

	out_memory(&o);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		struct seen *a = &now[i % 2], *b = &then[i % 2];
		struct sample s = sample_of(i + 1), t;

		see(a, order[i]);
		a->snap.source.time_ns = s.time_ns;
		note(&written, i + 1);
		struct slice line = line_of(&o, a, &s, &written, i ? &now[1 - i % 2] : NULL);
		assert_null(memchr(line.p, '\n', line.n)); /* one line it is */
		*b = (struct seen){ 0 };
		int status =
			i ? replay_tick(line, i + 1, &then[1 - i % 2].snap, &b->snap, &t, &read, &e)
			  : replay_full(line, i + 1, &b->snap, &t, &read, &e);
		if (status)
			print_error("%s at %lu:%lu\n", e.text, e.line, e.column);
		assert_int_equal(status, 0);
		same_mappings(&a->snap.smaps, &b->snap.smaps);
		assert_true(t.n == s.n && t.time_ns == s.time_ns && t.elapsed_ns == s.elapsed_ns);
		assert_true(t.cost_ns == 312000 && t.look == LOOK_FULL && t.target == TARGET_RUNS &&
			    !t.exec);
		assert_true(slice_eq_str(b->snap.process.comm, "demo") &&
			    b->snap.process.start_ticks == 5);
		judge(b);
		assert_int_equal(b->m.policy, POLICY_MADVISE);
		assert_int_equal(b->findings.n, a->findings.n);
		uint64_t alloc = 0; /* the state is that of its moment in all its parts */
		assert_true(keyvals_get(&b->snap.system.vmstat, "thp_fault_alloc", &alloc));
		assert_int_equal(alloc, 103 + 3 * i);
		assert_memory_equal(&a->m.totals, &b->m.totals, sizeof(a->m.totals));
		if (i) {
			forget(&now[1 - i % 2]);
			forget(&then[1 - i % 2]);
		}
		/* An unchanged moment is a short line. */
		if (i == 2)
			assert_true(line.n < 2500);
	}
	forget(&now[1]);
	forget(&then[1]);
	assert_int_equal(rates_find(&read, "vmstat.thp_fault_alloc")->value, 118);
	assert_true(rates_find(&read, "vmstat.thp_fault_alloc")->per_s == 3);
	assert_true(rates_find(&read, "vmstat.thp_split_pmd")->per_s == 0);
	rates_free(&written);
	rates_free(&read);
	out_close(&o);
}

/* Whatever a look was, and how the target was, comes back. */
static void test_sample(void **state)
{
	(void)state;
	struct rates r = { 0 };
	struct seen a;
	struct err e;
	struct out o;

	out_memory(&o);
	see(&a, "01-aligned");
	struct sample s = sample_of(1);
	note(&r, 1);
	for (int look = 0; look < LOOKS; look++) {
		for (int target = 0; target < TARGET_STATES; target++) {
			struct snapshot back = { 0 };
			struct sample t;

			s.look = (enum look)look;
			s.target = (enum target_state)target;
			s.exec = target & 1;
			s.full_every = 9;
			s.full_age = 4;
			s.rollup_known = look == LOOK_ROLLUP;
			s.rollup_huge_kb = 2048;
			s.rollup_rss_kb = 4096;
			struct slice line = line_of(&o, &a, &s, &r, &a);
			assert_int_equal(replay_tick(line, 1, &a.snap, &back, &t, &r, &e), 0);
			assert_true(t.look == s.look && t.target == s.target && t.exec == s.exec);
			assert_true(t.full_every == 9 && t.full_age == 4 &&
				    t.rollup_known == s.rollup_known);
			assert_true(!t.rollup_known ||
				    (t.rollup_huge_kb == 2048 && t.rollup_rss_kb == 4096));
			snapshot_free(&back);
		}
	}
	forget(&a);
	rates_free(&r);
	out_close(&o);
}

static void test_kinds(void **state)
{
	(void)state;
	int64_t ns;

	assert_int_equal(
		replay_kind(
			SLICE("{\"schema\":\"hugecov.tick/1\",\"time\":\"1970-01-01T00:00:01Z\"}"),
			&ns),
		REPLAY_TICK);
	assert_int_equal(ns, 1000000000);
	assert_int_equal(replay_kind(SLICE("{ \"schema\" : \"hugecov.report/1\", \"source\""), &ns),
			 REPLAY_FULL);
	assert_int_equal(ns, -1);
	assert_int_equal(replay_kind(SLICE("{\"schema\":\"hugecov.diff/1\"}"), &ns), REPLAY_OTHER);
	assert_int_equal(replay_kind(SLICE("{\"schema\":7}"), &ns), REPLAY_OTHER);
	assert_int_equal(replay_kind(SLICE("{\"schema\""), &ns), REPLAY_OTHER);
	assert_int_equal(replay_kind(SLICE(""), &ns), REPLAY_OTHER);
	assert_int_equal(replay_kind(SLICE("7f00-7f01 rw-p"), &ns), REPLAY_OTHER);
}

/* Lines that are none are told by number and place, and nothing of them stays. */
static void test_faults(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"{\"schema\":\"hugecov.tick/2\"}",
		"{\"schema\":\"hugecov.tick/1\",\"time\":\"noon\"}",
		"{\"schema\":\"hugecov.tick/1\",\"tick\":[]}",
		"{\"schema\":\"hugecov.tick/1\",\"tick\":{\"n\":-1}}",
		"{\"schema\":\"hugecov.tick/1\",\"tick\":{\"interval_ms\":0}}",
		"{\"schema\":\"hugecov.tick/1\",\"vmstat\":{\"thp_fault_alloc\":\"many\"}}",
		"{\"schema\":\"hugecov.tick/1\",\"vmstat\":{\"thp_a\\\":1,\\\"pid\":7}}",
		"{\"schema\":\"hugecov.tick/1\",\"vmstat\":{\"thp_\\u001b[31m\":7}}",
		"{\"schema\":\"hugecov.tick/1\",\"meminfo\":{\"\":7}}",
		"{\"schema\":\"hugecov.tick/1\",\"vmas\":[{\"start\":\"0x2000\",\"end\":\"0x1000\",\"perms\":\"rw-p\"}]}",
		"{\"schema\":\"hugecov.tick/1\",\"gone\":[12]}",
	};
	struct rates r = { 0 };
	struct seen a;

	see(&a, "01-aligned");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct snapshot back = { 0 };
		struct sample s;
		struct err e = { 0 };

		if (!replay_tick(slice_str(bad[i]), 42, &a.snap, &back, &s, &r, &e))
			print_error("taken: %s\n", bad[i]);
		else
			assert_true(e.text[0] && (e.line == 42 || e.line == 0));
		assert_true(e.text[0]);
		snapshot_free(&back);
	}
	forget(&a);
	rates_free(&r);
}

/* New mappings over old ones, and gone ones that were never there: no overlap comes out. */
static void test_odd_changes(void **state)
{
	(void)state;
	static const char line[] = "{\"schema\":\"hugecov.tick/1\",\"vmas\":["
				   "{\"start\":\"0x1000\",\"end\":\"0x5000\",\"perms\":\"rw-p\"},"
				   "{\"start\":\"0x9000\",\"end\":\"0xa000\",\"perms\":\"rw-p\"}],"
				   "\"gone\":[\"0x77000\",\"0x7000\",\"0xc000\",\"0x6000\"],\"news\":1}";
	static const struct {
		uint64_t start, end;
	} old[] = { { 0x2000, 0x3000 },
		    { 0x4000, 0x6000 },
		    { 0x7000, 0x8000 },
		    { 0x8000, 0x9800 },
		    { 0xb000, 0xc000 },
		    { 0xc000, 0xd000 } };
	struct snapshot before = { 0 }, back = { 0 };
	struct rates r = { 0 };
	struct sample s;
	struct err e;

	for (size_t i = 0; i < sizeof(old) / sizeof(*old); i++) {
		struct vma *v = smaps_add(&before.smaps);

		v->start = old[i].start;
		v->end = old[i].end;
		memcpy(v->perms, "rw-p", 4);
	}
	assert_int_equal(replay_tick(slice_str(line), 1, &before, &back, &s, &r, &e), 0);
	assert_int_equal(back.smaps.n, 3);
	assert_int_equal(back.smaps.vma[0].start, 0x1000);
	assert_int_equal(back.smaps.vma[1].start, 0x9000);
	assert_int_equal(back.smaps.vma[2].start, 0xb000);
	snapshot_free(&before);
	snapshot_free(&back);
	rates_free(&r);
}

/* A counter is one member of a line, whatever it is called. */
static void test_odd_counter(void **state)
{
	(void)state;
	struct sample s = sample_of(2);
	struct rates r = { 0 };
	struct seen a;
	struct json_doc d;
	struct err e;
	struct out o;

	out_memory(&o);
	see(&a, "01-aligned");
	rates_begin(&r, 0);
	rates_note(&r, "vmstat", SLICE("thp_a\":1,\"x\033"), 5, false);
	rates_end(&r, false);
	struct slice line = line_of(&o, &a, &s, &r, &a);
	assert_null(memchr(line.p, '\033', line.n));
	assert_int_equal(json_read(line, 1, &d, &e), 0);
	const struct json_value *list = json_find(d.root, "vmstat");
	assert_int_equal(json_count(list), 1);
	assert_true(slice_eq_str(json_key_of(json_first(list)), "thp_a\":1,\"x\033"));
	json_doc_free(&d);
	forget(&a);
	rates_free(&r);
	out_close(&o);
}

/* Four times as many samples need as much memory, once the caches of malloc are full: it counts them as used. */
static void test_memory_is_flat(void **state)
{
	(void)state;
	static char lines[2][1 << 20];
	size_t n[2], used[2] = { 0 };
	struct seen side[2], now = { 0 };
	struct rates written = { 0 }, read = { 0 };
	struct sample s;
	struct err e;
	struct out o;

	out_memory(&o);
	see(&side[0], "16-loss-before");
	see(&side[1], "16-loss-after");
	for (int i = 0; i < 2; i++) {
		struct sample t = sample_of(2);

		note(&written, (uint64_t)i + 2);
		struct slice line = line_of(&o, &side[i], &t, &written, &side[1 - i]);
		memcpy(lines[i], line.p, line.n);
		n[i] = line.n;
	}
	struct sample t = sample_of(1);
	struct slice first = line_of(&o, &side[1], &t, &written, NULL);
	assert_int_equal(replay_full(first, 1, &now.snap, &s, &read, &e), 0);
	for (int i = 0; i < 8000; i++) {
		struct seen next = { 0 };

		assert_int_equal(replay_tick(slice_of(lines[i % 2], n[i % 2]), 2, &now.snap,
					     &next.snap, &s, &read, &e),
				 0);
		forget(&now);
		now = next;
		/* The model's pointers were of the copy that moved. */
		model_init(&now.m, &now.snap, &(struct model_options){ 0 });
		model_totals(&now.m);
		if (i == 1999 || i == 7999)
			used[i == 7999] = mallinfo2().uordblks;
	}
	assert_true(used[1] <= used[0] + 4096);
	forget(&now);
	forget(&side[0]);
	forget(&side[1]);
	rates_free(&written);
	rates_free(&read);
	out_close(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_sample),
		cmocka_unit_test(test_kinds),	   cmocka_unit_test(test_faults),
		cmocka_unit_test(test_odd_changes), cmocka_unit_test(test_odd_counter),
		cmocka_unit_test(test_memory_is_flat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
