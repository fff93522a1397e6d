/* SPDX-License-Identifier: MIT */
/* "Did you mean": the known name that is nearest to a word. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/slice.h"

struct nearest {
	struct slice word;
	const char *best; /* NULL: nothing is near enough to be meant */
	unsigned distance;
};

void nearest_start(struct nearest *n, struct slice word);
/* Offers one name, which must outlive n. On a draw the first one stays. */
void nearest_try(struct nearest *n, const char *name);

#endif
