/* SPDX-License-Identifier: MIT */
/* hugecov diff where a side holds several processes. */
#ifndef CMD_DIFF_SET_H
#define CMD_DIFF_SET_H

#include "cmd/load.h"
#include "model/match.h"

/* An exit status, or -1 with e filled. `paths` are the sides as given. */
int diff_sets(struct load side[SIDES], const char *const paths[SIDES],
	      const struct diff_options *o, struct err *e);

#endif
