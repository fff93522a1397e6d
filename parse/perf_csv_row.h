/* SPDX-License-Identifier: MIT */
/*
 * A row of perf stat -x, found in the fields of its line:
 *
 *   [time] [aggregate [cpus]] count unit EVENT [cgroup] [x%] runtime running% [metric unit]…
 *
 * EVENT may hold the separator. Runtime and running % (since 4.1) are the
 * first field of digits that a percentage with two decimals stands behind.
 * Under a decimal comma with a comma as separator, that pair is three fields
 * and a count with decimals is two.
 */
#ifndef PARSE_PERF_CSV_ROW_H
#define PARSE_PERF_CSV_ROW_H

#include "parse/perf_build.h"

struct perf_csv_fields {
	struct slice line;
	struct slice *at; /* in order, not trimmed; each a part of the line */
	size_t n, cap;
};

/* What the rows of a file have in common. */
struct perf_csv_dialect {
	char separator;
	char decimal;         /* '.' or ',' */
	bool split_decimals;  /* the decimal comma is the separator too */
	bool pairs;           /* rows have runtime and running % */
	bool variance, cgroups;
	bool counts;          /* there are counts: no --metric-only */
	/* While it is learned: */
	size_t rows, plain_pairs, split_pairs, comma_pairs, with_variance, with_cgroup;
};

enum perf_csv_kind { CSV_NONE, CSV_COUNT, CSV_METRICS, CSV_GROUP, CSV_CELLS };

struct perf_csv_row {
	enum perf_csv_kind kind;
	struct perf_place place;
	struct perf_event ev;
	struct slice group;
	struct perf_metrics metrics;
};

/* Two rounds over the rows: first 0, then perf_csv_settle(), then 1 and settle again. */
void perf_csv_learn(struct perf_csv_dialect *d, const struct perf_csv_fields *f, int round);
void perf_csv_settle(struct perf_csv_dialect *d, int round);

/*
 * Into a row that was zeroed once; its list of metrics serves the next one too, and
 * is the caller's to free. -1: the number in field *ret_bad is too long.
 */
int perf_csv_row_read(const struct perf_csv_fields *f, const struct perf_csv_dialect *d,
		      struct perf_csv_row *ret, size_t *ret_bad);

#endif
