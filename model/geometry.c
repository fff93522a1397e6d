/* SPDX-License-Identifier: MIT */
/* Page size, PMD size, slots and the waterfall of one mapping. */
#include "model/model.h"

#include "base/num.h"

/* ---- page size and PMD size ---- */

static const struct {
	uint64_t page_kb, pmd_kb;
} pmd_of_page[] = { { 4, 2048 }, { 8, 8192 }, { 16, 32768 }, { 64, 524288 } };

/* Huge page sizes of Linux: s390; x86, arm64 4K, riscv; sparc; ppc64 hash; arm64 16K and 64K. */
static const uint64_t pmd_sizes[] = { 1024, 2048, 8192, 16384, 32768, 524288 };

/* What the mappings together tell about sizes. */
static void gather(struct model *m, struct smaps *s)
{
	smaps_gather(s);
	m->page_kb = s->all.page_kb;
	m->huge_fields = s->all.present & (PRESENT_BIT(SMAPS_AnonHugePages) | PRESENT_BIT(SMAPS_ShmemPmdMapped) |
					   PRESENT_BIT(SMAPS_FilePmdMapped));
}

static void from_page_size(struct model *m, uint64_t huge)
{
	m->pmd_source = PMD_PAGE_SIZE;
	for (size_t i = 0; i < sizeof(pmd_of_page) / sizeof(*pmd_of_page); i++)
		if (pmd_of_page[i].page_kb == m->page_kb)
			m->pmd_kb = pmd_of_page[i].pmd_kb;
	if (m->page_kb == 64)
		m->pmd_note = "64K pages: 512 MiB is arm64's huge page; on ppc64 it is 2 MiB or 16 MiB (--pmd-size)";
	/*
	 * All sizes are powers of two: what divides the or of the values divides each. Sums of
	 * many mappings say less, but what no size divides is no size.
	 */
	if (huge % m->pmd_kb == 0)
		return;
	for (size_t i = sizeof(pmd_sizes) / sizeof(*pmd_sizes); i-- > 0;) {
		if (huge % pmd_sizes[i] == 0) {
			m->pmd_kb = pmd_sizes[i];
			m->pmd_source = PMD_VALUES;
			m->pmd_note = NULL;
			return;
		}
	}
	m->pmd_note = "PMD-mapped values are multiples of no known huge page size; "
		      "that of the page size is used (--pmd-size)";
}

/* The largest; smaller ones than a PMD's have folders too. */
static uint64_t from_directories(const struct thp_settings *thp)
{
	for (size_t i = thp->sizes_n; i-- > 0;)
		if (thp->sizes[i].enabled.n && model_pmd_fits(thp->sizes[i].kb))
			return thp->sizes[i].kb;
	return 0;
}

static uint64_t from_file(const struct thp_settings *thp)
{
	uint64_t bytes;

	if (!num_u64(thp_setting(thp, "hpage_pmd_size"), &bytes) || bytes % 1024 || !model_pmd_fits(bytes >> 10))
		return 0;
	return bytes >> 10;
}

void model_find_sizes(struct model *m, struct smaps *s, const struct model_options *o)
{
	const struct thp_settings *thp = m->snap->system.has_thp ? &m->snap->system.thp : NULL;
	uint64_t kb;

	gather(m, s);
	if (o->pmd_kb) {
		m->pmd_kb = o->pmd_kb;
		m->pmd_source = PMD_OPTION;
	} else if (thp && (kb = from_file(thp))) {
		m->pmd_kb = kb;
		m->pmd_source = PMD_SYSFS;
	} else if (thp && (kb = from_directories(thp))) {
		m->pmd_kb = kb;
		m->pmd_source = PMD_MTHP_DIRS;
	} else if (m->page_kb) {
		from_page_size(m, s->all.huge);
	} else {
		m->pmd_kb = 2048;
		m->pmd_source = PMD_ASSUMED;
		m->pmd_note = "nothing says the page size: 4 kB pages and 2 MiB huge pages are assumed (--pmd-size)";
	}
	m->pmd_shift = (unsigned)__builtin_ctzll(m->pmd_kb) + 10;
}

/* ---- slots ---- */

/* First and last boundary inside the mapping, in bytes; equal or crossed when no slot fits. */
static void slot_bounds(const struct model *m, const struct vma *v, uint64_t *first, uint64_t *last)
{
	uint64_t mask = (m->pmd_kb << 10) - 1;

	*first = v->start > UINT64_MAX - mask ? UINT64_MAX : (v->start + mask) & ~mask;
	*last = v->end & ~mask;
}

static bool congruent(const struct model *m, const struct vma *v)
{
	if (v->class != CLASS_FILE && v->class != CLASS_SHMEM)
		return true;
	return ((v->start - v->offset) & ((m->pmd_kb << 10) - 1)) == 0;
}

uint64_t model_slots_fit(const struct model *m, const struct vma *v)
{
	uint64_t first, last;

	if ((v->end - v->start) >> m->pmd_shift == 0 || v->class > CLASS_FILE || !congruent(m, v))
		return 0;
	slot_bounds(m, v, &first, &last);
	return last > first ? (last - first) >> m->pmd_shift : 0;
}

uint64_t model_huge_kb(const struct model *m, const struct vma *v)
{
	return vma_value(m->smaps, v, SMAPS_AnonHugePages) + vma_value(m->smaps, v, SMAPS_ShmemPmdMapped) +
	       vma_value(m->smaps, v, SMAPS_FilePmdMapped);
}

static uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Copied pages of a private file or shmem mapping are never huge. */
static uint64_t copied_kb(const struct model *m, const struct vma *v)
{
	if (!vma_private(v) || (v->class != CLASS_FILE && v->class != CLASS_SHMEM))
		return 0;
	return vma_value(m->smaps, v, SMAPS_Anonymous);
}

static void fall(const struct model *m, const struct vma *v, struct thp *t)
{
	uint64_t p = m->pmd_kb, r = vma_value(m->smaps, v, SMAPS_Rss);

	if (t->slots_ideal == 0 && model_huge_kb(m, v) == 0) { /* most mappings are small */
		t->w.rss = t->w.subslot = r;
		return;
	}
	uint64_t c = copied_kb(m, v), fillable = r > c ? r - c : 0;
	uint64_t ideal = min_u64(fillable, t->slots_ideal * p) & ~(p - 1);
	bool may = v->eligible == ELIGIBLE_YES || v->eligible == ELIGIBLE_IF_ALIGNED ||
		   v->eligible == ELIGIBLE_UNKNOWN;
	uint64_t allowed = may ? ideal : 0;
	uint64_t fits = min_u64(allowed, min_u64(fillable, t->slots_fit * p) & ~(p - 1));
	uint64_t huge = min_u64(model_huge_kb(m, v), r);

	fits = max_u64(fits, huge);
	allowed = max_u64(allowed, fits);
	ideal = max_u64(ideal, allowed);
	t->w = (struct waterfall){
		.rss = r,
		.subslot = r - ideal,
		.policy_loss = ideal - allowed,
		.alignment_loss = allowed - fits,
		.delivery_loss = fits - huge,
		.huge = huge,
	};
}

void model_thp(const struct model *m, const struct vma *v, struct thp *ret)
{
	uint64_t first, last;

	/* Set one by one: compilers clear the whole with an instruction that is slow to start. */
	ret->slots_ideal = ret->slots_fit = 0;
	ret->head_kb = vma_size_kb(v);
	ret->tail_kb = 0;
	ret->known = false;
	ret->w = (struct waterfall){ 0 };
	if (v->class > CLASS_FILE)
		return;
	ret->slots_ideal = (v->end - v->start) >> m->pmd_shift;
	if (ret->slots_ideal)
		ret->slots_fit = model_slots_fit(m, v);
	if (ret->slots_fit) {
		slot_bounds(m, v, &first, &last);
		ret->head_kb = (first - v->start) >> 10;
		ret->tail_kb = (v->end - last) >> 10;
	}
	ret->known = vma_has(v, SMAPS_Rss) && (v->present & m->huge_fields) == m->huge_fields;
	if (ret->known)
		fall(m, v, ret);
}
