/* SPDX-License-Identifier: MIT */
/*
 * Does the wrong thing, and then what hugecov advises. `advice NAME` makes the
 * memory that a finding blames and says "at START-END" (and "past" when the
 * kernel has no such thing); at a line on standard input it follows the advice
 * and says "at START-END" of what holds the memory then. It waits until
 * standard input ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#define MADV_GUARD_REMOVE 103
#endif

enum { KB = 1024, MB = 1024 * KB, PAGE = 4 * KB, PMD = 2 * MB, SIZE = 8 * MB, MALLOC = 128 * MB };

static char *at; /* what is looked at */
static size_t size = SIZE;
static int memfd;

static void say(void)
{
	printf("at %lx-%lx\n", (unsigned long)(uintptr_t)at, (unsigned long)((uintptr_t)at + size));
	fflush(stdout);
}

static void no_such_thing(void)
{
	puts("past");
	fflush(stdout);
	exit(0);
}

/* Address space, `past` bytes behind a boundary and alone between PROT_NONE. */
static char *place(size_t n, size_t past)
{
	char *p = mmap(NULL, n + 4 * PMD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return (char *)(((uintptr_t)p + 2 * PMD - 1) / PMD * PMD) + past;
}

static char *map(char *where, size_t n, int flags, int fd)
{
	char *p = mmap(where, n, PROT_READ | PROT_WRITE, flags | (where ? MAP_FIXED : 0), fd, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

static char *anon(size_t n, size_t past)
{
	return map(place(n, past), n, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void touch(char *p, size_t n)
{
	for (size_t i = 0; i < n; i += PAGE)
		((volatile char *)p)[i] = 1;
}

static void advise(char *p, size_t n, int advice)
{
	if (madvise(p, n, advice))
		no_such_thing();
}

static void advise_and_touch(void)
{
	advise(at, size, MADV_HUGEPAGE);
	touch(at, size);
}

static void collapse(void)
{
	if (madvise(at, size, MADV_COLLAPSE)) {
		perror("MADV_COLLAPSE");
		no_such_thing();
	}
}

/* ---- where it lies ---- */

static void off_boundary(void) { at = anon(size, PAGE); advise_and_touch(); }
static void use_aligned_alloc(void)
{
	at = aligned_alloc(PMD, size);
	advise_and_touch();
}
static void use_aligned_part(void)
{
	char *p = mmap(NULL, size + PMD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	at = (char *)(((uintptr_t)p + PMD - 1) / PMD * PMD);
	advise_and_touch();
}
static void odd_length(void)
{
	size = 3 * MB;
	at = anon(size, 512 * KB);
	advise_and_touch();
}
static void round_length(void)
{
	size = 4 * MB;
	at = map(NULL, size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	advise_and_touch();
}
/* By chance one of 512 lies well: that one is no example. */
static void malloc_block(void)
{
	size = MALLOC + PAGE;
	do
		at = (char *)((uintptr_t)malloc(MALLOC) & ~(uintptr_t)(PAGE - 1));
	while ((uintptr_t)at % PMD == 0);
	touch(at, size);
}
static void malloc_less(size_t less)
{
	/* A word in front, rounded up to 16, and another word: what glibc maps. */
	size = ((MALLOC - less + 8 + 15) / 16 * 16 + 8 + PAGE - 1) / PAGE * PAGE;
	at = (char *)((uintptr_t)malloc(MALLOC - less) & ~(uintptr_t)(PAGE - 1));
	touch(at, size);
}
static void malloc_24_less(void) { malloc_less(24); }
static void malloc_16_less(void) { malloc_less(16); }
/* Blocks merge downwards; what is told is all that lies between the first and the last. */
static void blocks(size_t block)
{
	uintptr_t low = UINTPTR_MAX, high = 0;

	for (int i = 0; i < 8; i++) {
		char *p = malloc(block);
		uintptr_t start = (uintptr_t)p & ~(uintptr_t)(PAGE - 1), end = ((uintptr_t)p + block + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

		memset(p, 1, block);
		low = start < low ? start : low;
		high = end > high ? end : high;
	}
	at = (char *)low;
	size = high - low;
}
static void blocks_full(void) { blocks(4 * MB); }
static void blocks_less(void) { blocks(4 * MB - 24); }
static void sparse(void)
{
	size = MALLOC + PAGE;
	at = anon(size, 0);
	advise(at, size, MADV_HUGEPAGE);
	*at = 1;
}
static void sparse_small(void)
{
	at = anon(size, 0);
	advise(at, size, MADV_NOHUGEPAGE);
	*at = 1;
}
static void memfd_mapping(size_t past)
{
	at = map(place(size, past), size, MAP_SHARED, memfd);
	touch(at, size);
}
static void other_offset(void)
{
	memfd = memfd_create("advice", 0);
	if (memfd < 0 || ftruncate(memfd, (off_t)size))
		exit(1);
	memfd_mapping(0);
	collapse(); /* one that is huge shows that the kernel allows it */
	memfd_mapping(PAGE);
}
static void same_offset(void) { memfd_mapping(0); collapse(); }
static void heap(void)
{
	size = 0;
	at = sbrk(0);
	for (int i = 0; i < 4000; i++)
		memset(malloc(16 * KB), 1, 16 * KB);
	size = (size_t)((char *)sbrk(0) - at);
}
static void cut_permission(void)
{
	at = anon(size, 0);
	advise_and_touch();
	mprotect(at + 3 * MB, PAGE, PROT_READ);
}
static void one_permission(void)
{
	mprotect(at + 3 * MB, PAGE, PROT_READ | PROT_WRITE);
	collapse();
}
static void cut_advice(void)
{
	at = anon(size, 0);
	advise(at, 3 * MB, MADV_HUGEPAGE);
	advise(at + 3 * MB, PAGE, MADV_NOHUGEPAGE);
	advise(at + 3 * MB + PAGE, size - 3 * MB - PAGE, MADV_HUGEPAGE);
	touch(at, size);
}
static void one_advice(void) { at = anon(size, 0); advise_and_touch(); }
/* What was touched while the advice differed does not become one mapping again. */
static void one_advice_late(void) { advise(at, size, MADV_HUGEPAGE); }

/* ---- what is allowed ---- */

static void plain(void) { at = anon(size, 0); touch(at, size); }
static void advised_first(void) { at = anon(size, 0); advise_and_touch(); }
static void big_malloc(void)
{
	size = 64 * MB;
	at = malloc(size);
	memset(at, 1, size);
}
static void small_mallocs(void)
{
	size = MB;
	for (int i = 0; i < 128; i++)
		memset(at = malloc(size), 1, size);
}
static void *stack_work(void *arg)
{
	char local[4 * MB];

	touch(local, sizeof(local));
	at = (char *)((uintptr_t)local & ~(uintptr_t)(PAGE - 1));
	size = sizeof(local);
	say();
	pause();
	return arg;
}
static void run_thread(char *stack, size_t n)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstack(&attr, stack, n);
	pthread_create(&thread, &attr, stack_work, NULL);
}
static void usual_stack(void) { run_thread(NULL, 0); }
static void own_stack(void)
{
	char *stack = aligned_alloc(PMD, SIZE);

	advise(stack, SIZE, MADV_HUGEPAGE);
	run_thread(stack, SIZE);
}
static void forbidden(void) { at = anon(size, 0); advise(at, size, MADV_NOHUGEPAGE); touch(at, size); }
static void allowed(void) { advise(at, size, MADV_HUGEPAGE); collapse(); }
static void switched_off(void)
{
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		no_such_thing();
	at = anon(size, 0);
	advise_and_touch();
}
static void switched_on(void)
{
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	at = anon(size, 0);
	advise_and_touch();
}
static void shared(void) { at = map(place(size, 0), size, MAP_SHARED | MAP_ANONYMOUS, -1); touch(at, size); }
static void shared_advised(void)
{
	at = map(place(size, 0), size, MAP_SHARED | MAP_ANONYMOUS, -1);
	advise_and_touch();
}
/* A file of the tmpfs that HUGECOV_TMPFS names, before and behind its remount. */
static void tmpfs_file(void)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%ld", getenv("HUGECOV_TMPFS"), random());
	f = fopen(path, "w+");
	if (!f || ftruncate(fileno(f), (off_t)size))
		exit(1);
	at = map(place(size, 0), size, MAP_SHARED, fileno(f));
	madvise(at, size, MADV_HUGEPAGE);
	touch(at, size);
}

/* ---- what was not delivered ---- */

static void late(void) { at = anon(size, 0); touch(at, size); advise(at, size, MADV_HUGEPAGE); }
static void half_late(void)
{
	at = anon(size, 0);
	touch(at, size / 2);
	advise_and_touch();
}
static void guards(void)
{
	at = anon(size, 0);
	advise(at, size, MADV_HUGEPAGE);
	for (size_t i = 0; i < size; i += PMD)
		advise(at + i + PAGE, PAGE, MADV_GUARD_INSTALL);
	for (size_t i = 0; i < size; i += PAGE)
		if (i % PMD != PAGE)
			((volatile char *)at)[i] = 1;
}
static void no_guards(void)
{
	advise(at, size, MADV_GUARD_REMOVE);
	touch(at, size);
	collapse();
}

static const struct {
	const char *name;
	void (*wrong)(void), (*right)(void);
	bool speaks; /* says its place itself */
} cases[] = {
	{ "align-start", off_boundary, use_aligned_alloc, false },
	{ "align-start-part", off_boundary, use_aligned_part, false },
	{ "round-length", odd_length, round_length, false },
	{ "fewer-bytes", malloc_block, malloc_24_less, false },
	{ "fewer-bytes-16", malloc_block, malloc_16_less, false },
	{ "fewer-bytes-each", blocks_full, blocks_less, false },
	{ "sparse-block", sparse, sparse_small, false },
	{ "same-offset", other_offset, same_offset, false },
	{ "heap-start", heap, NULL, false },
	{ "one-permission", cut_permission, one_permission, false },
	{ "one-advice", cut_advice, one_advice, false },
	{ "one-advice-late", cut_advice, one_advice_late, false },
	{ "madvise", plain, advised_first, false },
	{ "madvise-collapse", plain, collapse, false },
	{ "big-malloc", big_malloc, NULL, false },
	{ "small-mallocs", small_mallocs, NULL, false },
	{ "stack", usual_stack, own_stack, true },
	{ "nohugepage", forbidden, allowed, false },
	{ "prctl", switched_off, switched_on, false },
	{ "shmem", shared, collapse, false },
	{ "shmem-advised", shared, shared_advised, false },
	{ "tmpfs", tmpfs_file, tmpfs_file, false },
	{ "late", late, collapse, false },
	{ "collapse", half_late, collapse, false },
	{ "guards", guards, no_guards, false },
};

int main(int argc, char **argv)
{
	char line[64];

	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		cases[i].wrong();
		if (!cases[i].speaks)
			say();
		while (fgets(line, sizeof(line), stdin)) {
			cases[i].right();
			if (!cases[i].speaks)
				say();
		}
		return 0;
	}
	return 2;
}
