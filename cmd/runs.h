/* SPDX-License-Identifier: MIT */
/* hugecov diff --before A... --after B...: several runs a side. */
#ifndef CMD_RUNS_H
#define CMD_RUNS_H

#include "cmd/options.h"

/* Reads every word as one run, compares, writes. An exit status, or -1 with e filled. */
int runs_diff(const struct diff_options *o, struct err *e);

#endif
