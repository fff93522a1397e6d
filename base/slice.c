/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/slice.h"

bool slice_eq_str(struct slice s, const char *str)
{
	return slice_eq(s, slice_str(str));
}

int slice_cmp(struct slice a, struct slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

int slice_order(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

struct slice slice_ltrim(struct slice s)
{
	while (s.n && is_blank(*s.p)) {
		s.p++;
		s.n--;
	}
	return s;
}

struct slice slice_rtrim(struct slice s)
{
	while (s.n && (is_blank(s.p[s.n - 1]) || s.p[s.n - 1] == '\r' || s.p[s.n - 1] == '\n'))
		s.n--;
	return s;
}

struct slice slice_trim(struct slice s)
{
	return slice_ltrim(slice_rtrim(s));
}

struct cut slice_cut(struct slice s, char at)
{
	const char *p = s.n ? memchr(s.p, at, s.n) : NULL;

	if (!p)
		return (struct cut){ s, slice_skip(s, s.n), false };
	size_t n = (size_t)(p - s.p);
	return (struct cut){ slice_first(s, n), slice_skip(s, n + 1), true };
}

struct cut slice_cut_line(struct slice s)
{
	return slice_cut(s, '\n');
}

struct cut slice_cut_word(struct slice s)
{
	s = slice_ltrim(s);
	size_t n = 0;

	while (n < s.n && !is_blank(s.p[n]))
		n++;
	return (struct cut){ slice_first(s, n), slice_skip(s, n), n > 0 };
}

ptrdiff_t slice_find(struct slice s, struct slice what)
{
	if (what.n == 0)
		return 0;
	if (s.n < what.n)
		return -1;
	const char *p = memmem(s.p, s.n, what.p, what.n);
	return p ? p - s.p : -1;
}

bool slice_has(struct slice s, struct slice what)
{
	return slice_find(s, what) >= 0;
}

bool slice_stays_below(struct slice path)
{
	struct cut c = { .tail = path, .ok = true };

	while (c.ok) {
		c = slice_cut(c.tail, '/');
		if (!c.head.n || slice_eq_str(c.head, ".") || slice_eq_str(c.head, ".."))
			return false;
	}
	return true;
}

char *slice_cstr(struct slice s, char *buf, size_t size)
{
	size_t n = s.n < size - 1 ? s.n : size - 1;

	if (n)
		memcpy(buf, s.p, n);
	buf[n] = '\0';
	return buf;
}
