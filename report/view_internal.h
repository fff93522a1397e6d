/* SPDX-License-Identifier: MIT */
/* Between report/view*.c only. */
#ifndef REPORT_VIEW_INTERNAL_H
#define REPORT_VIEW_INTERNAL_H

#include "report/view.h"

/* Where things stand, by the height of the screen; -1: not shown. */
struct view_layout {
	int title, headline, bar, fates, history, host, tabs, header;
	int list, list_n;     /* first row, rows */
	int detail, detail_n;
	int slots, keys;
};
struct view_layout view_layout(const struct view *v);

/* ---- rows ---- */

void view_make_rows(struct view *v, const struct view_frame *f);
size_t view_page_rows(
	const struct view
		*v); /* rows of the list that fit, without the last line on what is hidden */
void view_clamp(struct view *v);
void view_move(struct view *v, const struct view_frame *f, int64_t by);
void view_move_to(struct view *v, const struct view_frame *f, size_t row);
/* From the chosen row on, forwards or backwards, around the end. */
void view_find_next(struct view *v, const struct view_frame *f, bool backwards);
/* The chosen mapping, or of a finding its mapping; NULL: none. */
const struct vma *view_chosen(const struct view *v, const struct view_frame *f);
bool view_matters(const struct finding *x); /* shown without `a` */
extern const char *const view_sort_names[VIEW_SORTS];

/* ---- text on the grid ---- */

int view_printf(struct grid *g, int row, int col, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Text of strangers, made safe, in at most `width` columns, cut in the middle. */
int view_name(struct grid *g, int row, int col, int width, struct slice s, const struct view *v,
	      enum role role);
/* "64.0", "143,360" with --kb, "97.7G" from 100,000 MiB. */
const char *view_amount(char *buf, const struct view *v, uint64_t kb);
const char *view_clock(char *buf, const struct view_frame *f, int64_t time_ns); /* "12:00:41" */
const char *view_span(char *buf, double seconds); /* "0.5 s" "60 s" "8 min" "2 h" */

/* ---- parts of the screen ---- */

void view_draw_head(struct grid *g, const struct view_layout *l, const struct view_frame *f,
		    const struct view *v);
void view_draw_list(struct grid *g, const struct view_layout *l, const struct view_frame *f,
		    const struct view *v);
void view_draw_foot(struct grid *g, const struct view_layout *l, const struct view_frame *f,
		    const struct view *v);
void view_draw_strip(struct grid *g, int row, int col, const struct strip *s, int width);

/* ---- pages of text ---- */

struct view_text {
	struct out bytes;
	struct view_line {
		size_t at, n;
		uint8_t role;
		int strip; /* n cells of the strip from this one on; -1: text */
	} *line;
	size_t n, cap;
	int width;
};
void view_text_start(struct view_text *t, int width);
void view_text_free(struct view_text *t);
/* One paragraph of safe text, wrapped; further lines are indented by `hang` columns. */
void view_text_add(struct view_text *t, enum role role, int hang, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* As many lines as its cells need. */
void view_text_strip(struct view_text *t, const struct strip *s);
void view_text_draw(struct grid *g, int row, int rows, int scroll, const struct view_text *t,
		    const struct strip *wide);
/* What there is to say of the chosen row; `all`: the whole page, else what matters first. */
void view_detail(struct view_text *t, const struct view_frame *f, const struct view *v, bool all);
void view_help(struct view_text *t, const struct view_frame *f, const struct view *v);
size_t view_strip_cells(const struct view *v); /* of one row; 0: no room for strips */

void view_page_text(struct view_text *t, const struct view_frame *f, const struct view *v);

/* ---- keys ---- */

#define CTRL(c) ((c) & 0x1f)

struct view_binding {
	int32_t keys[4];  /* 0: no more */
	const char *shown; /* "j Down" */
	const char *help;
	void (*run)(struct view *v, const struct view_frame *f);
	enum { WHEN_ANY, WHEN_LIVE, WHEN_REPLAY } when;
};
extern const struct view_binding view_bindings[]; /* run NULL ends it */
void view_prompt_key(struct view *v, const struct view_frame *f, int32_t key);

#endif
