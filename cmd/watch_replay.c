/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* A recording instead of a target: one line after the other, and jumps. */
#include <math.h>
#include <stdio.h>

#include "cmd/watch.h"
#include "model/replay.h"
#include "parse/json_read.h"
#include "report/view.h"

/* ---- opening ---- */

static bool note_line(void *ctx, size_t i, struct slice head)
{
	struct replay *r = ctx;
	int64_t time_ns;
	enum replay_line kind = replay_kind(head, &time_ns);

	/* Of a report on many lines the first one looks like a recording's. */
	if (i < 2 && kind == REPLAY_OTHER)
		r->n = 0;
	if (i < 2 && (kind == REPLAY_OTHER || (i == 0 && kind != REPLAY_FULL)))
		return false;
	r->at = mem_grow(r->at, &r->cap, r->n + 1, sizeof(*r->at));
	r->at[r->n++] = (struct replay_at){ .full = kind == REPLAY_FULL, .time_ns = time_ns };
	return true;
}

/* A last line without a newline was cut when its writer was killed, unless it is whole. */
static void drop_cut_line(struct replay *r)
{
	struct json_doc d;
	struct slice line;
	struct err ignored;

	if (!lines_cut(r->lines) || r->n == 0)
		return;
	if (!lines_read(r->lines, r->n - 1, &line, &ignored) && !json_read(line, 1, &d, &ignored)) {
		json_doc_free(&d);
		return;
	}
	r->n--;
	r->cut = true;
}

int replay_start(struct watching *w, struct err *e)
{
	struct replay *r = &w->replay;

	if (lines_open(w->argument, REPLAY_HEAD, note_line, r, &r->lines, e))
		return -1;
	drop_cut_line(r);
	if (r->n == 0) {
		if (r->cut)
			err_set(e, ERR_PARSE, "a recording without one whole line");
		else
			err_set(e, ERR_KIND, "not a recording");
		return err_in(e, w->argument);
	}
	return 0;
}

void replay_end(struct watching *w)
{
	lines_close(w->replay.lines);
	mem_free(w->replay.at);
	w->replay = (struct replay){ 0 };
}

/* ---- ticks ---- */

static int read_line(struct watching *w, struct moment *x, size_t i, struct sample *s,
		     struct err *e)
{
	struct slice line;

	if (lines_read(w->replay.lines, i, &line, e))
		return -1;
	int status = w->replay.at[i].full || !w->now ?
			     replay_full(line, i + 1, &x->snap, s, &w->rates, e) :
			     replay_tick(line, i + 1, &w->now->snap, &x->snap, s, &w->rates, e);
	return status ? err_in(e, w->argument) : 0;
}

/* Of a recording the whole report may be one that another program wrote, without a tick. */
static void complete_sample(struct watching *w, struct sample *s, size_t i)
{
	if (!s->n)
		s->n = i + 1;
	if (!s->elapsed_ns && i && s->time_ns >= 0 && w->replay.at[0].time_ns >= 0)
		s->elapsed_ns = s->time_ns - w->replay.at[0].time_ns;
}

enum tick replay_next(struct watching *w, struct err *e)
{
	struct replay *r = &w->replay;
	struct sample s;

	if (r->next >= r->n)
		return TICK_END;
	struct moment *x = moment_new(w);
	w->fresh = false;
	if (read_line(w, x, r->next, &s, e)) {
		moment_drop(x);
		return TICK_FAILED;
	}
	complete_sample(w, &s, r->next);
	w->sample = s;
	if (moment_take(w, x, e))
		return TICK_FAILED;
	w->ticks = ++r->next;
	watching_note(w);
	return TICK_MADE;
}

/* Ticks of history that a jump brings along: as wide as a screen. */
enum { BEFORE_JUMP = 200 };

enum tick replay_seek(struct watching *w, size_t tick, struct err *e)
{
	struct replay *r = &w->replay;

	tick = tick < r->n ? tick : r->n - 1;
	if (tick < r->next || tick > r->next + BEFORE_JUMP) {
		size_t from = tick > BEFORE_JUMP ? tick - BEFORE_JUMP : 0;

		while (from > 0 && !r->at[from].full)
			from--;
		r->next = from;
		w->history = (struct history){ 0 };
		rates_free(&w->rates);
		watching_forget(w);
	}
	enum tick t = TICK_MADE;
	while (t == TICK_MADE && r->next <= tick)
		t = replay_next(w, e);
	return t;
}

/* ---- where a jump leads to ---- */

static size_t first_at(const struct replay *r, int64_t time_ns)
{
	size_t i = 0;

	while (i + 1 < r->n && r->at[i].time_ns < time_ns)
		i++;
	return i;
}

/* That time of the day, on the first day or, when it has passed then, on the next. */
static int64_t clock_ns(const struct watching *w, double second)
{
	const struct replay *r = &w->replay;
	int64_t day = INT64_C(86400), begin = r->at[0].time_ns / 1000000000 + w->utc_offset_s;
	int64_t s = begin - (begin % day + day) % day + (int64_t)second;

	if (s < begin)
		s += day;
	return (s - w->utc_offset_s) * 1000000000;
}

/* Before and behind what can be told lie the ends of any recording. */
static int64_t later(int64_t time_ns, double seconds)
{
	double ns = seconds * 1e9;
	int64_t ret;

	if (fabs(ns) >= 0x1p63 || __builtin_add_overflow(time_ns, (int64_t)ns, &ret))
		return ns < 0 ? INT64_MIN : INT64_MAX;
	return ret;
}

size_t replay_find(const struct watching *w, int kind, double by)
{
	const struct replay *r = &w->replay;

	switch ((enum view_jump)kind) {
	case JUMP_PERCENT:
		return (size_t)((double)(r->n - 1) * by / 100);
	case JUMP_CLOCK:
		return first_at(r, clock_ns(w, by));
	default:
		return first_at(r, later(w->sample.time_ns, by));
	}
}
