/* SPDX-License-Identifier: MIT */
/* The three lists: tabs, column headers, rows, and the lines at the foot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/view_internal.h"

/* ---- slots ---- */

static const struct strip *view_strip_of(const struct view_frame *f, uint64_t start)
{
	for (size_t i = 0; i < f->strips_n; i++)
		if (f->strips[i].start == start)
			return &f->strips[i];
	return NULL;
}

static const enum role slot_roles[SLOT_STATES] = {
	[SLOT_EMPTY] = ROLE_DIM,	 [SLOT_ZERO] = ROLE_DIM,  [SLOT_SWAPPED] = ROLE_BAD,
	[SLOT_SMALL] = ROLE_NOT_ALLOWED, [SLOT_HUGE] = ROLE_HUGE, [SLOT_PART] = ROLE_MEDIUM,
	[SLOT_UNKNOWN] = ROLE_DIM,
};

void view_draw_strip(struct grid *g, int row, int col, const struct strip *s, int width)
{
	int end = col + width;

	if (s->head)
		col = grid_str(g, row, col, "<", ROLE_PLAIN);
	for (size_t i = 0; i < s->n && col < end; i++) {
		char glyph[2] = { slot_glyphs[s->cell[i]], '\0' };

		col = grid_str(g, row, col, glyph, (uint8_t)slot_roles[s->cell[i]]);
	}
	if (s->tail && col < end)
		grid_str(g, row, col, ">", ROLE_PLAIN);
}

/* ---- columns of the mappings ---- */

struct cell_text {
	const struct view_frame *f;
	const struct view *v;
	const struct vma *m;
	struct thp t;
	const struct change *change; /* NULL: none */
};

static void text_address(char *buf, const struct cell_text *c)
{
	snprintf(buf, STYLE_BUF, "%llx", (unsigned long long)c->m->start);
}

static void text_perms(char *buf, const struct cell_text *c)
{
	snprintf(buf, STYLE_BUF, "%.4s", c->m->perms);
}

static void text_advice(char *buf, const struct cell_text *c)
{
	snprintf(buf, STYLE_BUF, "%s",
		 vma_flag(c->m, VM_FLAG_BIT(hg))   ? "hg"
		 : vma_flag(c->m, VM_FLAG_BIT(nh)) ? "nh"
						   : "");
}

static void text_size(char *buf, const struct cell_text *c)
{
	view_amount(buf, c->v, vma_size_kb(c->m));
}

static void text_field(char *buf, const struct cell_text *c, uint64_t kb)
{
	if (vma_has(c->m, SMAPS_Rss))
		view_amount(buf, c->v, kb);
	else
		snprintf(buf, STYLE_BUF, "-"); /* absent is not zero */
}

static void text_rss(char *buf, const struct cell_text *c)
{
	text_field(buf, c, vma_value(c->f->m->smaps, c->m, SMAPS_Rss));
}

static void text_huge(char *buf, const struct cell_text *c)
{
	text_field(buf, c, model_huge_kb(c->f->m, c->m));
}

static void text_slots(char *buf, const struct cell_text *c)
{
	snprintf(buf, STYLE_BUF, "%llu/%llu/%llu",
		 (unsigned long long)(model_huge_kb(c->f->m, c->m) / c->f->m->pmd_kb),
		 (unsigned long long)c->t.slots_fit, (unsigned long long)c->t.slots_ideal);
}

static void text_cost(char *buf, const struct cell_text *c)
{
	if (c->t.known)
		view_amount(buf, c->v, waterfall_cost(&c->t.w));
	else
		snprintf(buf, STYLE_BUF, "-");
}

enum mark { MARK_NONE, MARK_NEW, MARK_RSS, MARK_HUGE };

static const struct column {
	const char *head;
	int gap, width, kb_more; /* columns more with --kb */
	int from;                /* shown when the screen is this wide */
	bool left;
	enum mark mark;          /* in the column behind it */
	void (*text)(char *buf, const struct cell_text *c);
} columns[] = {
	{ "mapping", 0, 12, 0, 0, true, MARK_NEW, text_address },
	{ "perm", 1, 4, 0, 66, true, MARK_NONE, text_perms },
	{ "ad", 1, 2, 0, 70, true, MARK_NONE, text_advice },
	{ "size", 1, 6, 4, 60, false, MARK_NONE, text_size },
	{ "rss", 1, 6, 4, 0, false, MARK_RSS, text_rss },
	{ "huge", 1, 6, 4, 0, false, MARK_HUGE, text_huge },
	{ "huge/fit/max", 1, 11, 0, 50, true, MARK_NONE, text_slots },
	{ "cost", 1, 5, 5, 0, false, MARK_NONE, text_cost },
};
enum {
	COLUMNS = sizeof(columns) / sizeof(*columns),
	STRIP_WIDTH = STRIP_CELLS + 2,
	NAME_LEAST = 8
};

static bool shown(const struct column *c, const struct view *v)
{
	int more = v->style.kb ? 16 : 0;

	return v->cols_max >= c->from + (c->from ? more : 0);
}

static int width_of(const struct column *c, const struct view *v)
{
	return c->width + (v->style.kb ? c->kb_more : 0);
}

/* A strip that is cut would tell of fewer slots; one of few cells tells nothing. */
size_t view_strip_cells(const struct view *v)
{
	int col = 1;

	for (int i = 0; i < COLUMNS; i++)
		col += shown(&columns[i], v) ? columns[i].gap + width_of(&columns[i], v) : 0;
	int room = v->cols_max - col - 4;
	return room < 4 ? 0 : room > STRIP_CELLS ? STRIP_CELLS : (size_t)room;
}

static void draw_header(struct grid *g, int row, const struct view *v)
{
	int col = 1;

	for (int i = 0; i < COLUMNS; i++) {
		const struct column *c = &columns[i];

		if (!shown(c, v))
			continue;
		col += c->gap + width_of(c, v);
		if (c->left)
			grid_str(g, row, col - width_of(c, v), c->head, ROLE_DIM);
		else
			grid_right(g, row, col, c->head, ROLE_DIM);
	}
	if (view_strip_cells(v))
		grid_str(g, row, col + 2, "slots", ROLE_DIM);
	if (g->cols >= col + 3 + STRIP_WIDTH + NAME_LEAST)
		grid_str(g, row, col + 3 + STRIP_WIDTH, "name", ROLE_DIM);
}

static void draw_mark(struct grid *g, int row, int col, const struct cell_text *c, enum mark mark)
{
	int64_t by = mark == MARK_RSS	 ? c->change->rss_kb
		     : mark == MARK_HUGE ? c->change->huge_kb
					 : 0;
	enum role role = mark == MARK_RSS ? ROLE_TITLE : by > 0 ? ROLE_GOOD : ROLE_BAD;

	if (mark == MARK_NEW && c->change->appeared)
		grid_str(g, row, col, "*", ROLE_TITLE);
	else if (by)
		grid_str(g, row, col, by > 0 ? "+" : "-", (uint8_t)role);
}

/* The number itself is coloured too: a sign alone is easily missed. */
static enum role cell_role(const struct column *k, const struct cell_text *c)
{
	if (!c->change)
		return ROLE_PLAIN;
	if (k->mark == MARK_HUGE && c->change->huge_kb)
		return c->change->huge_kb > 0 ? ROLE_GOOD : ROLE_BAD;
	return k->mark == MARK_RSS && c->change->rss_kb ? ROLE_TITLE : ROLE_PLAIN;
}

static void draw_mapping(struct grid *g, int row, const struct view_row *r,
			 const struct view_frame *f, const struct view *v)
{
	struct cell_text c = { .f = f, .v = v, .m = &f->m->smaps->vma[r->i] };
	char buf[STYLE_BUF];
	int col = 1;

	model_thp(f->m, c.m, &c.t);
	if (f->changes)
		c.change = &f->changes->at[r->i];
	for (int i = 0; i < COLUMNS; i++) {
		const struct column *k = &columns[i];

		if (!shown(k, v))
			continue;
		col += k->gap + width_of(k, v);
		k->text(buf, &c);
		if (k->left && k->text != text_slots)
			grid_str(g, row, col - width_of(k, v), buf, (uint8_t)cell_role(k, &c));
		else
			grid_right(g, row, col, buf, (uint8_t)cell_role(k, &c));
		if (c.change && k->mark != MARK_NONE)
			draw_mark(g, row, col, &c, k->mark);
	}
	const struct strip *s = view_strip_of(f, c.m->start);
	if (s && col + 2 < g->cols)
		view_draw_strip(g, row, col + 2, s, STRIP_WIDTH);
	if (g->cols >= col + 3 + STRIP_WIDTH + NAME_LEAST)
		view_name(g, row, col + 3 + STRIP_WIDTH, g->cols - col - 3 - STRIP_WIDTH,
			  vma_name(f->m->smaps, c.m), v, ROLE_PLAIN);
}

/* ---- findings ---- */

static const enum role severity_roles[SEVERITIES] = { ROLE_HIGH, ROLE_MEDIUM, ROLE_LOW, ROLE_DIM };

static void draw_finding(struct grid *g, int row, const struct view_row *r,
			 const struct view_frame *f, const struct view *v)
{
	const struct finding *x = &f->findings->at[r->i];
	char buf[STYLE_BUF];
	struct out text;

	grid_str(g, row, 1, severity_names[x->severity], (uint8_t)severity_roles[x->severity]);
	grid_right(g, row, 15, x->lost_known ? view_amount(buf, v, x->lost_kb) : "-", ROLE_PLAIN);
	if (x->vma >= 0)
		view_printf(g, row, 16, ROLE_PLAIN, "%llx",
			    (unsigned long long)f->m->smaps->vma[x->vma].start);
	else
		grid_str(g, row, 16, "process", ROLE_PLAIN);
	int col = grid_str(g, row, 30, finding_rules[x->id].id, ROLE_PLAIN) + 2;
	out_memory(&text);
	finding_message(f->m, x, &text);
	grid_put(g, row, col < 46 ? 46 : col, out_slice(&text), ROLE_PLAIN);
	out_close(&text);
}

/* ---- counters ---- */

static void draw_counter(struct grid *g, int row, const struct view_row *r,
			 const struct view_frame *f, const struct view *v)
{
	const struct rate *x = &f->rates->at[r->i];
	int end[3] = { 58, 68, 78 };
	char buf[STYLE_BUF];

	if (g->cols < 78)
		end[0] = g->cols, end[1] = end[2] = g->cols + 100;
	view_name(g, row, 1, end[0] - 14, slice_str(x->name), v, ROLE_PLAIN);
	if (!x->present) {
		grid_right(g, row, end[0], "-", ROLE_PLAIN);
		return;
	}
	style_kb(buf, x->value);
	if (!x->kb)
		buf[strlen(buf) - 3] = '\0'; /* without " kB" */
	grid_right(g, row, end[0], buf, ROLE_PLAIN);
	style_change(buf, (int64_t)(x->value - x->first));
	grid_right(g, row, end[1], buf, x->value != x->first ? ROLE_TITLE : ROLE_PLAIN);
	if (x->reset)
		snprintf(buf, sizeof(buf), "reset");
	else if (isnan(x->per_s))
		snprintf(buf, sizeof(buf), "-");
	else
		snprintf(buf, sizeof(buf), "%.*f", x->per_s == round(x->per_s) ? 0 : 1, x->per_s);
	grid_right(g, row, end[2], buf, x->changed ? ROLE_TITLE : ROLE_PLAIN);
}

/* ---- the list ---- */

static unsigned findings_shown(const struct view_frame *f)
{
	unsigned n = 0;

	for (size_t i = 0; i < f->findings->n; i++)
		n += view_matters(&f->findings->at[i]);
	return n;
}

static void draw_tabs(struct grid *g, int row, const struct view_frame *f, const struct view *v)
{
	char names[TABS][32], order[VIEW_INPUT + 64];
	int col = 1;

	snprintf(names[TAB_MAPPINGS], sizeof(names[0]), "Mappings");
	snprintf(names[TAB_FINDINGS], sizeof(names[0]), "Findings %u", findings_shown(f));
	snprintf(names[TAB_COUNTERS], sizeof(names[0]), "Counters");
	for (int i = 0; i < TABS; i++) {
		bool at = i == (int)v->tab;

		col = view_printf(g, row, col, at ? ROLE_TITLE : ROLE_PLAIN, at ? "[%s]" : "%s",
				  names[i]) +
		      2;
	}
	if (v->tab == TAB_MAPPINGS)
		snprintf(order, sizeof(order), "%s, by %s%s%s%s", v->style.kb ? "kB" : "MiB",
			 view_sort_names[v->sort], v->reverse ? " reversed" : "",
			 v->filter_text[0] ? ", filter " : "", v->filter_text);
	else
		snprintf(order, sizeof(order), "%s%s%s",
			 v->tab == TAB_FINDINGS ? (v->style.kb ? "kB" : "MiB") : "of the host",
			 v->filter_text[0] && v->tab == TAB_FINDINGS ? ", filter " : "",
			 v->tab == TAB_FINDINGS ? v->filter_text : "");
	struct out safe;
	int room = g->cols - col - 1;

	out_memory(&safe);
	int width = room < 24 && (int)strlen(order) > room
			    ? 0
			    : out_safe_cut(&safe, slice_str(order), room, v->style.ascii);
	grid_put(g, row, g->cols - width, out_slice(&safe), ROLE_PLAIN);
	out_close(&safe);
}

static const struct list {
	const char *header; /* NULL: columns of the mappings */
	const char *none, *noun, *hidden;
	void (*draw)(struct grid *, int row, const struct view_row *, const struct view_frame *,
		     const struct view *);
} lists[TABS] = {
	[TAB_MAPPINGS] = { NULL, "No mapping has cost or huge pages", "mapping",
			   "without cost or huge pages", draw_mapping },
	[TAB_FINDINGS] = { " severity  cost mapping       finding         what it says",
			   "Nothing to complain of", "finding",
			   "of the same cause, or only possible", draw_finding },
	[TAB_COUNTERS] = { " counter                                            value     since   "
			   "per s",
			   "No counters: proc/vmstat cannot be read", "counter",
			   "not of huge pages", draw_counter },
};

static void draw_hidden(struct grid *g, int row, const struct view *v)
{
	const char *filtered = v->filter_text[0] ? "do not match the filter" : "not selected";
	int col = 1;

	if (v->rows == 0)
		col = view_printf(g, row, col, ROLE_PLAIN, "%s. ", lists[v->tab].none);
	if (v->hidden && g->cols < 60)
		col = view_printf(g, row, col, ROLE_DIM, "+ %zu more (a: show)  ", v->hidden);
	else if (v->hidden)
		col = view_printf(g, row, col, ROLE_DIM, "+ %zu %s%s %s (a: show)  ", v->hidden,
				  lists[v->tab].noun, v->hidden == 1 ? "" : "s",
				  lists[v->tab].hidden);
	if (v->filtered)
		view_printf(g, row, col, ROLE_DIM, "+ %zu %s", v->filtered, filtered);
}

static void draw_detail(struct grid *g, const struct view_layout *l, const struct view_frame *f,
			const struct view *v)
{
	struct view_text t;

	view_text_start(&t, g->cols);
	view_detail(&t, f, v, false);
	view_text_draw(g, l->detail, l->detail_n, 0, &t, NULL);
	if (t.n > (size_t)l->detail_n)
		grid_right(g, l->detail + l->detail_n, g->cols, "Enter: more", ROLE_DIM);
	view_text_free(&t);
}

void view_draw_list(struct grid *g, const struct view_layout *l, const struct view_frame *f,
		    const struct view *v)
{
	const struct list *list = &lists[v->tab];
	size_t top = v->list[v->tab].top, page = view_page_rows(v), n = 0;

	draw_tabs(g, l->tabs, f, v);
	if (list->header)
		grid_str(g, l->header, 0, list->header, ROLE_DIM);
	else
		draw_header(g, l->header, v);
	for (; n < page && top + n < v->rows; n++) {
		int row = l->list + (int)n;

		list->draw(g, row, &v->row[top + n], f, v);
		if (top + n == v->list[v->tab].at) {
			grid_reverse(g, row);
			grid_str(g, row, 0, ">", ROLE_TITLE | GRID_REVERSE);
		}
	}
	if (v->hidden || v->filtered || !v->rows)
		draw_hidden(g, l->list + (int)n, v);
	if (l->detail >= 0)
		draw_detail(g, l, f, v);
}

/* ---- the foot ---- */

static bool slot_is_shown(const struct view_frame *f, enum slot_state state)
{
	for (size_t i = 0; i < f->strips_n; i++)
		if (f->strips[i].n && memchr(f->strips[i].cell, (int)state, f->strips[i].n))
			return true;
	return false;
}

/* Where not all of them have room: the rare ones only when a strip shows them. */
static void draw_slot_legend(struct grid *g, int row, const struct view_frame *f)
{
	static const enum slot_state order[] = { SLOT_HUGE,    SLOT_SMALL, SLOT_EMPTY,
						 SLOT_SWAPPED, SLOT_ZERO,  SLOT_PART };
	static const char outside[] = "< > outside any slot";
	bool estimated = false, wide = g->cols >= 96;

	for (size_t i = 0; i < f->strips_n; i++)
		estimated |= f->strips[i].estimated;
	bool part = wide || slot_is_shown(f, SLOT_PART);
	bool zero = slot_is_shown(f, SLOT_ZERO) || (!estimated && (wide || !part));
	int col = grid_str(g, row, 0, estimated ? "slots, estimated: " : "slots: ", ROLE_PLAIN);

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if ((order[i] != SLOT_ZERO || zero) && (order[i] != SLOT_PART || part))
			col = view_printf(g, row, col, ROLE_PLAIN, "%c %s ", slot_glyphs[order[i]],
					  slot_names[order[i]]);
	if (col + (int)strlen(outside) <= g->cols)
		grid_str(g, row, col, outside, ROLE_PLAIN);
}

static void draw_prompt(struct grid *g, int row, const struct view *v)
{
	static const char *const words[] = {
		[PROMPT_FIND] = "find: ", [PROMPT_FILTER] = "filter (pattern, empty: all): ",
		[PROMPT_JUMP] = "go to (12:00:30, +90s, -5m, 50%): ",
	};
	int col = grid_str(g, row, 0, words[v->prompt], ROLE_TITLE);
	struct out safe;

	out_memory(&safe);
	out_safe(&safe, slice_str(v->input), v->style.ascii);
	col = grid_put(g, row, col, out_slice(&safe), ROLE_PLAIN);
	out_close(&safe);
	grid_str(g, row, col, "_", ROLE_PLAIN);
}

/* What fits of the keys, most needed first. */
static void draw_keys(struct grid *g, int row, const struct view_frame *f, const struct view *v)
{
	static const char *const list[] = { "q quit",	"? help",   "Tab view",	 "/ find",
					    "f filter", "< > sort", "r reverse", "space pause",
					    "s save",	NULL };
	static const char *const replay[] = { "q quit",	     "? help",		"Tab view",
					      "space pause", "Left Right step", "g go to",
					      "+ - speed",   "/ find",		"f filter",
					      NULL };
	static const char *const page[] = { "Esc back",	      "? help",
					    "Up Down scroll", "n N next, previous row",
					    "q quit",	      NULL };
	const char *const *words = v->page != PAGE_LIST ? page : f->replay ? replay : list;
	int col = 0;

	for (; *words && col + (int)strlen(*words) <= g->cols; words++)
		col = grid_str(g, row, col, *words, ROLE_DIM) + 1;
}

static void draw_sentence(struct grid *g, int row, const char *text, const struct view *v,
			  enum role role)
{
	view_name(g, row, 0, g->cols, slice_str(text), v, role);
}

void view_draw_foot(struct grid *g, const struct view_layout *l, const struct view_frame *f,
		    const struct view *v)
{
	if (l->slots >= 0 && v->page == PAGE_LIST)
		draw_slot_legend(g, l->slots, f);
	if (v->prompt != PROMPT_NONE)
		draw_prompt(g, l->keys, v);
	else if (v->said[0])
		draw_sentence(g, l->keys, v->said, v, ROLE_TITLE);
	else if (f->notice)
		draw_sentence(g, l->keys, f->notice, v, ROLE_BAD);
	else
		draw_keys(g, l->keys, f, v);
}
