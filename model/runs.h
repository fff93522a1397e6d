/* SPDX-License-Identifier: MIT */
/*
 * Several runs a side. Mappings of different runs cannot be paired one by one,
 * so each run becomes a list of figures (where its memory goes, gauges, events),
 * and each figure is compared by median, spread and Mann-Whitney U. What the
 * kernel has counted since boot says nothing of a run and is left out.
 */
#ifndef MODEL_RUNS_H
#define MODEL_RUNS_H

#include "base/stats.h"
#include "model/counters.h"
#include "model/diff.h"

/* A difference stands out when chance alone would show one like it in at most 1 of 20 cases. */
#define RUNS_P 0.05

struct run {
	struct source_info source;
	bool mappings;           /* figures of a waterfall are among them */
	uint64_t page_kb, pmd_kb; /* 0: unknown */
	enum policy policy;
	struct counter_list figures;
};

struct figure {
	struct slice name, unit; /* "anon.huge_kb", "kB"; a fraction has the unit "fraction" */
	enum counter_kind kind;
	double *values[SIDES];   /* of the runs that say it */
	struct stats stats[SIDES];
	bool tested;             /* both sides have values: test and delta are there */
	struct mann_whitney test;
	double delta;            /* of the medians */
	double percent;          /* NAN when the median before is 0 */
	bool stands_out;
};

struct runs {
	struct run *side[SIDES];
	size_t n[SIDES], cap[SIDES];
	struct figure *figures;
	size_t figures_n, figures_cap;
	size_t tested, standing_out; /* figures on both sides that vary, and those of them */
	double p_min;       /* what these counts can show at best */
	const char *unlike[UNLIKE_MAX]; /* "page_kb" "pmd_kb" "policy": not the same in all runs */
	size_t unlike_n;
	/*
	 * By the formula of a diff, from the medians of each class. The verdict
	 * is a loss when it is at least a huge page and the class' huge memory
	 * stands out; none when runs have no mappings or are too few to tell.
	 */
	bool loss_known;
	double loss_kb;
	const char *loss_class; /* where most of it is: "anon"; NULL: nowhere */
	enum verdict verdict;
	struct arena arena;
};

/* A run of that side, to be filled. The pointer is valid until the next call. */
struct run *runs_add(struct runs *r, int side);
/* The figures of a snapshot, judged: model_totals() is done. Names are made in the arena of r. */
void runs_snapshot(struct runs *r, struct run *run, const struct model *m);
/* Of a list of counters: what is no count since boot. Its texts are copied. */
void runs_counters(struct runs *r, struct run *run, const struct counter_list *l);
void runs_compare(struct runs *r);
const struct figure *runs_figure(const struct runs *r, const char *name); /* NULL: none */
void runs_free(struct runs *r);

#endif
