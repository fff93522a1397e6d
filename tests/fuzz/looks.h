/* SPDX-License-Identifier: MIT */
/*
 * What must be true of any output, whatever the input was: no control byte, no
 * bytes that are not UTF-8, no cell that a spreadsheet computes, no annotation
 * and no markup of a stranger's, JSON that fits its schema. Each ends the
 * program with abort() and says on standard output what is wrong, and where.
 */
#ifndef TESTS_FUZZ_LOOKS_H
#define TESTS_FUZZ_LOOKS_H

#include "base/grid.h"
#include "base/out.h"

void looks_text(struct slice text);
void looks_csv(struct slice text);
void looks_json(struct slice text);
void looks_schema(struct slice text); /* JSON that fits the schema it names, whoever wrote it */
void looks_xml(struct slice text);
void looks_github(struct slice text);
void looks_markdown(struct slice text);
void looks_grid(const struct grid *g);

/* Says `what` with the text around `at`, and ends. */
_Noreturn void looks_bad(const char *what, struct slice text, size_t at);

#endif
