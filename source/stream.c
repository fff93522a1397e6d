/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/num.h"
#include "source/archive.h"
#include "source/internal.h"

enum { PIECE = 64 * 1024 };

struct stream {
	int fd;              /* -1: memory */
	bool own_fd;
	struct slice given;  /* bytes to hand out before anything is read */
	char *buf;
	size_t piece;
	bool may_be_packed;  /* the first bytes have not been seen yet */
	struct unpack *unpack;
	char name[256];      /* for messages */
};

static struct stream *stream_new(int fd, bool own, size_t piece, const char *name)
{
	struct stream *s = mem_zalloc(sizeof(*s));
	size_t n = strlen(name), room = sizeof(s->name) - 1;

	s->fd = fd;
	s->own_fd = own;
	s->piece = piece ? piece : PIECE;
	s->buf = fd < 0 ? NULL : mem_alloc(s->piece);
	memcpy(s->name, n > room ? name + (n - room) : name, n > room ? room : n);
	return s;
}

struct stream *stream_memory(struct slice bytes)
{
	struct stream *s = stream_new(-1, false, 0, "");

	s->given = bytes;
	return s;
}

enum got stream_open(struct tree *t, const char *relative, size_t piece, struct stream **ret,
		     struct err *e)
{
	int fd;

	if (t->fd < 0) {
		const struct member *m = tree_member(t, relative);

		if (!m)
			return tree_failed(t, relative, ENOENT, e);
		*ret = stream_memory(m->data);
		return GOT_ALL;
	}
	enum got got = tree_open_file(t, relative, &fd, e);
	if (got != GOT_ALL)
		return got;
	*ret = stream_new(fd, true, piece, "");
	tree_name(t, relative, (*ret)->name, sizeof((*ret)->name));
	return GOT_ALL;
}

/* ---- what the user names ---- */

/* Terminals by number, so that no other device is opened to find out: opening can do harm. */
static bool is_terminal_number(dev_t d)
{
	unsigned n = major(d);

	return n == 4 || n == 5 || (n >= 136 && n <= 143);
}

const char *file_refusal(const struct stat *s)
{
	if (S_ISDIR(s->st_mode))
		return "is a directory, where a file or a pipe is due";
	if (S_ISBLK(s->st_mode))
		return "is a block device; files, pipes and terminals are read";
	/* /dev/null is an empty file by another name. */
	if (S_ISCHR(s->st_mode) && s->st_rdev != makedev(1, 3) &&
	    !is_terminal_number(s->st_rdev))
		return "is a device; files, pipes and terminals are read";
	return NULL;
}

static int refuse(const char *path, const char *why, struct err *e)
{
	err_set(e, ERR_KIND, "%s", why);
	return err_in(e, path);
}

static int take_stdin(struct stream **ret, struct err *e)
{
	struct stat s;

	if (fstat(STDIN_FILENO, &s) < 0) {
		err_set(e, ERR_SYSTEM, "standard input is closed");
		return err_in(e, "-");
	}
	const char *why = file_refusal(&s);
	if (why)
		return refuse("-", why, e);
	*ret = stream_new(STDIN_FILENO, false, 0, "-");
	(*ret)->may_be_packed = true;
	return 0;
}

/* N of /dev/fd/N or /proc/self/fd/N, else -1. */
static int descriptor_of(const char *path)
{
	static const char *const places[] = { "/dev/fd/", "/proc/self/fd/" };
	struct slice s = slice_str(path);
	uint64_t n;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (slice_starts(s, slice_str(places[i])) &&
		    num_u64(slice_skip(s, strlen(places[i])), &n) && n <= INT_MAX)
			return (int)n;
	return -1;
}

/*
 * Waits for a writer only where a FIFO is named. A socket has no name that
 * can be opened; one that was inherited as /dev/fd/N is taken over.
 */
static int open_kind(const char *path, const struct stat *s)
{
	int fd, inherited = descriptor_of(path);

	if (S_ISSOCK(s->st_mode) && inherited >= 0)
		return fcntl(inherited, F_DUPFD_CLOEXEC, 3);
	if (fault(FAULT_OPEN)) {
		errno = EIO;
		return -1;
	}
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
				(S_ISFIFO(s->st_mode) ? 0 : O_NONBLOCK));
	while (fd < 0 && errno == EINTR);
	return fd;
}

int file_open(const char *path, int *ret_fd, struct stat *s, struct err *e)
{
	int fd = -1;

	if (stat(path, s) == 0) {
		const char *why = file_refusal(s);

		if (why)
			return refuse(path, why, e);
		fd = open_kind(path, s);
	}
	if (fd < 0 || fstat(fd, s) < 0) {
		err_sys(e, errno, "cannot be opened");
		if (fd >= 0)
			close(fd);
		return err_in(e, path);
	}
	const char *why = file_refusal(s); /* another one took its name meanwhile */
	if (why) {
		close(fd);
		return refuse(path, why, e);
	}
	*ret_fd = fd;
	return 0;
}

int stream_open_path(const char *path, struct stream **ret, struct err *e)
{
	struct stat s;
	int fd;

	if (strcmp(path, "-") == 0)
		return take_stdin(ret, e);
	if (file_open(path, &fd, &s, e) < 0)
		return -1;
	*ret = stream_new(fd, true, 0, path);
	(*ret)->may_be_packed = true;
	return 0;
}

/* ---- reading ---- */

static int read_failed(const struct stream *s, int code, struct err *e)
{
	if (code == ESRCH)
		err_set(e, ERR_GONE, "the process ended while it was read");
	else
		err_sys(e, code, "reading failed");
	e->code = code;
	return s->name[0] ? err_in(e, s->name) : -1;
}

static int next_unpacked(struct stream *s, struct slice *ret, struct err *e)
{
	if (unpack_next(s->unpack, ret, e) < 0)
		return s->name[0] ? err_in(e, s->name) : -1;
	return 0;
}

void stream_unpack(struct stream *s)
{
	s->may_be_packed = true;
}

/* What was given back or is in memory, else a read. */
static int next_as_it_is(struct stream *s, struct slice *ret, struct err *e)
{
	*ret = s->given;
	s->given = (struct slice){ 0 };
	if (ret->n || s->fd < 0)
		return 0;
	ssize_t n = read_some(s->fd, s->buf, s->piece);
	if (n < 0)
		return read_failed(s, errno, e);
	*ret = slice_of(s->buf, (size_t)n);
	return 0;
}

int stream_next(struct stream *s, struct slice *ret, struct err *e)
{
	if (s->unpack && !s->given.n)
		return next_unpacked(s, ret, e);
	if (next_as_it_is(s, ret, e) < 0)
		return -1;
	if (!s->may_be_packed)
		return 0;
	s->may_be_packed = false;
	if (!bytes_are_compressed(*ret))
		return 0;
	if (unpack_open(s->fd, *ret, &s->unpack, e) < 0)
		return s->name[0] ? err_in(e, s->name) : -1;
	return next_unpacked(s, ret, e);
}

void stream_unread(struct stream *s, struct slice bytes)
{
	s->given = bytes;
}

uint64_t stream_size(const struct stream *s)
{
	struct stat st;

	if (s->fd < 0 || s->unpack || fstat(s->fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0)
		return 0;
	return (uint64_t)st.st_size;
}

void stream_close(struct stream *s)
{
	if (!s)
		return;
	if (s->own_fd)
		close(s->fd);
	unpack_close(s->unpack);
	mem_free(s->buf);
	mem_free(s);
}

int stream_all(struct stream *s, size_t limit, struct arena *a, struct slice *ret, struct err *e)
{
	char *all = NULL;
	size_t n = 0, cap = 0;
	struct slice piece;
	int status;

	*ret = (struct slice){ 0 };
	while ((status = stream_next(s, &piece, e)) == 0 && piece.n) {
		if (piece.n > limit - n) {
			err_set(e, ERR_LIMIT, "larger than the %zu bytes that are read", limit);
			status = s->name[0] ? err_in(e, s->name) : -1;
			break;
		}
		all = mem_grow(all, &cap, n + piece.n, 1);
		memcpy(all + n, piece.p, piece.n);
		n += piece.n;
	}
	if (status == 0)
		*ret = arena_copy(a, slice_of(all, n));
	mem_free(all);
	return status;
}
