/* SPDX-License-Identifier: MIT */
/* --help, 80 columns, made from the tables. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "base/out.h"
#include "cmd/commands.h"

void help_main(struct out *o);
void help_command(struct out *o, const struct command *c);

#endif
