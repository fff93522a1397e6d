/* SPDX-License-Identifier: MIT */
#include "model/metrics.h"

const char *const unit_names[UNITS] = { "fraction", "points", "percent", "kB", "count", "number" };

const struct metric metrics[METRICS] = {
#define METRIC(id, name, unit, nature, better, formula) \
	[METRIC_##id] = { name, formula, UNIT_##unit, NATURE_##nature, BETTER_##better },
#include "model/metrics.def"
#undef METRIC
};

const char *const metric_deltas[METRICS] = {
#define METRIC(id, name, unit, nature, better, formula) [METRIC_##id] = "delta." name,
#include "model/metrics.def"
#undef METRIC
};
_Static_assert(METRIC_THP_LOSS == METRICS - 1, "thp_loss_kb, which has no delta, is the last row");

enum metric_id metric_id_of(struct slice name)
{
	for (int i = 0; i < METRICS; i++)
		if (slice_eq_str(name, metrics[i].name))
			return (enum metric_id)i;
	return METRICS;
}

void metric_nearest(struct nearest *n)
{
	for (int i = 0; i < METRICS; i++)
		nearest_try(n, metrics[i].name);
	for (int i = 0; i < FINDING_IDS; i++)
		nearest_try(n, finding_rules[i].id);
	for (int i = 0; i < METRIC_DELTAS; i++)
		nearest_try(n, metric_deltas[i]);
}

enum nature finding_rule_nature(enum finding_id id)
{
	static const enum nature natures[FINDING_IDS] = {
		[FINDING_MISALIGNED] = NATURE_PLACEMENT, [FINDING_HEADER_PAGE] = NATURE_PLACEMENT,
		[FINDING_ODD_LENGTH] = NATURE_LAYOUT,	 [FINDING_SPLIT_MAPPING] = NATURE_LAYOUT,
		[FINDING_NEEDS_ADVICE] = NATURE_LAYOUT,	 [FINDING_OPTED_OUT] = NATURE_LAYOUT,
		[FINDING_POLICY_OFF] = NATURE_LAYOUT,	 [FINDING_SHMEM_POLICY] = NATURE_LAYOUT,
		[FINDING_UNDELIVERED] = NATURE_DELIVERY, [FINDING_THP_LOSS] = NATURE_DELIVERY,
		[FINDING_SLOTS_LOST] = NATURE_PLACEMENT, [FINDING_SETTING_CHANGED] = NATURE_LAYOUT,
		[FINDING_FALLBACK] = NATURE_DELIVERY,
	};

	return natures[id];
}
