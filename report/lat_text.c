/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "report/lat_json.h"
#include "report/readings_view.h"

enum { SIZE_WIDTH = 12, VALUE_WIDTH = 12, ROWS_SHOWN = 48 };

static void put_top(struct out *o, const struct text_style *st, const struct lat_view *v,
		    const struct lat_table *t)
{
	struct out text;

	out_memory(&text);
	out_printf(&text, "memory latency, %zu sizes", t->n);
	if (t->n)
		out_printf(&text, " from %.*s to %.*s MiB", SLICE_FMT(t->rows[0].size),
			   SLICE_FMT(t->rows[t->n - 1].size));
	if (t->stride.n)
		out_printf(&text, ", stride %.*s", SLICE_FMT(t->stride));
	if (v->source->notes[NOTE_QUOTED])
		out_str(&text, ", quoted");
	if (v->source->notes[NOTE_FOREIGN])
		out_printf(&text, "; %u other lines skipped", v->source->notes[NOTE_FOREIGN]);
	text_wrapped(o, st, out_slice(&text), 0, 2);
	out_close(&text);
}

static void put_head(struct out *o, const struct text_style *st, const struct lat_table *t,
		     size_t c)
{
	char number[32];
	struct slice name = t->columns[c];
	int width = VALUE_WIDTH + (c ? 10 : 0) - 2;

	if (!name.n) {
		snprintf(number, sizeof(number), t->ncolumns == 1 ? "ns" : "%zu, ns", c + 1);
		name = slice_str(number);
	}
	struct out shown;
	out_memory(&shown);
	int used = out_safe_cut(&shown, name, width, st->ascii);
	out_pad(o, ' ', width + 2 - used);
	out_put(o, out_slice(&shown));
	out_close(&shown);
}

/* "16.253   -25.0 %": a latency and its difference from the first column. */
static void put_value(struct out *o, const struct lat_row *row, size_t c)
{
	const struct lat_value *base = &row->values[0], *v = &row->values[c];
	char buf[STYLE_BUF];

	if (v->text.n)
		snprintf(buf, sizeof(buf), "%.*s", SLICE_FMT(v->text));
	else
		snprintf(buf, sizeof(buf), "-");
	style_right(o, buf, VALUE_WIDTH);
	if (!c)
		return;
	if (isnan(v->ns) || isnan(base->ns) || base->ns == 0)
		buf[0] = '\0';
	else
		snprintf(buf, sizeof(buf), "%+.1f %%", 100 * (v->ns / base->ns - 1));
	style_right(o, buf, 10);
}

static void put_row(struct out *o, const struct lat_table *t, const struct lat_row *row)
{
	char size[STYLE_BUF];
	struct out line;

	out_memory(&line);
	snprintf(size, sizeof(size), "%.*s", SLICE_FMT(row->size));
	style_right(&line, size, SIZE_WIDTH);
	for (size_t c = 0; c < t->ncolumns; c++)
		put_value(&line, row, c);
	out_put(o, slice_rtrim(out_slice(&line)));
	out_close(&line);
	out_byte(o, '\n');
}

static void put_table(struct out *o, const struct text_style *st, const struct lat_table *t,
		      bool all)
{
	size_t n = all || t->n <= ROWS_SHOWN ? t->n : ROWS_SHOWN;

	out_byte(o, '\n');
	style_right(o, "MiB", SIZE_WIDTH);
	for (size_t c = 0; c < t->ncolumns; c++)
		put_head(o, st, t, c);
	out_byte(o, '\n');
	for (size_t i = t->n - n; i < t->n; i++)
		put_row(o, t, &t->rows[i]);
	if (n < t->n)
		out_printf(o, "%zu smaller sizes: --all\n", t->n - n);
}

void lat_text(struct out *o, const struct text_style *st, const struct lat_view *v)
{
	for (size_t i = 0; i < v->doc->n; i++) {
		if (i)
			out_byte(o, '\n');
		put_top(o, st, v, &v->doc->tables[i]);
		if (i == 0 && v->readings->n) {
			out_byte(o, '\n');
			text_readings(o, st, v->readings, 0, v->readings->n);
		}
		put_table(o, st, &v->doc->tables[i], v->all);
	}
}

/* ---- two texts ---- */

static struct slice name_or(struct slice name, struct slice other, const char *side)
{
	return name.n && !slice_eq(name, other) ? name : slice_str(side);
}

/* The sizes of both, one column of each. */
static void join(const struct lat_table *x, const struct lat_table *y, size_t column,
		 struct arena *a, struct lat_table *ret)
{
	struct slice names[2] = { x->columns[column], y->columns[column] };
	size_t i = 0, k = 0;

	*ret = (struct lat_table){ .ncolumns = 2, .columns = arena_array(a, 2, sizeof(names[0])) };
	ret->columns[0] = name_or(names[0], names[1], "before");
	ret->columns[1] = name_or(names[1], names[0], "after");
	ret->rows = arena_array(a, x->n + y->n, sizeof(*ret->rows));
	while (i < x->n || k < y->n) {
		const struct lat_row *r = i < x->n ? &x->rows[i] : NULL;
		const struct lat_row *s = k < y->n ? &y->rows[k] : NULL;
		bool first = r && (!s || r->mib <= s->mib), second = s && (!r || s->mib <= r->mib);
		struct lat_value *v = arena_array(a, 2, sizeof(*v));

		v[0] = first ? r->values[column] : (struct lat_value){ .ns = NAN };
		v[1] = second ? s->values[column] : (struct lat_value){ .ns = NAN };
		ret->rows[ret->n] = first ? *r : *s;
		ret->rows[ret->n++].values = v;
		i += first;
		k += second;
	}
}

static size_t least(size_t x, size_t y)
{
	return x < y ? x : y;
}

void lat_diff_text(struct out *o, const struct text_style *st, const struct lat_diff_view *v)
{
	struct arena a = { 0 };

	text_sides(o, st, v->before_source->path, v->after_source->path, "memory latency");
	if (v->readings->n)
		out_byte(o, '\n');
	text_readings(o, st, v->readings, 0, v->readings->n);
	for (size_t i = 0; i < least(v->before->n, v->after->n); i++) {
		const struct lat_table *x = &v->before->tables[i], *y = &v->after->tables[i];

		for (size_t c = 0; c < least(x->ncolumns, y->ncolumns); c++) {
			struct lat_table both;

			join(x, y, c, &a, &both);
			put_table(o, st, &both, v->all);
		}
		if (x->ncolumns != y->ncolumns)
			out_printf(o, "%zu columns before, %zu after: the rest has no other side\n",
				   x->ncolumns, y->ncolumns);
	}
	arena_free(&a);
}
