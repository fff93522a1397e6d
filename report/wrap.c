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

	/* At the start of a line nothing comes before. */
	if (w->at == 0 || w->at == w->indent)
		gap = 0;
	if (w->at > w->indent && w->at + gap + columns > w->width) {
		out_byte(w->o, '\n');
		out_pad(w->o, ' ', w->indent);
		w->at = w->indent;
		gap = 0;
	}
	out_pad(w->o, ' ', gap);
	out_put(w->o, text);
	w->at += gap + columns;
}

void wrap_words(struct wrap *w, struct slice text)
{
	for (struct cut c = slice_cut_word(text); c.head.n; c = slice_cut_word(c.tail))
		wrap_piece(w, c.head, 1);
}

void wrap_end(struct wrap *w)
{
	if (w->at > 0)
		out_byte(w->o, '\n');
	w->at = 0;
}
