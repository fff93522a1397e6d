/* SPDX-License-Identifier: MIT */
/*
 * Reports for spreadsheets and scripts: a line for each mapping, or for each
 * counter where there are no mappings. The columns are the same for every
 * input; what was not printed is an empty cell. Sizes are in kB, as the
 * headers say.
 */
#ifndef REPORT_REPORT_CSV_H
#define REPORT_REPORT_CSV_H

#include "model/findings.h"
#include "model/rank.h"
#include "report/csv.h"

struct csv_view {
	const struct model *m;
	const struct findings *findings;
	enum rank_key sort;
	bool sorted;  /* else by address */
	uint64_t top; /* 0: all */
};

/* The header line; before the first report_csv() only. */
void report_csv_header(struct out *o);
void report_csv(struct out *o, const struct csv_view *v);
/* meminfo, vmstat, node files alone: name, value, unit; with its own header. */
void report_csv_system(struct out *o, const struct system_info *s);

#endif
