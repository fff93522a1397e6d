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

#endif
