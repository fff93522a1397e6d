/* SPDX-License-Identifier: MIT */
/* Is it text at all? Everything that is read here is, whatever --kind says. */
#ifndef PARSE_BINARY_H
#define PARSE_BINARY_H

#include "base/err.h"
#include "base/slice.h"

/*
 * -1 with `e`: the first bytes are those of a program, an image, an archive of
 * another kind …, or hold what no text does. A few NULs and colours of a
 * terminal are found in text, and so are bytes of any character set.
 */
int binary_refuse(struct slice head, struct err *e);

#endif
