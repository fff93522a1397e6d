/* SPDX-License-Identifier: MIT */
/*
 * The option machinery. One row of a table says everything about an option:
 * parsing, --help, the man page and the three completions come from it.
 *
 * To add an option: a member in its command's struct (cmd/options.h), a row in
 * cmd/option_tables.c, its use, a test; then `make docs`.
 *
 * Long options are never abbreviated: a script that says --for today must not
 * mean another option tomorrow. getopt_long() always abbreviates, so the words
 * are read here.
 */
#ifndef CMD_OPTS_H
#define CMD_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* What an option takes, and the type of its target. */
enum opt_kind {
	OPT_FLAG,     /* bool: nothing; set to true */
	OPT_STRING,   /* const char *: the word as given */
	OPT_STRINGS,  /* struct words: may be repeated, each is appended */
	OPT_LIST,     /* struct words: this and the words that follow, up to the next option */
	OPT_NUMBER,   /* uint64_t: from min to max */
	OPT_NUMBERS,  /* struct numbers: may be repeated, each is appended */
	OPT_SIZE,     /* uint64_t, kB: 2048, 512kB, 2MiB; min and max in kB */
	OPT_DURATION, /* uint64_t, ms: 500ms, 1s, 1.5s, 2m, 1h; min and max in ms */
	OPT_PERCENT,  /* double: 2, 2.5, 2%; min and max in percent */
	OPT_CHOICE,   /* int: the value of one choice */
	OPT_CHOICES,  /* unsigned: the values of several, separated by commas, or-ed */
	OPT_KINDS
};

struct opt_choice {
	const char *name; /* NULL ends a list of choices */
	int value;
	const char *help;
};

/* What completions offer for an argument. */
enum opt_words { WORDS_NONE, WORDS_FILE, WORDS_DIR, WORDS_PID, WORDS_SOURCE };

enum opt_group { GROUP_COMMAND, GROUP_SELECT, GROUP_OUTPUT, GROUP_READ, GROUP_COUNT };
extern const char *const opt_group_titles[GROUP_COUNT];

struct opt {
	char letter;         /* 0: none */
	const char *name;    /* without the dashes */
	enum opt_kind kind;
	size_t offset;       /* of the target in the command's options struct */
	enum opt_group group;
	const char *metavar; /* NULL: it takes nothing */
	const char *help;    /* a sentence without its final stop */
	const struct opt_choice *choices;
	uint64_t min, max;   /* max 0: no limits */
	bool power_of_two;   /* no other number will do */
	enum opt_words words;
	unsigned commands;   /* which commands have it, COMMAND_BIT() or-ed; 0: all */
};

/* The offset of member m in struct S; the compiler refuses a member of another type. */
#define OPT_AT(type, S, m) (offsetof(S, m) + 0 * _Generic(((S *)0)->m, type : 1))

struct words {
	const char **at;
	size_t n, cap;
};

struct numbers {
	uint64_t *at;
	size_t n, cap;
};

struct opt_table {
	const struct opt *at;
	size_t n;
};

/* All that one command understands: its own rows, then the common ones. */
struct opt_set {
	const char *command;        /* for messages: "report" */
	unsigned command_bit;
	struct opt_table tables[2];
	bool rest_is_command;       /* what stands behind "--" goes to `rest` */
};

/* What is left when the options are taken. All strings are the caller's argv. */
struct opt_result {
	struct words words; /* the arguments that are no options */
	char **rest;        /* NULL-terminated; NULL without "--" or without rest_is_command */
	size_t rest_n;
	bool help;          /* --help or -h was seen: nothing behind it was read */
};

/*
 * Reads argv[0..n), which stand behind the command's name, into *target. Of an
 * option that is given twice the last counts; the repeatable ones append.
 * -1 with ERR_USAGE. opt_free() releases the lists inside *target and *ret,
 * also after a fault.
 */
int opt_parse(const struct opt_set *set, int n, char **argv, void *target,
	      struct opt_result *ret, struct err *e);
void opt_free(const struct opt_set *set, void *target, struct opt_result *r);

/* The i-th row that this set has, in the order of the tables; NULL behind the last. */
const struct opt *opt_row(const struct opt_set *set, size_t i);

/*
 * A time with the unit ms, s, m, min or h, without one s; whole milliseconds.
 * false: it is none, or overflows. Here for its test; options use OPT_DURATION.
 */
bool opt_read_duration(struct slice s, uint64_t *ret_ms);

#endif
