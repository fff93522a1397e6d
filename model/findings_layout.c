/* SPDX-License-Identifier: MIT */
/* Findings about sizes and places: misaligned, header-page, odd-length, split-mapping. */
#include "model/findings.h"

static bool start_on_boundary(const struct model *m, const struct vma *v)
{
	uint64_t at = v->class == CLASS_ANON ? v->start : v->start - v->offset;

	return (at & ((m->pmd_kb << 10) - 1)) == 0;
}

static bool possible_anywhere(const struct vma *v)
{
	return v->eligible == ELIGIBLE_YES || v->eligible == ELIGIBLE_IF_ALIGNED;
}

/* Whether the kernel would use huge pages is not known, and nothing speaks against it. */
static bool open(const struct model *m, const struct vma *v, const struct thp *t)
{
	if (v->class != CLASS_ANON || !vma_rw(v) || vma_flag(v, VM_FLAG_BIT(nh)) || m->disabled)
		return false;
	if (v->eligible == ELIGIBLE_UNKNOWN)
		return true;
	return v->eligible == ELIGIBLE_NO && m->policy == POLICY_UNKNOWN && t->slots_fit == 0 && m->refusing == 0;
}

static void misaligned(struct finder *x, size_t i, const struct vma *v, const struct thp *t)
{
	const struct model *m = x->m;
	uint64_t lost = t->w.alignment_loss;
	bool sure = possible_anywhere(v);

	if (t->slots_ideal == 0 || vma_none(v) || start_on_boundary(m, v) || (!sure && !open(m, v, t)))
		return;
	struct finding f = {
		.id = FINDING_MISALIGNED,
		.severity = (uint8_t)severity_by_cost(m, t, t->known, lost),
		.certainty = sure ? CERTAIN : vma_flag(v, VM_FLAG_BIT(hg)) ? LIKELY : POSSIBLE,
		.nature = NATURE_PLACEMENT, .loss = LOSS_ALIGNMENT, .same_as = -1,
		.lost_known = t->known, .lost_kb = lost, .vma = (int64_t)i,
	};
	if ((vma_is_heap(v) || vma_is_stack(m, v)) && lost == 0)
		f.severity = SEVERITY_INFO; /* nobody places these, and nothing is lost */
	findings_add(x->out, f);
}

static enum header_state header_state(const struct model *m, const struct vma *v, const struct thp *t,
				      uint64_t rest_kb, uint64_t *ret_blocks)
{
	uint64_t page = model_page_kb(m), blocks = rest_kb / page;
	bool aligned = start_on_boundary(m, v);

	if (t->known && aligned && t->w.huge == m->pmd_kb && t->w.rss - t->w.huge <= rest_kb && t->slots_ideal >= 2)
		return HEADER_FIRST_TOUCH;
	if (t->known && rest_kb % page == 0 && blocks >= 3 && t->w.delivery_loss >= (blocks - 1) * m->pmd_kb &&
	    t->w.delivery_loss <= blocks * m->pmd_kb) {
		*ret_blocks = blocks;
		return HEADER_BLOCKS;
	}
	return !aligned && thp_slots_lost(t) ? HEADER_UNPLACED : HEADER_PLACED;
}

static void header_page(struct finder *x, size_t i, const struct vma *v, const struct thp *t)
{
	const struct model *m = x->m;
	uint64_t page = model_page_kb(m), rest = vma_size_kb(v) % m->pmd_kb, blocks = 0;

	if (v->class != CLASS_ANON || !vma_private(v) || !vma_rw(v) || vma_is_heap(v) || vma_is_stack(m, v) ||
	    t->slots_ideal == 0 || rest == 0 || rest > 16 * page)
		return;
	struct finding f = {
		.id = FINDING_HEADER_PAGE, .state = (uint8_t)header_state(m, v, t, rest, &blocks),
		.certainty = rest <= 4 * page ? LIKELY : POSSIBLE,
		.nature = NATURE_LAYOUT, .same_as = -1, .lost_known = true, .vma = (int64_t)i,
	};
	switch ((enum header_state)f.state) {
	case HEADER_FIRST_TOUCH:
		f.severity = SEVERITY_LOW;
		f.nature = NATURE_DELIVERY;
		f.loss = LOSS_OWN;
		f.lost_kb = m->pmd_kb - page;
		break;
	case HEADER_BLOCKS:
		f.severity = SEVERITY_MEDIUM;
		f.certainty = blocks >= 4 ? LIKELY : POSSIBLE;
		f.loss = LOSS_DELIVERY;
		f.lost_kb = t->w.delivery_loss;
		f.number = blocks;
		break;
	case HEADER_UNPLACED:
		f.severity = (uint8_t)severity_by_cost(m, t, t->known, t->w.alignment_loss);
		f.loss = LOSS_ALIGNMENT;
		f.lost_known = t->known;
		f.lost_kb = t->w.alignment_loss;
		break;
	case HEADER_PLACED:
		f.severity = SEVERITY_INFO;
		f.loss = LOSS_OWN;
		break;
	}
	findings_add(x->out, f);
}

static void odd_length(struct finder *x, size_t i, const struct vma *v, const struct thp *t)
{
	const struct model *m = x->m;
	uint64_t rest = vma_size_kb(v) % m->pmd_kb;

	if (v->class != CLASS_ANON || !vma_rw(v) || vma_is_heap(v) || vma_is_stack(m, v) || !possible_anywhere(v) ||
	    t->slots_ideal == 0 || rest <= 16 * model_page_kb(m) ||
	    vma_value(m->smaps, v, SMAPS_Rss) < m->pmd_kb)
		return;
	findings_add(x->out, (struct finding){
		.id = FINDING_ODD_LENGTH, .severity = SEVERITY_LOW, .certainty = CERTAIN, .nature = NATURE_LAYOUT,
		.loss = LOSS_ALIGNMENT, .same_as = -1, .lost_known = t->known, .lost_kb = t->w.alignment_loss,
		.vma = (int64_t)i,
	});
}

void find_layout(struct finder *x, size_t i, const struct vma *v, const struct thp *t)
{
	if (t->slots_ideal == 0)
		return;
	misaligned(x, i, v, t);
	header_page(x, i, v, t);
	odd_length(x, i, v, t);
}

/* ---- split-mapping ---- */

static bool one_backing(const struct vma *a, const struct vma *b)
{
	if (a->end != b->start || a->class != b->class || a->class > CLASS_FILE || vma_none(a) || vma_none(b))
		return false;
	if (a->class == CLASS_ANON)
		return a->name == b->name;
	return a->major == b->major && a->minor == b->minor && a->inode == b->inode &&
	       b->offset - a->offset == b->start - a->start;
}

static uint8_t differences(const struct vma *a, const struct vma *b)
{
	const uint64_t advice = VM_FLAG_BIT(hg) | VM_FLAG_BIT(nh);
	const uint64_t of_perms = VM_FLAG_BIT(rd) | VM_FLAG_BIT(wr) | VM_FLAG_BIT(ex) | VM_FLAG_BIT(sh);
	uint64_t flags = a->flags ^ b->flags;
	uint8_t d = 0;

	if (memcmp(a->perms, b->perms, 4) != 0)
		d |= DIFFERS_PERMS;
	if (flags & advice)
		d |= DIFFERS_ADVICE;
	if (flags & ~advice & ~of_perms)
		d |= DIFFERS_FLAGS;
	return d;
}

struct run {
	size_t first, n;
	uint64_t fit;      /* of the parts */
	uint64_t ideal_kb; /* I of the parts */
	uint64_t fillable; /* R - C of the parts */
	bool known;
	uint8_t differs;
};

static void run_add(struct run *r, const struct model *m, size_t i)
{
	const struct vma *v = &m->smaps->vma[i];
	struct thp t;

	model_thp(m, v, &t);
	if (r->n)
		r->differs |= differences(v - 1, v);
	uint64_t copied = vma_private(v) && v->class != CLASS_ANON ? vma_value(m->smaps, v, SMAPS_Anonymous) : 0;
	r->known = (r->n == 0 || r->known) && t.known;
	r->fit += t.slots_fit;
	r->ideal_kb += waterfall_ideal(&t.w);
	r->fillable += t.w.rss > copied ? t.w.rss - copied : 0;
	r->n++;
}

static void judge_run(struct finder *x, size_t first, size_t last)
{
	const struct model *m = x->m;
	struct vma joined = m->smaps->vma[first];
	struct run r = { .first = first };

	for (size_t i = first; i <= last; i++)
		run_add(&r, m, i);
	joined.end = m->smaps->vma[last].end;
	if (model_slots_fit(m, &joined) <= r.fit)
		return;
	uint64_t room = vma_size_kb(&joined) / m->pmd_kb * m->pmd_kb;
	uint64_t ideal = (r.fillable < room ? r.fillable : room) / m->pmd_kb * m->pmd_kb;
	findings_add(x->out, (struct finding){
		.id = FINDING_SPLIT_MAPPING, .severity = SEVERITY_LOW, .certainty = POSSIBLE, .nature = NATURE_LAYOUT,
		.loss = LOSS_OWN, .same_as = -1, .state = r.differs, .number = r.n, .lost_known = r.known,
		.lost_kb = ideal > r.ideal_kb ? ideal - r.ideal_kb : 0, .vma = (int64_t)first,
	});
}

static bool all_kept(const struct model *m, size_t first, size_t last)
{
	while (first <= last && model_keeps(m, first))
		first++;
	return first > last;
}

size_t find_split(struct finder *x, size_t i)
{
	const struct smaps *s = x->m->smaps;
	size_t last = i;

	while (last + 1 < s->n && one_backing(&s->vma[last], &s->vma[last + 1]))
		last++;
	/* A library's segments touch too; few of them could hold a slot together. */
	if (last > i && (s->vma[last].end - s->vma[i].start) >> x->m->pmd_shift && all_kept(x->m, i, last))
		judge_run(x, i, last);
	return last + 1;
}
