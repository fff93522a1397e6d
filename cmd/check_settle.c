/* SPDX-License-Identifier: MIT */
/* --settle: a service that has just started is judged when its huge pages stand still. */
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>

#include "cmd/check.h"
#include "cmd/diag.h"
#include "model/measure.h"

/* Share and resident memory that move less than this, over the window, stand still. */
static const double SHARE_STILL = 0.001, RSS_STILL = 0.01;
enum { WINDOW_MIN_MS = 200, WINDOW_MAX_MS = 2000, POLL_MIN_MS = 20 };

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void check_pause_ms(uint64_t ms)
{
	struct timespec t = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

struct look {
	double rss, share;
};

/* Sums of all live sources by smaps_rollup: one file each, and no mappings to print. */
static bool look(const struct check *c, const char **live, size_t n, struct look *ret)
{
	struct common_options o = c->o->common;
	struct check_sums sum = { 0 };
	struct load l;
	struct err e;

	o.rollup = true;
	if (load_sources(&l, live, n, &o, (struct load_options){ .each = true }, &e))
		return false; /* the judgement will say why */
	for (size_t i = 0; i < l.n; i++) {
		struct check_sums x = check_sums(&l.snaps[i].smaps);

		sum.rss += x.rss;
		sum.huge += x.huge;
	}
	load_free(&l);
	*ret = (struct look){ .rss = (double)sum.rss,
			      .share = sum.rss ? (double)sum.huge / (double)sum.rss : 0 };
	return true;
}

static bool near(double a, double b, double apart)
{
	return (a > b ? a - b : b - a) <= apart;
}

static size_t live_sources(const struct check *c, const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < c->call->n_args; i++) {
		enum source_form form;
		int64_t pid;
		struct err e;

		if (!source_form(c->call->args[i], &form, &pid, &e) &&
		    (form == FORM_PID || form == FORM_SELF))
			ret[n++] = c->call->args[i];
	}
	return n;
}

static uint64_t between(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* Looks until nothing has moved for a window, or the time is up. False: it moved, and not long ago. */
static bool stands_still(const struct check *c, const char **live, size_t n)
{
	uint64_t start = now_ms(), since = start, until = start + c->o->settle_ms;
	uint64_t window = between(c->o->settle_ms / 4, WINDOW_MIN_MS, WINDOW_MAX_MS);
	struct look first = { 0 }, x;
	bool moved = false;

	for (size_t i = 0; now_ms() < until; i++) {
		if (!look(c, live, n, &x))
			return true;
		if (i == 0 || !near(x.share, first.share, SHARE_STILL) ||
		    !near(x.rss, first.rss, first.rss * RSS_STILL)) {
			moved = i > 0;
			first = x;
			since = now_ms();
		} else if (now_ms() - since >= window) {
			return true;
		}
		check_pause_ms(
			between(window / 10, POLL_MIN_MS, until > now_ms() ? until - now_ms() : 1));
	}
	return !moved;
}

void check_settle(const struct check *c)
{
	const char **live = mem_array(c->call->n_args, sizeof(*live));
	size_t n = live_sources(c, live);

	if (!n)
		diag_note("--settle: no source is a live process, there is nothing to wait for");
	else if (!stands_still(c, live, n))
		diag_note("--settle: huge pages still come and go after %.1f s; judged as it is",
			  (double)c->o->settle_ms / 1000);
	mem_free(live);
}
