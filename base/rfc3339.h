/* SPDX-License-Identifier: MIT */
/* Times as JSON has them: RFC 3339, UTC, from nanoseconds since 1970 (CLOCK_REALTIME). */
#ifndef BASE_RFC3339_H
#define BASE_RFC3339_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { RFC3339_BUF = 40 };
/* "2026-07-01T12:00:00.123456789Z"; the fraction only when there is one. ns >= 0. */
struct slice rfc3339_put(char *buf, int64_t ns);
/* Any offset, any number of digits in the fraction (cut behind the ninth). From 1970 to 2262. */
bool rfc3339_read(struct slice s, int64_t *ret_ns);
int64_t time_now_ns(void); /* CLOCK_REALTIME */

#endif
