/* SPDX-License-Identifier: MIT */
#include "report/report_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"

void text_paragraph(struct out *o, const struct text_style *st, struct out *text)
{
	struct wrap w;

	wrap_start(&w, o, text_prose_width(st), 0, 0);
	wrap_words(&w, out_slice(text));
	wrap_end(&w);
	out_reset(text);
}

/* ---- what was read ---- */

/* "comm (pid)", the path of a saved source, or both. */
static void text_who(struct out *text, const struct text_style *st, const struct snapshot *s)
{
	const struct source_info *src = &s->source;
	bool named = s->has_process && (s->process.comm.n || s->process.pid >= 0);

	if (named) {
		if (s->process.comm.n)
			out_safe(text, s->process.comm, st->ascii);
		else
			out_str(text, "process");
		if (s->process.pid >= 0)
			out_printf(text, " (%" PRId64 ")", s->process.pid);
	}
	if (!src->path)
		return;
	if (named)
		out_str(text, " in ");
	struct slice path =
		slice_str(slice_eq_str(SLICE("-"), src->path) ? "standard input" : src->path);
	out_path_cut(text, path, st->width - 2 - (int)text->n, st->ascii);
}

/* The release without what a distribution adds; -rc stays. */
static struct slice kernel_version(struct slice release)
{
	struct cut c = slice_cut(release, '-');

	return slice_starts(c.tail, SLICE("rc")) ? release : c.head;
}

static void put_policy(struct out *text, const struct model *m, uint64_t shmem_rss_kb)
{
	static const char *const from[POLICY_SOURCES] = {
		[POLICY_FROM_OPTION] = " (given)", [POLICY_INFERRED] = " (inferred)",
	};
	struct slice shmem = thp_setting(&m->snap->system.thp, "shmem_enabled");

	if (m->policy == POLICY_UNKNOWN)
		out_str(text, "THP policy unknown");
	else
		out_printf(text, "THP %s%s", policy_names[m->policy],
			   from[m->policy_source] ? from[m->policy_source] : "");
	/* Of interest where there is shared memory. */
	if (shmem.n && shmem_rss_kb >= m->pmd_kb) {
		out_str(text, ", shmem ");
		out_safe_cut(text, shmem, 24, true);
	}
}

static void piece(struct wrap *w, struct out *text)
{
	if (text->n)
		wrap_piece(w, out_slice(text), 3);
	out_reset(text);
}

void text_head(struct out *o, const struct text_style *st, const struct model *m, struct slice who,
	       uint64_t shmem_rss_kb, const char *tail)
{
	const struct snapshot *s = m->snap;
	struct out text;
	struct wrap w;

	out_memory(&text);
	wrap_start(&w, o, st->width, 0, 2);
	style_on(o, st, ROLE_TITLE);
	wrap_piece(&w, who, 3);
	style_off(o, st, ROLE_TITLE);
	if (s->source.kind == KIND_SMAPS || s->source.kind == KIND_ROLLUP)
		wrap_piece(&w, slice_str(source_kind_names[s->source.kind]), 3);
	if (s->system.kernel.n) {
		out_str(&text, "Linux ");
		out_safe_cut(&text, kernel_version(s->system.kernel), 24, st->ascii);
		piece(&w, &text);
	}
	put_policy(&text, m, shmem_rss_kb);
	piece(&w, &text);
	if (m->disabled)
		wrap_piece(&w, SLICE("THP off by prctl"), 3);
	out_str(&text, "huge page ");
	say_size(&text, m->pmd_kb);
	piece(&w, &text);
	if (tail)
		wrap_piece(&w, slice_str(tail), 3);
	wrap_end(&w);
	out_close(&text);
}

static void text_head_of_one(struct out *o, const struct text_style *st, const struct model *m)
{
	char tail[64], of[32] = "";
	struct out who;

	out_memory(&who);
	text_who(&who, st, m->snap);
	if (m->kept != m->smaps->n)
		snprintf(of, sizeof(of), "%zu of ", m->kept);
	snprintf(tail, sizeof(tail), "%s%zu mapping%s", of, m->smaps->n,
		 m->smaps->n == 1 ? "" : "s");
	text_head(o, st, m, out_slice(&who), m->totals.fall[FALL_SHMEM].w.rss,
		  m->smaps->rollup ? NULL : tail);
	out_close(&who);
}

/* ---- notes ---- */

static void put_tolerated(struct out *text, const struct source_info *s)
{
	bool any = false;

	for (int i = 0; i < NOTE_COUNT; i++) {
		/* New kernels have new fields: that is no fault of the input. */
		if (!s->notes[i] || i == NOTE_UNKNOWN)
			continue;
		out_str(text, any ? ", " : "Read with tolerance: ");
		for (const char *p = note_names[i]; *p; p++)
			out_byte(text, *p == '_' ? ' ' : *p);
		out_printf(text, " %" PRIu32, s->notes[i]);
		any = true;
	}
	if (any)
		out_str(text, " (--strict refuses such input).");
}

void text_notes(struct out *o, const struct text_style *st, const struct snapshot *s,
		const struct model *m)
{
	struct out text;

	out_memory(&text);
	if (!s->source.complete) {
		out_str(&text, "NOT COMPLETE: ");
		out_str(&text, s->source.notes[NOTE_TORN] ? "mappings changed while they were read." :
			       s->source.notes[NOTE_OVERSIZE] ?
				       "numbers are larger than the mapping they stand in: mapping lines are "
				       "missing, or they were changed." :
				       "what follows is only what could be read.");
		text_paragraph(o, st, &text);
	}
	/* What a process without mappings is, its first remark, the verdict says. */
	for (size_t i = s->has_smaps && s->smaps.n == 0; i < s->remarks_n; i++) {
		out_str(&text, "Note: ");
		out_safe(&text, slice_str(s->remarks[i]), st->ascii);
		out_byte(&text, '.');
		text_paragraph(o, st, &text);
	}
	if (m && m->pmd_note && !m->smaps->rollup) {
		out_printf(&text, "Note: %s.", m->pmd_note);
		text_paragraph(o, st, &text);
	}
	put_tolerated(&text, &s->source);
	if (text.n)
		text_paragraph(o, st, &text);
	out_close(&text);
}

/* ---- what is hidden ---- */

static void put_count(struct out *list, size_t n, const char *what, const char *behind)
{
	if (n)
		out_printf(list, "%s%zu %s%s%s", list->n ? ", " : "", n, what, n == 1 ? "" : "s",
			   behind);
}

static void put_hidden_name(struct out *list, const struct text_style *st, const struct model *m,
			    int64_t vma)
{
	struct slice name = vma < 0 ? slice_of(NULL, 0) : vma_name(m->smaps, &m->smaps->vma[vma]);

	if (!name.n)
		return;
	out_str(list, " (");
	out_path_cut(list, name, 30, st->ascii);
	out_byte(list, ')');
}

/* Everything that is not shown, counted in one sentence. */
void text_hidden(struct out *text, const struct text_style *st, const struct model *m,
		 const struct blame *b, size_t mappings)
{
	size_t without = b->hidden_free + b->hidden_info;
	struct out list;

	out_memory(&list);
	put_count(&list, without, "finding", " without cost");
	if (m && without == 1 && b->hidden_possible == 0)
		put_hidden_name(&list, st, m, b->hidden_vma);
	put_count(&list, b->hidden_possible, "finding", " only possible");
	put_count(&list, mappings, "mapping", b->rows_n ? " without cost" : "");
	if (list.n) {
		out_str(text, text->n ? " Not shown: " : "Not shown: ");
		out_put(text, out_slice(&list));
		out_str(text, " (--all).");
	}
	out_close(&list);
}

/* ---- a report with mappings ---- */

/* Mapped for use and not resident. */
static void find_untouched(struct text_falls *t)
{
	for (int f = 0; f < FALL_ALL; f++) {
		uint64_t rss = t->fall[f].w.rss, kb = t->fall[f].usable_kb;

		t->untouched_kb[f] = kb > rss ? kb - rss : 0;
	}
}

/* Returns how many mappings are not in the table, nor counted there. */
static size_t text_rows(struct out *o, const struct text_style *st, const struct text_view *v,
			const struct blame *b)
{
	struct blame_member member = { v->m, v->findings };
	uint32_t *order;

	if (v->sort == RANK_COST && !v->all) {
		if (b->rows_n)
			out_byte(o, '\n');
		text_blame_rows(o, st, &(struct text_row_list){ .blame = b, .top = v->top });
		return v->m->kept - b->mappings_shown;
	}
	uint8_t *causes = blame_of_mappings(b, &member, (struct blame_options){ .all = v->all });
	uint64_t top = v->top ? v->top : v->all ? 0 : TEXT_ROWS;
	size_t n = rank_pick(v->m, v->sort, top, &order);

	out_byte(o, '\n');
	text_mapping_rows(o, st, v->m, order, n, causes, b, v->sort != RANK_COST);
	mem_free(order);
	mem_free(causes);
	return v->m->kept - n;
}

static const char *nothing_to_change(const struct model *m)
{
	const struct totals *t = &m->totals;

	if (waterfall_cost(&t->fall[FALL_ANON].w) + waterfall_cost(&t->fall[FALL_SHMEM].w) == 0)
		return "Nothing to change.";
	if (m->policy == POLICY_UNKNOWN)
		return "What to change depends on the THP policy, which is not known (--policy).";
	return "No finding says what to change.";
}

static void text_process(struct out *o, const struct text_style *st, const struct text_view *v)
{
	struct blame_member member = { v->m, v->findings };
	const struct totals *t = &v->m->totals;
	struct text_falls falls = { .m = v->m,
				    .fall = t->fall,
				    .head = model_headline(v->m),
				    .all = v->all,
				    .hugetlb_kb = t->sum[TOTAL_HUGETLB].kb };
	struct blame b;
	struct out text;

	blame_make(&b, &member, 1, (struct blame_options){ .all = v->all });
	find_untouched(&falls);
	text_classes(o, st, &falls);
	size_t unlisted = text_rows(o, st, v, &b);
	bool table = unlisted < v->m->kept;
	if (b.causes_n || table)
		out_byte(o, '\n');
	text_causes(o, st, &b, false);
	out_memory(&text);
	if (!b.causes_n)
		out_str(&text, nothing_to_change(v->m));
	text_hidden(&text, st, v->m, &b, unlisted);
	text_paragraph(o, st, &text);
	out_close(&text);
	blame_free(&b);
}

static void text_no_mappings(struct out *o, const struct text_style *st, const struct model *m)
{
	const struct snapshot *s = m->snap;
	struct out text;

	out_memory(&text);
	if (m->smaps->n) {
		out_printf(&text, "None of its %zu mappings is selected.", m->smaps->n);
	} else {
		const char *what = s->remarks_n ? s->remarks[0] : "it has no mappings";

		/* "a zombie: it has ended …" */
		out_str(&text,
			what[0] == 'a' && what[1] == ' ' ? "This is " : "Nothing to report: ");
		out_str(&text, what);
		out_byte(&text, '.');
	}
	text_paragraph(o, st, &text);
	out_close(&text);
}

void report_text(struct out *o, const struct text_style *st, const struct text_view *v)
{
	const struct snapshot *s = v->m->snap;

	if (!s->has_smaps) {
		text_system(o, st, s);
		return;
	}
	text_head_of_one(o, st, v->m);
	text_notes(o, st, s, v->m);
	if (v->m->kept == 0)
		text_no_mappings(o, st, v->m);
	else if (v->m->smaps->rollup)
		text_rollup(o, st, v->m);
	else
		text_process(o, st, v);
}
