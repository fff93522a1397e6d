/* SPDX-License-Identifier: MIT */
/*
 * Where a snapshot goes: a directory, or an archive by the ending of its name.
 * It grows beside the target under a temporary name and is renamed when it is
 * whole. An error, a full disk, a signal or the end of memory leaves nothing
 * behind (SIGKILL leaves .hugecov-PID-N.tmp). A symbolic link at the target's
 * place is never followed.
 */
#ifndef SOURCE_SINK_H
#define SOURCE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

struct sink;

/*
 * `target`: a directory to make, or FILE.tar, .tar.gz, .tgz, .tar.xz, .txz,
 * .tar.zst, .tzst. What exists there is refused; with `force` a regular file
 * is replaced by an archive, and a directory that is empty or a snapshot by a
 * directory. time_ns becomes the time of the members of an archive. Files are
 * made for the owner alone: they tell where a process has its memory. At most
 * one sink is open at a time; until sink_close() the fatal signals are caught.
 */
int sink_open(const char *target, bool force, int64_t time_ns, struct sink **ret, struct err *e);
/* One file: "proc/7/smaps". Directories are made as needed; a name comes once; one that leads out is refused. */
int sink_file(struct sink *s, const char *name, struct slice bytes, struct err *e);
/* Ends and renames it, then closes the sink in either case. -1: nothing is left behind. */
int sink_commit(struct sink *s, struct err *e);
/* Removes what was written. If a fatal signal had come, the program ends by it here. */
void sink_drop(struct sink *s);
/*
 * Could something not be removed when the last sink was closed: what it was to
 * replace, or what had been written? *ret says what and why.
 */
bool sink_stayed(struct err *ret);
/* For the end of memory: removes what an open sink has written, without allocating. */
void sink_emergency(void);

/* How the name of an archive ends. */
enum packing { PACK_NONE, PACK_GZIP, PACK_XZ, PACK_ZSTD };

/* ---- a tar being written, in source/archive_write.c ---- */

struct tar_writer;
int tar_writer_new(int fd, enum packing packing, int64_t time_ns, struct tar_writer **ret,
		   struct err *e);
int tar_writer_file(struct tar_writer *w, const char *name, struct slice bytes, struct err *e);
/* Writes the end; the descriptor stays open. Releases the writer in either case. */
int tar_writer_end(struct tar_writer *w, struct err *e);
void tar_writer_drop(struct tar_writer *w);

/* ---- bytes and removal, in source/write.c ---- */

/* All of it, EINTR and short writes seen to. -1 with errno. */
int write_all(int fd, struct slice bytes);
/*
 * Removes `name` in folder `fd` with all below it, however deep; follows no
 * link, allocates nothing. -1 with errno of the first thing that stayed.
 */
int remove_tree(int fd, const char *name);
/* Nothing but these names stands in the directory `fd`. */
bool directory_holds_only(int fd, const char *const *names, size_t n);

#endif
