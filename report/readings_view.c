/* SPDX-License-Identifier: MIT */
#include "report/readings_view.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "report/wrap.h"

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

void text_wrapped(struct out *o, const struct text_style *st, struct slice text, int at, int indent)
{
	struct out safe;
	struct wrap w;

	out_memory(&safe);
	out_safe(&safe, text, st->ascii);
	wrap_start(&w, o, st->width, at, indent);
	wrap_words(&w, out_slice(&safe));
	wrap_end(&w);
	out_close(&safe);
}

void text_readings(struct out *o, const struct text_style *st, const struct readings *r,
		   size_t from, size_t to)
{
	for (size_t i = from; i < to && i < r->n; i++) {
		out_printf(o, "%2zu ", i + 1);
		text_wrapped(o, st, r->at[i].text, 3, 3);
	}
}

void text_say(struct out *o, const struct text_style *st, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_wrapped(o, st, slice_str(text), 0, 0);
}

/* The shorter one leaves to the other what it does not need. */
static void put_path(struct out *o, const char *path, const char *other, int room, bool ascii)
{
	struct out whole;

	out_memory(&whole);
	out_safe(&whole, slice_str(other), ascii);
	int rest = room - utf8_columns(out_slice(&whole));
	out_close(&whole);
	out_path_cut(o, slice_str(path), rest > room / 2 ? rest : room / 2, ascii);
}

void text_pair(struct out *o, const struct text_style *st, const char *before, const char *after)
{
	put_path(o, before, after, st->width - 4, st->ascii);
	out_str(o, " -> ");
	put_path(o, after, before, st->width - 4, st->ascii);
}

void text_sides(struct out *o, const struct text_style *st, const char *before, const char *after,
		const char *tail)
{
	int end = 3 + (int)strlen(tail);
	struct out line;

	out_memory(&line);
	text_pair(&line, st, before, after);
	bool fits = utf8_columns(out_slice(&line)) + end <= st->width;
	out_put(o, out_slice(&line));
	out_printf(o, "%s%s\n", fits ? "   " : "\n", tail);
	out_close(&line);
}
