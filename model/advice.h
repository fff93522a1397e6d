/* SPDX-License-Identifier: MIT */
/*
 * What to change. One row of advice_rules each, and each is measured: a test
 * in tests/live/test_advice.py follows it on the running kernel and sees the
 * promised result. Where a runtime has a switch of its own, that is the advice.
 *
 * To add one: an id here, a row in advice_rules, its case in advice_of(), a
 * function of that name in the test (which fails when an id has none).
 */
#ifndef MODEL_ADVICE_H
#define MODEL_ADVICE_H

#include "model/findings.h"

enum advice {
	ADVICE_NONE,
	/* where it lies */
	ADVICE_ALIGN_START,
	ADVICE_ROUND_LENGTH,
	ADVICE_FEWER_BYTES,
	ADVICE_FEWER_BYTES_EACH,
	ADVICE_SPARSE_BLOCK,
	ADVICE_SAME_OFFSET,
	ADVICE_HEAP_START,
	ADVICE_ONE_PERMISSION,
	ADVICE_ONE_ADVICE,
	/* what is allowed */
	ADVICE_MADVISE,
	ADVICE_GLIBC,
	ADVICE_JEMALLOC,
	ADVICE_TCMALLOC,
	ADVICE_MIMALLOC,
	ADVICE_GO,
	ADVICE_JVM,
	ADVICE_STACK,
	ADVICE_NOHUGEPAGE,
	ADVICE_PRCTL,
	ADVICE_REFUSED,
	ADVICE_ENABLE,
	ADVICE_SHMEM,
	ADVICE_POSTGRES,
	/* what was not delivered */
	ADVICE_LATE,
	ADVICE_COLLAPSE,
	ADVICE_GUARDS,
	ADVICE_IDS
};

struct advice_rule {
	const char *id;   /* "fewer-bytes" */
	/* %P: a huge page; %B: bytes to ask for; %L: the length rounded up; %N: huge pages it takes
	 */
	const char *text;
	const char *many; /* of several mappings, where the numbers differ; NULL: as `text`, which
			     has none */
};
extern const struct advice_rule advice_rules[ADVICE_IDS];

/* Which row fits a finding of one snapshot. */
enum advice advice_of(const struct model *m, const struct finding *f);
/* The text for mapping v with slots t; v NULL: for many, or for the process. */
void advice_say(enum advice a, const struct model *m, const struct vma *v, struct out *o);
/* "2 MiB", "1.5 MiB", "132 kB": exact, as sentences have it. */
void say_size(struct out *o, uint64_t kb);

#endif
