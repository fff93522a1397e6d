/* SPDX-License-Identifier: MIT */
/* The sentences of findings: what is, with the numbers, and what to change. */
#include <inttypes.h>
#include <string.h>

#include "model/advice.h"
#include "model/findings.h"

static const struct vma *vma_of(const struct model *m, const struct finding *f)
{
	return f->vma < 0 ? NULL : &m->smaps->vma[f->vma];
}

/* "3 of 4 slots fit", "none of its 4 slots fits", "its only slot does not fit" */
static void say_slots(struct out *o, const struct thp *t)
{
	if (t->slots_ideal == 1)
		out_str(o, t->slots_fit ? "its slot fits" : "its one slot does not fit");
	else if (t->slots_fit == 0)
		out_printf(o, "none of its %" PRIu64 " slots fits", t->slots_ideal);
	else if (t->slots_fit == t->slots_ideal)
		out_printf(o, "all %" PRIu64 " slots fit", t->slots_ideal);
	else
		out_printf(o, "%" PRIu64 " of %" PRIu64 " slots fit", t->slots_fit, t->slots_ideal);
}

static void say_misaligned(const struct model *m, const struct finding *f, const struct vma *v,
			   const struct thp *t, struct out *o)
{
	uint64_t p = m->pmd_kb,
		 past = ((v->class == CLASS_ANON ? v->start : v->start - v->offset) >> 10) % p;
	bool before = past > p / 2;

	(void)f;
	if (v->class != CLASS_ANON) {
		out_str(o, "Address and file offset are ");
		say_size(o, before ? p - past : past);
		out_str(o, " apart modulo ");
		say_size(o, p);
	} else if (t->slots_fit == 0 && vma_size_kb(v) > p - past) {
		say_size(o, p - past);
		out_str(o, " + ");
		say_size(o, vma_size_kb(v) - (p - past));
		out_str(o, " around a boundary");
	} else {
		out_str(o, "Starts ");
		say_size(o, before ? p - past : past);
		out_str(o, before ? " before a boundary" : " past a boundary");
	}
	out_str(o, ": ");
	say_slots(o, t);
	out_byte(o, '.');
}

static void say_rest(const struct model *m, const struct vma *v, const struct thp *t, struct out *o)
{
	say_size(o, t->slots_ideal * m->pmd_kb);
	out_str(o, " + ");
	say_size(o, vma_size_kb(v) % m->pmd_kb);
}

static void say_header(const struct model *m, const struct finding *f, const struct vma *v,
		       const struct thp *t, struct out *o)
{
	say_rest(m, v, t, o);
	switch ((enum header_state)f->state) {
	case HEADER_FIRST_TOUCH:
		out_str(o, ", on a boundary, and only the first huge page is resident: as when "
			   "malloc writes its header and "
			   "nothing else is touched. Up to ");
		say_size(o, f->lost_kb);
		out_str(o, " of it is waste.");
		break;
	case HEADER_BLOCKS:
		out_printf(o,
			   ", as %" PRIu64 " malloc blocks that merged: each one's header was "
					   "faulted small before its "
			   "slot was whole.",
			   f->number);
		break;
	case HEADER_UNPLACED:
		out_str(o, ", as malloc maps a block with its header, which Linux 6.12 and later "
			   "do not align: ");
		say_slots(o, t);
		out_byte(o, '.');
		break;
	case HEADER_PLACED:
		out_str(o, ", as malloc maps a block with its header; no slot is lost.");
		break;
	}
}

static void say_odd(const struct model *m, const struct finding *f, const struct vma *v,
		    const struct thp *t, struct out *o)
{
	(void)f;
	say_rest(m, v, t, o);
	out_str(o, ": Linux 6.12 (6.11.7) and later put only multiples of ");
	say_size(o, m->pmd_kb);
	out_str(o, " on a boundary.");
}

static void say_split(const struct model *m, const struct finding *f, const struct vma *v,
		      const struct thp *t, struct out *o)
{
	struct vma joined = *v;

	(void)t;
	joined.end = m->smaps->vma[f->vma + (int64_t)f->number - 1].end;
	uint64_t slots = model_slots_fit(m, &joined);

	out_printf(o,
		   "%" PRIu64 " mappings that touch would hold %" PRIu64
		   " slot%s as one; they hold fewer.",
		   f->number, slots, slots == 1 ? "" : "s");
}

static void say_advice(const struct model *m, const struct finding *f, const struct vma *v,
		       const struct thp *t, struct out *o)
{
	(void)f;
	(void)v;
	if (m->policy == POLICY_MADVISE)
		out_str(o, "THP is madvise and this was never advised; ");
	else
		out_str(o, "The kernel refuses huge pages here and this was never advised; ");
	say_slots(o, t);
	out_byte(o, '.');
}

static const char *const opted_texts[] = {
	[OPTED_NOHUGEPAGE] = "MADV_NOHUGEPAGE (or MAP_STACK) is set: ",
	[OPTED_REFUSED] = "MADV_HUGEPAGE is set, a slot fits and the kernel still refuses: ",
	[OPTED_STACK] =
		"A thread stack, and MAP_STACK forbids huge pages since Linux 6.8 (6.7.6): ",
	[OPTED_PROCESS] = "PR_SET_THP_DISABLE is set for the process: ",
};

static void say_could(const struct finding *f, struct out *o)
{
	say_size(o, f->lost_kb);
	out_str(o, " could be huge.");
}

static void say_opted(const struct model *m, const struct finding *f, const struct vma *v,
		      const struct thp *t, struct out *o)
{
	(void)m;
	(void)v;
	(void)t;
	out_str(o, opted_texts[f->state]);
	say_could(f, o);
}

static void say_undelivered(const struct model *m, const struct finding *f, const struct vma *v,
			    const struct thp *t, struct out *o)
{
	const char *buf[16];
	bool any = false;
	size_t n;

	(void)f;
	if (t->w.huge)
		out_printf(o, "%" PRIu64 " of %" PRIu64 " slots that fit are huge.",
			   t->w.huge / m->pmd_kb, t->slots_fit);
	else
		out_printf(o, "None of %" PRIu64 " slot%s that fit is huge.", t->slots_fit,
			   t->slots_fit == 1 ? "" : "s");
	undelivered_suspects(m, v, t, buf, &n);
	for (size_t i = 0; i < n; i++) {
		/* The advice for these says it. */
		if (!strcmp(buf[i], "late-advice") || !strcmp(buf[i], "guard-regions"))
			continue;
		out_printf(o, "%s%s", any ? ", " : " Suspects: ", buf[i]);
		any = true;
	}
	if (any)
		out_byte(o, '.');
}

/* A stranger's file may hold anything; the kernel's words are short and ASCII. */
static bool say_shmem_enabled(const struct model *m, struct out *o)
{
	struct slice word = thp_setting(&m->snap->system.thp, "shmem_enabled");

	if (word.n) {
		out_str(o, "shmem_enabled is ");
		out_safe_cut(o, word, 40, true);
	}
	return word.n > 0;
}

static void say_process(const struct model *m, const struct finding *f, const struct vma *v,
			const struct thp *t, struct out *o)
{
	(void)v;
	(void)t;
	if (f->id == FINDING_POLICY_OFF)
		out_str(o, "transparent_hugepage/enabled is never: ");
	else if (say_shmem_enabled(m, o))
		out_str(o, ": ");
	else
		out_str(o, "Nothing allows huge pages for this shared memory: ");
	say_could(f, o);
}

static void (*const say[FINDING_THP_LOSS])(const struct model *, const struct finding *,
					   const struct vma *, const struct thp *, struct out *) = {
	[FINDING_MISALIGNED] = say_misaligned,	 [FINDING_HEADER_PAGE] = say_header,
	[FINDING_ODD_LENGTH] = say_odd,		 [FINDING_SPLIT_MAPPING] = say_split,
	[FINDING_NEEDS_ADVICE] = say_advice,	 [FINDING_OPTED_OUT] = say_opted,
	[FINDING_POLICY_OFF] = say_process,	 [FINDING_SHMEM_POLICY] = say_process,
	[FINDING_UNDELIVERED] = say_undelivered,
};

void finding_message(const struct model *m, const struct finding *f, struct out *o)
{
	const struct vma *v = vma_of(m, f);
	struct thp t = { 0 };

	if (f->id >= FINDING_THP_LOSS)
		return;
	if (v)
		model_thp(m, v, &t);
	say[f->id](m, f, v, &t, o);
}

static const char *const many_headers[] = {
	[HEADER_FIRST_TOUCH] =
		"malloc blocks of which only the header was touched, which made its huge page.",
	[HEADER_BLOCKS] =
		"malloc blocks that merged, each header faulted small before its slot was whole.",
	[HEADER_UNPLACED] =
		"malloc blocks with their headers, which Linux 6.12 and later do not align.",
	[HEADER_PLACED] = "malloc blocks with their headers; no slot is lost.",
};
static const char *const many_opted[] = {
	[OPTED_NOHUGEPAGE] = "MADV_NOHUGEPAGE (or MAP_STACK) is set.",
	[OPTED_REFUSED] = "MADV_HUGEPAGE is set, slots fit and the kernel still refuses.",
	[OPTED_STACK] = "thread stacks, and MAP_STACK forbids huge pages since Linux 6.8 (6.7.6).",
	[OPTED_PROCESS] = "PR_SET_THP_DISABLE is set for the process.",
};
static const char *const many[FINDING_THP_LOSS] = {
	[FINDING_MISALIGNED] = "not on a boundary, so that slots are lost.",
	[FINDING_ODD_LENGTH] =
		"lengths that Linux 6.12 (6.11.7) and later do not put on a boundary.",
	[FINDING_SPLIT_MAPPING] = "neighbours that touch and would hold more slots as one mapping.",
	[FINDING_UNDELIVERED] = "slots fit and are allowed, and are not huge.",
};

void finding_message_many(const struct model *m, const struct finding *f, struct out *o)
{
	if (f->id == FINDING_HEADER_PAGE)
		out_str(o, many_headers[f->state]);
	else if (f->id == FINDING_OPTED_OUT)
		out_str(o, many_opted[f->state]);
	else if (f->id == FINDING_NEEDS_ADVICE)
		out_str(o, m->policy == POLICY_MADVISE
				   ? "never advised, and THP is madvise."
				   : "the kernel refuses huge pages, and they were never advised.");
	else if (f->id == FINDING_POLICY_OFF)
		out_str(o, "transparent_hugepage/enabled is never.");
	else if (f->id == FINDING_SHMEM_POLICY && say_shmem_enabled(m, o))
		out_byte(o, '.');
	else if (f->id == FINDING_SHMEM_POLICY)
		out_str(o, "nothing allows huge pages for this shared memory.");
	else if (f->id < FINDING_THP_LOSS)
		out_str(o, many[f->id]);
}

/* The mapping whose size the advice names: of shared memory the largest. */
static const struct vma *advice_vma(const struct model *m, const struct finding *f)
{
	const struct vma *largest = NULL;

	if (f->id != FINDING_SHMEM_POLICY)
		return vma_of(m, f);
	for (size_t i = 0; i < m->smaps->n; i++) {
		const struct vma *v = &m->smaps->vma[i];

		if (v->class == CLASS_SHMEM && model_keeps(m, i) &&
		    (!largest || vma_size_kb(v) > vma_size_kb(largest)))
			largest = v;
	}
	return largest;
}

void finding_advice(const struct model *m, const struct finding *f, struct out *o)
{
	if (f->id >= FINDING_THP_LOSS)
		out_str(o, finding_rules[f->id].advice);
	else
		advice_say(advice_of(m, f), m, advice_vma(m, f), o);
}

/* ---- evidence ---- */

static const char *const header_states[] = { "first-touch", "blocks", "unplaced", "placed" };
static const char *const opted_names[] = { "nohugepage", "refused", "prctl", "stack" };

static void evidence_own(const struct model *m, const struct finding *f, const struct vma *v,
			 const struct thp *t, struct json *j)
{
	const char *buf[16];
	size_t n;

	switch ((enum finding_id)f->id) {
	case FINDING_HEADER_PAGE:
		json_kv_str(j, "state", header_states[f->state]);
		json_kv_u64(j, "rest_kb", vma_size_kb(v) % m->pmd_kb);
		if (f->state == HEADER_BLOCKS)
			json_kv_u64(j, "blocks", f->number);
		break;
	case FINDING_SPLIT_MAPPING:
		json_kv_u64(j, "mappings", f->number);
		json_key(j, "differs");
		json_array(j);
		if (f->state & DIFFERS_PERMS)
			json_str(j, "perms");
		if (f->state & DIFFERS_ADVICE)
			json_str(j, "advice");
		if (f->state & DIFFERS_FLAGS)
			json_str(j, "flags");
		json_array_end(j);
		break;
	case FINDING_OPTED_OUT:
		json_kv_str(j, "by", opted_names[f->state]);
		break;
	case FINDING_UNDELIVERED:
		undelivered_suspects(m, v, t, buf, &n);
		json_key(j, "suspects");
		json_array(j);
		for (size_t i = 0; i < n; i++)
			json_str(j, buf[i]);
		json_array_end(j);
		break;
	default:
		break;
	}
}

void finding_evidence(const struct model *m, const struct finding *f, struct json *j)
{
	const struct vma *v = vma_of(m, f);
	struct thp t = { 0 };

	json_object(j);
	if (v) {
		model_thp(m, v, &t);
		json_kv_u64(j, "slots_ideal", t.slots_ideal);
		json_kv_u64(j, "slots_fit", t.slots_fit);
	}
	if (f->id == FINDING_MISALIGNED && v)
		json_kv_u64(j, "past_boundary_kb",
			    ((v->class == CLASS_ANON ? v->start : v->start - v->offset) >> 10) %
				    m->pmd_kb);
	evidence_own(m, f, v, &t, j);
	if (f->id == FINDING_POLICY_OFF || f->id == FINDING_NEEDS_ADVICE)
		json_kv_str(j, "policy", policy_names[m->policy]);
	if (f->id == FINDING_SHMEM_POLICY) {
		struct slice word = thp_setting(&m->snap->system.thp, "shmem_enabled");

		json_key(j, "shmem_enabled");
		if (word.n)
			json_slice(j, word);
		else
			json_null(j);
	}
	json_object_end(j);
}
