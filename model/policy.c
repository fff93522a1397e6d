/* SPDX-License-Identifier: MIT */
/* What the host allows, and what that means for each mapping. */
#include <stdlib.h>

#include "model/model.h"

/* ---- policy of the host ---- */

static enum policy policy_of(struct slice word)
{
	for (int i = POLICY_ALWAYS; i < POLICY_COUNT; i++)
		if (slice_eq_str(word, policy_names[i]))
			return (enum policy)i;
	return POLICY_UNKNOWN;
}

/* Since 6.8 the size's own file decides; "inherit" asks the one above. */
static struct slice effective(const struct thp_settings *thp, uint64_t kb, bool shmem)
{
	const struct thp_size *size = thp_size_of(thp, kb);
	struct slice own = { 0 };

	if (size)
		own = shmem ? size->shmem_enabled : size->enabled;
	if (own.n && !slice_eq(own, SLICE("inherit")))
		return own;
	return thp_setting(thp, shmem ? "shmem_enabled" : "enabled");
}

static bool says_1(const struct vma *v)
{
	return vma_has(v, SMAPS_THPeligible) && v->value[SMAPS_THPeligible] != 0;
}

static bool says_0(const struct vma *v)
{
	return vma_has(v, SMAPS_THPeligible) && v->value[SMAPS_THPeligible] == 0;
}

/* From what the kernel said of mappings whose advice is known. */
static enum policy infer(const struct observed *seen)
{
	/* Eligible without a slot: smaller sizes are on, so THPeligible says nothing about PMD. */
	if (seen->plain_slot_1 && !seen->plain_none_1)
		return POLICY_ALWAYS;
	return seen->advised_1 && seen->plain_slot_0 ? POLICY_MADVISE : POLICY_UNKNOWN;
}

void model_find_policy(struct model *m, const struct model_options *o)
{
	const struct system_info *sys = &m->snap->system;

	m->policy = o->policy;
	m->policy_source = POLICY_FROM_OPTION;
	if (m->policy == POLICY_UNKNOWN && sys->has_thp) {
		m->policy = policy_of(effective(&sys->thp, m->pmd_kb, false));
		m->policy_source = POLICY_FROM_SYSFS;
	}
	if (m->policy == POLICY_UNKNOWN) {
		m->policy = infer(&m->seen);
		m->policy_source = POLICY_INFERRED;
	}
	if (m->policy == POLICY_UNKNOWN)
		m->policy_source = POLICY_FROM_NONE;
}

/* ---- each mapping ---- */

static const uint64_t barring = VM_FLAG_BIT(nh) | VM_FLAG_BIT(ht) | VM_FLAG_BIT(io) | VM_FLAG_BIT(pf) |
				VM_FLAG_BIT(mm) | VM_FLAG_BIT(de);

enum leave { NOT_ALLOWED, OPEN, ALLOWED };

static enum leave anon_leave(const struct model *m, const struct vma *v)
{
	switch (m->policy) {
	case POLICY_ALWAYS:
		return ALLOWED;
	case POLICY_NEVER:
		return NOT_ALLOWED;
	case POLICY_MADVISE:
		if (vma_flag(v, VM_FLAG_BIT(hg)))
			return ALLOWED;
		return vma_has_flags(v) ? NOT_ALLOWED : OPEN;
	default:
		return OPEN;
	}
}

/*
 * shmem_enabled rules the kernel's own mount: shared anonymous memory, SysV,
 * memfd. A mounted tmpfs has its huge= option, which only "force" and "deny"
 * override. Both override a size's own file too (since 6.10): with "force" a
 * size must inherit, or it has none. "within_size" goes by the length of the
 * file, which is known of shared anonymous memory alone, and asks the advice
 * then; in a size's own file it does not.
 */
static bool model_shmem_allowed_by_setting(const struct model *m, const struct vma *v)
{
	const struct system_info *sys = &m->snap->system;
	const struct thp_size *size = thp_size_of(&sys->thp, m->pmd_kb);
	struct slice name = vma_name(m->smaps, v), top = thp_setting(&sys->thp, "shmem_enabled"),
		     word = effective(&sys->thp, m->pmd_kb, true);
	bool advised = vma_flag(v, VM_FLAG_BIT(hg)), whole_file = slice_starts(name, SLICE("/dev/zero")),
	     inherits = !size || !size->shmem_enabled.n || slice_eq(size->shmem_enabled, SLICE("inherit")),
	     of_kernel = whole_file || slice_starts(name, SLICE("/memfd:")) || slice_starts(name, SLICE("/SYSV")) ||
			 slice_starts(name, SLICE("[anon_shmem:"));

	if (!sys->has_thp || slice_eq(top, SLICE("deny")))
		return false;
	if (slice_eq(top, SLICE("force")))
		return !of_kernel || inherits;
	if (!of_kernel)
		return false;
	if (slice_eq(word, SLICE("within_size")))
		return whole_file || (advised && inherits);
	return slice_eq(word, SLICE("always")) || (slice_eq(word, SLICE("advise")) && advised);
}

struct judged {
	enum leave leave; /* anon only */
	bool barred, refused, shmem_allowed;
	uint64_t fit;
};

static bool would_if_aligned(const struct model *m, const struct vma *v, const struct judged *j)
{
	if (vma_size_kb(v) < m->pmd_kb || j->fit || j->barred)
		return false;
	if (v->class == CLASS_SHMEM)
		return j->shmem_allowed;
	if (v->class != CLASS_ANON)
		return false;
	if (j->leave == ALLOWED)
		return true;
	return j->leave == OPEN && vma_flag(v, VM_FLAG_BIT(hg)) && !j->refused;
}

static enum eligible judge_unsaid(const struct model *m, const struct vma *v, const struct judged *j)
{
	if (v->class != CLASS_ANON)
		return ELIGIBLE_UNKNOWN;
	if (j->barred || j->leave == NOT_ALLOWED)
		return ELIGIBLE_NO;
	if (j->leave == OPEN)
		return ELIGIBLE_UNKNOWN;
	if (j->fit)
		return ELIGIBLE_YES;
	return vma_size_kb(v) >= m->pmd_kb ? ELIGIBLE_IF_ALIGNED : ELIGIBLE_NO;
}

static enum eligible judge(const struct model *m, const struct vma *v, struct judged *j)
{
	if (!vma_has(v, SMAPS_THPeligible))
		return judge_unsaid(m, v, j);
	if (says_1(v)) {
		bool allowed = v->class != CLASS_ANON || j->leave != NOT_ALLOWED;

		if (j->fit && allowed)
			return ELIGIBLE_YES;
		j->refused = false; /* what the kernel says of this very mapping outweighs others */
		return would_if_aligned(m, v, j) ? ELIGIBLE_IF_ALIGNED : ELIGIBLE_SUB_PMD;
	}
	return would_if_aligned(m, v, j) ? ELIGIBLE_IF_ALIGNED : ELIGIBLE_NO;
}

/* An inode with a mapping that is `yes` or PMD-mapped; shmem only. */
struct huge_inode {
	uint64_t inode;
	uint32_t major, minor;
	uint32_t vma;
};

static int cmp_inode(const void *a, const void *b)
{
	const struct huge_inode *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor < y->minor ? -1 : 1;
	return 0;
}

static void observe_anon(struct model *m, const struct vma *v)
{
	struct observed *seen = &m->seen;
	bool slot = model_slots_fit(m, v) > 0;

	if (vma_flag(v, VM_FLAG_BIT(hg))) {
		seen->advised_1 |= slot && says_1(v);
		m->refusing += slot && says_0(v);
	} else if (vma_has_flags(v) && !vma_flag(v, VM_FLAG_BIT(nh))) {
		seen->plain_slot_1 |= slot && says_1(v);
		seen->plain_slot_0 |= slot && says_0(v);
		seen->plain_none_1 |= !slot && says_1(v);
	}
}

/* Too small for a slot, as most are: what the kernel says of it decides. */
static bool judge_small(const struct model *m, struct vma *v)
{
	if (!vma_has(v, SMAPS_THPeligible) || (v->end - v->start) >> m->pmd_shift)
		return false;
	v->eligible = says_1(v) ? ELIGIBLE_SUB_PMD : ELIGIBLE_NO;
	return true;
}

void model_observe(struct model *m, size_t i)
{
	struct vma *v = &m->smaps->vma[i];
	struct observed *seen = &m->seen;

	if (!judge_small(m, v))
		seen->open[seen->open_n++] = (uint32_t)i;
	if (v->class == CLASS_ANON && vma_has(v, SMAPS_THPeligible))
		observe_anon(m, v);
	if (v->class != CLASS_SHMEM || (!(says_1(v) && model_slots_fit(m, v)) && !model_huge_kb(m, v)))
		return;
	seen->inodes = mem_grow(seen->inodes, &seen->inodes_cap, seen->inodes_n + 1, sizeof(*seen->inodes));
	seen->inodes[seen->inodes_n++] = (struct huge_inode){ v->inode, v->major, v->minor, (uint32_t)i };
}

static bool another_is_huge(const struct observed *seen, const struct vma *v, size_t i)
{
	struct huge_inode key = { v->inode, v->major, v->minor, 0 };
	const struct huge_inode *all = seen->inodes;

	if (!all)
		return false;
	const struct huge_inode *end = all + seen->inodes_n;
	const struct huge_inode *hit = bsearch(&key, all, seen->inodes_n, sizeof(key), cmp_inode);
	if (!hit)
		return false;
	if (hit->vma != i)
		return true;
	return (hit > all && !cmp_inode(hit - 1, &key)) || (hit + 1 < end && !cmp_inode(hit + 1, &key));
}

static bool refuses(const struct model *m, const struct vma *v)
{
	return v->class == CLASS_ANON && vma_flag(v, VM_FLAG_BIT(hg)) && says_0(v) && model_slots_fit(m, v) > 0;
}

void model_judge(struct model *m)
{
	struct observed *seen = &m->seen;

	if (seen->inodes_n)
		qsort(seen->inodes, seen->inodes_n, sizeof(*seen->inodes), cmp_inode);
	for (size_t k = 0; k < seen->open_n; k++) {
		size_t i = seen->open[k];
		struct vma *v = &m->smaps->vma[i];
		struct judged j = {
			.leave = v->class == CLASS_ANON ? anon_leave(m, v) : OPEN,
			.barred = vma_flag(v, barring) || m->disabled,
			.refused = m->refusing > (size_t)refuses(m, v),
			.fit = model_slots_fit(m, v),
		};

		if (v->class == CLASS_SHMEM && !j.fit)
			j.shmem_allowed = model_shmem_allowed_by_setting(m, v) || another_is_huge(seen, v, i);
		v->eligible = (uint8_t)judge(m, v, &j);
	}
}
