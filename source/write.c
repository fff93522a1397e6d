/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fault.h"
#include "source/sink.h"

int write_all(int fd, struct slice bytes)
{
	while (bytes.n) {
		if (fault(FAULT_WRITE)) {
			errno = ENOSPC;
			return -1;
		}
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0)
			bytes = slice_skip(bytes, (size_t)n);
	}
	return 0;
}

/* What getdents64(2) writes; the C library's readdir() would allocate. */
struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short size;
	unsigned char type;
	char name[];
};

/* What is removed: a real snapshot is never so deep that anything of it has to move. */
enum { LEVELS = 16 };
struct removal {
	int top;          /* the folder that all of it lies in; -1: not open yet */
	unsigned level;   /* folders that are open below it, one descriptor and some stack each */
	unsigned long moved;
};

static int remove_one(struct removal *r, int fd, const char *name);

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Removes what one call of getdents64 has listed, and counts. Returns 0, or the first errno. */
static int remove_listed(struct removal *r, int fd, const char *buf, long n, unsigned long *gone)
{
	for (long i = 0; i < n;) {
		const struct entry *entry = (const struct entry *)(const void *)(buf + i);

		i += entry->size;
		if (is_dots(entry->name))
			continue;
		if (remove_one(r, fd, entry->name) < 0)
			return errno;
		++*gone;
	}
	return 0;
}

/* What goes while a directory is listed may hide other entries: it is begun again then. */
static int remove_below(struct removal *r, int fd)
{
	_Alignas(struct entry) char buf[2048];
	unsigned long gone;
	int code;
	long n;

	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		gone = 0;
		code = remove_listed(r, fd, buf, n, &gone);
		if (code)
			return code;
		if (gone && lseek(fd, 0, SEEK_SET) < 0)
			return errno;
	}
	return n < 0 ? errno : 0;
}

/*
 * A folder below the last level goes up to the top, where its turn comes
 * again. On a name that is taken already: an empty folder there is replaced.
 */
static int move_up(struct removal *r, int fd, const char *name)
{
	char up[32];

	do {
		snprintf(up, sizeof(up), ".hugecov-%lu", r->moved++);
		if (renameat(fd, name, r->top, up) == 0)
			return 0;
	} while (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR);
	return -1;
}

static int remove_folder(struct removal *r, int fd, const char *name)
{
	int dir = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return -1;
	if (r->top < 0)
		r->top = dir;
	r->level++;
	int code = remove_below(r, dir);
	r->level--;
	close(dir);
	if (code) {
		errno = code;
		return -1;
	}
	return unlinkat(fd, name, AT_REMOVEDIR);
}

static int remove_one(struct removal *r, int fd, const char *name)
{
	if (unlinkat(fd, name, 0) == 0)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	if (r->level < LEVELS)
		return remove_folder(r, fd, name);
	if (unlinkat(fd, name, AT_REMOVEDIR) == 0)
		return 0;
	return errno == ENOTEMPTY || errno == EEXIST ? move_up(r, fd, name) : -1;
}

int remove_tree(int fd, const char *name)
{
	struct removal r = { .top = -1 };

	return remove_one(&r, fd, name);
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

bool directory_holds_only(int fd, const char *const *names, size_t n)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;
	bool ok = d != NULL;

	if (!d && again >= 0)
		close(again);
	while (ok && (entry = readdir(d)))
		ok = is_dots(entry->d_name) || is_one_of(entry->d_name, names, n);
	if (d)
		closedir(d);
	return ok;
}
