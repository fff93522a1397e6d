/* SPDX-License-Identifier: MIT */
/*
 * Maps regions whose huge pages are known in advance and says what must be
 * seen: "NAME START-END fit=N ideal=N huge=ADVISED|ALWAYS|NEVER" a line, then
 * "ready", and waits until standard input ends.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KB = 1024, MB = 1024 * KB };
static const size_t pmd = 2 * MB;

/* `size` bytes whose start is `past` bytes behind a boundary, alone between guards. */
static char *place(size_t size, size_t past)
{
	char *p = mmap(NULL, size + 4 * pmd, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	uintptr_t at = ((uintptr_t)p + 2 * pmd - 1) / pmd * pmd + past;
	char *q = mmap((char *)at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (q == MAP_FAILED)
		exit(1);
	return q;
}

static void say(const char *name, const char *p, size_t size, const char *huge)
{
	uintptr_t start = (uintptr_t)p, end = start + size;
	size_t first = (start + pmd - 1) / pmd, last = end / pmd;

	printf("%s %lx-%lx fit=%zu ideal=%zu huge=%s\n", name, (unsigned long)start, (unsigned long)end,
	       last > first ? last - first : 0, size / pmd, huge);
}

static void region(const char *name, size_t size, size_t past, int advice, int touch, const char *huge)
{
	char *p = place(size, past);

	if (advice && madvise(p, size, advice))
		exit(2);
	if (touch)
		memset(p, 1, size);
	say(name, p, size, huge);
}

static void split(void)
{
	char *p = place(4 * MB, 0);

	if (madvise(p, 4 * MB, MADV_HUGEPAGE))
		exit(2);
	memset(p, 1, 4 * MB);
	if (mprotect(p + MB, 4 * KB, PROT_READ)) /* the first of two huge pages becomes small */
		exit(2);
	say("split-front", p, MB, "NEVER");
	say("split-back", p + MB + 4 * KB, 3 * MB - 4 * KB, "ADVISED");
}

int main(void)
{
	region("aligned", 8 * MB, 0, MADV_HUGEPAGE, 1, "ADVISED");
	region("shifted", 8 * MB, 4 * KB, MADV_HUGEPAGE, 1, "ADVISED");
	region("astride", 3 * MB, 512 * KB, MADV_HUGEPAGE, 1, "ADVISED");
	region("unadvised", 16 * MB, 0, 0, 1, "ALWAYS");
	region("refused", 4 * MB, 0, MADV_NOHUGEPAGE, 1, "NEVER");
	region("untouched", 4 * MB, 0, MADV_HUGEPAGE, 0, "NEVER");
	split();
	/* A terabyte of reserved addresses is normal for a JVM or a sanitizer. */
	if (mmap(NULL, (size_t)1 << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
		fprintf(stderr, "no terabyte here\n");
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
