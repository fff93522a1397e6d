/* SPDX-License-Identifier: MIT */
/* The live view: its state, its layout, and drawing as a whole. */
#include "report/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/view_internal.h"

const char view_role_letters[] = " tdgbhmluvwxy";
_Static_assert(sizeof(view_role_letters) == ROLE_COUNT + 1, "a letter for each role");

void view_start(struct view *v, struct text_style style, uint64_t interval_ms)
{
	*v = (struct view){
		.style = style, .interval_ms = interval_ms, .rows_max = 24, .cols_max = 80
	};
}

void view_free(struct view *v)
{
	filter_free(v->filter);
	mem_free(v->row);
	*v = (struct view){ 0 };
}

void view_say(struct view *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->said, sizeof(v->said), fmt, ap);
	va_end(ap);
}

static bool view_too_small(const struct view *v)
{
	return v->rows_max < VIEW_MIN_ROWS || v->cols_max < VIEW_MIN_COLS;
}

/* What a taller screen shows more, in the order in which it comes. */
struct view_layout view_layout(const struct view *v)
{
	int h = v->rows_max, row = 3;
	bool fates = h >= 12, history = h >= 14, host = h >= 16,
	     slots = h >= 18 && v->tab == TAB_MAPPINGS;
	struct view_layout l = { .title = 0, .headline = 1, .bar = 2 };

	l.fates = fates ? row++ : -1;
	l.history = history ? row++ : -1;
	l.host = host ? row++ : -1;
	l.tabs = row++;
	l.header = row++;
	l.list = row;
	l.keys = h - 1;
	l.slots = slots ? h - 2 : -1;
	int below = l.keys - slots;
	l.detail_n = h < 22 ? 0 : (h - 14) / 3 < 4 ? 4 : (h - 14) / 3;
	if (l.detail_n > 12)
		l.detail_n = 12;
	l.detail = l.detail_n ? below - 1 - l.detail_n : -1; /* an empty line stands below it */
	l.list_n = (l.detail_n ? l.detail : below) - l.list;
	return l;
}

void view_size(struct view *v, const struct view_frame *f, int rows, int cols)
{
	v->rows_max = rows > 1 ? rows : 1;
	v->cols_max = cols > 1 ? cols : 1;
	view_clamp(v);
	v->asks |= ASK_STRIPS;
	(void)f;
}

void view_update(struct view *v, const struct view_frame *f)
{
	view_make_rows(v, f);
	if (v->rows && v->tab == TAB_MAPPINGS && !v->chosen)
		view_move_to(v, f, v->list[v->tab].at);
}

static size_t view_wide_cells(const struct view *v)
{
	return 2 * (size_t)(v->cols_max - 4 > 8 ? v->cols_max - 4 : 8);
}

void view_visible(const struct view *v, const struct view_frame *f, struct view_strips *ret)
{
	size_t top = v->list[v->tab].top, end = top + view_page_rows(v),
	       max = sizeof(ret->row) / sizeof(*ret->row);
	const struct vma *chosen = view_chosen(v, f);

	ret->n = ret->wide_cells = 0;
	ret->cells = view_strip_cells(v);
	if (view_too_small(v) || v->page == PAGE_HELP)
		return;
	if (v->page == PAGE_DETAIL && chosen) {
		ret->wide = (uint32_t)(chosen - f->m->smaps->vma);
		ret->wide_cells = view_wide_cells(v);
	}
	if (v->page != PAGE_LIST || v->tab != TAB_MAPPINGS || !ret->cells)
		return;
	for (size_t i = top; i < v->rows && i < end && ret->n < max; i++)
		ret->row[ret->n++] = v->row[i].i;
}

/* ---- text on the grid ---- */

int view_printf(struct grid *g, int row, int col, enum role role, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return grid_str(g, row, col, text, (uint8_t)role);
}

int view_name(struct grid *g, int row, int col, int width, struct slice s, const struct view *v,
	      enum role role)
{
	struct out safe;

	out_memory(&safe);
	if (slice_starts(s, SLICE("/")))
		out_path_cut(&safe, s, width, v->style.ascii);
	else
		out_safe_cut(&safe, s, width, v->style.ascii);
	int end = grid_put(g, row, col, out_slice(&safe), (uint8_t)role);
	out_close(&safe);
	return end;
}

const char *view_amount(char *buf, const struct view *v, uint64_t kb)
{
	if (!v->style.kb && kb >= UINT64_C(100000) << 10)
		snprintf(buf, STYLE_BUF, "%.1fG", (double)kb / (1 << 20));
	else
		style_amount(buf, &v->style, kb);
	return buf;
}

const char *view_clock(char *buf, const struct view_frame *f, int64_t time_ns)
{
	int64_t s = time_ns / 1000000000 + f->utc_offset_s;

	s = (s % 86400 + 86400) % 86400;
	if (time_ns < 0)
		snprintf(buf, STYLE_BUF, "--:--:--");
	else
		snprintf(buf, STYLE_BUF, "%02d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60),
			 (int)(s % 60));
	return buf;
}

const char *view_span(char *buf, double seconds)
{
	if (seconds > 0 && seconds < 0.1)
		snprintf(buf, STYLE_BUF, "%.0f ms", seconds * 1000);
	else if (seconds < 10)
		snprintf(buf, STYLE_BUF, "%.1f s", seconds);
	else if (seconds < 600)
		snprintf(buf, STYLE_BUF, "%.0f s", seconds);
	else if (seconds < 36000)
		snprintf(buf, STYLE_BUF, "%.0f min", seconds / 60);
	else
		snprintf(buf, STYLE_BUF, "%.0f h", seconds / 3600);
	return buf;
}

/* ---- the whole ---- */

static void draw_too_small(struct grid *g, const struct view *v)
{
	char text[80];
	size_t cols = (size_t)g->cols;

	snprintf(text, sizeof(text), "hugecov needs %dx%d, this is %dx%d", VIEW_MIN_COLS,
		 VIEW_MIN_ROWS, v->cols_max, v->rows_max);
	/* As many lines as it takes, or as there are, cut between words where that is possible. */
	struct slice rest = slice_str(text);
	for (int row = 0; row < g->rows && rest.n && cols; row++) {
		size_t n = rest.n < cols ? rest.n : cols;

		while (n && n < rest.n && rest.p[n] != ' ')
			n--;
		n = n ? n : rest.n < cols ? rest.n : cols;
		grid_put(g, row, 0, slice_first(rest, n), ROLE_PLAIN);
		rest = slice_trim(slice_skip(rest, n));
	}
}

void view_page_text(struct view_text *t, const struct view_frame *f, const struct view *v)
{
	view_text_start(t, v->cols_max);
	if (v->page == PAGE_HELP)
		view_help(t, f, v);
	else
		view_detail(t, f, v, true);
}

static void draw_page(struct grid *g, const struct view_layout *l, const struct view_frame *f,
		      const struct view *v)
{
	struct view_text t;
	int rows = l->keys - 1;

	view_page_text(&t, f, v);
	int most = (int)t.n > rows ? (int)t.n - rows : 0,
	    scroll = v->scroll < most ? v->scroll : most;
	view_text_draw(g, 1, rows, scroll, &t, f->wide);
	view_text_free(&t);
}

void view_draw(struct grid *g, const struct view_frame *f, const struct view *v)
{
	struct view_layout l = view_layout(v);

	grid_start(g, v->rows_max, v->cols_max);
	if (view_too_small(v)) {
		draw_too_small(g, v);
		return;
	}
	view_draw_head(g, &l, f, v);
	if (v->page == PAGE_LIST)
		view_draw_list(g, &l, f, v);
	else
		draw_page(g, &l, f, v);
	view_draw_foot(g, &l, f, v);
}
