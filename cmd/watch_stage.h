/* SPDX-License-Identifier: MIT */
/* Between cmd/watch_screen.c and cmd/watch_stage.c: what the screen shows. */
#ifndef CMD_WATCH_STAGE_H
#define CMD_WATCH_STAGE_H

#include <signal.h>

#include "cmd/watch.h"
#include "report/view.h"

enum { STRIPS = 512, KEPT_STRIPS = 1024 };

/*
 * The last that page tables said of a mapping. When the process has ended they
 * say nothing, but its last state may be looked at for hours.
 */
struct kept_strip {
	uint64_t start, end, rss, huge; /* what it was seen of: of other figures it tells nothing */
	uint8_t *cell;
	size_t n;
};

/* What stays as it was while the user pauses. */
struct frozen {
	struct sample sample;
	struct history history;
	struct rates rates;
};

struct stage {
	struct watching *w;
	struct view view;
	struct grid grid;
	struct view_frame frame;
	struct frozen still;
	bool is_still;
	struct strip strips[STRIPS], wide;
	struct kept_strip kept[KEPT_STRIPS];
	size_t kept_n; /* ever kept; the oldest goes */
	struct view_strips on;
	struct arena strip_arena;
	char notice[400];
	sigset_t during;
	int64_t due_ns;
	bool ended;          /* no more ticks come */
	bool dirty, resized; /* to be drawn */
	enum tick last;
	struct err error;    /* of the tick that failed */
};

/* From now on the moment on screen stays as it is. */
void stage_freeze(struct stage *x);
/* Draws. `moved`: there is another moment, or it is another place of a recording. */
void stage_show(struct stage *x, bool moved);
void stage_end(struct stage *x);

#endif
