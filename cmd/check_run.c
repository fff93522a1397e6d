/* SPDX-License-Identifier: MIT */
/*
 * check -- COMMAND: runs it and looks at it from outside.
 *
 * The sums of smaps_rollup of the command and its children are read every few
 * milliseconds, at most a twentieth of the time; the mappings only when the
 * sums have moved. Kept are those with the most resident memory, the peak, and
 * the last ones, the end. An exiting process gives its memory back before anybody can see that
 * it exits, so the end is the last look at which it was whole.
 */
#define _GNU_SOURCE
#include "cmd/check.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/diag.h"
#include "model/system_counters.h"

enum { DUTY = 20 }; /* a look may take one part in so many of the time */
static const uint64_t PAUSE_MIN_NS = 1000 * 1000, PAUSE_MAX_NS = 100 * 1000 * 1000,
		      PAUSE_LIMIT_NS = 5000000000;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- who runs ---- */

enum { PROCESSES_MAX = 256, CHILDREN_MAX = 64 * 1024 };

struct watcher {
	struct check *c;
	struct tree *tree;
	pid_t pid;
	int64_t proc_pid;        /* as /proc numbers it: that may be of another pid namespace */
	int pidfd;               /* -1: the kernel has none (before 5.3) */
	struct check_run *run;
	bool peak_is_end;        /* run->end is the peak as well */
	uint64_t peak_rss;       /* of the mappings in run->peak, or run->end */
	struct check_sums seen;  /* of the sums at the last full look */
	size_t seen_n, seen_denied; /* processes then, and those that might not be read */
	size_t looks;
	struct err denied;       /* why one of them may not be read; code EACCES: there was such a one */
	size_t unread;           /* looks at which something that runs could not be read: none of them is kept */
	bool blind;              /* the last look was one */
	struct err why;          /* of the last one */
};

/* The command and what it has started, as far as it has not been orphaned. */
struct family {
	int64_t pid[PROCESSES_MAX];
	size_t n;
};

/* Not there, or not any more, is how processes are. */
static bool is_no_fault(enum got got, const struct err *e)
{
	return got == GOT_ABSENT || got == GOT_VANISHED ||
	       (got == GOT_PARTIAL && e->kind == ERR_GONE);
}

/* proc/PID/task/TID/children, since 3.5 where CONFIG_PROC_CHILDREN is set: numbers with blanks. */
static int add_children(struct family *f, struct tree *t, struct arena *a, int64_t pid,
			struct slice task, struct err *e)
{
	struct slice text;
	char path[80];
	uint64_t child;

	snprintf(path, sizeof(path), "proc/%lld/task/%.*s/children", (long long)pid,
		 SLICE_FMT(task));
	enum got got = tree_read(t, path, CHILDREN_MAX, a, &text, e);
	if (got != GOT_ALL)
		return is_no_fault(got, e) ? 0 : -1;
	for (struct cut w = slice_cut_word(slice_rtrim(text)); w.head.n; w = slice_cut_word(w.tail))
		if (f->n < PROCESSES_MAX && num_u64(w.head, &child))
			f->pid[f->n++] = (int64_t)child;
	return 0;
}

/*
 * The command's number in the /proc that is read, which is not what fork()
 * gave where /proc was mounted in another pid namespace: there it may be any
 * other process. fdinfo of a pidfd says it.
 */
static int find_number(struct watcher *w, struct err *e)
{
	struct arena a = { 0 };
	struct slice text;
	struct err ignored;
	char path[48];
	int64_t me;
	uint64_t pid = 0;

	snprintf(path, sizeof(path), "proc/self/fdinfo/%d", w->pidfd);
	if (w->pidfd >= 0 && tree_read(w->tree, path, SYSTEM_FILE_MAX, &a, &text, &ignored) == GOT_ALL) {
		ptrdiff_t at = slice_find(text, SLICE("\nPid:"));

		if (at < 0 || !num_u64(slice_trim(slice_cut_line(slice_skip(text, (size_t)at + 5)).head), &pid))
			pid = 0;
	}
	arena_free(&a);
	if (!pid && process_self(w->tree, &me) && me == getpid())
		pid = (uint64_t)w->pid;
	w->proc_pid = (int64_t)pid;
	if (pid)
		return 0;
	err_set(e, ERR_SYSTEM, "the command cannot be looked at: /proc is not mounted, or is that of another "
			       "pid namespace");
	return err_hint(e, "mount -t proc proc /proc, where the command runs");
}

static int find_family(const struct watcher *w, struct family *f, struct err *e)
{
	struct arena a = { 0 };
	int status = 0;

	f->pid[0] = w->proc_pid;
	f->n = 1;
	for (size_t i = 0; i < f->n && !status; i++) {
		struct slice *tasks;
		size_t n;
		char path[48];

		snprintf(path, sizeof(path), "proc/%lld/task", (long long)f->pid[i]);
		enum got got = tree_list(w->tree, path, &a, &tasks, &n, e);
		if (got != GOT_ALL) {
			status = is_no_fault(got, e) ? 0 : -1;
			continue;
		}
		for (size_t k = 0; k < n && !status; k++)
			status = add_children(f, w->tree, &a, f->pid[i], tasks[k], e);
	}
	arena_free(&a);
	return status;
}

/* ---- looking at them ---- */

/*
 * A process that is gone by now is no fault; a half-read one counts as gone. A
 * denied one is left out, and counted. -1: it is there and reading it failed.
 */
static int read_one(struct watcher *w, struct load *l, int64_t pid, bool rollup, struct err *e)
{
	struct common_options o = w->c->o->common;

	o.rollup = rollup;
	o.allow_partial = false;
	if (load_process(l, w->tree, pid, &o, (struct load_options){ 0 }, e)) {
		if (e->code == EACCES) {
			w->denied = *e;
			l->left_out++;
			return 0;
		}
		return e->kind == ERR_GONE ? 0 : -1;
	}
	if (!l->snaps[l->n - 1].smaps.n) /* a zombie */
		snapshot_free(&l->snaps[--l->n]);
	return 0;
}

/* -1: a sum without one of them would be taken for a fall of it. */
static int read_all(struct watcher *w, const struct family *f, struct load *l, bool rollup,
		    struct check_sums *ret, struct err *e)
{
	int status = 0;

	*l = (struct load){ 0 };
	*ret = (struct check_sums){ 0 };
	for (size_t i = 0; i < f->n && !status; i++)
		status = read_one(w, l, f->pid[i], rollup, e);
	for (size_t i = 0; i < l->n; i++) {
		struct check_sums x = check_sums(&l->snaps[i].smaps);

		ret->rss += x.rss;
		ret->huge += x.huge;
	}
	return status;
}

/* The new end; the old one stays when it was the peak and more was resident then. */
static void keep(struct watcher *w, struct load *l, uint64_t rss)
{
	struct check_run *r = w->run;

	if (!r->has_end || rss >= w->peak_rss) {
		check_read_free(&r->end);
		check_read_free(&r->peak);
		r->has_peak = false;
		w->peak_is_end = true;
		w->peak_rss = rss;
	} else if (w->peak_is_end) {
		r->peak = r->end;
		r->has_peak = true;
		w->peak_is_end = false;
	} else {
		check_read_free(&r->end);
	}
	r->end = (struct check_read){ .load = *l };
	r->has_end = true;
}

/* 1 with what is resident, 0 when nothing is left, -1 when something could not be read. */
static int look_at_mappings(struct watcher *w, const struct family *f, struct err *e)
{
	struct load l;
	struct check_sums full;
	int status = read_all(w, f, &l, false, &full, e);

	if (status || !l.n) {
		load_free(&l);
		return status;
	}
	keep(w, &l, full.rss);
	return 1;
}

static int look(struct watcher *w, struct err *e)
{
	struct family f;
	struct load l;
	struct check_sums x;

	if (find_family(w, &f, e))
		return -1;
	int status = read_all(w, &f, &l, true, &x, e);
	size_t n = l.n, denied = l.left_out;
	load_free(&l);
	if (status || !n)
		return status;
	w->looks++;
	if (w->run->has_end && n == w->seen_n && denied == w->seen_denied && x.rss == w->seen.rss &&
	    x.huge == w->seen.huge)
		return 1;
	status = look_at_mappings(w, &f, e);
	if (status == 1) {
		w->seen = x;
		w->seen_n = n;
		w->seen_denied = denied;
	}
	return status;
}

/* What could not be read may be the peak, and what came last must be known. */
static void look_and_note(struct watcher *w)
{
	struct err e;
	int status = look(w, &e);

	if (status < 0) {
		w->unread++;
		w->why = e;
	}
	if (status)
		w->blind = status < 0;
}

static bool has_ended(const struct watcher *w)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT))
		return errno != EINTR;
	return info.si_pid != 0;
}

/* Until it ends or the time is up; a signal of ours shortens it and does no harm. */
static void pause_ns(const struct watcher *w, uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	struct pollfd p = { .fd = w->pidfd, .events = POLLIN };

	ppoll(&p, 1, &t, NULL); /* a negative descriptor is passed over: it sleeps */
}

static void watch_it(struct watcher *w)
{
	uint64_t pause = PAUSE_MIN_NS;

	while (!has_ended(w)) {
		uint64_t at = now_ns(), cost;

		look_and_note(w);
		cost = (now_ns() - at) * DUTY;
		pause = pause < PAUSE_MAX_NS ? pause + pause / 4 : PAUSE_MAX_NS;
		pause_ns(w, cost > PAUSE_LIMIT_NS ? PAUSE_LIMIT_NS : cost > pause ? cost : pause);
	}
}

/* ---- the whole ---- */

/* What the host counted from start to end. */
static void compare_counters(struct check *c, struct check_run *r)
{
	struct counter_list lists[2] = { 0 };

	system_counters(&r->before.system, &c->arena, &lists[0]);
	system_counters(&r->after.system, &c->arena, &lists[1]);
	counters_diff(&lists[0], &lists[1], &c->arena, &r->interval);
	counters_free(&lists[0]);
	counters_free(&lists[1]);
}

/*
 * One that may not be read (setuid, another user's) is in no sum: that is no
 * measurement, if it was there at a moment that is judged.
 */
static int all_were_read(struct watcher *w, struct err *e)
{
	struct check_read *moments[] = { &w->run->end, &w->run->peak };
	bool has[] = { w->run->has_end, w->run->has_peak };

	if (!has[0] && w->denied.code == EACCES) {
		*e = w->denied;
		return -1;
	}
	for (int i = 0; i < 2; i++) {
		if (!has[i] || !moments[i]->load.left_out)
			continue;
		if (!w->c->o->common.allow_partial) {
			*e = w->denied;
			return err_hint(e, "The command started it; --allow-partial judges the others");
		}
		moments[i]->load.snaps[0].source.complete = false;
	}
	return 0;
}

/* The system's files of the end stand for both moments: reading them at each look costs much. */
static void give_system(struct check_read *r, const struct system_info *s)
{
	for (size_t i = 0; i < r->load.n; i++)
		r->load.snaps[i].system = *s;
}

/* Without the last look the end is not known; without another one the peak may have been higher. */
static int tell_unread(const struct watcher *w, struct err *e)
{
	if (w->blind) {
		err_set(e, ERR_SYSTEM, "the command could not be read to its end: %.300s",
			w->why.text);
		err_in(e, w->why.file);
		return err_hint(e, "%s", w->why.hint);
	}
	if (w->unread)
		diag_note("%zu of %zu looks at the command failed, the peak may be missed: %.300s",
			  w->unread, w->looks + w->unread, w->why.text);
	return 0;
}

int check_run(struct check_run *ret, struct check *c, struct err *e)
{
	struct watcher w = { .c = c, .run = ret };
	uint64_t at = now_ns();

	*ret = (struct check_run){ .command = { .argv = (const char *const *)c->call->rest } };
	if (tree_open("/", &w.tree, e))
		return -1;
	load_system(&ret->before, w.tree, "", true);
	int status = check_start(c, &w.pid, e);
	if (!status) {
		w.pidfd = (int)syscall(SYS_pidfd_open, w.pid, 0);
		status = find_number(&w, e);
		if (!status)
			watch_it(&w);
		check_wait(&ret->command, w.pid);
		if (w.pidfd >= 0)
			close(w.pidfd);
		if (!status)
			status = all_were_read(&w, e);
		load_system(&ret->after, w.tree, "", true);
		give_system(&ret->peak, &ret->after.system);
		give_system(&ret->end, &ret->after.system);
		compare_counters(c, ret);
		load_tell_unread(ret->before.unread_n ? &ret->before : &ret->after);
		if (!status && !ret->command.status)
			status = tell_unread(&w, e);
	}
	ret->command.seconds = (double)(now_ns() - at) / 1e9;
	ret->command.samples = w.looks;
	tree_close(w.tree);
	return status;
}

void check_run_free(struct check_run *r)
{
	check_read_free(&r->peak);
	check_read_free(&r->end);
	load_free(&r->before);
	load_free(&r->after);
	counter_rows_free(&r->interval);
}
