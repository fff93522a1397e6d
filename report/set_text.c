/* SPDX-License-Identifier: MIT */
#include "report/set_text.h"

#include <inttypes.h>

/* "14 postgres processes", or "14 processes" where they differ. */
static void put_who(struct out *text, const struct text_style *st, const struct set_text *v)
{
	const struct snapshot *first = v->members[0].m->snap;
	bool equal = first->process.comm.n > 0;

	for (size_t i = 1; i < v->set->processes; i++)
		equal &= slice_eq(v->members[i].m->snap->process.comm, first->process.comm);
	out_printf(text, "%zu ", v->set->processes);
	if (equal) {
		out_safe(text, first->process.comm, st->ascii);
		out_byte(text, ' ');
	}
	out_str(text, "processes");
	if (first->source.path) {
		out_str(text, " in ");
		out_path_cut(text, slice_str(first->source.path), st->width - (int)text->n - 2,
			     st->ascii);
	}
}

static void set_head(struct out *o, const struct text_style *st, const struct set_text *v)
{
	struct out who;

	out_memory(&who);
	put_who(&who, st, v);
	text_head(o, st, v->members[0].m, out_slice(&who), v->set->fall[FALL_SHMEM].w.rss, NULL);
	out_close(&who);
}

static void set_notes(struct out *o, const struct text_style *st, const struct set_text *v)
{
	size_t partial = 0, empty = 0;
	struct out text;

	for (size_t i = 0; i < v->set->processes; i++) {
		partial += !v->members[i].m->snap->source.complete;
		empty += v->members[i].m->smaps->n == 0;
	}
	const struct snapshot *first = v->members[0].m->snap;

	out_memory(&text);
	/* The first remark on a process without mappings says what that one is, not the set. */
	for (size_t i = first->has_smaps && first->smaps.n == 0; i < first->remarks_n; i++) {
		out_str(&text, "Note: ");
		out_safe(&text, slice_str(first->remarks[i]), st->ascii);
		out_byte(&text, '.');
		text_paragraph(o, st, &text);
	}
	if (partial) {
		out_printf(&text, "NOT COMPLETE: %zu of them could be read only in part.", partial);
		text_paragraph(o, st, &text);
	}
	if (empty) {
		out_printf(&text, "Note: %zu of them have no mappings (zombies, kernel threads).",
			   empty);
		text_paragraph(o, st, &text);
	}
	if (v->set->unscaled) {
		out_printf(&text,
			   "Note: %zu mappings have no Pss: their memory counts as often as it is "
			   "mapped.",
			   v->set->unscaled);
		text_paragraph(o, st, &text);
	}
	out_close(&text);
}

/* One line a process: what it maps, its part of it, and what of that is huge. */
static void set_processes(struct out *o, const struct text_style *st, const struct set_text *v)
{
	struct ranked *order = mem_array(v->set->processes, sizeof(*order));
	char buf[STYLE_BUF];

	for (size_t i = 0; i < v->set->processes; i++)
		order[i] =
			(struct ranked){ v->members[i].m->totals.sum[TOTAL_PSS].kb, (uint32_t)i };
	rank_largest(order, v->set->processes, 0);
	out_str(o, "\n      pid command         resident    its share         huge\n");
	for (size_t i = 0; i < v->set->processes; i++) {
		const struct model *m = v->members[order[i].index].m;
		const struct sum *sum = m->totals.sum;

		out_printf(o, "  %7" PRId64 " ", m->snap->process.pid);
		int used = out_safe_cut(o, m->snap->process.comm, 15, st->ascii);

		out_pad(o, ' ', 15 - used);
		style_right(o, sum[TOTAL_RSS].known ? style_size(buf, st, sum[TOTAL_RSS].kb) : "-",
			    9);
		style_right(o, sum[TOTAL_PSS].known ? style_size(buf, st, sum[TOTAL_PSS].kb) : "-",
			    13);
		style_right(o,
			    sum[TOTAL_HUGE].known ? style_size(buf, st, sum[TOTAL_HUGE].kb) : "-",
			    13);
		out_byte(o, '\n');
	}
	mem_free(order);
}

static void set_rollups(struct out *o, const struct text_style *st, const struct set_text *v)
{
	const struct sum *sum = v->set->sum;
	char a[STYLE_BUF], b[STYLE_BUF];
	struct out text;

	out_memory(&text);
	out_printf(&text,
		   "%s resident, each page once; %s in huge pages, counted as often as they are "
		   "mapped.",
		   style_size(a, st, sum[TOTAL_PSS].kb), style_size(b, st, sum[TOTAL_HUGE].kb));
	text_paragraph(o, st, &text);
	out_close(&text);
	set_processes(o, st, v);
}

static void set_mappings(struct out *o, const struct text_style *st, const struct set_text *v)
{
	struct text_falls falls = { .m = v->members[0].m,
				    .fall = v->set->fall,
				    .head = set_headline(v->set),
				    .all = v->all };
	struct blame b;
	struct out text;

	blame_make(&b, v->members, v->set->processes, (struct blame_options){ .all = v->all });
	text_classes(o, st, &falls);
	if (v->set->sum[TOTAL_HUGETLB].kb)
		out_str(o, "hugetlb pages are used too, outside these numbers.\n");
	if (b.rows_n)
		out_byte(o, '\n');
	text_blame_rows(o, st,
			&(struct text_row_list){
				.blame = &b, .sort = v->sort, .top = v->top, .several = true });
	if (v->all)
		set_processes(o, st, v);
	out_memory(&text);
	if (b.causes_n) {
		out_byte(o, '\n');
		text_causes(o, st, &b, true);
	} else {
		out_str(&text, "Nothing to change.");
	}
	text_hidden(&text, st, NULL, &b, v->set->vmas - b.mappings_shown);
	out_str(&text, " Each process alone: --each.");
	text_paragraph(o, st, &text);
	out_close(&text);
	blame_free(&b);
}

void set_text(struct out *o, const struct text_style *st, const struct set_text *v)
{
	set_head(o, st, v);
	set_notes(o, st, v);
	if (v->members[0].m->smaps->rollup)
		set_rollups(o, st, v);
	else
		set_mappings(o, st, v);
}
