/* SPDX-License-Identifier: MIT */
#include "report/readings_view.h"

#include "base/utf8.h"

void json_readings(struct json *j, const struct readings *r)
{
	json_key(j, "readings");
	json_array(j);
	for (size_t i = 0; i < r->n; i++) {
		json_break(j);
		json_object(j);
		json_kv_str(j, "id", r->at[i].id);
		json_kv_slice(j, "message", r->at[i].text);
		json_key(j, "evidence");
		json_raw(j, r->at[i].evidence);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Columns of a word as it will be shown. */
static int shown_columns(struct slice word, bool ascii)
{
	struct out o;

	out_memory(&o);
	out_safe(&o, word, ascii);
	int n = utf8_columns(out_slice(&o));
	out_close(&o);
	return n;
}

void text_wrapped(struct out *o, const struct text_style *st, struct slice text, int at, int indent)
{
	bool first = true;

	for (struct cut c = slice_cut_word(text); c.head.n; c = slice_cut_word(c.tail)) {
		int width = shown_columns(c.head, st->ascii);

		if (!first && at + 1 + width > st->width) {
			out_byte(o, '\n');
			out_pad(o, ' ', indent);
			at = indent;
		} else if (!first) {
			out_byte(o, ' ');
			at++;
		}
		if (indent + width > st->width)
			width = out_safe_cut(o, c.head, st->width - at, st->ascii);
		else
			out_safe(o, c.head, st->ascii);
		at += width;
		first = false;
	}
	out_byte(o, '\n');
}

void text_readings(struct out *o, const struct text_style *st, const struct readings *r,
		   size_t from, size_t to)
{
	for (size_t i = from; i < to && i < r->n; i++) {
		out_printf(o, "%2zu ", i + 1);
		text_wrapped(o, st, r->at[i].text, 3, 3);
	}
}
