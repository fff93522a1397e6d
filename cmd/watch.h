/* SPDX-License-Identifier: MIT */
/*
 * Between cmd/watch*.c and cmd/record.c: what is watched, and its moments.
 *
 * A moment is everything read at one tick, in arenas of its own. Four take
 * turns: the one now, the one before it, the one that stays on screen while
 * the user pauses, and the next. So memory is flat for days.
 */
#ifndef CMD_WATCH_H
#define CMD_WATCH_H

#include "cmd/judge.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "model/sample.h"
#include "model/slots.h"
#include "source/lines.h"
#include "source/pagemap.h"

struct recorder;

struct moment {
	struct snapshot snap;
	struct load load;       /* live: owns what snap points to */
	struct judged judged;
	struct changes changes; /* since the moment before */
	struct arena arena;     /* of the changes */
};
enum { MOMENTS = 4 };

struct live {
	struct tree *tree;
	int64_t pid;
	uint64_t start_ticks;
	int64_t begin_ns, last_ns; /* CLOCK_MONOTONIC of the first and the last tick */
	struct pace pace;
	int64_t strip_credit_ns, strip_last_ns; /* time that slot strips may take */
};

struct replay_at {
	bool full;
	int64_t time_ns;
};

struct replay {
	struct lines *lines;
	struct replay_at *at; /* of each line */
	size_t n, cap;
	size_t next;          /* line of the next tick */
	bool cut;             /* its last line is not whole, and left out */
};

struct watching {
	const struct watch_options *o;
	const char *argument;
	struct filter *filter;    /* NULL: all mappings */
	struct live live;         /* one of these two, by `replaying` */
	struct replay replay;
	bool replaying;
	struct moment ring[MOMENTS];
	struct moment *now, *before, *shown; /* NULL: none yet */
	bool fresh;               /* `now` was made by this tick */
	bool want_all;            /* the next line of a recording is a whole report */
	struct sample sample;
	struct history history;
	struct rates rates;
	uint64_t ticks;
	int32_t utc_offset_s;     /* of the user's clock */
	int ended_by;             /* a signal, raised again once all is put away; 0: none */
	struct recorder *recorder; /* NULL: none */
};

enum tick { TICK_MADE, TICK_END, TICK_FAILED };

/* ---- ticks ---- */

int live_start(struct watching *w, int64_t pid, struct err *e);
/*
 * One look at the target. TICK_END: it has ended or cannot be read any more;
 * w->sample.target says which, and the moment before stays.
 */
enum tick live_tick(struct watching *w, struct err *e);
void live_end(struct watching *w);

/* -1: no recording, in words. */
int replay_start(struct watching *w, struct err *e);
enum tick replay_next(struct watching *w, struct err *e);
/* Goes to a tick (from 0), with the history that led there. */
enum tick replay_seek(struct watching *w, size_t tick, struct err *e);
/* The tick a jump leads to, clamped. */
size_t replay_find(const struct watching *w, int kind, double by);
void replay_end(struct watching *w);

/* ---- moments ---- */

/* An empty one, which is neither now nor shown. */
struct moment *moment_new(struct watching *w);
void moment_drop(struct moment *x);
/* Judges x->snap, finds what changed since now, makes it now. -1: dropped. */
int moment_take(struct watching *w, struct moment *x, struct err *e);
/* After every tick: the history has one more point. */
void watching_note(struct watching *w);
void watching_forget(struct watching *w); /* all moments: what comes next follows nothing */

/* ---- looks (cmd/watch_look.c) ---- */

/* Into an empty moment. -1: not possible, in words. */
int look_full(struct watching *w, struct moment *x, struct err *e);
int look_scan(struct watching *w, struct moment *x, struct err *e);
int look_rollup(struct watching *w, struct err *e); /* into w->sample */
void look_counters(struct watching *w);
/* The strip of mapping i of m: from the page tables while `deadline_ns` allows, else estimated. */
void look_strip(struct pagemap *p, const struct model *m, uint32_t i, size_t cells,
		int64_t deadline_ns, struct arena *a, struct strip *ret);
int64_t monotonic_ns(void);
int64_t cpu_ns(void); /* that this process has used: what --max-cpu is about */

/* ---- showing ---- */

/* The screen. *ret_possible false: there is none here, nothing was done. */
int watch_screen(struct watching *w, bool *ret_possible);
/* Saves what is shown into a new directory; its name, or what went wrong, in `said`. */
void watch_save(const struct watching *w, const struct moment *x, char *said, size_t size);
int32_t utc_offset(int64_t time_ns); /* of the user's clock at that time, in seconds */
/* What a signal does when nobody takes it; of SIGTSTP it comes back after SIGCONT. */
void watch_raise(int sig);
/* "process 4711 has ended": why watching stopped. */
void watch_why(const struct watching *w, char *buf, size_t size);

/* ---- recording (cmd/record.c) ---- */

/* -1: it cannot be written. */
int recorder_open(struct recorder **ret, const char *path, uint64_t limit_kb, struct err *e);
/* One line, written at once. At the limit, or when the disk is full, it stops and says why. */
void recorder_tick(struct recorder *r, const struct watching *w);
bool recorder_wants_full(const struct recorder *r,
			 const struct watching *w); /* its next line is a whole report */
uint64_t recorder_bytes(const struct recorder *r);
const char *recorder_stopped(const struct recorder *r); /* why, or NULL: it goes on */
bool recorder_failed(const struct recorder *r); /* it stopped by a fault, not by its limit */
void recorder_close(struct recorder *r);                /* NULL is fine */

/* Ticks as lines: whole reports now and then, what changed between. Zero-initialise. */
struct tick_lines {
	bool started;
	uint64_t since_full; /* lines */
	struct out line;
};
bool tick_full_due(const struct tick_lines *t,
		   const struct watching *w); /* before the tick is taken */
struct slice tick_line(struct tick_lines *t, const struct watching *w);
void tick_lines_free(struct tick_lines *t);

#endif
