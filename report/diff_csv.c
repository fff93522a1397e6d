/* SPDX-License-Identifier: MIT */
#include "report/diff_csv.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"
#include "report/csv.h"

static void field_addr(struct csv *c, const struct diff *d, const struct match_row *r, int side)
{
	char text[NUM_BUF];

	if (!r->n[side] || r->kind == MATCH_POOL) {
		csv_absent(c);
		return;
	}
	snprintf(text, sizeof(text), "0x%" PRIx64, diff_row_vma(d, r, side, 0)->start);
	csv_str(c, text);
}

static void field_delta(struct csv *c, bool known, int64_t v)
{
	if (known)
		csv_i64(c, v);
	else
		csv_absent(c);
}

static void csv_row(struct csv *c, const struct diff *d, const struct match_row *r)
{
	struct row_side side[SIDES];
	struct row_delta x;
	int any;
	const struct vma *v = diff_row_any(d, r, &any);

	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	diff_row_delta(side, &x);
	csv_str(c, match_kind_names[r->kind]);
	csv_str(c, class_names[v->class]);
	csv_text(c, r->kind == MATCH_POOL ? (struct slice){ 0 } : vma_name(d->m[any]->smaps, v));
	for (int s = 0; s < SIDES; s++)
		field_addr(c, d, r, s);
	for (int s = 0; s < SIDES; s++)
		csv_u64(c, r->n[s]);
	for (int s = 0; s < SIDES; s++)
		csv_u64(c, side[s].size);
	field_delta(c, x.known, x.rss);
	field_delta(c, x.swap_known, x.swap);
	field_delta(c, x.known, x.huge);
	csv_i64(c, x.slots_fit);
	field_delta(c, x.known, x.subslot);
	field_delta(c, x.known, x.policy_loss);
	field_delta(c, x.known, x.alignment_loss);
	field_delta(c, x.known, x.delivery_loss);
	if (r->loss_known)
		csv_u64(c, r->loss_kb);
	else
		csv_absent(c);
	csv_end(c);
}

static void csv_mappings(struct csv *c, const struct diff *d)
{
	static const char *const names[] = {
		"match",
		"class",
		"name",
		"start_before",
		"start_after",
		"mappings_before",
		"mappings_after",
		"size_kb_before",
		"size_kb_after",
		"rss_kb_delta",
		"swap_kb_delta",
		"huge_kb_delta",
		"slots_fit_delta",
		"subslot_kb_delta",
		"policy_loss_kb_delta",
		"alignment_loss_kb_delta",
		"delivery_loss_kb_delta",
		"thp_loss_kb",
	};

	csv_header(c, names, sizeof(names) / sizeof(*names));
	for (size_t i = 0; i < d->match.n; i++)
		if (d->match.row[i].kept)
			csv_row(c, d, &d->match.row[i]);
}

static void field_dec(struct csv *c, bool has, struct dec v)
{
	char buf[DEC_BUF];

	if (has)
		csv_field(c, dec_put(buf, dec_trim(v)));
	else
		csv_absent(c);
}

static void csv_sums(struct csv *c, const struct diff *d)
{
	const struct totals *b = &d->m[BEFORE]->totals, *a = &d->m[AFTER]->totals;

	for (int i = TOTAL_RSS; i < TOTAL_COUNT; i++) {
		bool both = b->sum[i].known && a->sum[i].known;

		csv_str(c, total_names[i]);
		csv_str(c, "kB");
		csv_str(c, "total");
		field_delta(c, b->sum[i].known, (int64_t)b->sum[i].kb);
		field_delta(c, a->sum[i].known, (int64_t)a->sum[i].kb);
		field_delta(c, both, (int64_t)(a->sum[i].kb - b->sum[i].kb));
		csv_absent(c);
		csv_absent(c);
		csv_end(c);
	}
}

static void csv_counters(struct csv *c, const struct diff *d)
{
	static const char *const names[] = { "name",  "unit",  "kind",	  "before",
					     "after", "delta", "percent", "note" };

	csv_header(c, names, sizeof(names) / sizeof(*names));
	if (d->scope == DIFF_TOTALS)
		csv_sums(c, d);
	for (size_t i = 0; i < d->counters.n; i++) {
		const struct counter_row *r = &d->counters.at[i];

		csv_text(c, r->name);
		csv_text(c, r->unit);
		csv_str(c, counter_kind_names[r->kind]);
		field_dec(c, r->has_before, r->before);
		field_dec(c, r->has_after, r->after);
		field_dec(c, r->has_delta, r->delta);
		if (r->has_percent)
			csv_double(c, r->percent);
		else
			csv_absent(c);
		csv_text(c, r->note);
		csv_end(c);
	}
}

void diff_csv(struct out *o, const struct diff *d)
{
	struct csv c = { .o = o };

	if (d->scope == DIFF_MAPPINGS)
		csv_mappings(&c, d);
	else
		csv_counters(&c, d);
}
