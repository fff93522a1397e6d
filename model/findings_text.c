/* SPDX-License-Identifier: MIT */
/* The sentences of findings: what is, with the numbers, and what to change. */
#include <inttypes.h>

#include "base/num.h"
#include "model/advice.h"
#include "model/findings.h"

static const struct vma *vma_of(const struct model *m, const struct finding *f)
{
	return f->vma < 0 ? NULL : &m->smaps->vma[f->vma];
}

static void put_size(struct out *o, uint64_t kb)
{
	char buf[NUM_BUF];

	if (kb >= 1024 && kb % 1024 == 0)
		out_printf(o, "%" PRIu64 " MiB", kb >> 10);
	else
		out_printf(o, "%.*s kB", SLICE_FMT(num_put_commas(buf, (int64_t)kb)));
}

static void say_misaligned(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
			   struct out *o)
{
	uint64_t p = m->pmd_kb, behind = ((v->class == CLASS_ANON ? v->start : v->start - v->offset) >> 10) % p;

	(void)f;
	if (v->class != CLASS_ANON)
		out_str(o, "Start minus offset is ");
	else
		out_str(o, "Starts ");
	put_size(o, behind <= p / 2 ? behind : p - behind);
	out_str(o, behind <= p / 2 ? " past" : " before");
	out_str(o, " a boundary: ");
	out_printf(o, "%" PRIu64 " of %" PRIu64 " slots fit", t->slots_fit, t->slots_ideal);
	if (t->known && t->w.alignment_loss) {
		out_str(o, ", which costs ");
		put_size(o, t->w.alignment_loss);
	}
	out_byte(o, '.');
}

static void say_header(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
		       struct out *o)
{
	uint64_t rest = vma_size_kb(v) % m->pmd_kb;

	out_printf(o, "%" PRIu64 " x ", t->slots_ideal);
	put_size(o, m->pmd_kb);
	out_str(o, " + ");
	put_size(o, rest);
	switch ((enum header_state)f->state) {
	case HEADER_FIRST_TOUCH:
		out_str(o, ", starts on a boundary, and only the first huge page is resident: as when malloc writes its "
			   "header and nothing else is touched. Up to ");
		put_size(o, f->lost_kb);
		out_str(o, " of it is waste.");
		break;
	case HEADER_BLOCKS:
		out_printf(o, ": %" PRIu64 " malloc blocks that merged; each one's header was faulted small before its "
			      "slot was whole, which keeps ", f->number);
		put_size(o, f->lost_kb);
		out_str(o, " small.");
		break;
	case HEADER_UNPLACED:
		out_str(o, ", as malloc maps a block for its header: not placed on a boundary, ");
		out_printf(o, "%" PRIu64 " of %" PRIu64 " slots fit.", t->slots_fit, t->slots_ideal);
		break;
	case HEADER_PLACED:
		out_str(o, ", as malloc maps a block for its header; no slot is lost.");
		break;
	}
}

static void say_odd(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
		    struct out *o)
{
	(void)f;
	out_printf(o, "%" PRIu64 " x ", t->slots_ideal);
	put_size(o, m->pmd_kb);
	out_str(o, " + ");
	put_size(o, vma_size_kb(v) % m->pmd_kb);
	out_str(o, ": since Linux 6.12 (6.11.7) only multiples of the PMD size are placed on a boundary.");
}

static void say_split(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
		      struct out *o)
{
	struct vma joined = *v;

	(void)t;
	joined.end = m->smaps->vma[f->vma + (int64_t)f->number - 1].end;
	out_printf(o, "%" PRIu64 " neighbours that touch hold fewer slots than the %" PRIu64 " of the joined range.",
		   f->number, model_slots_fit(m, &joined));
}

static void say_advice(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
		       struct out *o)
{
	(void)v;
	if (m->policy == POLICY_MADVISE)
		out_str(o, "THP is madvise and this memory was never advised: ");
	else
		out_str(o, "The kernel refuses this memory and it was never advised: ");
	put_size(o, f->lost_kb);
	out_printf(o, " could be huge, %" PRIu64 " of %" PRIu64 " slots fit.", t->slots_fit, t->slots_ideal);
}

static void say_opted(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
		      struct out *o)
{
	(void)m;
	(void)v;
	(void)t;
	switch ((enum opted)f->state) {
	case OPTED_NOHUGEPAGE:
		out_str(o, "MADV_NOHUGEPAGE (or MAP_STACK) is set: ");
		break;
	case OPTED_REFUSED:
		out_str(o, "MADV_HUGEPAGE is set, a slot fits and the kernel still refuses: something switches THP off for this process or host: ");
		break;
	case OPTED_STACK:
		out_str(o, "A thread stack; MAP_STACK forbids huge pages since Linux 6.8 (6.7.6): ");
		break;
	case OPTED_PROCESS:
		out_str(o, "PR_SET_THP_DISABLE is set for the process: ");
		break;
	}
	put_size(o, f->lost_kb);
	out_str(o, " could be huge.");
}

static void say_undelivered(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
			    struct out *o)
{
	const char *buf[16];
	size_t n;

	put_size(o, f->lost_kb);
	out_printf(o, " could be huge and is not: %" PRIu64 " of %" PRIu64 " slots that fit are.",
		   t->w.huge / m->pmd_kb, t->slots_fit);
	undelivered_suspects(m, v, t, buf, &n);
	for (size_t i = 0; i < n; i++)
		out_printf(o, "%s%s%s", i ? ", " : " Suspects: ", buf[i], i + 1 == n ? "." : "");
}

static void say_process(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
			struct out *o)
{
	struct slice word = thp_setting(&m->snap->system.thp, "shmem_enabled");

	(void)v;
	(void)t;
	if (f->id == FINDING_POLICY_OFF)
		out_str(o, "transparent_hugepage/enabled is never: ");
	else if (word.n)
		out_printf(o, "shmem_enabled is %.*s: ", SLICE_FMT(word));
	else
		out_str(o, "Shared memory is not allowed huge pages: ");
	put_size(o, f->lost_kb);
	out_str(o, " could be huge.");
}

static void (*const say[FINDING_THP_LOSS])(const struct model *, const struct finding *, const struct vma *,
					   const struct thp *, struct out *) = {
	[FINDING_MISALIGNED] = say_misaligned,	   [FINDING_HEADER_PAGE] = say_header,
	[FINDING_ODD_LENGTH] = say_odd,		   [FINDING_SPLIT_MAPPING] = say_split,
	[FINDING_NEEDS_ADVICE] = say_advice,	   [FINDING_OPTED_OUT] = say_opted,
	[FINDING_POLICY_OFF] = say_process,	   [FINDING_SHMEM_POLICY] = say_process,
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

void finding_advice(const struct model *m, const struct finding *f, struct out *o)
{
	struct thp t = { 0 };
	const struct vma *v = vma_of(m, f);

	if (v)
		model_thp(m, v, &t);
	advice_for(m, f, v, &t, o);
}

/* ---- evidence ---- */

static const char *const header_states[] = { "first-touch", "blocks", "unplaced", "placed" };
static const char *const opted_names[] = { "nohugepage", "refused", "prctl", "stack" };

static void evidence_own(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
			 struct json *j)
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
			    ((v->class == CLASS_ANON ? v->start : v->start - v->offset) >> 10) % m->pmd_kb);
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
