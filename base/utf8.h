/* SPDX-License-Identifier: MIT */
/* Text from strangers: is it UTF-8, how wide is it, what may reach a terminal. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/*
 * Takes one character from the front of *s. Returns its code point, or -1 for
 * one byte that is not (shortest-form, non-surrogate, at most U+10FFFF) UTF-8.
 * *s must not be empty.
 */
int32_t utf8_take(struct slice *s);
bool utf8_valid(struct slice s);

/* Columns on a terminal: 0 combining, 2 wide, 1 otherwise. Control characters are 0. */
int utf8_width(int32_t c);
int utf8_columns(struct slice s); /* of text that utf8_clean has made */

/* Writes c as UTF-8 into buf (4 bytes). Returns the length. */
size_t utf8_put(char *buf, int32_t c);

/* C0, DEL, C1, bidi controls, line and paragraph separators, what cannot be seen: never shown raw. */
bool utf8_unsafe(int32_t c);

#endif
