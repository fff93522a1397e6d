/* SPDX-License-Identifier: MIT */
/*
 * What a check found, for its five renderers. Filled by cmd/check*.c; all
 * strings live in its arena. Names, paths and messages come from strangers:
 * each renderer escapes them by the rules of its format.
 */
#ifndef REPORT_CHECK_VIEW_H
#define REPORT_CHECK_VIEW_H

#include "base/source.h"
#include "base/stats.h"
#include "model/budget.h"
#include "model/judge.h"
#include "report/style.h"

/* A finding to blame for a broken rule. */
struct check_blame {
	enum finding_id id;
	bool has_start, lost_known;
	uint64_t start, lost_kb;
	struct slice name;            /* of the mapping; empty: unnamed, or the process */
	struct slice message, advice;
};

/* One look at a rule: at the end, at the peak of a command … */
struct check_moment {
	const char *name; /* "peak" "end"; NULL: there is only this one */
	struct measure value;
	enum outcome outcome;
};
enum { CHECK_MOMENTS = 2 };

struct check_result {
	const struct gate_rule *g;
	enum outcome outcome;
	const char *why;        /* could-not, or what overruled the value; else NULL */
	struct measure value;   /* of the moment that decides */
	struct measure distance; /* value - limit; unknown when value is */
	struct check_moment moments[CHECK_MOMENTS];
	size_t moments_n;       /* 1 or 2 */
	bool sampled;           /* `spread` is of --samples; value is its median */
	struct stats spread;
	const char *detail;     /* lines about it, or NULL: of a robot's row */
	struct check_blame *blame;
	size_t blame_n, blame_more; /* more: left out */
};

/* What was judged together: all sources, or one of --each. */
struct check_group {
	const char *title;      /* "demo (18749)", "after.txt against before.txt" */
	const struct source_info **sources;
	size_t sources_n;
	size_t mappings;        /* all that were read and selected by the options */
	size_t rows;            /* of robot tables */
	struct check_result *results;
	size_t n;
	const char **notes;     /* what no rule asks for */
	size_t notes_n;
};

struct check_command {
	const char *const *argv; /* NULL-terminated */
	bool ran;
	int status;              /* exit status; -1: ended by `signal` */
	int signal;
	double seconds;
	size_t samples;          /* looks at it */
};

/* A rule that holds now, when none was given. */
struct check_suggestion {
	const char *rule;   /* 'huge_kb >= 143360' */
	enum nature nature;
	const char *says;   /* what is measured: "140.0 of 210.0 MiB" */
};

/* Of --self-test: values that a rule was judged at. */
struct check_trial {
	const struct gate_rule *g;
	bool can_pass, can_fail;
	struct measure pass, fail; /* known: a value at which it does */
	const char *why;           /* it proves nothing: why */
};

struct check_view {
	struct check_group *groups;
	size_t groups_n;
	const struct gate_rules *rules;
	const char *error;               /* nothing could be judged at all: why */
	const struct source_info *baseline; /* NULL: none */
	const struct check_command *command; /* NULL: none */
	const struct check_suggestion *suggestions;
	size_t suggestions_n;
	const char *update_with; /* the command line that --update-budget takes, for the hint */
	const struct check_trial *trials;
	size_t trials_n;
	bool thp_off;
	int64_t time_ns;
	enum outcome outcome;
};

struct check_counts {
	size_t rules, pass, fail, warn, could_not;
	size_t mappings, rows;
};
struct check_counts check_count(const struct check_view *v);
static inline int check_exit(const struct check_view *v)
{
	return (int)v->outcome; /* 0, 1, 2 */
}

/* "pass", "FAIL", "warn": what a person sees first. could-not is "????". */
enum check_mark { MARK_PASS, MARK_FAIL, MARK_WARN, MARK_COULD_NOT };
enum check_mark check_mark(const struct check_result *r);
/* May the verdict change from run to run of one program? */
static inline bool check_may_vary(const struct check_result *r)
{
	return r->g->rule.nature != NATURE_LAYOUT;
}

/* ---- numbers in words (report/check_words.c) ---- */

/* "66.7 %", "140.0 MiB", "1"; "-" when it is not known. */
void check_put_value(struct out *o, const struct text_style *st, const struct measure *m);
/* The value of a rule, with as many digits as tell it from the limit. */
void check_put_measured(struct out *o, const struct text_style *st, const struct check_result *r);
/* "coverage >= 90 %" */
void check_put_rule(struct out *o, const struct text_style *st, const struct rule *r);
/* "short by 23.3 points", "1 too many", "12.0 MiB to spare"; empty when there is nothing to say. */
void check_put_distance(struct out *o, const struct text_style *st, const struct check_result *r);
/* "is 66.7 %, short by 23.3 points", or why it could not be measured. */
void check_put_sentence(struct out *o, const struct text_style *st, const struct check_result *r);
/* "3 rules over 35 mappings, 2 broken" */
void check_put_summary(struct out *o, const struct check_group *g);
/* "match ^/memfd:, class shmem"; nothing without a selector */
void check_put_selector(struct out *o, const struct selector *s);
/* "2048 kB 7f3b3ce00000 ": what a finding costs and where */
void check_put_place(struct out *o, const struct check_blame *b);
/* Prints into a memory buffer with a NUL behind it; out_close() it. */
const char *check_cstr(struct out *o);

/* ---- the renderers ---- */

struct json;
void check_text(struct out *o, const struct text_style *st, const struct check_view *v);
void check_json(struct json *j, const struct check_view *v);
void check_junit(struct out *o, const struct check_view *v);
void check_github(struct out *o, const struct check_view *v);
void check_markdown(struct out *o, const struct check_view *v);

#endif
