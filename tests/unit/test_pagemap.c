/* SPDX-License-Identifier: MIT */
/* PAGEMAP_SCAN of this very process: what it mapped is what it sees. Skipped before Linux 6.7. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/pagemap.h"

enum { RUNS = 64 };

struct seen {
	struct page_run run[RUNS];
	size_t n;
};

static struct tree *tree;
static struct pagemap *pagemap;

static int start(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(tree_open("/", &tree, &e), 0);
	if (pagemap_open(tree, getpid(), &pagemap, &e) != GOT_ALL)
		pagemap = NULL;
	return 0;
}

static int end(void **state)
{
	(void)state;
	pagemap_close(pagemap);
	tree_close(tree);
	return 0;
}

static void note(void *ctx, const struct page_run *run)
{
	struct seen *x = ctx;

	if (x->n < RUNS)
		x->run[x->n++] = *run;
}

static void test_small_pages(void **state)
{
	(void)state;
	struct seen x = { 0 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 64 * page;

	if (!pagemap)
		skip();
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	madvise(p, size, MADV_NOHUGEPAGE);
	p[0] = p[page] = 1;                     /* two pages, one run */
	p[10 * page] = 1;                       /* one alone */
	assert_int_equal(p[20 * page], 0);      /* read only: the zero page */
	uint64_t from = (uintptr_t)p;
	assert_int_equal(pagemap_scan(pagemap, from, from + size, 0, note, &x), from + size);
	assert_int_equal(x.n, 3);
	assert_true(x.run[0].start == from && x.run[0].end == from + 2 * page);
	assert_true(x.run[0].is & PAGE_PRESENT &&
		    !(x.run[0].is & (PAGE_ZERO | PAGE_HUGE | PAGE_FILE)));
	assert_true(x.run[1].start == from + 10 * page && x.run[1].end == from + 11 * page);
	assert_true(x.run[2].start == from + 20 * page && x.run[2].is & PAGE_ZERO);
	munmap(p, size);
	/* Where nothing is mapped there are no runs. */
	x.n = 0;
	assert_int_equal(pagemap_scan(pagemap, from, from + size, 0, note, &x), from + size);
	assert_int_equal(x.n, 0);
}

/* More runs than one call of the kernel can tell. */
static void test_many_runs(void **state)
{
	(void)state;
	static struct seen x;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 3000, size = 2 * n * page, total = 0;

	if (!pagemap)
		skip();
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	madvise(p, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		p[2 * i * page] = 1;
	uint64_t from = (uintptr_t)p;
	for (size_t i = 0; i < size; i += 50 * page) { /* asked in pieces: each fits into `seen` */
		x.n = 0;
		assert_int_equal(pagemap_scan(pagemap, from + i, from + i + 50 * page, 0, note, &x),
				 from + i + 50 * page);
		total += x.n;
	}
	assert_int_equal(total, n);
	x.n = 0;
	assert_int_equal(pagemap_scan(pagemap, from, from + size, 0, note, &x), from + size);
	assert_int_equal(x.n, RUNS); /* all were told; the first are noted */
	munmap(p, size);
}

static void test_deadline(void **state)
{
	(void)state;
	struct seen x = { 0 };
	size_t size = (size_t)1 << 32; /* nothing of it is ever touched */

	if (!pagemap)
		skip();
	char *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		skip();
	uint64_t from = (uintptr_t)p, known = pagemap_scan(pagemap, from, from + size, 1, note, &x);
	assert_true(known > from && known < from + size); /* one call, then it was over */
	assert_int_equal(pagemap_scan(pagemap, from, from + size, 0, note, &x), from + size);
	munmap(p, size);
}

static void test_no_pagemap(void **state)
{
	(void)state;
	struct pagemap *none;
	struct tree *saved;
	struct err e;

	assert_int_not_equal(pagemap_open(tree, INT32_MAX, &none, &e), GOT_ALL);
	assert_int_equal(tree_open("tests/fixtures", &saved, &e), 0);
	assert_int_equal(pagemap_open(saved, 7, &none, &e), GOT_ABSENT);
	tree_close(saved);
	pagemap_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_pages),
		cmocka_unit_test(test_many_runs),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_no_pagemap),
	};

	return cmocka_run_group_tests(tests, start, end);
}
