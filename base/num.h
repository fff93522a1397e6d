/* SPDX-License-Identifier: MIT */
/* Numbers from text and to text, every overflow seen, no locale. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum num_status { NUM_OK, NUM_NONE, NUM_OVERFLOW };

/* Reads digits from the front of *s and moves *s behind them. NUM_NONE when there are none. */
enum num_status num_take_u64(struct slice *s, uint64_t *ret);
enum num_status num_take_hex(struct slice *s, uint64_t *ret);

/* The whole slice is a number, nothing else. */
bool num_u64(struct slice s, uint64_t *ret);
bool num_i64(struct slice s, int64_t *ret); /* with an optional sign */
bool num_double(struct slice s, double *ret); /* decimal point, exponent; finite only */

enum { NUM_BUF = 32 };
/* Writes v in decimal into buf, which needs NUM_BUF bytes. Returns its slice. */
struct slice num_put_u64(char *buf, uint64_t v);
struct slice num_put_i64(char *buf, int64_t v);
struct slice num_put_hex(char *buf, uint64_t v);     /* without 0x */
struct slice num_put_commas(char *buf, int64_t v);   /* 1,234,567 */
struct slice num_put_commas_u64(char *buf, uint64_t v);

/* A size with an optional unit kB KiB MB MiB GB GiB TiB K M G T; without one kB. ret in kB. */
bool num_size_kb(struct slice s, uint64_t *ret);

#endif
