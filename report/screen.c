/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include "report/screen.h"

#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "base/dl.h"
#include "report/style.h"
#include "report/view.h"

/* ---- curses ---- */

static struct {
	SCREEN *(*newterm)(const char *, FILE *, FILE *);
	int (*setupterm)(const char *, int, int *);
	struct term *(*set_curterm)(struct term *);
	int (*del_curterm)(struct term *);
	void (*delscreen)(SCREEN *);
	int (*endwin)(void);
	WINDOW *(*newwin)(int, int, int, int);
	int (*delwin)(WINDOW *);
	int (*resizeterm)(int, int);
	int (*wresize)(WINDOW *, int, int);
	int (*cbreak)(void);
	int (*noecho)(void);
	int (*nonl)(void);
	int (*curs_set)(int);
	int (*keypad)(WINDOW *, bool);
	int (*nodelay)(WINDOW *, bool);
	int (*set_escdelay)(int);
	int (*wget_wch)(WINDOW *, wint_t *);
	int (*wmove)(WINDOW *, int, int);
	int (*waddnwstr)(WINDOW *, const wchar_t *, int);
	int (*wattr_set)(WINDOW *, attr_t, short, void *);
	int (*werase)(WINDOW *);
	int (*clearok)(WINDOW *, bool);
	int (*wrefresh)(WINDOW *);
	bool (*has_colors)(void);
	int (*start_color)(void);
	int (*use_default_colors)(void);
	int (*init_pair)(short, short, short);
} nc;

static int load(struct err *e)
{
	static const struct dl_symbol symbols[] = {
#define SYMBOL(name) { #name, (void **)&nc.name }
		SYMBOL(newterm), SYMBOL(setupterm),    SYMBOL(delscreen),	  SYMBOL(endwin),
		SYMBOL(newwin),	    SYMBOL(delwin),	  SYMBOL(resizeterm),
		SYMBOL(wresize),    SYMBOL(cbreak),	  SYMBOL(noecho),
		SYMBOL(nonl),	    SYMBOL(curs_set),	  SYMBOL(keypad),
		SYMBOL(nodelay),    SYMBOL(set_escdelay), SYMBOL(wget_wch),
		SYMBOL(wmove),	    SYMBOL(waddnwstr),	  SYMBOL(wattr_set),
		SYMBOL(werase),	    SYMBOL(clearok),	  SYMBOL(wrefresh),
		SYMBOL(has_colors), SYMBOL(start_color),  SYMBOL(use_default_colors),
		SYMBOL(init_pair),  SYMBOL(set_curterm),  SYMBOL(del_curterm),
#undef SYMBOL
	};

	return dl_load("libncursesw.so.6", "libncursesw6", symbols,
		       sizeof(symbols) / sizeof(*symbols), e);
}

static struct {
	SCREEN *screen;
	WINDOW *window;
	bool open, away; /* away: given back for a while */
	bool color;
	bool redraw;
} me;

/* How a meaning looks: with colours, and on a terminal without them. */
static const struct look_of_role {
	short color; /* -1: the terminal's own */
	attr_t with_color, without;
} looks_of[ROLE_COUNT] = {
	[ROLE_PLAIN] = { -1, A_NORMAL, A_NORMAL },
	[ROLE_TITLE] = { -1, A_BOLD, A_BOLD },
	[ROLE_DIM] = { -1, A_DIM, A_NORMAL },
	[ROLE_GOOD] = { COLOR_GREEN, A_BOLD, A_BOLD },
	[ROLE_BAD] = { COLOR_RED, A_BOLD, A_BOLD },
	[ROLE_HIGH] = { COLOR_RED, A_BOLD, A_BOLD },
	[ROLE_MEDIUM] = { COLOR_YELLOW, A_NORMAL, A_NORMAL },
	[ROLE_LOW] = { COLOR_CYAN, A_NORMAL, A_NORMAL },
	[ROLE_HUGE] = { COLOR_GREEN, A_NORMAL, A_NORMAL },
	[ROLE_NOT_DELIVERED] = { COLOR_YELLOW, A_NORMAL, A_NORMAL },
	[ROLE_NOT_ALLOWED] = { COLOR_RED, A_NORMAL, A_NORMAL },
	[ROLE_MISPLACED] = { COLOR_MAGENTA, A_NORMAL, A_NORMAL },
	[ROLE_TOO_SMALL] = { -1, A_DIM, A_NORMAL },
};

/* ---- opening and closing ---- */

bool screen_possible(struct err *e)
{
	const char *term = getenv("TERM");
	int known;

	*e = (struct err){ 0 };
	if (!term || !*term || !strcmp(term, "dumb") || !isatty(STDIN_FILENO) ||
	    !isatty(STDOUT_FILENO))
		return false;
	if (load(e))
		return false;
	if (nc.setupterm(NULL, STDOUT_FILENO, &known) == OK) {
		nc.del_curterm(nc.set_curterm(NULL)); /* newterm() reads its own */
		return true;
	}
	err_set(e, ERR_SYSTEM, "curses does not know the terminal '%.60s' (TERM)", term);
	return false;
}

static void start_colors(void)
{
	me.color = me.color && nc.has_colors() && nc.start_color() == OK;
	if (!me.color)
		return;
	short back = nc.use_default_colors() == OK ? -1 : COLOR_BLACK;

	for (int i = 0; i < ROLE_COUNT; i++) {
		short front = looks_of[i].color;

		nc.init_pair((short)(i + 1), front < 0 && back >= 0 ? COLOR_WHITE : front, back);
	}
}

int screen_open(bool color, struct err *e)
{
	if (load(e))
		return -1;
	me.screen = nc.newterm(NULL, stdout, stdin);
	if (!me.screen)
		return err_set(e, ERR_SYSTEM, "curses does not know the terminal '%s' (TERM)",
			       getenv("TERM"));
	me.color = color;
	me.open = true;
	nc.cbreak(); /* Ctrl-C and Ctrl-Z stay signals */
	nc.noecho();
	nc.nonl();
	nc.set_escdelay(25); /* ms; a lone Esc should not feel slow */
	start_colors();
	me.window = nc.newwin(0, 0, 0, 0);
	if (!me.window) {
		screen_close();
		return err_set(e, ERR_SYSTEM, "curses has no room for a window");
	}
	nc.keypad(me.window, true);
	nc.nodelay(me.window, true);
	nc.curs_set(0);
	me.redraw = true;
	return 0;
}

void screen_close(void)
{
	if (!me.open)
		return;
	me.open = false;
	if (!me.away) {
		nc.curs_set(1);
		nc.endwin();
	}
	me.away = false;
	if (me.window)
		nc.delwin(me.window);
	me.window = NULL;
	nc.delscreen(me.screen);
	me.screen = NULL;
}

void screen_suspend(void)
{
	if (!me.open || me.away)
		return;
	nc.curs_set(1);
	nc.endwin();
	me.away = true;
}

void screen_resume(void)
{
	if (!me.open)
		return;
	me.away = false;
	me.redraw = true; /* the first refresh brings the modes of the terminal back */
}

/* ---- drawing ---- */

void screen_size(int *ret_rows, int *ret_cols)
{
	struct winsize ws = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) || !ws.ws_row || !ws.ws_col)
		ws = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	*ret_rows = ws.ws_row;
	*ret_cols = ws.ws_col;
	if (me.open) {
		nc.resizeterm(*ret_rows, *ret_cols);
		nc.wresize(me.window, *ret_rows, *ret_cols);
		me.redraw = true;
	}
}

static void set_role(uint8_t role)
{
	const struct look_of_role *l = &looks_of[role & ~GRID_REVERSE];
	attr_t attr = me.color ? l->with_color : l->without;

	if (role & GRID_REVERSE)
		attr |= A_REVERSE;
	nc.wattr_set(me.window, attr, me.color ? (short)((role & ~GRID_REVERSE) + 1) : 0, NULL);
}

/* Terminated, as waddnwstr() looks at one more than it is told to write (ncurses 6.4). */
static void put_text(wchar_t *text, int n)
{
	text[n] = L'\0';
	nc.waddnwstr(me.window, text, n);
}

/* Cells of one role next to each other go out as one string. */
static void draw_row(const struct grid *g, int row)
{
	enum { ROOM = 256 };
	wchar_t text[ROOM + 1];
	int n = 0, role = -1;

	nc.wmove(me.window, row, 0);
	for (int col = 0; col < g->cols; col++) {
		const struct cell *c = grid_at(g, row, col);

		if (c->ch == 0)
			continue;
		if (c->role != role || n + 1 + GRID_MARKS > ROOM) {
			put_text(text, n);
			n = 0;
			role = c->role;
			set_role(c->role);
		}
		text[n++] = (wchar_t)c->ch;
		for (int i = 0; i < GRID_MARKS && c->mark[i]; i++)
			text[n++] = (wchar_t)c->mark[i];
	}
	put_text(text, n);
}

void screen_draw(const struct grid *g)
{
	if (!me.open || me.away)
		return;
	nc.werase(me.window);
	for (int row = 0; row < g->rows; row++)
		draw_row(g, row);
	if (me.redraw)
		nc.clearok(me.window, true);
	me.redraw = false;
	nc.wrefresh(me.window);
}

/* ---- keys ---- */

static const struct {
	wint_t curses;
	int32_t key;
} special[] = {
	{ KEY_UP, VIEW_KEY_UP },	 { KEY_DOWN, VIEW_KEY_DOWN },
	{ KEY_LEFT, VIEW_KEY_LEFT },	 { KEY_RIGHT, VIEW_KEY_RIGHT },
	{ KEY_PPAGE, VIEW_KEY_PAGE_UP }, { KEY_NPAGE, VIEW_KEY_PAGE_DOWN },
	{ KEY_HOME, VIEW_KEY_HOME },	 { KEY_END, VIEW_KEY_END },
	{ KEY_ENTER, VIEW_KEY_ENTER },	 { KEY_BTAB, VIEW_KEY_BACK_TAB },
	{ KEY_F(1), VIEW_KEY_F1 },	 { KEY_BACKSPACE, VIEW_KEY_BACKSPACE },
};

enum screen_event screen_wait(int64_t ns, const sigset_t *during)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	struct timespec t = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	int n = ppoll(&p, 1, &t, during);

	if (n < 0)
		return errno == EINTR ? SCREEN_SIGNAL : SCREEN_GONE;
	if (n == 0)
		return SCREEN_TIME;
	return p.revents & POLLIN ? SCREEN_KEY : SCREEN_GONE;
}

/* No bytes although poll() said there were some: the other end is closed. */
static bool at_end(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int n;

	return poll(&p, 1, 0) == 1 && (ioctl(STDIN_FILENO, FIONREAD, &n) || n == 0);
}

int32_t screen_key(void)
{
	wint_t c;
	int kind;

	/* Keys without a meaning are passed over: others may wait behind them, unseen by poll(). */
	while ((kind = nc.wget_wch(me.window, &c)) != ERR) {
		if (kind == OK)
			return c == 27 ? VIEW_KEY_ESC : (int32_t)c;
		for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
			if (special[i].curses == c)
				return special[i].key;
	}
	return at_end() ? -1 : 0;
}
