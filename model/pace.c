/* SPDX-License-Identifier: MIT */
#include "model/pace.h"

#include <math.h>

const char *const look_names[LOOKS] = { "full", "scan", "rollup", "counters" };

static enum look cheap(const struct pace *p)
{
	if (p->can_scan)
		return LOOK_SCAN;
	return p->can_rollup ? LOOK_ROLLUP : LOOK_COUNTERS;
}

static double at_most(double v, double limit)
{
	return v < limit ? v : limit;
}

/*
 * When not every look can be full, half of the allowance is kept for full
 * ones, so that cheap ones never starve them. Savings end at two looks: a
 * long pause buys no burst.
 */
static void earn(struct pace *p, double ns, enum look cheaper)
{
	double full = (double)p->cost_ns[LOOK_FULL], part = cheaper == LOOK_COUNTERS ? 0 : 0.5;

	p->saved_full = at_most(p->saved_full + ns * (1 - part), 2 * full);
	p->saved_cheap =
		at_most(p->saved_cheap + ns * part, 2 * (double)p->cost_ns[cheaper] + ns * part);
}

enum look pace_next(struct pace *p, int64_t now_ns)
{
	double passed = p->last_ns ? (double)(now_ns - p->last_ns) : 0, income = passed * p->share;
	bool first = !p->last_ns;
	enum look cheaper = cheap(p);

	p->last_ns = now_ns;
	if (first || !p->cost_ns[LOOK_FULL])
		return LOOK_FULL;
	if ((double)p->cost_ns[LOOK_FULL] <= income)
		return LOOK_FULL;
	earn(p, income, cheaper);
	if (p->saved_full >= (double)p->cost_ns[LOOK_FULL])
		return LOOK_FULL;
	/* A cheap look that was never taken is tried once, to learn its cost. */
	if (cheaper != LOOK_COUNTERS && p->saved_cheap >= (double)p->cost_ns[cheaper])
		return cheaper;
	return LOOK_COUNTERS;
}

void pace_spent(struct pace *p, enum look look, int64_t ns)
{
	p->cost_ns[look] = ns > 0 ? ns : 1;
	if (look == LOOK_FULL)
		p->saved_full = p->saved_full > (double)ns ? p->saved_full - (double)ns : 0;
	else
		p->saved_cheap -= (double)ns;
}

uint64_t pace_full_every(const struct pace *p, int64_t interval_ns)
{
	double income = (double)interval_ns * p->share, cost = (double)p->cost_ns[LOOK_FULL];

	if (income <= 0 || cost <= income)
		return 1;
	return (uint64_t)ceil(cost / (income * (cheap(p) == LOOK_COUNTERS ? 1 : 0.5)));
}
