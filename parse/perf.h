/* SPDX-License-Identifier: MIT */
/*
 * The output of `perf stat`, of every version and mode since 2.6.38: text,
 * -x CSV and -j JSON. One record type for all of them.
 *
 * What is absent stays absent: a count that is "<not counted>" has no value,
 * a deviation that was not printed is not zero, nan is no number.
 */
#ifndef PARSE_PERF_H
#define PARSE_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dec.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/source.h"

enum perf_form { PERF_NONE, PERF_TEXT, PERF_CSV, PERF_JSON };
enum perf_state { PERF_OK, PERF_NOT_COUNTED, PERF_NOT_SUPPORTED };
enum perf_target { PERF_TARGET_NONE, PERF_COMMAND, PERF_SYSTEM, PERF_CPUS, PERF_PID, PERF_TID };

extern const char *const perf_form_names[4];   /* NULL, "text", "csv", "json" */
extern const char *const perf_state_names[3];  /* "ok", "not-counted", "not-supported" */
extern const char *const perf_target_names[6]; /* NULL, "command", "system", "cpus", "pid", "tid" */

/* Where and when a row was counted. */
struct perf_place {
	struct dec time;        /* seconds, of -I */
	bool has_time;          /* false too for rows of --summary */
	bool is_cpu;            /* -j says "cpu" : "0" where text and CSV say CPU0 */
	struct slice aggregate; /* "S0-D0-C1", "CPU0", "N0", "comm-pid", as printed; empty: none */
	int64_t cpus;           /* CPUs (newest: counters) behind the aggregate; -1: not said */
};

struct perf_metric {
	struct dec value;
	bool present; /* false: nan, inf, an empty field */
	struct slice unit;
};

struct perf_event {
	struct perf_place place;
	struct slice event, unit, cgroup; /* unit, cgroup: empty when there is none */
	enum perf_state state;
	struct dec value;        /* only with PERF_OK; all digits that were printed */
	bool has_variance, has_runtime, has_running;
	struct dec variance_pct; /* standard error of the mean, percent of the value */
	struct dec running_pct;  /* CSV and JSON since 5.19 cut the fraction off */
	uint64_t runtime_ns;
	size_t first_metric, n_metrics; /* in perf_doc.metrics */
};

/* A metric without a count: --metric-only, and metric groups since perf 6.5. */
struct perf_cell {
	struct perf_place place;
	struct slice group;  /* "TopdownL1"; empty: --metric-only */
	struct slice name;   /* of the heading, or of the metric; empty: none was printed */
	struct slice cgroup;
	struct perf_metric metric;
};

struct perf_block {
	struct slice target; /* between the quotes; meaningful when has_header */
	bool has_header;
	enum perf_target target_kind;
	int64_t runs;        /* of -r; -1: no header */
	size_t first_event, n_events; /* in perf_doc.events */
	size_t first_cell, n_cells;   /* in perf_doc.cells */
	bool has_elapsed, has_elapsed_variance, has_user, has_sys;
	struct dec elapsed_s, elapsed_variance_pct, user_s, sys_s;
};

struct perf_doc {
	enum perf_form form;
	struct perf_block *blocks;
	size_t n_blocks, cap_blocks;
	struct perf_event *events;
	size_t n_events, cap_events;
	struct perf_metric *metrics;
	size_t n_metrics, cap_metrics;
	struct perf_cell *cells;
	size_t n_cells, cap_cells;
	bool several_cgroups; /* among all events: then a name needs its cgroup */
};

/* The first of a block's n_events; NULL: it has none, and d->events may be NULL then. */
static inline const struct perf_event *perf_events(const struct perf_doc *d, const struct perf_block *b)
{
	return b->n_events ? d->events + b->first_event : NULL;
}

/* Does the head of an input (up to 64 KiB of it) look like perf stat's output? */
bool perf_looks(struct slice head);
/* For what is nearly one: a sentence about what was missing. NULL: not even near. */
const char *perf_missing(struct slice head);

/*
 * Reads all of an output. The document lives in `a`, its slices point into
 * `text` or into `a`. Notes and `complete` go to `info`; with `strict` the
 * first thing that would be noted is the error. -1: nothing of it is perf
 * stat's output, or a number is beyond 38 digits.
 */
int perf_parse(struct slice text, bool strict, struct arena *a, struct perf_doc *ret,
	       struct source_info *info, struct err *e);

#endif
