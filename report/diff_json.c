/* SPDX-License-Identifier: MIT */
#include "report/diff_json.h"

#include <math.h>

#include "model/system_counters.h"
#include "report/counters_diff_json.h"
#include "report/readings_view.h"
#include "report/report_json.h"

static int64_t minus(uint64_t after, uint64_t before)
{
	return (int64_t)(after - before);
}

/* ---- numbers of both sides ---- */

static void kv_number(struct json *j, const char *key, bool known, uint64_t v)
{
	if (known)
		json_kv_u64(j, key, v);
	else
		json_kv_null(j, key);
}

static void kv_delta(struct json *j, const char *key, bool known, int64_t v)
{
	if (known)
		json_kv_i64(j, key, v);
	else
		json_kv_null(j, key);
}

static void both(struct json *j, const char *name, bool known_b, uint64_t b, bool known_a,
		 uint64_t a, bool percent)
{
	bool known = known_b && known_a;

	json_key(j, name);
	json_object(j);
	kv_number(j, "before", known_b, b);
	kv_number(j, "after", known_a, a);
	kv_delta(j, "delta", known, minus(a, b));
	if (percent)
		json_kv_double(j, "percent",
			       known && b ? 100 * (double)minus(a, b) / (double)b : NAN);
	json_object_end(j);
}

/* ---- totals ---- */

static void json_diff_totals(struct json *j, const struct diff *d)
{
	const struct totals *b = &d->m[BEFORE]->totals, *a = &d->m[AFTER]->totals;
	bool rolled[SIDES] = { d->m[BEFORE]->smaps->rollup, d->m[AFTER]->smaps->rollup };

	json_key(j, "totals");
	json_object(j);
	if (d->scope == DIFF_COUNTERS) {
		json_object_end(j);
		return;
	}
	both(j, "vmas", !rolled[BEFORE], b->vmas, !rolled[AFTER], a->vmas, true);
	for (int i = 0; i < TOTAL_COUNT; i++)
		both(j, total_names[i], b->sum[i].known && !(rolled[BEFORE] && i == TOTAL_SIZE),
		     b->sum[i].kb, a->sum[i].known && !(rolled[AFTER] && i == TOTAL_SIZE),
		     a->sum[i].kb, true);
	both(j, "thp_eligible", b->has_thp_eligible && !rolled[BEFORE], b->thp_eligible,
	     a->has_thp_eligible && !rolled[AFTER], a->thp_eligible, true);
	both(j, "if_aligned", !rolled[BEFORE], b->if_aligned, !rolled[AFTER], a->if_aligned, true);
	both(j, "slots_ideal", !rolled[BEFORE], b->slots_ideal, !rolled[AFTER], a->slots_ideal,
	     true);
	both(j, "slots_fit", !rolled[BEFORE], b->slots_fit, !rolled[AFTER], a->slots_fit, true);
	both(j, "slots_lost", !rolled[BEFORE], b->slots_ideal - b->slots_fit, !rolled[AFTER],
	     a->slots_ideal - a->slots_fit, true);
	json_object_end(j);
}

static void json_ratios(struct json *j, const struct fall_total *b, const struct fall_total *a)
{
	static const struct {
		const char *name;
		double (*of)(const struct waterfall *w);
	} ratios[] = { { "share", fall_share },
		       { "coverage", fall_coverage },
		       { "delivered", fall_delivered } };

	for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++) {
		double before = b->known ? ratios[i].of(&b->w) : NAN,
		       after = a->known ? ratios[i].of(&a->w) : NAN;

		json_key(j, ratios[i].name);
		json_object(j);
		json_kv_double(j, "before", before);
		json_kv_double(j, "after", after);
		json_kv_double(j, "delta", after - before);
		json_object_end(j);
	}
}

static void json_diff_waterfall(struct json *j, const struct diff *d)
{
	json_key(j, "waterfall");
	if (d->scope != DIFF_MAPPINGS) {
		json_null(j);
		return;
	}
	json_object(j);
	for (int f = 0; f < FALL_COUNT; f++) {
		const struct fall_total *b = &d->m[BEFORE]->totals.fall[f],
					*a = &d->m[AFTER]->totals.fall[f];

		json_key(j, fall_names[f]);
		json_object(j);
		for (int i = 0; i < FALL_MEMBERS; i++)
			both(j, fall_member_names[i], b->known, fall_member(&b->w, i), a->known,
			     fall_member(&a->w, i), false);
		json_ratios(j, b, a);
		json_object_end(j);
	}
	json_object_end(j);
}

/* ---- rows ---- */

static void json_member(struct json *j, const struct diff *d, const struct match_row *r, int side,
			uint32_t i)
{
	const struct vma *v = diff_row_vma(d, r, side, i);
	const struct model *m = d->m[side];
	struct thp t;

	model_thp(m, v, &t);
	json_object(j);
	json_key(j, "start");
	json_addr(j, v->start);
	json_key(j, "end");
	json_addr(j, v->end);
	json_kv_slice(j, "perms", slice_of(v->perms, 4));
	json_name(j, vma_name(m->smaps, v));
	json_kv_u64(j, "size_kb", vma_size_kb(v));
	kv_number(j, "rss_kb", vma_has(v, SMAPS_Rss), vma_value(m->smaps, v, SMAPS_Rss));
	kv_number(j, "huge_kb", t.known, t.w.huge);
	json_kv_str(j, "eligible", eligible_names[v->eligible]);
	json_kv_u64(j, "slots_ideal", t.slots_ideal);
	json_kv_u64(j, "slots_fit", t.slots_fit);
	json_object_end(j);
}

static void json_side(struct json *j, const struct diff *d, const struct match_row *r, int side)
{
	bool list = r->kind == MATCH_SPLIT || r->kind == MATCH_MERGED || r->kind == MATCH_POOL;

	json_key(j, side == BEFORE ? "before" : "after");
	if (!list && r->n[side] == 0) {
		json_null(j);
		return;
	}
	if (list)
		json_array(j);
	for (uint32_t i = 0; i < r->n[side]; i++)
		json_member(j, d, r, side, i);
	if (list)
		json_array_end(j);
}

static void json_delta(struct json *j, const struct row_side side[SIDES])
{
	struct row_delta x;

	diff_row_delta(side, &x);
	json_key(j, "delta");
	json_object(j);
	kv_delta(j, "rss_kb", x.known, x.rss);
	kv_delta(j, "swap_kb", x.swap_known, x.swap);
	kv_delta(j, "huge_kb", x.known, x.huge);
	json_kv_i64(j, "slots_fit", x.slots_fit);
	kv_delta(j, "subslot_kb", x.known, x.subslot);
	kv_delta(j, "policy_loss_kb", x.known, x.policy_loss);
	kv_delta(j, "alignment_loss_kb", x.known, x.alignment_loss);
	kv_delta(j, "delivery_loss_kb", x.known, x.delivery_loss);
	json_object_end(j);
}

static void json_advice_names(struct json *j, const char *key, uint64_t bits)
{
	json_key(j, key);
	json_array(j);
	if (bits & VM_FLAG_BIT(hg))
		json_str(j, "hg");
	if (bits & VM_FLAG_BIT(nh))
		json_str(j, "nh");
	json_array_end(j);
}

/* Only of a row whose advice changed: most have nothing to say. */
static void json_advice(struct json *j, const struct diff *d, const struct match_row *r)
{
	struct diff_advised now;
	uint64_t set = r->changed ? diff_advice_set(d, r, &now) : 0;
	uint64_t cleared = r->changed ? diff_advice_cleared(d, r) : 0;

	if (!set && !cleared)
		return;
	json_key(j, "advice");
	json_object(j);
	json_advice_names(j, "set", set);
	json_advice_names(j, "cleared", cleared);
	json_object_end(j);
}

static void json_row(struct json *j, const struct diff *d, const struct match_row *r)
{
	struct row_side side[SIDES];
	int any;
	const struct vma *v = diff_row_any(d, r, &any);

	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	json_object(j);
	json_kv_str(j, "match", match_kind_names[r->kind]);
	json_kv_str(j, "class", class_names[v->class]);
	if (r->kind == MATCH_POOL)
		json_kv_null(j, "name");
	else
		json_kv_slice(j, "name", vma_name(d->m[any]->smaps, v));
	json_side(j, d, r, BEFORE);
	json_side(j, d, r, AFTER);
	json_delta(j, side);
	kv_number(j, "thp_loss_kb", r->loss_known, r->loss_kb);
	json_kv_bool(j, "changed", r->changed);
	json_advice(j, d, r);
	json_object_end(j);
}

static void json_rows(struct json *j, const struct diff_view *v)
{
	const struct diff *d = v->d;

	json_key(j, "vmas");
	if (d->scope != DIFF_MAPPINGS || v->vmas == DIFF_VMAS_NONE) {
		json_null(j);
		return;
	}
	json_array(j);
	for (size_t i = 0; i < d->match.n; i++) {
		const struct match_row *r = &d->match.row[i];

		if (!r->kept || (v->vmas == DIFF_VMAS_CHANGED && !r->changed))
			continue;
		json_break(j);
		json_row(j, d, r);
	}
	json_array_end(j);
}

/* ---- counters ---- */

static void kv_pages(struct json *j, const char *key, bool known, struct dec pages, uint64_t pmd_kb)
{
	char buf[DEC_BUF];

	json_key(j, key);
	if (known) /* 64 bits of pages and 34 of a page's size: 128 hold it */
		json_raw(j, dec_put(buf, (struct dec){ .mantissa = pages.mantissa * (int64_t)pmd_kb }));
	else
		json_null(j);
}

/* Gauges in huge pages in kB too. */
static void json_in_kb(struct json *j, const struct counter_row *r, uint64_t pmd_kb)
{
	if (!slice_eq(r->unit, SLICE(UNIT_HUGE_PAGES)))
		return;
	kv_pages(j, "before_kb", r->has_before, r->before, pmd_kb);
	kv_pages(j, "after_kb", r->has_after, r->after, pmd_kb);
	kv_pages(j, "delta_kb", r->has_delta, r->delta, pmd_kb);
}

static void json_counter_rows(struct json *j, const struct counter_rows *rows, uint64_t pmd_kb,
			      double seconds)
{
	json_key(j, "counters");
	json_array(j);
	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *r = &rows->at[i];

		json_break(j);
		json_object(j);
		json_counter_members(j, r);
		json_in_kb(j, r, pmd_kb);
		if (seconds > 0 && r->kind == COUNTER_COUNTER && r->has_delta)
			json_kv_double(j, "per_s", dec_double(r->delta) / seconds);
		json_object_end(j);
	}
	json_array_end(j);
}

/* ---- findings ---- */

static void json_diff_finding(struct json *j, const struct diff *d, const struct finding *f)
{
	struct out message, advice;

	out_memory(&message);
	out_memory(&advice);
	diff_finding_message(d, f, &message);
	diff_finding_advice(d, f, &advice);
	json_object(j);
	json_finding_members(j, f, f->vma >= 0 ? &d->m[AFTER]->smaps->vma[f->vma] : NULL,
			     out_slice(&message), out_slice(&advice));
	json_key(j, "evidence");
	diff_finding_evidence(d, f, j);
	json_object_end(j);
	out_close(&message);
	out_close(&advice);
}

static void json_diff_findings(struct json *j, const struct diff *d)
{
	json_key(j, "findings");
	json_array(j);
	for (size_t i = 0; i < d->findings.n; i++) {
		json_break(j);
		json_diff_finding(j, d, &d->findings.at[i]);
	}
	json_array_end(j);
}

/* ---- the document ---- */

static void json_head(struct json *j, const struct diff *d)
{
	json_schema(j, "hugecov.diff/1");
	for (int s = 0; s < SIDES; s++) {
		json_key(j, s == BEFORE ? "before" : "after");
		json_object(j);
		json_source(j, "source", &d->m[s]->snap->source);
		json_process(j, d->m[s]->snap);
		json_object_end(j);
	}
	json_kv_str(j, "matched",
		    d->scope != DIFF_MAPPINGS ? NULL
		    : d->match.by_address     ? "address"
					      : "identity");
	json_kv_str(j, "basis", d->scope == DIFF_MAPPINGS ? match_basis_names[d->match.basis] : NULL);
	json_kv_bool(j, "exec", d->match.exec);
	json_key(j, "unlike");
	json_array(j);
	for (size_t i = 0; i < d->unlike_n; i++)
		json_str(j, d->unlike[i]);
	json_array_end(j);
	if (diff_seconds(d) > 0)
		json_kv_double(j, "seconds", diff_seconds(d));
	else
		json_kv_null(j, "seconds");
}

void diff_json(struct json *j, const struct diff_view *v)
{
	const struct diff *d = v->d;

	json_object(j);
	json_head(j, d);
	json_diff_totals(j, d);
	json_diff_waterfall(j, d);
	kv_number(j, "thp_loss_kb", d->scope == DIFF_MAPPINGS && d->loss_known, d->loss_kb);
	json_rows(j, v);
	json_counter_rows(j, &d->counters, d->pmd_kb, diff_seconds(d));
	json_readings(j, v->readings ? v->readings : &(struct readings){ 0 });
	json_diff_findings(j, d);
	json_kv_str(j, "verdict", verdict_names[d->verdict]);
	json_object_end(j);
}
