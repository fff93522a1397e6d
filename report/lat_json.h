/* SPDX-License-Identifier: MIT */
/* hugecov.counters/1 of a latency table, and the same as CSV and as text. */
#ifndef REPORT_LAT_JSON_H
#define REPORT_LAT_JSON_H

#include "base/json.h"
#include "model/readings.h"
#include "parse/lat.h"
#include "report/style.h"

struct lat_view {
	const struct source_info *source;
	const struct lat_doc *doc;
	const struct readings *readings;
	bool all; /* text: every size */
};

void lat_json(struct out *o, const struct lat_view *v);
/* One line for each latency. */
void lat_csv(struct out *o, const struct lat_view *v);
void lat_text(struct out *o, const struct text_style *st, const struct lat_view *v);

/* Two texts side by side, by table and column. */
struct lat_diff_view {
	const struct source_info *before_source, *after_source;
	const struct lat_doc *before, *after;
	const struct readings *readings;
	bool all;
};

void lat_diff_text(struct out *o, const struct text_style *st, const struct lat_diff_view *v);

#endif
