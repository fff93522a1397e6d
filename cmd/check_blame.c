/* SPDX-License-Identifier: MIT */
/* What is to blame for a broken rule: findings with their mappings and advice. */
#include <stdlib.h>
#include <string.h>

#include "cmd/check.h"

enum { BLAME_MAX = 8 };

/* Losses of the waterfall that pull a metric the wrong way, by metric. */
#define LOSS_BIT(x) (1u << LOSS_##x)
static const uint8_t losses_of[METRICS] = {
	[METRIC_COVERAGE] = LOSS_BIT(POLICY) | LOSS_BIT(ALIGNMENT) | LOSS_BIT(DELIVERY),
	[METRIC_SHARE] = LOSS_BIT(POLICY) | LOSS_BIT(ALIGNMENT) | LOSS_BIT(DELIVERY),
	[METRIC_DELIVERED] = LOSS_BIT(DELIVERY),
	[METRIC_HUGE] = LOSS_BIT(POLICY) | LOSS_BIT(ALIGNMENT) | LOSS_BIT(DELIVERY),
	[METRIC_POLICY_LOSS] = LOSS_BIT(POLICY),
	[METRIC_ALIGNMENT_LOSS] = LOSS_BIT(ALIGNMENT),
	[METRIC_DELIVERY_LOSS] = LOSS_BIT(DELIVERY),
	[METRIC_SLOTS_LOST] = LOSS_BIT(ALIGNMENT),
};

/* The metric that a number of the report is, or METRICS. */
static enum metric_id metric_behind(const struct rule *r)
{
	struct slice last = r->metric;

	if (r->form == RULE_METRIC || r->form == RULE_DELTA)
		return (enum metric_id)r->id;
	for (struct cut c = slice_cut(r->metric, '.'); r->form == RULE_PATH && c.ok;
	     c = slice_cut(c.tail, '.'))
		last = c.tail;
	return metric_id_of(last);
}

/*
 * header-page is the reason for misaligned, and says it better: of two
 * findings with one cause on one mapping the later stands for both. Per
 * mapping the finding that is told better so, + 1; on the heap.
 */
static uint8_t *told_better(const struct model *m, const struct findings *f)
{
	uint8_t *ret = mem_array(m->smaps->n, sizeof(*ret));

	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].id == FINDING_HEADER_PAGE && f->at[i].vma >= 0)
			ret[f->at[i].vma] = (uint8_t)(f->at[i].same_as + 1);
	return ret;
}

static bool to_blame(const uint8_t *better, const struct finding *x, const struct rule *r, bool selected)
{
	enum metric_id id = metric_behind(r);

	if (r->form == RULE_FINDING)
		return finding_counts(x, (enum finding_id)r->id, selected);
	if (id == METRICS || !(losses_of[id] >> x->loss & 1) || x->certainty == POSSIBLE)
		return false;
	if (!(x->lost_known && x->lost_kb) && id != METRIC_SLOTS_LOST)
		return false;
	if (x->vma < 0 && selected)
		return false;
	if (x->same_as >= 0)
		return x->id == FINDING_HEADER_PAGE;
	return x->vma < 0 || better[x->vma] != x->id + 1;
}

struct blamed {
	struct check_blame *at;
	size_t n, cap;
};

static struct slice text_of(struct arena *a, struct out *o)
{
	struct slice s = arena_copy(a, out_slice(o));

	out_reset(o);
	return s;
}

static struct check_blame *add(struct blamed *b, struct arena *a, const struct model *m,
			       const struct finding *f)
{
	b->at = mem_grow(b->at, &b->cap, b->n + 1, sizeof(*b->at));
	struct check_blame *x = &b->at[b->n++];

	*x = (struct check_blame){ .id = (enum finding_id)f->id,
				   .lost_known = f->lost_known,
				   .lost_kb = f->lost_kb };
	if (f->vma >= 0) {
		const struct vma *v = &m->smaps->vma[f->vma];

		x->has_start = true;
		x->start = v->start;
		x->name = arena_copy(a, vma_name(m->smaps, v));
	}
	return x;
}

static void blame_snapshot(struct blamed *b, struct arena *a, struct model *m, const struct rule *r,
			   bool selected)
{
	struct findings f;
	struct out text;

	if (!m->snap->has_smaps || m->smaps->rollup)
		return;
	findings_make(m, &f);
	uint8_t *better = told_better(m, &f);
	out_memory(&text);
	for (size_t i = 0; i < f.n; i++) {
		if (!to_blame(better, &f.at[i], r, selected))
			continue;
		struct check_blame *x = add(b, a, m, &f.at[i]);

		finding_message(m, &f.at[i], &text);
		x->message = text_of(a, &text);
		finding_advice(m, &f.at[i], &text);
		x->advice = text_of(a, &text);
	}
	out_close(&text);
	mem_free(better);
	findings_free(&f);
}

static void blame_diff(struct blamed *b, struct arena *a, struct check_pick *p, size_t i,
		       const struct rule *r)
{
	enum finding_id id = r->form == RULE_FINDING ? (enum finding_id)r->id : FINDING_THP_LOSS;
	struct out text;
	struct diff d;
	struct err e;

	struct model *after = &p->after[p->pairs[i].at[AFTER]];

	if (diff_start(&d, &p->before[p->pairs[i].at[BEFORE]], after, MATCH_AUTO, &e))
		return;
	diff_select(&d);
	diff_judge(&d);
	out_memory(&text);
	for (size_t k = 0; k < d.findings.n; k++) {
		if (!finding_counts(&d.findings.at[k], id, p->narrowed))
			continue;
		struct check_blame *x = add(b, a, after, &d.findings.at[k]);

		diff_finding_message(&d, &d.findings.at[k], &text);
		x->message = text_of(a, &text);
		diff_finding_advice(&d, &d.findings.at[k], &text);
		x->advice = text_of(a, &text);
	}
	out_close(&text);
	diff_free(&d);
}

static int by_cost(const void *a, const void *b)
{
	const struct check_blame *x = a, *y = b;

	if (x->lost_kb != y->lost_kb)
		return x->lost_kb > y->lost_kb ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int by_address(const void *a, const void *b)
{
	const struct check_blame *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int by_name(const void *a, const void *b)
{
	const struct check_blame *x = a, *y = b;
	int order = slice_cmp(x->name, y->name);

	return order ? order : by_cost(a, b);
}

/* --sort, --top and --all, as far as they concern findings. */
static void order_blame(const struct common_options *o, struct blamed *b)
{
	int (*const cmp)(const void *, const void *) = o->sort == SORT_ADDRESS ? by_address :
						       o->sort == SORT_NAME    ? by_name :
										 by_cost;

	if (b->n)
		qsort(b->at, b->n, sizeof(*b->at), cmp);
}

static size_t blame_shown(const struct common_options *o, size_t n)
{
	uint64_t max = o->top ? o->top : o->all ? n : BLAME_MAX;

	return n < max ? n : (size_t)max;
}

static bool asks_diff(const struct rule *r)
{
	return r->form == RULE_DELTA || (r->form != RULE_COUNTER && rule_needs_baseline(r));
}

/* The class that a path asks about, totals.waterfall.shmem.coverage; else CLASS_COUNT. */
static int class_of_path(struct slice path)
{
	const struct slice totals = SLICE("totals.waterfall.");
	int id = 0;

	if (!slice_starts(path, totals))
		return CLASS_COUNT;
	struct slice name = slice_cut(slice_skip(path, totals.n), '.').head;
	while (id < CLASS_COUNT && !slice_eq_str(name, class_names[id]))
		id++;
	return id;
}

/* Of the mappings that were measured: a short name is over anon, a path over the class in it. */
static int pick(struct check_pick *ret, const struct check_subject *s, const struct gate_rule *g)
{
	const struct common_options *o = &s->c->o->common;
	bool short_name = g->rule.form == RULE_DELTA ||
			  (g->rule.form == RULE_METRIC && !rule_needs_baseline(&g->rule));
	struct selector select = g->select;
	struct err e;

	if (g->rule.form == RULE_PATH && !select.classes && !o->classes &&
	    class_of_path(g->rule.metric) < CLASS_COUNT)
		select.classes = 1u << class_of_path(g->rule.metric);
	if (check_pick(ret, s, &select, short_name, &e))
		return -1;
	/* The rule narrows it, not its selector: findings of the process count. */
	if (select.classes != g->select.classes)
		ret->narrowed = select.match || select.min_size_kb || o->match || o->min_size_kb;
	return 0;
}

void check_blame(const struct check_subject *s, const struct gate_rule *g, struct check_result *r)
{
	struct arena *a = &s->c->arena;
	struct blamed b = { 0 };
	struct check_pick p;

	if (g->rule.form == RULE_COUNTER || g->rule.form == RULE_CELL || pick(&p, s, g))
		return;
	bool diff = asks_diff(&g->rule) && p.before;
	for (size_t i = 0; diff && i < p.pairs_n; i++)
		blame_diff(&b, a, &p, i, &g->rule);
	for (size_t i = 0; !diff && i < p.n; i++)
		blame_snapshot(&b, a, &p.after[i], &g->rule, p.narrowed);
	check_pick_free(&p);
	order_blame(&s->c->o->common, &b);
	r->blame_n = blame_shown(&s->c->o->common, b.n);
	r->blame_more = b.n - r->blame_n;
	r->blame = arena_dup(a, b.at, r->blame_n, sizeof(*r->blame));
	mem_free(b.at);
}

/* ---- what no rule asks for ---- */

static bool asked(const struct gate_rules *rules, enum finding_id id)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->at[i].rule.form == RULE_FINDING && rules->at[i].rule.id == (int)id)
			return true;
	return false;
}

static void add_note(struct check_group *g, struct arena *a, const char *text)
{
	for (size_t i = 0; i < g->notes_n; i++)
		if (strcmp(g->notes[i], text) == 0)
			return; /* the same of another process */
	const char **list = arena_array(a, g->notes_n + 1, sizeof(*list));
	if (g->notes_n)
		memcpy(list, g->notes, g->notes_n * sizeof(*list));
	list[g->notes_n++] = text;
	g->notes = list;
}

static void note_diff(const struct check_subject *s, size_t i, struct check_group *g)
{
	size_t counts[FINDING_IDS] = { 0 };
	struct diff d;
	struct err e;

	const struct process_pair *p = &s->pairs[i];

	if (diff_start(&d, &s->before[p->at[BEFORE]], &s->after[p->at[AFTER]], MATCH_AUTO, &e))
		return;
	diff_judge(&d);
	for (size_t k = 0; k < d.findings.n; k++)
		counts[d.findings.at[k].id] += finding_counts(
			&d.findings.at[k], (enum finding_id)d.findings.at[k].id, false);
	for (int id = FINDING_THP_LOSS; id < FINDING_IDS; id++)
		if (counts[id] && !asked(&s->c->rules, (enum finding_id)id))
			add_note(g, &s->c->arena,
				 arena_printf(&s->c->arena, "%s is %zu: no rule asks for it",
					      finding_rules[id].id, counts[id]));
	diff_free(&d);
}

void check_notes(const struct check_subject *s, struct check_group *g)
{
	for (size_t i = 0; i < s->pairs_n; i++)
		note_diff(s, i, g);
	for (size_t i = 0; i < s->n; i++) {
		const struct snapshot *snap = s->after[i].snap;

		for (size_t k = 0; k < snap->remarks_n; k++)
			add_note(g, &s->c->arena,
				 arena_str(&s->c->arena, slice_str(snap->remarks[k])));
		if (!snap->source.complete)
			add_note(g, &s->c->arena,
				 "the source is not complete: what was read of it is judged");
	}
}
