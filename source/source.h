/* SPDX-License-Identifier: MIT */
/*
 * The only code that opens kernel files, archives and processes. Everything
 * is read relative to one directory descriptor, by openat2() with
 * RESOLVE_BENEATH: no link, no "..", no absolute name in a tree leads out of
 * it, and a FIFO or a device in it is refused without blocking.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/slice.h"

/* ---- a tree: a directory, or an archive that is read as one ---- */

struct tree;

/* Opens a directory, or an archive (tar, plain or compressed; libarchive is loaded then). */
int tree_open(const char *path, struct tree **ret, struct err *e);
void tree_close(struct tree *t); /* NULL is fine */
bool tree_is_live(const struct tree *t); /* its root is "/": proc/ is the kernel's own */

enum got {
	GOT_ALL,
	GOT_ABSENT,   /* no such file: not an error */
	GOT_DENIED,   /* EACCES, EPERM */
	GOT_VANISHED, /* ESRCH: the process ended */
	GOT_PARTIAL,  /* data, then an error or the end of the process */
	GOT_FAILED,   /* anything else; `e` is filled */
};

enum { SYSTEM_FILE_MAX = 16 * 1024 * 1024 }; /* meminfo, vmstat and the like */

/*
 * Reads a whole small file, at most `limit` bytes, into `a` (NUL behind it).
 * On anything but GOT_ALL and GOT_PARTIAL *ret is empty and `e` says why.
 */
enum got tree_read(struct tree *t, const char *relative, size_t limit, struct arena *a,
		   struct slice *ret, struct err *e);

/* Names in a directory of the tree, sorted (numbers by value), without "." and "..". */
enum got tree_list(struct tree *t, const char *relative, struct arena *a, struct slice **ret,
		   size_t *ret_n, struct err *e);

/* A directory, in either kind of tree; false also of what is not there. */
bool tree_is_folder(const struct tree *t, const char *relative);

/*
 * Before a large file of a saved folder is read, one of many. -1 (ERR_LIMIT)
 * when links would bring the same bytes again and again, more than 64 MiB of
 * them; 0 for anything else, also for what is not there. An archive has limits
 * of its own, and a live /proc holds no such links.
 */
int tree_meet(struct tree *t, const char *relative, struct err *e);

/* What perf stat wrote may lie beside the mappings, in the top folder; NULL ends it. */
extern const char *const perf_file_names[];

/* ---- a stream: bytes in pieces, for what may be large ---- */

struct stream;

/*
 * Opens a file of a tree. `piece` is the most that one read asks for: 3072
 * for smaps of a live process, 0 for the default of 64 KiB, which stays in the
 * second-level cache while it is parsed.
 * Why 3072: seq_file fills one page a read and throws away, and prints again,
 * a record that does not fit any more; a buffer that is full first stops it
 * between two records. One mapping in five is walked twice otherwise.
 */
enum { SMAPS_PIECE = 3072 };
enum got stream_open(struct tree *t, const char *relative, size_t piece, struct stream **ret,
		     struct err *e);
/*
 * A file, FIFO, terminal, inherited socket (/dev/fd/N) or "-" named by the user.
 * A directory or another device is refused, without opening it.
 */
int stream_open_path(const char *path, struct stream **ret, struct err *e);
/*
 * Before the first stream_next(): if what comes is gzip, xz, zstd or bzip2, it
 * is unpacked. stream_open_path() does so by itself; in a tree it is for those
 * files that may be packed.
 */
void stream_unpack(struct stream *s);
/* Does not own the bytes. A member of an archive, the text of a mail; tests. */
struct stream *stream_memory(struct slice bytes);
/*
 * The next bytes: *ret stays valid until the next call. Empty at the end.
 * -1 with `e`; ERR_GONE when the process ended under the read.
 */
int stream_next(struct stream *s, struct slice *ret, struct err *e);
/*
 * Gives bytes back: they come first at the next stream_next(). For the sniffer.
 * They are not copied: their owner keeps them until the call after that one.
 * What stream_next() has just given may be given back as it is.
 */
void stream_unread(struct stream *s, struct slice bytes);
uint64_t stream_size(const struct stream *s);  /* of a plain regular file, in bytes; 0: not known */
void stream_close(struct stream *s);
/* All of it into memory, at most `limit` bytes (else ERR_LIMIT). */
int stream_all(struct stream *s, size_t limit, struct arena *a, struct slice *ret, struct err *e);

/* ---- what a SOURCE argument is, by its form: the first that fits, in this order ---- */

enum source_form { FORM_STDIN, FORM_PID, FORM_SELF, FORM_DIRECTORY, FORM_ARCHIVE, FORM_FILE };

/*
 * Does not open FIFOs. For FORM_PID the number is in *ret_pid, else it is -1
 * (PID_SELF for FORM_SELF). -1: it does not exist or is refused, in words.
 */
int source_form(const char *argument, enum source_form *ret, int64_t *ret_pid, struct err *e);

/* ---- a process ---- */

struct process_id {
	int64_t pid;
	uint64_t start_ticks; /* field 22 of stat; 0: unknown */
	uint64_t start_code, start_stack; /* 26 and 28: new with each exec; 0: not ours to see */
	char state;           /* R S D Z …; 0: unknown */
	bool kernel_thread;   /* PF_KTHREAD in flags of stat */
	char comm[64];        /* raw bytes, unescaped, NUL-terminated */
	size_t comm_n;
};

enum { PID_SELF = -1 }; /* proc/self: the process that asks; its number comes back in `pid` */

/*
 * The kernel writes a newline of a comm as \n and a backslash as \\ in stat and
 * status. Undone, at most size - 1 bytes and a NUL; returns how many.
 */
size_t comm_unescaped(struct slice s, char *buf, size_t size);

/* proc/PID/stat under the tree. comm may hold blanks and ')': the last ')' ends it. */
enum got process_stat(struct tree *t, int64_t pid, struct process_id *ret, struct err *e);

/*
 * The number that proc/PID of a saved folder is a link to, where it leads to
 * another PID beside it: one process under two names. -1: it is none.
 */
int64_t process_link(const struct tree *t, int64_t pid);

/*
 * This process as the tree's proc/ numbers it: not getpid() where proc/ is
 * that of another pid namespace. False, and -1, where it is not seen at all.
 */
bool process_self(struct tree *t, int64_t *ret);

/* Neither another process of that number nor, as far as can be seen, another program in it. */
bool process_is_same(const struct process_id *before, const struct process_id *after);

/*
 * A sentence for proc/PID/FILE that could not be read, as in "permission denied
 * (it belongs to root; you are marc)", and whether root could. GOT_ALL is for a file
 * that was read and empty: kernel thread, zombie, or ended. GOT_FAILED leaves
 * `e` as the read has filled it.
 */
void process_explain(struct tree *t, int64_t pid, enum got got, const char *file, struct err *e);

#endif
