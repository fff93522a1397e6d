/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fault.h"
#include "source/internal.h"

bool open_without_openat2;

enum { LINKS_MAX = 8, RETRIES_MAX = 16 };

static int by_openat2(int dirfd, const char *relative, int flags)
{
	struct open_how how = {
		.flags = (unsigned)flags,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};

	/* EAGAIN: something was renamed meanwhile, so that ".." could not be judged. */
	for (int i = 0;; i++) {
		long fd = syscall(SYS_openat2, dirfd, relative, &how, sizeof(how));

		if (fd >= 0 || (errno != EAGAIN && errno != EINTR) || i == RETRIES_MAX)
			return (int)fd;
	}
}

/* A link to a neighbour (proc/self to a number) is followed; one with a path in it is not. */
static bool neighbour(int dirfd, const char *name, char *ret, size_t size)
{
	ssize_t n = readlinkat(dirfd, name, ret, size - 1);

	if (n <= 0 || (size_t)n == size - 1)
		return false;
	ret[n] = '\0';
	if (strchr(ret, '/') || strcmp(ret, "..") == 0) {
		errno = EXDEV;
		return false;
	}
	return true;
}

/* O_PATH with O_NOFOLLOW opens a link itself: unless that was asked for, it is ELOOP here too. */
static int open_no_link(int dirfd, const char *name, int flags)
{
	struct stat s;
	int fd = openat(dirfd, name, flags | O_NOFOLLOW);

	if (fd < 0 || !(flags & O_PATH) || flags & (O_NOFOLLOW | O_DIRECTORY))
		return fd;
	if (fstat(fd, &s) == 0 && !S_ISLNK(s.st_mode))
		return fd;
	close(fd);
	errno = ELOOP;
	return -1;
}

static int open_component(int dirfd, struct slice name, int flags)
{
	char here[NAME_MAX + 1], target[NAME_MAX + 1];

	if (name.n > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	slice_cstr(name, here, sizeof(here));
	for (int i = 0; i < LINKS_MAX; i++) {
		if (strcmp(here, "..") == 0) {
			errno = EXDEV;
			return -1;
		}
		int fd = open_no_link(dirfd, here, flags);
		int code = errno;

		/* A link is ELOOP, or ENOTDIR where a directory was asked for. */
		if (fd >= 0 || (code != ELOOP && code != ENOTDIR))
			return fd;
		if (!neighbour(dirfd, here, target, sizeof(target))) {
			if (errno != EXDEV)
				errno = code;
			return -1;
		}
		memcpy(here, target, sizeof(here));
	}
	errno = ELOOP;
	return -1;
}

static int by_components(int dirfd, const char *relative, int flags)
{
	struct slice rest = slice_str(relative);
	int at = dirfd;

	if (slice_starts(rest, SLICE("/"))) {
		errno = EXDEV;
		return -1;
	}
	for (;;) {
		struct cut c = slice_cut(rest, '/');
		bool last = !c.ok || c.tail.n == 0;
		int fd = open_component(at, c.head.n ? c.head : SLICE("."),
					last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC);
		int code = errno;

		if (at != dirfd)
			close(at);
		errno = code;
		if (last || fd < 0)
			return fd;
		at = fd;
		rest = c.tail;
	}
}

int open_beneath(int dirfd, const char *relative, int flags)
{
	/* openat2() takes nothing beside O_PATH that it would not heed. */
	flags |= O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY);
	if (fault(FAULT_OPEN)) {
		errno = EIO;
		return -1;
	}
	if (!open_without_openat2) {
		int fd = by_openat2(dirfd, relative, flags);

		if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
			return fd;
		if (errno == ENOSYS)
			open_without_openat2 = true;
		/* EPERM: a filter of system calls, or the file's own answer: it comes again. */
	}
	return by_components(dirfd, relative, flags);
}

ssize_t read_some(int fd, void *buf, size_t n)
{
	if (fault(FAULT_READ)) {
		errno = EIO;
		return -1;
	}
	for (;;) {
		ssize_t got = read(fd, buf, n);

		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			return got;
		if (errno == EAGAIN) { /* someone else made this pipe or terminal non-blocking */
			struct pollfd p = { .fd = fd, .events = POLLIN };

			poll(&p, 1, -1);
		}
	}
}

ssize_t read_head(int fd, void *buf, size_t n)
{
	ssize_t got;

	if (fault(FAULT_READ))
		return -1;
	do
		got = pread(fd, buf, n, 0);
	while (got < 0 && errno == EINTR);
	return got;
}
