/* SPDX-License-Identifier: MIT */
#include "model/findings.h"

#include <stdlib.h>

const char *const severity_names[SEVERITIES] = { "high", "medium", "low", "info" };
const char *const certainty_names[CERTAINTIES] = { "certain", "likely", "possible" };
const char *const nature_names[NATURES] = { "layout", "placement", "delivery" };

#define BY_COST "by cost"

const struct finding_rule finding_rules[FINDING_IDS] = {
	[FINDING_MISALIGNED] = {
		"misaligned",
		"a mapping of at least one huge page, not PROT_NONE, whose start (of file and shmem: "
			"start - offset) is no multiple of the PMD size, where huge pages are possible "
			"or would be",
		BY_COST "; [heap] and [stack] without cost: info",
		"certain; where the policy is not known: likely with MADV_HUGEPAGE, else possible",
		"placement", "what would be huge on a boundary",
		"Map a multiple of the PMD size (placed on a boundary since Linux 6.7), or align the "
			"start yourself: map one huge page more and use the aligned part, "
			"aligned_alloc, posix_memalign.",
	},
	[FINDING_HEADER_PAGE] = {
		"header-page",
		"private anonymous memory, n huge pages and up to 16 small pages long, as malloc maps "
			"a block of n huge pages for its header: first-touch (aligned, only the first "
			"huge page resident), blocks (several such blocks merged), unplaced (not "
			"aligned, a slot lost), placed (nothing lost)",
		"first-touch: low; blocks: medium; unplaced: " BY_COST "; placed: info",
		"likely up to 4 small pages (blocks: from 4 blocks), else possible",
		"layout; first-touch: delivery",
		"first-touch: the huge page but one small page, an upper bound; blocks: not delivered; "
			"unplaced: misplaced",
		"Ask malloc for 24 bytes less than a multiple of the PMD size, or use aligned_alloc.",
	},
	[FINDING_ODD_LENGTH] = {
		"odd-length",
		"anonymous memory whose length is more than 16 small pages above a multiple of the PMD "
			"size, at least one huge page resident: since Linux 6.12 such lengths are not "
			"placed on a boundary",
		"low", "certain", "layout", "what would be huge on a boundary",
		"Round the length up to a multiple of the PMD size.",
	},
	[FINDING_SPLIT_MAPPING] = {
		"split-mapping",
		"neighbours that touch, of one kind and backing, whose joined range holds more slots "
			"than they do one by one",
		"low", "possible", "layout", "what the joined range could hold more",
		"Give the whole range the same permissions, advice and name, so that it stays one mapping.",
	},
	[FINDING_NEEDS_ADVICE] = {
		"needs-advice",
		"writable anonymous memory without advice, at least one huge page resident in small "
			"pages, where the policy is madvise",
		BY_COST, "certain; where the policy is not known: likely", "layout", "not allowed",
		"madvise(MADV_HUGEPAGE) before the first touch; MADV_COLLAPSE (6.1) for what is resident already.",
	},
	[FINDING_OPTED_OUT] = {
		"opted-out",
		"at least one huge page is resident in small pages and MADV_NOHUGEPAGE, MAP_STACK "
			"(6.8) or PR_SET_THP_DISABLE forbids huge ones, or something refuses them in "
			"spite of MADV_HUGEPAGE",
		BY_COST "; thread stacks: info", "certain; refused in spite of advice: likely", "layout", "not allowed",
		"Remove MADV_NOHUGEPAGE or the prctl where huge pages are wanted.",
	},
	[FINDING_POLICY_OFF] = {
		"policy-off",
		"transparent_hugepage/enabled is never and at least one huge page is resident in small pages",
		"high", "certain", "layout", "not allowed, of anonymous memory",
		"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
	},
	[FINDING_SHMEM_POLICY] = {
		"shmem-policy",
		"shared memory of at least one huge page is resident in small pages because "
			"shmem_enabled or the mount does not allow huge ones",
		"medium", "certain when shmem_enabled says so, else likely", "layout", "not allowed, of shared memory",
		"shmem_enabled = advise with MADV_HUGEPAGE, or always; of a tmpfs: mount -o huge=; or hugetlb pages.",
	},
	[FINDING_UNDELIVERED] = {
		"undelivered", "huge pages are possible and fit, and at least one is not there",
		BY_COST "; file: info", "certain; file: possible", "delivery", "not delivered",
		"Advise before the first touch; MADV_COLLAPSE (6.1) afterwards; see the suspects.",
	},
	[FINDING_THP_LOSS] = {
		"thp-loss",
		"diff: huge pages became small while the memory stayed resident: half a huge page or "
			"more of one mapping by address, one or more by identity or in a pool",
		"high from 10 % of what was huge of the class, else medium",
		"certain by address; likely by identity and when moved; pool: likely when a loss other "
			"than size rose by a huge page, else possible",
		"delivery, or of the cause", "huge memory that became small",
		"By the cause: one protection and advice for the whole range, whole slots freed, advice kept.",
	},
	[FINDING_SLOTS_LOST] = {
		"slots-lost", "diff: a mapping has fewer slots that fit for the same length",
		"low", "certain by address; by identity likely when the start was aligned before, else possible",
		"placement", "0",
		"Map a multiple of the PMD size: since Linux 6.12 only such lengths are placed on a boundary.",
	},
	[FINDING_SETTING_CHANGED] = {
		"setting-changed", "diff: a THP setting or the prctl of the process differs",
		"high", "certain", "layout", "0", "Compare under equal settings.",
	},
	[FINDING_FALLBACK] = {
		"fallback", "diff: of at least 100 huge-page faults 10 % or more fell back to small pages",
		"medium", "certain", "delivery", "0",
		"Memory is fragmented or a cgroup is full: vm.compaction_proactiveness, defrag, less "
			"page cache pressure.",
	},
};

enum finding_id finding_id_of(struct slice name)
{
	for (int i = 0; i < FINDING_IDS; i++)
		if (slice_eq_str(name, finding_rules[i].id))
			return (enum finding_id)i;
	return FINDING_IDS;
}

struct finding *findings_add(struct findings *f, struct finding x)
{
	f->at = mem_grow(f->at, &f->cap, f->n + 1, sizeof(*f->at));
	f->at[f->n] = x;
	return &f->at[f->n++];
}

void findings_free(struct findings *f)
{
	mem_free(f->at);
	mem_free(f->vmas);
	*f = (struct findings){ 0 };
}

enum severity severity_by_cost(const struct model *m, const struct thp *t, bool known, uint64_t lost)
{
	if (known && lost >= m->pmd_kb)
		return lost >= t->w.rss - lost ? SEVERITY_HIGH : SEVERITY_MEDIUM;
	if (thp_slots_lost(t) || (known && lost))
		return SEVERITY_LOW;
	return SEVERITY_INFO;
}

static int cmp(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? -1 : 1;
	if (x->lost_kb != y->lost_kb)
		return x->lost_kb > y->lost_kb ? -1 : 1;
	if (x->vma != y->vma)
		return x->vma < y->vma ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void findings_sort(struct findings *f)
{
	if (f->n)
		qsort(f->at, f->n, sizeof(*f->at), cmp);
}

/* The first finding of this mapping that names the same loss counts it. */
static void mark_same(struct findings *f, size_t from)
{
	for (size_t i = from; i < f->n; i++) {
		f->at[i].same_as = -1;
		for (size_t k = from; k < i && f->at[i].loss != LOSS_OWN; k++) {
			if (f->at[k].loss == f->at[i].loss && f->at[k].same_as < 0) {
				f->at[i].same_as = (int8_t)f->at[k].id;
				break;
			}
		}
	}
}

/* What is smaller than a slot and has less than one resident loses nothing by itself. */
static bool may_lose(const struct model *m, const struct vma *v, const struct thp *t)
{
	return v->class <= CLASS_FILE && (t->slots_ideal || (t->w.rss >= m->pmd_kb && v->class <= CLASS_SHMEM));
}

static void find_one(struct finder *x, size_t i, const struct thp *t)
{
	const struct vma *v = &x->m->smaps->vma[i];
	size_t from = x->out->n;

	if (!may_lose(x->m, v, t))
		return;
	find_layout(x, i, v, t);
	find_policy(x, i, v, t);
	find_delivery(x, i, v, t);
	if (x->out->n > from + 1)
		mark_same(x->out, from);
}

static void add_vma(struct findings *f, size_t i)
{
	f->vmas = mem_grow(f->vmas, &f->vmas_cap, f->vmas_n + 1, sizeof(*f->vmas));
	f->vmas[f->vmas_n++] = (uint32_t)i;
}

void findings_make(struct model *m, struct findings *ret)
{
	struct finder x = { .m = m, .out = ret };
	struct tally tally;
	size_t next_run = 0;
	struct thp t;

	*ret = (struct findings){ 0 };
	tally_start(&tally, m);
	for (size_t i = 0; i < m->smaps->n; i++) {
		const struct vma *v = &m->smaps->vma[i];
		size_t from = ret->n;

		if (i == next_run)
			next_run = find_split(&x, i);
		if (!model_keeps(m, i))
			continue;
		model_thp(m, v, &t);
		tally_add(&tally, m, v, &t);
		find_one(&x, i, &t);
		if (ret->n > from || waterfall_cost(&t.w))
			add_vma(ret, i);
	}
	tally_end(&tally, m);
	find_process(&x);
	findings_sort(ret);
}
