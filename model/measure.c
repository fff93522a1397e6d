/* SPDX-License-Identifier: MIT */
#include "model/measure.h"

#include "model/set.h"

static void look_at(struct gauge *g, const struct model *m, const struct vma *v)
{
	struct thp t;

	g->mappings++;
	if (v->class > CLASS_FILE)
		return;
	model_thp(m, v, &t);
	g->known += t.known;
	if (vma_none(v) || !t.slots_ideal)
		return;
	g->holders++;
	g->open += v->eligible == ELIGIBLE_UNKNOWN;
	if (v->eligible == ELIGIBLE_YES || v->eligible == ELIGIBLE_IF_ALIGNED)
		g->slots_lost += thp_slots_lost(&t);
}

/* Of several processes shared memory counts once. */
static struct waterfall waterfall_of(struct model *m, size_t n)
{
	const struct model **members = mem_array(n, sizeof(*members));
	struct set set;

	for (size_t i = 0; i < n; i++) {
		model_totals(&m[i]);
		members[i] = &m[i];
	}
	set_make(&set, members, n);
	struct waterfall w = n == 1 ? m->totals.fall[FALL_ALL].w : set.fall[FALL_ALL].w;
	set_free(&set);
	mem_free(members);
	return w;
}

struct gauge gauge_of(struct model *m, size_t n)
{
	struct gauge g = { 0 };

	for (size_t i = 0; i < n; i++) {
		g.rollup |= m[i].smaps->rollup;
		g.all += m[i].smaps->n;
		for (size_t k = 0; k < m[i].smaps->n && !m[i].smaps->rollup; k++)
			if (model_keeps(&m[i], k))
				look_at(&g, &m[i], &m[i].smaps->vma[k]);
	}
	g.w = waterfall_of(m, n);
	return g;
}

static const char *gauge_blind(const struct gauge *g, enum metric_id id)
{
	if (g->rollup)
		return "smaps_rollup has no mappings, only their sums";
	if (!g->mappings)
		return g->all ? "no mapping is selected" : "there are no mappings";
	if (id == METRIC_SLOTS_LOST)
		return g->holders && g->open == g->holders ?
			       "nothing says which mappings may be huge" :
			       NULL;
	return g->known ?
		       NULL :
		       "no selected mapping says its Rss, or it is of a class that cannot be huge";
}

static int64_t gauge_whole(const struct gauge *g, enum metric_id id)
{
	const uint64_t values[METRICS] = {
		[METRIC_HUGE] = g->w.huge,
		[METRIC_RSS] = g->w.rss,
		[METRIC_SUBSLOT] = g->w.subslot,
		[METRIC_POLICY_LOSS] = g->w.policy_loss,
		[METRIC_ALIGNMENT_LOSS] = g->w.alignment_loss,
		[METRIC_DELIVERY_LOSS] = g->w.delivery_loss,
		[METRIC_SLOTS_LOST] = g->slots_lost,
	};

	return (int64_t)values[id];
}

/* What a fraction is of: huge memory of that. */
static uint64_t gauge_divisor(const struct gauge *g, enum metric_id id)
{
	return id == METRIC_COVERAGE ? waterfall_ideal(&g->w) :
	       id == METRIC_SHARE    ? g->w.rss :
				       g->w.huge + g->w.delivery_loss;
}

struct measure gauge_measure(const struct gauge *g, enum metric_id id)
{
	static const char *const nothing[] = {
		[METRIC_COVERAGE] = "nothing could be huge: less than one huge page is resident",
		[METRIC_SHARE] = "nothing is resident",
		[METRIC_DELIVERED] = "nothing that is resident could be huge where it lies",
	};
	const char *why = gauge_blind(g, id);
	struct measure m;

	if (id == METRIC_THP_LOSS)
		why = "it is a difference: --baseline is missing";
	if (why)
		return measure_unknown(metrics[id].unit, why);
	if (metrics[id].unit == UNIT_FRACTION)
		m = measure_ratio(g->w.huge, gauge_divisor(g, id), nothing[id]);
	else
		m = measure_whole(metrics[id].unit, gauge_whole(g, id));
	m.mappings = g->mappings;
	return m;
}

struct measure gauge_delta(const struct gauge *before, const struct gauge *after, enum metric_id id,
			   bool relative)
{
	struct measure b = gauge_measure(before, id), a = gauge_measure(after, id), d;
	bool fraction = metrics[id].unit == UNIT_FRACTION;

	if (fraction && a.known && b.known)
		d = measure_points(after->w.huge, gauge_divisor(after, id), before->w.huge,
				   gauge_divisor(before, id));
	else
		d = measure_delta(&b, &a, relative);
	if (fraction)
		d.unit = UNIT_POINTS;
	d.mappings = after->mappings;
	return d;
}

/* ---- findings ---- */

bool finding_counts(const struct finding *f, enum finding_id id, bool selected)
{
	bool somewhere = f->vma >= 0 || f->more;

	return f->id == id && f->certainty <= LIKELY && f->severity <= SEVERITY_LOW &&
	       (somewhere || !selected);
}

enum { NEEDS_RSS = 1, NEEDS_FLAGS = 2, NEEDS_POLICY = 4, NEEDS_ELIGIBLE = 8 };

/* What a dump must say for a finding to be seen in it. */
static const uint8_t finding_needs[FINDING_IDS] = {
	[FINDING_ODD_LENGTH] = NEEDS_RSS | NEEDS_ELIGIBLE,
	[FINDING_MISALIGNED] = NEEDS_ELIGIBLE,
	[FINDING_NEEDS_ADVICE] = NEEDS_RSS | NEEDS_FLAGS,
	[FINDING_OPTED_OUT] = NEEDS_RSS | NEEDS_FLAGS,
	[FINDING_POLICY_OFF] = NEEDS_RSS | NEEDS_POLICY,
	[FINDING_SHMEM_POLICY] = NEEDS_RSS,
	[FINDING_UNDELIVERED] = NEEDS_RSS | NEEDS_ELIGIBLE,
};

struct seen {
	size_t mappings, rss, flags;
	size_t holders,
		open; /* anon and shmem that could hold a slot; whose eligibility is not known */
};

static struct seen look(const struct model *m)
{
	struct seen s = { 0 };

	for (size_t i = 0; i < m->smaps->n && !m->smaps->rollup; i++) {
		const struct vma *v = &m->smaps->vma[i];

		if (!model_keeps(m, i))
			continue;
		s.mappings++;
		s.rss += vma_has(v, SMAPS_Rss);
		s.flags += vma_has_flags(v);
		if (v->class > CLASS_SHMEM || vma_none(v) || vma_size_kb(v) < m->pmd_kb)
			continue;
		s.holders++;
		s.open += v->eligible == ELIGIBLE_UNKNOWN;
	}
	return s;
}

const char *finding_blind(const struct model *m, enum finding_id id)
{
	struct seen s = look(m);
	unsigned needs = finding_needs[id];

	if (m->smaps->rollup)
		return "smaps_rollup has no mappings, only their sums";
	if (!s.mappings)
		return m->smaps->n ? "no mapping is selected" : "there are no mappings";
	if ((needs & NEEDS_RSS) && !s.rss)
		return "no mapping says its Rss";
	if ((needs & NEEDS_FLAGS) && !s.flags)
		return "no mapping has VmFlags, so advice cannot be seen";
	if ((needs & NEEDS_POLICY) && m->policy == POLICY_UNKNOWN)
		return "the THP policy is not known (--policy)";
	if ((needs & NEEDS_ELIGIBLE) && s.holders && s.open == s.holders)
		return "nothing says which mappings may be huge (--policy)";
	return NULL;
}

static bool counts_faults(const struct model *m)
{
	const struct system_info *s = &m->snap->system;
	uint64_t n;

	return s->has_vmstat && keyvals_get(&s->vmstat, "thp_fault_alloc", &n) &&
	       keyvals_get(&s->vmstat, "thp_fault_fallback", &n);
}

static bool has_settings(const struct model *m)
{
	return m->snap->system.has_thp ||
	       (m->snap->has_process && m->snap->process.thp_disabled >= 0);
}

const char *finding_blind_pair(const struct model *before, const struct model *after,
			       enum finding_id id)
{
	if (id == FINDING_FALLBACK && !(counts_faults(before) && counts_faults(after)))
		return "vmstat with thp_fault_alloc and thp_fault_fallback is not there on both "
		       "sides";
	if (id == FINDING_SETTING_CHANGED && !(has_settings(before) && has_settings(after)))
		return "the THP settings are not there on both sides";
	return NULL;
}
