/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <stdint.h>

enum { WORD_MAX = 64 }; /* longer words are compared by their first 64 bytes */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edits from a to b: insert, delete, replace, or swap two neighbours. */
static unsigned edits(struct slice a, struct slice b)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *above2 = rows[0], *above = rows[1], *row = rows[2];

	for (unsigned j = 0; j <= b.n; j++)
		above[j] = j;
	for (unsigned i = 1; i <= a.n; i++) {
		row[0] = i;
		for (unsigned j = 1; j <= b.n; j++) {
			bool equal = a.p[i - 1] == b.p[j - 1];

			row[j] = least(above[j - 1] + !equal, least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
				row[j] = least(row[j], above2[j - 2] + 1);
		}
		unsigned *free_row = above2;
		above2 = above;
		above = row;
		row = free_row;
	}
	return above[b.n];
}

void nearest_start(struct nearest *n, struct slice word)
{
	/* Up to one wrong letter in three, but never a word without a letter in common. */
	*n = (struct nearest){ .word = slice_first(word, WORD_MAX),
			       .distance = (unsigned)least((unsigned)word.n / 3, 4) + 1 };
	if (word.n == 0)
		n->distance = 0;
}

/* thp_fault_alloc of vmstat.thp_fault_alloc */
static bool is_behind_dot(struct slice name, struct slice word)
{
	if (name.n <= word.n || name.p[name.n - word.n - 1] != '.')
		return false;
	return slice_eq(slice_skip(name, name.n - word.n), word);
}

void nearest_try(struct nearest *n, const char *name)
{
	struct slice other = slice_first(slice_str(name), WORD_MAX);
	/* A word that was cut short, or lacks its first part, is as near as one wrong letter. */
	bool part = n->word.n > 1 && (slice_starts(other, n->word) || is_behind_dot(other, n->word));
	unsigned d = part ? 1 : edits(n->word, other);

	if (d < n->distance) {
		n->distance = d;
		n->best = name;
	}
}
