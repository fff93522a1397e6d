/* SPDX-License-Identifier: MIT */
/* What each key does. */
#include <string.h>

#include "report/view_internal.h"

/* ---- what keys do ---- */

static void down(struct view *v, const struct view_frame *f)
{
	view_move(v, f, 1);
}

static void up(struct view *v, const struct view_frame *f)
{
	view_move(v, f, -1);
}

static void page_down(struct view *v, const struct view_frame *f)
{
	view_move(v, f, (int64_t)view_page_rows(v));
}

static void page_up(struct view *v, const struct view_frame *f)
{
	view_move(v, f, -(int64_t)view_page_rows(v));
}

static void first(struct view *v, const struct view_frame *f)
{
	view_move_to(v, f, 0);
}

static void last(struct view *v, const struct view_frame *f)
{
	view_move_to(v, f, v->rows ? v->rows - 1 : 0);
}

static void quit(struct view *v, const struct view_frame *f)
{
	v->asks |= ASK_QUIT;
	(void)f;
}

static void enter(struct view *v, const struct view_frame *f)
{
	if (v->rows) {
		v->page = PAGE_DETAIL;
		v->scroll = 0;
		v->asks |= ASK_STRIPS;
	}
	(void)f;
}

/* Escape takes back one thing after the other. */
static void escape(struct view *v, const struct view_frame *f)
{
	if (v->page != PAGE_LIST) {
		v->page = PAGE_LIST;
		v->scroll = 0;
	} else if (v->filter) {
		filter_free(v->filter);
		v->filter = NULL;
		v->filter_text[0] = '\0';
		view_make_rows(v, f);
	}
	v->asks |= ASK_STRIPS;
}

static void go_to_tab(struct view *v, const struct view_frame *f, int by)
{
	v->tab = (enum view_tab)(((int)v->tab + by + TABS) % TABS);
	v->page = PAGE_LIST;
	v->asks |= ASK_STRIPS;
	view_make_rows(v, f);
}

static void next_tab(struct view *v, const struct view_frame *f)
{
	go_to_tab(v, f, 1);
}

static void previous_tab(struct view *v, const struct view_frame *f)
{
	go_to_tab(v, f, -1);
}

static void help(struct view *v, const struct view_frame *f)
{
	v->page = v->page == PAGE_HELP ? PAGE_LIST : PAGE_HELP;
	v->scroll = 0;
	(void)f;
}

static void ask(struct view *v, enum view_prompt prompt, const char *start)
{
	v->prompt = prompt;
	v->input_n = strlen(start);
	memcpy(v->input, start, v->input_n + 1);
}

static void ask_find(struct view *v, const struct view_frame *f)
{
	ask(v, PROMPT_FIND, "");
	(void)f;
}

static void ask_filter(struct view *v, const struct view_frame *f)
{
	ask(v, PROMPT_FILTER, v->filter_text);
	(void)f;
}

static void ask_jump(struct view *v, const struct view_frame *f)
{
	ask(v, PROMPT_JUMP, "");
	(void)f;
}

static void find_next(struct view *v, const struct view_frame *f)
{
	view_find_next(v, f, false);
}

static void find_previous(struct view *v, const struct view_frame *f)
{
	view_find_next(v, f, true);
}

static void sort_by(struct view *v, const struct view_frame *f, int by)
{
	v->sort = (enum view_sort)(((int)v->sort + by + VIEW_SORTS) % VIEW_SORTS);
	view_say(v, "Sorted by %s%s", view_sort_names[v->sort], v->reverse ? ", reversed" : "");
	view_make_rows(v, f);
	v->asks |= ASK_STRIPS;
}

static void sort_next(struct view *v, const struct view_frame *f)
{
	sort_by(v, f, 1);
}

static void sort_previous(struct view *v, const struct view_frame *f)
{
	sort_by(v, f, -1);
}

static void reverse(struct view *v, const struct view_frame *f)
{
	v->reverse = !v->reverse;
	sort_by(v, f, 0);
}

static void show_all(struct view *v, const struct view_frame *f)
{
	v->all = !v->all;
	view_make_rows(v, f);
	v->asks |= ASK_STRIPS;
}

static void pause_or_go(struct view *v, const struct view_frame *f)
{
	v->paused = !v->paused;
	(void)f;
}

static void save(struct view *v, const struct view_frame *f)
{
	v->asks |= ASK_SAVE;
	(void)f;
}

static void redraw(struct view *v, const struct view_frame *f)
{
	v->asks |= ASK_REDRAW;
	(void)f;
}

static const uint64_t intervals_ms[] = { 50,   100,   200,   500,    1000,   2000,   5000,
					 10000, 30000, 60000, 300000, 600000, 3600000 };
enum { INTERVALS = sizeof(intervals_ms) / sizeof(*intervals_ms) };

static void say_interval(struct view *v)
{
	char span[STYLE_BUF];

	view_say(v, "Every %s", view_span(span, (double)v->interval_ms / 1000));
}

static void longer(struct view *v, const struct view_frame *f)
{
	int i = 0;

	while (i < INTERVALS - 1 && intervals_ms[i] <= v->interval_ms)
		i++;
	if (intervals_ms[i] > v->interval_ms)
		v->interval_ms = intervals_ms[i];
	say_interval(v);
	(void)f;
}

static void shorter(struct view *v, const struct view_frame *f)
{
	int i = INTERVALS - 1;

	while (i > 0 && intervals_ms[i] >= v->interval_ms)
		i--;
	if (intervals_ms[i] < v->interval_ms)
		v->interval_ms = intervals_ms[i];
	say_interval(v);
	(void)f;
}

/* ---- of a replay ---- */

enum { SPEED_MIN = -4, SPEED_MAX = 10 };

static void faster(struct view *v, const struct view_frame *f)
{
	v->speed += v->speed < SPEED_MAX;
	(void)f;
}

static void slower(struct view *v, const struct view_frame *f)
{
	v->speed -= v->speed > SPEED_MIN;
	(void)f;
}

static void step(struct view *v, int64_t by)
{
	v->paused = true;
	v->step += by;
	v->asks |= ASK_STEP;
}

static void step_on(struct view *v, const struct view_frame *f)
{
	step(v, 1);
	(void)f;
}

static void step_back(struct view *v, const struct view_frame *f)
{
	step(v, -1);
	(void)f;
}

static void jump_by(struct view *v, double seconds)
{
	v->jump_kind = JUMP_BY;
	v->jump = seconds;
	v->asks |= ASK_JUMP;
}

static void minute_on(struct view *v, const struct view_frame *f)
{
	jump_by(v, 60);
	(void)f;
}

static void minute_back(struct view *v, const struct view_frame *f)
{
	jump_by(v, -60);
	(void)f;
}

const struct view_binding view_bindings[] = {
	{ { 'j', VIEW_KEY_DOWN }, "j Down", "next row", down, WHEN_ANY },
	{ { 'k', VIEW_KEY_UP }, "k Up", "previous row", up, WHEN_ANY },
	{ { VIEW_KEY_PAGE_DOWN, CTRL('f') }, "PgDn", "a page on", page_down, WHEN_ANY },
	{ { VIEW_KEY_PAGE_UP, CTRL('b') }, "PgUp", "a page back", page_up, WHEN_ANY },
	{ { VIEW_KEY_HOME }, "Home", "first row", first, WHEN_ANY },
	{ { VIEW_KEY_END, 'G' }, "End G", "last row", last, WHEN_ANY },
	{ { VIEW_KEY_ENTER, '\n', '\r' },
	  "Enter",
	  "everything about the chosen row",
	  enter,
	  WHEN_ANY },
	{ { VIEW_KEY_ESC }, "Esc", "back to the list; there, drop the filter", escape, WHEN_ANY },
	{ { VIEW_KEY_TAB, '\t' }, "Tab", "Mappings, Findings, Counters", next_tab, WHEN_ANY },
	{ { VIEW_KEY_BACK_TAB }, "Shift-Tab", "the same backwards", previous_tab, WHEN_ANY },
	{ { '/' }, "/", "find a word in address, name or text", ask_find, WHEN_ANY },
	{ { 'n' }, "n", "the next one", find_next, WHEN_ANY },
	{ { 'N' }, "N", "the one before", find_previous, WHEN_ANY },
	{ { 'f' },
	  "f",
	  "only mappings whose name matches a Perl-style pattern",
	  ask_filter,
	  WHEN_ANY },
	{ { '<' }, "<", "sort by the column before", sort_previous, WHEN_ANY },
	{ { '>' }, ">", "sort by the next column", sort_next, WHEN_ANY },
	{ { 'r' }, "r", "reverse the order", reverse, WHEN_ANY },
	{ { 'a' }, "a", "show all rows, or only those that matter", show_all, WHEN_ANY },
	{ { ' ', 'p' },
	  "space p",
	  "pause, with everything else still working",
	  pause_or_go,
	  WHEN_ANY },
	{ { '+', '=' }, "+", "look less often", longer, WHEN_LIVE },
	{ { '-' }, "-", "look more often", shorter, WHEN_LIVE },
	{ { VIEW_KEY_RIGHT, '.', 'l' }, "Right .", "one tick on", step_on, WHEN_REPLAY },
	{ { VIEW_KEY_LEFT, ',' }, "Left ,", "one tick back", step_back, WHEN_REPLAY },
	{ { ']' }, "]", "a minute on", minute_on, WHEN_REPLAY },
	{ { '[' }, "[", "a minute back", minute_back, WHEN_REPLAY },
	{ { 'g' }, "g", "go to a time: 12:00:30, +90s, -5m, 50%", ask_jump, WHEN_REPLAY },
	{ { '+', '=' }, "+", "twice as fast", faster, WHEN_REPLAY },
	{ { '-' }, "-", "half as fast", slower, WHEN_REPLAY },
	{ { 's' }, "s", "save what is shown as a snapshot", save, WHEN_ANY },
	{ { CTRL('l'), VIEW_KEY_REDRAW }, "Ctrl-L", "draw the screen anew", redraw, WHEN_ANY },
	{ { '?', 'h', VIEW_KEY_F1 }, "? h F1", "this page", help, WHEN_ANY },
	{ { 'q', 'Q' }, "q", "quit", quit, WHEN_ANY },
	{ .run = NULL },
};

/* ---- dispatch ---- */

static int last_scroll(const struct view *v, const struct view_frame *f)
{
	struct view_text t;

	view_page_text(&t, f, v);
	int rows = v->rows_max - 2, most = (int)t.n > rows ? (int)t.n - rows : 0;
	view_text_free(&t);
	return most;
}

/* On a page of text the keys that move rows move lines. */
static bool scroll_key(struct view *v, const struct view_frame *f, int32_t key)
{
	int page = v->rows_max - 3;
	static const struct {
		int32_t key;
		int lines, pages;
	} moves[] = {
		{ 'j', 1, 0 },
		{ VIEW_KEY_DOWN, 1, 0 },
		{ 'k', -1, 0 },
		{ VIEW_KEY_UP, -1, 0 },
		{ VIEW_KEY_PAGE_DOWN, 0, 1 },
		{ VIEW_KEY_PAGE_UP, 0, -1 },
		{ VIEW_KEY_HOME, 0, -1000 },
		{ VIEW_KEY_END, 0, 1000 },
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		if (moves[i].key != key)
			continue;
		int to = v->scroll + moves[i].lines + moves[i].pages * page,
		    most = last_scroll(v, f);

		v->scroll = to < 0 ? 0 : to > most ? most : to;
		return true;
	}
	return false;
}

/* In the details n and N go to the next row, so that one needs not go back for it. */
static bool detail_key(struct view *v, const struct view_frame *f, int32_t key)
{
	if (v->page != PAGE_DETAIL || (key != 'n' && key != 'N'))
		return false;
	view_move(v, f, key == 'n' ? 1 : -1);
	return true;
}

void view_key(struct view *v, const struct view_frame *f, int32_t key)
{
	v->said[0] = '\0';
	if (v->prompt != PROMPT_NONE) {
		view_prompt_key(v, f, key);
		return;
	}
	if (v->page != PAGE_LIST && (scroll_key(v, f, key) || detail_key(v, f, key)))
		return;
	for (const struct view_binding *b = view_bindings; b->run; b++) {
		if (b->when == (f->replay ? WHEN_LIVE : WHEN_REPLAY))
			continue;
		for (int i = 0; i < 4 && b->keys[i]; i++) {
			if (b->keys[i] == key) {
				b->run(v, f);
				return;
			}
		}
	}
}
