/* SPDX-License-Identifier: MIT */
/*
 * meminfo, vmstat, the same of each node and the statistics below
 * transparent_hugepage as one flat list of counters. Names:
 * "meminfo.AnonHugePages", "vmstat.thp_fault_alloc", "node0.vmstat.nr_mapped",
 * "thp.hugepages-64kB.anon_fault_alloc".
 */
#ifndef MODEL_SYSTEM_COUNTERS_H
#define MODEL_SYSTEM_COUNTERS_H

#include "model/counters.h"
#include "model/snapshot.h"

/* The unit of gauges that count PMD huge pages: they are shown in kB too. */
#define UNIT_HUGE_PAGES "huge pages"

/* Appends to ret, in the order of the files. Names are made in `a`. */
void system_counters(const struct system_info *s, struct arena *a, struct counter_list *ret);
/* A name of vmstat that may fall, in Linux 2.6.38 to 7.3; all others count up. */
bool vmstat_is_gauge(struct slice name);
/* A file below transparent_hugepage that counts, and is no setting. */
bool thp_file_is_counter(struct slice file);

#endif
