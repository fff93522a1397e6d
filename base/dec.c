/* SPDX-License-Identifier: MIT */
#include "base/dec.h"

#include "base/num.h"

enum { DIGITS = 38, SCALE_MAX = 30 };

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

static const uint64_t small_powers[] = {
	1u,
	10u,
	100u,
	1000u,
	10000u,
	100000u,
	1000000u,
	10000000u,
	100000000u,
	1000000000u,
	10000000000u,
	100000000000u,
	1000000000000u,
	10000000000000u,
	100000000000000u,
	1000000000000000u,
	10000000000000000u,
	100000000000000000u,
	1000000000000000000u,
	10000000000000000000u,
};
enum { SMALL_MAX = 19 };

/* n is at most 38. */
static i128 pow10_of(unsigned n)
{
	if (n <= SMALL_MAX)
		return small_powers[n];
	return (i128)small_powers[SMALL_MAX] * small_powers[n - SMALL_MAX];
}

/* |v| has at most 38 digits. */
static bool fits(i128 v)
{
	const i128 limit = (i128)10000000000000000000u * 10000000000000000000u;

	return v > -limit && v < limit;
}

/* Adds one digit. False when it would be the 39th. */
static bool push_digit(i128 *m, char c)
{
	i128 v = *m;

	if (__builtin_mul_overflow(v, (i128)10, &v) ||
	    __builtin_add_overflow(v, (i128)(c - '0'), &v) || !fits(v))
		return false;
	*m = v;
	return true;
}

/* Digits with at most one point. Zeros that end the fraction are kept as long as there is room. */
static bool take_digits(struct slice *s, struct dec *d)
{
	bool point = false, digit = false;
	unsigned zeros = 0; /* behind the point, not yet part of the value */

	for (; s->n && (is_digit(*s->p) || (*s->p == '.' && !point)); *s = slice_skip(*s, 1)) {
		if (*s->p == '.') {
			point = true;
			continue;
		}
		digit = true;
		if (point && *s->p == '0' && ++zeros)
			continue;
		for (; zeros; zeros--, d->scale++)
			if (d->scale == SCALE_MAX || !push_digit(&d->mantissa, '0'))
				return false;
		if ((point && d->scale == SCALE_MAX) || !push_digit(&d->mantissa, *s->p))
			return false;
		d->scale += point;
	}
	for (; zeros && d->scale < SCALE_MAX && push_digit(&d->mantissa, '0'); zeros--)
		d->scale++;
	return digit;
}

static bool take_exponent(struct slice *s, int *ret)
{
	uint64_t v;

	*ret = 0;
	if (!s->n || (*s->p != 'e' && *s->p != 'E'))
		return true;
	*s = slice_skip(*s, 1);
	bool minus = s->n && *s->p == '-';
	if (s->n && (*s->p == '-' || *s->p == '+'))
		*s = slice_skip(*s, 1);
	if (num_take_u64(s, &v) != NUM_OK)
		return false;
	if (v > 1000)
		v = 1000; /* out of range for all but zero */
	*ret = minus ? -(int)v : (int)v;
	return true;
}

/* Moves the point `by` digits to the right (left when negative). */
static bool shift(struct dec *d, int by)
{
	if (d->mantissa == 0)
		return true;
	for (; by > 0; by--) {
		if (d->scale)
			d->scale--;
		else if (!push_digit(&d->mantissa, '0'))
			return false;
	}
	for (; by < 0; by++) {
		if (d->scale < SCALE_MAX)
			d->scale++;
		else if (d->mantissa % 10 == 0)
			d->mantissa /= 10;
		else
			return false;
	}
	return true;
}

bool dec_parse(struct slice s, struct dec *ret)
{
	bool minus = s.n && *s.p == '-';
	struct dec d = { 0 };
	int exponent;

	if (s.n && (*s.p == '-' || *s.p == '+'))
		s = slice_skip(s, 1);
	if (!take_digits(&s, &d) || !take_exponent(&s, &exponent) || s.n || !shift(&d, exponent))
		return false;
	if (minus)
		d.mantissa = -d.mantissa;
	*ret = d;
	return true;
}

struct dec dec_i64(long long v)
{
	return (struct dec){ .mantissa = v };
}

/* The mantissa at a scale that is not smaller than its own. */
static bool scale_up(struct dec *d, unsigned scale)
{
	if (__builtin_mul_overflow(d->mantissa, pow10_of(scale - d->scale), &d->mantissa))
		return false;
	d->scale = scale;
	return true;
}

static bool add_aligned(struct dec a, struct dec b, struct dec *ret)
{
	unsigned scale = a.scale > b.scale ? a.scale : b.scale;
	i128 sum;

	if (!scale_up(&a, scale) || !scale_up(&b, scale) ||
	    __builtin_add_overflow(a.mantissa, b.mantissa, &sum) || !fits(sum))
		return false;
	*ret = (struct dec){ sum, scale };
	return true;
}

bool dec_add(struct dec a, struct dec b, struct dec *ret)
{
	/* Zeros behind the point may be what does not fit. */
	return add_aligned(a, b, ret) || add_aligned(dec_trim(a), dec_trim(b), ret);
}

bool dec_sub(struct dec a, struct dec b, struct dec *ret)
{
	b.mantissa = -b.mantissa;
	return dec_add(a, b, ret);
}

int dec_cmp(struct dec a, struct dec b)
{
	i128 pa = pow10_of(a.scale), pb = pow10_of(b.scale);
	i128 wa = a.mantissa / pa, wb = b.mantissa / pb;

	if (wa == wb) { /* the fractions decide: both have room for 30 digits */
		wa = a.mantissa % pa * pow10_of(SCALE_MAX - a.scale);
		wb = b.mantissa % pb * pow10_of(SCALE_MAX - b.scale);
	}
	return (wa > wb) - (wa < wb);
}

bool dec_is_zero(struct dec a)
{
	return a.mantissa == 0;
}

double dec_double(struct dec a)
{
	char buf[DEC_BUF];
	double v = 0;

	/* The C library rounds correctly; a quotient of two doubles would not. */
	num_double(dec_put(buf, a), &v);
	return v;
}

struct dec dec_trim(struct dec a)
{
	for (; a.scale && a.mantissa % 10 == 0; a.scale--)
		a.mantissa /= 10;
	return a;
}

struct slice dec_put(char *buf, struct dec a)
{
	char *p = buf + DEC_BUF;
	u128 v = a.mantissa < 0 ? -(u128)a.mantissa : (u128)a.mantissa;

	for (unsigned i = 0; v || i <= a.scale; i++) {
		if (i && i == a.scale)
			*--p = '.';
		*--p = (char)('0' + (int)(v % 10));
		v /= 10;
	}
	if (a.mantissa < 0)
		*--p = '-';
	return slice_of(p, (size_t)(buf + DEC_BUF - p));
}
