/* SPDX-License-Identifier: MIT */
/* hugecov.diff/1, streamed. */
#ifndef REPORT_DIFF_JSON_H
#define REPORT_DIFF_JSON_H

#include "base/json.h"
#include "model/diff.h"
#include "model/readings.h"

enum diff_vmas_shown { DIFF_VMAS_ALL, DIFF_VMAS_CHANGED, DIFF_VMAS_NONE };

struct diff_view {
	const struct diff *d;
	const struct readings *readings; /* NULL: none */
	enum diff_vmas_shown vmas;
};

void diff_json(struct json *j, const struct diff_view *v);

#endif
