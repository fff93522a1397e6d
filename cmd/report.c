/* SPDX-License-Identifier: MIT */
#include "cmd/report.h"

#include "cmd/beside.h"
#include "cmd/commands.h"
#include "cmd/diag.h"
#include "cmd/judge.h"
#include "report/report_json.h"
#include "report/report_text.h"

/* ---- counter sources ---- */

static counter_report *const counter_reports[KIND_COUNT] = {
	[KIND_PERF] = report_counters,
	[KIND_LKP] = report_counters,
	[KIND_LAT] = report_counters,
	[KIND_LKP_RESULT] = report_counters,
};

static int show_counters(struct output *o, const struct load_counters *c, const struct report_options *r,
			 struct err *e)
{
	counter_report *show = counter_reports[c->info.kind];

	if (show)
		return show(o, c, r, e);
	return err_set(e, ERR_KIND, "%s: a %s source is not understood yet", c->info.path,
		       source_kind_names[c->info.kind]);
}

/* ---- snapshots ---- */

/* `b` goes into the document of the last snapshot; NULL: not into this one. */
static void write_json(struct out *o, const struct judged *x, const struct report_options *r, const struct beside *b)
{
	static const enum vmas_shown shown[] = { SHOW_VMAS_ALL, SHOW_VMAS_FINDINGS, SHOW_VMAS_ALL, SHOW_VMAS_NONE };
	struct json j;

	json_start(&j, o);
	report_json(&j, &(struct report_view){ .m = &x->model, .findings = &x->findings, .vmas = shown[r->vmas],
					    .more = b ? beside_json : NULL, .more_arg = b });
	json_end(&j);
}

static void write_text(struct output *o, const struct judged *x, const struct report_options *r)
{
	static const enum rank_key keys[] = {
		[SORT_COST] = RANK_COST, [SORT_ADDRESS] = RANK_ADDRESS, [SORT_SIZE] = RANK_SIZE, [SORT_RSS] = RANK_RSS,
		[SORT_HUGE] = RANK_HUGE, [SORT_SLOTS] = RANK_SLOTS,	[SORT_NAME] = RANK_NAME,
	};

	report_text(&o->out, &o->style, &(struct text_view){
		.m = &x->model, .findings = &x->findings, .sort = keys[r->common.sort], .top = r->common.top,
		.all = r->common.all,
	});
}

static void write_one(struct output *o, const struct judged *x, const struct report_options *r, const struct beside *b)
{
	if (r->common.format == FORMAT_JSON)
		write_json(&o->out, x, r, b);
	else
		write_text(o, x, r);
}

static int show_snapshots(struct output *o, struct load *load, const struct report_options *r, struct filter *f,
			  const struct beside *b, struct err *e)
{
	for (size_t i = 0; i < load->n; i++) {
		struct judged x;

		if (judge(&x, &load->snaps[i], &r->common, f, e))
			return -1;
		if (i > 0 && r->common.format == FORMAT_TEXT)
			out_byte(&o->out, '\n');
		write_one(o, &x, r, i + 1 == load->n ? b : NULL);
		judged_free(&x);
	}
	return 0;
}

static int show_all(struct output *o, struct load *load, const struct report_options *r, struct filter *f,
		    struct err *e)
{
	struct beside b;

	for (size_t i = 0; !load->n && i < load->counters_n; i++)
		if (show_counters(o, &load->counters[i], r, e))
			return -1;
	if (!load->n)
		return 0;
	if (beside_read(&b, load, &r->common, e))
		return -1;
	int status = show_snapshots(o, load, r, f, &b, e);
	if (!status && r->common.format != FORMAT_JSON)
		beside_show(&b, &r->common, o);
	beside_free(&b);
	return status;
}

/* ---- the command ---- */

static int run(struct load *load, const struct report_options *r, struct filter *f, struct err *e)
{
	struct output output;

	if (output_open(&output, &r->common, e))
		return -1;
	if (show_all(&output, load, r, f, e)) {
		output_drop(&output);
		return -1;
	}
	return output_close(&output, e);
}

int cmd_report(const struct call *call)
{
	const struct report_options *r = call->options;
	struct load_options lo = { .all_files = r->common.format == FORMAT_JSON, .each = r->each, .split = r->split };
	struct load load;
	struct filter *filter;
	struct err e = { 0 };
	int status;

	if (call->n_args == 0)
		return diag_usage("report", "what shall be reported? A PID, a directory, a file or -");
	if (judge_filter(&filter, &r->common, &e))
		return diag_print(&e);
	status = load_sources(&load, call->args, call->n_args, &r->common, lo, &e);
	if (!status) {
		status = run(&load, r, filter, &e);
		load_free(&load);
	}
	filter_free(filter);
	return status ? diag_print(&e) : STATUS_DONE;
}
