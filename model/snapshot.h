/* SPDX-License-Identifier: MIT */
/*
 * What one source held, parsed and not yet judged: mappings, system files, the
 * process. Filled by cmd/load.c, read by the model and the renderers. All
 * text points into `arena` or into the parsers' own arenas.
 */
#ifndef MODEL_SNAPSHOT_H
#define MODEL_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/source.h"
#include "parse/keyval.h"
#include "parse/smaps.h"
#include "parse/thp_settings.h"

struct node_info {
	int node;
	bool has_meminfo, has_vmstat;
	struct keyvals meminfo, vmstat;
};

struct system_info {
	struct slice kernel;  /* "6.18.44"; empty: unknown */
	struct slice arch;    /* "x86_64"; empty: unknown */
	struct slice boot_id; /* empty: unknown */
	bool has_thp, has_meminfo, has_vmstat;
	struct thp_settings thp;
	struct keyvals meminfo, vmstat;
	struct node_info *nodes;
	size_t nodes_n;
	/* What --pmd-size and --policy said when a report that is read back was made; 0 and empty: nothing. */
	uint64_t given_pmd_kb;
	struct slice given_policy;
};

struct process_info {
	int64_t pid;
	struct slice comm;    /* raw bytes */
	uint64_t start_ticks; /* 0: unknown */
	struct slice cgroup;  /* path of the unified or memory hierarchy; empty: unknown */
	int thp_disabled;     /* 1: PR_SET_THP_DISABLE; 0: not; -1: status does not say */
	char state;           /* 0: unknown */
	bool kernel_thread;
};

struct snapshot {
	struct source_info source;
	struct system_info system;
	bool has_process, has_smaps;
	bool bare; /* a report that was written without its mappings */
	struct process_info process;
	struct smaps smaps; /* with .rollup set it holds one record of sums */
	const char *const *remarks; /* sentences for people: re-read, partial, zombie… */
	size_t remarks_n;
	struct arena arena;
};

void snapshot_free(struct snapshot *s);

#endif
