/* SPDX-License-Identifier: MIT */
/* The counters of a diff as CSV. */
#ifndef REPORT_COUNTERS_CSV_H
#define REPORT_COUNTERS_CSV_H

#include "base/out.h"
#include "model/counters.h"

void counters_csv(struct out *o, const struct counter_rows *rows);

#endif
