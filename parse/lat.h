/* SPDX-License-Identifier: MIT */
/*
 * Tables of lmbench's lat_mem_rd: memory size in MiB and the latency of one
 * load in ns, with one column of latencies as the program writes it, or more
 * as people put them side by side; quoted in a mail or not.
 */
#ifndef PARSE_LAT_H
#define PARSE_LAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/source.h"

struct lat_value {
	struct slice text; /* as printed; empty: none ("-") */
	double ns;         /* the same; NAN when there is none */
};

struct lat_row {
	struct slice size; /* as printed, without zeros at the end: "0.0625", "64" */
	double mib;
	struct lat_value *values; /* the table's ncolumns */
	unsigned long line;
};

struct lat_table {
	struct slice title;   /* the line above that names latency, or empty */
	struct slice stride;  /* of "stride=64", or empty */
	struct slice *columns; /* empty: not named */
	size_t ncolumns;
	bool heading; /* a stride or a line of column heads stands above */
	struct lat_row *rows;  /* sizes rise */
	size_t n;
};

struct lat_doc {
	struct lat_table *tables; /* each of at least 2 rows */
	size_t n;
};

/* As lkp_parse(): -1 when there is no table (ERR_KIND) or a number overflows (ERR_PARSE). */
int lat_parse(struct slice text, struct arena *a, struct source_info *info, struct lat_doc *ret,
	      struct err *e);

bool lat_looks(struct slice head);
const char *lat_missing(struct slice head); /* as lkp_missing() */

#endif
