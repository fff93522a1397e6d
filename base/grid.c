/* SPDX-License-Identifier: MIT */
#include "base/grid.h"

#include <limits.h>

#include "base/mem.h"
#include "base/utf8.h"

void grid_start(struct grid *g, int rows, int cols)
{
	size_t n = (size_t)rows * (size_t)cols;

	g->at = mem_grow(g->at, &g->cap, n, sizeof(*g->at));
	g->rows = rows;
	g->cols = cols;
	for (size_t i = 0; i < n; i++)
		g->at[i] = (struct cell){ .ch = ' ' };
}

void grid_free(struct grid *g)
{
	mem_free(g->at);
	*g = (struct grid){ 0 };
}

struct cell *grid_at(const struct grid *g, int row, int col)
{
	return &g->at[(size_t)row * (size_t)g->cols + (size_t)col];
}

/* No half of a wide character is left alone when one of its cells is written over. */
static void clear_cell(struct grid *g, int row, int col)
{
	struct cell *c = grid_at(g, row, col);

	if (c->ch == 0 && col > 0)
		grid_at(g, row, col - 1)->ch = ' ';
	if (col + 1 < g->cols && grid_at(g, row, col + 1)->ch == 0)
		grid_at(g, row, col + 1)->ch = ' ';
	*c = (struct cell){ .ch = ' ' };
}

static void put_mark(struct grid *g, int row, int col, int32_t c)
{
	if (col < 0 || col >= g->cols)
		return;
	struct cell *x = grid_at(g, row, col);

	if (x->ch == 0 && col > 0)
		x = grid_at(g, row, col - 1);
	for (int i = 0; i < GRID_MARKS; i++) {
		if (!x->mark[i]) {
			x->mark[i] = c;
			return;
		}
	}
}

static void put_char(struct grid *g, int row, int col, int width, int32_t c, uint8_t role)
{
	bool halved = width == 2 && (col < 0 || col + 1 >= g->cols);

	for (int i = 0; i < width; i++) {
		if (col + i < 0 || col + i >= g->cols)
			continue;
		clear_cell(g, row, col + i);
		*grid_at(g, row, col + i) = (struct cell){ .ch = halved ? ' '
								 : i	? 0
									: c,
							   .role = role };
	}
}

int grid_put(struct grid *g, int row, int col, struct slice text, uint8_t role)
{
	int last = -1;

	if (row < 0 || row >= g->rows)
		return col;
	while (text.n) {
		int32_t c = utf8_take(&text);
		int w = c < 0 ? 1 : utf8_width(c);

		if (c >= 0 && utf8_unsafe(c))
			continue; /* a caller's mistake must not move the cursor about */
		if (w == 0) {
			put_mark(g, row, last, c);
			continue;
		}
		if (col > INT_MAX - w)
			break;
		put_char(g, row, col, w, c < 0 ? '?' : c, role);
		last = col;
		col += w;
	}
	return col;
}

int grid_str(struct grid *g, int row, int col, const char *text, uint8_t role)
{
	return grid_put(g, row, col, slice_str(text), role);
}

void grid_right(struct grid *g, int row, int end, const char *text, uint8_t role)
{
	grid_str(g, row, end - utf8_columns(slice_str(text)), text, role);
}

void grid_reverse(struct grid *g, int row)
{
	for (int col = 0; row >= 0 && row < g->rows && col < g->cols; col++)
		grid_at(g, row, col)->role |= GRID_REVERSE;
}

static void put_utf8(struct out *o, int32_t c)
{
	char buf[4];

	out_write(o, buf, utf8_put(buf, c));
}

void grid_dump(const struct grid *g, struct out *o)
{
	for (int row = 0; row < g->rows; row++) {
		size_t end = o->n;

		for (int col = 0; col < g->cols; col++) {
			const struct cell *c = grid_at(g, row, col);

			if (c->ch == 0)
				continue;
			put_utf8(o, c->ch);
			for (int i = 0; i < GRID_MARKS && c->mark[i]; i++)
				put_utf8(o, c->mark[i]);
			if (c->ch != ' ')
				end = o->n;
		}
		o->n = end;
		out_byte(o, '\n');
	}
}

void grid_dump_roles(const struct grid *g, const char *letters, struct out *o)
{
	for (int row = 0; row < g->rows; row++) {
		size_t end = o->n;

		for (int col = 0; col < g->cols; col++) {
			const struct cell *c = grid_at(g, row, col);
			char letter = letters[c->role & ~GRID_REVERSE];

			if (c->role & GRID_REVERSE)
				letter = letter == ' ' ? '_' : (char)(letter - 'a' + 'A');
			out_byte(o, letter);
			if (letter != ' ')
				end = o->n;
		}
		o->n = end;
		out_byte(o, '\n');
	}
}
