/* SPDX-License-Identifier: MIT */
/* The mappings that changed: those that lost first, then the most moved; the rest is counted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "report/diff_text.h"
#include "report/readings_view.h"

enum { ROWS_SHOWN = 10, LOST_WIDTH = 12, DETAIL_AT = 13, RANGE_WIDTH = 28, MEMBERS_SHOWN = 4 };

struct shown_row {
	const struct match_row *r;
	const struct finding *loss, *slots;
	uint64_t weight; /* the largest change, kB */
};

struct shown_rows {
	struct shown_row *at;
	size_t n, cap;
	size_t few; /* changed, but by less than a huge page: not in the list */
};

/* ---- which are shown ---- */

static uint64_t size_of(int64_t delta)
{
	return delta < 0 ? 0 - (uint64_t)delta : (uint64_t)delta;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t weight_of(const struct diff *d, const struct match_row *r)
{
	struct row_side side[SIDES];
	struct row_delta x;
	struct diff_advised advised;

	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	diff_row_delta(side, &x);
	uint64_t w = size_of((int64_t)(side[AFTER].size - side[BEFORE].size));
	if (!x.known)
		return w;
	w = larger(w, larger(size_of(x.huge), size_of(x.rss)));
	w = larger(w, larger(size_of(x.policy_loss), size_of(x.swap)));
	if (diff_advice_set(d, r, &advised) | diff_advice_cleared(d, r))
		w = larger(w, larger(side[BEFORE].w.rss, side[AFTER].w.rss));
	return larger(w, larger(size_of(x.alignment_loss), size_of(x.delivery_loss)));
}

static void find_of_rows(const struct diff_text *v, struct shown_row *by_row)
{
	const struct diff *d = v->d;

	for (size_t i = 0; i < d->findings.n; i++) {
		const struct finding *f = &d->findings.at[i];

		if (!diff_shows(v, f) || (f->id != FINDING_THP_LOSS && f->id != FINDING_SLOTS_LOST))
			continue;
		struct shown_row *x = &by_row[(const struct match_row *)f->more - d->match.row];
		if (f->id == FINDING_THP_LOSS)
			x->loss = f;
		else
			x->slots = f;
	}
}

static int cmp_shown(const void *a, const void *b)
{
	const struct shown_row *x = a, *y = b;
	uint64_t lost_x = x->loss ? x->loss->lost_kb : 0, lost_y = y->loss ? y->loss->lost_kb : 0;

	if (lost_x != lost_y)
		return lost_x > lost_y ? -1 : 1;
	if (!x->slots != !y->slots)
		return x->slots ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->r < y->r ? -1 : x->r > y->r;
}

static void choose(const struct diff_text *v, struct shown_rows *ret)
{
	const struct diff *d = v->d;
	struct shown_row *by_row = mem_array(d->match.n, sizeof(*by_row));

	find_of_rows(v, by_row);
	for (size_t i = 0; i < d->match.n; i++) {
		struct shown_row *x = &by_row[i];

		x->r = &d->match.row[i];
		if (!x->r->kept || !x->r->changed)
			continue;
		x->weight = weight_of(d, x->r);
		bool told = x->loss || x->slots;
		if (x->r->kind == MATCH_POOL ? !told : !told && !v->all && x->weight < d->pmd_kb) {
			ret->few += x->r->kind != MATCH_POOL;
			continue;
		}
		ret->at = mem_grow(ret->at, &ret->cap, ret->n + 1, sizeof(*ret->at));
		ret->at[ret->n++] = *x;
	}
	mem_free(by_row);
	if (ret->n)
		qsort(ret->at, ret->n, sizeof(*ret->at), cmp_shown);
}

/* ---- the first line of one ---- */

static void put_range(struct out *o, const struct diff *d, const struct match_row *r)
{
	char text[80];
	int side;
	const struct vma *any = diff_row_any(d, r, &side);
	int last = (int)r->n[side] - 1;

	if (r->kind == MATCH_POOL)
		snprintf(text, sizeof(text), "%" PRIu32 " gone, %" PRIu32 " new", r->n[BEFORE],
			 r->n[AFTER]);
	else if (r->identity && r->n[BEFORE] && r->n[AFTER])
		snprintf(text, sizeof(text), "%" PRIx64 " -> %" PRIx64,
			 diff_row_vma(d, r, BEFORE, 0)->start, any->start);
	else if (r->n[BEFORE])
		snprintf(text, sizeof(text), "%" PRIx64 "-%" PRIx64,
			 diff_row_vma(d, r, BEFORE, 0)->start,
			 diff_row_vma(d, r, BEFORE, r->n[BEFORE] - 1)->end);
	else
		snprintf(text, sizeof(text), "%" PRIx64 "-%" PRIx64, any->start,
			 diff_row_vma(d, r, side, (uint32_t)last)->end);
	style_left(o, text, RANGE_WIDTH);
}

/* "3,072 + 4 + 5,116", one number for each mapping, or their sum. */
static void put_members(struct out *o, const struct diff *d, const struct match_row *r, int side,
			uint64_t (*value)(const struct model *m, const struct vma *v))
{
	bool each = r->kind != MATCH_POOL && r->n[side] <= MEMBERS_SHOWN;
	uint64_t sum = 0;
	char buf[NUM_BUF];

	for (uint32_t i = 0; i < r->n[side]; i++) {
		uint64_t one = value(d->m[side], diff_row_vma(d, r, side, i));

		sum += one;
		if (each)
			out_printf(o, "%s%.*s", i ? " + " : "",
				   SLICE_FMT(num_put_commas(buf, (int64_t)one)));
	}
	if (!each || !r->n[side])
		out_printf(o, "%.*s", SLICE_FMT(num_put_commas(buf, (int64_t)sum)));
}

static uint64_t size_value(const struct model *m, const struct vma *v)
{
	(void)m;
	return vma_size_kb(v);
}

static void put_sizes(struct out *o, const struct diff *d, const struct match_row *r)
{
	bool same = r->n[BEFORE] == 1 && r->n[AFTER] == 1 &&
		    vma_size_kb(diff_row_vma(d, r, BEFORE, 0)) ==
			    vma_size_kb(diff_row_vma(d, r, AFTER, 0));

	if (r->n[BEFORE])
		put_members(o, d, r, BEFORE, size_value);
	if (r->n[BEFORE] && r->n[AFTER] && !same)
		out_str(o, " -> ");
	if (r->n[AFTER] && !same)
		put_members(o, d, r, AFTER, size_value);
}

static void put_first_line(struct out *o, const struct diff_text *v, const struct shown_row *x)
{
	char buf[STYLE_BUF], number[NUM_BUF];
	struct out sizes;

	out_memory(&sizes);
	if (x->r->loss_known)
		snprintf(
			buf, sizeof(buf), "%.*s",
			SLICE_FMT(num_put_commas(number, x->loss ? (int64_t)x->loss->lost_kb : 0)));
	else
		strcpy(buf, "-");
	style_on(o, v->style, x->loss ? ROLE_BAD : ROLE_PLAIN);
	style_right(o, buf, LOST_WIDTH);
	style_off(o, v->style, x->loss ? ROLE_BAD : ROLE_PLAIN);
	out_byte(o, ' ');
	put_range(o, v->d, x->r);
	out_byte(o, ' ');
	style_left(o, match_kind_names[x->r->kind], 8);
	put_sizes(&sizes, v->d, x->r);
	text_wrapped(o, v->style, out_slice(&sizes), LOST_WIDTH + RANGE_WIDTH + 10, DETAIL_AT);
	out_close(&sizes);
}

/* ---- what changed ---- */

static void put_change(struct out *o, const char *name, int64_t delta)
{
	char buf[STYLE_BUF];

	if (delta)
		out_printf(o, "%s%s %s", o->n ? "; " : "", name, style_change(buf, delta));
}

static uint64_t slots_value(const struct model *m, const struct vma *v)
{
	return model_slots_fit(m, v);
}

static void put_slots(struct out *o, const struct diff *d, const struct match_row *r)
{
	out_printf(o, "%sslots ", o->n ? "; " : "");
	put_members(o, d, r, BEFORE, slots_value);
	out_str(o, " -> ");
	put_members(o, d, r, AFTER, slots_value);
}

static void put_perms(struct out *o, const struct diff *d, const struct match_row *r)
{
	if (r->n[BEFORE] != 1 || r->n[AFTER] != 1)
		return;
	const struct vma *b = diff_row_vma(d, r, BEFORE, 0), *a = diff_row_vma(d, r, AFTER, 0);
	if (memcmp(b->perms, a->perms, sizeof(b->perms)))
		out_printf(o, "%s%.4s -> %.4s", o->n ? "; " : "", b->perms, a->perms);
}

/*
 * Advice changes nothing that is there: this is what becomes of it. Each of
 * MADV_HUGEPAGE and MADV_NOHUGEPAGE takes the other back; that is not said twice.
 */
static void put_advice(struct out *o, const struct diff *d, const struct match_row *r)
{
	const uint64_t hg = VM_FLAG_BIT(hg), nh = VM_FLAG_BIT(nh);
	struct diff_advised now;
	uint64_t set = diff_advice_set(d, r, &now), cleared = diff_advice_cleared(d, r);
	const char *between = o->n ? "; " : "";
	char buf[STYLE_BUF];

	if (set & nh && now.huge)
		out_printf(o, "%snow MADV_NOHUGEPAGE: the %s that are huge stay so until they are split, swapped or "
			      "freed; what is touched anew stays small", between, style_kb(buf, now.huge));
	else if (set & nh)
		out_printf(o, "%snow MADV_NOHUGEPAGE: nothing of it becomes huge any more", between);
	else if (set & hg && now.rss - now.huge >= d->pmd_kb)
		out_printf(o, "%snow advised (MADV_HUGEPAGE): what is small stays so until khugepaged comes or "
			      "MADV_COLLAPSE (6.1) is called", between);
	else if (set & hg)
		out_printf(o, "%snow advised (MADV_HUGEPAGE)", between);
	else if (cleared)
		out_printf(o, "%sno longer %s", between,
			   cleared & hg ? "advised (MADV_HUGEPAGE)" : "MADV_NOHUGEPAGE");
}

static void put_fates(struct out *o, const struct row_delta *x)
{
	put_change(o, "huge", x->huge);
	put_change(o, "not allowed", x->policy_loss);
	put_change(o, "misplaced", x->alignment_loss);
	put_change(o, "too small", x->subslot);
	put_change(o, "not delivered", x->delivery_loss);
	put_change(o, "resident", x->rss);
	if (!x->rss && x->huge)
		out_printf(o, "%sresident unchanged", o->n ? "; " : "");
}

static void put_changes(struct out *o, const struct diff *d, const struct shown_row *row)
{
	const struct match_row *r = row->r;
	struct row_side side[SIDES];
	struct row_delta x;

	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	diff_row_delta(side, &x);
	bool paired = r->n[BEFORE] && r->n[AFTER];
	if (paired && x.slots_fit && !row->slots)
		put_slots(o, d, r);
	if (x.known)
		put_fates(o, &x);
	put_change(o, "swapped", x.swap);
	if (paired && r->kind != MATCH_POOL) {
		put_perms(o, d, r);
		if (!row->loss || row->loss->state != CAUSE_ADVICE)
			put_advice(o, d, r);
	}
}

static void put_detail(struct out *o, const struct diff_text *v, const char *label,
		       const struct out *text)
{
	if (!text->n)
		return;
	out_pad(o, ' ', DETAIL_AT);
	out_str(o, label);
	text_wrapped(o, v->style, out_slice(text), DETAIL_AT + (int)strlen(label), DETAIL_AT);
}

static void put_name(struct out *o, const struct diff_text *v, const struct match_row *r)
{
	int side;
	const struct vma *any = diff_row_any(v->d, r, &side);
	struct slice name = vma_name(v->d->m[side]->smaps, any);

	if (!name.n || r->kind == MATCH_POOL)
		return;
	out_pad(o, ' ', DETAIL_AT);
	out_path_cut(o, name, v->style->width - DETAIL_AT, v->style->ascii);
	out_byte(o, '\n');
}

/* The only loss has its cause in the verdict. */
static void put_cause(struct out *o, const struct diff_text *v, const struct finding *f, bool only)
{
	struct out text;

	out_memory(&text);
	if (!only) {
		diff_say_cause(v->d, f->more, f->state, &text);
		put_detail(o, v, "cause: ", &text);
		out_reset(&text);
	}
	diff_say_host(v->d, &text);
	put_detail(o, v, "the host: ", &text);
	out_reset(&text);
	diff_finding_advice(v->d, f, &text);
	put_detail(o, v, "", &text);
	out_close(&text);
}

static void put_row(struct out *o, const struct diff_text *v, const struct shown_row *x, bool only)
{
	struct out text;

	out_memory(&text);
	put_first_line(o, v, x);
	put_name(o, v, x->r);
	put_changes(&text, v->d, x);
	put_detail(o, v, "", &text);
	if (x->loss)
		put_cause(o, v, x->loss, only);
	if (x->slots) {
		out_reset(&text);
		diff_finding_message(v->d, x->slots, &text);
		put_detail(o, v, "slots-lost low: ", &text);
	}
	out_close(&text);
}

/* ---- all of them, and the count of the others ---- */

static void put_rest(struct out *o, const struct diff_text *v, const struct diff_facts *f,
		     const struct shown_rows *x, size_t shown)
{
	const char *between = "";

	if (x->n > shown) {
		out_printf(o, "%zu more changed", x->n - shown);
		between = ", ";
	}
	if (x->few) {
		out_printf(o, "%s%zu changed by less than a huge page", between, x->few);
		between = ", ";
	}
	if (f->unchanged)
		out_printf(o, "%s%zu %smapping%s unchanged", between, f->unchanged,
			   x->n ? "other " : "", f->unchanged == 1 ? "" : "s");
	if (*between || f->unchanged)
		out_str(o, x->few || x->n > shown ? ": --all. " : ". ");
	if (v->status > 0)
		out_printf(o, "Exit status with --exit-code: %d", v->status);
}

void diff_text_rows(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	struct shown_rows x = { 0 };
	struct out rest;

	choose(v, &x);
	size_t limit = v->top	? v->top
		       : v->all ? SIZE_MAX
				: ROWS_SHOWN,
	       n = x.n < limit ? x.n : limit;

	if (n)
		out_printf(o, "\n%*s %-*s %-7s before -> after, kB\n", LOST_WIDTH, "lost, kB",
			   RANGE_WIDTH, "mapping", "");
	for (size_t i = 0; i < n; i++)
		put_row(o, v, &x.at[i], f->lost_rows == 1 && f->loss == x.at[i].loss);
	if (n || f->changed) {
		out_memory(&rest);
		put_rest(&rest, v, f, &x, n);
		if (rest.n)
			text_wrapped(o, v->style, out_slice(&rest), 0, 0);
		out_close(&rest);
	}
	mem_free(x.at);
}
