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
	struct load_options lo = { .all_files = wants_all_files(c), .each = c->o->each };

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

/* The snapshot of the baseline for the i-th of n that are judged. */
static struct snapshot *partner(const struct check *c, size_t i, size_t n)
{
	const struct load *b = &c->base.load;

	return b->n == n ? &b->snaps[i] : b->n == 1 ? b->snaps : NULL;
}

static int no_partner(const struct check *c, size_t n, struct err *e)
{
	err_set(e, ERR_KIND, "the baseline holds %zu processes or snapshots, the source %zu",
		c->base.load.n, n);
	return err_hint(e, "--pid chooses one of several");
}

/* Both sides must be of one kind of machine, unless the user knows better. */
static int alike(const struct check_subject *s, size_t i, struct err *e)
{
	struct diff d;
	int status = 0;

	if (diff_start(&d, &s->before[i], &s->after[i], MATCH_AUTO, e))
		return -1;
	if (d.unlike_n && !s->c->o->allow_unlike) {
		const struct model *b = &s->before[i], *a = &s->after[i];

		status = err_set(
			e, ERR_KIND,
			"before and after cannot be compared: %s differs (page %llu and %llu kB, "
			"huge page %llu and %llu kB, policy %s and %s)",
			d.unlike[0], (unsigned long long)b->page_kb, (unsigned long long)a->page_kb,
			(unsigned long long)b->pmd_kb, (unsigned long long)a->pmd_kb,
			policy_names[b->policy], policy_names[a->policy]);
		err_hint(e, "--allow-unlike judges anyway");
	}
	diff_free(&d);
	return status;
}

static int init_one(struct check_subject *s, struct check_read *r, size_t from, size_t i,
		    struct err *e)
{
	const struct common_options *o = &s->c->o->common;
	struct model_options mo;

	load_model_options(&mo, o);
	if (!s->before) {
		model_init(&s->after[i], &r->load.snaps[from + i], &mo);
		return filter_apply(s->c->filter, &s->after[i], e);
	}
	struct snapshot *before = partner(s->c, from + i, r->load.n);
	if (!before)
		return no_partner(s->c, r->load.n, e);
	model_init_pair(&s->before[i], before, &s->after[i], &r->load.snaps[from + i], &mo);
	if (filter_apply(s->c->filter, &s->before[i], e) ||
	    filter_apply(s->c->filter, &s->after[i], e))
		return -1;
	return alike(s, i, e);
}

int check_subject(struct check_subject *ret, struct check *c, struct check_read *r, size_t from,
		  size_t n, bool docs, struct err *e)
{
	*ret = (struct check_subject){ .c = c,
				       .docs = r->docs,
				       .docs_n = docs ? r->load.counters_n : 0 };
	ret->after = mem_array(n, sizeof(*ret->after));
	if (c->based && n && !c->base.load.n) {
		check_subject_free(ret);
		return err_set(e, ERR_KIND, "the baseline has neither mappings nor system files");
	}
	if (c->based && n)
		ret->before = mem_array(n, sizeof(*ret->before));
	for (size_t i = 0; i < n; i++) {
		ret->n = i + 1;
		if (init_one(ret, r, from, i, e)) {
			check_subject_free(ret);
			return -1;
		}
	}
	return 0;
}

void check_subject_free(struct check_subject *s)
{
	for (size_t i = 0; i < s->n; i++) {
		model_free(&s->after[i]);
		if (s->before)
			model_free(&s->before[i]);
	}
	mem_free(s->after);
	mem_free(s->before);
	*s = (struct check_subject){ 0 };
}
