/* SPDX-License-Identifier: MIT */
/*
 * What is generated from the tables of commands and options: the man page, the
 * completions of three shells, and the lists in docs/. `make docs` writes them,
 * tests/checks/test_docs.py compares them with what is committed.
 */
#ifndef TOOLS_GENDOCS_H
#define TOOLS_GENDOCS_H

#include "base/out.h"
#include "cmd/commands.h"

void gen_man(struct out *o, struct slice template); /* mdoc, into man/hugecov.1.in */
void gen_bash(struct out *o);
void gen_zsh(struct out *o);
void gen_fish(struct out *o);
void gen_readings(struct out *o); /* docs/readings.md */
void gen_rules(struct out *o);    /* docs/rules.md */
void gen_fields(struct out *o);   /* smaps fields and VmFlags */
void gen_findings(struct out *o);
void gen_readme(struct out *o, struct slice readme); /* the table of commands in it */

/* Text for the inside of '…' of a shell. */
void gen_quoted(struct out *o, const char *text);

#endif
