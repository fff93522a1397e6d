/* SPDX-License-Identifier: MIT */
/* Readings as JSON and as text, the same in every document. */
#ifndef REPORT_READINGS_VIEW_H
#define REPORT_READINGS_VIEW_H

#include "base/json.h"
#include "model/readings.h"
#include "report/style.h"

/* "readings": [{id, message, evidence}] */
void json_readings(struct json *j, const struct readings *r);
/* Readings [from, to) as numbered paragraphs, wrapped to the style's width. */
void text_readings(struct out *o, const struct text_style *st, const struct readings *r,
		   size_t from, size_t to);
/* A paragraph of words from strangers, wrapped: the first line continues at column `at`. */
void text_wrapped(struct out *o, const struct text_style *st, struct slice text, int at,
		  int indent);
/* A sentence of ours on lines of its own, wrapped. */
void text_say(struct out *o, const struct text_style *st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "before.txt -> after.txt" in a line, names of files shortened in front where they are long. */
void text_pair(struct out *o, const struct text_style *st, const char *before, const char *after);
/* The same, "   tail" and a line end; the tail goes to the next line where it must. */
void text_sides(struct out *o, const struct text_style *st, const char *before, const char *after,
		const char *tail);

#endif
