/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* A live target: is it still there, still the same program, and how closely may one look. */
#include <errno.h>
#include <stdio.h>

#include "base/rfc3339.h"
#include "cmd/watch.h"
#include "model/image.h"

/* Slot strips may take a quarter of what --max-cpu allows, looks the rest. */
static const double STRIP_SHARE = 0.25;

static bool can_open(struct watching *w, const char *name)
{
	struct stream *in;
	char path[64];
	struct err e;

	snprintf(path, sizeof(path), "proc/%lld/%s", (long long)w->live.pid, name);
	if (stream_open(w->live.tree, path, 0, &in, &e) != GOT_ALL)
		return false;
	stream_close(in);
	return true;
}

static void learn_what_is_possible(struct watching *w)
{
	struct pagemap *p;
	struct err e;

	/* Its sums are of all mappings. */
	w->live.pace.can_rollup = !w->filter && can_open(w, "smaps_rollup");
	if (can_open(w, "maps") && pagemap_open(w->live.tree, w->live.pid, &p, &e) == GOT_ALL) {
		w->live.pace.can_scan = true;
		pagemap_close(p);
	}
}

int live_start(struct watching *w, int64_t pid, struct err *e)
{
	struct live *l = &w->live;
	struct process_id id;

	if (tree_open(w->o->common.root, &l->tree, e))
		return -1;
	if (pid == PID_SELF && !process_self(l->tree, &pid))
		return err_set(e, ERR_SYSTEM, "self: this process does not stand in proc/ of %s", w->o->common.root);
	l->pid = pid;
	enum got got = process_stat(l->tree, pid, &id, e);
	bool empty = got == GOT_ALL && (id.kernel_thread || id.state == 'Z' || id.state == 'X');
	if (got == GOT_FAILED || got == GOT_PARTIAL)
		return -1;
	if (empty || (got != GOT_ALL && tree_is_live(l->tree))) {
		process_explain(l->tree, pid, got, "smaps", e);
		return -1;
	}
	l->start_ticks = id.start_ticks;
	l->pace.share = w->o->max_cpu / 100 * (1 - STRIP_SHARE);
	learn_what_is_possible(w);
	return 0;
}

void live_end(struct watching *w)
{
	tree_close(w->live.tree);
	w->live.tree = NULL;
}

/* ---- is it still there? ---- */

static enum target_state target_now(struct watching *w)
{
	struct process_id id;
	struct err e;
	enum got got = process_stat(w->live.tree, w->live.pid, &id, &e);

	if (got == GOT_ABSENT && !tree_is_live(w->live.tree) && !w->live.start_ticks)
		return can_open(w, "smaps") ? TARGET_RUNS
					    : TARGET_ENDED; /* a saved tree without stat */
	if (got == GOT_DENIED)
		return TARGET_DENIED;
	if (got == GOT_FAILED || got == GOT_PARTIAL)
		return TARGET_RUNS; /* a read error says nothing of it; the look that follows may */
	if (got != GOT_ALL ||
	    id.start_ticks != w->live.start_ticks) /* or another process got its number */
		return TARGET_ENDED;
	return id.state == 'Z' || id.state == 'X' ? TARGET_ZOMBIE : TARGET_RUNS;
}

/* ---- a tick ---- */

static void begin(struct watching *w, int64_t now)
{
	struct sample *s = &w->sample;
	int64_t full_cost = s->full_cost_ns, interval = s->interval_ns;

	if (!w->ticks)
		w->live.begin_ns = now;
	*s = (struct sample){ .n = ++w->ticks,
			      .time_ns = time_now_ns(),
			      .elapsed_ns = now - w->live.begin_ns,
			      .interval_ns = interval,
			      .full_cost_ns = full_cost,
			      .full_age = s->full_age + 1,
			      .full_every = 1 };
	w->fresh = false;
}

/* Its own sums between full looks: another program has no sums of this one. */
static bool is_exec(const struct watching *w, const struct moment *x)
{
	return w->now && image_changed(&w->now->snap.smaps, &x->snap.smaps);
}

static int take_look(struct watching *w, enum look look, struct err *e)
{
	struct moment *x;
	int status;

	if (look == LOOK_ROLLUP)
		return look_rollup(w, e);
	if (look == LOOK_COUNTERS)
		return 0;
	x = moment_new(w);
	status = look == LOOK_FULL ? look_full(w, x, e) : look_scan(w, x, e);
	if (!status) {
		w->sample.exec = is_exec(w, x);
		status = moment_take(w, x, e);
	} else {
		moment_drop(x);
	}
	return status;
}

/* A look failed although the target runs: in the middle of an exec, or that look is barred. */
static int take_another(struct watching *w, enum look *look, struct err *e)
{
	if (!w->now)
		return -1;
	if (*look == LOOK_SCAN)
		w->live.pace.can_scan = false;
	if (*look == LOOK_ROLLUP)
		w->live.pace.can_rollup = false;
	if (*look == LOOK_FULL && e->kind != ERR_GONE)
		return -1;
	*look = LOOK_COUNTERS;
	return 0;
}

static void note_rates(struct watching *w)
{
	rates_begin(&w->rates, w->sample.elapsed_ns);
	if (w->fresh && w->sample.look == LOOK_FULL)
		rates_system(&w->rates, &w->now->snap.system);
	else
		look_counters(w);
	rates_end(&w->rates, false);
}

/* A last tick: the moment before stays, and it is said that there will be no other. */
static enum tick ended(struct watching *w, enum target_state state)
{
	uint64_t full_every = w->sample.full_every;

	if (w->now && w->sample.target == TARGET_RUNS)
		begin(w, monotonic_ns());
	w->sample.target = state;
	w->sample.look = LOOK_COUNTERS;
	w->sample.full_every = full_every;
	if (w->now)
		note_rates(w);
	return TICK_END;
}

enum tick live_tick(struct watching *w, struct err *e)
{
	struct live *l = &w->live;
	enum target_state state = target_now(w);

	if (state != TARGET_RUNS)
		return ended(w, state);
	int64_t begin_ns = monotonic_ns(), begin_cpu = cpu_ns();
	enum look look = pace_next(&l->pace, begin_ns);

	begin(w, begin_ns);
	if (take_look(w, look, e)) {
		if ((state = target_now(w)) != TARGET_RUNS)
			return ended(w, state);
		if (w->now && e->code == EACCES)
			return ended(w, TARGET_DENIED);
		if (take_another(w, &look, e))
			return TICK_FAILED;
	}
	w->sample.look = look;
	if (look != LOOK_FULL)
		w->sample.cost_ns = cpu_ns() - begin_cpu;
	pace_spent(&l->pace, look, w->sample.cost_ns);
	if (look == LOOK_FULL) {
		w->sample.full_cost_ns = w->sample.cost_ns;
		w->sample.full_age = 0;
	}
	w->sample.full_every = pace_full_every(&l->pace, w->sample.interval_ns);
	note_rates(w);
	watching_note(w);
	return TICK_MADE;
}
