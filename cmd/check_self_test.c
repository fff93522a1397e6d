/* SPDX-License-Identifier: MIT */
/*
 * --self-test: can each rule fail, and can it pass? A rule is judged against
 * two made-up reports, the best and the worst (model/made.c), each with the
 * best as its baseline; and, where both give one verdict, at the lowest and
 * highest number that the metric can have and around the limit.
 */
#include <math.h>

#include "cmd/check.h"
#include "model/made.h"

static const double HUGE_KB = 0x1p47; /* all of a 57-bit address space */

struct proof {
	struct check *c;
	struct snapshot made[2], baseline;
	struct check_subject subject[2]; /* by enum made */
};

/* ---- the made-up reports ---- */

static int make_subject(struct proof *p, enum made which, struct err *e)
{
	static const struct model_options mo = { .pmd_kb = 2048, .policy = POLICY_MADVISE };
	struct check_subject *s = &p->subject[which];

	if (made_snapshot(&p->made[which], which, e))
		return -1;
	*s = (struct check_subject){ .c = p->c, .n = 1 };
	s->after = mem_array(1, sizeof(*s->after));
	s->before = mem_array(1, sizeof(*s->before));
	s->before_n = s->pairs_n = 1;
	s->pairs = arena_array(&p->c->arena, 1, sizeof(*s->pairs)); /* the first of each side */
	model_init_pair(s->before, &p->baseline, s->after, &p->made[which], &mo);
	return 0;
}

static int make(struct proof *p, struct check *c, struct err *e)
{
	*p = (struct proof){ .c = c };
	c->based = true;
	if (made_snapshot(&p->baseline, MADE_BEST, e) || make_subject(p, MADE_BEST, e))
		return -1;
	return make_subject(p, MADE_WORST, e);
}

static void unmake(struct proof *p)
{
	for (int i = 0; i < 2; i++) {
		check_subject_free(&p->subject[i]);
		snapshot_free(&p->made[i]);
	}
	snapshot_free(&p->baseline);
	p->c->based = false;
}

/* ---- what a metric can be ---- */

struct range {
	double low, high;
	double step; /* the smallest difference that can be measured */
};

static struct range range_of(const struct rule *r, const struct measure made[2])
{
	const struct range free = { -INFINITY, INFINITY, 1 }, natural = { 0, INFINITY, 1 };

	switch (r->unit) {
	case UNIT_FRACTION:
		return (struct range){ 0, 1, 1e-6 };
	case UNIT_POINTS:
		return (struct range){ -1, 1, 1e-6 };
	case UNIT_PERCENT:
		return (struct range){ -100, INFINITY, 1e-3 };
	case UNIT_KB:
		return r->form == RULE_DELTA ? (struct range){ -HUGE_KB, HUGE_KB, 1 } :
					       (struct range){ 0, HUGE_KB, 1 };
	case UNIT_COUNT:
		/* Never more than possible, or left to --if-thp-off: never counted. */
		if (r->form == RULE_FINDING && made[MADE_WORST].known && made[MADE_WORST].v == 0)
			return (struct range){ 0, 0, 1 };
		return r->form == RULE_DELTA ? free : natural;
	default:
		return r->form == RULE_COUNTER && r->side == SIDE_DELTA ? free : natural;
	}
}

/* ---- trials ---- */

static void try_value(struct check_trial *t, const struct measure *m)
{
	enum outcome o = judge_rule(&t->g->rule, m);

	if (o == OUTCOME_PASS && !t->can_pass) {
		t->can_pass = true;
		t->pass = *m;
	} else if (o == OUTCOME_FAIL && !t->can_fail) {
		t->can_fail = true;
		t->fail = *m;
	}
}

static void try_range(struct check_trial *t, const struct measure made[2])
{
	struct range x = range_of(&t->g->rule, made);
	double limit = dec_double(t->g->rule.limit);
	double far = fabs(limit) * 2 + 1000 * x.step;
	const double values[] = { isfinite(x.low) ? x.low : -far, limit - x.step, limit,
				  limit + x.step, isfinite(x.high) ? x.high : far };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		if (values[i] < x.low || values[i] > x.high)
			continue;
		struct measure m = measure_double(t->g->rule.unit, values[i]);
		if (values[i] == floor(values[i]) && fabs(values[i]) < 0x1p53)
			m = measure_whole(t->g->rule.unit, (int64_t)values[i]);
		try_value(t, &m);
	}
}

/* Names and sizes are made up: of a selector only the class counts here. */
static struct gate_rule on_made(const struct gate_rule *g)
{
	struct gate_rule x = *g;

	x.select = (struct selector){ .classes = g->select.classes };
	return x;
}

/* Counters, rows and files of the system are the source's own: any name may be there. */
static bool any_name(const struct rule *r)
{
	return r->form == RULE_COUNTER || r->form == RULE_CELL ||
	       (r->form == RULE_PATH && !slice_starts(r->name, SLICE("totals.")));
}

static void try_rule(struct proof *p, const struct gate_rule *g, struct check_trial *t)
{
	struct gate_rule x = on_made(g);
	struct measure made[2];

	*t = (struct check_trial){ .g = g, .pass = measure_unknown(g->rule.unit, NULL),
				   .fail = measure_unknown(g->rule.unit, NULL) };
	for (int i = 0; i < 2; i++) {
		struct check_result r;

		check_rule(&p->subject[i], &x, &r);
		made[i] = r.value;
		if (r.value.known)
			try_value(t, &r.value);
	}
	if (!made[MADE_BEST].known && !made[MADE_WORST].known && !any_name(&g->rule)) {
		t->why = made[MADE_WORST].why ? made[MADE_WORST].why : "it cannot be measured";
		return;
	}
	if (!t->can_pass || !t->can_fail)
		try_range(t, made);
}

/* A pattern that is none would make the rule one that can never be measured. */
static int try_patterns(const struct check *c, struct err *e)
{
	for (size_t i = 0; i < c->rules.n; i++) {
		const struct selector *s = &c->rules.at[i].select;
		struct filter_options fo = { .match = s->match, .option = "match" };
		struct filter *f;

		if (filter_new(&f, &fo, e))
			return -1;
		filter_free(f);
	}
	return 0;
}

int check_self_test(struct check *c, struct err *e)
{
	struct check_trial *trials = arena_array(&c->arena, c->rules.n, sizeof(*trials));
	enum outcome outcome = OUTCOME_PASS;
	struct proof p;

	if (!c->rules.n)
		return err_set(e, ERR_USAGE, "--self-test needs rules: --require or --budget");
	if (try_patterns(c, e))
		return -1;
	int status = make(&p, c, e);
	for (size_t i = 0; i < c->rules.n && !status; i++) {
		try_rule(&p, &c->rules.at[i], &trials[i]);
		if (!trials[i].can_pass || !trials[i].can_fail)
			outcome = OUTCOME_FAIL;
	}
	unmake(&p);
	c->view.trials = trials;
	c->view.trials_n = status ? 0 : c->rules.n;
	c->view.outcome = outcome;
	return status;
}
