/* SPDX-License-Identifier: MIT */
/* What a check reads, and the models of it. */
#include "cmd/check.h"

/* Everything that a rule or a baseline may ask the system for. */
static bool wants_all_files(const struct check *c)
{
	if (c->based || c->o->baseline)
		return true;
	for (size_t i = 0; i < c->rules.n; i++)
		if (c->rules.at[i].rule.form == RULE_PATH ||
		    c->rules.at[i].rule.form == RULE_COUNTER)
			return true;
	return false;
}

int check_read(struct check_read *ret, const char *const *args, size_t n, const struct check *c,
	       struct err *e)
{
	struct load_options lo = {
		.all_files = wants_all_files(c), .each = c->o->each, .every_pid = !c->o->baseline,
		.judged = true,
		/* Files do not say which process they are: with a baseline they cannot be paired. */
		.together = !c->o->baseline,
	};

	*ret = (struct check_read){ 0 };
	if (load_sources(&ret->load, args, n, &c->o->common, lo, e))
		return -1;
	ret->docs = arena_array(&ret->load.arena, ret->load.counters_n, sizeof(*ret->docs));
	for (size_t i = 0; i < ret->load.counters_n; i++) {
		if (counters_read(&ret->docs[i], &ret->load.counters[i], &c->o->common, e)) {
			check_read_free(ret);
			return -1;
		}
	}
	return 0;
}

struct check_sums check_sums(const struct smaps *s)
{
	struct check_sums x = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		x.rss += vma_value(s, &s->vma[i], SMAPS_Rss);
		x.huge += vma_value(s, &s->vma[i], SMAPS_AnonHugePages) +
			  vma_value(s, &s->vma[i], SMAPS_ShmemPmdMapped) +
			  vma_value(s, &s->vma[i], SMAPS_FilePmdMapped);
	}
	return x;
}

void check_read_free(struct check_read *r)
{
	for (size_t i = 0; i < r->load.counters_n; i++)
		counters_doc_free(&r->docs[i]);
	load_free(&r->load);
	*r = (struct check_read){ 0 };
}

/* ---- which process of the baseline is which ---- */

/* The one that stands for snapshot i of the source: itself, its namesake, or the only one. */
static struct snapshot *partner(struct check *c, const struct load *l, size_t i)
{
	const struct load *b = &c->base.load;
	const struct snapshot *const snaps[SIDES] = { b->snaps, l->snaps };
	struct process_pairs pairs;

	if (b->n == 1)
		return b->snaps;
	process_pairs_find(snaps, (size_t[SIDES]){ b->n, l->n }, &c->arena, &pairs);
	for (size_t k = 0; k < pairs.n; k++)
		if (pairs.at[k].at[AFTER] == i)
			return &b->snaps[pairs.at[k].at[BEFORE]];
	return NULL;
}

static struct process_pair *one_pair(struct check_subject *s)
{
	struct process_pair *p = arena_array(&s->c->arena, 1, sizeof(*p));

	s->pairs_n = 1;
	return p; /* the first of either side */
}

static void find_pairs(struct check_subject *s, struct snapshot *before, struct snapshot *after)
{
	const struct snapshot *const snaps[SIDES] = { before, after };
	struct process_pairs pairs;

	if (s->n == 1 && s->before_n == 1) {
		s->pairs = one_pair(s);
		return;
	}
	process_pairs_find(snaps, (size_t[SIDES]){ s->before_n, s->n }, &s->c->arena, &pairs);
	s->pairs = pairs.at;
	s->pairs_n = pairs.n;
}

/* Both sides must be of one kind of machine, unless the user knows better. */
static int alike(const struct check_subject *s, const struct process_pair *p, struct err *e)
{
	struct model *b = &s->before[p->at[BEFORE]], *a = &s->after[p->at[AFTER]];
	struct diff d;
	int status = 0;

	if (diff_start(&d, b, a, MATCH_AUTO, e))
		return -1;
	if (d.unlike_n && !s->c->o->allow_unlike) {
		status = err_set(e, ERR_KIND,
				 "before and after cannot be compared: %s differs (page %llu and "
				 "%llu kB, huge page %llu and %llu kB, policy %s and %s)",
				 d.unlike[0], (unsigned long long)b->page_kb,
				 (unsigned long long)a->page_kb, (unsigned long long)b->pmd_kb,
				 (unsigned long long)a->pmd_kb, policy_names[b->policy],
				 policy_names[a->policy]);
		err_hint(e, "--allow-unlike judges anyway");
	}
	diff_free(&d);
	return status;
}

/* Pairs are judged as pairs: tmpfs that one side knows is tmpfs in both. */
static void init_models(struct check_subject *s, struct snapshot *before, struct snapshot *after)
{
	struct model_options mo;

	load_model_options(&mo, &s->c->o->common);
	for (size_t i = 0; i < s->pairs_n; i++) {
		size_t b = s->pairs[i].at[BEFORE], a = s->pairs[i].at[AFTER];

		model_init_pair(&s->before[b], &before[b], &s->after[a], &after[a], &mo);
	}
	for (size_t i = 0; i < s->before_n; i++)
		if (!s->before[i].snap)
			model_init(&s->before[i], &before[i], &mo);
	for (size_t i = 0; i < s->n; i++)
		if (!s->after[i].snap)
			model_init(&s->after[i], &after[i], &mo);
}

static int apply_filter(struct check_subject *s, struct err *e)
{
	for (size_t i = 0; i < s->before_n; i++)
		if (filter_apply(s->c->filter, &s->before[i], e))
			return -1;
	for (size_t i = 0; i < s->n; i++)
		if (filter_apply(s->c->filter, &s->after[i], e))
			return -1;
	for (size_t i = 0; i < s->pairs_n; i++)
		if (alike(s, &s->pairs[i], e))
			return -1;
	return 0;
}

/* The baseline's part for what is judged. -1: there is none. */
static int find_before(struct check_subject *s, struct load *l, size_t from,
		       struct snapshot **ret, struct err *e)
{
	struct load *b = &s->c->base.load;

	if (!b->n)
		return err_set(e, ERR_KIND,
			       "the baseline has neither mappings nor system files");
	s->before_n = b->n;
	*ret = b->snaps;
	if (l->n > 1 && s->n == 1) { /* one of --each */
		s->before_n = 1;
		*ret = partner(s->c, l, from);
	}
	if (*ret)
		find_pairs(s, *ret, &l->snaps[from]);
	if (*ret && s->pairs_n)
		return 0;
	err_set(e, ERR_KIND, "the baseline holds no process of that name");
	return err_hint(e, "--pid chooses one of several");
}

int check_subject(struct check_subject *ret, struct check *c, struct check_read *r, size_t from,
		  size_t n, bool docs, struct err *e)
{
	struct snapshot *before = NULL;

	*ret = (struct check_subject){ .c = c, .n = n, .docs = r->docs };
	ret->docs_n = docs ? r->load.counters_n : 0;
	if (c->based && n && find_before(ret, &r->load, from, &before, e)) {
		*ret = (struct check_subject){ 0 };
		return -1;
	}
	ret->after = mem_array(n, sizeof(*ret->after));
	ret->before = ret->before_n ? mem_array(ret->before_n, sizeof(*ret->before)) : NULL;
	init_models(ret, before, n ? &r->load.snaps[from] : NULL);
	if (apply_filter(ret, e)) {
		check_subject_free(ret);
		return -1;
	}
	return 0;
}

void check_subject_free(struct check_subject *s)
{
	for (size_t i = 0; i < s->n; i++)
		model_free(&s->after[i]);
	for (size_t i = 0; i < s->before_n; i++)
		model_free(&s->before[i]);
	mem_free(s->after);
	mem_free(s->before);
	*s = (struct check_subject){ 0 };
}
