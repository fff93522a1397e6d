/* SPDX-License-Identifier: MIT */
#include "report/report_csv.h"

#include <stdio.h>

#include "base/num.h"
#include "model/system_counters.h"

static const char *const of_mapping[] = {
	"pid", "comm",	"start", "end",	  "perms",    "offset",
	"dev", "inode", "name",	 "class", "eligible", "flags",
};
static const char *const of_thp[] = {
	"slots_ideal",	     "slots_fit",	 "slots_lost", "head_kb",
	"tail_kb",	     "huge_kb",		 "subslot_kb", "policy_loss_kb",
	"alignment_loss_kb", "delivery_loss_kb", "findings",
};

static void names(struct csv *c, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		csv_str(c, list[i]);
}

void report_csv_header(struct out *o)
{
	struct csv c = { .o = o };
	char name[64];

	names(&c, of_mapping, sizeof(of_mapping) / sizeof(*of_mapping));
	for (int f = 0; f < SMAPS_FIELDS; f++) {
		snprintf(name, sizeof(name), "%s%s", smaps_fields[f].name,
			 smaps_fields[f].kb ? "_kb" : "");
		csv_str(&c, name);
	}
	names(&c, of_thp, sizeof(of_thp) / sizeof(*of_thp));
	csv_end(&c);
}

/* ---- one mapping ---- */

static void put_identity(struct csv *c, const struct model *m, const struct vma *v)
{
	const struct snapshot *s = m->snap;
	char dev[VMA_DEVICE_BUF];

	if (s->has_process && s->process.pid >= 0)
		csv_i64(c, s->process.pid);
	else
		csv_absent(c);
	csv_text(c, s->has_process ? s->process.comm : slice_of(NULL, 0));
	csv_hex(c, v->start);
	csv_hex(c, v->end);
	csv_text(c, slice_of(v->perms, 4));
	csv_hex(c, v->offset);
	csv_field(c, vma_device(dev, v));
	csv_u64(c, v->inode);
	csv_text(c, vma_name(m->smaps, v));
	csv_str(c, class_names[v->class]);
	csv_str(c, eligible_names[v->eligible]);
}

static void put_flags(struct csv *c, const struct vma *v)
{
	char text[VM_FLAGS * 3];
	size_t n = 0;

	for (uint64_t left = v->flags; left && vma_has_flags(v); left &= left - 1) {
		const char *code = vm_flags[__builtin_ctzll(left)].code;

		if (n)
			text[n++] = ' ';
		text[n++] = code[0];
		text[n++] = code[1];
	}
	csv_field(c, slice_of(text, n));
}

static void put_fields(struct csv *c, const struct smaps *s, const struct vma *v)
{
	for (int f = 0; f < SMAPS_FIELDS; f++) {
		if (vma_has(v, (enum smaps_field)f))
			csv_u64(c, vma_value(s, v, (enum smaps_field)f));
		else
			csv_absent(c);
	}
}

static void put_thp(struct csv *c, const struct model *m, const struct vma *v)
{
	struct thp t;

	model_thp(m, v, &t);
	const uint64_t slots[] = { t.slots_ideal, t.slots_fit, thp_slots_lost(&t), t.head_kb,
				   t.tail_kb };
	const uint64_t kb[] = { t.w.huge, t.w.subslot, t.w.policy_loss, t.w.alignment_loss,
				t.w.delivery_loss };

	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++)
		csv_u64(c, slots[i]);
	for (size_t i = 0; i < sizeof(kb) / sizeof(*kb); i++) {
		if (t.known)
			csv_u64(c, kb[i]);
		else
			csv_absent(c);
	}
}

/* Bits of enum finding_id for each mapping. */
static uint16_t *finding_bits(const struct csv_view *v)
{
	uint16_t *bits = mem_array(v->m->smaps->n, sizeof(*bits));

	for (size_t i = 0; i < v->findings->n; i++)
		if (v->findings->at[i].vma >= 0)
			bits[v->findings->at[i].vma] |= (uint16_t)(1u << v->findings->at[i].id);
	return bits;
}
_Static_assert(FINDING_IDS <= 16, "a bit for each finding");

static void put_findings(struct csv *c, unsigned bits)
{
	char text[512];
	int n = 0;

	if (!bits) {
		csv_absent(c);
		return;
	}
	for (int id = 0; id < FINDING_IDS; id++)
		if (bits >> id & 1)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", n ? " " : "",
				      finding_rules[id].id);
	csv_field(c, slice_of(text, (size_t)n));
}

void report_csv(struct out *o, const struct csv_view *v)
{
	const struct smaps *s = v->m->smaps;
	struct csv c = { .o = o };
	uint16_t *bits = finding_bits(v);
	uint32_t *order;
	size_t n = rank_pick(v->m, v->sorted ? v->sort : RANK_ADDRESS, v->top, &order);

	for (size_t i = 0; i < n; i++) {
		const struct vma *x = &s->vma[order[i]];

		put_identity(&c, v->m, x);
		put_flags(&c, x);
		put_fields(&c, s, x);
		put_thp(&c, v->m, x);
		put_findings(&c, bits[order[i]]);
		csv_end(&c);
	}
	mem_free(order);
	mem_free(bits);
}

/* ---- system files ---- */

void report_csv_system(struct out *o, const struct system_info *s)
{
	static const char *const header[] = { "name", "value", "unit" };
	struct counter_list list = { 0 };
	struct csv c = { .o = o };
	struct arena a = { 0 };
	char buf[DEC_BUF];

	system_counters(s, &a, &list);
	csv_header(&c, header, 3);
	for (size_t i = 0; i < list.n; i++) {
		csv_text(&c, list.at[i].name);
		if (list.at[i].present)
			csv_field(&c, dec_put(buf, list.at[i].value));
		else
			csv_absent(&c);
		csv_text(&c, list.at[i].unit);
		csv_end(&c);
	}
	counters_free(&list);
	arena_free(&a);
}
