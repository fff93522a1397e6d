/* SPDX-License-Identifier: MIT */
/* --strict: what a reader has forgiven, as an error that shows its place. */
#ifndef PARSE_NOTES_H
#define PARSE_NOTES_H

#include "base/err.h"
#include "base/source.h"

/*
 * -1 when anything was forgiven but what is not known: the first such line of
 * `text`, the input as it came, with a caret where it departs.
 */
int notes_refuse(const struct source_info *s, struct slice text, struct err *e);

#endif
