/* SPDX-License-Identifier: MIT */
/* The short names that rules may use (model/metrics.def), and their units. */
#ifndef MODEL_METRICS_H
#define MODEL_METRICS_H

#include <stdbool.h>

#include "base/nearest.h"
#include "model/findings.h"

enum metric_id {
#define METRIC(id, name, unit, nature, better, formula) METRIC_##id,
#include "model/metrics.def"
#undef METRIC
	METRICS
};

enum unit {
	UNIT_FRACTION, /* 0 to 1; people write and read percent */
	UNIT_POINTS,   /* difference of two fractions; read as points of a percent */
	UNIT_PERCENT,  /* of a before value; the number is in percent */
	UNIT_KB,
	UNIT_COUNT,
	UNIT_NUMBER,   /* of a counter or a document: whatever it counts */
	UNITS
};
extern const char
	*const unit_names[UNITS]; /* "fraction", "points", "percent", "kB", "count", "number" */

enum better { BETTER_UP, BETTER_DOWN };

struct metric {
	const char *name, *formula;
	enum unit unit;
	enum nature nature;
	enum better better;
};
extern const struct metric metrics[METRICS];
/* Those of one snapshot, which have a delta too; thp_loss_kb is a difference already. */
enum { METRIC_DELTAS = METRIC_THP_LOSS };
extern const char *const metric_deltas[METRICS]; /* "delta.coverage" … */

enum metric_id metric_id_of(struct slice name); /* METRICS when there is none */
/* Offers every short name, delta and finding id. */
void metric_nearest(struct nearest *n);

/*
 * The nature of a rule that counts findings: by what decides whether one is
 * counted. A header-page is found by its size, yet one that lies on a
 * boundary costs nothing and is not counted: that is placement.
 */
enum nature finding_rule_nature(enum finding_id id);

#endif
