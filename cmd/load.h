/* SPDX-License-Identifier: MIT */
/*
 * SOURCE arguments become snapshots, or the bytes of a counter source. The
 * one place where source/ and parse/ meet.
 */
#ifndef CMD_LOAD_H
#define CMD_LOAD_H

#include "cmd/manifest.h"
#include "cmd/options.h"
#include "model/snapshot.h"
#include "source/source.h"

/* A perf stat output, robot or latency table: its bytes, parsed by whoever shows it. */
struct load_counters {
	struct source_info info;
	struct slice bytes;
};

struct load {
	struct snapshot *snaps; /* processes, or what files together hold */
	size_t n, cap;
	struct load_counters *counters;
	size_t counters_n, counters_cap;
	/* Shared by all snapshots: their .system is a copy of this one. */
	struct system_info system;
	struct manifest manifest; /* of the saved tree that is being read */
	/* Processes of a saved or live tree, of which all were asked for. */
	size_t left_out; /* that may not be read */
	size_t ended;    /* meanwhile */
	size_t linked;   /* names of processes that are links to others of the saved tree */
	size_t unread_n;   /* system files that are there and could not be read: their values are null */
	struct err unread; /* the first of them */
	struct arena arena;
};

struct load_options {
	bool all_files; /* every statistics file too (JSON, snapshots): 2 ms more on a live system */
	bool each;      /* several saved smaps are several snapshots, not an error */
	bool split;     /* an input of several dumps is several snapshots */
	bool vanished_ok; /* one of several processes may end meanwhile: a remark, not an error */
	bool every_pid; /* each --pid must be there; of the two sides of a comparison one may have it alone */
	bool together;  /* several files with mappings are several processes, not a mistake */
	bool judged;    /* one that may not be read is an error unless common->allow_partial; else it is left out */
	bool once;      /* a torn smaps is not read again: whoever watches reads it soon anyway */
};

/*
 * Reads all arguments. On success there is at least one snapshot or one
 * counter source. A process that ended while it was read is an error unless
 * common->allow_partial; then source.complete is false.
 */
int load_sources(struct load *ret, const char *const *args, size_t n, const struct common_options *common,
		 struct load_options o, struct err *e);
void load_free(struct load *l);
/* A remark on standard error when there were files that could not be read. load_sources() has done it. */
void load_tell_unread(const struct load *l);

/* Re-reads a live process into a fresh snapshot; the tree is kept open by the caller (watch). */
int load_process(struct load *l, struct tree *t, int64_t pid, const struct common_options *common,
		 struct load_options o, struct err *e);
/* The system files of a tree, once. What stands in l->unread afterwards is for the caller to tell. */
void load_system(struct load *l, struct tree *t, const char *prefix, bool all_files);

/* The rest of a stream into a reader, which the caller finishes and frees. -1: unreadable, or no smaps. */
int load_feed(struct smaps_reader *r, struct stream *in, struct err *e);

struct snapshot *load_add(struct load *l); /* for the files of this layer */

/* What --pmd-size and --policy say, for the model. */
struct model_options;
void load_model_options(struct model_options *ret, const struct common_options *c);

#endif
