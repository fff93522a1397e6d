/* SPDX-License-Identifier: MIT */
/*
 * Readings of robot tables, most of which hold for two snapshots of meminfo
 * and vmstat as well.
 *
 * To add one: a row in lkp_reading_rows, its function, and in
 * tests/unit/test_lkp_readings.c an input that hits and one that misses. The
 * test walks the rows and fails when either is missing; docs/readings.md is
 * written from them.
 */
#ifndef MODEL_LKP_READINGS_H
#define MODEL_LKP_READINGS_H

#include "model/counters.h"
#include "model/lkp_about.h"
#include "model/lkp_check.h"
#include "model/readings.h"

/*
 * Two sides of the same counters: base and one head column of a table, two raw
 * results of the robot (means over their runs), or two snapshots.
 */
struct reading_scope {
	const struct lkp_doc *doc;     /* NULL: no table */
	struct lkp_about *about;       /* of doc */
	const struct lkp_table *table;
	size_t number, column;         /* of the table, of the head column */
	const struct lkp_verdict *verdicts; /* of the table */
	const struct counter_rows *counters; /* when there is no table */
	bool results;                  /* they are of raw results, not of snapshots */
	struct arena *a;
	struct readings *to;
};

struct lkp_reading {
	struct reading_row row;
	void (*make)(const struct reading_scope *s);
	unsigned of; /* enum reading_of, or-ed; all are of tables */
	bool once;   /* for a table as a whole: its `column` is the first head */
};

enum reading_of {
	OF_RESULTS = 1,  /* two raw results */
	OF_SNAPSHOTS = 2 /* two snapshots of meminfo and vmstat, which count since boot */
};

extern const struct lkp_reading lkp_reading_rows[];
extern const size_t lkp_reading_count;

/* Of all tables of a text. ends[i], unless NULL: the readings there are after table i. */
void lkp_readings(const struct lkp_doc *doc, const struct lkp_checked *checked, struct arena *a,
		  struct readings *to, size_t *ends);
/* Of two snapshots (rows of counters_diff()). */
void snapshot_readings(const struct counter_rows *rows, struct arena *a, struct readings *to);
/* Of two raw results (rows of their means). */
void result_readings(const struct counter_rows *rows, struct arena *a, struct readings *to);

/* ---- for the functions of the rows ---- */

struct metric_pair {
	double before, after;
	double percent; /* 100 (after/before - 1); NAN when before is 0 */
	struct slice name; /* as the input has it */
	const struct lkp_row *row; /* NULL: no table */
};

/* By the robot's name ("proc-vmstat.pgfault"); snapshots have the same under theirs. */
bool scope_find(const struct reading_scope *s, const char *name, struct metric_pair *ret);
/* The first metric that ends so. Not of snapshots. */
bool scope_find_end(const struct reading_scope *s, const char *end, struct metric_pair *ret);

enum { SCOPE_NODES = 64 };

void read_huge_share(const struct reading_scope *s);
void read_huge_lost(const struct reading_scope *s);
void read_faults_explained(const struct reading_scope *s);
void read_splits(const struct reading_scope *s);
void read_demand(const struct reading_scope *s);
void read_fallback_rate(const struct reading_scope *s);
void read_split_not_freed(const struct reading_scope *s);
void read_less_clearing(const struct reading_scope *s);
void read_holes(const struct reading_scope *s);
void read_disagrees(const struct reading_scope *s);
void read_unexplained(const struct reading_scope *s);

#endif
