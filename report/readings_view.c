/* SPDX-License-Identifier: MIT */
#include "report/readings_view.h"

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
