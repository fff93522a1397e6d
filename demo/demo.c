/* SPDX-License-Identifier: MIT */
/*
 * A small program for hugecov to look at: it maps five pieces of memory, good
 * and bad for huge pages, touches all of them, says on standard output what it
 * did as lines "NAME=VALUE", and waits until standard input is closed. Run by
 * tools/demo.sh.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KB = 1024, MB = 1024 * KB };
static size_t pmd = 2 * MB, page;

/* The size of a huge page here; 2 MiB when the kernel does not say, and when it is so
 * large (512 MiB with pages of 64 kB) that a demo cannot map several of them. */
static void read_pmd_size(void)
{
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "r");
	size_t v;

	if (f && fscanf(f, "%zu", &v) == 1 && v >= 64 * KB && v <= 4 * MB)
		pmd = v;
	if (f)
		fclose(f);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/*
 * `size` bytes that start `past` bytes behind a boundary (past is less than
 * pmd). What is unmapped around them keeps neighbours that look alike from
 * becoming one mapping.
 */
static char *place(size_t size, size_t past)
{
	size_t room = size + 3 * pmd;
	char *p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	size_t before = 2 * pmd - (uintptr_t)p % pmd + past, upto = before + size;
	munmap(p, before);
	munmap(p + upto, room - upto);
	return p + before;
}

/* As a program would: advice first, then use. A kernel without THP refuses the advice. */
static void use(char *p, size_t size, bool advise)
{
	if (advise)
		(void)!madvise(p, size, MADV_HUGEPAGE);
	memset(p, 1, size);
}

/* Whether the mapping that holds p carries the advice, by its VmFlags. */
static bool advised(const void *p)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[4096];
	bool inside = false, ret = false;
	uintptr_t from, to;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
			inside = (uintptr_t)p >= from && (uintptr_t)p < to;
		else if (inside && !strncmp(line, "VmFlags:", 8))
			ret = strstr(line, " hg") != NULL;
	}
	if (f)
		fclose(f);
	return ret;
}

int main(void)
{
	char byte;

	page = (size_t)sysconf(_SC_PAGESIZE);
	read_pmd_size();
	size_t block = 64 * pmd;
	char *heap = malloc(block); /* first: later ones keep their distance from it */
	char *plain = place(32 * pmd, 0);
	char *across = place(pmd + pmd / 2, pmd / 4);
	char *past = place(4 * pmd, page);
	char *good = place(4 * pmd, 0);

	if (!heap)
		die("malloc");
	use(plain, 32 * pmd, false);
	use(across, pmd + pmd / 2, true);
	use(past, 4 * pmd, true);
	use(good, 4 * pmd, true);
	use(heap, block, false); /* glibc advises it by itself, when told so */
	/* malloc keeps its header in front, and has rounded up to whole pages. */
	uintptr_t start = (uintptr_t)heap & ~(uintptr_t)(page - 1);

	printf("pid=%ld\npmd_kb=%zu\npage_kb=%zu\n", (long)getpid(), pmd / KB, page / KB);
	printf("plain=%" PRIxPTR "\nacross=%" PRIxPTR "\npast=%" PRIxPTR "\ngood=%" PRIxPTR "\n",
	       (uintptr_t)plain, (uintptr_t)across, (uintptr_t)past, (uintptr_t)good);
	printf("heap=%" PRIxPTR "\nheap_past_kb=%zu\nheap_advised=%d\n", start,
	       (size_t)(start % pmd) / KB, advised(heap));
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
