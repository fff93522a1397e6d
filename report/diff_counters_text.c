/* SPDX-License-Identifier: MIT */
/* Counters that moved: those of huge pages first, the rest counted. */
#include <stdio.h>

#include "base/num.h"
#include "model/system_counters.h"
#include "report/diff_text.h"
#include "report/readings_view.h"

enum { VALUE_WIDTH = 11, CHANGE_WIDTH = 10, MORE_WIDTH = 10, NAME_LEAST = 24, NAME_MOST = 48 };

/* Events and latencies beside the mappings have tables of their own. */
static bool of_system(const struct counter_row *r)
{
	return r->kind == COUNTER_GAUGE || r->kind == COUNTER_COUNTER;
}

static bool moved(const struct counter_row *r)
{
	if (r->has_delta)
		return !dec_is_zero(r->delta);
	return r->note.n > 0;
}

static bool of_huge_pages(struct slice name)
{
	static const char *const words[] = {
		"thp", "Huge", "huge", "PmdMapped", "pmdmapped", "compact", "meminfo.AnonPages"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (slice_has(name, slice_str(words[i])))
			return true;
	return false;
}

static struct slice with_commas(char *buf, struct dec v)
{
	bool fits = v.scale == 0 && v.mantissa == (int64_t)v.mantissa;

	return fits ? num_put_commas(buf, (int64_t)v.mantissa) : dec_put(buf, v);
}

/* Wide enough for what stands in them. */
struct columns {
	int name, value, change;
};

static int dec_text(char *text, bool has, struct dec v, bool sign)
{
	char buf[DEC_BUF];

	if (!has)
		return sprintf(text, "-");
	return sprintf(text, "%s%.*s", sign && v.mantissa > 0 ? "+" : "", SLICE_FMT(with_commas(buf, dec_trim(v))));
}

static void put_dec(struct out *o, bool has, struct dec v, bool sign, int width)
{
	char text[DEC_BUF + 2];

	dec_text(text, has, v, sign);
	style_right(o, text, width);
}

static void widen(int *width, bool has, struct dec v, bool sign)
{
	char text[DEC_BUF + 2];
	int n = dec_text(text, has, v, sign) + 1;

	*width = n > *width ? n : *width;
}

/*
 * Of a gauge percent; of a counter, which began at some boot, how fast it
 * goes; or why there is no difference.
 */
static void put_more(struct out *o, const struct diff_text *v, const struct counter_row *r, const struct columns *c)
{
	double seconds = diff_seconds(v->d);
	char buf[STYLE_BUF] = "";
	int width = MORE_WIDTH;

	if (!r->has_delta) {
		slice_cstr(r->note, buf, sizeof(buf));
		width += c->change;
	} else if (r->kind == COUNTER_GAUGE && r->has_percent) {
		snprintf(buf, sizeof(buf), "%+.1f %%", r->percent);
	} else if (r->kind == COUNTER_COUNTER && seconds > 0) {
		snprintf(buf, sizeof(buf), "%.1f/s", dec_double(r->delta) / seconds);
	}
	if (*buf)
		style_right(o, buf, width);
	out_byte(o, '\n');
}

static struct dec in_kb(struct dec pages, uint64_t pmd_kb)
{
	return (struct dec){ .mantissa = pages.mantissa * (int64_t)pmd_kb };
}

static void put_values(struct out *o, const struct counter_row *r, uint64_t unit, const struct columns *c)
{
	put_dec(o, r->has_before, in_kb(r->before, unit), false, c->value);
	put_dec(o, r->has_after, in_kb(r->after, unit), false, c->value);
	if (r->has_delta)
		put_dec(o, true, in_kb(r->delta, unit), true, c->change);
}

static void put_counter(struct out *o, const struct diff_text *v, const struct counter_row *r,
			const struct columns *c)
{
	out_str(o, "  ");
	int used = out_safe_cut(o, r->name, c->name, v->style->ascii);
	out_pad(o, ' ', c->name - used);
	put_values(o, r, 1, c);
	put_more(o, v, r, c);
	if (slice_eq(r->unit, SLICE(UNIT_HUGE_PAGES))) {
		out_printf(o, "  %-*s", c->name, "    in kB");
		put_values(o, r, v->d->pmd_kb, c);
		out_byte(o, '\n');
	}
}

static bool is_shown(const struct diff_text *v, const struct counter_row *r)
{
	return of_system(r) && moved(r) && (v->all || of_huge_pages(r->name));
}

static struct columns columns_for(const struct diff_text *v)
{
	struct columns c = { .value = VALUE_WIDTH, .change = CHANGE_WIDTH };

	for (size_t i = 0; i < v->d->counters.n; i++) {
		const struct counter_row *r = &v->d->counters.at[i];
		uint64_t unit = slice_eq(r->unit, SLICE(UNIT_HUGE_PAGES)) ? v->d->pmd_kb : 1;

		if (!is_shown(v, r))
			continue;
		widen(&c.value, r->has_before, in_kb(r->before, unit), false);
		widen(&c.value, r->has_after, in_kb(r->after, unit), false);
		widen(&c.change, r->has_delta, in_kb(r->delta, unit), true);
	}
	c.name = v->style->width - 2 - 2 * c.value - c.change - MORE_WIDTH;
	c.name = c.name < NAME_LEAST ? NAME_LEAST : c.name > NAME_MOST ? NAME_MOST : c.name;
	return c;
}

void diff_text_counters(struct out *o, const struct diff_text *v)
{
	const struct counter_rows *rows = &v->d->counters;
	const struct columns c = columns_for(v);
	size_t shown = 0, others = 0, same = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *r = &rows->at[i];

		if (!is_shown(v, r)) {
			same += of_system(r) && !moved(r);
			others += of_system(r) && moved(r);
			continue;
		}
		if (!shown++)
			out_printf(o, "\n  %-*s%*s%*s%*s\n", c.name,
				   v->d->scope == DIFF_COUNTERS ? "" : "the host", c.value, "before", c.value,
				   "after", c.change, "change");
		put_counter(o, v, r, &c);
	}
	if (others)
		text_say(o, v->style, "%zu other counter%s moved, %zu did not: --all", others,
			 others == 1 ? "" : "s", same);
	else if (same)
		text_say(o, v->style, "%zu %scounter%s did not move.", same, shown ? "other " : "",
			 same == 1 ? "" : "s");
}
