/* SPDX-License-Identifier: MIT */
/*
 * Raw results of the kernel test robot: matrix.json of a commit, a list for
 * each metric with one value a run, or stats.json of a run, one value each.
 * Samples of a single run (with times beside them) are refused.
 */
#ifndef PARSE_LKP_RESULT_H
#define PARSE_LKP_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/source.h"

struct lkp_series {
	struct slice name;
	struct slice *values; /* by run, as written; empty: null or no number */
	size_t n;             /* at most the runs of the result */
};

struct lkp_result {
	/* Of the paths in stats_source; empty: not said. */
	struct slice testcase, parameters, machine, commit;
	size_t runs;
	struct lkp_series *series;
	size_t n;
};

/* -1: no such result (ERR_KIND) or no JSON (ERR_PARSE with its place). Slices belong to `a`. */
int lkp_result_parse(struct slice text, struct arena *a, struct source_info *info,
		     struct lkp_result *ret, struct err *e);
bool lkp_result_looks(struct slice head);

#endif
