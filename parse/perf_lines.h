/* SPDX-License-Identifier: MIT */
/*
 * The lines of perf stat's text as they were before mail, terminals and web
 * pages had them: without escapes, carriage returns and quote marks; and with
 * what was flattened onto one line put on lines of its own again.
 */
#ifndef PARSE_PERF_LINES_H
#define PARSE_PERF_LINES_H

#include "parse/perf_build.h"

struct perf_line {
	struct slice s;       /* cleaned */
	unsigned long number; /* in the input, from 1 */
};

struct perf_lines {
	struct perf_line *at;
	size_t n, cap;
};

/* Notes what was cleaned away in `b`. Lines point into `text` or into b->a. */
void perf_lines_read(struct slice text, struct perf_builder *b, struct perf_lines *ret);
void perf_lines_free(struct perf_lines *l);

/* One line without escapes, carriage return, NULs and quote marks, for all forms. */
struct slice perf_line_clean(struct slice line, unsigned long number, struct perf_builder *b);
/* Notes a last line without a newline. */
void perf_lines_end(struct slice text, unsigned long number, struct perf_builder *b);

/*
 * A header and rows that were joined to one line: the same with newlines, in
 * `a`. An event that has lost its "<not supported>" (as everything in angle
 * brackets does on its way through a web page) gets it back. Empty: there is
 * at most one row on this line.
 */
struct slice perf_unflatten(struct slice line, struct arena *a);

#define PERF_HEADER SLICE("Performance counter stats for ")

/* Offset of the text behind "Performance counter stats for", or -1. */
ptrdiff_t perf_header_start(struct slice line);
/*
 * Where the target ends: the offset of the closing quote that "':" or
 * "' (N runs):" follows, -1 if it is not on this line. *ret_end is behind the colon.
 */
ptrdiff_t perf_header_end(struct slice s, int64_t *ret_runs, size_t *ret_end);

#endif
