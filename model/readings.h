/* SPDX-License-Identifier: MIT */
/*
 * Readings: the sentences an expert would add to a set of counters. Each is
 * one row of a table (id, condition, formula, sentence, evidence keys) with a
 * test that hits and one that misses. None is made when a number it needs is
 * absent; none claims a cause that its own input does not show.
 */
#ifndef MODEL_READINGS_H
#define MODEL_READINGS_H

#include "base/mem.h"
#include "base/slice.h"

struct reading {
	const char *id;        /* of the table, "huge-share" */
	struct slice text;     /* one or two sentences with the numbers, UTF-8 */
	struct slice evidence; /* a JSON object, already written */
};

struct readings {
	struct reading *at;
	size_t n, cap;
};

/* A row of a table of readings, for docs/readings.md and for the test that walks it. */
struct reading_row {
	const char *id;
	const char *when;     /* condition, in words */
	const char *formula;  /* in words */
	const char *sentence; /* what it says */
	const char *evidence; /* keys, separated by blanks */
};

void readings_add(struct readings *r, const char *id, struct slice text, struct slice evidence);
void readings_free(struct readings *r); /* the array; texts belong to the caller's arena */

#endif
