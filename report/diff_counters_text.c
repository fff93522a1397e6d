/* SPDX-License-Identifier: MIT */
/* Counters that moved: those of huge pages first, the rest counted. */
#include <stdio.h>

#include "model/system_counters.h"
#include "report/diff_text.h"

enum { VALUE_WIDTH = 14, CHANGE_WIDTH = 12, PERCENT_WIDTH = 9, NAME_LEAST = 24 };

static bool moved(const struct counter_row *r)
{
	if (r->has_delta)
		return !dec_is_zero(r->delta);
	return r->note.n > 0;
}

static bool of_huge_pages(struct slice name)
{
	static const char *const words[] = { "thp", "Huge", "huge", "PmdMapped", "pmdmapped", "compact", "meminfo.AnonPages" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (slice_has(name, slice_str(words[i])))
			return true;
	return false;
}

static void put_dec(struct out *o, bool has, struct dec v, bool sign, int width)
{
	char buf[DEC_BUF], text[DEC_BUF + 2];

	if (!has)
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%s%.*s", sign && v.mantissa > 0 ? "+" : "",
			 SLICE_FMT(dec_put(buf, dec_trim(v))));
	style_right(o, text, width);
}

static void put_extra(struct out *o, const struct diff_text *v, const struct counter_row *r)
{
	double seconds = diff_seconds(v->d);
	char buf[STYLE_BUF];

	if (slice_eq(r->unit, SLICE(UNIT_HUGE_PAGES)) && r->has_delta)
		out_printf(o, "  %s kB", style_change(buf, (int64_t)r->delta.mantissa * (int64_t)v->d->pmd_kb));
	else if (seconds > 0 && r->kind == COUNTER_COUNTER && r->has_delta)
		out_printf(o, "  %.1f/s", dec_double(r->delta) / seconds);
	if (r->note.n) {
		out_str(o, "  ");
		out_safe(o, r->note, v->style->ascii);
	}
}

static void put_counter(struct out *o, const struct diff_text *v, const struct counter_row *r, int name_width)
{
	char buf[STYLE_BUF];

	out_str(o, "  ");
	int used = out_safe_cut(o, r->name, name_width, v->style->ascii);
	out_pad(o, ' ', name_width - used);
	put_dec(o, r->has_before, r->before, false, VALUE_WIDTH);
	put_dec(o, r->has_after, r->after, false, VALUE_WIDTH);
	put_dec(o, r->has_delta, r->delta, true, CHANGE_WIDTH);
	if (r->has_percent)
		snprintf(buf, sizeof(buf), "%+.1f %%", r->percent);
	style_right(o, r->has_percent ? buf : "", PERCENT_WIDTH);
	put_extra(o, v, r);
	out_byte(o, '\n');
}

void diff_text_counters(struct out *o, const struct diff_text *v)
{
	const struct counter_rows *rows = &v->d->counters;
	size_t shown = 0, others = 0, same = 0;
	int width = v->style->width - 2 - 2 * VALUE_WIDTH - CHANGE_WIDTH - PERCENT_WIDTH;

	width = width < NAME_LEAST ? NAME_LEAST : width > 44 ? 44 : width;
	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *r = &rows->at[i];

		if (!moved(r)) {
			same++;
			continue;
		}
		if (!v->all && !of_huge_pages(r->name)) {
			others++;
			continue;
		}
		if (!shown++)
			out_printf(o, "\n  %-*s%*s%*s%*s\n", width, v->d->scope == DIFF_COUNTERS ? "" : "the host",
				   VALUE_WIDTH, "before", VALUE_WIDTH, "after", CHANGE_WIDTH, "change");
		put_counter(o, v, r, width);
	}
	if (others)
		out_printf(o, "%zu other counters moved, %zu did not: --all\n", others, same);
	else if (rows->n)
		out_printf(o, "%zu counters did not move.\n", same);
}
