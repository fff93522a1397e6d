/* SPDX-License-Identifier: MIT */
/*
 * What the options of each command set. Every struct starts with the common
 * one, so that one table of common rows serves all. The rows and the defaults
 * stand in cmd/option_tables.c.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "cmd/opts.h"

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_JUNIT,
	FORMAT_GITHUB,
	FORMAT_MARKDOWN
};
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum sort_key { SORT_DEFAULT, SORT_COST, SORT_ADDRESS, SORT_SIZE, SORT_RSS, SORT_HUGE, SORT_SLOTS, SORT_NAME };
enum opt_policy { OPT_POLICY_NONE, OPT_POLICY_ALWAYS, OPT_POLICY_MADVISE, OPT_POLICY_NEVER };
enum opt_vmas { VMAS_ALL, VMAS_FINDINGS, VMAS_CHANGED, VMAS_NONE };
enum opt_by { BY_AUTO, BY_ADDRESS, BY_IDENTITY };
enum opt_thp_off { THP_OFF_ERROR, THP_OFF_PASS, THP_OFF_FAIL };
enum opt_class { /* bits of common_options.classes */
	OPT_CLASS_ANON = 1,
	OPT_CLASS_SHMEM = 2,
	OPT_CLASS_FILE = 4,
	OPT_CLASS_HUGETLB = 8,
	OPT_CLASS_SPECIAL = 16
};

struct common_options {
	int format;           /* enum format */
	const char *output;   /* NULL: standard output */
	int color;            /* enum color_when */
	const char *root;     /* never NULL; "/" unless given */
	uint64_t pmd_size_kb; /* 0: not given */
	int policy;           /* enum opt_policy */
	int kind;             /* enum source_kind; KIND_UNKNOWN: not given */
	bool strict;
	bool allow_partial;
	bool rollup;
	struct numbers pids;  /* which processes of a snapshot; none: all */
	const char *match;    /* a PCRE2 pattern, or NULL */
	unsigned classes;     /* enum opt_class or-ed; 0: all */
	uint64_t min_size_kb; /* 0: all */
	int sort;             /* enum sort_key; SORT_DEFAULT: not given */
	uint64_t top;         /* 0: not given */
	bool all;
	bool kb;
};

struct report_options {
	struct common_options common;
	bool each;
	bool split;
	int vmas; /* VMAS_ALL, VMAS_FINDINGS or VMAS_NONE */
};

struct diff_options {
	struct common_options common;
	struct words before, after; /* --before A… --after B…; empty: two arguments */
	int by;                     /* enum opt_by */
	int vmas;                   /* VMAS_ALL, VMAS_CHANGED or VMAS_NONE */
	bool exit_code;
	bool allow_unlike;
};

/* The command to run (-- CMD ARGS) is in struct call. */
struct check_options {
	struct common_options common;
	struct words require;
	const char *budget, *baseline, *update_budget; /* NULL: not given */
	int if_thp_off;                                /* enum opt_thp_off */
	bool allow_unlike;
	bool each;
	bool self_test;
	uint64_t settle_ms; /* 0: judge at once */
	uint64_t samples;   /* 1 unless given */
	double margin;      /* percent, for --update-budget */
};

struct watch_options {
	struct common_options common;
	uint64_t interval_ms;
	const char *record;       /* NULL: none */
	uint64_t record_limit_kb; /* 0: none */
	bool batch;
	uint64_t iterations; /* 0: until the target ends */
	double max_cpu;      /* percent of one CPU */
};

struct snap_options {
	struct common_options common;
	const char *target; /* a directory or FILE.tar[.gz|.xz|.zst]; NULL: not given */
	bool force;
	bool cmdline;
	bool all_pids;
};

#endif
