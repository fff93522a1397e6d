/* SPDX-License-Identifier: MIT */
/*
 * What became of the huge pages between two snapshots. Losses are differences
 * of waterfalls, so they add up to the kB: of each row, and in total. Memory
 * that is no longer resident is no loss; a gain elsewhere hides none. All
 * sizes in kB; a difference is after - before.
 *
 * Order of use: model_init_pair, diff_start, optionally diff_select, then
 * diff_judge.
 */
#ifndef MODEL_DIFF_H
#define MODEL_DIFF_H

#include "model/counters.h"
#include "model/findings.h"
#include "model/match.h"
#include "model/readings.h"

enum verdict { VERDICT_NONE, VERDICT_LOSS, VERDICT_GAIN, VERDICT_NO_LOSS, VERDICTS };
extern const char *const verdict_names[VERDICTS]; /* NULL "loss" "gain" "no-loss" */

/* What the two sides are, and so what can be compared. */
enum diff_scope {
	DIFF_MAPPINGS, /* mappings of both */
	DIFF_TOTALS,   /* smaps_rollup on a side: sums only, no verdict */
	DIFF_COUNTERS, /* system files only, no verdict */
};

enum { UNLIKE_MAX = 3 };

struct diff {
	struct model *m[SIDES];
	enum diff_scope scope;
	struct match match; /* of DIFF_MAPPINGS */
	uint64_t pmd_kb;    /* the larger one, if they are unlike */
	const char *unlike[UNLIKE_MAX]; /* "page_kb" "pmd_kb" "policy" */
	size_t unlike_n;
	bool other_boot;    /* boot ids are known and differ: counters cannot be compared */
	struct counter_list list[SIDES];
	struct counter_rows counters;
	struct readings readings; /* of the counters, unless they are of two boots */
	bool loss_known;
	uint64_t loss_kb;
	struct findings findings; /* `vma` is an index into the table of after; `more` is the row */
	enum verdict verdict;
	struct arena arena;
};

/* One side of a row, summed over its mappings. */
struct row_side {
	bool known;      /* each of them has a waterfall */
	bool swap_known; /* some of them says Swap */
	struct waterfall w;
	uint64_t swap, slots_ideal, slots_fit, size;
	uint64_t shared; /* Shared_Clean + Shared_Dirty */
	uint64_t advice; /* of hg and nh, all that are set on one of them */
	bool flags_known;
};
struct row_delta {
	bool known, swap_known;
	int64_t rss, swap, huge, slots_fit, subslot, policy_loss, alignment_loss, delivery_loss;
};

/* Takes the models over for reading; they outlive the diff. -1: kinds that cannot be compared. */
int diff_start(struct diff *d, struct model *before, struct model *after, enum match_by by,
	       struct err *e);
/*
 * After `keep` of both models was set: a row is selected when one of its
 * mappings is, and then all of them are.
 */
void diff_select(struct diff *d);
/* Pools, losses, totals, counters, findings, verdict. */
void diff_judge(struct diff *d);
void diff_free(struct diff *d);

void diff_row_side(const struct diff *d, const struct match_row *r, int side, struct row_side *ret);
void diff_row_delta(const struct row_side side[SIDES], struct row_delta *ret);
const struct vma *diff_row_vma(const struct diff *d, const struct match_row *r, int side,
			       uint32_t i);
/* The first mapping of after, or of before when there is none. */
const struct vma *diff_row_any(const struct diff *d, const struct match_row *r, int *ret_side);

/*
 * Of a row with mappings on both sides whose flags are known: the bits of hg
 * and nh that some mapping of after has and none of before, and the other way
 * round. 0 for a pool. ret: the memory of after that has them, kB.
 */
struct diff_advised {
	uint64_t rss, huge;
};
uint64_t diff_advice_set(const struct diff *d, const struct match_row *r, struct diff_advised *ret);
uint64_t diff_advice_cleared(const struct diff *d, const struct match_row *r);

/* The difference of a counter by its name; false when one side has none, or it was reset. */
bool diff_counter(const struct diff *d, const char *name, int64_t *ret);
/* Counters of vmstat that tell of losses and moved, "thp_split_pmd +4, …"; or nothing. */
void diff_say_host(const struct diff *d, struct out *o);
/* Seconds between the two, 0 when they are not known. */
double diff_seconds(const struct diff *d);

/* ---- findings of a diff ---- */

enum loss_cause {
	CAUSE_SPLIT, CAUSE_ADVICE, CAUSE_POLICY, CAUSE_SWAPPED, CAUSE_FREED_IN_PART, CAUSE_SIZE,
	CAUSE_ALIGNMENT, CAUSE_DELIVERY, CAUSES
};
extern const char *const cause_names[CAUSES]; /* "split" "advice" … */

struct setting_change {
	struct slice file; /* "enabled"; "prctl" */
	struct slice before, after;
};

void diff_findings(struct diff *d);
/* Huge pages that a loss of a row comes to: its kB in huge pages, rounded up. */
uint64_t diff_lost_pages(const struct diff *d, const struct match_row *r);
/* The cause in words: "the mapping was cut in 3 (rw-p, r--p, rw-p)". */
void diff_say_cause(const struct diff *d, const struct match_row *r, enum loss_cause cause,
		    struct out *o);
void diff_finding_message(const struct diff *d, const struct finding *f, struct out *o);
void diff_finding_advice(const struct diff *d, const struct finding *f, struct out *o);
void diff_finding_evidence(const struct diff *d, const struct finding *f,
			   struct json *j); /* one object */

#endif
