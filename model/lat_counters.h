/* SPDX-License-Identifier: MIT */
/* Latency tables as counters: lat_mem_rd.64, or lat_mem_rd.64.COLUMN of several columns. */
#ifndef MODEL_LAT_COUNTERS_H
#define MODEL_LAT_COUNTERS_H

#include "model/counters.h"
#include "parse/lat.h"

/* One counter for each latency, in ns, in the order of the tables. A name met again gets "#2". */
void lat_counters(const struct lat_doc *doc, struct arena *a, struct counter_list *ret);

#endif
