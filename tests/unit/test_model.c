/* SPDX-License-Identifier: MIT */
/* Sizes, classes, slots, policy, eligibility and the waterfall against values worked out by hand. */
#include "test.h"

#include <math.h>

#include "model_build.h"

static struct snapshot snap;
static struct model model;

static void start(const char *host, const char *shmem)
{
	model_free(&model);
	snapshot_free(&snap);
	snap = (struct snapshot){ .source = { .pid = -1, .time_ns = -1 } };
	snap.process.thp_disabled = -1;
	if (host)
		build_policy(&snap, host, shmem);
}

static void run(struct model_options o)
{
	model_free(&model);
	model_init(&model, &snap, &o);
	model_totals(&model);
}

static void classes(void **state)
{
	static const struct {
		const char *name, *perms, *flags;
		uint64_t inode;
		uint32_t page;
		enum vma_class want;
	} rows[] = {
		{ "", "rw-p", PLAIN, 0, 4, CLASS_ANON },
		{ "[heap]", "rw-p", PLAIN, 0, 4, CLASS_ANON },
		{ "[stack:17]", "rw-p", PLAIN, 0, 4, CLASS_ANON },
		{ "[anon:x]", "rw-p", PLAIN, 0, 4, CLASS_ANON },
		{ "/dev/zero", "rw-p", PLAIN, 4, 4, CLASS_ANON },
		{ "/dev/zero (deleted)", "rw-s", PLAIN, 4, 4, CLASS_SHMEM },
		{ "/memfd:a b (deleted)", "rw-s", PLAIN, 4, 4, CLASS_SHMEM },
		{ "/SYSV00005eed (deleted)", "rw-s", PLAIN, 4, 4, CLASS_SHMEM },
		{ "/dev/shm/x", "rw-s", PLAIN, 4, 4, CLASS_SHMEM },
		{ "[anon_shmem:x]", "rw-s", PLAIN, 4, 4, CLASS_SHMEM },
		{ "/usr/lib/x.so", "r-xp", PLAIN, 4, 4, CLASS_FILE },
		{ "/anon_hugepage (deleted)", "rw-p", "rd wr ht", 4, 2048, CLASS_HUGETLB },
		{ "/anon_hugepage (deleted)", "rw-p", NULL, 4, 2048, CLASS_HUGETLB },
		{ "[vdso]", "r-xp", PLAIN, 0, 4, CLASS_SPECIAL },
		{ "[vvar_vclock]", "r--p", "rd io", 0, 4, CLASS_SPECIAL },
		{ "/dev/dri/card0", "rw-s", PLAIN, 4, 4, CLASS_SPECIAL },
		{ "anon_inode:[io_uring]", "rw-s", PLAIN, 4, 4, CLASS_SPECIAL },
		{ "socket:[1]", "rw-s", PLAIN, 4, 4, CLASS_SPECIAL },
		{ "/opt/data", "rw-s", "rd wr pf", 4, 4, CLASS_SPECIAL },
		{ "[odd]", "rw-p", PLAIN, 0, 4, CLASS_ANON },
		{ "", "rw-s", PLAIN, 0, 4, CLASS_FILE },
	};

	(void)state;
	start(NULL, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		build_add(&snap, (struct mapping){ AT(16 * i), 4, rows[i].perms, rows[i].name, rows[i].flags,
						   .eligible = -1, .inode = rows[i].inode, .page = rows[i].page });
	run((struct model_options){ 0 });
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (snap.smaps.vma[i].class != rows[i].want)
			fail_msg("'%s' %s is %s", rows[i].name, rows[i].perms, class_names[snap.smaps.vma[i].class]);
}

static void tmpfs_by_its_device(void **state)
{
	(void)state;
	start(NULL, NULL);
	build_add(&snap, (struct mapping){ AT(0), 2048, "rw-s", "/opt/tmp/a", PLAIN, 2048, .eligible = 1, .inode = 1, .shmem = 2048 });
	build_add(&snap, (struct mapping){ AT(8), 2048, "rw-s", "/opt/tmp/b", PLAIN, 0, .eligible = 0, .inode = 2 });
	build_add(&snap, (struct mapping){ AT(16), 2048, "rw-s", "/opt/c", PLAIN, 0, .eligible = 0, .inode = 3 });
	snap.smaps.vma[0].minor = snap.smaps.vma[1].minor = 0x17;
	run((struct model_options){ 0 });
	assert_int_equal(snap.smaps.vma[0].class, CLASS_SHMEM);
	assert_int_equal(snap.smaps.vma[1].class, CLASS_SHMEM);
	assert_int_equal(snap.smaps.vma[2].class, CLASS_FILE);
}

static void sizes_from_the_dump(void **state)
{
	static const struct {
		uint32_t page, huge;
		uint64_t want;
		enum pmd_source source;
	} rows[] = {
		{ 4, 2048, 2048, PMD_PAGE_SIZE },   { 16, 32768, 32768, PMD_PAGE_SIZE },
		{ 64, 524288, 524288, PMD_PAGE_SIZE }, { 64, 16384, 16384, PMD_VALUES },
		{ 64, 2048, 2048, PMD_VALUES },	    { 4, 1024, 1024, PMD_VALUES }, /* s390 */
		{ 4, 100, 2048, PMD_PAGE_SIZE },    { 8, 8192, 8192, PMD_PAGE_SIZE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		start(NULL, NULL);
		build_add(&snap, (struct mapping){ AT(0), 1 << 20, "rw-p", "", PLAIN, 1 << 20, rows[i].huge, 1, .page = rows[i].page });
		run((struct model_options){ 0 });
		if (model.pmd_kb != rows[i].want || model.pmd_source != rows[i].source)
			fail_msg("row %zu: %llu %s", i, (unsigned long long)model.pmd_kb, pmd_source_names[model.pmd_source]);
	}
	start(MADVISE_HOST, SHMEM_NEVER);
	build_add(&snap, (struct mapping){ AT(0), 4096, "rw-p", "", PLAIN, 0, .eligible = 0 });
	run((struct model_options){ 0 });
	assert_int_equal(model.pmd_source, PMD_SYSFS);
	run((struct model_options){ .pmd_kb = 1024 });
	assert_int_equal(model.pmd_kb, 1024);
	assert_int_equal(model.pmd_source, PMD_OPTION);
}

/* What no PMD has is passed over, and what says it next is asked. */
static void sizes_that_are_none(void **state)
{
	static const struct {
		const char *file, *folders[3];
		uint64_t want;
		enum pmd_source source;
	} rows[] = {
		{ "65536", { "2048" }, 64, PMD_SYSFS },
		{ "1099511627776", { "2048" }, 1 << 30, PMD_SYSFS },
		{ "32768", { "64" }, 64, PMD_MTHP_DIRS },
		{ "2199023255552", { "1024" }, 1024, PMD_MTHP_DIRS },
		{ "9223372036854775808", { "1073741824" }, 1 << 30, PMD_MTHP_DIRS },
		{ "3145728", { "1024", "3072" }, 1024, PMD_MTHP_DIRS },
		{ "2097153", { "9223372036854775808", "16", "512" }, 512, PMD_MTHP_DIRS },
		{ "", { "18014398509481984", "2147483648", "32" }, 2048, PMD_PAGE_SIZE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct thp_settings *thp = &snap.system.thp;

		start(NULL, NULL);
		snap.system.has_thp = true;
		thp_settings_add(thp, &snap.arena, SLICE("hpage_pmd_size"), slice_str(rows[i].file));
		for (int k = 0; k < 3 && rows[i].folders[k]; k++)
			thp_settings_add(thp, &snap.arena,
					 slice_str(arena_printf(&snap.arena, "hugepages-%skB/enabled", rows[i].folders[k])),
					 SLICE("[inherit]"));
		build_add(&snap, (struct mapping){ AT(0), 4096, "rw-p", "", PLAIN, 0, .eligible = 0 });
		run((struct model_options){ 0 });
		if (model.pmd_kb != rows[i].want || model.pmd_source != rows[i].source)
			fail_msg("row %zu: %llu %s", i, (unsigned long long)model.pmd_kb, pmd_source_names[model.pmd_source]);
	}
}

static struct thp thp_of(struct mapping m)
{
	struct thp t;

	start(MADVISE_HOST, SHMEM_NEVER);
	build_add(&snap, m);
	run((struct model_options){ 0 });
	model_thp(&model, snap.smaps.vma, &t);
	return t;
}

static void slots(void **state)
{
	struct thp t = thp_of((struct mapping){ AT(0) + 4096, 8192, "rw-p", "", ADVISED, 8192, 6144, .eligible = 1 });

	(void)state;
	assert_int_equal(t.slots_ideal, 4);
	assert_int_equal(t.slots_fit, 3);
	assert_int_equal(t.head_kb, 2044);
	assert_int_equal(t.tail_kb, 4);
	t = thp_of((struct mapping){ AT(0) + (512 << 10), 3072, "rw-p", "", ADVISED, 3072, 0, .eligible = 0 });
	assert_int_equal(t.slots_ideal, 1);
	assert_int_equal(t.slots_fit, 0);
	assert_int_equal(t.head_kb, 3072); /* none fits: all of it is head */
	assert_int_equal(t.tail_kb, 0);
	/* Files: start - offset counts. */
	t = thp_of((struct mapping){ AT(1), 4096, "r--p", "/x", "rd", 4096, 0, 0, .offset = 1 << 20, .inode = 1 });
	assert_int_equal(t.slots_fit, 1);
	t = thp_of((struct mapping){ AT(0), 4096, "r--p", "/x", "rd", 4096, 0, 0, .offset = 4096, .inode = 1 });
	assert_int_equal(t.slots_fit, 0);
	/* The end of the address space. */
	t = thp_of((struct mapping){ UINT64_C(0xffffffffff600000), 4, "--xp", "[vsyscall]", "ex", 0, 0, .eligible = 0 });
	assert_int_equal(t.slots_ideal, 0);
	t = thp_of((struct mapping){ UINT64_C(0xffffffffffdff000), 2048, "rw-p", "", PLAIN, 0, 0, .eligible = 0 });
	assert_int_equal(t.slots_fit, 0);
}

static void policy_of_the_host(void **state)
{
	(void)state;
	start(NULL, NULL);
	build_add(&snap, (struct mapping){ AT(0), 4096, "rw-p", "", PLAIN, 0, .eligible = 1 });
	run((struct model_options){ 0 });
	assert_int_equal(model.policy, POLICY_ALWAYS);
	assert_int_equal(model.policy_source, POLICY_INFERRED);
	/* A mapping without a slot that is eligible all the same: smaller sizes are on. */
	build_add(&snap, (struct mapping){ AT(8), 64, "rw-p", "", PLAIN, 0, .eligible = 1 });
	run((struct model_options){ 0 });
	assert_int_equal(model.policy, POLICY_UNKNOWN);
	assert_int_equal(model.policy_source, POLICY_FROM_NONE);
	start(NULL, NULL);
	build_add(&snap, (struct mapping){ AT(0), 4096, "rw-p", "", PLAIN, 0, .eligible = 0 });
	build_add(&snap, (struct mapping){ AT(8), 4096, "rw-p", "", ADVISED, 0, .eligible = 1 });
	run((struct model_options){ 0 });
	assert_int_equal(model.policy, POLICY_MADVISE);
	run((struct model_options){ .policy = POLICY_NEVER });
	assert_int_equal(model.policy, POLICY_NEVER);
	assert_int_equal(model.policy_source, POLICY_FROM_OPTION);
	/* The size's own file decides before the one above it. */
	start(ALWAYS_HOST, SHMEM_NEVER);
	thp_settings_add(&snap.system.thp, &snap.arena, SLICE("hugepages-2048kB/enabled"), SLICE("always inherit madvise [never]\n"));
	build_add(&snap, (struct mapping){ AT(0), 4096, "rw-p", "", PLAIN, 0, .eligible = 0 });
	run((struct model_options){ 0 });
	assert_int_equal(model.policy, POLICY_NEVER);
	start(ALWAYS_HOST, SHMEM_NEVER);
	thp_settings_add(&snap.system.thp, &snap.arena, SLICE("hugepages-2048kB/enabled"), SLICE("always [inherit] madvise never\n"));
	build_add(&snap, (struct mapping){ AT(0), 4096, "rw-p", "", PLAIN, 0, .eligible = 1 });
	run((struct model_options){ 0 });
	assert_int_equal(model.policy, POLICY_ALWAYS);
}

static enum eligible eligible_of(const char *host, struct mapping m)
{
	start(host, SHMEM_NEVER);
	build_add(&snap, m);
	run((struct model_options){ 0 });
	return (enum eligible)snap.smaps.vma[0].eligible;
}

static void eligibility(void **state)
{
	const struct mapping fits = { AT(0), 4096, "rw-p", "", ADVISED, 0, .eligible = 1 };
	struct mapping m = fits;

	(void)state;
	assert_int_equal(eligible_of(MADVISE_HOST, m), ELIGIBLE_YES);
	m.flags = PLAIN; /* 1 without advice under madvise: only a smaller size can be meant */
	assert_int_equal(eligible_of(MADVISE_HOST, m), ELIGIBLE_SUB_PMD);
	m = fits;
	m.kb = 2044;
	assert_int_equal(eligible_of(MADVISE_HOST, m), ELIGIBLE_SUB_PMD);
	m = (struct mapping){ AT(0) + (512 << 10), 3072, "rw-p", "", ADVISED, 0, .eligible = 0 };
	assert_int_equal(eligible_of(MADVISE_HOST, m), ELIGIBLE_IF_ALIGNED);
	assert_int_equal(eligible_of(NULL, m), ELIGIBLE_IF_ALIGNED); /* open, advised */
	assert_int_equal(eligible_of(NEVER_HOST, m), ELIGIBLE_NO);
	m.flags = ADVISED " mm";
	assert_int_equal(eligible_of(MADVISE_HOST, m), ELIGIBLE_NO);
	m = fits;
	m.eligible = -1;
	assert_int_equal(eligible_of(MADVISE_HOST, m), ELIGIBLE_YES);
	assert_int_equal(eligible_of(NULL, m), ELIGIBLE_UNKNOWN);
	m.flags = PLAIN;
	assert_int_equal(eligible_of(MADVISE_HOST, m), ELIGIBLE_NO);
	m.flags = NULL;
	assert_int_equal(eligible_of(MADVISE_HOST, m), ELIGIBLE_UNKNOWN);
	assert_int_equal(eligible_of(ALWAYS_HOST, m), ELIGIBLE_YES);
}

static void shmem_follows_its_inode(void **state)
{
	(void)state;
	start(NULL, NULL);
	build_add(&snap, (struct mapping){ AT(0), 4096, "rw-s", "/memfd:x", PLAIN, 4096, .eligible = 0, .inode = 5, .shmem = 4096 });
	build_add(&snap, (struct mapping){ AT(16), 4096, "rw-s", "/memfd:x", PLAIN, 4096, .eligible = 0, .inode = 5, .offset = 4096 });
	build_add(&snap, (struct mapping){ AT(32), 4096, "rw-s", "/memfd:y", PLAIN, 4096, .eligible = 0, .inode = 6, .offset = 4096 });
	run((struct model_options){ 0 });
	assert_int_equal(snap.smaps.vma[1].eligible, ELIGIBLE_IF_ALIGNED);
	assert_int_equal(snap.smaps.vma[2].eligible, ELIGIBLE_NO);
}

/* As measured on Linux 6.18: "if-aligned" is what the settings allow, were it on a boundary. */
static void shmem_settings(void **state)
{
	static const struct {
		const char *top, *own, *name, *flags;
		bool allowed;
	} rows[] = {
		{ "always", NULL, "/memfd:x", PLAIN, true },
		{ "always", NULL, "/mnt/huge/x", PLAIN, false }, /* a tmpfs goes by its mount */
		{ "always", "[inherit]", "/memfd:x", PLAIN, true },
		{ "always", "[never]", "/memfd:x", PLAIN, false },
		{ "never", "[always]", "/memfd:x", PLAIN, true },
		{ "never", "[advise]", "/memfd:x", ADVISED, true },
		{ "never", "[advise]", "/memfd:x", PLAIN, false },
		{ "deny", "[always]", "/memfd:x", ADVISED, false },
		{ "deny", "[inherit]", "/dev/zero (deleted)", ADVISED, false },
		{ "force", NULL, "/memfd:x", PLAIN, true },
		{ "force", "[inherit]", "/memfd:x", PLAIN, true },
		{ "force", "[always]", "/memfd:x", ADVISED, false },
		{ "force", "[never]", "/mnt/huge/x", PLAIN, true },
		{ "within_size", "[inherit]", "/dev/zero (deleted)", PLAIN, true },
		{ "within_size", "[inherit]", "/memfd:x", PLAIN, false },
		{ "within_size", "[inherit]", "/memfd:x", ADVISED, true },
		{ "never", "[within_size]", "/dev/zero (deleted)", PLAIN, true },
		{ "never", "[within_size]", "/memfd:x", ADVISED, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(MADVISE_HOST, rows[i].top);
		if (rows[i].own)
			thp_settings_add(&snap.system.thp, &snap.arena, SLICE("hugepages-2048kB/shmem_enabled"),
					 slice_str(rows[i].own));
		/* On a tmpfs by its device, on which a mapping is huge. */
		build_add(&snap, (struct mapping){ AT(0), 2048, "rw-s", "/mnt/huge/y", PLAIN, 2048, .eligible = 1,
						   .inode = 1, .shmem = 2048 });
		build_add(&snap, (struct mapping){ AT(8) + 4096, 3072, "rw-s", rows[i].name, rows[i].flags, 3072,
						   .eligible = 0, .inode = 7, .offset = 0 });
		run((struct model_options){ 0 });
		if (snap.smaps.vma[1].eligible != (rows[i].allowed ? ELIGIBLE_IF_ALIGNED : ELIGIBLE_NO))
			fail_msg("row %zu: %s %s %s", i, rows[i].top, rows[i].own ? rows[i].own : "-", rows[i].name);
	}
}

static void one_waterfall(void **state)
{
	struct thp t = thp_of((struct mapping){ AT(0) + 4096, 8192, "rw-p", "", ADVISED, 8192, 4096, .eligible = 1 });

	(void)state;
	/* I = 4 slots, A = 4, F = 3, H = 2. */
	assert_true(t.known);
	assert_int_equal(t.w.rss, 8192);
	assert_int_equal(t.w.subslot, 0);
	assert_int_equal(t.w.policy_loss, 0);
	assert_int_equal(t.w.alignment_loss, 2048);
	assert_int_equal(t.w.delivery_loss, 2048);
	assert_int_equal(t.w.huge, 4096);
	t = thp_of((struct mapping){ AT(0), 65536, "rw-p", "", PLAIN, 5000, 0, .eligible = 0 });
	assert_int_equal(t.w.subslot, 5000 - 4096);
	assert_int_equal(t.w.policy_loss, 4096);
	/* Copied pages of a private file are never huge: R - C counts. */
	t = thp_of((struct mapping){ AT(0), 8192, "rw-p", "/x", "rd wr", 8192, .eligible = 1, .inode = 1, .anonymous = 5000 });
	assert_int_equal(t.w.subslot, 8192 - 2048);
	assert_int_equal(t.w.delivery_loss, 2048);
	/* Huge although not eligible: MADV_COLLAPSE. */
	t = thp_of((struct mapping){ AT(0), 4096, "rw-p", "", PLAIN, 4096, 4096, .eligible = 0 });
	assert_int_equal(t.w.policy_loss, 0);
	assert_int_equal(t.w.huge, 4096);
}

static void absent_is_not_zero(void **state)
{
	struct thp t;

	(void)state;
	start(NULL, NULL);
	build_add(&snap, (struct mapping){ AT(0), 4096, "rw-p", "", PLAIN, 4096, 4096, .eligible = -1 });
	build_add(&snap, (struct mapping){ AT(16), 4096, "rw-p", "", PLAIN, 4096, 0, .eligible = -1 });
	snap.smaps.vma[1].present &= ~PRESENT_BIT(SMAPS_AnonHugePages); /* cut before it */
	run((struct model_options){ 0 });
	model_thp(&model, &snap.smaps.vma[1], &t);
	assert_false(t.known);
	assert_int_equal(model.totals.fall[FALL_ANON].w.rss, 4096); /* of the other one only */
	assert_int_equal(model.totals.sum[TOTAL_RSS].kb, 8192);
	assert_false(model.totals.has_thp_eligible);
	/* A dump that has the field nowhere: an old kernel, nothing is huge. */
	snap.smaps.vma[0].present &= ~PRESENT_BIT(SMAPS_AnonHugePages);
	snap.smaps.vma[0].value[SMAPS_AnonHugePages] = 0;
	smaps_changed(&snap.smaps);
	run((struct model_options){ 0 });
	assert_true(model.totals.fall[FALL_ANON].known);
	assert_int_equal(model.totals.fall[FALL_ANON].w.rss, 8192);
	assert_false(model.totals.sum[TOTAL_ANON_HUGE].known);
	/* Without Rss nothing is known. */
	snap.smaps.vma[0].present &= ~PRESENT_BIT(SMAPS_Rss);
	snap.smaps.vma[1].present &= ~PRESENT_BIT(SMAPS_Rss);
	run((struct model_options){ 0 });
	assert_false(model.totals.fall[FALL_ANON].known);
	assert_false(model.totals.fall[FALL_ALL].known);
	assert_true(model.totals.fall[FALL_SHMEM].known); /* there is none: 0 */
	assert_false(model.totals.sum[TOTAL_RSS].known);
}

static void ratios(void **state)
{
	const struct waterfall w = { .rss = 216120, .subslot = 1080, .policy_loss = 65536, .alignment_loss = 6144, .huge = 143360 };

	(void)state;
	assert_true(fabs(fall_coverage(&w) - 143360.0 / 215040.0) < 1e-12);
	assert_true(fabs(fall_share(&w) - 143360.0 / 216120.0) < 1e-12);
	assert_true(fall_delivered(&w) == 1.0);
	assert_true(isnan(fall_coverage(&(struct waterfall){ .rss = 4, .subslot = 4 })));
	assert_true(isnan(fall_share(&(struct waterfall){ 0 })));
}

/* Whatever the mapping is, the parts add up and no part is larger than the whole. */
static void waterfalls_add_up(void **state)
{
	static const char *const flags[] = { PLAIN, ADVISED, NOHUGE, NULL, "rd wr um", "rd wr mm" };
	static const char *const names[] = { "", "[heap]", "/lib/x.so", "/memfd:a", "/dev/zero", "[vdso]", "[stack]" };
	static const char *const hosts[] = { NULL, ALWAYS_HOST, MADVISE_HOST, NEVER_HOST };
	static const char *const perms[] = { "rw-p", "r--p", "rw-s", "---p" };
	uint64_t seed = 99, checked = 0;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint64_t at = AT(0), n = 1 + test_below(&seed, 12);
		struct waterfall sum = { 0 };

		start(hosts[test_below(&seed, 4)], test_below(&seed, 2) ? SHMEM_ALWAYS : SHMEM_NEVER);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t kb = 4 * (1 + test_below(&seed, test_below(&seed, 3) ? 600 : 6000));
			uint32_t rss = (uint32_t)(4 * test_below(&seed, kb / 4 + 1));
			struct mapping m = { at, kb, perms[test_below(&seed, 4)], names[test_below(&seed, 7)], flags[test_below(&seed, 6)],
					     rss, (uint32_t)(rss / 2048 * 2048 * test_below(&seed, 2)), (int)test_below(&seed, 3) - 1,
					     .offset = 4096 * test_below(&seed, 1024), .inode = test_below(&seed, 3),
					     .anonymous = (uint32_t)(4 * test_below(&seed, rss / 4 + 1)) };

			build_add(&snap, m);
			at += (kb << 10) + 4096 * test_below(&seed, 700);
		}
		run((struct model_options){ 0 });
		for (size_t i = 0; i < snap.smaps.n; i++) {
			const struct vma *v = &snap.smaps.vma[i];
			struct thp t;

			model_thp(&model, v, &t);
			assert_true(t.slots_fit <= t.slots_ideal && t.slots_ideal <= t.slots_fit + (v->class == CLASS_ANON ? 1 : t.slots_ideal));
			assert_true(t.head_kb + t.tail_kb <= vma_size_kb(v));
			if (t.slots_fit)
				assert_int_equal(t.head_kb + t.tail_kb + t.slots_fit * model.pmd_kb, vma_size_kb(v));
			if (!t.known)
				continue;
			assert_int_equal(t.w.subslot + t.w.policy_loss + t.w.alignment_loss + t.w.delivery_loss + t.w.huge, t.w.rss);
			assert_int_equal(t.w.rss, vma_value(&snap.smaps, v, SMAPS_Rss));
			assert_true(v->eligible != ELIGIBLE_NO || t.w.alignment_loss + t.w.delivery_loss == 0);
			sum.rss += t.w.rss;
			sum.subslot += t.w.subslot;
			sum.huge += t.w.huge;
			checked++;
		}
		assert_int_equal(sum.rss, model.totals.fall[FALL_ALL].w.rss);
		assert_int_equal(sum.subslot, model.totals.fall[FALL_ALL].w.subslot);
		assert_int_equal(sum.huge, model.totals.fall[FALL_ALL].w.huge);
	}
	assert_true(checked > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes), cmocka_unit_test(tmpfs_by_its_device), cmocka_unit_test(sizes_from_the_dump),
		cmocka_unit_test(sizes_that_are_none),
		cmocka_unit_test(slots), cmocka_unit_test(policy_of_the_host), cmocka_unit_test(eligibility),
		cmocka_unit_test(shmem_follows_its_inode), cmocka_unit_test(shmem_settings), cmocka_unit_test(one_waterfall),
		cmocka_unit_test(absent_is_not_zero), cmocka_unit_test(ratios), cmocka_unit_test(waterfalls_add_up),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	model_free(&model);
	snapshot_free(&snap);
	return failed;
}
