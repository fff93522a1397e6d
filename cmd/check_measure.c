/* SPDX-License-Identifier: MIT */
/* One rule, measured and judged. */
#include "cmd/check.h"
#include "parse/lkp.h"

static const char *keep(const struct check_subject *s, const char *text)
{
	return arena_str(&s->c->arena, slice_str(text));
}

static const char *row_for_example(const struct lkp_doc *robot, struct arena *a)
{
	const struct lkp_row *row = lkp_row_find(robot->tables, SLICE("meminfo.AnonHugePages"));

	return arena_str(a, row ? row->metric : robot->tables[0].rows[0].metric);
}

/* Of counter sources: what has no mappings cannot be asked about them. */
static const char *no_mappings(const struct check_subject *s, const struct rule *r)
{
	const struct lkp_doc *robot = s->docs_n ? counters_robot(s->docs) : NULL;
	struct arena *a = &s->c->arena;

	for (size_t i = 0; i < s->n; i++)
		if (s->after[i].snap->has_smaps)
			return NULL;
	if (robot)
		return arena_printf(
			a,
			"%.*s cannot be measured in a robot table: it has no mappings. Its "
			"rows are named like %s.percent",
			SLICE_FMT(r->metric), row_for_example(robot, a));
	return arena_printf(a, "%.*s cannot be measured: there are no mappings in the source",
			    SLICE_FMT(r->metric));
}

/* ---- findings of one snapshot ---- */

static struct measure count_findings(const struct check_pick *p, enum finding_id id)
{
	const char *blind = NULL;
	size_t count = 0;

	if (p->n && !p->mappings)
		return measure_unknown(UNIT_COUNT, p->after[0].smaps->rollup || p->n == 1 ?
							   finding_blind(&p->after[0], id) :
							   "no mapping is selected");
	for (size_t i = 0; i < p->n; i++) {
		struct model *m = &p->after[i];
		struct findings f;

		if (!m->kept)
			continue;
		const char *why = finding_blind(m, id);
		findings_make(m, &f);
		for (size_t k = 0; k < f.n; k++)
			count += finding_counts(&f.at[k], id, p->narrowed);
		findings_free(&f);
		blind = blind ? blind : why;
	}
	if (blind && !count)
		return measure_unknown(UNIT_COUNT, blind);
	struct measure m = measure_whole(UNIT_COUNT, (int64_t)count);
	m.mappings = p->mappings;
	return m;
}

/* ---- differences ---- */

static struct model *before_of(const struct check_pick *p, size_t i)
{
	return &p->before[p->pairs[i].at[BEFORE]];
}

static struct model *after_of(const struct check_pick *p, size_t i)
{
	return &p->after[p->pairs[i].at[AFTER]];
}

static int start_diff(struct diff *d, const struct check_pick *p, size_t i)
{
	struct err e;

	if (diff_start(d, before_of(p, i), after_of(p, i), MATCH_AUTO, &e))
		return -1;
	if (p->narrowed)
		diff_select(d);
	diff_judge(d);
	return 0;
}

/* Found in vmstat and the settings, so there without mappings. */
static bool is_of_system(enum finding_id id)
{
	return id == FINDING_FALLBACK || id == FINDING_SETTING_CHANGED;
}

static bool asks_system(const struct rule *r)
{
	return r->form == RULE_FINDING && is_of_system((enum finding_id)r->id);
}

/* NULL when the diff says what the rule asks. */
static const char *diff_blind(const struct diff *d, enum finding_id id)
{
	if (is_of_system(id))
		return finding_blind_pair(d->m[BEFORE], d->m[AFTER], id);
	if (d->scope != DIFF_MAPPINGS)
		return "there are no mappings on both sides";
	if (!d->loss_known)
		return "what was huge is not known of every mapping";
	return finding_blind_pair(d->m[BEFORE], d->m[AFTER], id);
}

static size_t selected_before(const struct check_pick *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->before_n; i++)
		n += p->before[i].smaps->rollup ? 0 : p->before[i].kept;
	return n;
}

/* Of all pairs of processes; shared memory is lost once. */
static struct measure sum_diffs(const struct check_pick *p, const struct rule *r, struct diff *d,
				const struct diff **list)
{
	enum finding_id id = r->form == RULE_FINDING ? (enum finding_id)r->id : FINDING_IDS;
	struct diff_set sum;
	size_t count = 0;

	for (size_t i = 0; i < p->pairs_n; i++) {
		const char *why = diff_blind(&d[i], id);

		if (why)
			return measure_unknown(r->unit, why);
		for (size_t k = 0; k < d[i].findings.n; k++)
			count += finding_counts(&d[i].findings.at[k], id, p->narrowed);
	}
	diff_set_sum(list, p->pairs_n, &sum);
	return measure_whole(r->unit, (int64_t)(id == FINDING_IDS ? sum.loss_kb : count));
}

static struct measure measure_diff(const struct check_pick *p, const struct rule *r)
{
	size_t n = 0;

	if (!p->before)
		return measure_unknown(r->unit, "--baseline is missing: it is a difference");
	if (!p->mappings && !selected_before(p) && (p->narrowed || !asks_system(r)))
		return measure_unknown(r->unit, "no mapping is selected, before or after");
	struct diff *d = mem_array(p->pairs_n, sizeof(*d));
	const struct diff **list = mem_array(p->pairs_n, sizeof(*list));
	while (n < p->pairs_n && !start_diff(&d[n], p, n)) {
		list[n] = &d[n];
		n++;
	}
	struct measure m = n < p->pairs_n ?
				   measure_unknown(r->unit, "both sides are of different kinds") :
				   sum_diffs(p, r, d, list);
	while (n-- > 0)
		diff_free(&d[n]);
	mem_free(d);
	mem_free(list);
	m.mappings = p->mappings;
	return m;
}

static struct measure measure_delta_of(const struct check_pick *p, const struct rule *r)
{
	if (!p->before)
		return measure_unknown(r->unit, "--baseline is missing: it is a difference");
	struct gauge before = gauge_of(p->before, p->before_n), after = gauge_of(p->after, p->n);
	return gauge_delta(&before, &after, (enum metric_id)r->id, r->relative);
}

/* ---- a rule ---- */

static struct measure measure_mappings(const struct check_subject *s, const struct gate_rule *g)
{
	const struct rule *r = &g->rule;
	bool of_diff = r->form != RULE_DELTA && rule_needs_baseline(r);
	const char *none = no_mappings(s, r);
	struct check_pick p;
	struct measure m;
	struct err e;

	if (none && !(asks_system(r) && s->n))
		return measure_unknown(r->unit, none);
	if (check_pick(&p, s, &g->select, !of_diff && r->form != RULE_FINDING, &e))
		return measure_unknown(r->unit, keep(s, e.text));
	if (of_diff) {
		m = measure_diff(&p, r);
	} else if (r->form == RULE_DELTA) {
		m = measure_delta_of(&p, r);
	} else if (r->form == RULE_FINDING) {
		m = count_findings(&p, (enum finding_id)r->id);
	} else {
		struct gauge x = gauge_of(p.after, p.n);

		m = gauge_measure(&x, (enum metric_id)r->id);
	}
	check_pick_free(&p);
	return m;
}

static struct measure measure_rule(const struct check_subject *s, const struct gate_rule *g,
				   const char **ret_detail)
{
	switch (g->rule.form) {
	case RULE_COUNTER:
		return check_counter(s, &g->rule);
	case RULE_CELL:
		return check_cell(s, g, ret_detail);
	case RULE_PATH:
		return check_path(s, g);
	default:
		return measure_mappings(s, g);
	}
}

/* --if-thp-off: what a host means that has switched THP off. */
static bool thp_is_off(const struct check_subject *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->after[i].policy == POLICY_NEVER)
			return true;
	return false;
}

static void overrule(const struct check_subject *s, struct check_result *r)
{
	static const struct {
		enum outcome outcome;
		const char *why;
	} by_option[] = {
		[THP_OFF_ERROR] = { OUTCOME_COULD_NOT, "THP is never on this host: nothing was "
						       "measured (--if-thp-off)" },
		[THP_OFF_PASS] = { OUTCOME_PASS,
				   "THP is never on this host: passed by --if-thp-off" },
		[THP_OFF_FAIL] = { OUTCOME_FAIL,
				   "THP is never on this host: failed by --if-thp-off" },
	};

	if (!thp_is_off(s))
		return;
	s->c->view.thp_off = true;
	r->outcome = by_option[s->c->o->if_thp_off].outcome;
	r->why = by_option[s->c->o->if_thp_off].why;
}

void check_rule(const struct check_subject *s, const struct gate_rule *g, struct check_result *ret)
{
	*ret = (struct check_result){ .g = g, .moments_n = 1 };
	ret->value = measure_rule(s, g, &ret->detail);
	ret->outcome = judge_rule(&g->rule, &ret->value);
	ret->distance = ret->value.known ? judge_distance(&g->rule, &ret->value) :
					   measure_unknown(g->rule.unit, NULL);
	if (!ret->value.known)
		ret->why = ret->value.why;
	if (ret->outcome == OUTCOME_FAIL)
		check_blame(s, g, ret);
	overrule(s, ret);
	ret->moments[0] = (struct check_moment){ NULL, ret->value, ret->outcome };
}
