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
	rates_free(&x->still.rates);
	x->still.sample = x->w->sample;
	x->still.history = x->w->history;
	rates_copy(&x->still.rates, &x->w->rates);
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

static bool is_of(const struct kept_strip *k, const struct model *m, const struct vma *v, size_t n)
{
	return k->start == v->start && k->end == v->end && k->n == n &&
	       k->rss == vma_value(m->smaps, v, SMAPS_Rss) && k->huge == model_huge_kb(m, v);
}

static void keep(struct stage *x, const struct model *m, const struct vma *v, const struct strip *s)
{
	size_t n = x->kept_n < KEPT_STRIPS ? x->kept_n : KEPT_STRIPS, at = 0;

	while (at < n && (x->kept[at].start != v->start || x->kept[at].n != s->n))
		at++;
	struct kept_strip *k = &x->kept[at < n ? at : x->kept_n++ % KEPT_STRIPS];

	if (k->n != s->n) {
		mem_free(k->cell);
		k->cell = mem_alloc(s->n);
	}
	memcpy(k->cell, s->cell, s->n);
	k->n = s->n;
	k->start = v->start;
	k->end = v->end;
	k->rss = vma_value(m->smaps, v, SMAPS_Rss);
	k->huge = model_huge_kb(m, v);
}

static void recall(const struct stage *x, const struct model *m, const struct vma *v, struct strip *s)
{
	size_t n = x->kept_n < KEPT_STRIPS ? x->kept_n : KEPT_STRIPS;

	for (size_t i = 0; i < n; i++) {
		if (!is_of(&x->kept[i], m, v, s->n))
			continue;
		memcpy(s->cell, x->kept[i].cell, s->n);
		s->estimated = false;
		return;
	}
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

static void make_strip(struct stage *x, struct pagemap *p, uint32_t i, size_t cells, int64_t deadline,
		       struct strip *ret)
{
	const struct model *m = x->frame.m;
	const struct vma *v = &m->smaps->vma[i];

	look_strip(p, m, i, cells, deadline, &x->strip_arena, ret);
	if (!ret->n || x->w->replaying)
		return;
	if (ret->estimated)
		recall(x, m, v, ret);
	else
		keep(x, m, v, ret);
}

static void make_strips(struct stage *x)
{
	struct pagemap *p = open_pagemap(x);
	int64_t begin = monotonic_ns(), deadline = strip_deadline(x->w, begin);

	arena_free(&x->strip_arena);
	view_visible(&x->view, &x->frame, &x->on);
	x->frame.strips_n = x->on.n < STRIPS ? x->on.n : STRIPS;
	for (size_t i = 0; i < x->frame.strips_n; i++)
		make_strip(x, p, x->on.row[i], x->on.cells, deadline, &x->strips[i]);
	x->frame.strips = x->strips;
	x->frame.wide = NULL;
	if (x->on.wide_cells) {
		make_strip(x, p, x->on.wide, x->on.wide_cells, deadline, &x->wide);
		x->frame.wide = &x->wide;
	}
	pagemap_close(p);
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
	for (size_t i = 0; i < KEPT_STRIPS; i++)
		mem_free(x->kept[i].cell);
	arena_free(&x->strip_arena);
	grid_free(&x->grid);
	view_free(&x->view);
	rates_free(&x->still.rates);
	mem_free(x);
}
