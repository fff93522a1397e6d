/* SPDX-License-Identifier: MIT */
/*
 * A process that loses and regains its huge pages on command. Says "ready PID
 * START" (the start of 16 MiB on a boundary, advised and touched), then takes a
 * line at a time and answers "done WORD" when it is so:
 *
 *   lose   each huge page mapping is cut: one page read-only and back; a page of
 *          each is held so that khugepaged cannot take them together again
 *   gain   lets go, then MADV_COLLAPSE (Linux 6.1 and later); "done gain ERRNO"
 *          when refused
 *   more   another 4 MiB in small pages
 *   name   another name of the process, which is no exec
 *   exec   itself again, as another program does
 *   quit   ends
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { MB = 1 << 20, PMD = 2 * MB, SIZE = 16 * MB };

static char *region;

static char *map(size_t size)
{
	char *p =
		mmap(NULL, size + PMD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(2);
	char *start = (char *)(((uintptr_t)p + PMD - 1) & ~(uintptr_t)(PMD - 1));
	if (start > p)
		munmap(p, (size_t)(start - p));
	munmap(start + size, (size_t)(p + size + PMD - (start + size)));
	return start;
}

/*
 * khugepaged comes when it likes, and a page that somebody else refers to keeps
 * it away (is_refcount_suitable() in mm/khugepaged.c). A pipe is somebody else.
 */
static int held[2] = { -1, -1 };

static void let_go(void)
{
	for (int i = 0; i < 2; i++)
		if (held[i] >= 0)
			close(held[i]);
	held[0] = held[1] = -1;
}

static int hold(void)
{
	if (held[0] >= 0)
		return 0;
	if (pipe2(held, O_CLOEXEC | O_NONBLOCK))
		return errno;
	for (char *p = region; p < region + SIZE; p += PMD) {
		struct iovec byte = { .iov_base = p, .iov_len = 1 };

		if (vmsplice(held[1], &byte, 1, 0) != 1)
			return errno;
	}
	return 0;
}

static int lose(void)
{
	long page = sysconf(_SC_PAGESIZE);
	int code = hold();

	if (code)
		return code;
	for (char *p = region; p < region + SIZE; p += PMD)
		if (mprotect(p, (size_t)page, PROT_READ) ||
		    mprotect(p, (size_t)page, PROT_READ | PROT_WRITE))
			return errno;
	return 0;
}

static int gain(void)
{
	let_go();
	return madvise(region, SIZE, MADV_COLLAPSE) ? errno : 0;
}

static int more(void)
{
	char *p = map(4 * MB);

	madvise(p, 4 * MB, MADV_NOHUGEPAGE);
	memset(p, 1, 4 * MB);
	return 0;
}

static int rename_me(void)
{
	return prctl(PR_SET_NAME, "renamed") ? errno : 0;
}

static int again(void)
{
	fflush(stdout);
	execl("/proc/self/exe", "toggle", (char *)NULL);
	return errno;
}

static int quit(void)
{
	exit(0);
}

static const struct {
	const char *word;
	int (*run)(void);
} commands[] = {
	{ "lose", lose },      { "gain", gain },  { "more", more },
	{ "name", rename_me }, { "exec", again }, { "quit", quit },
};

int main(void)
{
	char line[64];

	region = map(SIZE);
	madvise(region, SIZE, MADV_HUGEPAGE);
	memset(region, 1, SIZE);
	printf("ready %ld %lx\n", (long)getpid(), (unsigned long)(uintptr_t)region);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
			if (strcmp(line, commands[i].word))
				continue;
			int code = commands[i].run();

			printf("done %s", line);
			if (code)
				printf(" %d", code);
			printf("\n");
			fflush(stdout);
		}
	}
	return 0;
}
