/* SPDX-License-Identifier: MIT */
/*
 * A screen as data: cells of one character and what it means. Drawn by pure
 * functions, shown by whoever has a terminal, compared by tests.
 */
#ifndef BASE_GRID_H
#define BASE_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/slice.h"

enum { GRID_MARKS = 2, GRID_REVERSE = 0x80 };

struct cell {
	int32_t ch; /* code point; 0: the right half of the wide character before it */
	int32_t mark[GRID_MARKS]; /* combining characters on it; 0: none. More are left out */
	uint8_t role;             /* a meaning, not a colour; GRID_REVERSE is or-ed to it */
};

struct grid {
	int rows, cols;
	struct cell *at; /* rows * cols of them, row by row */
	size_t cap;
};

/* All blanks. Zero-initialise before the first call; the room of a larger size is kept. */
void grid_start(struct grid *g, int rows, int cols);
void grid_free(struct grid *g);
struct cell *grid_at(const struct grid *g, int row, int col);

/*
 * Puts text that is safe for a terminal (out_safe) at a place, and returns the
 * column behind it. What lies outside of the grid is cut; a wide character of
 * which only one half would show becomes a blank.
 */
int grid_put(struct grid *g, int row, int col, struct slice text, uint8_t role);
int grid_str(struct grid *g, int row, int col, const char *text, uint8_t role);
/* Ends before column `end`. */
void grid_right(struct grid *g, int row, int end, const char *text, uint8_t role);
/* Marks the whole row as chosen. */
void grid_reverse(struct grid *g, int row);

/* ---- a screen as text, which is how tests compare it ---- */

/* Lines of text, blanks at their ends left out. */
void grid_dump(const struct grid *g, struct out *o);
/* The same shape with a letter for each role, ' ' for role 0; upper case where reversed. */
void grid_dump_roles(const struct grid *g, const char *letters, struct out *o);

#endif
