/* SPDX-License-Identifier: MIT */
/* What mail and web pages make of perf stat's text, undone line by line. */
#ifndef PARSE_PERF_MAIL_H
#define PARSE_PERF_MAIL_H

#include <stdbool.h>

#include "base/mem.h"
#include "base/slice.h"

/* "> > " in front of a line, at any depth, tight or loose: the line without it. */
struct slice perf_unquote(struct slice line);

/* Is the text still quoted-printable: do lines end in "=" at the width where mail programs cut? */
bool perf_is_encoded(struct slice text);
/* One line of such a text joined from *rest, decoded; *lines is raised by those it took. */
struct slice perf_decode_line(struct slice *rest, unsigned long *lines, struct arena *a);

/* Was it copied from the source of a web page? */
bool perf_is_html(struct slice text);
/*
 * Blanks that are none in ASCII (U+00A0, U+202F) made some, unless they stand
 * between digits, where they separate thousands; with html &lt; and the like
 * too. The line itself when there is nothing to do.
 */
struct slice perf_plain_text(struct slice line, bool html, struct arena *a);

#endif
