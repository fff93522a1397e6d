/* SPDX-License-Identifier: MIT */
/*
 * Errors and remarks on standard error. Whatever stands in a struct err may
 * come from strangers: nothing of it reaches the terminal unescaped.
 */
#ifndef CMD_DIAG_H
#define CMD_DIAG_H

#include "base/err.h"
#include "base/out.h"

/* Prints e as base/err.h shows it. Returns 2, the exit status of what could not be done. */
int diag_print(const struct err *e);
/* The same into o, for tests. */
void diag_write(struct out *o, const struct err *e, bool ascii);
/* A remark: "hugecov: text". The text is made safe, lines stay lines. */
void diag_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A usage error in one line: fills e-like text, prints, returns 2. */
int diag_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
