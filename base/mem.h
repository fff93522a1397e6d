/* SPDX-License-Identifier: MIT */
/*
 * The one allocator of the program, and arenas on top of it.
 *
 * Out of memory never returns: the handler set by mem_on_exhausted() runs (it
 * restores the terminal, drops a partial output file, prints one line) and
 * the process exits with status 2. So no caller checks for NULL. Libraries
 * (PCRE2, cJSON, libarchive) use malloc and are checked where they are called.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Runs once when memory is exhausted; must not return. */
void mem_on_exhausted(void (*handler)(void));

void *mem_alloc(size_t n);                       /* uninitialised; n may be 0 */
void *mem_zalloc(size_t n);                      /* zeroed */
void *mem_array(size_t count, size_t size);      /* zeroed; overflow counts as exhausted */
void mem_free(void *p);                          /* NULL is fine */

/*
 * Grows `p` (of `*cap` elements of `size` bytes) so that it holds at least
 * `need`, by doubling. Returns the new pointer and updates *cap.
 */
void *mem_grow(void *p, size_t *cap, size_t need, size_t size);

/*
 * For tables of megabytes, uninitialised: on a huge-page boundary and advised,
 * since first touches in 4 kB steps cost more than what is written there.
 * *n becomes what there is, whole huge pages. NULL when `may_fail` and there is
 * not enough. Released by mem_free().
 */
void *mem_large(size_t *n, bool may_fail);

/* An arena: many small allocations, one release. Zero-initialise to start. */
struct arena_block;
struct arena {
	struct arena_block *blocks;
	char *at, *end;
	size_t used; /* bytes handed out, for tests of memory bounds */
};

void *arena_alloc(struct arena *a, size_t n); /* zeroed, aligned for any type */
void *arena_array(struct arena *a, size_t count, size_t size);
/* A copy of a list that grew elsewhere; with n 0 it may be NULL, the copy never is. */
void *arena_dup(struct arena *a, const void *list, size_t n, size_t size);
struct slice arena_copy(struct arena *a, struct slice s); /* with a NUL behind it */
char *arena_str(struct arena *a, struct slice s);         /* the same as a C string */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a); /* releases all; the arena may be used again */

#endif
