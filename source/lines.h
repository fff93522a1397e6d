/* SPDX-License-Identifier: MIT */
/*
 * A file of lines that is read back and forth (a recording): where each line
 * begins is noted once, its bytes are read when they are wanted. So memory
 * does not grow with the file but for 8 bytes a line.
 */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include "source/source.h"

enum { LINE_MAX_BYTES = 1 << 30 };

struct lines;

/*
 * Opens a file named by the user. For each line, in order, head() gets its
 * number (from 0) and up to head_max of its bytes, without the newline; when
 * it returns false, reading stops there and the line is not counted: the file
 * is not what it was taken for. Empty lines at the end are no lines.
 */
int lines_open(const char *path, size_t head_max,
	       bool (*head)(void *ctx, size_t i, struct slice bytes), void *ctx, struct lines **ret,
	       struct err *e);
void lines_close(struct lines *l); /* NULL is fine */
bool lines_cut(const struct lines *l); /* the last line has no newline */
/* Line i, without its newline; valid until the next call. -1: the file shrank or is unreadable. */
int lines_read(struct lines *l, size_t i, struct slice *ret, struct err *e);

#endif
