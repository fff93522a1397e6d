/* SPDX-License-Identifier: MIT */
#include "report/wrap.h"

#include "base/utf8.h"

void wrap_start(struct wrap *w, struct out *o, int width, int at, int indent)
{
	*w = (struct wrap){ .o = o, .width = width, .indent = indent, .at = at };
}

void wrap_piece(struct wrap *w, struct slice text, int gap)
{
	int columns = utf8_columns(text);

	if (w->line_begun && w->at + gap + columns > w->width) {
		out_byte(w->o, '\n');
		out_pad(w->o, ' ', w->indent);
		w->at = w->indent;
		w->line_begun = false;
	}
	if (!w->line_begun)
		gap = 0;
	w->line_begun = true;
	out_pad(w->o, ' ', gap);
	out_put(w->o, text);
	w->at += gap + columns;
}

/* A unit, with what may follow it, stays on the line of its number. */
static bool is_unit(struct slice word)
{
	static const char *const units[] = { "%", "kB", "MiB", "GiB", "points" };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		struct slice unit = slice_str(units[i]);

		if (slice_starts(word, unit) && (word.n == unit.n || !is_alpha(word.p[unit.n])))
			return true;
	}
	return false;
}

void wrap_words(struct wrap *w, struct slice text)
{
	for (struct cut c = slice_cut_word(text); c.head.n; c = slice_cut_word(c.tail)) {
		struct slice next = slice_first(c.tail, 8);

		if (is_digit(c.head.p[c.head.n - 1]) && next.n > 1 && is_blank(*next.p) &&
		    is_unit(slice_skip(next, 1))) {
			const char *start = c.head.p;

			c = slice_cut_word(c.tail);
			c.head = slice_of(start, (size_t)(c.head.p + c.head.n - start));
		}
		wrap_piece(w, c.head, 1);
	}
}

void wrap_end(struct wrap *w)
{
	if (w->at > 0)
		out_byte(w->o, '\n');
	w->at = 0;
}
