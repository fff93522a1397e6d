/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "report/diff_set_view.h"
#include "report/diff_text.h"
#include "report/readings_view.h"

enum { LOST = 12, RESIDENT = 12, CHANGE = 11, NUMBERS = LOST + 2 + 2 * (RESIDENT + CHANGE) };

/* ---- who ---- */

static const struct process_info *process_of(const struct diff_set_view *v,
					     const struct process_pair *p, int side)
{
	return &v->side[side][p->at[side]].process;
}

static void put_who(struct out *o, const struct diff_set_view *v, const struct process_pair *p)
{
	long long before = process_of(v, p, BEFORE)->pid, after = process_of(v, p, AFTER)->pid;

	out_put(o, process_of(v, p, AFTER)->comm);
	if (before == after)
		out_printf(o, " %lld", after);
	else
		out_printf(o, " %lld -> %lld", before, after);
}

static void put_paths(struct out *o, const struct diff_set_view *v)
{
	int half = (v->style->width - 4) / 2;

	out_path_cut(o, slice_str(v->path[BEFORE]), half, v->style->ascii);
	out_str(o, " -> ");
	out_path_cut(o, slice_str(v->path[AFTER]), half, v->style->ascii);
	out_printf(o, "\n%zu and %zu processes, %zu paired", v->n[BEFORE], v->n[AFTER],
		   v->pairs->n);
}

static void put_head(struct out *o, const struct diff_set_view *v)
{
	size_t same = 0;

	put_paths(o, v);
	for (size_t i = 0; i < v->pairs->n; i++)
		same += v->pairs->at[i].same;
	if (same == v->pairs->n)
		out_str(o, ": the same ones\n");
	else if (!same)
		out_str(o, " by name and order\n");
	else
		out_printf(o, ": %zu the same, %zu by name and order\n", same, v->pairs->n - same);
}

/* ---- what ---- */

static void put_verdict(struct out *o, const struct diff_set_view *v)
{
	const struct diff_set *set = v->set;
	char kb[STYLE_BUF];

	if (set->verdict == VERDICT_LOSS) {
		style_text(o, v->style, ROLE_BAD, "LOSS");
		out_printf(o, ": %s of huge pages, in %zu of %zu processes (shared memory once).\n",
			   style_kb(kb, set->loss_kb), set->losing, v->pairs->n);
	} else if (set->verdict == VERDICT_GAIN) {
		style_text(o, v->style, ROLE_GOOD, "GAIN");
		out_str(o, ": more is huge in some processes, and none lost huge pages.\n");
	} else if (set->verdict == VERDICT_NO_LOSS) {
		style_text(o, v->style, ROLE_GOOD, "NO LOSS");
		out_str(o, " of huge pages.\n");
	} else {
		out_str(o, "No mapping says how much of it is huge: nothing can be told.\n");
	}
}

static void put_left(struct out *o, const struct diff_set_view *v, int side, const char *words)
{
	struct out list;

	if (!v->pairs->left_n[side])
		return;
	out_memory(&list);
	for (size_t i = 0; i < v->pairs->left_n[side]; i++) {
		const struct process_info *p = &v->side[side][v->pairs->left[side][i]].process;

		out_printf(&list, "%s%.*s %lld", i ? ", " : "", SLICE_FMT(p->comm),
			   (long long)p->pid);
	}
	out_printf(o, "%zu %s: ", v->pairs->left_n[side], words);
	out_safe_cut(o, out_slice(&list), v->style->width - 24, v->style->ascii);
	out_byte(o, '\n');
	out_close(&list);
}

/* The same process, and another program in it. */
static void put_execs(struct out *o, const struct diff_set_view *v)
{
	struct out list;
	size_t n = 0;

	out_memory(&list);
	for (size_t i = 0; i < v->pairs->n; i++) {
		if (!v->diffs[i]->match.exec)
			continue;
		out_str(&list, n++ ? ", " : "");
		put_who(&list, v, &v->pairs->at[i]);
	}
	if (n) {
		out_printf(o, "%zu with another program since (exec): ", n);
		out_safe_cut(o, out_slice(&list), v->style->width - 42, v->style->ascii);
		out_byte(o, '\n');
	}
	out_close(&list);
}

/* ---- the table ---- */

static int by_loss(const void *x, const void *y)
{
	const struct diff *const *a = *(const struct diff *const *const *)x;
	const struct diff *const *b = *(const struct diff *const *const *)y;

	if ((*a)->loss_kb != (*b)->loss_kb)
		return (*a)->loss_kb > (*b)->loss_kb ? -1 : 1;
	return a < b ? -1 : 1; /* else in the order of before */
}

/* After, and how much that is more or less. */
static void put_sum(struct out *o, const struct diff *d, enum total which)
{
	const struct sum *b = &d->m[BEFORE]->totals.sum[which];
	const struct sum *a = &d->m[AFTER]->totals.sum[which];
	char cell[STYLE_BUF];

	style_right(o, a->known ? style_kb(cell, a->kb) : "-", RESIDENT);
	style_right(o, a->known && b->known ? style_change(cell, (int64_t)(a->kb - b->kb)) : "-",
		    CHANGE);
}

static void put_header(struct out *o, const struct diff_set_view *v, int name)
{
	style_on(o, v->style, ROLE_DIM);
	style_right(o, "lost", LOST);
	out_str(o, "  ");
	style_left(o, "process", name);
	style_right(o, "resident", RESIDENT);
	style_right(o, "change", CHANGE);
	style_right(o, "huge", RESIDENT);
	style_right(o, "change", CHANGE);
	style_off(o, v->style, ROLE_DIM);
	out_byte(o, '\n');
}

static void put_row(struct out *o, const struct diff_set_view *v, size_t i, int name)
{
	const struct diff *d = v->diffs[i];
	enum role role = d->verdict == VERDICT_LOSS ? ROLE_TITLE : ROLE_PLAIN;
	char cell[STYLE_BUF];
	struct out who;

	style_on(o, v->style, role);
	style_right(o, d->loss_known ? style_kb(cell, d->loss_kb) : "-", LOST);
	out_str(o, "  ");
	out_memory(&who);
	put_who(&who, v, &v->pairs->at[i]);
	out_pad(o, ' ', name - out_safe_cut(o, out_slice(&who), name, v->style->ascii));
	out_close(&who);
	put_sum(o, d, TOTAL_RSS);
	put_sum(o, d, TOTAL_HUGE);
	style_off(o, v->style, role);
	out_byte(o, '\n');
}

static bool is_shown(const struct diff_set_view *v, const struct diff *d)
{
	return v->all || v->top || d->verdict == VERDICT_LOSS || d->verdict == VERDICT_GAIN;
}

/* Most loss first. Returns how many pairs were left out. */
static size_t put_table(struct out *o, const struct diff_set_view *v,
			const struct diff *const **order)
{
	int name = v->style->width - NUMBERS < 12 ? 12 : v->style->width - NUMBERS;
	size_t shown = 0;

	for (size_t i = 0; i < v->pairs->n; i++) {
		if (!is_shown(v, *order[i]) || (v->top && shown == v->top))
			continue;
		if (!shown++) {
			out_byte(o, '\n');
			put_header(o, v, name);
		}
		put_row(o, v, (size_t)(order[i] - v->diffs), name);
	}
	return v->pairs->n - shown;
}

static void put_diffs(struct out *o, const struct diff_set_view *v,
		      const struct diff *const **order)
{
	for (size_t i = 0; i < v->pairs->n && (!v->top || i < v->top); i++) {
		out_byte(o, '\n');
		diff_text(o, &(struct diff_text){ .d = *order[i], .style = v->style, .all = true,
						  .status = (*order[i])->verdict == VERDICT_LOSS });
	}
}

void diff_set_text(struct out *o, const struct diff_set_view *v)
{
	const struct diff *const **order = mem_array(v->pairs->n, sizeof(*order));

	for (size_t i = 0; i < v->pairs->n; i++)
		order[i] = &v->diffs[i];
	if (v->pairs->n)
		qsort(order, v->pairs->n, sizeof(*order), by_loss);
	put_head(o, v);
	put_verdict(o, v);
	size_t hidden = put_table(o, v, order);
	out_byte(o, '\n');
	put_execs(o, v);
	put_left(o, v, BEFORE, "only before");
	put_left(o, v, AFTER, "only after");
	if (hidden)
		out_printf(o, "%zu process%s without loss or gain: --all.\n", hidden,
			   hidden == 1 ? "" : "es");
	text_say(o, v->style, "--pid PID shows one process, of each side.");
	if (v->all)
		put_diffs(o, v, order);
	mem_free((void *)order);
}
