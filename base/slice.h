/* SPDX-License-Identifier: MIT */
/*
 * A slice is a pointer and a length into somebody else's bytes. It owns
 * nothing and is not NUL-terminated: a NUL is added only where a system call
 * or a library wants one (slice_cstr). Every function here is total: an empty
 * slice, even one with a NULL pointer, is a valid argument.
 */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
	const char *p;
	size_t n;
};

/* The result of a cut: `ok` tells whether the separator was there. */
struct cut {
	struct slice head, tail;
	bool ok;
};

#define SLICE(literal) ((struct slice){ "" literal "", sizeof(literal) - 1 })
#define SLICE_FMT(s)   (int)(s).n, (s).p /* for "%.*s" */

static inline struct slice slice_of(const char *p, size_t n)
{
	return (struct slice){ p, n };
}

static inline struct slice slice_str(const char *s)
{
	return (struct slice){ s, s ? strlen(s) : 0 };
}

static inline bool slice_eq(struct slice a, struct slice b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline struct slice slice_skip(struct slice s, size_t n)
{
	if (n >= s.n) /* NULL + 0 is undefined in C */
		return slice_of(s.n ? s.p + s.n : s.p, 0);
	return slice_of(s.p + n, s.n - n);
}

static inline struct slice slice_first(struct slice s, size_t n)
{
	return slice_of(s.p, n < s.n ? n : s.n);
}

static inline bool slice_starts(struct slice s, struct slice prefix)
{
	return s.n >= prefix.n && slice_eq(slice_first(s, prefix.n), prefix);
}

static inline bool slice_ends(struct slice s, struct slice suffix)
{
	return s.n >= suffix.n && slice_eq(slice_skip(s, s.n - suffix.n), suffix);
}

/* Byte tests that ignore the locale: kernel text is ASCII. */
static inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static inline bool is_upper_hex(char c) { return is_digit(c) || (c >= 'A' && c <= 'F'); }
/* Of what is_hex(). */
static inline unsigned hex_digit(char c)
{
	return (unsigned)(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
}
static inline char hex_byte(const char p[static 2]) { return (char)(hex_digit(p[0]) << 4 | hex_digit(p[1])); }

bool slice_eq_str(struct slice s, const char *str);
int slice_cmp(struct slice a, struct slice b); /* bytes, then length */
int slice_order(const void *a, const void *b); /* the same of two slices, for qsort */
struct slice slice_ltrim(struct slice s);      /* blanks and tabs */
struct slice slice_rtrim(struct slice s);      /* blanks, tabs, CR and LF */
struct slice slice_trim(struct slice s);
struct cut slice_cut(struct slice s, char at); /* not there: head is all, tail is empty */
/* The line up to '\n', which neither part holds. ok is false for a last line without one. */
struct cut slice_cut_line(struct slice s);
/* Skips blanks, takes up to the next blank; an empty head means nothing is left. */
struct cut slice_cut_word(struct slice s);
ptrdiff_t slice_find(struct slice s, struct slice what); /* offset or -1 */
bool slice_has(struct slice s, struct slice what);
bool slice_stays_below(struct slice path); /* "a/b": relative, no component is empty, "." or ".." */
/* Copies at most size - 1 bytes and a NUL. Returns buf. */
char *slice_cstr(struct slice s, char *buf, size_t size);

#endif
