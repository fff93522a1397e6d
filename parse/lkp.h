/* SPDX-License-Identifier: MIT */
/*
 * Comparison tables of the kernel test robot (LKP), as they were published,
 * quoted in a mail, wrapped, flattened by a web page, or cut to a few rows.
 *
 * What was not printed is not there: an empty slice, -1 or NAN, never 0.
 * Every slice points into the arena that was given.
 */
#ifndef PARSE_LKP_H
#define PARSE_LKP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/source.h"

enum lkp_section { LKP_METRIC, LKP_FAILURE };
enum lkp_kind { LKP_NO_CHANGE, LKP_PERCENT, LKP_DIFFERENCE, LKP_REPRODUCTION };

extern const char *const lkp_section_names[2]; /* "metric" "failure" */
extern const char *const lkp_kind_names[4];    /* NULL "percent" "difference" "reproduction" */

struct lkp_cell {
	struct slice value; /* as printed, a JSON number; empty in a failure row */
	double number;      /* the same; NAN in a failure row */
	/*
	 * Population deviation (1/n) of the runs in percent of the mean, cut to an
	 * integer. The robot prints it only above 2 (some old tables: always).
	 */
	int64_t stddev_pct;    /* -1: not printed */
	int64_t fails, runs;   /* failure rows; -1 in the others */
	enum lkp_kind kind;    /* of the change; LKP_NO_CHANGE in the base column */
	struct slice
		change; /* against the base column, without "+" and "%"; empty: none, inf, nan */
	double change_number;  /* the same; NAN when there is none */
};

struct lkp_row {
	struct slice metric;
	enum lkp_section section;
	struct lkp_cell *cells; /* [0] is the base */
	size_t n;               /* at least 2 */
	size_t first;           /* number of its first cell in the table */
	unsigned long line;
};

struct lkp_commit {
	struct slice id;      /* as in the list of commits, else the head of the column */
	struct slice subject; /* empty: none printed */
};

struct lkp_parameter {
	struct slice name, value;
};

struct lkp_table {
	struct slice title; /* the line that names the machine, where there is one */
	struct slice testcase;
	struct lkp_parameter *parameters; /* the testcase among them */
	size_t nparameters;               /* 0: none printed, or names and values do not pair */
	struct lkp_commit *commits;
	size_t ncommits;
	struct lkp_row *rows;
	size_t n;
	size_t cells; /* of all rows */
	bool metrics; /* a row of it is no failure */
	bool heading; /* false: rows without one, a fragment */
};

enum lkp_where { LKP_TITLE, LKP_SENTENCE, LKP_BOX };
extern const char *const lkp_where_names[3]; /* "title" "text" "box" */

/* "noticed a 9.2% regression of METRIC", or an entry of the box of other tests. */
struct lkp_headline {
	struct slice metric;
	struct slice percent;   /* as printed, without "+" and "%"; newer mails print no sign */
	double number;
	struct slice direction; /* "regression", "improvement" … */
	enum lkp_where where;
	struct slice testcase;  /* of a box; else empty */
	struct lkp_parameter *parameters;
	size_t nparameters;
};

struct lkp_doc {
	struct lkp_table *tables; /* each has at least one row */
	size_t n;
	struct lkp_headline *headlines;
	size_t nheadlines;
};

/*
 * Reads all tables of a text. Adds to info->notes what was forgiven. -1:
 * no table in it (ERR_KIND, with what was missing) or a number that overflows
 * (ERR_PARSE with its place). O(n).
 */
int lkp_parse(struct slice text, struct arena *a, struct source_info *info, struct lkp_doc *ret,
	      struct err *e);

/* The first bytes of an input (64 KiB do): is it such a text? */
bool lkp_looks(struct slice head);
bool lkp_has_head(
	struct slice head); /* its column heads are in it: beyond doubt, and cheap to find */
/* For what lkp_looks() refused: what was missing, when it is nearly one. NULL: nothing like it. */
const char *lkp_missing(struct slice head);

/* ---- looking a metric up ---- */

/* The row of that name in a table, the first when there are several. NULL: none. */
const struct lkp_row *lkp_row_find(const struct lkp_table *t, struct slice metric);

#endif
