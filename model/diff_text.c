/* SPDX-License-Identifier: MIT */
/* The sentences of a diff's findings, and what speaks for them. */
#include <inttypes.h>

#include "base/num.h"
#include "model/diff.h"
#include "model/diff_internal.h"

/* ---- signs: signatures of losses in vmstat, Linux 6.18 (docs/definitions.md) ---- */

struct sign_view {
	const struct diff *d;
	const struct row_side *side;
	const struct row_delta *x;
};

static int64_t counter(const struct diff *d, const char *name)
{
	int64_t v = 0;

	return diff_counter(d, name, &v) ? v : 0;
}

/* The pages went on, shared with a child: a write after fork() splits the writer's mapping only. */
static bool sign_fork(const struct sign_view *v)
{
	int64_t shared = (int64_t)(v->side[AFTER].shared - v->side[BEFORE].shared);
	int64_t lost = -v->x->huge;

	return lost > 0 && 2 * shared >= lost && v->x->rss >= 0 && v->x->swap <= 0;
}

static bool sign_partly_unmapped(const struct sign_view *v)
{
	return counter(v->d, "vmstat.thp_deferred_split_page") > 0;
}

static bool sign_split_page(const struct sign_view *v)
{
	return counter(v->d, "vmstat.thp_split_page") > 0;
}

/* The page stayed whole, one mapping of it did not: mprotect, mlock, mremap, fork and write. */
static bool sign_mapping_split(const struct sign_view *v)
{
	return counter(v->d, "vmstat.thp_split_pmd") > 0 && !sign_partly_unmapped(v) &&
	       !sign_split_page(v);
}

static bool sign_swapped(const struct sign_view *v)
{
	return counter(v->d, "vmstat.thp_swpout") > 0 ||
	       counter(v->d, "vmstat.thp_swpout_fallback") > 0;
}

static bool sign_fallback(const struct sign_view *v)
{
	return counter(v->d, "vmstat.thp_fault_fallback") > 0;
}

static const struct {
	const char *name;
	bool (*test)(const struct sign_view *v);
} signs[] = {
	{ "fork", sign_fork },
	{ "partly-unmapped", sign_partly_unmapped },
	{ "page-split", sign_split_page },
	{ "mapping-split", sign_mapping_split },
	{ "swap-out", sign_swapped },
	{ "fault-fallback", sign_fallback },
};
enum { SIGNS_MAX = sizeof(signs) / sizeof(*signs) };

/* What vmstat and the mapping itself say about how it came to a loss. */
static size_t diff_signs(const struct diff *d, const struct match_row *r,
			 const char *ret[static SIGNS_MAX])
{
	struct row_side side[SIDES];
	struct row_delta x;
	size_t n = 0;

	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	diff_row_delta(side, &x);
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (signs[i].test(&(struct sign_view){ d, side, &x }))
			ret[n++] = signs[i].name;
	return n;
}

/* ---- sentences ---- */

static void put_kb(struct out *o, uint64_t kb)
{
	char buf[NUM_BUF];

	out_printf(o, "%.*s kB", SLICE_FMT(num_put_commas(buf, (int64_t)kb)));
}

static int64_t huge_delta(const struct diff *d, const struct match_row *r)
{
	struct row_side side[SIDES];
	struct row_delta x;

	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	diff_row_delta(side, &x);
	return x.huge;
}

static void put_pages(struct out *o, uint64_t pages)
{
	char buf[NUM_BUF];

	out_printf(o, "%.*s huge page%s", SLICE_FMT(num_put_commas(buf, (int64_t)pages)),
		   pages == 1 ? "" : "s");
}

/* What tells the pieces of a cut mapping apart. */
struct pieces {
	bool alike;     /* all have the same permissions */
	uint64_t flags; /* that some have and some have not */
	uint64_t hole_kb;
};

static struct pieces pieces_of(const struct diff *d, const struct match_row *r)
{
	const struct vma *first = diff_row_vma(d, r, AFTER, 0), *last = first;
	struct pieces p = { .alike = true };

	for (uint32_t i = 1; i < r->n[AFTER]; i++) {
		const struct vma *v = diff_row_vma(d, r, AFTER, i);

		p.alike &= !memcmp(v->perms, first->perms, sizeof(v->perms));
		if (vma_has_flags(v) && vma_has_flags(first))
			p.flags |= v->flags ^ first->flags;
		if (v->start > last->end)
			p.hole_kb += (v->start - last->end) >> 10;
		last = v;
	}
	p.flags &= ~VM_FLAG_BIT(sd); /* says when it was written, not how it was mapped */
	return p;
}

/* Only a hole: something in the middle was unmapped. */
static bool is_holed(const struct pieces *p)
{
	return p->alike && !p->flags && p->hole_kb;
}

/* "rw-p, r--p, rw-p", the first few; "rw-p, rw-p lo, rw-p" when flags alone tell them apart. */
static void put_pieces(const struct diff *d, const struct match_row *r, struct out *o)
{
	struct pieces p = pieces_of(d, r);
	uint32_t n = r->n[AFTER] < 6 ? r->n[AFTER] : 6;

	for (uint32_t i = 0; i < n; i++) {
		const struct vma *v = diff_row_vma(d, r, AFTER, i);

		out_printf(o, "%s%.4s", i ? ", " : "", v->perms);
		for (unsigned k = 0; k < VM_FLAGS && p.alike; k++)
			if (v->flags & p.flags & (UINT64_C(1) << k))
				out_printf(o, " %s", vm_flags[k].code);
	}
	if (n < r->n[AFTER])
		out_str(o, ", ..");
	if (is_holed(&p)) {
		out_str(o, "; ");
		put_kb(o, p.hole_kb);
		out_str(o, " between unmapped");
	}
}

static void say_split(const struct diff *d, const struct match_row *r, struct out *o)
{
	if (r->kind == MATCH_MERGED)
		out_printf(o, "%" PRIu32 " mappings became %" PRIu32 " (", r->n[BEFORE],
			   r->n[AFTER]);
	else
		out_printf(o, "%s cut in %" PRIu32 " (",
			   r->n[BEFORE] == 1 ? "the mapping was" : "mappings were", r->n[AFTER]);
	put_pieces(d, r, o);
	out_byte(o, ')');
}

static void say_advice(const struct diff *d, const struct match_row *r, struct out *o)
{
	struct row_side side[SIDES];

	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	if (side[AFTER].advice & ~side[BEFORE].advice & VM_FLAG_BIT(nh))
		out_str(o, "MADV_NOHUGEPAGE is set now");
	else if (side[BEFORE].advice & ~side[AFTER].advice & VM_FLAG_BIT(hg))
		out_str(o, "it is no longer advised with MADV_HUGEPAGE");
	else
		out_str(o, "its advice has changed");
}

static const char *const cause_words[CAUSES] = {
	[CAUSE_POLICY] = "huge pages are not allowed there any more",
	[CAUSE_SWAPPED] = "swapped out",
	[CAUSE_FREED_IN_PART] = "parts of huge pages were freed, their rests are small",
	[CAUSE_SIZE] = "what is resident no longer fills whole slots",
	[CAUSE_ALIGNMENT] = "it lies where fewer aligned slots fit",
	[CAUSE_DELIVERY] = "small pages stand where huge ones did",
};

static bool looks_forked(const struct diff *d, const struct match_row *r)
{
	const char *list[SIGNS_MAX];

	return diff_signs(d, r, list) && slice_eq_str(SLICE("fork"), list[0]);
}

/* mremap() keeps a huge page only where its offset inside the slot stays. */
static bool moved_within_slot(const struct diff *d, const struct match_row *r,
			      enum loss_cause cause)
{
	if (r->kind != MATCH_MOVED || (cause != CAUSE_ALIGNMENT && cause != CAUSE_DELIVERY))
		return false;
	uint64_t by = diff_row_vma(d, r, AFTER, 0)->start - diff_row_vma(d, r, BEFORE, 0)->start;
	return by & ((d->pmd_kb << 10) - 1);
}

/* Less was freed than is small now: a few pages of a slot, MADV_DONTNEED of 4 kB. */
static bool few_were_freed(const struct diff *d, const struct match_row *r, enum loss_cause cause)
{
	struct row_side side[SIDES];
	struct row_delta x;

	if (r->kind != MATCH_SAME || cause != CAUSE_SIZE)
		return false;
	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	diff_row_delta(side, &x);
	return x.rss < 0 && (uint64_t)-x.rss < r->loss_kb;
}

void diff_say_cause(const struct diff *d, const struct match_row *r, enum loss_cause cause,
		    struct out *o)
{
	if (cause == CAUSE_SPLIT)
		say_split(d, r, o);
	else if (cause == CAUSE_ADVICE)
		say_advice(d, r, o);
	else if (moved_within_slot(d, r, cause))
		out_str(o, "it was moved to another place within a huge page, which splits each");
	else if (few_were_freed(d, r, cause))
		out_str(o, cause_words[CAUSE_FREED_IN_PART]);
	else if (cause == CAUSE_DELIVERY && looks_forked(d, r))
		out_str(o, "its pages are shared now, as after fork and a write");
	else
		out_str(o, cause_words[cause]);
	if (r->kind == MATCH_POOL)
		out_str(o, ", in mappings without a partner");
}

uint64_t diff_lost_pages(const struct diff *d, const struct match_row *r)
{
	return (r->loss_kb + d->pmd_kb - 1) / d->pmd_kb;
}

static void say_loss(const struct diff *d, const struct finding *f, struct out *o)
{
	put_pages(o, diff_lost_pages(d, f->more));
	out_str(o, " lost (");
	put_kb(o, f->lost_kb);
	out_str(o, "): ");
	diff_say_cause(d, f->more, f->state, o);
	out_byte(o, '.');
}

static void say_slots(const struct diff *d, const struct finding *f, struct out *o)
{
	const struct match_row *r = f->more;
	struct row_side side[SIDES];

	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	const struct vma *b = diff_row_vma(d, r, BEFORE, 0);
	out_printf(o, "%" PRIu64 " -> %" PRIu64 " of %" PRIu64 " slots fit", side[BEFORE].slots_fit,
		   side[AFTER].slots_fit, side[BEFORE].slots_ideal);
	if (diff_on_boundary(d->m[BEFORE], b))
		out_str(o, b->class == CLASS_ANON
				   ? "; it started on a boundary and does not any more"
				   : "; start and offset agreed and do not any more");
	if (r->n[BEFORE] == 1 && vma_size_kb(b) % d->pmd_kb)
		out_str(o, "; the length is no multiple of the huge page size");
	if (r->chance)
		out_str(o, "; where it begins is chance");
	out_byte(o, '.');
}

static void say_setting(const struct finding *f, struct out *o)
{
	const struct setting_change *c = f->more;

	if (slice_eq(c->file, SLICE("prctl")))
		out_str(o, "PR_SET_THP_DISABLE");
	else
		out_safe(o, c->file, false);
	out_str(o, ": ");
	out_safe(o, c->before, false);
	out_str(o, " -> ");
	out_safe(o, c->after, false);
	out_byte(o, '.');
}

static void say_fallback(const struct diff *d, const struct finding *f, struct out *o)
{
	char buf[2][NUM_BUF];
	int64_t all = counter(d, "vmstat.thp_fault_alloc") + (int64_t)f->number;

	out_printf(o,
		   "%.0f %% of the host's %.*s huge-page faults fell back to small pages (%.*s).",
		   100.0 * (double)f->number / (double)all, SLICE_FMT(num_put_commas(buf[1], all)),
		   SLICE_FMT(num_put_commas(buf[0], (int64_t)f->number)));
}

void diff_finding_message(const struct diff *d, const struct finding *f, struct out *o)
{
	switch ((enum finding_id)f->id) {
	case FINDING_THP_LOSS:
		say_loss(d, f, o);
		break;
	case FINDING_SLOTS_LOST:
		say_slots(d, f, o);
		break;
	case FINDING_SETTING_CHANGED:
		say_setting(f, o);
		break;
	default:
		say_fallback(d, f, o);
		break;
	}
}

/* ---- advice ---- */

static const char *const cause_advice[CAUSES] = {
	[CAUSE_SPLIT] =
		"Give the whole range one protection and one advice, or change them at multiples "
		"of the huge page size only.",
	[CAUSE_ADVICE] =
		"Keep MADV_HUGEPAGE on it; MADV_COLLAPSE (6.1) makes what is resident huge again.",
	[CAUSE_POLICY] = "Compare under equal settings, or advise the memory: MADV_HUGEPAGE.",
	[CAUSE_SWAPPED] =
		"The host or the cgroup is short of memory; what comes back from swap comes back "
		"small.",
	[CAUSE_FREED_IN_PART] =
		"Free whole aligned slots: an allocator that trims pages of a slot costs all of "
		"it.",
	[CAUSE_SIZE] = "Use memory in whole slots: what fills only a part of one cannot be huge.",
	[CAUSE_ALIGNMENT] = "Map a multiple of the huge page size, or align the start.",
	[CAUSE_DELIVERY] =
		"MADV_COLLAPSE (6.1) makes it huge again; see what splits it: fork, reclaim, "
		"faults before the advice.",
};

static const char *advice_of_loss(const struct diff *d, const struct match_row *r,
				  enum loss_cause cause)
{
	if (moved_within_slot(d, r, cause))
		return "Move by a multiple of the huge page size: mremap() keeps huge pages "
		       "only then.";
	if (few_were_freed(d, r, cause))
		return cause_advice[CAUSE_FREED_IN_PART];
	if (cause == CAUSE_SPLIT) {
		struct pieces p = pieces_of(d, r);

		if (is_holed(&p))
			return "Unmap whole aligned slots: a part of one costs all of it.";
	}
	if (cause == CAUSE_DELIVERY && looks_forked(d, r))
		return "Fork before the memory is filled, or keep it from the child: "
		       "MADV_DONTFORK.";
	return cause_advice[cause];
}

void diff_finding_advice(const struct diff *d, const struct finding *f, struct out *o)
{
	if (f->id == FINDING_THP_LOSS)
		out_str(o, advice_of_loss(d, f->more, f->state));
	else
		out_str(o, finding_rules[f->id].advice);
}

/* ---- evidence ---- */

static const char *const told[] = {
	/* what vmstat has to say about a loss */
	"vmstat.thp_split_pmd",		  "vmstat.thp_split_page",
	"vmstat.thp_deferred_split_page", "vmstat.thp_swpout",
	"vmstat.thp_swpout_fallback",	  "vmstat.thp_fault_alloc",
	"vmstat.thp_fault_fallback",	  "vmstat.thp_collapse_alloc",
	"vmstat.thp_migration_split",	  "vmstat.nr_anon_transparent_hugepages",
};

static void evidence_vmstat(const struct diff *d, struct json *j)
{
	int64_t v;

	json_key(j, "vmstat");
	json_object(j);
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
		if (diff_counter(d, told[i], &v) && v)
			json_kv_i64(j, told[i] + sizeof("vmstat.") - 1, v);
	json_object_end(j);
}

void diff_say_host(const struct diff *d, struct out *o)
{
	const char *between = "";
	char buf[NUM_BUF];
	int64_t v;

	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		if (!diff_counter(d, told[i], &v) || !v)
			continue;
		out_printf(o, "%s%s %s%.*s", between, told[i] + sizeof("vmstat.") - 1,
			   v > 0 ? "+" : "", SLICE_FMT(num_put_commas(buf, v)));
		between = ", ";
	}
}

static void evidence_loss(const struct diff *d, const struct finding *f, struct json *j)
{
	const struct match_row *r = f->more;
	const char *list[SIGNS_MAX];
	int64_t fell = -huge_delta(d, r), p = (int64_t)d->pmd_kb;

	json_kv_str(j, "cause", cause_names[f->state]);
	json_kv_str(j, "match", match_kind_names[r->kind]);
	if (fell % p == 0)
		json_kv_i64(j, "huge_pages", fell / p);
	else
		json_kv_double(j, "huge_pages", (double)fell / (double)p);
	json_kv_bool(j, "random", diff_loss_may_be_chance(d, r, f->state));
	size_t n = diff_signs(d, r, list);
	json_key(j, "signs");
	json_array(j);
	for (size_t i = 0; i < n; i++)
		json_str(j, list[i]);
	json_array_end(j);
	evidence_vmstat(d, j);
}

static void evidence_slots(const struct diff *d, const struct finding *f, struct json *j)
{
	static const char *const keys[SIDES] = { "slots_fit_before", "slots_fit_after" };
	const struct match_row *r = f->more;

	for (int s = 0; s < SIDES; s++) {
		struct row_side side;

		diff_row_side(d, r, s, &side);
		if (s == BEFORE)
			json_kv_u64(j, "slots_ideal", side.slots_ideal);
		json_kv_u64(j, keys[s], side.slots_fit);
	}
	json_kv_bool(j, "random", r->chance);
}

void diff_finding_evidence(const struct diff *d, const struct finding *f, struct json *j)
{
	const struct setting_change *c = f->more;

	json_object(j);
	switch ((enum finding_id)f->id) {
	case FINDING_THP_LOSS:
		evidence_loss(d, f, j);
		break;
	case FINDING_SLOTS_LOST:
		evidence_slots(d, f, j);
		break;
	case FINDING_SETTING_CHANGED:
		json_kv_slice(j, "setting", c->file);
		json_kv_slice(j, "before", c->before);
		json_kv_slice(j, "after", c->after);
		break;
	default:
		json_kv_i64(j, "alloc", counter(d, "vmstat.thp_fault_alloc"));
		json_kv_u64(j, "fallback", f->number);
		break;
	}
	json_object_end(j);
}
