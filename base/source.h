/* SPDX-License-Identifier: MIT */
/* What was read: the `source` member of every document. Shared by all layers. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum source_kind {
	KIND_UNKNOWN,
	KIND_PROCESS,
	KIND_SNAPSHOT,
	KIND_SMAPS,
	KIND_ROLLUP,
	KIND_MEMINFO,
	KIND_VMSTAT,
	KIND_NODE_MEMINFO,
	KIND_NODE_VMSTAT,
	KIND_PERF,
	KIND_LKP,
	KIND_LAT,
	KIND_REPORT,
	KIND_LKP_RESULT,
	KIND_COUNT
};

/* What a reader forgave. The order is the order in JSON. */
enum note {
	NOTE_QUOTED,
	NOTE_INDENTED,
	NOTE_CRLF,
	NOTE_NUL,
	NOTE_TABS,
	NOTE_NO_FINAL_NEWLINE,
	NOTE_WRAPPED,
	NOTE_ELIDED,
	NOTE_CUT,
	NOTE_FOREIGN,
	NOTE_UNKNOWN,
	NOTE_BACKWARD,
	NOTE_TORN,
	NOTE_OVERSIZE,     /* smaps: more kB than the mapping has */
	NOTE_DAMAGED,      /* perf -j: lines that cannot be read */
	NOTE_DECIMAL_COMMA, /* perf -x, under a locale with a decimal comma: repaired */
	NOTE_COUNT
};

struct source_info {
	enum source_kind kind;
	const char *path;  /* as given by the user; "-" for standard input; NULL for a PID */
	int64_t pid;       /* -1: none */
	int64_t time_ns;   /* CLOCK_REALTIME when it was read, or from a manifest; -1 unknown */
	bool complete;
	uint32_t notes[NOTE_COUNT];
	unsigned long note_line; /* of the first that --strict refuses; 0: none, or its reader refuses it itself */
	enum note note;          /* which it is */
};

extern const char *const source_kind_names[KIND_COUNT]; /* "process", "perf-stat", … */
extern const char *const note_names[NOTE_COUNT];
extern const char *const note_words[NOTE_COUNT]; /* "a quoted line", for --strict */

/* Counts one, in that line of the input, and remembers the first. */
void source_note(struct source_info *s, enum note n, unsigned long line);

#endif
