/* SPDX-License-Identifier: MIT */
/*
 * Puts the rows of the three readers together: where a block begins, which
 * block a summary belongs to, which row a metric belongs to, units.
 */
#ifndef PARSE_PERF_BUILD_H
#define PARSE_PERF_BUILD_H

#include "parse/perf.h"

/*
 * An aggregate and the name of a group stand at each of their metrics: one that is
 * longer than perf's ever are would make of a small file a very large report.
 */
enum { PERF_ID_MAX = 128 };

/* The metrics of a row while it is read: one list for all rows; mem_free(at) at the end. */
struct perf_metrics {
	struct perf_metric *at;
	size_t n, cap;
};

struct perf_builder {
	struct arena *a;
	struct perf_doc *doc;
	struct source_info *info;
	bool fresh;          /* the next row opens a block */
	bool has_trailer;    /* the current block has its elapsed time */
	bool has_untimed;    /* it has rows without time, in the midst or after timed ones */
	bool has_time;       /* it has rows with time, the last one at ... */
	struct dec last_time;
	bool last_is_group;  /* metrics without a count belong to `group` */
	struct slice group;
};

void perf_build_start(struct perf_builder *b, struct arena *a, struct perf_doc *doc,
		      struct source_info *info);
/* Counts a note; of a foreign line, what kind of it. */
void perf_build_note(struct perf_builder *b, enum note note, unsigned long lineno,
		     struct slice line);
/* "# started on": whatever comes next is a block of its own. */
void perf_build_break(struct perf_builder *b);
struct perf_block *perf_build_header(struct perf_builder *b);
/* The current block, opened if there is none. */
struct perf_block *perf_build_block(struct perf_builder *b);
/*
 * A row with a count. The pointer holds until the next row. Call
 * perf_build_settle() when it is filled.
 */
struct perf_event *perf_build_event(struct perf_builder *b, const struct perf_place *place);
void perf_build_settle(struct perf_builder *b, struct perf_event *ev);
/* Metrics of the event above them, or of the group that is open. */
void perf_build_metrics(struct perf_builder *b, const struct perf_place *place,
			const struct perf_metrics *list);
void perf_build_group(struct perf_builder *b, const struct perf_place *place, struct slice name);
struct perf_cell *perf_build_cell(struct perf_builder *b, const struct perf_place *place);
void perf_build_elapsed(struct perf_builder *b, struct dec seconds);
/* The document is complete: its lists, which have grown by doubling, move to the arena. */
void perf_build_finish(struct perf_builder *b);
void perf_build_drop(struct perf_builder *b);

void perf_metrics_add(struct perf_metrics *list, struct perf_metric m);

/* "msec", "Joules" ...: words known as units where the layout does not tell. */
bool perf_is_unit(struct slice word);

#endif
