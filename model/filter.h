/* SPDX-License-Identifier: MIT */
/*
 * Which mappings are looked at: by name, class and size. The home of PCRE2,
 * which is loaded when a pattern is given and not before.
 *
 * A pattern sees names as bytes: they are paths in no known encoding, and a
 * byte that is not UTF-8 must not hide a name from it. Unnamed memory is
 * "[anon]". It is compiled once and asked once for each distinct name, with a
 * limit of steps, so that no pattern runs for ever.
 */
#ifndef MODEL_FILTER_H
#define MODEL_FILTER_H

#include "base/err.h"
#include "model/model.h"

struct filter_options {
	const char *match;    /* Perl-style pattern, found anywhere in the name; NULL: any name */
	const char *option;   /* what a fault in the pattern is reported under: "--match" */
	unsigned classes;     /* bit n: enum vma_class n; 0: all */
	uint64_t min_size_kb; /* 0: all */
};

struct filter;

/*
 * *ret is NULL when the options select everything. -1: a bad pattern, with its
 * place, or the library is not there.
 */
int filter_new(struct filter **ret, const struct filter_options *o, struct err *e);
void filter_free(struct filter *f); /* NULL is fine */

/*
 * Sets keep and kept of a model whose classes are known; before
 * findings_make() or model_totals(). A NULL filter keeps all. -1: the pattern
 * takes too many steps for a name.
 */
int filter_apply(const struct filter *f, struct model *m, struct err *e);

#endif
