/* SPDX-License-Identifier: MIT */
#include "cmd/diff_set.h"

#include "cmd/commands.h"
#include "cmd/judge.h"
#include "cmd/output.h"
#include "report/diff_set_view.h"

static void write_to(struct output *out, const struct diff_set_view *v,
		     const struct diff_options *o)
{
	struct json j;

	if (o->common.format == FORMAT_CSV) {
		diff_set_csv(&out->out, v);
	} else if (o->common.format == FORMAT_JSON) {
		json_start(&j, &out->out);
		diff_set_json(&j, v);
		json_end(&j);
	} else {
		diff_set_text(&out->out, v);
	}
}

static int status_of(const struct diff_set_view *v, const struct diff_options *o, struct err *e)
{
	if (!o->exit_code)
		return STATUS_DONE;
	for (size_t i = 0; i < v->pairs->n; i++)
		for (size_t k = 0; k < v->diffs[i]->unlike_n && !o->allow_unlike; k++)
			if (!slice_eq_str(slice_str(v->diffs[i]->unlike[k]), "policy"))
				return err_set(e, ERR_KIND, "--exit-code: the sides differ in %s "
							    "(--allow-unlike judges anyway)",
					       v->diffs[i]->unlike[k]);
	if (v->set->verdict == VERDICT_NONE)
		return err_set(e, ERR_KIND, "--exit-code: no two processes with mappings are "
					    "paired, so a loss cannot be told");
	return v->set->verdict == VERDICT_LOSS ? STATUS_FOUND : STATUS_DONE;
}

static int show(const struct diff_set_view *v, const struct diff_options *o, struct err *e)
{
	struct diff_set_view styled = *v;
	struct output out;

	if (output_open(&out, &o->common, e))
		return -1;
	styled.style = &out.style;
	write_to(&out, &styled, o);
	if (output_close(&out, e))
		return -1;
	return status_of(v, o, e);
}

/* All pairs judged, in the order of `pairs`. Returns how many were before a fault. */
static size_t judge_all(struct judged_pair *judged, const struct process_pairs *pairs,
			struct load side[SIDES], const struct diff_options *o, struct err *e)
{
	static const enum match_by by[] = { MATCH_AUTO, MATCH_ADDRESS, MATCH_IDENTITY };
	struct filter *filter;
	size_t n = 0;

	if (judge_filter(&filter, &o->common, e))
		return 0;
	while (n < pairs->n && !judge_pair(&judged[n], &side[BEFORE].snaps[pairs->at[n].at[BEFORE]],
					   &side[AFTER].snaps[pairs->at[n].at[AFTER]], &o->common,
					   by[o->by], filter, e))
		n++;
	filter_free(filter);
	return n;
}

int diff_sets(struct load side[SIDES], const char *const paths[SIDES],
	      const struct diff_options *o, struct err *e)
{
	static const enum diff_vmas_shown shown[] = { DIFF_VMAS_ALL, DIFF_VMAS_ALL,
						      DIFF_VMAS_CHANGED, DIFF_VMAS_NONE };
	const struct snapshot *snaps[SIDES] = { side[BEFORE].snaps, side[AFTER].snaps };
	const size_t n[SIDES] = { side[BEFORE].n, side[AFTER].n };
	struct process_pairs pairs;
	struct diff_set set;
	struct arena a = { 0 };
	int status = -1;

	process_pairs_find(snaps, n, &a, &pairs);
	struct judged_pair *judged = arena_array(&a, pairs.n, sizeof(*judged));
	const struct diff **diffs = arena_array(&a, pairs.n, sizeof(*diffs));
	size_t done = judge_all(judged, &pairs, side, o, e);

	for (size_t i = 0; i < done; i++)
		diffs[i] = &judged[i].diff;
	if (done == pairs.n) {
		diff_set_sum(diffs, done, &set);
		status = show(&(struct diff_set_view){
			.set = &set, .pairs = &pairs, .diffs = diffs,
			.side = { snaps[BEFORE], snaps[AFTER] }, .n = { n[BEFORE], n[AFTER] },
			.path = { paths[BEFORE], paths[AFTER] }, .vmas = shown[o->vmas],
			.all = o->common.all, .top = o->common.top,
		}, o, e);
	}
	for (size_t i = 0; i < done; i++)
		judged_pair_free(&judged[i]);
	arena_free(&a);
	return status;
}
