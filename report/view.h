/* SPDX-License-Identifier: MIT */
/*
 * The live view, without a terminal: what the user chose (view_key), and how a
 * moment looks then (view_draw). Both are pure: time, size, colours and keys
 * come in; cells and wishes go out. cmd/ carries the wishes out.
 *
 * To add a key: a row in view_bindings (report/view_keys.c) and its function;
 * help shows the row.
 */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "base/grid.h"
#include "model/filter.h"
#include "model/findings.h"
#include "model/sample.h"
#include "model/slots.h"
#include "report/style.h"

/* Keys that are no character. A character is its code point. */
enum view_special_key {
	VIEW_KEY_UP = 0x110000, VIEW_KEY_DOWN, VIEW_KEY_LEFT, VIEW_KEY_RIGHT, VIEW_KEY_PAGE_UP,
	VIEW_KEY_PAGE_DOWN, VIEW_KEY_HOME, VIEW_KEY_END, VIEW_KEY_ENTER, VIEW_KEY_ESC, VIEW_KEY_TAB,
	VIEW_KEY_BACK_TAB, VIEW_KEY_BACKSPACE, VIEW_KEY_DELETE_LINE, VIEW_KEY_F1, VIEW_KEY_REDRAW,
};

enum view_tab { TAB_MAPPINGS, TAB_FINDINGS, TAB_COUNTERS, TABS };
enum view_page { PAGE_LIST, PAGE_DETAIL, PAGE_HELP };
enum view_prompt { PROMPT_NONE, PROMPT_FIND, PROMPT_FILTER, PROMPT_JUMP };
enum view_sort {
	VIEW_SORT_COST,
	VIEW_SORT_ADDRESS,
	VIEW_SORT_SIZE,
	VIEW_SORT_RSS,
	VIEW_SORT_HUGE,
	VIEW_SORT_SLOTS,
	VIEW_SORT_NAME,
	VIEW_SORTS
};

/* Wishes, or-ed in view.asks; whoever carries them out clears them. */
enum view_ask {
	ASK_QUIT = 1,
	ASK_SAVE = 2,
	ASK_STEP = 4,
	ASK_JUMP = 8,
	ASK_REDRAW = 16,
	ASK_STRIPS = 32
};
enum view_jump { JUMP_BY, JUMP_CLOCK, JUMP_PERCENT };

enum { VIEW_MIN_COLS = 40, VIEW_MIN_ROWS = 10, STRIP_CELLS = 16, VIEW_INPUT = 128 };

/* One moment, as it is shown. Everything is borrowed. */
struct view_frame {
	const struct model *m;          /* the mappings as last known */
	const struct findings *findings;
	const struct sample *s;
	const struct changes *changes;  /* since the tick before; NULL: none */
	const struct history *history;
	const struct rates *rates;
	const struct strip *strips;     /* of mappings on screen, in any order */
	size_t strips_n;
	const struct strip *wide;       /* of the mapping whose details are shown; NULL: none */
	int32_t utc_offset_s;           /* of the user's clock at that time */
	bool recording;
	uint64_t recorded;              /* bytes */
	const char *notice;             /* a sentence that stays, or NULL */
	bool replay;
	uint64_t replay_at, replay_of;  /* tick, from 1, of so many */
};

struct view_row {
	uint32_t i;    /* mapping, finding or counter */
	uint64_t cost; /* kB, of a mapping */
};

struct view {
	struct text_style style;
	int rows_max, cols_max;    /* of the screen */
	enum view_tab tab;
	enum view_page page;
	enum view_prompt prompt;
	enum view_sort sort;
	bool reverse, all, paused;
	uint64_t top;              /* the first so many mappings only; 0: no limit */
	uint64_t interval_ms;      /* of a live target */
	int speed;                 /* of a replay: 2 to the power of this */
	struct {
		size_t at, top;    /* chosen row, first row shown */
	} list[TABS];
	uint64_t chosen;           /* start of the chosen mapping: it stays chosen when rows move */
	int scroll;                /* of a page of text */
	char input[VIEW_INPUT], find[VIEW_INPUT], filter_text[VIEW_INPUT];
	size_t input_n;
	struct filter *filter;     /* NULL: none */
	char said[256];            /* an answer to the last key */
	unsigned asks;             /* enum view_ask or-ed */
	int64_t step;              /* ticks */
	enum view_jump jump_kind;
	double jump;               /* seconds, seconds of the day, or percent */
	struct view_row *row;      /* of this tab, in order */
	size_t rows, rows_cap, hidden, filtered;
};

void view_start(struct view *v, struct text_style style, uint64_t interval_ms);
void view_free(struct view *v);
void view_size(struct view *v, const struct view_frame *f, int rows, int cols);
/* A new moment: rows are made anew, what was chosen stays chosen. */
void view_update(struct view *v, const struct view_frame *f);
void view_key(struct view *v, const struct view_frame *f, int32_t key);
/* Starts the grid at the size of the view. */
void view_draw(struct grid *g, const struct view_frame *f, const struct view *v);
/* An answer that stands until the next key. */
void view_say(struct view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The strips on screen: of which mappings, by index into the smaps, and how many cells each. */
struct view_strips {
	uint32_t row[512];
	size_t n, cells;
	uint32_t wide;     /* on a page of details: the chosen one */
	size_t wide_cells; /* 0: there is none */
};
void view_visible(const struct view *v, const struct view_frame *f, struct view_strips *ret);

/* A letter for each role, for grid_dump_roles(): tests compare screens with their colours. */
extern const char view_role_letters[];

#endif
