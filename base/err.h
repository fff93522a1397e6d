/* SPDX-License-Identifier: MIT */
/*
 * What went wrong, and where. A struct err is filled where the fault is seen
 * and printed only by cmd/. It allocates nothing. Functions that can fail
 * take a `struct err *` last and return 0, or -1 with it filled.
 *
 * Printed as:  hugecov: FILE:LINE:COLUMN: text
 *              the line
 *                   ^
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

enum err_kind {
	ERR_NONE,
	ERR_USAGE,  /* the command line */
	ERR_SYSTEM, /* a system call; `code` is its errno */
	ERR_PARSE,  /* an input is not what it should be */
	ERR_KIND,   /* the input is of another kind altogether */
	ERR_LIMIT,  /* a limit of ours was reached */
	ERR_GONE,   /* the process ended or changed while it was read */
};

struct err {
	enum err_kind kind;
	int code;             /* errno, or 0 */
	bool as_root;         /* root would be allowed to: cmd/ says how */
	unsigned long line;   /* from 1; 0: no place */
	unsigned long column; /* in bytes from 1; 0: the whole line */
	char file[256];       /* name as given, cut in front when longer */
	char text[512];       /* a sentence without a final stop */
	char hint[512];       /* what to try, or empty */
	char context[160];    /* the part of the line around the column, raw bytes */
	unsigned context_at;  /* offset of the column inside context */
};

/* Each returns -1, so that a caller can `return err_…(…)`. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds ": " and the text of errno `code`. */
int err_sys(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A fault in a line of text: `at` points into `line`, or is NULL for the whole line. */
int err_at(struct err *e, unsigned long lineno, struct slice line, const char *at,
	   const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Adds the name of the file, if none is there yet. Returns -1. */
int err_in(struct err *e, const char *file);
int err_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
