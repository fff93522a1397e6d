/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

const struct command commands[] = {
	{ 0 },
};

const struct command *command_find(struct slice name)
{
	for (const struct command *c = commands; c->name; c++)
		if (slice_eq_str(name, c->name))
			return c;
	return NULL;
}
