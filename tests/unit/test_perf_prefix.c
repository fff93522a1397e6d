/* SPDX-License-Identifier: MIT */
/*
 * Prefixes of outputs of perf stat, and the same with bytes changed,
 * ending right at an unreadable page: a reader that looks one byte too far
 * dies here. What was read goes through everything behind it.
 */
#define _GNU_SOURCE
#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "model/perf_counters.h"
#include "model/perf_readings.h"
#include "parse/perf.h"

enum { ROOM = 64 * 1024, CHANGES = 400 };

static char *guard_end; /* the first byte that must not be read */

static int make_guard(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	(void)state;
	if (p == MAP_FAILED || mprotect(p + ROOM, page, PROT_NONE))
		return -1;
	guard_end = p + ROOM;
	return 0;
}

static void judge(const struct perf_doc *d, struct arena *a)
{
	struct counter_list list = { 0 };
	struct counter_rows rows = { 0 };
	struct readings readings = { 0 };

	for (size_t i = 0; i < d->n_blocks; i++) {
		const struct perf_block *b = &d->blocks[i];

		assert_true(b->first_event + b->n_events <= d->n_events);
		assert_true(b->first_cell + b->n_cells <= d->n_cells);
	}
	for (size_t i = 0; i < d->n_events; i++)
		assert_true(d->events[i].first_metric + d->events[i].n_metrics <= d->n_metrics);
	perf_counters(d, a, &list);
	counters_diff(&list, &list, a, &rows);
	assert_int_equal(rows.n, list.n);
	perf_readings(d, "", a, &readings);
	perf_diff_readings(&rows, a, &readings);
	counters_free(&list);
	counter_rows_free(&rows);
	readings_free(&readings);
}

static void try(struct slice text)
{
	struct arena a = { 0 };
	struct perf_doc d;
	struct source_info info = { 0 };
	struct err e = { 0 };
	struct slice guarded = slice_of(guard_end - text.n, text.n);

	if (text.n)
		memcpy(guard_end - text.n, text.p, text.n);
	perf_looks(guarded);
	perf_missing(guarded);
	if (perf_parse(guarded, false, &a, &d, &info, &e))
		assert_true(e.text[0] && (e.line || e.kind == ERR_KIND));
	else
		judge(&d, &a);
	arena_free(&a);
}

static void change(char *p, size_t n, uint64_t *seed)
{
	static const char odd[] = " \t\r\n#,;:.%()[]<>\"'{}0-+/\\\0\x1b\xc2\xa0\xe2";

	for (uint64_t i = test_below(seed, 4); n && i < 4; i++)
		p[test_below(seed, n)] = odd[test_below(seed, sizeof(odd) - 1)];
}

static void try_file(const char *name)
{
	struct arena a = { 0 };
	struct slice text = test_file(&a, arena_printf(&a, "tests/fixtures/perf/%s", name));
	char *copy = arena_alloc(&a, text.n);
	uint64_t seed = 7;

	assert_true(text.n <= ROOM);
	for (size_t n = 0; n <= text.n; n += 1 + text.n / 1500) /* quadratic in the size */
		try(slice_first(text, n));
	for (int i = 0; i < CHANGES; i++) {
		memcpy(copy, text.p, text.n);
		change(copy, text.n, &seed);
		try(slice_of(copy, text.n));
	}
	arena_free(&a);
}

static void test_prefixes(void **state)
{
	static const char *const files[] = {
		"made-v36-r5.txt",
		"p61-hw-default-fr.txt",
		"p61-real-r5-table.txt",
		"p61-hw-stalled-noaggr.txt",
		"p61-hw-metric-only-tma.txt",
		"p61-hw-default-de.csv",
		"p61-hw-stalled-persocket.csv",
		"made-v49-interval-percore.csv",
		"p61-hw-metric-only-interval.csv",
		"made-v613-trailing-comma.jsonl",
		"p61-hw-metric-only-interval.jsonl",
		"made-v612-groups.jsonl",
		"p61-real-per-thread.txt",
		"made-v612-groups-r2.txt",
		"p61-real-tracepoint-colon.csv",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		try_file(files[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_prefixes) };

	return cmocka_run_group_tests(tests, make_guard, NULL);
}
