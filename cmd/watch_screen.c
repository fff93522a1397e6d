/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* The screen: ticks, keys and signals, one after the other. */
#include <signal.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/diag.h"
#include "cmd/watch_stage.h"
#include "report/screen.h"

/* ---- signals ---- */

static volatile sig_atomic_t sig_end, sig_stop, sig_size, sig_go_on;

static void on_end(int sig)
{
	sig_end = sig;
}

static void on_other(int sig)
{
	if (sig == SIGTSTP)
		sig_stop = 1;
	else if (sig == SIGWINCH)
		sig_size = 1;
	else
		sig_go_on = 1;
}

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT },
		 others[] = { SIGTSTP, SIGWINCH, SIGCONT };

static void catch_signals(sigset_t *ret_during)
{
	struct sigaction end = { .sa_handler = on_end }, other = { .sa_handler = on_other };
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		sigaction(ends[i], &end, NULL);
		sigaddset(&block, ends[i]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		sigaction(others[i], &other, NULL);
		sigaddset(&block, others[i]);
	}
	sigprocmask(SIG_BLOCK, &block, ret_during);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		sigdelset(ret_during, others[i]);
}

static void stop_and_go_on(struct stage *x)
{
	struct sigaction other = { .sa_handler = on_other };
	sigset_t set;

	screen_suspend();
	watch_raise(SIGTSTP);
	sigaction(SIGTSTP, &other, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sig_stop = 0;
	sig_go_on = 1;
	(void)x;
}

static void take_signals(struct stage *x)
{
	if (sig_stop)
		stop_and_go_on(x);
	if (sig_go_on) {
		sig_go_on = 0;
		screen_resume();
		x->resized = x->dirty = true;
	}
	if (sig_size) {
		sig_size = 0;
		x->resized = x->dirty = true;
	}
}

/* ---- ticks ---- */

static int64_t interval_ns(const struct stage *x)
{
	int64_t ns =
		x->w->replaying ? x->w->sample.interval_ns : (int64_t)x->view.interval_ms * 1000000;

	if (!x->w->replaying)
		return ns;
	/* As it was recorded, times the speed. */
	return x->view.speed >= 0 ? ns >> x->view.speed : ns << -x->view.speed;
}

static void after_tick(struct stage *x, enum tick t)
{
	x->last = t;
	if (t == TICK_MADE || (t == TICK_END && x->w->now && !x->w->replaying))
		recorder_tick(x->w->recorder, x->w);
	x->ended = t != TICK_MADE;
	x->dirty = true;
	if (x->ended)
		x->view.said[0] = '\0'; /* the end is worth more than the answer to a key */
}

static void tick(struct stage *x)
{
	struct watching *w = x->w;

	w->sample.interval_ns = interval_ns(x);
	w->want_all = recorder_wants_full(w->recorder, w);
	after_tick(x, w->replaying ? replay_next(w, &x->error) : live_tick(w, &x->error));
}

/* While it is paused a target is left alone, unless a recording shall have no gap. */
static bool ticks_go_on(const struct stage *x)
{
	return !x->ended && (!x->is_still || (!x->w->replaying && x->w->recorder));
}

static void tick_when_due(struct stage *x)
{
	int64_t now = monotonic_ns();

	if (!ticks_go_on(x) || now < x->due_ns)
		return;
	tick(x);
	x->due_ns += interval_ns(x);
	if (x->due_ns <= now) /* late: ticks that were missed are not made up for */
		x->due_ns = now + interval_ns(x);
	if (x->w->now)
		stage_show(x, !x->is_still);
}

/* ---- what keys ask for ---- */

static void seek(struct stage *x, size_t tick_number)
{
	after_tick(x, replay_seek(x->w, tick_number, &x->error));
	if (x->last == TICK_END)
		x->last = TICK_MADE;
	x->ended = x->last == TICK_FAILED || x->w->replay.next >= x->w->replay.n;
}

static void step(struct stage *x)
{
	int64_t to = (int64_t)x->w->replay.next - 1 + x->view.step;

	x->view.step = 0;
	seek(x, to < 0 ? 0 : (size_t)to);
}

static void pause_or_go(struct stage *x)
{
	if (x->view.paused && !x->is_still && !x->w->replaying) {
		stage_freeze(x);
	} else if (!x->view.paused && x->is_still) {
		x->is_still = false;
		x->due_ns = monotonic_ns();
	}
	if (x->w->replaying)
		x->due_ns = monotonic_ns() + interval_ns(x);
}

static void carry_out(struct stage *x)
{
	unsigned asks = x->view.asks;

	x->view.asks &= ASK_STRIPS | ASK_QUIT;
	if (asks & ASK_SAVE)
		watch_save(x->w, x->w->shown, x->view.said, sizeof(x->view.said));
	if (asks & ASK_REDRAW)
		x->resized = true;
	if (x->w->replaying && asks & ASK_STEP)
		step(x);
	if (x->w->replaying && asks & ASK_JUMP)
		seek(x, replay_find(x->w, (int)x->view.jump_kind, x->view.jump));
	stage_show(x, asks & (ASK_STEP | ASK_JUMP));
}

static void take_keys(struct stage *x)
{
	uint64_t before = x->view.interval_ms;
	int speed = x->view.speed;
	bool paused = x->view.paused;
	int32_t key;

	while ((key = screen_key()) > 0) {
		view_key(&x->view, &x->frame, key);
		if (paused != x->view.paused)
			pause_or_go(x);
		paused = x->view.paused;
		carry_out(x);
	}
	if (key < 0)
		sig_end = SIGHUP;
	if (before != x->view.interval_ms || speed != x->view.speed)
		x->due_ns = monotonic_ns() + interval_ns(x);
}

/* ---- the loop ---- */

static bool enough(const struct stage *x)
{
	return sig_end || x->view.asks & ASK_QUIT ||
	       (x->w->o->iterations && x->w->ticks >= x->w->o->iterations);
}

static void loop(struct stage *x)
{
	while (!enough(x)) {
		int64_t left = x->due_ns - monotonic_ns();

		if (!ticks_go_on(x) || (x->w->replaying && x->view.paused))
			left = INT64_C(3600) * 1000000000;
		switch (screen_wait(left > 0 ? left : 0, &x->during)) {
		case SCREEN_KEY:
			take_keys(x);
			break;
		case SCREEN_GONE:
			sig_end = SIGHUP;
			break;
		case SCREEN_SIGNAL:
			take_signals(x);
			break;
		case SCREEN_TIME:
			break;
		}
		if (sig_end)
			break;
		if (x->dirty)
			stage_show(x, false);
		if (!(x->w->replaying && x->view.paused))
			tick_when_due(x);
	}
}

static enum view_sort sort_of(int key)
{
	static const enum view_sort sorts[] = {
		[SORT_COST] = VIEW_SORT_COST, [SORT_ADDRESS] = VIEW_SORT_ADDRESS,
		[SORT_SIZE] = VIEW_SORT_SIZE, [SORT_RSS] = VIEW_SORT_RSS,
		[SORT_HUGE] = VIEW_SORT_HUGE, [SORT_SLOTS] = VIEW_SORT_SLOTS,
		[SORT_NAME] = VIEW_SORT_NAME,
	};

	return sorts[key];
}

/* The status, and behind the screen in words why it went. */
static int farewell(struct stage *x)
{
	struct watching *w = x->w;
	char why[400];
	int status = STATUS_DONE;

	if (w->recorder && recorder_stopped(w->recorder)) {
		diag_note("%s", recorder_stopped(w->recorder));
		status = recorder_failed(w->recorder) ? STATUS_FAILED : STATUS_DONE;
	}
	if (x->last == TICK_FAILED)
		status = diag_print(&x->error);
	if (w->sample.target != TARGET_RUNS && !w->replaying) {
		watch_why(w, why, sizeof(why));
		diag_note("%s", why);
		status = STATUS_ENDED;
	}
	return status;
}

static void on_exhausted(void)
{
	static const char text[] = "hugecov: out of memory\n";

	screen_suspend();
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)n; /* there is nobody else to tell */
	_exit(STATUS_FAILED);
}

/* The first tick comes before the screen: what cannot be read is said on a clean terminal. */
static int first_tick(struct stage *x)
{
	tick(x);
	if (x->w->now)
		return 0;
	if (x->last == TICK_FAILED)
		return diag_print(&x->error);
	return farewell(x);
}

int watch_screen(struct watching *w, bool *ret_possible)
{
	struct text_style style = output_style(STDOUT_FILENO, &w->o->common);
	struct err e;
	int status;

	*ret_possible = screen_possible(&e);
	if (!*ret_possible) {
		if (e.kind != ERR_NONE)
			diag_note("%s: lines instead of a screen", e.text);
		return 0;
	}
	struct stage *x = mem_zalloc(sizeof(*x));
	x->w = w;
	view_start(&x->view, style, w->o->interval_ms);
	x->view.sort = sort_of(w->o->common.sort);
	x->view.all = w->o->common.all;
	x->view.top = w->o->common.top;
	x->resized = true;
	if ((status = first_tick(x))) {
		stage_end(x);
		return status;
	}
	catch_signals(&x->during);
	mem_on_exhausted(on_exhausted);
	x->due_ns = monotonic_ns() + interval_ns(x);
	if (screen_open(style.color, &e)) {
		status = diag_print(&e);
	} else {
		stage_show(x, true);
		loop(x);
		screen_close();
		status = farewell(x);
	}
	stage_end(x);
	w->ended_by = sig_end;
	return status;
}
