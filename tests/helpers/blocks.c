/* SPDX-License-Identifier: MIT */
/*
 * usage: blocks ADVICE KB COUNT MS [STATUS]
 *
 * A program that is built good or bad: maps COUNT blocks of KB kilobytes, each
 * behind a guard, gives the ADVICE (none, huge, never), touches all of it, says
 * "ready", lives MS milliseconds (or, with 0, until standard input ends) and
 * exits with STATUS. `free` as ADVICE is huge, with all blocks unmapped after
 * half of the time.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { GUARD = 64 * 1024, MAX = 64 };

static char *block(size_t size, int advice)
{
	/* A guard on either side: neighbours of equal advice would become one mapping. */
	if (mmap(NULL, GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		exit(90);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || (advice && madvise(p, size, advice)))
		exit(91);
	memset(p, 1, size);
	return p;
}

static void live(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 92;
	int advice = !strcmp(argv[1], "none") ? 0 : !strcmp(argv[1], "never") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE;
	size_t size = strtoul(argv[2], NULL, 10) * 1024, count = strtoul(argv[3], NULL, 10);
	long ms = strtol(argv[4], NULL, 10);
	char *p[MAX];

	for (size_t i = 0; i < count && i < MAX; i++)
		p[i] = block(size, advice);
	printf("ready\n");
	fflush(stdout);
	if (!strcmp(argv[1], "free")) {
		live(ms / 2);
		for (size_t i = 0; i < count && i < MAX; i++)
			munmap(p[i], size);
		live(ms / 2);
	} else if (ms) {
		live(ms);
	} else {
		while (getchar() != EOF)
			;
	}
	return argc > 5 ? atoi(argv[5]) : 0;
}
