/* SPDX-License-Identifier: MIT */
/* hugecov.counters/1 of a robot's text, and the same as CSV and as text. */
#ifndef REPORT_LKP_JSON_H
#define REPORT_LKP_JSON_H

#include "base/json.h"
#include "model/lkp_check.h"
#include "model/readings.h"
#include "report/style.h"

struct lkp_view {
	const struct source_info *source;
	const struct lkp_doc *doc;
	const struct lkp_checked *checked;
	const struct readings *readings;
	const size_t *ends; /* by table: the number of readings up to and with its own */
	bool all;           /* text: every row */
};

void lkp_json(struct out *o, const struct lkp_view *v);
/* One line for each cell. */
void lkp_csv(struct out *o, const struct lkp_view *v);
void lkp_text(struct out *o, const struct text_style *st, const struct lkp_view *v);

/* How much a metric says of memory and huge pages: 0 most, LKP_RANK_OTHER nothing. */
extern const int LKP_RANK_OTHER;
int lkp_rank(struct slice metric);

#endif
