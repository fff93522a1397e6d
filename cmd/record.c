/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* A recording: ticks as lines (report/tick_json.h), each written at once and whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "cmd/watch.h"
#include "report/tick_json.h"

/* ---- lines ---- */

/* A replay that goes to some place reads at most this many lines before it. */
enum { FULL_EVERY = 100 };

bool tick_full_due(const struct tick_lines *t, const struct watching *w)
{
	return !t->started || t->since_full + 1 >= FULL_EVERY || w->sample.exec;
}

static bool same_settings(const struct thp_settings *a, const struct thp_settings *b)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct thp_setting *x = &a->at[i];

		/* khugepaged's counters stand among the settings. */
		if (x->number)
			continue;
		for (size_t k = 0; k < b->n; k++)
			if (slice_eq(x->file, b->at[k].file) && !slice_eq(x->value, b->at[k].value))
				return false;
	}
	return true;
}

/* What a change of mappings cannot say. */
static bool same_frame(const struct moment *a, const struct moment *b)
{
	return slice_eq(a->snap.process.comm, b->snap.process.comm) &&
	       a->snap.process.thp_disabled == b->snap.process.thp_disabled &&
	       a->judged.model.policy == b->judged.model.policy &&
	       same_settings(&a->snap.system.thp, &b->snap.system.thp);
}

struct slice tick_line(struct tick_lines *t, const struct watching *w)
{
	const struct moment *before = w->fresh ? w->before : w->now;
	bool full = tick_full_due(t, w) || !before || !same_frame(before, w->now);

	if (!t->started)
		out_memory(&t->line);
	t->started = true;
	t->since_full = full ? 0 : t->since_full + 1;
	out_reset(&t->line);
	tick_json(&t->line, &(struct tick_view){ .s = &w->sample,
						 .m = &w->now->judged.model,
						 .findings = &w->now->judged.findings,
						 .rates = &w->rates,
						 .before = full ? NULL : &before->judged.model });
	return out_slice(&t->line);
}

void tick_lines_free(struct tick_lines *t)
{
	if (t->started)
		out_close(&t->line);
	*t = (struct tick_lines){ 0 };
}

/* ---- the file ---- */

struct recorder {
	int fd;
	uint64_t bytes, limit; /* limit 0: none */
	struct tick_lines lines;
	bool failed;
	char why[256]; /* empty: it goes on */
};

/* A file grows where it is, so that it can be followed: under another name it may be somebody's document. */
static int empty_file(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, errno, "cannot record to %s", path);
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
		return 0;
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_SYSTEM, "cannot record to %s: it is no file", path);
	if (st.st_nlink > 1)
		return err_set(e, ERR_SYSTEM, "cannot record to %s: it has another name too, by a hard link",
			       path);
	return ftruncate(fd, 0) < 0 ? err_sys(e, errno, "cannot record to %s", path) : 0;
}

/* As --output: never through a link, never a folder or a device that is no tape. */
static int open_file(const char *path, struct err *e)
{
	int fd = fault(FAULT_OPEN) ? (errno = EACCES, -1) :
		open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC,
		     0666);

	if (fd < 0 && errno == ELOOP)
		return err_set(e, ERR_SYSTEM, "cannot record to %s: it is a symbolic link", path);
	if (fd < 0)
		return err_sys(e, errno, "cannot record to %s", path);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	if (empty_file(fd, path, e) == 0)
		return fd;
	close(fd);
	return -1;
}

int recorder_open(struct recorder **ret, const char *path, uint64_t limit_kb, struct err *e)
{
	int fd = open_file(path, e);

	if (fd < 0)
		return -1;
	*ret = mem_zalloc(sizeof(**ret));
	(*ret)->fd = fd;
	(*ret)->limit = limit_kb << 10;
	return 0;
}

static void stop(struct recorder *r, bool failed, const char *why)
{
	r->failed = failed;
	snprintf(r->why, sizeof(r->why), "recording stopped: %s", why);
	close(r->fd);
	r->fd = -1;
}

/* All of a line or nothing of it: what is cut can be read back, what is whole is better. */
static int write_line(struct recorder *r, struct slice line)
{
	size_t done = 0;

	while (done < line.n) {
		ssize_t n = fault(FAULT_WRITE) ? (errno = ENOSPC, -1) :
			write(r->fd, line.p + done, line.n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int code = errno;

			if (ftruncate(r->fd, (off_t)r->bytes))
				errno = code; /* a pipe: what is written is written */
			errno = code;
			return -1;
		}
		done += (size_t)n;
	}
	r->bytes += line.n;
	return 0;
}

void recorder_tick(struct recorder *r, const struct watching *w)
{
	if (!r || r->fd < 0)
		return;
	struct slice line = tick_line(&r->lines, w);

	if (r->limit && r->bytes + line.n > r->limit)
		stop(r, false, "it has reached the size of --record-limit");
	else if (write_line(r, line))
		stop(r, true, strerror(errno));
}

bool recorder_wants_full(const struct recorder *r, const struct watching *w)
{
	return r && r->fd >= 0 && tick_full_due(&r->lines, w);
}

uint64_t recorder_bytes(const struct recorder *r)
{
	return r->bytes;
}

const char *recorder_stopped(const struct recorder *r)
{
	return r->why[0] ? r->why : NULL;
}

bool recorder_failed(const struct recorder *r)
{
	return r->failed;
}

void recorder_close(struct recorder *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	tick_lines_free(&r->lines);
	mem_free(r);
}
