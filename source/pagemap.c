/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "source/pagemap.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "source/internal.h"

/* The ioctl of Linux 6.7, for headers that are older. */
struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN _IOWR('f', 16, struct scan_arg)

enum {
	RUNS = 512,
	/* One call walks at most this much: 65,536 small pages are about 1 ms. */
	STRIDE = 256 * 1024 * 1024,
	WANTED = PAGE_FILE | PAGE_PRESENT | PAGE_SWAPPED | PAGE_ZERO | PAGE_HUGE,
};

struct pagemap {
	int fd;
	struct page_run runs[RUNS];
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Number of runs found from start on, -1 with errno; *ret_end is where the walk stopped. */
static int scan(struct pagemap *p, uint64_t start, uint64_t end, uint64_t *ret_end)
{
	struct scan_arg arg = {
		.size = sizeof(arg),
		.start = start,
		.end = end,
		.vec = (uintptr_t)p->runs,
		.vec_len = RUNS,
		.category_anyof_mask = PAGE_PRESENT | PAGE_SWAPPED,
		.return_mask = WANTED,
	};
	int n;

	do
		n = ioctl(p->fd, SCAN, &arg);
	while (n < 0 && errno == EINTR);
	*ret_end = arg.walk_end;
	return n;
}

enum got pagemap_open(struct tree *t, int64_t pid, struct pagemap **ret, struct err *e)
{
	char name[64];
	uint64_t end;
	int fd;

	snprintf(name, sizeof(name), "proc/%lld/pagemap", (long long)pid);
	if (t->fd < 0)
		return tree_failed(t, name, ENOENT, e);
	enum got got = tree_open_file(t, name, &fd, e);
	if (got != GOT_ALL)
		return got;
	struct pagemap *p = mem_zalloc(sizeof(*p));
	p->fd = fd;
	/* An empty range asks whether the call is known: ENOTTY before 6.7, and of a saved file. */
	if (scan(p, 0, 0, &end) < 0) {
		int code = errno == ENOTTY || errno == EINVAL ? ENOENT : errno;

		pagemap_close(p);
		return tree_failed(t, name, code, e);
	}
	*ret = p;
	return GOT_ALL;
}

void pagemap_close(struct pagemap *p)
{
	if (!p)
		return;
	close(p->fd);
	mem_free(p);
}

uint64_t pagemap_scan(struct pagemap *p, uint64_t start, uint64_t end, int64_t deadline_ns,
		      void (*each)(void *ctx, const struct page_run *run), void *ctx)
{
	while (start < end) {
		uint64_t to = end - start > STRIDE ? start + STRIDE : end, reached;
		int n = scan(p, start, to, &reached);

		if (n < 0 || reached <= start)
			break;
		for (int i = 0; i < n; i++)
			each(ctx, &p->runs[i]);
		start = reached;
		if (deadline_ns && start < end && now_ns() >= deadline_ns)
			break;
	}
	return start;
}
