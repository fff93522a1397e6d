/* SPDX-License-Identifier: MIT */
/* Losses between two snapshots: they add up, mirror, and are named for what they are. */
#include "test.h"

#include "model/diff.h"
#include "model_build.h"

static struct snapshot snap[SIDES];
static struct model model[SIDES];
static struct diff diff;

static void stop(void)
{
	diff_free(&diff);
	for (int s = 0; s < SIDES; s++) {
		model_free(&model[s]);
		snapshot_free(&snap[s]);
		snap[s].process.pid = snap[s].process.thp_disabled = -1;
		snap[s].source.time_ns = -1;
	}
}

static void run_into(struct diff *d, struct model m[SIDES], struct snapshot *b, struct snapshot *a,
		     enum match_by by)
{
	struct err e;

	model_init_pair(&m[BEFORE], b, &m[AFTER], a, &(struct model_options){ 0 });
	assert_int_equal(diff_start(d, &m[BEFORE], &m[AFTER], by, &e), 0);
	diff_judge(d);
}

static void run(enum match_by by)
{
	diff_free(&diff);
	model_free(&model[BEFORE]);
	model_free(&model[AFTER]);
	run_into(&diff, model, &snap[BEFORE], &snap[AFTER], by);
}

static void add(int side, struct mapping m)
{
	build_add(&snap[side], m);
}

static const struct finding *find(enum finding_id id)
{
	for (size_t i = 0; i < diff.findings.n; i++)
		if (diff.findings.at[i].id == id)
			return &diff.findings.at[i];
	return NULL;
}

static void set(int side, size_t i, enum smaps_field f, uint64_t kb)
{
	smaps_set(&snap[side].smaps, &snap[side].smaps.vma[i], f, kb);
}

/* One mapping by address, the same on both sides; the caller changes what it wants. */
static struct mapping huge_16(void)
{
	return (struct mapping){ AT(16),       16384,	      .flags = ADVISED,
				 .rss = 16384, .huge = 16384, .eligible = 1 };
}

/* ---- causes: each by its own case ---- */

static void check_cause(enum match_by by, uint64_t loss, enum loss_cause cause,
			enum certainty certainty)
{
	run(by);
	const struct finding *f = find(FINDING_THP_LOSS);

	if (!f)
		fail_msg("%s: no loss", cause_names[cause]);
	assert_int_equal(f->lost_kb, loss);
	assert_string_equal(cause_names[f->state], cause_names[cause]);
	assert_int_equal(f->certainty, certainty);
	assert_int_equal(diff.verdict, certainty == POSSIBLE ? VERDICT_NO_LOSS : VERDICT_LOSS);
	stop();
}

static void cause_split(void **state)
{
	(void)state;
	add(BEFORE, huge_16());
	add(AFTER, (struct mapping){ AT(16), 3072, .flags = ADVISED, .rss = 3072, .huge = 2048,
				     .eligible = 1 });
	add(AFTER,
	    (struct mapping){ AT(19), 4, "r--p", .flags = ADVISED, .rss = 4, .eligible = 0 });
	add(AFTER, (struct mapping){ AT(19) + 4096, 13308, .flags = ADVISED, .rss = 13308,
				     .huge = 12288, .eligible = 1 });
	check_cause(MATCH_ADDRESS, 2048, CAUSE_SPLIT, CERTAIN);
}

static void cause_advice(void **state)
{
	struct mapping m = huge_16();

	(void)state;
	add(BEFORE, m);
	m.flags = NOHUGE;
	m.huge = 0;
	m.eligible = 0;
	add(AFTER, m);
	check_cause(MATCH_ADDRESS, 16384, CAUSE_ADVICE, CERTAIN);
}

static void cause_policy(void **state)
{
	struct mapping m = huge_16();

	(void)state;
	m.flags = PLAIN;
	build_policy(&snap[BEFORE], ALWAYS_HOST, SHMEM_NEVER);
	build_policy(&snap[AFTER], MADVISE_HOST, SHMEM_NEVER);
	add(BEFORE, m);
	m.huge = 0;
	m.eligible = 0;
	add(AFTER, m);
	run(MATCH_ADDRESS);
	assert_int_equal(diff.unlike_n, 1);
	assert_string_equal(diff.unlike[0], "policy");
	assert_non_null(find(FINDING_SETTING_CHANGED));
	check_cause(MATCH_ADDRESS, 16384, CAUSE_POLICY, CERTAIN);
}

/* What mappings got on each side is no setting that somebody changed. */
static void cause_inferred_policy(void **state)
{
	struct mapping m = huge_16(), other = { AT(64), 4096, .flags = PLAIN, .rss = 4096 };

	(void)state;
	add(BEFORE, m);
	add(BEFORE, other); /* not eligible: madvise */
	m.huge = 0;
	other.eligible = 1; /* always */
	add(AFTER, m);
	add(AFTER, other);
	run(MATCH_ADDRESS);
	assert_int_equal(model[BEFORE].policy, POLICY_MADVISE);
	assert_int_equal(model[AFTER].policy, POLICY_ALWAYS);
	assert_null(find(FINDING_SETTING_CHANGED));
	check_cause(MATCH_ADDRESS, 16384, CAUSE_DELIVERY, CERTAIN);
}

static void cause_prctl(void **state)
{
	struct mapping m = huge_16();

	(void)state;
	add(BEFORE, m);
	m.huge = 0;
	m.eligible = 0;
	add(AFTER, m);
	for (int s = 0; s < SIDES; s++) {
		snap[s].has_process = true;
		snap[s].process.thp_disabled = s == AFTER;
	}
	check_cause(MATCH_ADDRESS, 16384, CAUSE_POLICY, CERTAIN);
}

static void cause_swapped(void **state)
{
	struct mapping m = huge_16();

	(void)state;
	add(BEFORE, m);
	m.rss = m.huge = 8192;
	add(AFTER, m);
	set(AFTER, 0, SMAPS_Swap, 8192);
	check_cause(MATCH_ADDRESS, 8192, CAUSE_SWAPPED, CERTAIN);
}

/* Half of each huge page was given back: what is left of them is small. */
static void cause_freed_in_part(void **state)
{
	struct mapping m = huge_16();

	(void)state;
	add(BEFORE, m);
	m.rss = 16384 - 8 * 4;
	m.huge = 0;
	add(AFTER, m);
	check_cause(MATCH_ADDRESS, 16384 - 8 * 4, CAUSE_FREED_IN_PART, CERTAIN);
}

static void cause_alignment(void **state)
{
	struct mapping m = huge_16();

	(void)state;
	m.kb = m.rss = m.huge = 4096;
	add(BEFORE, m);
	m.start = AT(129);
	m.huge = 2048;
	add(AFTER, m);
	check_cause(MATCH_IDENTITY, 2048, CAUSE_ALIGNMENT, LIKELY);
}

static void cause_delivery(void **state)
{
	struct mapping m = huge_16();

	(void)state;
	add(BEFORE, m);
	m.huge = 8192;
	add(AFTER, m);
	check_cause(MATCH_ADDRESS, 8192, CAUSE_DELIVERY, CERTAIN);
}

static void cause_size(void **state)
{
	(void)state;
	add(BEFORE, (struct mapping){ AT(16), 4096, .flags = ADVISED, .rss = 4096, .huge = 4096,
				      .eligible = 1 });
	add(AFTER, (struct mapping){ AT(16), 2044, .flags = ADVISED, .rss = 2044, .huge = 0,
				     .eligible = 0 });
	check_cause(MATCH_ADDRESS, 2044, CAUSE_SIZE, CERTAIN);
}

/* ---- how sure ---- */

static void a_pool_is_sure_only_with_a_risen_loss(void **state)
{
	(void)state;
	for (int misplaced = 0; misplaced < 2; misplaced++) {
		add(BEFORE, (struct mapping){ AT(16), 4096, .name = "[anon:a]", .flags = ADVISED,
					      .rss = 4096, .huge = 4096, .eligible = 1 });
		if (misplaced)
			add(AFTER,
			    (struct mapping){ AT(65), 4096, .name = "[anon:b]", .flags = ADVISED,
					      .rss = 4096, .huge = 0, .eligible = 1 });
		for (uint64_t i = 0; i < 4 && !misplaced; i++)
			add(AFTER,
			    (struct mapping){ AT(64 + 4 * i), 1024, .name = "[anon:b]",
					      .flags = ADVISED, .rss = 1024, .eligible = 0 });
		run(MATCH_IDENTITY);
		const struct finding *f = find(FINDING_THP_LOSS);
		assert_non_null(f);
		assert_int_equal(f->lost_kb, 4096);
		assert_int_equal(f->vma, -1);
		assert_int_equal(f->certainty, misplaced ? LIKELY : POSSIBLE);
		assert_int_equal(diff.verdict, misplaced ? VERDICT_LOSS : VERDICT_NO_LOSS);
		stop();
	}
}

/* By address half a huge page counts, by identity a whole one. */
static void thresholds(void **state)
{
	static const struct {
		enum match_by by;
		uint32_t small; /* kB that became small */
		bool found;
	} rows[] = {
		{ MATCH_ADDRESS, 1024, true },	{ MATCH_ADDRESS, 1020, false },
		{ MATCH_IDENTITY, 2048, true }, { MATCH_IDENTITY, 2044, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mapping m = huge_16();

		add(BEFORE, m);
		m.huge = 16384 - 2048;
		m.rss = m.huge + rows[i].small;
		add(AFTER, m);
		run(rows[i].by);
		assert_int_equal(find(FINDING_THP_LOSS) != NULL, rows[i].found);
		assert_int_equal(diff.loss_kb, rows[i].small);
		stop();
	}
}

static void severity_is_of_the_class(void **state)
{
	struct mapping m = huge_16();

	(void)state;
	for (int more = 0; more < 2; more++) {
		m.huge = m.rss = 16384;
		add(BEFORE, m);
		m.huge = 14336;
		add(AFTER, m);
		for (int s = 0; s < SIDES && more; s++)
			add(s, (struct mapping){ AT(64), 65536, .flags = ADVISED, .rss = 65536,
						 .huge = 65536, .eligible = 1 });
		run(MATCH_ADDRESS);
		assert_int_equal(find(FINDING_THP_LOSS)->severity,
				 more ? SEVERITY_MEDIUM : SEVERITY_HIGH);
		stop();
	}
}

/* ---- slots ---- */

static void chance(void **state)
{
	static const struct {
		uint64_t start, after, kb;
		bool random, found;
		enum certainty certainty;
	} rows[] = {
		{ AT(1), AT(65) + 4096, 4096, false, false, 0 }, /* neither holds two: none lost */
		{ AT(2), AT(65), 4096, false, true, LIKELY },	 /* a multiple of P is no chance */
		{ AT(2), AT(64) + 0x80000, 5120, false, true,
		  LIKELY }, /* was placed on a boundary */
		{ AT(2) - 4096, AT(64) + 0x80000, 5120, true, true, POSSIBLE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		add(BEFORE, (struct mapping){ rows[i].start, rows[i].kb, .flags = ADVISED,
					      .rss = 4096, .huge = 4096, .eligible = 1 });
		add(AFTER, (struct mapping){ rows[i].after, rows[i].kb, .flags = ADVISED,
					     .rss = 4096, .huge = 2048, .eligible = 1 });
		run(MATCH_IDENTITY);
		const struct finding *f = find(FINDING_SLOTS_LOST);
		assert_int_equal(f != NULL, rows[i].found);
		assert_int_equal(diff.match.row[0].chance, rows[i].random);
		assert_int_equal(diff.loss_kb, rows[i].random ? 0 : 2048);
		if (f)
			assert_int_equal(f->certainty, rows[i].certainty);
		stop();
	}
}

static void heap_and_stack_begin_anywhere(void **state)
{
	static const char *const names[] = { "[heap]", "[stack]", "[anon:x]" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		add(BEFORE, (struct mapping){ AT(2), 2048, .name = names[i], .flags = ADVISED,
					      .rss = 2048, .huge = 2048, .eligible = 1 });
		add(AFTER, (struct mapping){ AT(9), 2048, .name = names[i], .flags = ADVISED,
					     .rss = 2048, .eligible = 1 });
		run(MATCH_IDENTITY);
		assert_int_equal(find(FINDING_THP_LOSS) != NULL, i == 2);
		assert_int_equal(find(FINDING_SLOTS_LOST)->certainty, i == 2 ? LIKELY : POSSIBLE);
		stop();
	}
}

/* Slots that straddle two merged blocks are faulted small: a few more or less are chance. */
static void few_of_many_slots_by_chance(void **state)
{
	static const struct {
		uint64_t start, kb;
		uint32_t lost;
		enum certainty certainty;
	} rows[] = {
		{ AT(1), 103732, 4096, POSSIBLE },
		{ AT(1), 103732, 10240, LIKELY }, /* a tenth */
		{ AT(2), 103732, 4096, LIKELY },  /* placed on a boundary */
		{ AT(1), 102400, 4096,
		  POSSIBLE }, /* such a length is placed on one, unless it merged */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mapping m = { rows[i].start, rows[i].kb,	   .flags = ADVISED,
				     .rss = 102400, .huge = 83968, .eligible = 1 };

		add(BEFORE, m);
		m.start += UINT64_C(1) << 30;
		m.huge -= rows[i].lost;
		add(AFTER, m);
		run(MATCH_IDENTITY);
		const struct finding *f = find(FINDING_THP_LOSS);
		assert_non_null(f);
		assert_int_equal(f->lost_kb, rows[i].lost);
		assert_int_equal(f->certainty, rows[i].certainty);
		assert_int_equal(diff.verdict,
				 f->certainty == POSSIBLE ? VERDICT_NO_LOSS : VERDICT_LOSS);
		run(MATCH_ADDRESS); /* moved: in one process it is no chance */
		assert_int_equal(find(FINDING_THP_LOSS)->certainty, LIKELY);
		stop();
	}
}

/* ---- the host ---- */

static void vmstat(int side, uint64_t alloc, uint64_t fallback)
{
	struct keyvals *k = &snap[side].system.vmstat;

	k->at = arena_array(&snap[side].arena, 2, sizeof(*k->at));
	k->at[0] = (struct keyval){ SLICE("thp_fault_alloc"), alloc, false };
	k->at[1] = (struct keyval){ SLICE("thp_fault_fallback"), fallback, false };
	k->n = 2;
	snap[side].system.has_vmstat = true;
}

static void fallback(void **state)
{
	static const struct {
		uint64_t alloc, fallback;
		bool found;
	} rows[] = { { 90, 10, true },
		     { 91, 9, false },
		     { 89, 10, false },
		     { 0, 100, true },
		     { 1000, 99, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		add(BEFORE, huge_16());
		add(AFTER, huge_16());
		vmstat(BEFORE, 1000, 1000);
		vmstat(AFTER, 1000 + rows[i].alloc, 1000 + rows[i].fallback);
		run(MATCH_ADDRESS);
		assert_int_equal(find(FINDING_FALLBACK) != NULL, rows[i].found);
		stop();
	}
}

static void another_boot_has_other_counters(void **state)
{
	int64_t v;

	(void)state;
	for (int other = 0; other < 2; other++) {
		for (int s = 0; s < SIDES; s++) {
			add(s, huge_16());
			vmstat(s, 1000u + 500u * (unsigned)s, 7);
			snap[s].system.boot_id = s && other ? SLICE("b2") : SLICE("b1");
		}
		run(MATCH_ADDRESS);
		assert_int_equal(diff_counter(&diff, "vmstat.thp_fault_alloc", &v), !other);
		if (!other)
			assert_int_equal(v, 500);
		stop();
	}
}

static void settings(void **state)
{
	(void)state;
	for (int changed = 0; changed < 2; changed++) {
		build_policy(&snap[BEFORE], MADVISE_HOST, SHMEM_NEVER);
		build_policy(&snap[AFTER], MADVISE_HOST, changed ? SHMEM_ALWAYS : SHMEM_NEVER);
		for (int s = 0; s < SIDES; s++) {
			/* A counter among the settings is none. */
			thp_settings_add(&snap[s].system.thp, &snap[s].arena,
					 SLICE("khugepaged/full_scans"),
					 s ? SLICE("8") : SLICE("7"));
			add(s, huge_16());
		}
		run(MATCH_ADDRESS);
		const struct finding *f = find(FINDING_SETTING_CHANGED);
		assert_int_equal(f != NULL, changed);
		if (f) {
			const struct setting_change *c = f->more;

			assert_slice(c->file, "shmem_enabled");
			assert_slice(c->before, "never");
			assert_slice(c->after, "always");
		}
		assert_int_equal(diff.verdict, VERDICT_NO_LOSS);
		stop();
	}
}

/* ---- what is not known ---- */

static void unknown_is_no_loss(void **state)
{
	(void)state;
	add(BEFORE, huge_16());
	add(AFTER, huge_16());
	snap[AFTER].smaps.vma[0].present &= ~PRESENT_BIT(SMAPS_Rss);
	run(MATCH_ADDRESS);
	assert_false(diff.loss_known);
	assert_false(diff.match.row[0].loss_known);
	assert_int_equal(diff.verdict, VERDICT_NONE);
	stop();
}

/* ---- properties, on random tables ---- */

static void random_mapping(int side, uint64_t *seed, uint64_t start, uint64_t kb)
{
	static const char *const names[] = { "", "", "[heap]", "/memfd:x", "/lib/a.so" };
	static const char *const flags[] = { ADVISED, ADVISED, PLAIN, NOHUGE, NULL };
	struct mapping m = { start,
			     kb,
			     test_below(seed, 4) ? "rw-p" : "r--p",
			     names[test_below(seed, 5)],
			     flags[test_below(seed, 5)],
			     .eligible = (int)test_below(seed, 3) - 1 };
	uint32_t rss = (uint32_t)(4 * test_below(seed, kb / 4 + 1)), huge = rss / 2048 * 2048;

	huge -= (uint32_t)(2048 * test_below(seed, huge / 2048 + 1));
	m.inode = m.name && *m.name == '/' ? 5 : 0;
	m.rss = rss;
	if (m.inode)
		m.shmem = m.name[1] == 'm' ? huge : 0;
	else
		m.huge = huge;
	m.anonymous = m.inode ? (uint32_t)(4 * test_below(seed, (rss - m.shmem) / 4 + 1)) : 0;
	add(side, m);
	set(side, snap[side].smaps.n - 1, SMAPS_Swap, 4 * test_below(seed, 3));
}

static void random_tables(uint64_t *seed)
{
	for (int s = 0; s < SIDES; s++) {
		uint64_t at = AT(0), n = test_below(seed, 14);

		snap[s].has_smaps = true;
		for (uint64_t i = 0; i < n; i++) {
			uint64_t kb = test_below(seed, 2) ? 4 + 4 * test_below(seed, 900)
							  : 2048 * (1 + test_below(seed, 3));

			at += test_below(seed, 2) ? 0 : 4096 * test_below(seed, 700);
			random_mapping(s, seed, at, kb);
			at += kb << 10;
		}
	}
}

static const size_t members[] = {
	offsetof(struct waterfall, rss),	   offsetof(struct waterfall, subslot),
	offsetof(struct waterfall, policy_loss),   offsetof(struct waterfall, alignment_loss),
	offsetof(struct waterfall, delivery_loss), offsetof(struct waterfall, huge),
};

static int64_t member(const struct waterfall *w, size_t i)
{
	return (int64_t)*(const uint64_t *)(const void *)((const char *)w + members[i]);
}

/* The rows add up to the totals, each row in itself, and their losses to the sum. */
static void check_sums(const struct diff *d)
{
	int64_t sum[6] = { 0 };
	uint64_t loss = 0;

	for (size_t i = 0; i < d->match.n; i++) {
		const struct match_row *r = &d->match.row[i];
		struct row_side side[SIDES];
		struct row_delta x;

		for (int s = 0; s < SIDES; s++)
			diff_row_side(d, r, s, &side[s]);
		diff_row_delta(side, &x);
		assert_int_equal(x.huge, x.rss - x.subslot - x.policy_loss - x.alignment_loss -
						 x.delivery_loss);
		loss += r->loss_known ? r->loss_kb : 0;
		if (r->loss_known && x.huge < 0)
			assert_true(r->loss_kb <= (uint64_t)-x.huge);
		else
			assert_int_equal(r->loss_kb, 0);
		for (size_t k = 0; k < 6 && r->kind != MATCH_POOL; k++)
			sum[k] += member(&side[AFTER].w, k) - member(&side[BEFORE].w, k);
	}
	assert_int_equal(loss, d->loss_kb);
	for (size_t k = 0; k < 6; k++)
		assert_int_equal(sum[k], member(&d->m[AFTER]->totals.fall[FALL_ALL].w, k) -
						 member(&d->m[BEFORE]->totals.fall[FALL_ALL].w, k));
}

static const uint8_t mirrored[MATCH_KINDS] = {
	[MATCH_SAME] = MATCH_SAME,   [MATCH_RESIZED] = MATCH_RESIZED, [MATCH_MOVED] = MATCH_MOVED,
	[MATCH_SPLIT] = MATCH_MERGED, [MATCH_MERGED] = MATCH_SPLIT,   [MATCH_ADDED] = MATCH_REMOVED,
	[MATCH_REMOVED] = MATCH_ADDED, [MATCH_POOL] = MATCH_POOL,
};

/* The row of the other diff with the same mappings. */
static const struct match_row *mirror_of(const struct diff *d, const struct match_row *r,
					 const struct diff *back)
{
	int side = r->n[BEFORE] ? BEFORE : AFTER;
	uint32_t first = match_member(&d->match, r, side, 0);

	for (size_t i = 0; i < back->match.n; i++) {
		const struct match_row *x = &back->match.row[i];

		if ((x->kind == MATCH_POOL) != (r->kind == MATCH_POOL))
			continue;
		for (uint32_t k = 0; k < x->n[!side]; k++)
			if (match_member(&back->match, x, !side, k) == first)
				return x;
	}
	fail_msg("a row has no mirror");
	return NULL;
}

static void check_mirror(const struct diff *d, const struct diff *back)
{
	assert_int_equal(d->match.by_address, back->match.by_address);
	assert_int_equal(d->match.n, back->match.n);
	for (size_t i = 0; i < d->match.n; i++) {
		const struct match_row *r = &d->match.row[i], *x = mirror_of(d, r, back);
		struct row_side side[SIDES], other[SIDES];
		struct row_delta a, b;

		if (r->n[BEFORE] != r->n[AFTER] || r->n[BEFORE] == 1)
			assert_int_equal(x->kind, mirrored[r->kind]);
		else
			assert_int_equal(x->kind,
					 r->kind); /* as many as before: merged both ways */
		for (int s = 0; s < SIDES; s++) {
			assert_int_equal(x->n[!s], r->n[s]);
			diff_row_side(d, r, s, &side[s]);
			diff_row_side(back, x, s, &other[s]);
		}
		diff_row_delta(side, &a);
		diff_row_delta(other, &b);
		assert_int_equal(a.rss, -b.rss);
		assert_int_equal(a.huge, -b.huge);
		assert_int_equal(a.swap, -b.swap);
		assert_int_equal(a.slots_fit, -b.slots_fit);
		assert_int_equal(a.subslot, -b.subslot);
		assert_int_equal(a.delivery_loss, -b.delivery_loss);
		assert_int_equal(r->changed, x->changed);
	}
}

static void random_diffs(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (int i = 0; i < 1500; i++) {
		random_tables(&seed);
		for (int by = MATCH_AUTO; by <= MATCH_IDENTITY; by++) {
			struct model back_models[SIDES];
			struct diff back;

			run((enum match_by)by);
			check_sums(&diff);
			run_into(&back, back_models, &snap[AFTER], &snap[BEFORE],
				 (enum match_by)by);
			check_sums(&back);
			check_mirror(&diff, &back);
			diff_free(&back);
			diff_free(&diff);
			for (int s = 0; s < SIDES; s++) {
				model_free(&model[s]);
				model_free(&back_models[s]);
			}
		}
		stop();
	}
}

static void nothing_changes_against_itself(void **state)
{
	uint64_t seed = 12;

	(void)state;
	for (int i = 0; i < 500; i++) {
		struct model twice[SIDES];

		random_tables(&seed);
		for (int by = MATCH_AUTO; by <= MATCH_IDENTITY; by++) {
			run_into(&diff, twice, &snap[BEFORE], &snap[BEFORE], (enum match_by)by);
			for (size_t k = 0; k < diff.match.n; k++) {
				assert_int_equal(diff.match.row[k].kind, MATCH_SAME);
				assert_false(diff.match.row[k].changed);
			}
			assert_int_equal(diff.findings.n, 0);
			assert_int_equal(diff.loss_kb, 0);
			assert_int_equal(diff.verdict, VERDICT_NO_LOSS);
			diff_free(&diff);
			model_free(&twice[BEFORE]);
			model_free(&twice[AFTER]);
		}
		stop();
	}
}

/* ---- selection ---- */

static void a_row_is_selected_whole(void **state)
{
	struct err e;

	(void)state;
	add(BEFORE, huge_16());
	add(AFTER, (struct mapping){ AT(16), 4, .flags = ADVISED, .rss = 4, .eligible = 0 });
	add(AFTER, (struct mapping){ AT(16) + 4096, 16380, "r--p", .flags = ADVISED, .rss = 16380,
				     .huge = 14336, .eligible = 1 });
	add(AFTER, (struct mapping){ AT(64), 4, .flags = PLAIN, .rss = 4, .eligible = 0 });
	model_init_pair(&model[BEFORE], &snap[BEFORE], &model[AFTER], &snap[AFTER],
			&(struct model_options){ 0 });
	assert_int_equal(diff_start(&diff, &model[BEFORE], &model[AFTER], MATCH_ADDRESS, &e), 0);
	for (int s = 0; s < SIDES; s++) { /* as --min-size 1MiB would */
		model[s].keep = mem_array(snap[s].smaps.n, 1);
		model[s].kept = 0;
		for (size_t i = 0; i < snap[s].smaps.n; i++)
			model[s].kept += model[s].keep[i] =
				vma_size_kb(&snap[s].smaps.vma[i]) >= 1024;
	}
	diff_select(&diff);
	diff_judge(&diff);
	assert_int_equal(model[AFTER].totals.vmas, 2);
	assert_int_equal(diff.loss_kb, 2048);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cause_split),
		cmocka_unit_test(cause_advice),
		cmocka_unit_test(cause_policy),
		cmocka_unit_test(cause_inferred_policy),
		cmocka_unit_test(cause_prctl),
		cmocka_unit_test(cause_swapped),
		cmocka_unit_test(cause_freed_in_part),
		cmocka_unit_test(cause_alignment),
		cmocka_unit_test(cause_delivery),
		cmocka_unit_test(cause_size),
		cmocka_unit_test(a_pool_is_sure_only_with_a_risen_loss),
		cmocka_unit_test(thresholds),
		cmocka_unit_test(severity_is_of_the_class),
		cmocka_unit_test(chance),
		cmocka_unit_test(heap_and_stack_begin_anywhere),
		cmocka_unit_test(few_of_many_slots_by_chance),
		cmocka_unit_test(fallback),
		cmocka_unit_test(another_boot_has_other_counters),
		cmocka_unit_test(settings),
		cmocka_unit_test(unknown_is_no_loss),
		cmocka_unit_test(random_diffs),
		cmocka_unit_test(nothing_changes_against_itself),
		cmocka_unit_test(a_row_is_selected_whole),
	};

	for (int s = 0; s < SIDES; s++)
		snap[s] = (struct snapshot){ .source.time_ns = -1,
					     .process = { .pid = -1, .thp_disabled = -1 } };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
