/* SPDX-License-Identifier: MIT */
/*
 * Where output goes and how it may look. A file named by --output is written
 * under a temporary name in its folder and renamed at the end: it is complete
 * or as it was before, also when the disk is full or a signal comes. A FIFO or
 * a character device is written directly. A symbolic link is refused: in a
 * shared folder somebody else may have put it there.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include "base/err.h"
#include "base/out.h"
#include "cmd/options.h"
#include "report/style.h"

struct output {
	struct out out;          /* write here */
	struct text_style style;
	const char *path;        /* as given; "standard output" without --output */
	int fd;
	int folder;              /* descriptor of the folder, when a rename will follow; else -1 */
	char temporary[64];      /* its name in there */
	const char *name;        /* its name in the end; points into path */
};

/* Opens what c->output names. -1: nothing is open. At most one output is open at a time. */
int output_open(struct output *o, const struct common_options *c, struct err *e);
/*
 * Flushes, closes, renames. -1: the disk is full or the like, and no file is
 * left behind. When the reader of a pipe is gone the program ends here,
 * without a word, as SIGPIPE would have ended it.
 */
int output_close(struct output *o, struct err *e);
/* Closes and leaves nothing behind. */
void output_drop(struct output *o);
/* Drops what is open, if any: for out of memory. Uses only async-signal-safe calls. */
void output_emergency(void);

bool output_utf8(void); /* the locale of LC_CTYPE is UTF-8 */
/* Style for descriptor fd: COLUMNS, the terminal's width or 80; --color, NO_COLOR, TERM=dumb. */
struct text_style output_style(int fd, const struct common_options *c);

#endif
