/* SPDX-License-Identifier: MIT */
/* Counters that moved: those of huge pages first, the rest counted. */
#include <stdio.h>

#include "model/system_counters.h"
#include "report/diff_text.h"

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

static void put_dec(struct out *o, bool has, struct dec v, bool sign, int width)
{
	char buf[DEC_BUF], text[DEC_BUF + 2];

	if (!has)
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%s%.*s", sign && v.mantissa > 0 ? "+" : "",
			 SLICE_FMT(dec_put(buf, dec_trim(v))));
	if ((int)strlen(text) >= width) /* 20 digits: columns do not run together */
		out_byte(o, ' ');
	style_right(o, text, width);
}

/*
 * Of a gauge percent; of a counter, which began at some boot, how fast it
 * goes; or why there is no difference.
 */
static void put_more(struct out *o, const struct diff_text *v, const struct counter_row *r)
{
	double seconds = diff_seconds(v->d);
	char buf[STYLE_BUF] = "";
	int width = MORE_WIDTH;

	if (!r->has_delta) {
		slice_cstr(r->note, buf, sizeof(buf));
		width += CHANGE_WIDTH;
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

static void put_values(struct out *o, const struct counter_row *r, uint64_t unit)
{
	put_dec(o, r->has_before, in_kb(r->before, unit), false, VALUE_WIDTH);
	put_dec(o, r->has_after, in_kb(r->after, unit), false, VALUE_WIDTH);
	if (r->has_delta)
		put_dec(o, true, in_kb(r->delta, unit), true, CHANGE_WIDTH);
}

static void put_counter(struct out *o, const struct diff_text *v, const struct counter_row *r,
			int name_width)
{
	out_str(o, "  ");
	int used = out_safe_cut(o, r->name, name_width, v->style->ascii);
	out_pad(o, ' ', name_width - used);
	put_values(o, r, 1);
	put_more(o, v, r);
	if (slice_eq(r->unit, SLICE(UNIT_HUGE_PAGES))) {
		out_printf(o, "  %-*s", name_width, "    in kB");
		put_values(o, r, v->d->pmd_kb);
		out_byte(o, '\n');
	}
}

void diff_text_counters(struct out *o, const struct diff_text *v)
{
	const struct counter_rows *rows = &v->d->counters;
	size_t shown = 0, others = 0, same = 0;
	int width = v->style->width - 2 - 2 * VALUE_WIDTH - CHANGE_WIDTH - MORE_WIDTH;

	width = width < NAME_LEAST ? NAME_LEAST : width > NAME_MOST ? NAME_MOST : width;
	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *r = &rows->at[i];

		if (!of_system(r))
			continue;
		if (!moved(r)) {
			same++;
			continue;
		}
		if (!v->all && !of_huge_pages(r->name)) {
			others++;
			continue;
		}
		if (!shown++)
			out_printf(o, "\n  %-*s%*s%*s%*s\n", width,
				   v->d->scope == DIFF_COUNTERS ? "" : "the host", VALUE_WIDTH,
				   "before", VALUE_WIDTH, "after", CHANGE_WIDTH, "change");
		put_counter(o, v, r, width);
	}
	if (others)
		out_printf(o, "%zu other counters moved, %zu did not: --all\n", others, same);
	else if (same)
		out_printf(o, "%zu %scounters did not move.\n", same, shown ? "other " : "");
}
