/* SPDX-License-Identifier: MIT */
/* hugecov report: what shows which kind of source. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include "cmd/load.h"
#include "cmd/output.h"

/*
 * Shows one counter source (perf stat, robot table, latency table) in
 * r->common.format. 0, or -1 with *e. To add a kind: its function in a file
 * cmd/report_KIND.c, declared here, and a row in counter_reports of
 * cmd/report.c.
 */
typedef int counter_report(struct output *o, const struct load_counters *c, const struct report_options *r,
			   struct err *e);

counter_report report_counters; /* those that cmd/counters.h knows */

#endif
