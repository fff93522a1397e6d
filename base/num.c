/* SPDX-License-Identifier: MIT */
#include "base/num.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

enum num_status num_take_u64(struct slice *s, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i = 0;
	bool over = false;

	for (; i < s->n && is_digit(s->p[i]); i++) {
		over |= __builtin_mul_overflow(v, UINT64_C(10), &v);
		over |= __builtin_add_overflow(v, (uint64_t)(s->p[i] - '0'), &v);
	}
	*s = slice_skip(*s, i);
	if (i == 0)
		return NUM_NONE;
	*ret = v;
	return over ? NUM_OVERFLOW : NUM_OK;
}

enum num_status num_take_hex(struct slice *s, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i = 0;
	bool over = false;

	for (; i < s->n && is_hex(s->p[i]); i++) {
		over |= v >> 60 != 0;
		v = v << 4 | hex_digit(s->p[i]);
	}
	*s = slice_skip(*s, i);
	if (i == 0)
		return NUM_NONE;
	*ret = v;
	return over ? NUM_OVERFLOW : NUM_OK;
}

bool num_u64(struct slice s, uint64_t *ret)
{
	return num_take_u64(&s, ret) == NUM_OK && s.n == 0;
}

bool num_i64(struct slice s, int64_t *ret)
{
	bool minus = s.n && *s.p == '-';
	uint64_t v;

	if (s.n && (*s.p == '-' || *s.p == '+'))
		s = slice_skip(s, 1);
	if (!num_u64(s, &v) || v > (uint64_t)INT64_MAX + minus)
		return false;
	*ret = minus ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool num_double(struct slice s, double *ret)
{
	char buf[128], *end;
	bool digit = false;

	if (s.n == 0 || s.n >= sizeof(buf))
		return false;
	/* strtod also takes hex, inf, nan and the locale's point: allow only plain decimals. */
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		digit |= is_digit(c);
		if (!is_digit(c) && c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E')
			return false;
	}
	if (!digit)
		return false;
	slice_cstr(s, buf, sizeof(buf));
	char *dot = strchr(buf, '.');
	if (dot)
		*dot = *localeconv()->decimal_point;
	double v = strtod(buf, &end);
	if (*end != '\0' || !isfinite(v))
		return false;
	*ret = v;
	return true;
}

struct slice num_put_u64(char *buf, uint64_t v)
{
	char *p = buf + NUM_BUF;

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	return slice_of(p, (size_t)(buf + NUM_BUF - p));
}

struct slice num_put_i64(char *buf, int64_t v)
{
	struct slice s = num_put_u64(buf, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);

	if (v >= 0)
		return s;
	char *p = buf + NUM_BUF - s.n - 1;
	*p = '-';
	return slice_of(p, s.n + 1);
}

struct slice num_put_hex(char *buf, uint64_t v)
{
	char *p = buf + NUM_BUF;

	do {
		*--p = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	return slice_of(p, (size_t)(buf + NUM_BUF - p));
}

struct slice num_put_commas_u64(char *buf, uint64_t v)
{
	char *p = buf + NUM_BUF;

	for (int i = 1;; i++) {
		*--p = (char)('0' + v % 10);
		v /= 10;
		if (!v)
			break;
		if (i % 3 == 0)
			*--p = ',';
	}
	return slice_of(p, (size_t)(buf + NUM_BUF - p));
}

struct slice num_put_commas(char *buf, int64_t v)
{
	struct slice s = num_put_commas_u64(buf, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);

	if (v >= 0)
		return s;
	char *p = buf + NUM_BUF - s.n - 1;
	*p = '-';
	return slice_of(p, s.n + 1);
}

static const struct {
	const char *unit;
	uint64_t kb;
} units[] = {
	{ "", 1 },			{ "kB", 1 },	     { "KiB", 1 },
	{ "K", 1 },			{ "k", 1 },	     { "MiB", 1024 },
	{ "MB", 1024 },			{ "M", 1024 },	     { "GiB", 1024 * 1024 },
	{ "GB", 1024 * 1024 },		{ "G", 1024 * 1024 }, { "TiB", UINT64_C(1) << 30 },
	{ "TB", UINT64_C(1) << 30 },	{ "T", UINT64_C(1) << 30 },
};

bool num_size_kb(struct slice s, uint64_t *ret)
{
	uint64_t v;

	s = slice_trim(s);
	if (num_take_u64(&s, &v) != NUM_OK)
		return false;
	s = slice_ltrim(s);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_eq_str(s, units[i].unit))
			return !__builtin_mul_overflow(v, units[i].kb, ret);
	return false;
}
