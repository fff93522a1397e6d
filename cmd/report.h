/* SPDX-License-Identifier: MIT */
/* hugecov report: what shows which kind of source. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include "cmd/beside.h"
#include "cmd/judge.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "report/report_csv.h"
#include "report/report_json.h"
#include "report/report_text.h"

/*
 * Shows one counter source (perf stat, robot table, latency table) in
 * r->common.format. 0, or -1 with *e. To add a kind: its function in a file
 * cmd/report_KIND.c, declared here, and a row in counter_reports of
 * cmd/report.c.
 */
typedef int counter_report(struct output *o, const struct load_counters *c,
			   const struct report_options *r, struct err *e);

counter_report report_counters; /* those that cmd/counters.h knows */

/* A PID that was given twice counts once. */
void report_drop_twins(struct load *load);
/* All snapshots of a load as one set of processes; there are two or more. 0, or -1 with *e. */
int report_set(struct output *o, struct load *load, const struct report_options *r,
	       const struct filter *f, const struct beside *b, struct err *e);

/* What the options mean for the renderers. */
enum rank_key report_sort(const struct common_options *c);
enum vmas_shown report_vmas(const struct report_options *r);
/* Mappings, or counters where there are none; `first`: with the header line. */
void report_write_csv(struct out *o, const struct judged *x, const struct report_options *r,
		      bool first);

#endif
