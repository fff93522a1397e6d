/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* What the screen shows: the moment, the slots of what is in sight, the drawing. */
#include "cmd/watch_stage.h"

#include <stdio.h>
#include <string.h>

#include "report/screen.h"

/* ---- the moment that is shown ---- */

void stage_freeze(struct stage *x)
{
	const struct rates *r = &x->w->rates;

	rates_free(&x->still.rates);
	x->still.sample = x->w->sample;
	x->still.history = x->w->history;
	x->still.rates = *r;
	x->still.rates.at = mem_array(r->n, sizeof(*r->at));
	if (r->n)
		memcpy(x->still.rates.at, r->at, r->n * sizeof(*r->at));
	x->is_still = true;
}

static void make_notice(struct stage *x)
{
	char why[256];

	x->frame.notice = NULL;
	if (x->w->sample.target != TARGET_RUNS) {
		watch_why(x->w, why, sizeof(why));
		snprintf(x->notice, sizeof(x->notice), "P%s: this is its last state. q quits",
			 why + 1);
	} else if (x->last == TICK_FAILED) {
		snprintf(x->notice, sizeof(x->notice), "%.300s. q quits", x->error.text);
	} else if (x->w->recorder && recorder_stopped(x->w->recorder)) {
		snprintf(x->notice, sizeof(x->notice), "%s", recorder_stopped(x->w->recorder));
	} else if (x->w->replaying && x->ended) {
		snprintf(x->notice, sizeof(x->notice), "The end of the recording%s. q quits",
			 x->w->replay.cut ? "; its last line is cut, and left out" : "");
	} else {
		return;
	}
	x->frame.notice = x->notice;
}

static void make_frame(struct stage *x)
{
	struct watching *w = x->w;
	struct view_frame *f = &x->frame;

	if (!x->is_still && w->now)
		w->shown = w->now;
	f->m = &w->shown->judged.model;
	f->findings = &w->shown->judged.findings;
	f->changes = w->shown == w->now && !w->fresh ? NULL : &w->shown->changes;
	f->s = x->is_still ? &x->still.sample : &w->sample;
	f->history = x->is_still ? &x->still.history : &w->history;
	f->rates = x->is_still ? &x->still.rates : &w->rates;
	f->utc_offset_s = utc_offset(f->s->time_ns);
	f->recording = w->recorder && !recorder_stopped(w->recorder);
	f->recorded = w->recorder ? recorder_bytes(w->recorder) : 0;
	f->replay = w->replaying;
	f->replay_at = w->replay.next;
	f->replay_of = w->replay.n;
	make_notice(x);
}

/* ---- slots ---- */

/* Looking at page tables is rationed like any look: a quarter of --max-cpu. */
static int64_t strip_deadline(struct watching *w, int64_t now)
{
	struct live *l = &w->live;
	double share = w->o->max_cpu / 100 / 4;
	int64_t most = (int64_t)((double)w->sample.interval_ns * share), least = 200000;

	l->strip_credit_ns += (int64_t)((double)(now - l->strip_last_ns) * share);
	if (l->strip_credit_ns > most)
		l->strip_credit_ns = most;
	l->strip_last_ns = now;
	return now + (l->strip_credit_ns > least ? l->strip_credit_ns : least);
}

static const struct strip *known_strip(const struct strip *old, size_t n, uint64_t start,
				       size_t cells)
{
	for (size_t i = 0; i < n; i++)
		if (old[i].start == start && old[i].n <= cells)
			return &old[i];
	return NULL;
}

/* Of a moment that passed the page tables tell nothing any more. */
static struct pagemap *open_pagemap(struct stage *x)
{
	struct watching *w = x->w;
	struct pagemap *p;
	struct err e;

	if (w->replaying || x->is_still || x->ended || !w->live.tree)
		return NULL;
	return pagemap_open(w->live.tree, w->live.pid, &p, &e) == GOT_ALL ? p : NULL;
}

static void make_strips(struct stage *x)
{
	static struct strip old[STRIPS];
	const struct model *m = x->frame.m;
	struct pagemap *p = open_pagemap(x);
	int64_t begin = monotonic_ns(), deadline = strip_deadline(x->w, begin);
	bool passed = !x->w->replaying && (x->is_still || x->ended);
	size_t old_n = passed ? x->frame.strips_n : 0; /* what was seen of it stays */
	struct arena before = x->strip_arena;

	memcpy(old, x->strips, old_n * sizeof(*old));
	x->strip_arena = (struct arena){ 0 };
	view_visible(&x->view, &x->frame, &x->on);
	x->frame.strips_n = x->on.n < STRIPS ? x->on.n : STRIPS;
	for (size_t i = 0; i < x->frame.strips_n; i++) {
		uint64_t start = m->smaps->vma[x->on.row[i]].start;
		const struct strip *k = known_strip(old, old_n, start, x->on.cells);

		look_strip(p, m, x->on.row[i], x->on.cells, deadline, &x->strip_arena,
			   &x->strips[i]);
		if (k && k->n == x->strips[i].n && k->n) {
			memcpy(x->strips[i].cell, k->cell, k->n);
			x->strips[i].estimated = k->estimated;
		}
	}
	x->frame.strips = x->strips;
	x->frame.wide = NULL;
	if (x->on.wide_cells) {
		look_strip(p, m, x->on.wide, x->on.wide_cells, deadline, &x->strip_arena, &x->wide);
		x->frame.wide = &x->wide;
	}
	pagemap_close(p);
	arena_free(&before);
	x->w->live.strip_credit_ns -= monotonic_ns() - begin;
}

/* ---- drawing ---- */

void stage_show(struct stage *x, bool moved)
{
	int rows, cols;

	make_frame(x);
	if (x->resized) {
		x->resized = false;
		screen_size(&rows, &cols);
		view_size(&x->view, &x->frame, rows, cols);
	}
	if (moved)
		view_update(&x->view, &x->frame);
	if (moved || x->view.asks & ASK_STRIPS)
		make_strips(x);
	x->view.asks &= ~(unsigned)ASK_STRIPS;
	view_draw(&x->grid, &x->frame, &x->view);
	screen_draw(&x->grid);
	x->dirty = false;
}

void stage_end(struct stage *x)
{
	arena_free(&x->strip_arena);
	grid_free(&x->grid);
	view_free(&x->view);
	rates_free(&x->still.rates);
	mem_free(x);
}
