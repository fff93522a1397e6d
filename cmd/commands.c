/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

const struct command commands[] = {
	{ "report", COMMAND_REPORT, SIZE_MAX, cmd_report },
	{ "diff", COMMAND_DIFF, 2, cmd_diff },
	{ "check", COMMAND_CHECK, SIZE_MAX, cmd_check },
	{ "watch", COMMAND_WATCH, 1, cmd_watch },
	{ "snap", COMMAND_SNAP, SIZE_MAX, cmd_snap },
	{ 0 },
};

const struct command *command_find(struct slice name)
{
	for (const struct command *c = commands; c->name; c++)
		if (slice_eq_str(name, c->name))
			return c;
	return NULL;
}
