/* SPDX-License-Identifier: MIT */
/*
 * One line of perf stat's text:
 *
 *   [time] [aggregate [cpus]] COUNT [unit] EVENT [cgroup] [# metric]… [( +- x% )] [(y%)]
 *
 * perf pads but never shortens, so columns do not hold; what holds is that
 * exactly one blank behind the count means that a unit follows (since 3.14),
 * and that the deviation and the running share end the last metric's line.
 */
#ifndef PARSE_PERF_ROW_H
#define PARSE_PERF_ROW_H

#include "parse/perf_build.h"
#include "parse/perf_num.h"

enum perf_row_kind {
	ROW_NONE,         /* not perf's */
	ROW_COUNT,        /* a counter */
	ROW_CONTINUATION, /* further metrics of the row above */
	ROW_GROUP,        /* a metric group: its name where the event would be, no count */
	ROW_TAIL,         /* only ( +- x% ) or (y%): wrapped from the line above */
	ROW_CELLS,        /* --metric-only: nothing but numbers */
};

/* What is known of a block before its rows are read. */
struct perf_layout {
	struct perf_locale locale;
	bool padded;  /* blanks are as printed: a row without a unit has several behind its count */
	bool cgroups; /* the last word of a row is its cgroup */
};

struct perf_row {
	enum perf_row_kind kind;
	struct perf_place place;
	enum perf_state state;
	struct dec value;
	size_t blanks;      /* behind the count */
	size_t gap;         /* blanks between event and cgroup column; 0: there is none */
	struct slice unit, event, cgroup;
	struct perf_metrics metrics; /* of cells too */
	bool has_variance, has_running;
	struct dec variance_pct, running_pct;
};

/*
 * Into a row that was zeroed once; its list of metrics serves the next one too, and
 * is the caller's to free.
 * -1 only for a number of more than 38 digits; *ret_at is its place in the line then.
 */
int perf_row_read(struct slice line, const struct perf_layout *layout, struct arena *a,
		  struct perf_row *ret, const char **ret_at);

/* ( +- x% ) and (y%) at the end of *s are taken off. */
int perf_row_tail(struct slice *s, const struct perf_locale *l, struct perf_row *row,
		  const char **ret_at);

/* "S0-D0-C1", "N0", "CPU3": what perf puts before a count. */
bool perf_is_topology(struct slice word);

#endif
