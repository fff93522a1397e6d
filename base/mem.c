/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/fault.h"

static void (*exhausted_handler)(void);

void mem_on_exhausted(void (*handler)(void))
{
	exhausted_handler = handler;
}

static _Noreturn void exhausted(void)
{
	if (exhausted_handler)
		exhausted_handler();
	_Exit(2);
}

void *mem_alloc(size_t n)
{
	void *p = fault(FAULT_ALLOC) ? NULL : malloc(n ? n : 1);

	if (!p)
		exhausted();
	return p;
}

void *mem_zalloc(size_t n)
{
	void *p = fault(FAULT_ALLOC) ? NULL : calloc(1, n ? n : 1);

	if (!p)
		exhausted();
	return p;
}

static void *mem_realloc(void *p, size_t n)
{
	void *q = fault(FAULT_ALLOC) ? NULL : realloc(p, n ? n : 1);

	if (!q)
		exhausted();
	return q;
}

void *mem_array(size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		exhausted();
	return mem_zalloc(n);
}

void mem_free(void *p)
{
	free(p);
}

void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap ? *cap : 16, bytes;

	if (need <= *cap)
		return p;
	while (want < need) {
		if (want > SIZE_MAX / 2)
			exhausted();
		want *= 2;
	}
	if (__builtin_mul_overflow(want, size, &bytes))
		exhausted();
	*cap = want;
	return mem_realloc(p, bytes);
}

void *mem_large(size_t *n, bool may_fail)
{
	const size_t huge = 2 * 1024 * 1024; /* of most machines; where it is not, advice is all that is lost */

	if (*n > SIZE_MAX - huge)
		exhausted();
	*n = (*n + huge - 1) & ~(huge - 1);
	void *p = fault(FAULT_ALLOC) ? NULL : aligned_alloc(huge, *n);
	if (!p && !may_fail)
		exhausted();
	if (p)
		madvise(p, *n, MADV_HUGEPAGE); /* fails where THP is not built in: then it is plain memory */
	return p;
}

struct arena_block {
	struct arena_block *next;
	alignas(max_align_t) char bytes[];
};

enum { ARENA_MIN = 16 * 1024, ARENA_MAX = 1024 * 1024 };

static void arena_add_block(struct arena *a, size_t n)
{
	/* Blocks grow with what is already used: few for small inputs, few for big ones. */
	size_t size = a->used < ARENA_MIN ? ARENA_MIN : a->used > ARENA_MAX ? ARENA_MAX : a->used;

	if (size < n)
		size = n;
	struct arena_block *b = mem_alloc(sizeof(*b) + size);
	b->next = a->blocks;
	a->blocks = b;
	a->at = b->bytes;
	a->end = b->bytes + size;
}

/* Bytes without alignment, for text. */
static char *arena_bytes(struct arena *a, size_t n)
{
	if (n > (size_t)(a->end - a->at))
		arena_add_block(a, n);
	char *p = a->at;
	a->at += n;
	a->used += n;
	return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
	size_t align = alignof(max_align_t);
	size_t pad = (align - ((uintptr_t)a->at & (align - 1))) & (align - 1);

	if (n > SIZE_MAX - sizeof(struct arena_block) - align)
		exhausted();
	if (pad < (size_t)(a->end - a->at))
		a->at += pad;
	else
		a->at = a->end; /* a fresh block is aligned */
	return memset(arena_bytes(a, n ? n : 1), 0, n ? n : 1);
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		exhausted();
	return arena_alloc(a, n);
}

void *arena_dup(struct arena *a, const void *list, size_t n, size_t size)
{
	void *p = arena_array(a, n, size);

	if (n)
		memcpy(p, list, n * size);
	return p;
}

struct slice arena_copy(struct arena *a, struct slice s)
{
	return slice_of(arena_str(a, s), s.n);
}

char *arena_str(struct arena *a, struct slice s)
{
	if (s.n == SIZE_MAX)
		exhausted();
	char *p = arena_bytes(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	char small[256];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if ((size_t)n < sizeof(small))
		return arena_str(a, slice_of(small, (size_t)n));
	char *p = arena_bytes(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void arena_free(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *b = a->blocks;

		a->blocks = b->next;
		mem_free(b);
	}
	*a = (struct arena){ 0 };
}
