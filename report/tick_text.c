/* SPDX-License-Identifier: MIT */
#include "report/tick_text.h"

#include <math.h>
#include <stdio.h>

/* Columns behind the time: width, and how much wider with --kb. */
static const struct {
	const char *head;
	int width, kb_more;
} columns[] = {
	{ "rss MiB", 9, 4 },	{ "huge", 6, 6 },	{ "could", 7, 5 },	{ "cover", 7, 0 },
	{ "not-allowed", 13, 2 }, { "misplaced", 10, 3 }, { "not-deliv", 10, 3 },
};
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static int width_of(int i, const struct text_style *st)
{
	return columns[i].width + (st->kb ? columns[i].kb_more : 0);
}

void tick_text_header(struct out *o, const struct text_style *st)
{
	out_str(o, "time    ");
	for (int i = 0; i < COLUMNS; i++)
		style_right(o, i == 0 && st->kb ? "rss kB" : columns[i].head, width_of(i, st));
	out_str(o, "  events\n");
}

static void put_clock(struct out *o, const struct tick_line_view *v)
{
	int64_t s = v->s->time_ns / 1000000000 + v->utc_offset_s;

	s = (s % 86400 + 86400) % 86400;
	if (v->s->time_ns < 0)
		out_str(o, "--:--:--");
	else
		out_printf(o, "%02d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
}

/* ---- what happened ---- */

static const char *between(const struct out *o, size_t start)
{
	return o->n == start ? "  " : ", ";
}

static void put_pages(struct out *o, size_t start, const struct tick_line_view *v)
{
	int64_t pages = v->changes ? v->changes->huge_kb / (int64_t)v->m->pmd_kb : 0;

	if (pages)
		out_printf(o, "%s%+lld huge", between(o, start), (long long)pages);
}

static void put_mappings(struct out *o, size_t start, const struct tick_line_view *v)
{
	size_t more = v->changes ? v->changes->appeared : 0,
	       less = v->changes ? v->changes->gone : 0;

	if (more)
		out_printf(o, "%s+%zu mapping%s", between(o, start), more, more == 1 ? "" : "s");
	if (less)
		out_printf(o, "%s-%zu mapping%s", between(o, start), less, less == 1 ? "" : "s");
}

static void put_rate(struct out *o, size_t start, const struct tick_line_view *v, const char *name,
		     const char *word)
{
	const struct rate *r = rates_find(v->rates, name);

	if (r && r->present && !isnan(r->per_s) && r->per_s > 0)
		out_printf(o, "%s%s %.*f/s", between(o, start), word, r->per_s < 10 ? 1 : 0,
			   r->per_s);
}

static void put_look(struct out *o, size_t start, const struct tick_line_view *v)
{
	if (v->s->look == LOOK_SCAN)
		out_printf(o, "%spage tables only", between(o, start));
	else if (v->s->look == LOOK_ROLLUP)
		out_printf(o, "%ssums only", between(o, start));
	else if (v->s->look == LOOK_COUNTERS)
		out_printf(o, "%sas %llu tick%s before", between(o, start),
			   (unsigned long long)v->s->full_age, v->s->full_age == 1 ? "" : "s");
}

static void put_events(struct out *o, const struct tick_line_view *v)
{
	size_t start = o->n;

	if (v->s->exec) {
		out_str(o, "  exec ");
		out_safe(o, v->m->snap->process.comm, true);
	}
	put_pages(o, start, v);
	put_mappings(o, start, v);
	put_rate(o, start, v, "vmstat.thp_split_pmd", "host: split");
	put_rate(o, start, v, "vmstat.thp_fault_fallback", "host: fallback");
	put_look(o, start, v);
	if (v->s->target != TARGET_RUNS)
		out_printf(o, "%s%s", between(o, start), target_names[v->s->target]);
}

/* ---- the line ---- */

void tick_text_line(struct out *o, const struct text_style *st, const struct tick_line_view *v)
{
	const struct fall_total *f = &v->m->totals.fall[model_headline(v->m)];
	const struct waterfall *w = &f->w;
	const uint64_t kb[COLUMNS] = { w->rss,	       v->point->huge_kb, waterfall_ideal(w), 0,
				       w->policy_loss, w->alignment_loss, w->delivery_loss };
	char buf[STYLE_BUF];

	put_clock(o, v);
	for (int i = 0; i < COLUMNS; i++) {
		if (i == 3 && !isnan(v->point->coverage))
			snprintf(buf, sizeof(buf), "%.1f%%", v->point->coverage < 1 ?
				 fmin(round(v->point->coverage * 1000), 999) / 10 : 100.0);
		else if (i == 3 || !f->known)
			snprintf(buf, sizeof(buf), "-");
		else
			style_amount(buf, st, kb[i]);
		style_right(o, buf, width_of(i, st));
	}
	put_events(o, v);
	out_byte(o, '\n');
}
