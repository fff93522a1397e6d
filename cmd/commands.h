/* SPDX-License-Identifier: MIT */
/*
 * The table of commands. Dispatch, --help, the man page and the completions
 * come from it.
 *
 * To add a command: an id here, its options (cmd/options.h and
 * cmd/option_tables.c), its words (cmd/texts.c), cmd/NAME.c with cmd_NAME(), a
 * row in cmd/commands.c; `make docs`.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/options.h"

enum command_id {
	COMMAND_REPORT,
	COMMAND_DIFF,
	COMMAND_CHECK,
	COMMAND_WATCH,
	COMMAND_SNAP,
	COMMAND_IDS
};
#define COMMAND_BIT(id) (1u << COMMAND_##id)

/* Exit statuses, the same for every command. */
enum status {
	STATUS_DONE = 0,
	STATUS_FOUND = 1,  /* check: a rule is broken; diff --exit-code: loss */
	STATUS_FAILED = 2, /* could not */
	STATUS_ENDED = 3,  /* watch: the target ended before the watching */
};

/* One call of a command, as the user wrote it. */
struct call {
	const struct command *command;
	const void *options; /* struct report_options, …; starts with struct common_options */
	const char **args;   /* what is no option */
	size_t n_args;
	char **rest;         /* check: the command behind "--", NULL-terminated; NULL: none */
	size_t n_rest;
};

static inline const struct common_options *call_common(const struct call *c)
{
	return c->options;
}

struct example {
	const char *line; /* what to type */
	const char *says; /* what it does */
};

/* What help, man page and completions say of a command (cmd/texts.c). */
struct command_text {
	const char *usage[4];   /* what follows the name, one form each; NULL: no more */
	const char *summary;    /* one line, for the list of commands */
	const char *about;      /* paragraphs, separated by an empty line */
	const struct example *examples; /* line NULL ends it */
	const char *exit;       /* what its exit status means */
	bool fates;             /* show the five words beside their JSON keys */
	enum opt_words words;   /* what its arguments are, for completions */
};
extern const struct command_text command_texts[COMMAND_IDS];

struct command {
	const char *name;
	enum command_id id;
	size_t max_args;  /* more are an error; SIZE_MAX: any number */
	/* Prints its own errors by diag_print() or diag_usage(). Returns enum status. */
	int (*run)(const struct call *c);
};

/* Those that are built in, in the order of --help; name NULL ends it. */
extern const struct command commands[];
const struct command *command_find(struct slice name); /* NULL: none of that name */

/* The option tables, by command_id (cmd/option_tables.c). */
struct opt_set option_set(enum command_id id);
/* A fresh struct of options with its defaults; mem_free() after opt_free(). */
void *options_new(enum command_id id);

int cmd_report(const struct call *c);
int cmd_diff(const struct call *c);
int cmd_check(const struct call *c);
int cmd_watch(const struct call *c);
int cmd_snap(const struct call *c);

#endif
