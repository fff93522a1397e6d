/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* --match: the first line is a pattern, the others are names. No pattern runs for ever. */
#include "fuzz.h"

#include <time.h>

enum { NAMES_MAX = 64, SECONDS_MAX = 10 }; /* of instrumented code */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void add_names(struct smaps *s, struct slice text)
{
	uint64_t at = 0x10000000;

	for (struct cut c = slice_cut_line(text); (c.head.n || c.ok) && s->n < NAMES_MAX; c = slice_cut_line(c.tail)) {
		uint32_t name = smaps_intern(s, arena_copy(&s->arena, c.head));
		struct vma *v = smaps_add(s);

		v->start = at;
		v->end = at += 0x400000;
		memcpy(v->perms, "rw-p", 4);
		v->name = name;
		smaps_set(s, v, SMAPS_Rss, 4096);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cut line = slice_cut_line(fuzz_text(data, size));
	struct snapshot s;
	struct arena a = { 0 };
	struct err e = { 0 };
	struct filter *f;
	struct judged x;
	double start = seconds();

	const struct common_options common = { .root = "/", .match = arena_str(&a, line.head) };
	fuzz_smaps(slice_of(NULL, 0), &s);
	add_names(&s.smaps, line.tail);
	if (judge_filter(&f, &common, &e)) {
		fuzz_error(&e);
	} else {
		if (judge(&x, &s, &common, f, &e))
			fuzz_error(&e);
		else
			judged_free(&x);
		filter_free(f);
	}
	if (seconds() - start > SECONDS_MAX)
		looks_bad("a pattern that runs for very long", line.head, 0);
	snapshot_free(&s);
	arena_free(&a);
	return 0;
}
