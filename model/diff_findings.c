/* SPDX-License-Identifier: MIT */
/* Findings of a diff: thp-loss, slots-lost, setting-changed, fallback. */
#include "model/diff.h"
#include "model/diff_internal.h"
#include "model/system_counters.h"

const char *const cause_names[CAUSES] = {
	"split", "advice", "policy", "swapped", "freed-in-part", "size", "alignment", "delivery",
};

static const uint8_t cause_nature[CAUSES] = {
	[CAUSE_SPLIT] = NATURE_LAYOUT,		 [CAUSE_ADVICE] = NATURE_LAYOUT,
	[CAUSE_POLICY] = NATURE_LAYOUT,		 [CAUSE_SWAPPED] = NATURE_DELIVERY,
	[CAUSE_FREED_IN_PART] = NATURE_DELIVERY, [CAUSE_SIZE] = NATURE_LAYOUT,
	[CAUSE_ALIGNMENT] = NATURE_PLACEMENT,	 [CAUSE_DELIVERY] = NATURE_DELIVERY,
};

/* ---- settings ---- */

static void changed(struct diff *d, const char *file, struct slice before, struct slice after)
{
	if (!before.n || !after.n || slice_eq(before, after))
		return;
	struct setting_change *c = arena_alloc(&d->arena, sizeof(*c));

	*c = (struct setting_change){ slice_str(file), before, after };
	findings_add(&d->findings, (struct finding){
					   .id = FINDING_SETTING_CHANGED,
					   .severity = SEVERITY_HIGH,
					   .certainty = CERTAIN,
					   .nature = NATURE_LAYOUT,
					   .loss = LOSS_NONE,
					   .same_as = -1,
					   .vma = -1,
					   .lost_known = true,
					   .more = c,
				   });
}

static void compare_settings(struct diff *d)
{
	const struct system_info *b = &d->m[BEFORE]->snap->system, *a = &d->m[AFTER]->snap->system;

	if (!b->has_thp || !a->has_thp)
		return;
	for (size_t i = 0; i < b->thp.n; i++) {
		const char *file = arena_str(&d->arena, b->thp.at[i].file);

		if (!thp_file_is_counter(b->thp.at[i].file))
			changed(d, file, b->thp.at[i].value, thp_setting(&a->thp, file));
	}
	for (size_t i = 0; i < b->thp.sizes_n; i++) {
		const struct thp_size *x = &b->thp.sizes[i], *y = thp_size_of(&a->thp, x->kb);
		unsigned long long kb = x->kb;

		if (!y)
			continue;
		changed(d, arena_printf(&d->arena, "hugepages-%llukB/enabled", kb), x->enabled,
			y->enabled);
		changed(d, arena_printf(&d->arena, "hugepages-%llukB/shmem_enabled", kb),
			x->shmem_enabled, y->shmem_enabled);
	}
}

static void compare_prctl(struct diff *d)
{
	static const char *const words[] = { "not set", "set" };
	int b = d->m[BEFORE]->snap->process.thp_disabled,
	    a = d->m[AFTER]->snap->process.thp_disabled;

	if (d->m[BEFORE]->snap->has_process && d->m[AFTER]->snap->has_process && b >= 0 && a >= 0)
		changed(d, "prctl", slice_str(words[b != 0]), slice_str(words[a != 0]));
}

static bool is_set(const struct model *m)
{
	return m->policy != POLICY_UNKNOWN && m->policy_source != POLICY_INFERRED;
}

/* Who may have huge pages of this kind was decided anew: while the settings' are all findings there are. */
static bool policy_changed(const struct diff *d, enum match_group group)
{
	const struct model *b = d->m[BEFORE], *a = d->m[AFTER];
	struct slice file = group == GROUP_ANON ? SLICE("enabled") : SLICE("shmem_enabled");

	for (size_t i = 0; i < d->findings.n; i++) {
		const struct setting_change *c = d->findings.at[i].more;

		if (d->findings.at[i].id != FINDING_SETTING_CHANGED)
			continue;
		if (slice_eq(c->file, SLICE("prctl")) || slice_eq(c->file, file))
			return true;
		struct cut size = slice_cut(c->file, '/');
		if (size.ok && slice_starts(size.head, SLICE("hugepages-")) &&
		    slice_eq(size.tail, file))
			return true;
	}
	/* Reports hold no settings but their policy. An inferred one says what mappings got, not what was set. */
	return group == GROUP_ANON && b->policy != a->policy && is_set(b) && is_set(a);
}

/* ---- losses ---- */

static enum loss_cause largest_rise(const struct row_delta *x)
{
	const struct {
		int64_t delta;
		enum loss_cause cause;
	} rises[] = {
		{ x->subslot, CAUSE_SIZE },
		{ x->policy_loss, CAUSE_POLICY },
		{ x->alignment_loss, CAUSE_ALIGNMENT },
		{ x->delivery_loss, CAUSE_DELIVERY },
	};
	size_t best = 0;

	for (size_t i = 1; i < sizeof(rises) / sizeof(*rises); i++)
		if (rises[i].delta > rises[best].delta)
			best = i;
	return rises[best].cause;
}

/* First that fits, by the definitions. */
static enum loss_cause cause_of(const bool policy[MATCH_GROUPS], const struct match_row *r,
				const struct row_side side[SIDES], const struct row_delta *x)
{
	bool both =
		r->n[BEFORE] && r->n[AFTER] && side[BEFORE].flags_known && side[AFTER].flags_known;

	if (r->kind == MATCH_SPLIT || r->kind == MATCH_MERGED)
		return CAUSE_SPLIT;
	if (both && side[BEFORE].advice != side[AFTER].advice)
		return CAUSE_ADVICE;
	if (policy[r->group])
		return CAUSE_POLICY;
	if (x->swap > 0 && 2 * (uint64_t)x->swap >= r->loss_kb)
		return CAUSE_SWAPPED;
	if (x->rss < 0 && x->delivery_loss > 0)
		return CAUSE_FREED_IN_PART;
	return largest_rise(x);
}

static uint64_t huge_before(const struct diff *d, enum match_group group)
{
	const struct fall_total *f = d->m[BEFORE]->totals.fall;

	return group == GROUP_ANON ? f[FALL_ANON].w.huge
				   : f[FALL_SHMEM].w.huge + f[FALL_FILE].w.huge;
}

bool diff_on_boundary(const struct model *m, const struct vma *v)
{
	uint64_t at = v->class == CLASS_ANON ? v->start : v->start - v->offset;

	return (at & ((m->pmd_kb << 10) - 1)) == 0;
}

bool diff_loss_may_be_chance(const struct diff *d, const struct match_row *r, enum loss_cause cause)
{
	struct row_side before;

	if (!r->identity || (r->kind != MATCH_SAME && r->kind != MATCH_RESIZED) ||
	    (cause != CAUSE_ALIGNMENT && cause != CAUSE_DELIVERY && cause != CAUSE_FREED_IN_PART))
		return false;
	diff_row_side(d, r, BEFORE, &before);
	return 10 * r->loss_kb < before.w.huge &&
	       !diff_on_boundary(d->m[BEFORE], diff_row_vma(d, r, BEFORE, 0)) &&
	       !diff_on_boundary(d->m[AFTER], diff_row_vma(d, r, AFTER, 0));
}

static enum certainty loss_certainty(const struct diff *d, const struct match_row *r,
				     const struct row_delta *x, enum loss_cause cause)
{
	int64_t p = (int64_t)d->pmd_kb;

	if (r->kind == MATCH_POOL)
		return x->policy_loss >= p || x->alignment_loss >= p || x->delivery_loss >= p
			       ? LIKELY
			       : POSSIBLE;
	if (diff_loss_may_be_chance(d, r, cause))
		return POSSIBLE;
	return r->identity ? LIKELY : CERTAIN;
}

static int64_t row_start(const struct diff *d, const struct match_row *r)
{
	return r->kind == MATCH_POOL ? -1 : (int64_t)match_member(&d->match, r, AFTER, 0);
}

static void find_loss(struct diff *d, const bool policy[MATCH_GROUPS], const struct match_row *r,
		      const struct row_side side[SIDES], const struct row_delta *x)
{
	uint64_t least = r->identity ? d->pmd_kb : d->pmd_kb / 2;

	if (!r->loss_known || r->loss_kb < least)
		return;
	enum loss_cause cause = cause_of(policy, r, side, x);
	findings_add(
		&d->findings,
		(struct finding){
			.id = FINDING_THP_LOSS,
			.state = (uint8_t)cause,
			.nature = cause_nature[cause],
			.severity = 10 * r->loss_kb >= huge_before(d, (enum match_group)r->group)
					    ? SEVERITY_HIGH
					    : SEVERITY_MEDIUM,
			.certainty = (uint8_t)loss_certainty(d, r, x, cause),
			.loss = LOSS_OWN,
			.same_as = -1,
			.lost_known = true,
			.lost_kb = r->loss_kb,
			.vma = row_start(d, r),
			.more = r,
		});
}

static void find_slots(struct diff *d, const struct match_row *r, const struct row_side side[SIDES])
{
	if (r->kind == MATCH_POOL || !r->n[BEFORE] || !r->n[AFTER] ||
	    side[BEFORE].slots_ideal != side[AFTER].slots_ideal ||
	    side[AFTER].slots_fit >= side[BEFORE].slots_fit)
		return;
	enum certainty c = POSSIBLE;
	if (!r->identity)
		c = CERTAIN;
	else if (!r->chance && diff_on_boundary(d->m[BEFORE], diff_row_vma(d, r, BEFORE, 0)))
		c = LIKELY;
	findings_add(&d->findings, (struct finding){
					   .id = FINDING_SLOTS_LOST,
					   .severity = SEVERITY_LOW,
					   .certainty = (uint8_t)c,
					   .nature = NATURE_PLACEMENT,
					   .loss = LOSS_NONE,
					   .same_as = -1,
					   .lost_known = true,
					   .number = side[BEFORE].slots_fit - side[AFTER].slots_fit,
					   .vma = row_start(d, r),
					   .more = r,
				   });
}

static void find_in_rows(struct diff *d)
{
	bool policy[MATCH_GROUPS];

	for (int g = 0; g < MATCH_GROUPS; g++)
		policy[g] = policy_changed(d, (enum match_group)g);
	for (size_t i = 0; i < d->match.n; i++) {
		const struct match_row *r = &d->match.row[i];
		struct row_side side[SIDES];
		struct row_delta x;

		if (!r->kept || !r->changed || r->kind == MATCH_ADDED || r->kind == MATCH_REMOVED)
			continue;
		for (int s = 0; s < SIDES; s++)
			diff_row_side(d, r, s, &side[s]);
		diff_row_delta(side, &x);
		find_loss(d, policy, r, side, &x);
		find_slots(d, r, side);
	}
}

/* ---- the host ---- */

enum { FALLBACK_LEAST = 100 };

static void find_fallback(struct diff *d)
{
	int64_t alloc, fallback;

	if (!diff_counter(d, "vmstat.thp_fault_alloc", &alloc) ||
	    !diff_counter(d, "vmstat.thp_fault_fallback", &fallback))
		return;
	if (alloc + fallback < FALLBACK_LEAST || 10 * fallback < alloc + fallback)
		return;
	findings_add(&d->findings, (struct finding){
					   .id = FINDING_FALLBACK,
					   .severity = SEVERITY_MEDIUM,
					   .certainty = CERTAIN,
					   .nature = NATURE_DELIVERY,
					   .loss = LOSS_NONE,
					   .same_as = -1,
					   .lost_known = true,
					   .vma = -1,
					   .number = (uint64_t)fallback,
				   });
}

void diff_findings(struct diff *d)
{
	compare_settings(d);
	compare_prctl(d);
	find_in_rows(d);
	find_fallback(d);
	findings_sort(&d->findings);
}
