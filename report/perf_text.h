/* SPDX-License-Identifier: MIT */
/*
 * perf stat's output, and the difference of two, for people: dTLB, page-fault
 * and cache events first, the rest counted; the error of repeats beside the
 * counts; what ran only a part of the time is said to be an estimate.
 */
#ifndef REPORT_PERF_TEXT_H
#define REPORT_PERF_TEXT_H

#include "base/source.h"
#include "model/counters.h"
#include "model/readings.h"
#include "parse/perf.h"
#include "report/style.h"

struct perf_text {
	const struct perf_doc *doc;
	const struct source_info *info;
	const struct readings *readings;
	bool all;
};
void perf_text(struct out *o, const struct text_style *st, const struct perf_text *v);

struct perf_diff_text {
	const struct perf_doc *before, *after;
	const struct source_info *before_info, *after_info;
	const struct counter_rows *rows;
	const struct readings *readings;
	bool all;
};
void perf_diff_text(struct out *o, const struct text_style *st, const struct perf_diff_text *v);
/*
 * The table of counters alone: beside the mappings of a diff. Rows whose name
 * does not begin with "perf." are skipped.
 */
void perf_rows_text(struct out *o, const struct text_style *st, const struct counter_rows *rows,
		    bool all);

/* CSV: one line an event and metric; every digit as printed. */
void perf_csv(struct out *o, const struct perf_doc *d);

#endif
