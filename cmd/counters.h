/* SPDX-License-Identifier: MIT */
/*
 * Counter sources (perf stat output, robot tables, latency tables): read, then
 * shown, compared or asked.
 *
 * To add a kind: a row in counters_kinds (cmd/counters.c) with its functions.
 */
#ifndef CMD_COUNTERS_H
#define CMD_COUNTERS_H

#include "cmd/load.h"
#include "cmd/output.h"
#include "model/counters.h"
#include "model/readings.h"

struct counters_kind;

struct counters_doc {
	const struct counters_kind *kind;
	struct source_info info; /* of the load, with the notes of the reader */
	bool strict;             /* the reader may name the line of what would be forgiven */
	struct arena arena;      /* holds all of it */
	void *data;              /* what the kind's reader made */
	struct readings readings;
};

/* What a renderer is given. */
struct counters_show {
	struct out *out;
	const struct text_style *style;
	bool all;
};

struct counters_kind {
	enum source_kind kind;
	/* Parses, judges, and makes the readings. */
	int (*read)(struct counters_doc *d, struct slice bytes, struct err *e);
	void (*json)(const struct counters_doc *d, const struct counters_show *s);
	void (*csv)(const struct counters_doc *d, const struct counters_show *s);
	void (*text)(const struct counters_doc *d, const struct counters_show *s);
	/* As a flat list for a diff; NULL: there is no diff of this kind. */
	void (*list)(struct counters_doc *d, struct counter_list *ret);
	/* Readings of a diff of two such documents; NULL: none of its own. */
	void (*compare)(const struct counters_doc *before, const struct counters_doc *after,
			const struct counter_rows *rows, struct arena *a, struct readings *to);
	/* A diff as text; NULL: a table of all counters. */
	void (*diff_text)(const struct counters_doc *before, const struct counters_doc *after,
			  const struct counter_rows *rows, const struct readings *readings,
			  const struct counters_show *s);
};

/* Reads all of it; nothing has been written when that fails. With common->strict what was forgiven is an error. */
int counters_read(struct counters_doc *ret, const struct load_counters *source,
		  const struct common_options *common, struct err *e);
void counters_show(const struct counters_doc *d, const struct common_options *common, struct output *o);
void counters_doc_free(struct counters_doc *d); /* also of a zeroed one */

/* hugecov diff of two sources of one kind: reads, compares, writes. 0 or -1. */
int counters_diff_run(const struct load_counters *before, const struct load_counters *after,
		      const struct diff_options *o, struct err *e);

/* The robot tables of a document, or NULL. */
const struct lkp_doc *counters_robot(const struct counters_doc *d);

/* ---- the kinds (cmd/counters_tables.c, counters_perf.c, counters_result.c) ---- */

int counters_read_lkp(struct counters_doc *d, struct slice bytes, struct err *e);
void counters_json_lkp(const struct counters_doc *d, const struct counters_show *s);
void counters_csv_lkp(const struct counters_doc *d, const struct counters_show *s);
void counters_text_lkp(const struct counters_doc *d, const struct counters_show *s);

int counters_read_perf(struct counters_doc *d, struct slice bytes, struct err *e);
void counters_json_perf(const struct counters_doc *d, const struct counters_show *s);
void counters_csv_perf(const struct counters_doc *d, const struct counters_show *s);
void counters_text_perf(const struct counters_doc *d, const struct counters_show *s);
void counters_list_perf(struct counters_doc *d, struct counter_list *ret);
void counters_compare_perf(const struct counters_doc *before, const struct counters_doc *after,
			   const struct counter_rows *rows, struct arena *a, struct readings *to);

void counters_diff_text_perf(const struct counters_doc *before, const struct counters_doc *after,
			     const struct counter_rows *rows, const struct readings *readings,
			     const struct counters_show *s);

int counters_read_lat(struct counters_doc *d, struct slice bytes, struct err *e);
void counters_json_lat(const struct counters_doc *d, const struct counters_show *s);
void counters_csv_lat(const struct counters_doc *d, const struct counters_show *s);
void counters_text_lat(const struct counters_doc *d, const struct counters_show *s);
void counters_list_lat(struct counters_doc *d, struct counter_list *ret);
void counters_compare_lat(const struct counters_doc *before, const struct counters_doc *after,
			  const struct counter_rows *rows, struct arena *a, struct readings *to);
void counters_diff_text_lat(const struct counters_doc *before, const struct counters_doc *after,
			    const struct counter_rows *rows, const struct readings *readings,
			    const struct counters_show *s);

int counters_read_result(struct counters_doc *d, struct slice bytes, struct err *e);
void counters_json_result(const struct counters_doc *d, const struct counters_show *s);
void counters_csv_result(const struct counters_doc *d, const struct counters_show *s);
void counters_text_result(const struct counters_doc *d, const struct counters_show *s);
void counters_list_result(struct counters_doc *d, struct counter_list *ret);
void counters_compare_result(const struct counters_doc *before, const struct counters_doc *after,
			     const struct counter_rows *rows, struct arena *a, struct readings *to);
void counters_diff_text_result(const struct counters_doc *before, const struct counters_doc *after,
			       const struct counter_rows *rows, const struct readings *readings,
			       const struct counters_show *s);

#endif
