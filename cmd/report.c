/* SPDX-License-Identifier: MIT */
#include "cmd/report.h"

#include "cmd/beside.h"
#include "cmd/commands.h"
#include "cmd/diag.h"
#include "cmd/judge.h"

/* ---- counter sources ---- */

static counter_report *const counter_reports[KIND_COUNT] = {
	[KIND_PERF] = report_counters,
	[KIND_LKP] = report_counters,
	[KIND_LAT] = report_counters,
	[KIND_LKP_RESULT] = report_counters,
};

static int show_counters(struct output *o, const struct load_counters *c,
			 const struct report_options *r, struct err *e)
{
	counter_report *show = counter_reports[c->info.kind];

	if (show)
		return show(o, c, r, e);
	return err_set(e, ERR_KIND, "%s: a %s source is not understood yet", c->info.path,
		       source_kind_names[c->info.kind]);
}

/* ---- one snapshot ---- */

enum rank_key report_sort(const struct common_options *c)
{
	static const enum rank_key keys[] = {
		[SORT_DEFAULT] = RANK_COST, [SORT_COST] = RANK_COST, [SORT_ADDRESS] = RANK_ADDRESS,
		[SORT_SIZE] = RANK_SIZE,    [SORT_RSS] = RANK_RSS,   [SORT_HUGE] = RANK_HUGE,
		[SORT_SLOTS] = RANK_SLOTS,  [SORT_NAME] = RANK_NAME,
	};

	return keys[c->sort];
}

enum vmas_shown report_vmas(const struct report_options *r)
{
	static const enum vmas_shown shown[] = { SHOW_VMAS_ALL, SHOW_VMAS_FINDINGS, SHOW_VMAS_ALL,
						 SHOW_VMAS_NONE };

	return shown[r->vmas];
}

/* JSON and CSV keep the order of addresses unless another one, or only some, are asked for. */
static bool picks(const struct common_options *c)
{
	return c->sort != SORT_DEFAULT || c->top;
}

/* `b` goes into the document of the last snapshot; NULL: not into this one. */
static void write_json(struct out *o, const struct judged *x, const struct report_options *r,
		       const struct beside *b)
{
	struct report_view v = { .m = &x->model, .findings = &x->findings, .vmas = report_vmas(r),
				 .more = b ? beside_json : NULL, .more_arg = b };
	uint32_t *order = NULL;
	struct json j;

	if (picks(&r->common)) {
		v.order_n = rank_pick(v.m, report_sort(&r->common), r->common.top, &order);
		v.order = order;
	}
	json_start(&j, o);
	report_json(&j, &v);
	json_end(&j);
	mem_free(order);
}

static void write_text(struct output *o, const struct judged *x, const struct report_options *r)
{
	report_text(&o->out, &o->style,
		    &(struct text_view){
			    .m = &x->model,
			    .findings = &x->findings,
			    .sort = report_sort(&r->common),
			    .top = r->common.top,
			    .all = r->common.all,
		    });
}

void report_write_csv(struct out *o, const struct judged *x, const struct report_options *r,
		      bool first)
{
	if (!x->model.snap->has_smaps) {
		report_csv_system(o, &x->model.snap->system);
		return;
	}
	if (first)
		report_csv_header(o);
	report_csv(o, &(struct csv_view){
			      .m = &x->model,
			      .findings = &x->findings,
			      .sort = report_sort(&r->common),
			      .sorted = picks(&r->common),
			      .top = r->common.top,
		      });
}

static void write_one(struct output *o, const struct judged *x, const struct report_options *r,
		      const struct beside *b, bool first)
{
	if (r->common.format == FORMAT_JSON) {
		write_json(&o->out, x, r, b);
	} else if (r->common.format == FORMAT_CSV) {
		report_write_csv(&o->out, x, r, first);
	} else {
		if (!first)
			out_byte(&o->out, '\n');
		write_text(o, x, r);
	}
}

static int show_each(struct output *o, struct load *load, const struct report_options *r,
		     const struct filter *f, const struct beside *b, struct err *e)
{
	for (size_t i = 0; i < load->n; i++) {
		struct judged x;

		if (judge(&x, &load->snaps[i], &r->common, f, e))
			return -1;
		write_one(o, &x, r, i + 1 == load->n ? b : NULL, i == 0);
		judged_free(&x);
	}
	return 0;
}

static int show_all(struct output *o, struct load *load, const struct report_options *r,
		    const struct filter *f, struct err *e)
{
	struct beside b;

	for (size_t i = 0; !load->n && i < load->counters_n; i++)
		if (show_counters(o, &load->counters[i], r, e))
			return -1;
	if (!load->n)
		return 0;
	report_drop_twins(load);
	if (beside_read(&b, load, &r->common, e))
		return -1;
	/* In JSON there is one document, and of several reports it is the set. */
	bool set = load->n > 1 &&
		   (r->common.format == FORMAT_JSON || (!r->each && !r->split));
	int status = set ? report_set(o, load, r, f, &b, e) : show_each(o, load, r, f, &b, e);

	if (!status && r->common.format != FORMAT_JSON)
		beside_show(&b, &r->common, o);
	beside_free(&b);
	return status;
}

/* ---- the command ---- */

static int run(struct load *load, const struct report_options *r, const struct filter *f,
	       struct err *e)
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
	struct load_options lo = { .all_files = r->common.format == FORMAT_JSON,
				   .each = r->each,
				   .every_pid = true,
				   .split = r->split };
	struct load load;
	struct filter *filter;
	struct err e = { 0 };
	int status;

	if (call->n_args == 0)
		return diag_usage("report",
				  "what shall be reported? A PID, a directory, a file or -");
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
