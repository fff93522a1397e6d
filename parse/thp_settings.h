/* SPDX-License-Identifier: MIT */
/* /sys/kernel/mm/transparent_hugepage, file by file. */
#ifndef PARSE_THP_SETTINGS_H
#define PARSE_THP_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/slice.h"

struct thp_setting {
	struct slice file;  /* "enabled", "khugepaged/max_ptes_none" */
	struct slice value; /* the bracketed word of a list, else the whole line */
	bool number;
	uint64_t n;
};

struct thp_size { /* hugepages-NkB, since 6.8 */
	uint64_t kb;
	struct slice enabled, shmem_enabled; /* empty: no such file */
	struct thp_setting *stats;           /* since 6.10 */
	size_t stats_n;
};

struct thp_settings {
	struct thp_setting *at;
	size_t n;
	struct thp_size *sizes; /* ascending */
	size_t sizes_n;
};

/* The word in brackets of "always [madvise] never"; the trimmed text when there is none. Here for its test. */
struct slice thp_bracketed(struct slice text);

/*
 * Adds one file: its path below transparent_hugepage, which is copied into `a`,
 * and its content, which must outlive s. A second file of the same name, and
 * what is far more than any kernel has, is passed over.
 */
void thp_settings_add(struct thp_settings *s, struct arena *a, struct slice path, struct slice text);
/* Value by file, empty when it is not there. */
struct slice thp_setting(const struct thp_settings *s, const char *file);
/* NULL: no folder of that size, as before 6.8. */
const struct thp_size *thp_size_of(const struct thp_settings *s, uint64_t kb);

#endif
