/* SPDX-License-Identifier: MIT */
/* hugecov.set/1: several processes in one document. */
#ifndef REPORT_SET_JSON_H
#define REPORT_SET_JSON_H

#include "model/blame.h"
#include "model/set.h"
#include "report/report_json.h"

struct set_view {
	const struct set *set;
	const struct blame *blame;          /* of all members, with everything */
	const struct blame_member *members; /* set->processes of them */
	enum vmas_shown vmas;
	size_t left_out; /* processes of the tree that may not be read */
	void (*more)(struct json *j, const void *arg); /* members at the end; NULL: none */
	const void *more_arg;
};

/* A whole document. `j` has been started. */
void set_json(struct json *j, const struct set_view *v);

#endif
