/* SPDX-License-Identifier: MIT */
/*
 * A map from text to a number, by open addressing: O(1) a look-up. Keys are
 * borrowed and must outlive the map. Zero-initialise to start.
 */
#ifndef BASE_STRMAP_H
#define BASE_STRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct strmap_slot {
	struct slice key;
	uint64_t hash; /* never 0 in a slot that is in use */
	size_t value;
};

struct strmap {
	struct strmap_slot *slot;
	size_t size, n; /* slots (a power of two), and how many are in use */
};

/*
 * The value of a key. A key that is new gets 0, and *ret_new is true (may be
 * NULL). Holds until the next call.
 */
size_t *strmap_at(struct strmap *m, struct slice key, bool *ret_new);
/* NULL: there is no such key. */
size_t *strmap_find(const struct strmap *m, struct slice key);
void strmap_free(struct strmap *m);
/* For tables of other things that a text is part of; never 0. */
uint64_t strmap_hash(struct slice s);

#endif
