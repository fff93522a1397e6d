/* SPDX-License-Identifier: MIT */
/*
 * Writing one reading: its sentences and its evidence side by side. Numbers in
 * sentences are for people (228,814 and 410.2 and -63.8 %), those of the
 * evidence keep 15 digits. Sentences are plain ASCII, so that no terminal
 * needs to escape them; names from an input are the exception.
 */
#ifndef MODEL_SAY_H
#define MODEL_SAY_H

#include "base/json.h"
#include "base/out.h"
#include "model/readings.h"

struct say {
	struct readings *to;
	struct arena *a;
	const char *id;
	struct out text, evidence;
	struct json json; /* writes the members of the evidence */
	bool lost; /* a number of its sentences is none: the reading is not made */
};

void say_begin(struct say *s, struct readings *to, struct arena *a, const char *id);
void say_end(struct say *s); /* adds the reading, if it is one, and releases what is held */

void say_need(struct say *s, double v); /* before say_f() writes it: NAN or infinite, no reading */
void say_f(struct say *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void say_slice(struct say *s, struct slice v);
/* Both need the number. */
void say_count(struct say *s, double v);   /* 228,814; below 1000 with up to two decimals */
void say_percent(struct say *s, double v); /* +1.3 % */
void say_number(struct say *s, const char *key, double v); /* evidence; not finite: null */

#endif
