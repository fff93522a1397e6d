/* SPDX-License-Identifier: MIT */
/* What every unit test includes: cmocka and a few shorthands. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/slice.h"

/* A file of the project, read whole; the test ends when it is not there. */
static inline struct slice test_file(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	char buf[65536];
	size_t n, cap = 0, used = 0;
	char *all = NULL;

	if (!f)
		fail_msg("%s cannot be opened", path);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0) {
		all = mem_grow(all, &cap, used + n, 1);
		memcpy(all + used, buf, n);
		used += n;
	}
	fclose(f);
	struct slice s = arena_copy(a, slice_of(all, used));
	mem_free(all);
	return s;
}

#define assert_slice(have, want)                                                                     \
	do {                                                                                         \
		struct slice have_ = (have);                                                         \
		if (!slice_eq_str(have_, want))                                                      \
			fail_msg("'%.*s' is not '%s'", SLICE_FMT(have_), (const char *)(want));      \
	} while (0)

/* Small numbers that are the same on every run. */
static inline uint64_t test_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}
static inline uint64_t test_below(uint64_t *state, uint64_t n)
{
	return n ? test_random(state) % n : 0;
}

#endif
