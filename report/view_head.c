/* SPDX-License-Identifier: MIT */
/* The lines above the list: who, how much, the bar, its history, the host. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/fates.h"
#include "report/view_internal.h"

/* ---- title ---- */

/* The right end of the title; returns where it begins. */
static int draw_state(struct grid *g, int row, const struct view_frame *f, const struct view *v)
{
	char clock[STYLE_BUF], size[STYLE_BUF], text[4 * STYLE_BUF];
	const char *state = f->s->target == TARGET_RUNS	    ? ""
			    : f->s->target == TARGET_DENIED ? "DENIED  "
							    : "ENDED  ";
	enum role role = *state || v->paused ? ROLE_BAD : ROLE_PLAIN;

	*size = '\0';
	if (f->recording && g->cols >= 60)
		snprintf(size, sizeof(size), "rec %.1f MiB  ", (double)f->recorded / (1 << 20));
	else if (f->recording)
		snprintf(size, sizeof(size), "rec  ");
	snprintf(text, sizeof(text), "%s%s%s%s", size, state, v->paused ? "PAUSED  " : "",
		 view_clock(clock, f, f->s->time_ns));
	int at = g->cols - (int)strlen(text);
	grid_str(g, row, at > 0 ? at : 0, text, (uint8_t)role);
	return at;
}

/* As much of it as there is room for. */
static void pace_text(char *buf, size_t size, int room, const struct view_frame *f,
		      const struct view *v)
{
	char every[STYLE_BUF], full[STYLE_BUF];
	double s = (double)v->interval_ms / 1000, cost = (double)f->s->full_cost_ns / 1e6;
	int digits = cost < 100;

	view_span(every, s);
	view_span(full, s * (double)f->s->full_every);
	if (f->s->full_every > 1)
		snprintf(buf, size, "every %s, in full every %s: one read costs %.*f ms", every,
			 full, digits, cost);
	else
		snprintf(buf, size, "every %s, one read costs %.*f ms", every, digits, cost);
	if ((int)strlen(buf) > room)
		snprintf(buf, size, "%s %s, %.*f ms a read",
			 f->s->full_every > 1 ? "in full every" : "every",
			 f->s->full_every > 1 ? full : every, digits, cost);
	if ((int)strlen(buf) > room)
		snprintf(buf, size, "every %s", every);
}

static void replay_text(char *buf, size_t size, int room, const struct view_frame *f,
			const struct view *v)
{
	const char *sign = v->speed < 0 ? "1/" : "x";
	unsigned long long at = f->replay_at, of = f->replay_of;

	snprintf(buf, size, "replay, tick %llu of %llu, speed %s%d", at, of, sign,
		 1 << (v->speed < 0 ? -v->speed : v->speed));
	if ((int)strlen(buf) > room)
		snprintf(buf, size, "tick %llu/%llu", at, of);
}

static void draw_title(struct grid *g, int row, const struct view_frame *f, const struct view *v)
{
	const struct process_info *p = &f->m->snap->process;
	int end = draw_state(g, row, f, v) - 2, col;
	char text[512], pid[32];

	snprintf(pid, sizeof(pid), " (%lld)", (long long)p->pid);
	int room = end - (int)strlen(pid);
	col = view_name(g, row, 0, room < 4 ? 4 : room > 20 ? 20 : room, p->comm, v, ROLE_TITLE);
	if (p->pid >= 0 && col + (int)strlen(pid) <= end)
		col = grid_str(g, row, col, pid, ROLE_TITLE);
	snprintf(text, sizeof(text), "THP %s", policy_names[f->m->policy]);
	if (col + 3 + (int)strlen(text) <= end && (!f->replay || g->cols >= 60))
		col = grid_str(g, row, col + 3, text,
			       f->m->policy == POLICY_NEVER ? ROLE_BAD : ROLE_PLAIN);
	if (f->replay)
		replay_text(text, sizeof(text), end - col - 3, f, v);
	else
		pace_text(text, sizeof(text), end - col - 3, f, v);
	if (col + 3 + (int)strlen(text) <= end)
		grid_str(g, row, col + 3, text, ROLE_PLAIN);
}

/* ---- how much ---- */

static void draw_headline(struct grid *g, int row, const struct view_frame *f, const struct view *v)
{
	int fall = model_headline(f->m);
	const struct fall_total *t = &f->m->totals.fall[fall];
	const struct point *p = history_back(f->history, 0);
	const char *kind = fall == FALL_SHMEM ? "shared memory " : "";
	char rss[STYLE_BUF], huge[STYLE_BUF], could[STYLE_BUF], cover[STYLE_BUF], made[STYLE_BUF];
	double delivered = fall_delivered(&t->w);

	if (!f->m->smaps->n || !t->known) {
		grid_str(g, row, 0,
			 f->m->smaps->n ? "No mapping tells how much of it is resident"
					: "No mappings",
			 ROLE_TITLE);
		return;
	}
	/* Between two looks at everything smaps_rollup tells how much is huge by now. */
	bool estimated = p && f->s->rollup_known;
	double coverage = estimated ? p->coverage : fall_coverage(&t->w);

	style_size(rss, &v->style, t->w.rss);
	view_amount(huge, v, estimated ? p->huge_kb : t->w.huge);
	view_amount(could, v, waterfall_ideal(&t->w));
	snprintf(cover, sizeof(cover), "-");
	if (!isnan(coverage))
		style_percent(cover, coverage);
	snprintf(made, sizeof(made), "-");
	if (!isnan(delivered))
		style_percent(made, delivered);
	char text[8 * STYLE_BUF];
	const char *about = estimated ? "~" : "";

	/* What there is room for: a number that is cut would be another number. */
	snprintf(text, sizeof(text), "%s%s of %s %shuge, %s could be   coverage %s   delivered %s",
		 about, huge, rss, kind, could, cover, made);
	if ((int)strlen(text) > g->cols)
		snprintf(text, sizeof(text), "%s%s of %s %shuge, %s could be   coverage %s", about,
			 huge, rss, kind, could, cover);
	if ((int)strlen(text) > g->cols)
		snprintf(text, sizeof(text), "%s%s of %s huge, coverage %s", about, huge, rss,
			 cover);
	grid_str(g, row, 0, text, ROLE_TITLE);
}

static void draw_bar(struct grid *g, int row, const struct view_frame *f, const struct view *v)
{
	const struct fall_total *t = &f->m->totals.fall[model_headline(f->m)];
	uint64_t kb[FATE_COUNT];
	int cells[FATE_COUNT], col = 0;

	if (!t->known || !t->w.rss)
		return;
	fates_amounts(&t->w, kb);
	fates_cells(kb, t->w.rss, g->cols - 3, cells);
	for (int i = 0; i < FATE_COUNT; i++)
		for (int k = 0; k < cells[i]; k++)
			col = grid_str(g, row, col, style_glyph(&v->style, (enum fate)i),
				       (uint8_t)fate_rows[i].role);
}

static void draw_fates(struct grid *g, int row, const struct view *v)
{
	int col = 0;

	for (int i = 0; i < FATE_COUNT; i++) {
		col = grid_str(g, row, col, style_glyph(&v->style, (enum fate)i),
			       (uint8_t)fate_rows[i].role);
		col = grid_str(g, row, col + 1, fate_rows[i].name, ROLE_PLAIN) + 2;
	}
}

/* ---- over time ---- */

static const char *level(const struct view *v, double coverage)
{
	static const char *const blocks[] = { "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
					      "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86",
					      "\xe2\x96\x87", "\xe2\x96\x88" };
	static const struct {
		double below;
		const char *glyph;
	} ascii[] = { { 0.1, "_" }, { 0.4, "." }, { 0.75, "-" }, { 0.95, "=" }, { 2, "#" } };
	size_t i = 0;

	if (isnan(coverage))
		return " ";
	if (!v->style.ascii)
		return blocks[coverage >= 1 ? 7 : (int)(coverage * 8)];
	while (coverage >= ascii[i].below)
		i++;
	return ascii[i].glyph;
}

static void draw_history(struct grid *g, int row, const struct view_frame *f, const struct view *v)
{
	enum { LABEL = 16, BEHIND = 14 };
	char span[STYLE_BUF];
	int n = g->cols - LABEL - BEHIND;
	const struct point *now = history_back(f->history, 0), *first = NULL;

	if (n > HISTORY_MAX)
		n = HISTORY_MAX;
	for (int i = 0; i < n; i++) {
		const struct point *p = history_back(f->history, (size_t)(n - 1 - i));

		if (p && !first)
			first = p;
		if (p)
			grid_str(g, row, LABEL + i, level(v, p->coverage), ROLE_HUGE);
	}
	if (now && first)
		view_span(span,
			  (double)(now->elapsed_ns - first->elapsed_ns + f->s->interval_ns) / 1e9);
	else
		snprintf(span, sizeof(span), "0 s");
	view_printf(g, row, 0, ROLE_PLAIN, "coverage, %s", span);
	/* What is less than all is never shown as 100. */
	if (now && !isnan(now->coverage))
		view_printf(g, row, LABEL + n + 2, ROLE_PLAIN, "%s%.0f %% now",
			    now->estimated ? "~" : "",
			    now->coverage < 1 ? fmin(round(now->coverage * 100), 99) : 100);
}

static const struct {
	const char *label, *counter;
	enum role role; /* when it moves */
} host_rates[] = {
	{ "fault alloc", "vmstat.thp_fault_alloc", ROLE_GOOD },
	{ "fallback", "vmstat.thp_fault_fallback", ROLE_BAD },
	{ "collapse", "vmstat.thp_collapse_alloc", ROLE_GOOD },
	{ "split", "vmstat.thp_split_pmd", ROLE_BAD },
	{ "swap out", "vmstat.thp_swpout", ROLE_BAD },
};

static void draw_host(struct grid *g, int row, const struct view_frame *f)
{
	int col = grid_str(g, row, 0, "host, per s", ROLE_PLAIN) + 5;

	for (size_t i = 0; i < sizeof(host_rates) / sizeof(*host_rates); i++) {
		const struct rate *r = rates_find(f->rates, host_rates[i].counter);
		char value[STYLE_BUF];
		bool known = r && r->present && !isnan(r->per_s);

		if (!known)
			snprintf(value, sizeof(value), "-");
		else
			snprintf(value, sizeof(value), "%.*f",
				 r->per_s < 10 && r->per_s != round(r->per_s) ? 1 : 0, r->per_s);
		if (col + (int)strlen(host_rates[i].label) + 1 + (int)strlen(value) > g->cols)
			break; /* a value that is cut would be another value */
		col = grid_str(g, row, col, host_rates[i].label, ROLE_PLAIN) + 1;
		col = grid_str(g, row, col, value,
			       (uint8_t)(known && r->per_s > 0 ? host_rates[i].role : ROLE_PLAIN)) +
		      3;
	}
}

void view_draw_head(struct grid *g, const struct view_layout *l, const struct view_frame *f,
		    const struct view *v)
{
	draw_title(g, l->title, f, v);
	if (v->page != PAGE_LIST)
		return;
	draw_headline(g, l->headline, f, v);
	draw_bar(g, l->bar, f, v);
	if (l->fates >= 0)
		draw_fates(g, l->fates, v);
	if (l->history >= 0)
		draw_history(g, l->history, f, v);
	if (l->host >= 0)
		draw_host(g, l->host, f);
}
