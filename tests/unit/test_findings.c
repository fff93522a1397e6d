/* SPDX-License-Identifier: MIT */
/*
 * Each finding of one snapshot: an input that makes it and one that nearly
 * does and must not. The table of rules is walked: a rule without both fails.
 */
#include "test.h"

#include "model_build.h"

struct wanted {
	enum finding_id id;
	bool hit;
	const char *host, *shmem; /* NULL: no settings known */
	int thp_disabled;
	struct mapping maps[3];
	enum severity severity;
	enum certainty certainty;
	int64_t lost; /* -1: null */
	const char *says; /* part of the message */
};

static const struct wanted cases[] = {
	/* 3 MiB around a boundary: none fits, one would. */
	{ FINDING_MISALIGNED, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0) + (512 << 10), 3072, .flags = ADVISED, .rss = 3072, .eligible = 0 } },
	  SEVERITY_HIGH, CERTAIN, 2048, "1.5 MiB + 1.5 MiB around a boundary" },
	{ FINDING_MISALIGNED, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0) + 4096, 8192, .flags = ADVISED, .rss = 8192, .huge = 6144, .eligible = 1 } },
	  SEVERITY_MEDIUM, CERTAIN, 2048, "Starts 4 kB past a boundary: 3 of 4 slots fit" },
	{ FINDING_MISALIGNED, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0) + 4096, 8192, .flags = ADVISED, .rss = 16, .eligible = 1 } },
	  SEVERITY_LOW, CERTAIN, 0, "slots fit" },
	{ FINDING_MISALIGNED, true, NULL, NULL, 0,
	  { { AT(1), 2048, .rss = 2048, .eligible = -1 } },
	  SEVERITY_HIGH, POSSIBLE, 2048, NULL },
	{ FINDING_MISALIGNED, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(1), 4096, .name = "[heap]", .flags = ADVISED, .rss = 4, .eligible = 1 } },
	  SEVERITY_INFO, CERTAIN, 0, NULL },
	{ FINDING_MISALIGNED, false, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 8192, .flags = ADVISED, .rss = 8192, .huge = 8192, .eligible = 1 } }, 0, 0, 0, NULL },
	{ FINDING_MISALIGNED, false, MADVISE_HOST, SHMEM_NEVER, 0, /* not advised: policy speaks first */
	  { { AT(0) + (512 << 10), 3072, .flags = PLAIN, .rss = 3072, .eligible = 0 } }, 0, 0, 0, NULL },
	{ FINDING_MISALIGNED, false, MADVISE_HOST, SHMEM_NEVER, 0, /* PROT_NONE */
	  { { AT(1), 8192, .perms = "---p", .flags = ADVISED, .rss = 0, .eligible = 1 } }, 0, 0, 0, NULL },
	{ FINDING_MISALIGNED, false, MADVISE_HOST, SHMEM_ALWAYS, 0, /* start and offset agree */
	  { { AT(1), 8192, .perms = "rw-s", .name = "/memfd:x (deleted)", .flags = PLAIN, .rss = 8192, .shmem = 6144,
	      .eligible = 1, .offset = 1 << 20, .inode = 7 } }, 0, 0, 0, NULL },

	{ FINDING_HEADER_PAGE, true, NULL, NULL, 0, /* malloc(128 MiB) on 6.7 to 6.11: only the header touched */
	  { { AT(0), 131076, .rss = 2048, .huge = 2048, .eligible = 1 } },
	  SEVERITY_LOW, LIKELY, 2044, "only the first huge page is resident" },
	{ FINDING_HEADER_PAGE, true, MADVISE_HOST, SHMEM_NEVER, 0, /* since 6.12 */
	  { { AT(1), 131076, .flags = ADVISED, .rss = 131072, .huge = 129024, .eligible = 1 } },
	  SEVERITY_MEDIUM, LIKELY, 2048, "63 of 64 slots fit" },
	{ FINDING_HEADER_PAGE, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 131076, .flags = ADVISED, .rss = 131072, .huge = 131072, .eligible = 1 } },
	  SEVERITY_INFO, LIKELY, 0, "no slot is lost" },
	{ FINDING_HEADER_PAGE, true, MADVISE_HOST, SHMEM_NEVER, 0, /* 7 blocks of 4 MiB that merged */
	  { { AT(2) - (28 << 10), 28700, .flags = ADVISED, .rss = 28700, .huge = 14336, .eligible = 1 } },
	  SEVERITY_MEDIUM, LIKELY, 14336, "7 malloc blocks that merged" },
	{ FINDING_HEADER_PAGE, false, MADVISE_HOST, SHMEM_NEVER, 0, /* 17 pages are no header */
	  { { AT(1), 4096 + 68, .flags = ADVISED, .rss = 4096, .eligible = 1 } }, 0, 0, 0, NULL },
	{ FINDING_HEADER_PAGE, false, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(1), 4100, .name = "[heap]", .flags = ADVISED, .rss = 4096, .eligible = 1 } }, 0, 0, 0, NULL },

	{ FINDING_ODD_LENGTH, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 3072, .flags = ADVISED, .rss = 3072, .huge = 2048, .eligible = 1 } },
	  SEVERITY_LOW, CERTAIN, 0, "2 MiB + 1 MiB: " },
	{ FINDING_ODD_LENGTH, false, MADVISE_HOST, SHMEM_NEVER, 0, /* less than a huge page is resident */
	  { { AT(0), 3072, .flags = ADVISED, .rss = 2044, .eligible = 1 } }, 0, 0, 0, NULL },

	{ FINDING_SPLIT_MAPPING, true, MADVISE_HOST, SHMEM_NEVER, 0, /* a read-only page in the middle of a slot */
	  { { AT(0), 1024, .flags = ADVISED, .rss = 1024, .eligible = 0 },
	    { AT(1), 4, .perms = "r--p", .flags = "rd mr mw me ac hg", .rss = 4, .eligible = 0 },
	    { AT(1) + 4096, 1020, .flags = ADVISED, .rss = 1020, .eligible = 0 } },
	  SEVERITY_LOW, POSSIBLE, 2048, "3 mappings that touch would hold 1 slot as one" },
	{ FINDING_SPLIT_MAPPING, false, MADVISE_HOST, SHMEM_NEVER, 0, /* they do not touch */
	  { { AT(0), 1024, .flags = ADVISED, .rss = 1024, .eligible = 0 },
	    { AT(1) + 4096, 1020, .flags = ADVISED, .rss = 1020, .eligible = 0 } }, 0, 0, 0, NULL },

	{ FINDING_NEEDS_ADVICE, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 65536, .flags = PLAIN, .rss = 65536, .eligible = 0 } },
	  SEVERITY_HIGH, CERTAIN, 65536, "never advised" },
	{ FINDING_NEEDS_ADVICE, true, NULL, NULL, 0,
	  { { AT(0), 65536, .flags = PLAIN, .rss = 65536, .eligible = 0 } },
	  SEVERITY_HIGH, LIKELY, 65536, "never advised" },
	{ FINDING_NEEDS_ADVICE, false, ALWAYS_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 65536, .flags = PLAIN, .rss = 65536, .eligible = 1 } }, 0, 0, 0, NULL },
	{ FINDING_NEEDS_ADVICE, false, MADVISE_HOST, SHMEM_NEVER, 0, /* not enough resident */
	  { { AT(0), 65536, .flags = PLAIN, .rss = 2044, .eligible = 0 } }, 0, 0, 0, NULL },
	{ FINDING_NEEDS_ADVICE, false, MADVISE_HOST, SHMEM_NEVER, 0, /* no VmFlags: nothing says it is not advised */
	  { { AT(0), 65536, .rss = 65536, .eligible = 0 } }, 0, 0, 0, NULL },

	{ FINDING_OPTED_OUT, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 4096, .flags = NOHUGE, .rss = 4096, .eligible = 0 } },
	  SEVERITY_HIGH, CERTAIN, 4096, "MADV_NOHUGEPAGE" },
	{ FINDING_OPTED_OUT, true, MADVISE_HOST, SHMEM_NEVER, 1,
	  { { AT(0), 4096, .flags = ADVISED, .rss = 4096, .eligible = 0 } },
	  SEVERITY_HIGH, CERTAIN, 4096, "PR_SET_THP_DISABLE" },
	{ FINDING_OPTED_OUT, true, NULL, NULL, 0,
	  { { AT(0), 4096, .flags = ADVISED, .rss = 4096, .eligible = 0 } },
	  SEVERITY_HIGH, LIKELY, 4096, "still refuses" },
	{ FINDING_OPTED_OUT, true, MADVISE_HOST, SHMEM_NEVER, 0, /* a thread stack: the guard below it */
	  { { AT(0) - 4096, 4, .perms = "---p", .flags = "mr mw me nh", .eligible = 0 },
	    { AT(0), 8192, .flags = NOHUGE, .rss = 2048, .eligible = 0 } },
	  SEVERITY_INFO, CERTAIN, 2048, "thread stack" },
	{ FINDING_OPTED_OUT, false, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 4096, .flags = NOHUGE, .rss = 1024, .eligible = 0 } }, 0, 0, 0, NULL },

	{ FINDING_POLICY_OFF, true, NEVER_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 4096, .flags = ADVISED, .rss = 4096, .eligible = 0 } },
	  SEVERITY_HIGH, CERTAIN, 4096, "is never" },
	{ FINDING_POLICY_OFF, false, NEVER_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 4096, .flags = NOHUGE, .rss = 4096, .eligible = 0 } }, 0, 0, 0, NULL },

	{ FINDING_SHMEM_POLICY, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 4096, .perms = "rw-s", .name = "/dev/zero (deleted)", .flags = "rd wr sh mr mw me ms", .rss = 4096,
	      .eligible = 0, .inode = 9 } },
	  SEVERITY_MEDIUM, CERTAIN, 4096, "shmem_enabled is never" },
	{ FINDING_SHMEM_POLICY, true, NULL, NULL, 0,
	  { { AT(0), 4096, .perms = "rw-s", .name = "/dev/zero (deleted)", .flags = "rd wr sh mr mw me ms", .rss = 4096,
	      .eligible = 0, .inode = 9 } },
	  SEVERITY_MEDIUM, LIKELY, 4096, "Nothing allows" },
	{ FINDING_SHMEM_POLICY, false, MADVISE_HOST, SHMEM_ALWAYS, 0,
	  { { AT(0), 4096, .perms = "rw-s", .name = "/dev/zero (deleted)", .flags = "rd wr sh mr mw me ms", .rss = 4096,
	      .shmem = 4096, .eligible = 1, .inode = 9 } }, 0, 0, 0, NULL },

	{ FINDING_UNDELIVERED, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 4096, .flags = ADVISED, .rss = 4096, .eligible = 1 } },
	  SEVERITY_HIGH, CERTAIN, 4096, NULL },
	{ FINDING_UNDELIVERED, true, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 4096, .perms = "r--p", .name = "/usr/lib/x.so", .flags = "rd mr mw me", .rss = 4096, .eligible = 1, .inode = 5 } },
	  SEVERITY_INFO, POSSIBLE, 4096, NULL },
	{ FINDING_UNDELIVERED, false, MADVISE_HOST, SHMEM_NEVER, 0,
	  { { AT(0), 4096, .flags = ADVISED, .rss = 4096, .huge = 4096, .eligible = 1 } }, 0, 0, 0, NULL },
};

static void judge(const struct wanted *w, struct snapshot *s, struct model *m, struct findings *f)
{
	*s = (struct snapshot){ .source = { .pid = -1, .time_ns = -1 } };
	s->has_process = w->thp_disabled;
	s->process.thp_disabled = w->thp_disabled;
	if (w->host)
		build_policy(s, w->host, w->shmem);
	for (int i = 0; i < 3 && w->maps[i].kb; i++)
		build_add(s, w->maps[i]);
	model_init(m, s, &(struct model_options){ 0 });
	findings_make(m, f);
}

static void check_hit(size_t i, const struct wanted *w, const struct model *m, const struct finding *f)
{
	struct out text;
	struct json j;

	if (f->severity != w->severity || f->certainty != w->certainty || (w->lost >= 0 && f->lost_kb != (uint64_t)w->lost))
		fail_msg("case %zu: %s %s %s %llu kB", i, finding_rules[f->id].id, severity_names[f->severity],
			 certainty_names[f->certainty], (unsigned long long)f->lost_kb);
	out_memory(&text);
	finding_message(m, f, &text);
	if (text.n == 0 || (w->says && !slice_has(out_slice(&text), slice_str(w->says))))
		fail_msg("case %zu says: %.*s", i, SLICE_FMT(out_slice(&text)));
	out_reset(&text);
	finding_advice(m, f, &text);
	assert_true(text.n > 0);
	out_reset(&text);
	json_start(&j, &text);
	finding_evidence(m, f, &j);
	assert_true(text.n >= 2 && text.buf[0] == '{');
	out_close(&text);
}

static void hits_and_misses(void **state)
{
	bool hit[FINDING_IDS] = { 0 }, miss[FINDING_IDS] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct wanted *w = &cases[i];
		const struct finding *found = NULL;
		struct snapshot s;
		struct model m;
		struct findings f;

		judge(w, &s, &m, &f);
		for (size_t k = 0; k < f.n; k++)
			if (f.at[k].id == w->id)
				found = &f.at[k];
		if (w->hit != (found != NULL))
			fail_msg("case %zu: %s %s", i, finding_rules[w->id].id, w->hit ? "is missing" : "is made");
		if (found)
			check_hit(i, w, &m, found);
		(w->hit ? hit : miss)[w->id] = true;
		findings_free(&f);
		model_free(&m);
		snapshot_free(&s);
	}
	for (int id = 0; id < FINDING_THP_LOSS; id++)
		if (!hit[id] || !miss[id])
			fail_msg("%s has no %s", finding_rules[id].id, hit[id] ? "near miss" : "hit");
}

static void one_cause_is_counted_once(void **state)
{
	/* header-page is why it is misaligned; undelivered repeats the blocks. */
	static const struct wanted w = { 0, true, MADVISE_HOST, SHMEM_NEVER, 0,
		{ { AT(1), 131076, .flags = ADVISED, .rss = 131072, .huge = 129024, .eligible = 1 } }, 0, 0, 0, NULL };
	struct snapshot s;
	struct model m;
	struct findings f;
	uint64_t sum = 0;

	(void)state;
	judge(&w, &s, &m, &f);
	assert_int_equal(f.n, 2);
	for (size_t i = 0; i < f.n; i++) {
		if (f.at[i].id == FINDING_HEADER_PAGE)
			assert_int_equal(f.at[i].same_as, FINDING_MISALIGNED);
		if (f.at[i].same_as < 0)
			sum += f.at[i].lost_kb;
	}
	assert_int_equal(sum, waterfall_cost(&m.totals.fall[FALL_ANON].w));
	findings_free(&f);
	model_free(&m);
	snapshot_free(&s);
}

static void names_of_findings(void **state)
{
	(void)state;
	for (int i = 0; i < FINDING_IDS; i++) {
		assert_int_equal(finding_id_of(slice_str(finding_rules[i].id)), i);
		assert_true(finding_rules[i].when && finding_rules[i].advice && finding_rules[i].lost);
	}
	assert_int_equal(finding_id_of(SLICE("nonsense")), FINDING_IDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_and_misses),
		cmocka_unit_test(one_cause_is_counted_once),
		cmocka_unit_test(names_of_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
