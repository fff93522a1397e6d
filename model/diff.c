/* SPDX-License-Identifier: MIT */
#include "model/diff.h"

#include <string.h>

#include "model/lkp_readings.h"
#include "model/system_counters.h"

const char *const verdict_names[VERDICTS] = { NULL, "loss", "gain", "no-loss" };

/* ---- what can be compared ---- */

enum side_kind { SIDE_MAPPINGS, SIDE_ROLLUP, SIDE_BARE, SIDE_SYSTEM, SIDE_KINDS };
static const char *const side_names[SIDE_KINDS] = {
	"mappings", "the sums of a rollup", "a report without its mappings", "system files only",
};

static enum side_kind side_kind(const struct snapshot *s)
{
	if (s->has_smaps)
		return s->smaps.rollup ? SIDE_ROLLUP : SIDE_MAPPINGS;
	return s->source.kind == KIND_REPORT && s->bare ? SIDE_BARE : SIDE_SYSTEM;
}

/* Of system files: meminfo beside vmstat would be all absences. */
static bool files_in_common(const struct diff *d)
{
	const struct system_info *b = &d->m[BEFORE]->snap->system, *a = &d->m[AFTER]->snap->system;

	return (b->has_meminfo && a->has_meminfo) || (b->has_vmstat && a->has_vmstat) ||
	       (b->nodes_n && a->nodes_n) || (b->has_thp && a->has_thp);
}

static int find_scope(struct diff *d, struct err *e)
{
	enum side_kind b = side_kind(d->m[BEFORE]->snap), a = side_kind(d->m[AFTER]->snap);

	if (b == SIDE_BARE || a == SIDE_BARE) {
		err_set(e, ERR_KIND, "%s: a report without its mappings cannot be compared",
			d->m[b == SIDE_BARE ? BEFORE : AFTER]->snap->source.path);
		return err_hint(e, "Write it with: hugecov report --format json --vmas all");
	}
	if ((b == SIDE_SYSTEM) != (a == SIDE_SYSTEM))
		return err_set(e, ERR_KIND, "before has %s, after has %s: they cannot be compared",
			       side_names[b], side_names[a]);
	if (b == SIDE_SYSTEM && !files_in_common(d))
		return err_set(e, ERR_KIND, "before and after have no file of one kind: there is nothing to compare");
	if (b == SIDE_SYSTEM)
		d->scope = DIFF_COUNTERS;
	else
		d->scope = b == SIDE_ROLLUP || a == SIDE_ROLLUP ? DIFF_TOTALS : DIFF_MAPPINGS;
	return 0;
}

static void find_unlike(struct diff *d)
{
	const struct model *b = d->m[BEFORE], *a = d->m[AFTER];

	d->pmd_kb = b->pmd_kb > a->pmd_kb ? b->pmd_kb : a->pmd_kb;
	if (b->page_kb && a->page_kb && b->page_kb != a->page_kb)
		d->unlike[d->unlike_n++] = "page_kb";
	if (b->pmd_kb != a->pmd_kb && d->scope != DIFF_COUNTERS)
		d->unlike[d->unlike_n++] = "pmd_kb";
	if (b->policy != a->policy && b->policy != POLICY_UNKNOWN && a->policy != POLICY_UNKNOWN)
		d->unlike[d->unlike_n++] = "policy";
}

static bool boots_differ(const struct diff *d)
{
	struct slice b = d->m[BEFORE]->snap->system.boot_id, a = d->m[AFTER]->snap->system.boot_id;

	return b.n && a.n && !slice_eq(b, a);
}

int diff_start(struct diff *d, struct model *before, struct model *after, enum match_by by,
	       struct err *e)
{
	*d = (struct diff){ .m = { before, after } };
	if (find_scope(d, e))
		return -1;
	find_unlike(d);
	d->other_boot = boots_differ(d);
	if (d->scope == DIFF_MAPPINGS)
		match_make(before, after, by, &d->match);
	for (size_t i = 0; i < d->match.n; i++)
		d->match.row[i].kept = true;
	return 0;
}

void diff_free(struct diff *d)
{
	match_free(&d->match);
	for (int s = 0; s < SIDES; s++)
		counters_free(&d->list[s]);
	counter_rows_free(&d->counters);
	readings_free(&d->readings);
	findings_free(&d->findings);
	arena_free(&d->arena);
	*d = (struct diff){ 0 };
}

/* ---- selection: whole rows ---- */

static bool row_wanted(const struct diff *d, const struct match_row *r)
{
	for (int s = 0; s < SIDES; s++)
		for (uint32_t i = 0; i < r->n[s]; i++)
			if (model_keeps(d->m[s], match_member(&d->match, r, s, i)))
				return true;
	return false;
}

static void keep_all(struct diff *d, const struct match_row *r)
{
	for (int s = 0; s < SIDES; s++) {
		struct model *m = d->m[s];

		for (uint32_t i = 0; m->keep && i < r->n[s]; i++) {
			uint32_t v = match_member(&d->match, r, s, i);

			m->kept += !m->keep[v];
			m->keep[v] = 1;
		}
	}
}

void diff_select(struct diff *d)
{
	for (size_t i = 0; i < d->match.n; i++) {
		struct match_row *r = &d->match.row[i];

		r->kept = row_wanted(d, r);
		if (r->kept)
			keep_all(d, r);
	}
}

/* ---- rows ---- */

const struct vma *diff_row_vma(const struct diff *d, const struct match_row *r, int side,
			       uint32_t i)
{
	return &d->m[side]->smaps->vma[match_member(&d->match, r, side, i)];
}

const struct vma *diff_row_any(const struct diff *d, const struct match_row *r, int *ret_side)
{
	*ret_side = r->n[AFTER] ? AFTER : BEFORE;
	return diff_row_vma(d, r, *ret_side, 0);
}

static void add_vma(const struct model *m, const struct vma *v, bool pool, struct row_side *to)
{
	struct thp t;

	model_thp(m, v, &t);
	if (pool && !t.known)
		return; /* in no total, and so in no pool */
	to->known = pool || (to->known && t.known);
	waterfall_add(&to->w, &t.w);
	to->slots_ideal += t.slots_ideal;
	to->slots_fit += t.slots_fit;
	to->swap_known |= vma_has(v, SMAPS_Swap);
	to->swap += vma_value(m->smaps, v, SMAPS_Swap);
	to->size += vma_size_kb(v);
	to->shared += vma_value(m->smaps, v, SMAPS_Shared_Clean) +
		      vma_value(m->smaps, v, SMAPS_Shared_Dirty);
	to->advice |= v->flags & (VM_FLAG_BIT(hg) | VM_FLAG_BIT(nh));
	to->flags_known |= vma_has_flags(v);
}

void diff_row_side(const struct diff *d, const struct match_row *r, int side, struct row_side *ret)
{
	*ret = (struct row_side){ .known = r->kind != MATCH_POOL || r->n[side] == 0 };
	for (uint32_t i = 0; i < r->n[side]; i++)
		add_vma(d->m[side], diff_row_vma(d, r, side, i), r->kind == MATCH_POOL, ret);
}

static int64_t minus(uint64_t after, uint64_t before)
{
	return (int64_t)(after - before);
}

void diff_row_delta(const struct row_side side[SIDES], struct row_delta *ret)
{
	const struct row_side *b = &side[BEFORE], *a = &side[AFTER];

	*ret = (struct row_delta){
		.known = b->known && a->known,
		.swap_known = b->swap_known || a->swap_known,
		.rss = minus(a->w.rss, b->w.rss),
		.swap = minus(a->swap, b->swap),
		.huge = minus(a->w.huge, b->w.huge),
		.slots_fit = minus(a->slots_fit, b->slots_fit),
		.subslot = minus(a->w.subslot, b->w.subslot),
		.policy_loss = minus(a->w.policy_loss, b->w.policy_loss),
		.alignment_loss = minus(a->w.alignment_loss, b->w.alignment_loss),
		.delivery_loss = minus(a->w.delivery_loss, b->w.delivery_loss),
	};
}

/* ---- advice ---- */

static bool advice_known(const struct match_row *r, const struct row_side side[SIDES])
{
	return r->kind != MATCH_POOL && r->n[BEFORE] && r->n[AFTER] && side[BEFORE].flags_known &&
	       side[AFTER].flags_known;
}

uint64_t diff_advice_set(const struct diff *d, const struct match_row *r, struct diff_advised *ret)
{
	struct row_side side[SIDES];

	*ret = (struct diff_advised){ 0 };
	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	if (!advice_known(r, side))
		return 0;
	uint64_t set = side[AFTER].advice & ~side[BEFORE].advice;

	for (uint32_t i = 0; set && i < r->n[AFTER]; i++) {
		const struct vma *v = diff_row_vma(d, r, AFTER, i);
		struct thp t;

		if (!vma_flag(v, set))
			continue;
		model_thp(d->m[AFTER], v, &t);
		ret->rss += t.w.rss;
		ret->huge += t.w.huge;
	}
	return set;
}

uint64_t diff_advice_cleared(const struct diff *d, const struct match_row *r)
{
	struct row_side side[SIDES];

	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	return advice_known(r, side) ? side[BEFORE].advice & ~side[AFTER].advice : 0;
}

static uint64_t rise(int64_t delta)
{
	return delta > 0 ? (uint64_t)delta : 0;
}

/* Huge memory that is there no more while small, or swapped, memory has grown. */
static uint64_t loss_of(const struct row_delta *x)
{
	uint64_t fell = rise(-x->huge);
	uint64_t grew = rise(x->subslot) + rise(x->policy_loss) + rise(x->alignment_loss) +
			rise(x->delivery_loss) + rise(x->swap);

	return fell < grew ? fell : grew;
}

/*
 * Since Linux 6.12 (6.11.7) only lengths that are multiples of P are placed on
 * a boundary. Of two runs, the others lose a slot or not by chance. Where heap
 * and stack begin is always drawn by lot.
 */
static bool lies_by_chance(const struct model *m, const struct vma *v)
{
	uint64_t p = m->pmd_kb;

	return vma_is_heap(v) || vma_is_stack(m, v) ||
	       (vma_size_kb(v) % p != 0 && (v->start & ((p << 10) - 1)) != 0);
}

static bool lost_by_chance(const struct diff *d, const struct match_row *r,
			   const struct row_side side[SIDES])
{
	return r->identity && r->n[BEFORE] == 1 && r->n[AFTER] == 1 &&
	       side[BEFORE].slots_ideal == side[AFTER].slots_ideal &&
	       side[BEFORE].slots_fit == side[AFTER].slots_fit + 1 &&
	       lies_by_chance(d->m[BEFORE], diff_row_vma(d, r, BEFORE, 0)) &&
	       lies_by_chance(d->m[AFTER], diff_row_vma(d, r, AFTER, 0));
}

/* The fields that a waterfall and a row's difference are made of. */
static const uint32_t judged_fields = PRESENT_BIT(SMAPS_Rss) | PRESENT_BIT(SMAPS_Anonymous) |
				      PRESENT_BIT(SMAPS_Swap) | PRESENT_BIT(SMAPS_AnonHugePages) |
				      PRESENT_BIT(SMAPS_ShmemPmdMapped) |
				      PRESENT_BIT(SMAPS_FilePmdMapped);

static bool equal_values(const struct vma *b, const struct vma *a)
{
	return b->value[SMAPS_Rss] == a->value[SMAPS_Rss] &&
	       b->value[SMAPS_Anonymous] == a->value[SMAPS_Anonymous] &&
	       b->value[SMAPS_Swap] == a->value[SMAPS_Swap] &&
	       b->value[SMAPS_AnonHugePages] == a->value[SMAPS_AnonHugePages] &&
	       b->value[SMAPS_ShmemPmdMapped] == a->value[SMAPS_ShmemPmdMapped] &&
	       b->value[SMAPS_FilePmdMapped] == a->value[SMAPS_FilePmdMapped] &&
	       ((b->present ^ a->present) & judged_fields) == 0 && !b->has_extra && !a->has_extra;
}

static bool equal_kind(const struct vma *b, const struct vma *a)
{
	const uint64_t advice = VM_FLAG_BIT(hg) | VM_FLAG_BIT(nh);

	return b->class == a->class && b->eligible == a->eligible &&
	       ((b->flags ^ a->flags) & advice) == 0 && vma_has_flags(b) == vma_has_flags(a) &&
	       !memcmp(b->perms, a->perms, sizeof(b->perms));
}

/*
 * Most mappings are as they were, and this is seen without their waterfalls:
 * what these are made of is equal, and so is the place, or too small to matter.
 */
static bool plainly_same(const struct diff *d, const struct match_row *r)
{
	if (r->kind != MATCH_SAME || d->m[BEFORE]->pmd_kb != d->m[AFTER]->pmd_kb ||
	    d->m[BEFORE]->huge_fields != d->m[AFTER]->huge_fields)
		return false;
	const struct vma *b = diff_row_vma(d, r, BEFORE, 0), *a = diff_row_vma(d, r, AFTER, 0);
	bool place = (b->start == a->start && b->offset == a->offset) || vma_size_kb(b) < d->pmd_kb;

	return place && equal_kind(b, a) && equal_values(b, a);
}

static bool row_changed(const struct diff *d, const struct match_row *r,
			const struct row_side side[SIDES], const struct row_delta *x)
{
	if (r->kind != MATCH_SAME)
		return true;
	const struct vma *b = diff_row_vma(d, r, BEFORE, 0), *a = diff_row_vma(d, r, AFTER, 0);

	return x->rss || x->swap || x->huge || x->slots_fit || x->subslot || x->policy_loss ||
	       x->alignment_loss || x->delivery_loss || side[BEFORE].known != side[AFTER].known ||
	       !equal_kind(b, a) ||
	       vma_value(d->m[BEFORE]->smaps, b, SMAPS_Rss) !=
		       vma_value(d->m[AFTER]->smaps, a, SMAPS_Rss);
}

static bool has_waterfall(const struct diff *d, const struct match_row *r)
{
	const struct vma *v = diff_row_vma(d, r, AFTER, 0);

	return vma_has(v, SMAPS_Rss) &&
	       (v->present & d->m[AFTER]->huge_fields) == d->m[AFTER]->huge_fields;
}

static void judge_row(struct diff *d, struct match_row *r)
{
	struct row_side side[SIDES];
	struct row_delta x;

	if (plainly_same(d, r)) {
		r->loss_known = r->group <= GROUP_SHARED && has_waterfall(d, r);
		return;
	}
	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	diff_row_delta(side, &x);
	r->changed = row_changed(d, r, side, &x);
	/* Without a partner: judged in its pool. hugetlb and special have no waterfall. */
	r->loss_known = x.known && r->group <= GROUP_SHARED && r->kind != MATCH_ADDED &&
			r->kind != MATCH_REMOVED;
	if (!r->loss_known)
		return;
	r->loss_kb = loss_of(&x);
	r->chance = lost_by_chance(d, r, side);
	if (r->chance)
		r->loss_kb -= r->loss_kb < d->pmd_kb ? r->loss_kb : d->pmd_kb;
}

/* All that is left over of a group, judged together: one may have taken the other's place. */
static void add_pool(struct diff *d, unsigned group)
{
	struct match_list list[SIDES] = { 0 };

	for (size_t i = 0; i < d->match.n; i++) {
		const struct match_row *r = &d->match.row[i];

		if (!r->kept || r->group != group ||
		    (r->kind != MATCH_ADDED && r->kind != MATCH_REMOVED))
			continue;
		int side = r->kind == MATCH_ADDED ? AFTER : BEFORE;
		match_list_add(&list[side], match_member(&d->match, r, side, 0));
	}
	if (list[BEFORE].n + list[AFTER].n) {
		struct match_row *r = match_add_row(&d->match);

		r->kind = MATCH_POOL;
		r->group = (uint8_t)group;
		r->identity = r->kept = true;
		for (int s = 0; s < SIDES; s++) {
			r->first[s] = match_append(&d->match, s, list[s].at, list[s].n);
			r->n[s] = (uint32_t)list[s].n;
		}
	}
	mem_free(list[BEFORE].at);
	mem_free(list[AFTER].at);
}

static void judge_rows(struct diff *d)
{
	bool possible = false; /* some mapping could be judged */

	add_pool(d, GROUP_ANON);
	add_pool(d, GROUP_SHARED);
	for (size_t i = 0; i < d->match.n; i++) {
		struct match_row *r = &d->match.row[i];

		if (!r->kept)
			continue;
		judge_row(d, r);
		possible |= r->group <= GROUP_SHARED;
		d->loss_known |= r->loss_known;
		d->loss_kb += r->loss_known ? r->loss_kb : 0;
	}
	d->loss_known |= !possible; /* nothing there: nothing lost */
}

/* ---- counters ---- */

/* The kernel's counters begin at 0 at each boot. */
static void forget_deltas(struct diff *d)
{
	for (size_t i = 0; i < d->counters.n; i++) {
		struct counter_row *r = &d->counters.at[i];

		if (r->kind != COUNTER_COUNTER || !r->has_before || !r->has_after)
			continue;
		r->has_delta = r->has_percent = false;
		r->note = SLICE("other boot");
	}
}

static void compare_counters(struct diff *d)
{
	for (int s = 0; s < SIDES; s++)
		system_counters(&d->m[s]->snap->system, &d->arena, &d->list[s]);
	if (d->scope != DIFF_COUNTERS && (!d->list[BEFORE].n || !d->list[AFTER].n))
		return; /* one side has none: nothing to compare */
	counters_diff(&d->list[BEFORE], &d->list[AFTER], &d->arena, &d->counters);
	if (d->other_boot)
		forget_deltas(d);
	else
		snapshot_readings(&d->counters, &d->arena, &d->readings);
}

bool diff_counter(const struct diff *d, const char *name, int64_t *ret)
{
	const int64_t most = INT64_C(1) << 59; /* no host counts that far: sums of a few are safe */

	for (size_t i = 0; i < d->counters.n; i++) {
		const struct counter_row *r = &d->counters.at[i];

		if (r->has_delta && r->delta.scale == 0 && r->delta.mantissa <= most && r->delta.mantissa >= -most &&
		    slice_eq_str(r->name, name)) {
			*ret = (int64_t)r->delta.mantissa;
			return true;
		}
	}
	return false;
}

double diff_seconds(const struct diff *d)
{
	int64_t b = d->m[BEFORE]->snap->source.time_ns, a = d->m[AFTER]->snap->source.time_ns;

	return b >= 0 && a > b ? (double)(a - b) / 1e9 : 0;
}

/* ---- all of it ---- */

static int64_t huge_gain(const struct diff *d)
{
	return minus(d->m[AFTER]->totals.fall[FALL_ALL].w.huge,
		     d->m[BEFORE]->totals.fall[FALL_ALL].w.huge);
}

static enum verdict verdict_of(const struct diff *d)
{
	if (d->scope != DIFF_MAPPINGS || !d->loss_known)
		return VERDICT_NONE;
	for (size_t i = 0; i < d->findings.n; i++)
		if (d->findings.at[i].id == FINDING_THP_LOSS &&
		    d->findings.at[i].certainty <= LIKELY)
			return VERDICT_LOSS;
	return huge_gain(d) >= (int64_t)d->pmd_kb ? VERDICT_GAIN : VERDICT_NO_LOSS;
}

void diff_judge(struct diff *d)
{
	for (int s = 0; s < SIDES; s++)
		model_totals(d->m[s]);
	if (d->scope == DIFF_MAPPINGS)
		judge_rows(d);
	compare_counters(d);
	diff_findings(d);
	d->verdict = verdict_of(d);
}
