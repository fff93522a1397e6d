/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_NOFOLLOW, O_PATH */
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/num.h"

enum { WIDTH_DEFAULT = 80, WIDTH_MIN = 40, WIDTH_MAX = 1000, TRIES = 100 };

/* ---- how it may look ---- */

bool output_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static int width_of(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	uint64_t v = 0;

	if (!columns || !num_u64(slice_str(columns), &v) || v == 0)
		v = ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col ? ws.ws_col : WIDTH_DEFAULT;
	return v < WIDTH_MIN ? WIDTH_MIN : v > WIDTH_MAX ? WIDTH_MAX : (int)v;
}

static bool color_wanted(int fd, int when)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return !(no && *no) && term && *term && strcmp(term, "dumb") != 0 && isatty(fd);
}

struct text_style output_style(int fd, const struct common_options *c)
{
	return (struct text_style){
		.width = width_of(fd),
		.color = color_wanted(fd, c->color),
		.ascii = !output_utf8(),
		.kb = c->kb,
	};
}

/* ---- a file that is complete or not there ---- */

static const int fatal_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
enum { FATAL_COUNT = sizeof(fatal_signals) / sizeof(fatal_signals[0]) };
static struct sigaction previous[FATAL_COUNT];

/* What a signal handler has to remove. Set last, cleared first. */
static struct {
	volatile sig_atomic_t open;
	int folder;
	char temporary[sizeof(((struct output *)0)->temporary)];
} pending;

void output_emergency(void)
{
	if (!pending.open)
		return;
	pending.open = 0;
	unlinkat(pending.folder, pending.temporary, 0);
}

static void on_fatal_signal(int sig)
{
	output_emergency();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void guard_signals(void)
{
	struct sigaction sa = { .sa_handler = on_fatal_signal, .sa_flags = SA_NODEFER };

	for (int i = 0; i < FATAL_COUNT; i++) {
		sigaction(fatal_signals[i], NULL, &previous[i]);
		if (previous[i].sa_handler == SIG_DFL)
			sigaction(fatal_signals[i], &sa, NULL);
	}
}

static void release_signals(void)
{
	for (int i = 0; i < FATAL_COUNT; i++)
		sigaction(fatal_signals[i], &previous[i], NULL);
}

static int open_folder(struct output *o, struct err *e)
{
	const char *slash = strrchr(o->path, '/');
	char folder[4096];

	o->name = slash ? slash + 1 : o->path;
	if (!slash)
		strcpy(folder, ".");
	else if (slash == o->path)
		strcpy(folder, "/");
	else if ((size_t)(slash - o->path) < sizeof(folder))
		slice_cstr(slice_of(o->path, (size_t)(slash - o->path)), folder, sizeof(folder));
	else
		return err_sys(e, ENAMETOOLONG, "%.200s", o->path);
	if (!*o->name)
		return err_sys(e, EISDIR, "%s", o->path);
	o->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return o->folder < 0 ? err_sys(e, errno, "%s", folder) : 0;
}

static int open_temporary(struct output *o, mode_t mode, struct err *e)
{
	if (open_folder(o, e))
		return -1;
	for (int i = 0; i < TRIES; i++) {
		snprintf(o->temporary, sizeof(o->temporary), ".hugecov-%ld-%d.tmp",
			 (long)getpid(), i);
		o->fd = fault(FAULT_OPEN) ? (errno = EACCES, -1) :
			openat(o->folder, o->temporary,
			       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (o->fd >= 0 || errno != EEXIST)
			break;
	}
	if (o->fd < 0) {
		err_sys(e, errno, "cannot write %s", o->path);
		close(o->folder);
		return -1;
	}
	if (mode)
		fchmod(o->fd, mode); /* a replaced file keeps its permissions */
	guard_signals();
	pending.folder = o->folder;
	memcpy(pending.temporary, o->temporary, sizeof(pending.temporary));
	pending.open = 1;
	return 0;
}

static int open_direct(struct output *o, struct err *e)
{
	o->fd = fault(FAULT_OPEN) ? (errno = EACCES, -1) :
		open(o->path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	return o->fd < 0 ? err_sys(e, errno, "cannot write %s", o->path) : 0;
}

/* /dev/stdout and its like are this process's own descriptors: written as they stand. */
static bool own_descriptor(const char *path, int *ret)
{
	static const struct {
		const char *prefix;
		int fd; /* -1: the number follows */
	} names[] = { { "/dev/stdout", 1 }, { "/dev/stderr", 2 }, { "/dev/fd/", -1 },
		      { "/proc/self/fd/", -1 } };
	struct slice s = slice_str(path);
	uint64_t v;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].fd >= 0 && slice_eq_str(s, names[i].prefix)) {
			*ret = names[i].fd;
			return true;
		}
		if (names[i].fd < 0 && slice_starts(s, slice_str(names[i].prefix)) &&
		    num_u64(slice_skip(s, strlen(names[i].prefix)), &v) && v <= INT32_MAX) {
			*ret = (int)v;
			return true;
		}
	}
	return false;
}

static int open_named(struct output *o, struct err *e)
{
	struct stat st;
	int fd;

	if (own_descriptor(o->path, &fd)) {
		o->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		return o->fd < 0 ? err_sys(e, errno, "cannot write %s", o->path) : 0;
	}
	if (lstat(o->path, &st))
		return errno == ENOENT ? open_temporary(o, 0, e) :
					 err_sys(e, errno, "cannot write %s", o->path);
	if (S_ISREG(st.st_mode))
		return open_temporary(o, st.st_mode & 0777, e);
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
		return open_direct(o, e);
	if (!S_ISLNK(st.st_mode))
		return err_set(e, ERR_SYSTEM, "cannot write %s: it is no file", o->path);
	err_set(e, ERR_SYSTEM, "cannot write %s: it is a symbolic link", o->path);
	return err_hint(e, "Name the file that it leads to, or remove the link");
}

int output_open(struct output *o, const struct common_options *c, struct err *e)
{
	bool named = c->output && strcmp(c->output, "-") != 0;

	*o = (struct output){ .path = named ? c->output : "standard output",
			      .fd = STDOUT_FILENO, .folder = -1 };
	if (named && open_named(o, e))
		return -1;
	o->style = output_style(o->fd, c);
	out_fd(&o->out, o->fd);
	return 0;
}

static void forget_temporary(struct output *o)
{
	if (o->folder < 0)
		return;
	pending.open = 0;
	release_signals();
	close(o->folder);
	o->folder = -1;
}

void output_drop(struct output *o)
{
	o->out.error = ECANCELED; /* nothing more is written */
	out_close(&o->out);
	if (o->fd > 2)
		close(o->fd);
	if (o->folder >= 0)
		unlinkat(o->folder, o->temporary, 0);
	forget_temporary(o);
}

static void end_as_sigpipe(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
	_exit(128 + SIGPIPE); /* it is blocked */
}

int output_close(struct output *o, struct err *e)
{
	int status = out_flush(&o->out), code = o->out.error;

	if (status == 0 && o->fd > 2) {
		status = close(o->fd);
		code = errno;
		o->fd = -1;
	}
	if (status == 0 && o->folder >= 0) {
		status = renameat(o->folder, o->temporary, o->folder, o->name);
		code = errno;
	}
	if (status == 0) {
		out_close(&o->out);
		forget_temporary(o);
		return 0;
	}
	output_drop(o);
	if (code == EPIPE)
		end_as_sigpipe();
	return err_sys(e, code, "cannot write %s", o->path);
}
