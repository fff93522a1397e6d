/* SPDX-License-Identifier: MIT */
/*
 * A grid on a terminal, and keys from it. The only place that knows curses,
 * which is loaded when a screen is opened. Signals are the caller's: he blocks
 * them while he draws, and takes them in screen_wait() only, so that none
 * comes between two bytes of an escape sequence.
 */
#ifndef REPORT_SCREEN_H
#define REPORT_SCREEN_H

#include <signal.h>

#include "base/err.h"
#include "base/grid.h"

/*
 * Can a screen be drawn here? No: standard input or output is no terminal, or
 * TERM is dumb or not set (then e->kind is ERR_NONE); or curses is missing or
 * does not know the terminal (then e says so).
 */
bool screen_possible(struct err *e);

/* Takes standard input and output over. -1: curses fails. */
int screen_open(bool color, struct err *e);
/* Gives the terminal back as it was; does nothing when it is not open. Safe to call twice. */
void screen_close(void);
void screen_suspend(void); /* the same for a while, before a SIGTSTP */
void screen_resume(void);  /* and back: all is drawn anew by the next screen_draw() */

/* Takes the terminal's size anew. */
void screen_size(int *ret_rows, int *ret_cols);
void screen_draw(const struct grid *g);

enum screen_event {
	SCREEN_TIME,   /* the time is over */
	SCREEN_KEY,    /* there is a key for screen_key() */
	SCREEN_SIGNAL, /* a signal came that `during` lets through */
	SCREEN_GONE,   /* the terminal went away */
};
/* Waits for at most ns with the signal mask `during`. */
enum screen_event screen_wait(int64_t ns, const sigset_t *during);
/* The next key: a code point or enum view_special_key. 0: none; -1: the terminal went away. */
int32_t screen_key(void);

#endif
