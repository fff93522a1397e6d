/* SPDX-License-Identifier: MIT */
/*
 * Means over the runs of a robot's raw result. A run without a monitor's data
 * is left out; the robot's own averages and tables count it as zero.
 */
#ifndef MODEL_LKP_RUNS_H
#define MODEL_LKP_RUNS_H

#include "model/counters.h"
#include "model/readings.h"
#include "parse/lkp_result.h"

struct lkp_mean {
	struct slice name;
	bool *missing;        /* by run, as the values of the series; later runs are missing, too */
	size_t have;          /* runs with data */
	double mean;          /* of those; NAN: none, or too large */
	double deviation_pct; /* of one run, with n - 1, in percent of the mean; NAN: fewer than 2,
				 or mean 0 */
};

struct lkp_means {
	const struct lkp_result *of;
	struct lkp_mean *at; /* as of->series */
};

void lkp_means(const struct lkp_result *r, struct arena *a, struct lkp_means *ret);
/* Named as the metrics, gauges; the variance is the standard error of the mean. */
void lkp_means_counters(const struct lkp_means *m, struct arena *a, struct counter_list *ret);

extern const struct reading_row lkp_run_reading_rows[];
extern const size_t lkp_run_reading_count;
/* `side`: "before", "after", or NULL. */
void lkp_run_readings(const struct lkp_means *m, const char *side, struct arena *a,
		      struct readings *to);

#endif
