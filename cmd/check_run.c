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
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
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

/* ---- signals are passed on ---- */

static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };
enum { PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };
static volatile sig_atomic_t child_pid;
static struct sigaction before_us[PASSED_ON], children_before_us;

static void pass_on(int sig, siginfo_t *info, void *context)
{
	int code = errno;

	(void)context;
	/* What the terminal sends has reached the command already: it is in our group. */
	if (child_pid > 0 && info->si_code != SI_KERNEL)
		kill(child_pid, sig);
	errno = code;
}

static void block_signals(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < PASSED_ON; i++)
		sigaddset(&set, passed_on[i]);
	sigprocmask(how, &set, NULL);
}

/* A caller that ignores SIGCHLD leaves it so in us: the kernel would then forget how the command ended. */
static void take_signals(void)
{
	struct sigaction sa = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &children_before_us);
	for (int i = 0; i < PASSED_ON; i++) {
		sigaction(passed_on[i], NULL, &before_us[i]);
		if (before_us[i].sa_handler != SIG_IGN)
			sigaction(passed_on[i], &sa, NULL);
	}
}

static void give_signals_back(void)
{
	for (int i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &before_us[i], NULL);
	sigaction(SIGCHLD, &children_before_us, NULL);
}

/* ---- starting it ---- */

static bool results_to_stdout(const struct check *c)
{
	return !c->o->common.output || !strcmp(c->o->common.output, "-");
}

static void be_the_command(const struct check *c, int report)
{
	give_signals_back();
	block_signals(SIG_UNBLOCK);
	signal(SIGXFSZ, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody is left to judge it */
	/* Results own standard output; what the command prints must not stand among them. */
	if (results_to_stdout(c))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(c->call->rest[0], c->call->rest);
	int code = errno;
	ssize_t n = write(report, &code, sizeof(code));

	(void)n;
	_exit(127);
}

/* The pipe closes when exec has succeeded; else it brings the errno. */
static int wait_for_exec(int fd, pid_t pid, const struct check *c, struct err *e)
{
	int code = 0;
	ssize_t n;

	while ((n = read(fd, &code, sizeof(code))) < 0 && errno == EINTR)
		;
	if (n != sizeof(code))
		return 0;
	waitpid(pid, NULL, 0);
	return err_sys(e, code, "cannot run %.200s", c->call->rest[0]);
}

static int start(const struct check *c, pid_t *ret, struct err *e)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return err_sys(e, errno, "cannot make a pipe");
	take_signals();
	block_signals(SIG_BLOCK); /* none is lost before there is somebody to pass it on to */
	pid_t pid = fork();
	if (pid == 0)
		be_the_command(c, fds[1]);
	int code = errno;
	child_pid = pid;
	block_signals(SIG_UNBLOCK);
	close(fds[1]);
	int status = pid < 0 ? err_sys(e, code, "cannot start a process") :
			       wait_for_exec(fds[0], pid, c, e);
	close(fds[0]);
	if (status)
		give_signals_back();
	*ret = pid;
	return status;
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
};

/* The command and what it has started, as far as it has not been orphaned. */
struct family {
	int64_t pid[PROCESSES_MAX];
	size_t n;
};

/* proc/PID/task/TID/children, since 3.5 where CONFIG_PROC_CHILDREN is set: numbers with blanks. */
static void add_children(struct family *f, struct tree *t, struct arena *a, int64_t pid,
			 struct slice task)
{
	struct slice text;
	char path[80];
	uint64_t child;
	struct err e;

	snprintf(path, sizeof(path), "proc/%lld/task/%.*s/children", (long long)pid,
		 SLICE_FMT(task));
	if (tree_read(t, path, CHILDREN_MAX, a, &text, &e) != GOT_ALL)
		return;
	for (struct cut w = slice_cut_word(slice_rtrim(text)); w.head.n; w = slice_cut_word(w.tail))
		if (f->n < PROCESSES_MAX && num_u64(w.head, &child))
			f->pid[f->n++] = (int64_t)child;
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

static void find_family(const struct watcher *w, struct family *f)
{
	struct arena a = { 0 };

	f->pid[0] = w->proc_pid;
	f->n = 1;
	for (size_t i = 0; i < f->n; i++) {
		struct slice *tasks;
		size_t n;
		char path[48];
		struct err e;

		snprintf(path, sizeof(path), "proc/%lld/task", (long long)f->pid[i]);
		if (tree_list(w->tree, path, &a, &tasks, &n, &e) != GOT_ALL)
			continue;
		for (size_t k = 0; k < n; k++)
			add_children(f, w->tree, &a, f->pid[i], tasks[k]);
	}
	arena_free(&a);
}

/* ---- looking at them ---- */

/* A process that is gone by now is no fault; a half-read one counts as gone. A denied one is left out, and counted. */
static void read_one(struct watcher *w, struct load *l, int64_t pid, bool rollup)
{
	struct common_options o = w->c->o->common;
	struct err e;

	o.rollup = rollup;
	o.allow_partial = false;
	if (load_process(l, w->tree, pid, &o, (struct load_options){ 0 }, &e)) {
		if (e.code == EACCES) {
			w->denied = e;
			l->left_out++;
		}
		return;
	}
	if (!l->snaps[l->n - 1].smaps.n) /* a zombie */
		snapshot_free(&l->snaps[--l->n]);
}

static struct check_sums read_all(struct watcher *w, const struct family *f, struct load *l, bool rollup)
{
	struct check_sums sum = { 0 };

	*l = (struct load){ 0 };
	for (size_t i = 0; i < f->n; i++)
		read_one(w, l, f->pid[i], rollup);
	for (size_t i = 0; i < l->n; i++) {
		struct check_sums x = check_sums(&l->snaps[i].smaps);

		sum.rss += x.rss;
		sum.huge += x.huge;
	}
	return sum;
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

static void look(struct watcher *w)
{
	struct family f;
	struct load l;

	find_family(w, &f);
	struct check_sums x = read_all(w, &f, &l, true);
	size_t n = l.n, denied = l.left_out;
	load_free(&l);
	if (!n)
		return;
	w->looks++;
	if (w->run->has_end && n == w->seen_n && denied == w->seen_denied && x.rss == w->seen.rss &&
	    x.huge == w->seen.huge)
		return;
	struct check_sums full = read_all(w, &f, &l, false);
	if (!l.n) {
		load_free(&l);
		return;
	}
	w->seen = x;
	w->seen_n = n;
	w->seen_denied = denied;
	keep(w, &l, full.rss);
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

		look(w);
		cost = (now_ns() - at) * DUTY;
		pause = pause < PAUSE_MAX_NS ? pause + pause / 4 : PAUSE_MAX_NS;
		pause_ns(w, cost > PAUSE_LIMIT_NS ? PAUSE_LIMIT_NS : cost > pause ? cost : pause);
	}
}

/* ---- the whole ---- */

static void take_status(struct check_command *k, pid_t pid)
{
	int status = -1; /* neither exited nor killed: what is not known is no success */

	block_signals(SIG_BLOCK); /* its number may be another process's as soon as it is reaped */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child_pid = 0;
	block_signals(SIG_UNBLOCK);
	k->ran = true;
	k->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	k->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

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

int check_run(struct check_run *ret, struct check *c, struct err *e)
{
	struct watcher w = { .c = c, .run = ret };
	uint64_t at = now_ns();

	*ret = (struct check_run){ .command = { .argv = (const char *const *)c->call->rest } };
	if (tree_open("/", &w.tree, e))
		return -1;
	load_system(&ret->before, w.tree, "", true);
	int status = start(c, &w.pid, e);
	if (!status) {
		w.pidfd = (int)syscall(SYS_pidfd_open, w.pid, 0);
		status = find_number(&w, e);
		if (!status)
			watch_it(&w);
		take_status(&ret->command, w.pid);
		give_signals_back();
		if (w.pidfd >= 0)
			close(w.pidfd);
		if (!status)
			status = all_were_read(&w, e);
		load_system(&ret->after, w.tree, "", true);
		give_system(&ret->peak, &ret->after.system);
		give_system(&ret->end, &ret->after.system);
		compare_counters(c, ret);
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
