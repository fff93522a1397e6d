/* SPDX-License-Identifier: MIT */
#include "cmd/judge.h"

#include "cmd/load.h"

_Static_assert(OPT_CLASS_ANON == 1u << CLASS_ANON && OPT_CLASS_SHMEM == 1u << CLASS_SHMEM &&
		       OPT_CLASS_FILE == 1u << CLASS_FILE && OPT_CLASS_HUGETLB == 1u << CLASS_HUGETLB &&
		       OPT_CLASS_SPECIAL == 1u << CLASS_SPECIAL,
	       "the bits of --class are those of a filter");

int judge_filter(struct filter **ret, const struct common_options *c, struct err *e)
{
	return filter_new(ret, &(struct filter_options){
		.match = c->match, .option = "--match", .classes = c->classes, .min_size_kb = c->min_size_kb,
	}, e);
}

int judge(struct judged *j, struct snapshot *s, const struct common_options *c, const struct filter *f, struct err *e)
{
	struct model_options mo;

	*j = (struct judged){ 0 };
	load_model_options(&mo, c);
	model_init(&j->model, s, &mo);
	if (filter_apply(f, &j->model, e)) {
		model_free(&j->model);
		return -1;
	}
	model_totals(&j->model);
	findings_make(&j->model, &j->findings);
	return 0;
}

void judged_free(struct judged *j)
{
	findings_free(&j->findings);
	model_free(&j->model);
}
