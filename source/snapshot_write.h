/* SPDX-License-Identifier: MIT */
/*
 * Saving what the other commands read: processes and system files as plain
 * files in proc/... and sys/..., with a manifest.json that says when and of
 * what, and what could not be read. `cp -r --parents` makes the same without
 * the manifest.
 *
 * manifest.json (schema "hugecov.snapshot/1"):
 *   schema, tool{name,version}, time, complete, kernel, arch, boot_id,
 *   processes[{pid,comm,state,start_ticks,complete}], unread[{file,why}]
 */
#ifndef SOURCE_SNAPSHOT_WRITE_H
#define SOURCE_SNAPSHOT_WRITE_H

#include "source/source.h"

enum { SNAPSHOT_FILE_MAX = 1 << 30 }; /* bytes of one smaps: far above what a kernel prints */

struct snapshot_want {
	const int64_t *pids; /* PID_SELF is proc/self */
	size_t n_pids;
	bool all_pids;       /* besides: every process that can be read, without the caller */
	bool cmdline;        /* may hold secrets */
	bool allow_partial;  /* a process of `pids` that ends meanwhile is no error */
	bool force;
	int64_t time_ns;     /* when what is read was so; -1: now */
	/* Is a smaps torn, so that it is read again (up to 3 times)? NULL: never. */
	bool (*torn)(struct slice smaps);
};

struct snapshot_unread {
	char *file; /* "proc/7/smaps" */
	char *why;
};

struct snapshot_done {
	struct arena a; /* holds what follows; the caller frees it, also after -1 */
	size_t files, processes, kernel_threads;
	uint64_t bytes;
	bool complete;  /* no process of `pids` ended while it was read */
	struct snapshot_unread *unread;
	size_t n_unread;
};

/*
 * Writes `target` (source/sink.h) from the tree. -1 and no target: one of
 * `pids` cannot be read, nothing at all could be read, or writing failed.
 */
int snapshot_write(struct tree *from, const char *target, const struct snapshot_want *want,
		   struct snapshot_done *ret, struct err *e);

#endif
