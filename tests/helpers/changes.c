/* SPDX-License-Identifier: MIT */
/*
 * Changes one thing at a time to a region of huge pages, on command. A line
 * "prepare NAME" makes a fresh 16 MiB region, advised, on a boundary, every
 * page written, and answers "NAME START-END"; "change" does to it what the
 * name says, and answers "done". Talks with read() and write() alone, so that
 * the C library's buffers change nothing meanwhile.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PMD = 2 << 20, SLOTS = 8, SIZE = SLOTS * PMD };

static char *region; /* on a boundary, with room of PROT_NONE on both sides */
static pid_t child;

static void say(const char *fmt, ...)
{
	char line[128];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		_exit(1);
}

static void must(int failed, const char *what)
{
	if (failed) {
		say("failed %s\n", what);
		_exit(1);
	}
}

static void map_at(char *at, size_t size)
{
	char *p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	must(p == MAP_FAILED, "mmap");
	must(madvise(p, size, MADV_HUGEPAGE), "MADV_HUGEPAGE");
}

static void fill(char *at, size_t size)
{
	for (size_t i = 0; i < size; i += PAGE)
		((volatile char *)at)[i] = 1;
}

/* Between guards of another protection nothing merges with it. */
static void prepare(void)
{
	char *p = mmap(NULL, 4 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	must(p == MAP_FAILED, "mmap");
	region = (char *)(((uintptr_t)p + SIZE) / PMD * PMD);
	map_at(region, SIZE);
	fill(region, SIZE);
}

static void split(void)
{
	must(mprotect(region + 3 * PMD + PMD / 2, PAGE, PROT_READ), "mprotect");
}

static void free_slots(void)
{
	must(munmap(region + SIZE - 2 * PMD, 2 * PMD), "munmap");
}

static void drop_pages(void)
{
	for (int i = 0; i < SLOTS; i++)
		must(madvise(region + i * PMD + 5 * PAGE, PAGE, MADV_DONTNEED), "MADV_DONTNEED");
}

static void drop_slots(void)
{
	must(madvise(region, 3 * PMD, MADV_DONTNEED), "MADV_DONTNEED");
}

static void fork_and_write(void)
{
	child = fork();
	must(child < 0, "fork");
	if (!child) {
		for (;;)
			pause();
	}
	((volatile char *)region)[2 * PMD + 7 * PAGE] = 2;
}

/* To a place one page past a boundary. */
static void move_off(void)
{
	char *to = region + SIZE + 2 * PMD + PAGE;

	must(mremap(region, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to, "mremap");
}

static void move_on(void)
{
	char *to = region + SIZE + 2 * PMD;

	must(mremap(region, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to, "mremap");
}

/* Advice alone changes no page: they are given back and written anew. */
static void unadvise(void)
{
	must(madvise(region, SIZE, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	must(madvise(region, SIZE, MADV_DONTNEED), "MADV_DONTNEED");
	fill(region, SIZE);
}

static void no_huge(void)
{
	must(madvise(region, SIZE, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
}

static void grow(void)
{
	map_at(region + SIZE, 2 * PMD);
	fill(region + SIZE, 2 * PMD);
}

static void grow_down(void)
{
	map_at(region - PMD, PMD);
	fill(region - PMD, PMD);
}

/* Cut and joined again: one mapping as before, but its pages stay small. */
static void cut_and_join(void)
{
	split();
	must(mprotect(region + 3 * PMD + PMD / 2, PAGE, PROT_READ | PROT_WRITE), "mprotect");
}

static void unmap(void)
{
	must(munmap(region, SIZE), "munmap");
}

static void nothing(void)
{
}

static const struct {
	const char *name;
	void (*run)(void);
} changes[] = {
	{ "nothing", nothing },	       { "split", split },	 { "free", free_slots },   { "drop-pages", drop_pages },
	{ "drop-slots", drop_slots },  { "fork", fork_and_write }, { "move-off", move_off }, { "move-on", move_on },
	{ "unadvise", unadvise },      { "grow", grow },	 { "grow-down", grow_down }, { "unmap", unmap },
	{ "cut-and-join", cut_and_join }, { "no-huge", no_huge },
};

static char *read_line(char *buf, size_t size)
{
	size_t n = 0;

	while (n + 1 < size && read(STDIN_FILENO, buf + n, 1) == 1)
		if (buf[n++] == '\n')
			break;
	if (!n || buf[n - 1] != '\n')
		return NULL;
	buf[n - 1] = '\0';
	return buf;
}

static void end_child(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = 0;
}

int main(void)
{
	char line[64];
	void (*run)(void) = nothing;

	while (read_line(line, sizeof(line))) {
		if (!strncmp(line, "prepare ", 8)) {
			end_child();
			for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
				if (!strcmp(line + 8, changes[i].name))
					run = changes[i].run;
			prepare();
			say("%s %lx-%lx\n", line + 8, (unsigned long)(uintptr_t)region,
			    (unsigned long)(uintptr_t)(region + SIZE));
		} else {
			run();
			say("done\n");
		}
	}
	end_child();
	return 0;
}
