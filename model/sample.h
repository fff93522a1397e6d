/* SPDX-License-Identifier: MIT */
/*
 * Watching over time: one tick after the other, what changed between two of
 * them, how fast the host's counters move, how coverage went. Pure: times and
 * values come in. Everything here has a fixed size or belongs to one tick, so
 * that watching for days needs no more memory than watching for a minute.
 */
#ifndef MODEL_SAMPLE_H
#define MODEL_SAMPLE_H

#include "base/strmap.h"
#include "model/model.h"
#include "model/pace.h"

enum target_state {
	TARGET_RUNS,
	TARGET_ZOMBIE, /* ended, its parent has not taken notice */
	TARGET_ENDED,
	TARGET_DENIED, /* it changed its user or the like: not to be read any more */
	TARGET_STATES
};
extern const char *const target_names[TARGET_STATES]; /* "runs" "zombie" "ended" "denied" */

/* One tick. */
struct sample {
	uint64_t n;             /* from 1 */
	int64_t time_ns;        /* CLOCK_REALTIME; it may jump */
	int64_t elapsed_ns;     /* since the first tick, by a clock that does not jump */
	int64_t interval_ns;    /* what the user asked for */
	enum look look;
	int64_t cost_ns;        /* of this look */
	int64_t full_cost_ns;   /* of the last full look */
	uint64_t full_every;    /* ticks from one full look to the next, as planned */
	uint64_t full_age;      /* ticks since the last full look; 0: this one */
	enum target_state target;
	bool exec;              /* another program since the tick before */
	bool rollup_known;      /* the sums below are of this tick, from smaps_rollup */
	uint64_t rollup_rss_kb, rollup_huge_kb; /* of all classes */
};

/* ---- history ---- */

enum { HISTORY_MAX = 1024 };

struct point {
	int64_t elapsed_ns;
	double coverage; /* NAN: nothing could be huge */
	uint64_t rss_kb, huge_kb;
	bool estimated;  /* not from a full look */
};

struct history {
	struct point at[HISTORY_MAX];
	size_t n, next;
};

void history_add(struct history *h, struct point p);
/* The point `back` before the last one; NULL when it is not kept (any more). */
const struct point *history_back(const struct history *h, size_t back);
/* Of the headline class. */
struct point point_of(const struct model *m, const struct sample *s);

/* ---- counters of the host ---- */

struct rate {
	const char *name; /* "vmstat.thp_fault_alloc", "meminfo.AnonHugePages" */
	bool gauge;     /* else a counter: it only rises */
	bool kb;
	bool present;   /* in the last tick */
	bool reset;     /* it fell since the tick before: another boot, a restored machine */
	bool changed;
	uint64_t value;
	uint64_t first; /* at the first tick, or after the last reset */
	double per_s;   /* since the tick before; NAN: not known */
};

struct rates {
	struct rate *at; /* in the order in which they were first seen */
	size_t n, cap;
	struct strmap index; /* from a name to its place in `at` */
	struct arena names;
	int64_t elapsed_ns, step_ns;
	bool started;
};

/* A tick: begin, every value, end. Only counters that tell of huge pages are kept. */
void rates_begin(struct rates *r, int64_t elapsed_ns);
void rates_note(struct rates *r, const char *family, struct slice key, uint64_t value, bool kb);
void rates_system(struct rates *r, const struct system_info *s); /* notes vmstat and meminfo */
/* What was not noted is as it was (a recording tells changes only), or is not there. */
void rates_end(struct rates *r, bool others_stay);
const struct rate *rates_find(const struct rates *r, const char *name); /* NULL: not there */
const struct rate *rates_of(const struct rates *r, const char *family, struct slice key); /* the same */
void rates_copy(struct rates *to, const struct rates *from); /* `to` is overwritten */
void rates_free(struct rates *r);

/* ---- changes ---- */

struct change {
	int64_t huge_kb, rss_kb; /* of a mapping that was split: of all its pieces, in the first */
	bool appeared;           /* nothing lay there */
};

struct changes {
	struct change *at; /* one for each mapping of now */
	size_t appeared, gone;
	int64_t huge_kb, rss_kb; /* of all */
	bool any;
};

/* By address: both are of one process. Lives in `a`. `before` NULL: nothing changed. */
void changes_find(const struct model *before, const struct model *now, struct arena *a,
		  struct changes *ret);

#endif
