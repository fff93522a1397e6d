/* SPDX-License-Identifier: MIT */
/*
 * Text that is broken between words to a width. A word longer than a line
 * stands alone and stays whole: somebody will want to copy it. Give it text
 * that is safe for a terminal (out_safe).
 */
#ifndef REPORT_WRAP_H
#define REPORT_WRAP_H

#include "base/out.h"

struct wrap {
	struct out *o;
	int width, indent; /* columns; the second line and the others are indented */
	int at;            /* column where the next byte comes */
	bool line_begun;   /* a piece stands on this line */
};

/* `at`: columns of the first line that are used already. */
void wrap_start(struct wrap *w, struct out *o, int width, int at, int indent);
/* The words of `text`, one blank between them. */
void wrap_words(struct wrap *w, struct slice text);
/* All of `text` on one line, `gap` blanks behind what stands there. */
void wrap_piece(struct wrap *w, struct slice text, int gap);
void wrap_end(struct wrap *w); /* the newline, if anything was written */

#endif
