/* SPDX-License-Identifier: MIT */
/* Between cmd/check*.c only: one call of `hugecov check`. */
#ifndef CMD_CHECK_H
#define CMD_CHECK_H

#include <sys/types.h>

#include "cmd/commands.h"
#include "cmd/counters.h"
#include "cmd/judge.h"
#include "cmd/load.h"
#include "model/diff_set.h"
#include "model/measure.h"
#include "report/check_view.h"

/* What was read at one time: a load, its counter sources parsed. */
struct check_read {
	struct load load;
	struct counters_doc *docs; /* load.counters_n of them, in the arena of the load */
};

struct check {
	const struct call *call;
	const struct check_options *o;
	struct arena arena;       /* rules, results, everything that the view shows */
	struct gate_rules rules;
	struct filter *filter;    /* of the options */
	bool based;               /* there is a baseline */
	struct check_read base;
	struct check_view view;
};

/*
 * What is judged together at one moment: the models of its processes, each
 * with the one of the baseline it is compared with, and counter sources.
 */
struct check_subject {
	struct check *c;
	struct model *after, *before; /* before is NULL without a baseline */
	size_t n, before_n;
	struct process_pair *pairs; /* which is which; in the arena of the check */
	size_t pairs_n;
	const struct counters_doc *docs;
	size_t docs_n;
	const struct counter_rows *interval; /* of a command, start to end; NULL: none */
};

/* ---- cmd/check_read.c ---- */

int check_read(struct check_read *ret, const char *const *args, size_t n, const struct check *c,
	       struct err *e);
void check_read_free(struct check_read *r);
/* What smaps or a rollup of it sums up to, in kB. */
struct check_sums {
	uint64_t rss, huge;
};
struct check_sums check_sums(const struct smaps *s);
/*
 * Snapshots [from, from + n) of what was read as a subject. -1: both sides
 * cannot be compared, or the filter of the options fails.
 */
int check_subject(struct check_subject *ret, struct check *c, struct check_read *r, size_t from,
		  size_t n, bool docs, struct err *e);
void check_subject_free(struct check_subject *s);

/* ---- cmd/check_select.c ---- */

/* Copies of the models of a subject with other mappings kept. */
struct check_pick {
	struct model *after, *before;
	size_t n, before_n;
	const struct process_pair *pairs;
	size_t pairs_n;
	size_t mappings; /* of after, selected */
	bool narrowed;   /* something selects: findings of the process do not count */
};
/* anon: when nothing names a class, only that one. -1: the pattern is bad. */
int check_pick(struct check_pick *ret, const struct check_subject *s, const struct selector *select,
	       bool anon, struct err *e);
void check_pick_free(struct check_pick *p);

/* ---- cmd/check_measure.c ---- */

/* Measures a rule, judges it, and finds what is to blame. `ret` is zeroed. */
void check_rule(const struct check_subject *s, const struct gate_rule *g, struct check_result *ret);

/* ---- the others ---- */

/* cmd/check_counters.c: counters of two snapshots, cells of robot tables. */
struct measure check_counter(const struct check_subject *s, const struct rule *r);
struct measure check_cell(const struct check_subject *s, const struct gate_rule *g,
			  const char **ret_detail);
/* cmd/check_path.c: a number of the report. */
struct measure check_path(const struct check_subject *s, const struct gate_rule *g);
/* cmd/check_blame.c: the findings behind a broken rule. */
void check_blame(const struct check_subject *s, const struct gate_rule *g, struct check_result *r);
/* Findings of a diff that no rule asks for. */
void check_notes(const struct check_subject *s, struct check_group *g);

/* cmd/check_settle.c: waits until the huge share of live processes stands still. */
void check_settle(const struct check *c);
void check_pause_ms(uint64_t ms);
/* cmd/check_self_test.c: fills view.trials. -1: no rules, a bad pattern. */
int check_self_test(struct check *c, struct err *e);
/* cmd/check_budget.c */
void check_suggest(struct check *c, const struct check_subject *s);
int check_update_budget(struct check *c, struct err *e);

/* cmd/check_start.c. What check_start() has started is waited for once; signals are passed on to it until then. */
int check_start(const struct check *c, pid_t *ret, struct err *e);
void check_wait(struct check_command *k, pid_t pid);

/* cmd/check_run.c: the command behind "--". */
struct check_run {
	struct check_command command;
	struct check_read peak, end; /* mappings when most was resident, and before it ended */
	bool has_peak, has_end;  /* without has_peak the end is the peak */
	struct load before, after; /* the system's files */
	struct counter_rows interval;
};
int check_run(struct check_run *ret, struct check *c, struct err *e);
void check_run_free(struct check_run *r);

#endif
