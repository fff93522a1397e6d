/* SPDX-License-Identifier: MIT */
/* Pages of text: paragraphs wrapped to a width, and the strip of slots among them. */
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "report/view_internal.h"

void view_text_start(struct view_text *t, int width)
{
	*t = (struct view_text){ .width = width };
	out_memory(&t->bytes);
}

void view_text_free(struct view_text *t)
{
	out_close(&t->bytes);
	mem_free(t->line);
}

static struct view_line *add_line(struct view_text *t, enum role role)
{
	t->line = mem_grow(t->line, &t->cap, t->n + 1, sizeof(*t->line));
	t->line[t->n] = (struct view_line){ .at = t->bytes.n, .role = (uint8_t)role, .strip = -1 };
	return &t->line[t->n++];
}

/* The part of s that fits into `width` columns, cut behind a word where there is one. */
static struct slice take_line(struct slice s, int width)
{
	size_t fits = 0, word = 0;
	struct slice rest = s;
	int col = 0;

	while (rest.n) {
		int32_t c = utf8_take(&rest);
		int w = c < 0 ? 1 : utf8_width(c);

		if (col + w > width)
			return slice_first(s, word ? word : fits ? fits : s.n - rest.n);
		col += w;
		fits = s.n - rest.n;
		if (rest.n && *rest.p == ' ')
			word = fits;
	}
	return s;
}

void view_text_add(struct view_text *t, enum role role, int hang, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	int len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	struct slice s = slice_of(text, len < 0			     ? 0
					: (size_t)len < sizeof(text) ? (size_t)len
								     : sizeof(text) - 1);
	int indent = 0;

	if (hang > t->width / 2)
		hang = t->width / 2;
	do {
		struct slice part = take_line(s, t->width - indent);
		struct view_line *l = add_line(t, role);

		out_pad(&t->bytes, ' ', indent);
		out_put(&t->bytes, part);
		l->n = t->bytes.n - l->at;
		s = slice_ltrim(slice_skip(s, part.n));
		indent = hang;
	} while (s.n);
}

void view_text_strip(struct view_text *t, const struct strip *s)
{
	int width = t->width - 4;

	for (size_t at = 0; at == 0 || at < s->n; at += (size_t)width) {
		struct view_line *l = add_line(t, ROLE_PLAIN);

		l->strip = (int)at;
		l->n = s->n - at < (size_t)width ? s->n - at : (size_t)width;
	}
}

/* One line of a strip: the ends only where they belong. */
static void draw_part(struct grid *g, int row, const struct view_line *l, const struct strip *wide)
{
	struct strip part = *wide;

	part.cell = wide->cell + l->strip;
	part.n = l->n;
	part.head = wide->head && l->strip == 0;
	part.tail = wide->tail && (size_t)l->strip + l->n == wide->n;
	view_draw_strip(g, row, part.head || !wide->head ? 1 : 2, &part, g->cols);
}

void view_text_draw(struct grid *g, int row, int rows, int scroll, const struct view_text *t,
		    const struct strip *wide)
{
	for (int i = 0; i < rows && (size_t)(i + scroll) < t->n; i++) {
		const struct view_line *l = &t->line[i + scroll];

		if (l->strip >= 0 && wide)
			draw_part(g, row + i, l, wide);
		else if (l->strip < 0)
			grid_put(g, row + i, 0, slice_of(t->bytes.buf + l->at, l->n), l->role);
	}
}
