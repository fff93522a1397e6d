/* SPDX-License-Identifier: MIT */
#include "cmd/judge.h"

#include "cmd/load.h"

_Static_assert(OPT_CLASS_ANON == 1u << CLASS_ANON && OPT_CLASS_SHMEM == 1u << CLASS_SHMEM &&
		       OPT_CLASS_FILE == 1u << CLASS_FILE &&
		       OPT_CLASS_HUGETLB == 1u << CLASS_HUGETLB &&
		       OPT_CLASS_SPECIAL == 1u << CLASS_SPECIAL,
	       "the bits of --class are those of a filter");

int judge_filter(struct filter **ret, const struct common_options *c, struct err *e)
{
	return filter_new(ret,
			  &(struct filter_options){
				  .match = c->match,
				  .option = "--match",
				  .classes = c->classes,
				  .min_size_kb = c->min_size_kb,
			  },
			  e);
}

int judge(struct judged *j, struct snapshot *s, const struct common_options *c,
	  const struct filter *f, struct err *e)
{
	struct model_options mo;

	*j = (struct judged){ 0 };
	load_model_options(&mo, c);
	model_init(&j->model, s, &mo);
	if (filter_apply(f, &j->model, e)) {
		model_free(&j->model);
		return -1;
	}
	findings_make(&j->model, &j->findings);
	return 0;
}

void judged_free(struct judged *j)
{
	findings_free(&j->findings);
	model_free(&j->model);
}

static int select_rows(struct judged_pair *j, const struct filter *f, struct err *e)
{
	if (filter_apply(f, &j->model[BEFORE], e) || filter_apply(f, &j->model[AFTER], e))
		return -1;
	diff_select(&j->diff);
	return 0;
}

int judge_pair(struct judged_pair *j, struct snapshot *before, struct snapshot *after,
	       const struct common_options *c, enum match_by by, const struct filter *f,
	       struct err *e)
{
	struct model_options mo;

	*j = (struct judged_pair){ 0 };
	load_model_options(&mo, c);
	model_init_pair(&j->model[BEFORE], before, &j->model[AFTER], after, &mo);
	if (diff_start(&j->diff, &j->model[BEFORE], &j->model[AFTER], by, e) ||
	    select_rows(j, f, e)) {
		judged_pair_free(j);
		return -1;
	}
	diff_judge(&j->diff);
	return 0;
}

void judged_pair_free(struct judged_pair *j)
{
	diff_free(&j->diff);
	model_free(&j->model[BEFORE]);
	model_free(&j->model[AFTER]);
}
