/* SPDX-License-Identifier: MIT */
/*
 * Exact decimal numbers as programs print them: 38 digits, of which up to 30
 * behind the point. 12345.68 stays 12345.68, and a difference of two printed
 * numbers is exact. No locale, no binary fraction.
 */
#ifndef BASE_DEC_H
#define BASE_DEC_H

#include <stdbool.h>

#include "base/slice.h"

struct dec {
	__extension__ __int128 mantissa; /* value = mantissa / 10^scale */
	unsigned scale;                  /* digits behind the point, 0 to 30 */
};

bool dec_parse(struct slice s, struct dec *ret);  /* sign, digits, point, exponent; nothing else */
struct dec dec_i64(long long v);
bool dec_sub(struct dec a, struct dec b, struct dec *ret); /* false: would overflow */
bool dec_add(struct dec a, struct dec b, struct dec *ret);
int dec_cmp(struct dec a, struct dec b);
bool dec_is_zero(struct dec a);
double dec_double(struct dec a);
/* A fraction of only zeros is dropped: 12.000 is 12. */
struct dec dec_trim(struct dec a);
enum { DEC_BUF = 64 };
struct slice dec_put(char *buf, struct dec a); /* buf of DEC_BUF bytes; every digit of the scale */

#endif
