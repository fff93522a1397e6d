/* SPDX-License-Identifier: MIT */
#include "model/diff.h"

#include "cmd/beside.h"
#include "cmd/commands.h"
#include "cmd/counters.h"
#include "cmd/diag.h"
#include "cmd/diff_set.h"
#include "cmd/judge.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "cmd/runs.h"
#include "report/diff_csv.h"
#include "report/diff_json.h"
#include "report/diff_text.h"
#include "report/perf_text.h"
#include "report/readings_view.h"

/* ---- the two sides ---- */

struct sides {
	struct words words[SIDES]; /* sources as given; they belong to the options */
	struct load load[SIDES];
};

static int find_words(const struct call *call, const struct diff_options *o, struct sides *ret,
		      struct err *e)
{
	static const char *const names[SIDES] = { "before", "after" };

	if (!o->before.n && !o->after.n) {
		if (call->n_args != 2)
			return err_set(e, ERR_USAGE, "diff takes two sources: BEFORE AFTER");
		for (size_t s = 0; s < SIDES; s++)
			ret->words[s] = (struct words){ .at = &call->args[s], .n = 1 };
		return 0;
	}
	ret->words[BEFORE] = o->before;
	ret->words[AFTER] = o->after;
	if (call->n_args)
		return err_set(e, ERR_USAGE,
			       "unexpected argument '%.60s' beside --before and --after",
			       call->args[0]);
	for (int s = 0; s < SIDES; s++) {
		if (!ret->words[s].n)
			return err_set(e, ERR_USAGE, "--%s is missing: a diff has two sides",
				       names[s]);
	}
	return 0;
}

static int load_sides(struct sides *s, const struct common_options *c, struct err *e)
{
	const struct load_options lo = { .all_files = true, .judged = true };

	for (int i = 0; i < SIDES; i++)
		if (load_sources(&s->load[i], s->words[i].at, s->words[i].n, c, lo, e))
			return -1;
	return 0;
}

/* One process beside several is no set: the user knows which of them it was. */
static int which_one(const struct load *l, const char *word, struct err *e)
{
	err_set(e, ERR_USAGE, "%.200s holds %zu processes: which one?", word, l->n);
	return err_hint(e, "--pid PID chooses one (%lld, %lld, …)",
			(long long)l->snaps[0].process.pid, (long long)l->snaps[1].process.pid);
}

/* ---- what a diff is shown as ---- */

/* dTLB misses and faults beside the mappings. */
static void show_beside(const struct diff *d, const struct beside_pair *b,
			const struct diff_options *o, struct output *output)
{
	if (!b->side[0].n && !b->side[1].n)
		return;
	out_byte(&output->out, '\n');
	perf_rows_text(&output->out, &output->style, &d->counters, o->common.all);
	if (b->readings.n)
		out_byte(&output->out, '\n');
	text_readings(&output->out, &output->style, &b->readings, 0, b->readings.n);
}

/* What --exit-code makes of it; -1 with e filled: it cannot be told. */
static int status_of(const struct diff *d, const struct diff_options *o, struct err *e)
{
	if (d->verdict == VERDICT_NONE)
		return err_set(
			e, ERR_KIND,
			"--exit-code: there are no mappings on both sides, so a loss cannot be "
			"told");
	for (size_t i = 0; i < d->unlike_n; i++)
		if (!o->allow_unlike && !slice_eq_str(slice_str(d->unlike[i]), "policy"))
			return err_set(
				e, ERR_KIND,
				"--exit-code: the sides differ in %s (--allow-unlike judges "
				"anyway)",
				d->unlike[i]);
	return d->verdict == VERDICT_LOSS ? STATUS_FOUND : STATUS_DONE;
}

static void show_json(const struct diff *d, const struct beside_pair *b,
		      const struct diff_options *o, struct out *out)
{
	static const enum diff_vmas_shown shown[] = { DIFF_VMAS_ALL, DIFF_VMAS_ALL,
						      DIFF_VMAS_CHANGED, DIFF_VMAS_NONE };
	struct json j;

	json_start(&j, out);
	diff_json(&j,
		  &(struct diff_view){ .d = d, .readings = &b->readings, .vmas = shown[o->vmas] });
	json_end(&j);
}

static void show(const struct diff *d, const struct beside_pair *b, const struct diff_options *o,
		 int status, struct output *output)
{
	if (o->common.format == FORMAT_JSON) {
		show_json(d, b, o, &output->out);
	} else if (o->common.format == FORMAT_CSV) {
		diff_csv(&output->out, d);
	} else {
		diff_text(&output->out, &(struct diff_text){ .d = d,
							     .style = &output->style,
							     .all = o->common.all,
							     .top = o->common.top,
							     .status = status });
		show_beside(d, b, o, output);
	}
}

static int write_diff(const struct diff *d, const struct beside_pair *b,
		      const struct diff_options *o, int status, struct err *e)
{
	struct output output;

	if (output_open(&output, &o->common, e))
		return -1;
	show(d, b, o, status, &output);
	return output_close(&output, e);
}

/* What the system's counters say stands in front of what lies beside them. */
static void join_readings(struct beside_pair *b, const struct diff *d)
{
	struct readings all = { 0 };

	for (size_t i = 0; i < d->readings.n; i++)
		readings_add(&all, d->readings.at[i].id, d->readings.at[i].text,
			     d->readings.at[i].evidence);
	for (size_t i = 0; i < b->readings.n; i++)
		readings_add(&all, b->readings.at[i].id, b->readings.at[i].text,
			     b->readings.at[i].evidence);
	readings_free(&b->readings);
	b->readings = all;
}

/* With the counter sources beside the mappings. Returns an exit status, or -1 with e filled. */
static int show_pair(struct sides *s, struct judged_pair *pair, const struct diff_options *o,
		     struct err *e)
{
	struct beside_pair beside;

	if (beside_diff(&beside, &s->load[BEFORE], &s->load[AFTER], &o->common,
			&pair->diff.counters, e))
		return -1;
	if (o->common.format == FORMAT_JSON)
		join_readings(&beside, &pair->diff);
	int verdict = status_of(&pair->diff, o, e);
	int status = write_diff(&pair->diff, &beside, o, verdict, e);
	if (!status && o->exit_code)
		status = verdict;
	beside_pair_free(&beside);
	return status;
}

/* Returns an exit status, or -1 with e filled. */
static int diff_snapshots(struct sides *s, const struct diff_options *o, struct err *e)
{
	static const enum match_by by[] = { MATCH_AUTO, MATCH_ADDRESS, MATCH_IDENTITY };
	struct judged_pair pair;
	struct filter *filter;
	int status = -1;

	if (s->load[BEFORE].n > 1 && s->load[AFTER].n > 1)
		return diff_sets(s->load, (const char *const[]){ s->words[BEFORE].at[0],
								 s->words[AFTER].at[0] }, o, e);
	for (int i = 0; i < SIDES; i++)
		if (s->load[i].n > 1)
			return which_one(&s->load[i], s->words[i].at[0], e);
	if (judge_filter(&filter, &o->common, e))
		return -1;
	if (!judge_pair(&pair, s->load[BEFORE].snaps, s->load[AFTER].snaps, &o->common, by[o->by], filter, e)) {
		status = show_pair(s, &pair, o, e);
		judged_pair_free(&pair);
	}
	filter_free(filter);
	return status;
}

/* ---- counter sources ---- */

/* Two perf stat outputs, latency tables … : whoever reads the kind compares them. */
static const struct counter_differ {
	enum source_kind kind;
	int (*diff)(const struct load_counters *before, const struct load_counters *after,
		    const struct diff_options *o, struct err *e);
} counter_differs[] = {
	{ KIND_PERF, counters_diff_run },
	{ KIND_LAT, counters_diff_run },
	{ KIND_LKP_RESULT, counters_diff_run },
	{ KIND_UNKNOWN, NULL },
};

static int diff_counters(struct sides *s, const struct diff_options *o, struct err *e)
{
	const struct load_counters *b = s->load[BEFORE].counters, *a = s->load[AFTER].counters;

	if (!s->load[BEFORE].counters_n || !s->load[AFTER].counters_n ||
	    b->info.kind != a->info.kind)
		return err_set(
			e, ERR_KIND, "before is %s, after is %s: they cannot be compared",
			source_kind_names[b ? b->info.kind : s->load[BEFORE].snaps->source.kind],
			source_kind_names[a ? a->info.kind : s->load[AFTER].snaps->source.kind]);
	for (const struct counter_differ *k = counter_differs; k->diff; k++)
		if (k->kind == b->info.kind)
			return k->diff(b, a, o, e);
	err_set(e, ERR_KIND, "two sources of kind %s cannot be compared",
		source_kind_names[b->info.kind]);
	return b->info.kind == KIND_LKP
		       ? err_hint(e, "A robot's table compares already: hugecov report shows it")
		       : -1;
}

int cmd_diff(const struct call *call)
{
	const struct diff_options *o = call->options;
	struct sides s = { 0 };
	struct err e = { 0 };
	int status = -1;

	if (find_words(call, o, &s, &e))
		return diag_print(&e);
	if (s.words[BEFORE].n > 1 || s.words[AFTER].n > 1) {
		status = runs_diff(o, &e);
		return status < 0 ? diag_print(&e) : status;
	}
	if (!load_sides(&s, &o->common, &e))
		status = s.load[BEFORE].n && s.load[AFTER].n ? diff_snapshots(&s, o, &e)
							     : diff_counters(&s, o, &e);
	load_free(&s.load[BEFORE]);
	load_free(&s.load[AFTER]);
	return status < 0 ? diag_print(&e) : status;
}
