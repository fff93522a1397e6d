/* SPDX-License-Identifier: MIT */
/*
 * What an input is, told from its content. To add a kind: a row in
 * sniff_rows (parse/sniff.c) with a function that looks at the first bytes.
 */
#ifndef PARSE_SNIFF_H
#define PARSE_SNIFF_H

#include "base/err.h"
#include "base/slice.h"
#include "base/source.h"

enum { SNIFF_BYTES = 64 * 1024 }; /* a mail quotes a long way before its table comes */

/*
 * Kind of an input from its first bytes (up to SNIFF_BYTES, all of it when it
 * is shorter). KIND_UNKNOWN: none; `e` then says in a sentence what it looks
 * like and what was missing.
 */
enum source_kind sniff(struct slice head, struct err *e);

#endif
