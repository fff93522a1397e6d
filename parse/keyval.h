/* SPDX-License-Identifier: MIT */
/* Files of names and numbers: meminfo, vmstat, both per node, and status. */
#ifndef PARSE_KEYVAL_H
#define PARSE_KEYVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/source.h"

struct keyval {
	struct slice key; /* "AnonHugePages", "Active(anon)", "thp_fault_alloc" */
	uint64_t value;   /* kB where kb is set, else what the name means */
	bool kb;
};

struct keyvals {
	struct keyval *at; /* in the order of the file */
	size_t n;
	int node; /* "Node N " stood before the keys; -1: it did not */
	uint32_t notes[NOTE_COUNT]; /* what was forgiven */
};

/*
 * "Key:  number [kB]" a line; per node each line begins with "Node N ".
 * A key that stands twice keeps its first value. Slices point into `bytes`.
 */
int meminfo_parse(struct slice bytes, struct arena *a, bool strict, struct keyvals *ret, struct err *e);
/* "name number" a line. */
int vmstat_parse(struct slice bytes, struct arena *a, bool strict, struct keyvals *ret, struct err *e);

/* Letters, digits, _ ( ): what the kernel names counters with, and fields of smaps. */
bool keyval_is_key(struct slice key);
/* false: k is NULL, or the key is not there. O(n). */
bool keyvals_get(const struct keyvals *k, const char *key, uint64_t *ret);

/* A line "Key:\tvalue" of status; an empty slice when it is not there. */
struct slice status_value(struct slice status, const char *key);

#endif
