/* SPDX-License-Identifier: MIT */
/*
 * Buffered output to a descriptor or to memory. Errors are sticky: after the
 * first failed write nothing more is written and out_close() tells. So
 * renderers never check, and cmd/ checks once.
 */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct out {
	char *buf;
	size_t n, cap;
	int fd;       /* -1: memory, the buffer grows */
	int error;    /* errno of the first failed write, or 0 */
	uint64_t written; /* bytes given to the descriptor */
};

void out_fd(struct out *o, int fd); /* does not own fd */
void out_memory(struct out *o);
struct slice out_slice(const struct out *o); /* what memory holds */
void out_reset(struct out *o);      /* memory: forget the content, keep the room */
int out_flush(struct out *o);       /* 0 or -1 with o->error */
int out_close(struct out *o);       /* flush and release the buffer, not the descriptor */

void out_reserve(struct out *o, size_t n); /* at least n bytes are free in the buffer */
void out_write(struct out *o, const char *p, size_t n);
static inline void out_byte(struct out *o, char c)
{
	if (o->n == o->cap)
		out_reserve(o, 1);
	o->buf[o->n++] = c;
}
static inline void out_put(struct out *o, struct slice s)
{
	out_write(o, s.p, s.n);
}
void out_str(struct out *o, const char *s);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
void out_hex(struct out *o, uint64_t v); /* without 0x */
void out_pad(struct out *o, char c, int n); /* nothing when n <= 0 */

/*
 * Text from strangers for a terminal or a log: control characters, bytes that
 * are not UTF-8, bidi controls and what cannot be seen become \xNN or \u{NNNN};
 * the rest passes.
 * With ascii set everything above 0x7e is escaped too.
 */
void out_safe(struct out *o, struct slice s, bool ascii);
/* The same into at most `width` columns, cut in the middle with "…", in ASCII "..". Returns the columns used. */
int out_safe_cut(struct out *o, struct slice s, int width, bool ascii);
/*
 * A path: its last component stays whole where that fits, the front goes, as
 * in "…/libc.so.6", or "libc.so.6" where it is tight. What is no path is cut
 * in the middle.
 */
int out_path_cut(struct out *o, struct slice s, int width, bool ascii);
/* The columns that out_path_cut() needs for the last component whole. Of what is no path: all of s. */
int out_path_least(struct slice s, bool ascii);

#endif
