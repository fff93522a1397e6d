/* SPDX-License-Identifier: MIT */
#include "cmd/runs.h"

#include "cmd/commands.h"
#include "cmd/counters.h"
#include "cmd/judge.h"
#include "report/runs_view.h"

struct intake {
	struct runs *r;
	const struct common_options *common;
	struct filter *filter;
	enum source_kind counters; /* of the first run; KIND_UNKNOWN: snapshots */
	size_t n;                  /* runs read so far */
};

/* The path outlives the load that it came from. */
static void keep_source(struct intake *x, struct run *run, const char *word)
{
	run->source.path = run->source.path ? arena_str(&x->r->arena, slice_str(word)) : NULL;
}

static int read_snapshot(struct intake *x, struct load *l, int side, const char *word,
			 struct err *e)
{
	struct judged j;

	if (l->n != 1) {
		err_set(e, ERR_USAGE, "%.200s holds %zu processes: which one is the run?", word,
			l->n);
		return err_hint(e, "--pid PID chooses one");
	}
	if (l->snaps[0].bare)
		return err_set(e, ERR_KIND, "%.200s: a report without its mappings", word);
	if (judge(&j, l->snaps, x->common, x->filter, e))
		return -1;
	struct run *run = runs_add(x->r, side);
	runs_snapshot(x->r, run, &j.model);
	keep_source(x, run, word);
	judged_free(&j);
	return 0;
}

static int read_counters(struct intake *x, struct load *l, int side, const char *word,
			 struct err *e)
{
	struct counters_doc d;
	struct counter_list list = { 0 };

	if (l->counters_n != 1)
		return err_set(e, ERR_USAGE, "%.200s holds several tables", word);
	if (counters_read(&d, l->counters, x->common, e))
		return -1;
	if (!d.kind->list) {
		err_set(e, ERR_KIND, "%.200s: runs of kind %s cannot be compared", word,
			source_kind_names[d.info.kind]);
		counters_doc_free(&d);
		return -1;
	}
	d.kind->list(&d, &list);
	struct run *run = runs_add(x->r, side);
	run->source = d.info;
	keep_source(x, run, word);
	runs_counters(x->r, run, &list);
	counters_free(&list);
	counters_doc_free(&d);
	return 0;
}

/* One word is one run, and all runs are of one kind. */
static int read_run(struct intake *x, int side, const char *word, struct err *e)
{
	const struct load_options lo = { .all_files = true, .judged = true };
	struct load l;
	int status;

	if (load_sources(&l, &word, 1, x->common, lo, e))
		return -1;
	enum source_kind kind = l.counters_n ? l.counters->info.kind : KIND_UNKNOWN;

	if (x->n && kind != x->counters)
		status = err_set(e, ERR_KIND, "%.200s is of another kind than the run before it",
				 word);
	else if (kind != KIND_UNKNOWN)
		status = read_counters(x, &l, side, word, e);
	else
		status = read_snapshot(x, &l, side, word, e);
	x->counters = kind;
	x->n++;
	load_free(&l);
	return status;
}

static int read_all(struct intake *x, const struct diff_options *o, struct err *e)
{
	const struct words *words[SIDES] = { &o->before, &o->after };

	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < words[s]->n; i++)
			if (read_run(x, s, words[s]->at[i], e))
				return -1;
	return 0;
}

static int write_runs(const struct runs *r, const struct diff_options *o, struct err *e)
{
	struct output output;
	struct json j;

	if (output_open(&output, &o->common, e))
		return -1;
	if (o->common.format == FORMAT_JSON) {
		json_start(&j, &output.out);
		runs_json(&j, r);
		json_end(&j);
	} else if (o->common.format == FORMAT_CSV) {
		runs_csv(&output.out, r);
	} else {
		runs_text(&output.out, &(struct runs_view){ .r = r, .style = &output.style,
							    .all = o->common.all,
							    .top = o->common.top });
	}
	return output_close(&output, e);
}

static int status_of(const struct runs *r, const struct diff_options *o, struct err *e)
{
	if (!o->exit_code)
		return STATUS_DONE;
	if (r->unlike_n && !o->allow_unlike)
		return err_set(e, ERR_KIND, "--exit-code: the runs differ in %s (--allow-unlike "
					    "judges anyway)", r->unlike[0]);
	if (r->p_min > RUNS_P)
		return err_set(e, ERR_KIND, "--exit-code: %zu and %zu runs are too few to show a "
					    "loss", r->n[BEFORE], r->n[AFTER]);
	if (r->verdict == VERDICT_NONE)
		return err_set(e, ERR_KIND, "--exit-code: not all runs have mappings, so a loss "
					    "cannot be told");
	return r->verdict == VERDICT_LOSS ? STATUS_FOUND : STATUS_DONE;
}

int runs_diff(const struct diff_options *o, struct err *e)
{
	struct runs r = { 0 };
	struct intake x = { .r = &r, .common = &o->common };
	int status = judge_filter(&x.filter, &o->common, e);

	if (!status && !(status = read_all(&x, o, e))) {
		runs_compare(&r);
		status = write_runs(&r, o, e);
	}
	if (!status)
		status = status_of(&r, o, e);
	filter_free(x.filter);
	runs_free(&r);
	return status;
}
