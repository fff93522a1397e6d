/* SPDX-License-Identifier: MIT */
/* Findings about what is allowed, and about what was not delivered. */
#include "model/findings.h"

static bool says(const struct vma *v, uint32_t value)
{
	return vma_has(v, SMAPS_THPeligible) && v->value[SMAPS_THPeligible] == value;
}

static void needs_advice(struct finder *x, size_t i, const struct vma *v, const struct thp *t)
{
	const struct model *m = x->m;
	bool sure = m->policy == POLICY_MADVISE;

	if (v->class != CLASS_ANON || !vma_rw(v) || !vma_has_flags(v) ||
	    vma_flag(v, VM_FLAG_BIT(hg) | VM_FLAG_BIT(nh)) || t->slots_ideal == 0 || m->disabled)
		return;
	if (!sure && (m->policy != POLICY_UNKNOWN || t->slots_fit == 0 || !says(v, 0) || m->refusing))
		return;
	findings_add(x->out, (struct finding){
		.id = FINDING_NEEDS_ADVICE,
		.severity = (uint8_t)severity_by_cost(m, t, true, t->w.policy_loss),
		.certainty = sure ? CERTAIN : LIKELY, .nature = NATURE_LAYOUT, .loss = LOSS_POLICY, .same_as = -1,
		.lost_known = true, .lost_kb = t->w.policy_loss, .vma = (int64_t)i,
	});
}

/* glibc maps a guard below each thread stack; both carry nh since 6.8 (6.7.6), of MAP_STACK. */
static bool thread_stack(const struct model *m, size_t i)
{
	const struct vma *v = &m->smaps->vma[i];

	return i > 0 && v[-1].end == v->start && vma_none(&v[-1]) && vma_flag(&v[-1], VM_FLAG_BIT(nh));
}

static void opted_out(struct finder *x, size_t i, const struct vma *v, const struct thp *t)
{
	const struct model *m = x->m;
	bool nh = vma_flag(v, VM_FLAG_BIT(nh)) && (v->class == CLASS_ANON || v->class == CLASS_SHMEM);
	bool refused = v->class == CLASS_ANON && vma_flag(v, VM_FLAG_BIT(hg)) && t->slots_fit && says(v, 0) &&
		       m->policy != POLICY_NEVER;

	if (m->disabled || (!nh && !refused))
		return;
	bool stack = nh && thread_stack(m, i);
	findings_add(x->out, (struct finding){
		.id = FINDING_OPTED_OUT,
		.state = stack ? OPTED_STACK : nh ? OPTED_NOHUGEPAGE : OPTED_REFUSED,
		.severity = stack ? SEVERITY_INFO : (uint8_t)severity_by_cost(m, t, true, t->w.policy_loss),
		.certainty = nh ? CERTAIN : LIKELY, .nature = NATURE_LAYOUT, .loss = LOSS_POLICY, .same_as = -1,
		.lost_known = true, .lost_kb = t->w.policy_loss, .vma = (int64_t)i,
	});
}

void find_policy(struct finder *x, size_t i, const struct vma *v, const struct thp *t)
{
	if (!t->known)
		return;
	if (!vma_flag(v, VM_FLAG_BIT(nh))) {
		if (v->class == CLASS_ANON)
			x->anon_policy_loss += t->w.policy_loss;
		else if (v->class == CLASS_SHMEM)
			x->shmem_policy_loss += t->w.policy_loss;
	}
	if (t->w.rss - t->w.huge < x->m->pmd_kb)
		return;
	needs_advice(x, i, v, t);
	opted_out(x, i, v, t);
}

/* ---- the process ---- */

static void add_process(struct finder *x, enum finding_id id, enum severity s, enum certainty c, uint64_t lost)
{
	findings_add(x->out, (struct finding){
		.id = (uint8_t)id, .severity = (uint8_t)s, .certainty = (uint8_t)c, .nature = NATURE_LAYOUT,
		.loss = LOSS_POLICY, .same_as = -1, .state = OPTED_PROCESS,
		.lost_known = true, .lost_kb = lost, .vma = -1,
	});
}

void find_process(struct finder *x)
{
	const struct model *m = x->m;
	const struct waterfall *anon = &m->totals.fall[FALL_ANON].w;
	struct thp all = { .known = true, .w = *anon };
	bool setting = m->snap->system.has_thp && thp_setting(&m->snap->system.thp, "shmem_enabled").n;

	if (m->disabled && anon->rss - anon->huge >= m->pmd_kb)
		add_process(x, FINDING_OPTED_OUT, severity_by_cost(m, &all, true, anon->policy_loss), CERTAIN,
			    anon->policy_loss);
	if (m->policy == POLICY_NEVER && x->anon_policy_loss >= m->pmd_kb)
		add_process(x, FINDING_POLICY_OFF, SEVERITY_HIGH, CERTAIN, x->anon_policy_loss);
	if (x->shmem_policy_loss >= m->pmd_kb)
		add_process(x, FINDING_SHMEM_POLICY, SEVERITY_MEDIUM, setting ? CERTAIN : LIKELY, x->shmem_policy_loss);
}

/* ---- undelivered ---- */

void find_delivery(struct finder *x, size_t i, const struct vma *v, const struct thp *t)
{
	bool file = v->class == CLASS_FILE;

	if (v->eligible != ELIGIBLE_YES || !t->known || t->w.delivery_loss < x->m->pmd_kb)
		return;
	findings_add(x->out, (struct finding){
		.id = FINDING_UNDELIVERED,
		.severity = file ? SEVERITY_INFO : (uint8_t)severity_by_cost(x->m, t, true, t->w.delivery_loss),
		.certainty = file ? POSSIBLE : CERTAIN, .nature = NATURE_DELIVERY, .loss = LOSS_DELIVERY, .same_as = -1,
		.lost_known = true, .lost_kb = t->w.delivery_loss, .vma = (int64_t)i,
	});
}

static bool counter_rose(const struct model *m, const char *key)
{
	uint64_t n;

	return m->snap->system.has_vmstat && keyvals_get(&m->snap->system.vmstat, key, &n) && n > 0;
}

static bool setting_is(const struct model *m, const char *file, const char *word)
{
	return m->snap->system.has_thp && slice_eq_str(thp_setting(&m->snap->system.thp, file), word);
}

bool undelivered_is_late(const struct vma *v, const struct thp *t, uint64_t pmd_kb)
{
	return vma_flag(v, VM_FLAG_BIT(hg)) && t->w.huge == 0 && t->w.rss >= t->slots_fit * pmd_kb;
}

const char *const *undelivered_suspects(const struct model *m, const struct vma *v, const struct thp *t,
					const char *buf[static 16], size_t *ret_n)
{
	size_t n = 0;

	if (vma_flag(v, VM_FLAG_BIT(gu)))
		buf[n++] = "guard-regions";
	if (vma_flag(v, VM_FLAG_BIT(um)))
		buf[n++] = "userfaultfd-missing";
	if (vma_flag(v, VM_FLAG_BIT(uw)))
		buf[n++] = "userfaultfd-wp";
	if (vma_flag(v, VM_FLAG_BIT(mg)))
		buf[n++] = "ksm";
	if (vma_value(m->smaps, v, SMAPS_LazyFree))
		buf[n++] = "lazyfree";
	if (vma_value(m->smaps, v, SMAPS_Swap))
		buf[n++] = "swapped";
	if (undelivered_is_late(v, t, m->pmd_kb))
		buf[n++] = "late-advice";
	if (counter_rose(m, "thp_fault_fallback_charge"))
		buf[n++] = "fallback-charge";
	if (counter_rose(m, "thp_fault_fallback"))
		buf[n++] = "fallback";
	if (setting_is(m, "defrag", "never"))
		buf[n++] = "defrag-never";
	if (setting_is(m, "khugepaged/defrag", "0"))
		buf[n++] = "khugepaged-defrag";
	if (setting_is(m, "khugepaged/max_ptes_none", "0"))
		buf[n++] = "max-ptes-none";
	*ret_n = n;
	return buf;
}
