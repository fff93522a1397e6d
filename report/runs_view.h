/* SPDX-License-Identifier: MIT */
/* Several runs a side (model/runs.h): hugecov.runs/1, CSV, and a table for people. */
#ifndef REPORT_RUNS_VIEW_H
#define REPORT_RUNS_VIEW_H

#include "base/json.h"
#include "model/runs.h"
#include "report/style.h"

struct runs_view {
	const struct runs *r;
	const struct text_style *style;
	bool all;     /* text: figures that do not stand out, too */
	uint64_t top; /* text: rows at most; 0: as many as there are */
};

/*
 * One document:
 *   schema, tool, before[source], after[source], unlike[names], p_min, p_limit,
 *   figures[{name,unit,kind,before{n,median,mad,min,max,mean,values[]},after{...},
 *            delta,percent,u,p,exact,stands_out}],
 *   thp_loss_kb, verdict
 * delta, percent, u, p, exact and stands_out are null where a side has no value.
 */
void runs_json(struct json *j, const struct runs *r);
/* A header, and one line a figure. */
void runs_csv(struct out *o, const struct runs *r);
void runs_text(struct out *o, const struct runs_view *v);

#endif
