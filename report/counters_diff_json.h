/* SPDX-License-Identifier: MIT */
/* The counters of hugecov.diff/1, and the whole document for two counter sources. */
#ifndef REPORT_COUNTERS_DIFF_JSON_H
#define REPORT_COUNTERS_DIFF_JSON_H

#include "base/json.h"
#include "base/source.h"
#include "model/counters.h"
#include "model/readings.h"

struct counters_diff_view {
	const struct source_info *before, *after;
	const struct counter_rows *rows;
	const struct readings *readings;
};

/* The members of one counter. */
void json_counter_members(struct json *j, const struct counter_row *r);
/* A whole document; `j` has been started. */
void counters_diff_json(struct json *j, const struct counters_diff_view *v);

#endif
