/* SPDX-License-Identifier: MIT */
/*
 * What the page tables of a process hold, by the PAGEMAP_SCAN ioctl of
 * /proc/PID/pagemap (Linux 6.7 and later): ranges of pages that are alike. It
 * works for one's own processes without root, reads no page frame number and
 * changes nothing in the target. It walks the page tables under the mmap lock:
 * 13 ns a small page, so a range of any size takes a deadline.
 */
#ifndef SOURCE_PAGEMAP_H
#define SOURCE_PAGEMAP_H

#include "source/source.h"

/* Categories of the ioctl, as the kernel numbers them. */
enum page_is {
	PAGE_FILE = 4,     /* of a file or shared memory */
	PAGE_PRESENT = 8,
	PAGE_SWAPPED = 16,
	PAGE_ZERO = 32,    /* the zero page, small or huge: not in Rss */
	PAGE_HUGE = 64,    /* mapped by a PMD */
};

struct page_run {
	uint64_t start, end; /* bytes */
	uint64_t is;         /* enum page_is or-ed */
};

struct pagemap;

/* GOT_ABSENT also where the kernel has no PAGEMAP_SCAN. */
enum got pagemap_open(struct tree *t, int64_t pid, struct pagemap **ret, struct err *e);
void pagemap_close(struct pagemap *p); /* NULL is fine */

/*
 * Runs of pages in [start, end) that are present or swapped, ascending; of
 * small ones next to each other, one run. Calls each() for every one. Stops
 * between two calls of the ioctl when CLOCK_MONOTONIC has passed deadline_ns
 * (0: never).
 * Returns the address up to which all is known: end, or less at the deadline,
 * when the process ended, or when the kernel refused.
 */
uint64_t pagemap_scan(struct pagemap *p, uint64_t start, uint64_t end, int64_t deadline_ns,
		      void (*each)(void *ctx, const struct page_run *run), void *ctx);

#endif
