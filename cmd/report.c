/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"
#include "cmd/diag.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "model/findings.h"
#include "report/report_json.h"

/* One snapshot and what the model says of it. */
struct judged {
	struct model model;
	struct findings findings;
};

static void judge(struct judged *j, struct snapshot *s, const struct common_options *c)
{
	struct model_options mo;

	load_model_options(&mo, c);
	model_init(&j->model, s, &mo);
	model_totals(&j->model);
	findings_make(&j->model, &j->findings);
}

static void judged_free(struct judged *j)
{
	findings_free(&j->findings);
	model_free(&j->model);
}

static void write_json(struct out *o, const struct judged *x, const struct report_options *r)
{
	static const enum vmas_shown shown[] = { SHOW_VMAS_ALL, SHOW_VMAS_FINDINGS, SHOW_VMAS_ALL, SHOW_VMAS_NONE };
	struct json j;

	json_start(&j, o);
	report_json(&j, &(struct report_view){ .m = &x->model, .findings = &x->findings, .vmas = shown[r->vmas] });
	json_end(&j);
}

int cmd_report(const struct call *call)
{
	const struct report_options *r = call->options;
	struct load_options lo = { .all_files = r->common.format == FORMAT_JSON, .each = r->each, .split = r->split };
	struct output output;
	struct load load;
	struct err e = { 0 };

	if (call->n_args == 0)
		return diag_usage("report", "what shall be reported? A PID, a directory, a file or -");
	if (load_sources(&load, call->args, call->n_args, &r->common, lo, &e))
		return diag_print(&e);
	if (output_open(&output, &r->common, &e)) {
		load_free(&load);
		return diag_print(&e);
	}
	for (size_t i = 0; i < load.n; i++) {
		struct judged x;

		judge(&x, &load.snaps[i], &r->common);
		write_json(&output.out, &x, r);
		judged_free(&x);
	}
	load_free(&load);
	return output_close(&output, &e) ? diag_print(&e) : STATUS_DONE;
}
