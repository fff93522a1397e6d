/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "source/archive.h"
#include "source/internal.h"

static bool is_slash(struct stat s)
{
	struct stat slash;

	return stat("/", &slash) == 0 && slash.st_dev == s.st_dev && slash.st_ino == s.st_ino;
}

static struct tree *tree_new(const char *path, int fd)
{
	struct tree *t = mem_zalloc(sizeof(*t));

	t->fd = fd;
	t->path = arena_str(&t->a, slice_str(path));
	return t;
}

/* The archive's bytes are read once, here; afterwards it may change or go. */
static int open_archive(const char *path, struct tree **ret, struct err *e)
{
	char head[TAR_HEAD];
	struct stat s;
	int fd;

	if (file_open(path, &fd, &s, e) < 0)
		return -1;
	ssize_t n = S_ISREG(s.st_mode) ? read_head(fd, head, sizeof(head)) : 0;
	struct slice start = slice_of(head, n > 0 ? (size_t)n : 0);
	struct tree *t = tree_new(path, -1);
	int status;

	if (bytes_are_tar(start) || bytes_are_compressed(start))
		status = archive_read_tree(fd, (uint64_t)s.st_size, start, &t->a, &t->members,
					   &t->n_members, e);
	else
		status = err_set(e, ERR_KIND, "is neither a directory nor an archive");
	close(fd);
	if (status < 0) {
		tree_close(t);
		return err_in(e, path);
	}
	*ret = t;
	return 0;
}

int tree_open(const char *path, struct tree **ret, struct err *e)
{
	struct stat s;
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno == ENOTDIR)
		return open_archive(path, ret, e);
	if (fd < 0 || fstat(fd, &s) < 0) {
		err_sys(e, errno, "cannot be opened");
		if (fd >= 0)
			close(fd);
		return err_in(e, path);
	}
	*ret = tree_new(path, fd);
	(*ret)->live = is_slash(s);
	return 0;
}

void tree_close(struct tree *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	strmap_free(&t->met);
	arena_free(&t->a);
	mem_free(t);
}

bool tree_is_live(const struct tree *t)
{
	return t->live;
}

/* ---- failures ---- */

char *tree_name(const struct tree *t, const char *relative, char *buf, size_t size)
{
	size_t n = strlen(t->path);
	const char *slash = n && t->path[n - 1] == '/' ? "" : "/";

	if (n + strlen(relative) + 2 > size) /* its own part says more */
		snprintf(buf, size, "%s", relative);
	else
		snprintf(buf, size, "%s%s%s", t->path, slash, relative);
	return buf;
}

static void name_in(const struct tree *t, const char *relative, struct err *e)
{
	char name[sizeof(e->file)];

	err_in(e, tree_name(t, relative, name, sizeof(name)));
}

static const struct {
	int code;
	enum got got;
	const char *text; /* NULL: the text of the errno */
} failures[] = {
	{ ENOENT, GOT_ABSENT, "no such file" },
	{ ENOTDIR, GOT_ABSENT, "no such file" },
	{ EACCES, GOT_DENIED, "permission denied" },
	{ EPERM, GOT_DENIED, "permission denied" },
	{ ESRCH, GOT_VANISHED, "the process has ended" },
	{ EXDEV, GOT_FAILED, "a link leads out of the tree; it is not followed" },
	{ ELOOP, GOT_FAILED, "a link that cannot be followed" },
};

enum got tree_failed(const struct tree *t, const char *relative, int code, struct err *e)
{
	enum got got = GOT_FAILED;
	const char *text = NULL;

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		if (failures[i].code == code) {
			got = failures[i].got;
			text = failures[i].text;
		}
	}
	if (text)
		err_set(e, got == GOT_VANISHED ? ERR_GONE : ERR_SYSTEM, "%s", text);
	else
		err_sys(e, code, "cannot be read");
	e->code = code;
	name_in(t, relative, e);
	return got;
}

/* ---- files ---- */

static enum got not_a_file(const struct tree *t, const char *relative, struct err *e)
{
	err_set(e, ERR_SYSTEM, "not a regular file; only those are read in a tree");
	name_in(t, relative, e);
	return GOT_FAILED;
}

/*
 * Even opening a device can do something (a watchdog starts, a tape winds),
 * and an archive unpacked by root may hold one: so a saved tree is asked
 * first what it has there. proc and sys of a live machine hold files only.
 */
static int is_file(const struct tree *t, const char *relative)
{
	struct stat s;
	int fd = open_beneath(t->fd, relative, O_PATH);

	if (fd < 0)
		return -1;
	int ok = fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
	close(fd);
	return ok;
}

enum got tree_open_file(struct tree *t, const char *relative, int *ret_fd, struct err *e)
{
	struct stat s;

	if (!t->live) {
		int ok = is_file(t, relative);

		if (ok < 0)
			return tree_failed(t, relative, errno, e);
		if (!ok)
			return not_a_file(t, relative, e);
	}
	int fd = open_beneath(t->fd, relative, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return tree_failed(t, relative, errno, e);
	if (fstat(fd, &s) < 0 || !S_ISREG(s.st_mode)) {
		close(fd);
		return not_a_file(t, relative, e);
	}
	*ret_fd = fd;
	return GOT_ALL;
}

bool tree_stat(const struct tree *t, const char *relative, struct stat *ret)
{
	if (t->fd < 0)
		return false;
	int fd = open_beneath(t->fd, relative, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return false;
	bool ok = fstat(fd, ret) == 0;
	close(fd);
	return ok;
}

static int member_cmp(const void *key, const void *member)
{
	return slice_cmp(*(const struct slice *)key, ((const struct member *)member)->name);
}

const struct member *tree_member(const struct tree *t, const char *relative)
{
	struct slice name = slice_str(relative);

	if (!t->n_members)
		return NULL;
	return bsearch(&name, t->members, t->n_members, sizeof(t->members[0]), member_cmp);
}

static enum got too_large(const struct tree *t, const char *relative, size_t limit, struct err *e)
{
	err_set(e, ERR_LIMIT, "larger than the %zu bytes that such a file may have", limit);
	name_in(t, relative, e);
	return GOT_FAILED;
}

/* Reads to the end; *ret is on the heap. One byte above the limit is enough to know. */
static enum got read_all(struct tree *t, const char *relative, int fd, size_t limit,
			 struct slice *ret, struct err *e)
{
	char *buf = NULL;
	size_t n = 0, cap = 0;
	ssize_t got;

	do {
		buf = mem_grow(buf, &cap, n + 4096, 1);
		got = read_some(fd, buf + n, cap - n);
		if (got > 0)
			n += (size_t)got;
	} while (got > 0 && n <= limit);
	int code = errno;

	*ret = slice_of(buf, n);
	if (n > limit)
		return too_large(t, relative, limit, e);
	if (got == 0)
		return GOT_ALL;
	enum got failed = tree_failed(t, relative, code, e);
	return n ? GOT_PARTIAL : failed;
}

enum got tree_read(struct tree *t, const char *relative, size_t limit, struct arena *a,
		   struct slice *ret, struct err *e)
{
	struct slice all;
	int fd;

	*ret = (struct slice){ 0 };
	if (t->fd < 0) {
		const struct member *m = tree_member(t, relative);

		if (!m)
			return tree_failed(t, relative, ENOENT, e);
		if (m->data.n > limit)
			return too_large(t, relative, limit, e);
		*ret = arena_copy(a, m->data);
		return GOT_ALL;
	}
	enum got got = tree_open_file(t, relative, &fd, e);
	if (got != GOT_ALL)
		return got;
	got = read_all(t, relative, fd, limit, &all, e);
	close(fd);
	if (got == GOT_ALL || got == GOT_PARTIAL)
		*ret = arena_copy(a, all);
	mem_free((void *)all.p);
	return got;
}
