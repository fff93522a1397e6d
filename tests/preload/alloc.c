/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: the allocation number ALLOC_FAIL of the whole process fails, whoever makes it: the program,
 * libc, or a library that it has loaded. Counted from main() on. The file ALLOC_COUNTS, which exists, holds
 * two numbers of 8 bytes: how many there were, and how many of them failed. What the program starts runs without.
 * A crash says on standard error where: "crash: " and lines of library(function+offset).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void *memalign(size_t align, size_t n);

enum { SEEN, FAILED, NUMBERS };

static uint64_t numbers_here[NUMBERS], *numbers = numbers_here;
static uint64_t number_that_fails;
static bool counting;

static bool fails(void)
{
	if (!counting || ++numbers[SEEN] != number_that_fails)
		return false;
	numbers[FAILED]++;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

void *memalign(size_t align, size_t n)
{
	return fails() ? NULL : __libc_memalign(align, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

int posix_memalign(void **ret, size_t align, size_t n)
{
	void *p = memalign(align, n);

	if (!p)
		return ENOMEM;
	*ret = p;
	return 0;
}

enum { FRAMES = 4, OURS = 2 }; /* the first are on_crash() and the signal's */

static void on_crash(int sig)
{
	void *frames[FRAMES];
	int n = backtrace(frames, FRAMES);
	ssize_t done = write(STDERR_FILENO, "crash: ", 7);

	(void)done;
	if (n > OURS)
		backtrace_symbols_fd(frames + OURS, n - OURS, STDERR_FILENO);
	signal(sig, SIG_DFL);
	raise(sig);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("ALLOC_COUNTS"), *n = getenv("ALLOC_FAIL");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (fd >= 0) {
		void *p = ftruncate(fd, sizeof(numbers_here)) ? MAP_FAILED :
				mmap(NULL, sizeof(numbers_here), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		close(fd);
		if (p != MAP_FAILED)
			numbers = p;
	}
	number_that_fails = n ? strtoull(n, NULL, 10) : 0;
	unsetenv("LD_PRELOAD");
	backtrace(&(void *){ NULL }, 1); /* loads what it needs while there is memory */
	signal(SIGSEGV, on_crash);
	signal(SIGABRT, on_crash);
	counting = true;
}
