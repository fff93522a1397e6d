/* SPDX-License-Identifier: MIT */
/* The mappings that a rule is about: those of the options, of its selector, of its class. */
#include "cmd/check.h"

#define ANON_ONLY (1u << CLASS_ANON)

static int apply(struct model *m, const struct model *of, const struct filter *f, struct err *e)
{
	*m = *of;
	m->keep = NULL;
	if (filter_apply(f, m, e))
		return -1;
	if (!of->keep)
		return 0;
	if (!m->keep) { /* no selector: those of the options */
		m->keep = memcpy(mem_array(m->smaps->n, 1), of->keep, m->smaps->n);
		return 0;
	}
	m->kept = 0;
	for (size_t i = 0; i < m->smaps->n; i++) {
		m->keep[i] &= of->keep[i];
		m->kept += m->keep[i];
	}
	return 0;
}

static int apply_all(struct model **ret, const struct model *of, size_t n, const struct filter *f,
		     struct err *e)
{
	*ret = mem_array(n, sizeof(**ret));
	for (size_t i = 0; i < n; i++)
		if (apply(&(*ret)[i], &of[i], f, e))
			return -1;
	return 0;
}

int check_pick(struct check_pick *ret, const struct check_subject *s, const struct selector *select,
	       bool anon, struct err *e)
{
	const struct common_options *o = &s->c->o->common;
	struct filter_options fo = { .match = select->match,
				     .option = "match",
				     .classes = select->classes,
				     .min_size_kb = select->min_size_kb };
	struct filter *f;

	*ret = (struct check_pick){ .n = s->n, .before_n = s->before_n,
				    .pairs = s->pairs, .pairs_n = s->pairs_n };
	ret->narrowed = selector_of_mappings(select) || o->match || o->classes || o->min_size_kb;
	if (anon && !select->classes && !o->classes)
		fo.classes = ANON_ONLY;
	if (filter_new(&f, &fo, e))
		return -1;
	int status = apply_all(&ret->after, s->after, s->n, f, e);
	if (!status && s->before)
		status = apply_all(&ret->before, s->before, s->before_n, f, e);
	filter_free(f);
	for (size_t i = 0; i < s->n && !status; i++)
		ret->mappings += ret->after[i].smaps->rollup ? 0 : ret->after[i].kept;
	if (status)
		check_pick_free(ret);
	return status;
}

void check_pick_free(struct check_pick *p)
{
	/* All but the selection belongs to the models of the subject. */
	for (size_t i = 0; i < p->n && p->after; i++)
		mem_free(p->after[i].keep);
	for (size_t i = 0; i < p->before_n && p->before; i++)
		mem_free(p->before[i].keep);
	mem_free(p->after);
	mem_free(p->before);
	*p = (struct check_pick){ 0 };
}
