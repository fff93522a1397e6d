/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include <math.h>

#include "model/runtime.h"

/* What was said when a report that is read back was made holds until something else is said. */
static struct model_options given(const struct snapshot *snap, const struct model_options *o)
{
	struct model_options ret = *o;

	if (!ret.pmd_kb)
		ret.pmd_kb = snap->system.given_pmd_kb;
	for (int p = POLICY_ALWAYS; ret.policy == POLICY_UNKNOWN && p < POLICY_COUNT; p++)
		if (slice_eq_str(snap->system.given_policy, policy_names[p]))
			ret.policy = (enum policy)p;
	return ret;
}

static void start(struct model *m, struct snapshot *snap, const struct model_options *o)
{
	*m = (struct model){ .snap = snap, .smaps = &snap->smaps };
	m->disabled = snap->has_process && snap->process.thp_disabled == 1;
	m->kept = snap->smaps.n;
	struct model_options all = given(snap, o);

	model_find_sizes(m, &snap->smaps, &all);
}

static void complete(struct model *m, const struct smaps *other, const struct model_options *o)
{
	struct model_options all = given(m->snap, o);

	model_classify(m, other);
	model_find_policy(m, &all);
	model_judge(m);
	m->runtimes = runtime_find(m);
}

void model_init(struct model *m, struct snapshot *snap, const struct model_options *o)
{
	start(m, snap, o);
	complete(m, NULL, o);
}

void model_init_pair(struct model *a, struct snapshot *before, struct model *b, struct snapshot *after,
		     const struct model_options *o)
{
	start(a, before, o);
	start(b, after, o);
	complete(a, b->smaps, o);
	complete(b, a->smaps, o);
}

void model_free(struct model *m)
{
	mem_free(m->name_class);
	mem_free(m->seen.inodes);
	mem_free(m->seen.open);
	mem_free(m->keep);
	*m = (struct model){ 0 };
}

/* ---- totals ---- */

static const struct {
	enum total total;
	enum smaps_field field;
} summed[] = {
	{ TOTAL_RSS, SMAPS_Rss },
	{ TOTAL_PSS, SMAPS_Pss },
	{ TOTAL_ANONYMOUS, SMAPS_Anonymous },
	{ TOTAL_SWAP, SMAPS_Swap },
	{ TOTAL_ANON_HUGE, SMAPS_AnonHugePages },
	{ TOTAL_SHMEM_PMD, SMAPS_ShmemPmdMapped },
	{ TOTAL_FILE_PMD, SMAPS_FilePmdMapped },
	{ TOTAL_HUGE, SMAPS_AnonHugePages },
	{ TOTAL_HUGE, SMAPS_ShmemPmdMapped },
	{ TOTAL_HUGE, SMAPS_FilePmdMapped },
	{ TOTAL_HUGETLB, SMAPS_Shared_Hugetlb },
	{ TOTAL_HUGETLB, SMAPS_Private_Hugetlb },
};

void waterfall_add(struct waterfall *to, const struct waterfall *w)
{
	to->rss += w->rss;
	to->subslot += w->subslot;
	to->policy_loss += w->policy_loss;
	to->alignment_loss += w->alignment_loss;
	to->delivery_loss += w->delivery_loss;
	to->huge += w->huge;
}

static void add_fall(struct fall_total *f, const struct thp *t)
{
	/* Known until a first mapping is not; then known again by the first that is. */
	f->known = f->vmas == 0 ? t->known : f->known || t->known;
	f->vmas++;
	if (t->known)
		waterfall_add(&f->w, &t->w);
}

static void add_wide(struct tally *y, const struct smaps *s, const struct vma *v)
{
	size_t n;
	const struct smaps_extra *x = smaps_extras(s, (size_t)(v - s->vma), &n);

	for (size_t i = 0; i < n; i++)
		if (x[i].key < SMAPS_FIELDS)
			y->kb[x[i].key] += x[i].value - SMAPS_WIDE;
}

static void add_fields(struct tally *y, const struct smaps *s, const struct vma *v)
{
#define SUM(name) y->kb[SMAPS_##name] += v->value[SMAPS_##name]
	SUM(Rss);
	SUM(Pss);
	SUM(Anonymous);
	SUM(Swap);
	SUM(AnonHugePages);
	SUM(ShmemPmdMapped);
	SUM(FilePmdMapped);
	SUM(Shared_Hugetlb);
	SUM(Private_Hugetlb);
#undef SUM
	y->present |= v->present;
	if (v->has_extra)
		add_wide(y, s, v);
}

void tally_start(struct tally *y, struct model *m)
{
	struct totals *t = &m->totals;

	*y = (struct tally){ 0 };
	*t = (struct totals){ 0 };
	t->sum[TOTAL_SIZE].known = true;
	for (int f = 0; f < FALL_ALL; f++)
		t->fall[f].known = true; /* no mapping of the class: 0 */
}

void tally_add(struct tally *y, struct model *m, const struct vma *v, const struct thp *thp)
{
	struct totals *t = &m->totals;

	add_fields(y, m->smaps, v);
	t->vmas++;
	t->sum[TOTAL_SIZE].kb += vma_size_kb(v);
	if (vma_has(v, SMAPS_THPeligible)) {
		t->has_thp_eligible = true;
		t->thp_eligible += v->value[SMAPS_THPeligible] != 0;
	}
	if (v->class > CLASS_FILE)
		return;
	add_fall(&t->fall[v->class], thp);
	if (vma_none(v))
		return;
	t->fall[v->class].usable_kb += vma_size_kb(v);
	if (v->eligible == ELIGIBLE_YES || v->eligible == ELIGIBLE_IF_ALIGNED) {
		t->if_aligned += v->eligible == ELIGIBLE_IF_ALIGNED;
		t->slots_ideal += thp->slots_ideal;
		t->slots_fit += thp->slots_fit;
	}
}

static void sum_falls(struct fall_total *all, const struct fall_total *fall)
{
	bool some = false;

	for (int f = 0; f < FALL_ALL; f++) {
		all->vmas += fall[f].vmas;
		all->usable_kb += fall[f].usable_kb;
		waterfall_add(&all->w, &fall[f].w);
		some |= fall[f].vmas && fall[f].known;
	}
	all->known = all->vmas == 0 || some;
}

void tally_end(const struct tally *y, struct model *m)
{
	struct totals *t = &m->totals;

	sum_falls(&t->fall[FALL_ALL], t->fall);
	for (size_t k = 0; k < sizeof(summed) / sizeof(*summed); k++) {
		t->sum[summed[k].total].kb += y->kb[summed[k].field];
		t->sum[summed[k].total].known |= (y->present & PRESENT_BIT(summed[k].field)) != 0;
	}
}

void model_totals(struct model *m)
{
	struct tally y;
	struct thp t;

	tally_start(&y, m);
	for (size_t i = 0; i < m->smaps->n; i++) {
		const struct vma *v = &m->smaps->vma[i];

		if (!model_keeps(m, i))
			continue;
		model_thp(m, v, &t);
		tally_add(&y, m, v, &t);
	}
	tally_end(&y, m);
}

/* ---- ratios ---- */

static double ratio(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : NAN;
}

double fall_share(const struct waterfall *w)
{
	return ratio(w->huge, w->rss);
}

double fall_coverage(const struct waterfall *w)
{
	return ratio(w->huge, waterfall_ideal(w));
}

double fall_delivered(const struct waterfall *w)
{
	return ratio(w->huge, w->huge + w->delivery_loss);
}

int model_headline(const struct model *m)
{
	const struct fall_total *f = m->totals.fall;

	return f[FALL_SHMEM].w.rss > f[FALL_ANON].w.rss ? FALL_SHMEM : FALL_ANON;
}
