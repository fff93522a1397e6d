/* SPDX-License-Identifier: MIT */
/* A diff for spreadsheets: one row a row of mappings; without mappings one a counter. */
#ifndef REPORT_DIFF_CSV_H
#define REPORT_DIFF_CSV_H

#include "model/diff.h"

void diff_csv(struct out *o, const struct diff *d);

#endif
