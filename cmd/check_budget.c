/* SPDX-License-Identifier: MIT */
/* Rules from what is measured: ready ones when none was given, and limits for a budget file. */
#include <math.h>

#include "base/shell.h"
#include "cmd/check.h"
#include "cmd/diag.h"
#include "cmd/output.h"
#include "model/lkp_check.h"

/* ---- limits ---- */

enum { LOOSE_DOWN = -1, AS_IT_IS = 0, LOOSE_UP = 1 };

/* Which way a limit is loosened. */
static int loose_way(enum rule_op op)
{
	static const int ways[OPS] = {
		[OP_LT] = LOOSE_UP, [OP_LE] = LOOSE_UP, [OP_GE] = LOOSE_DOWN, [OP_GT] = LOOSE_DOWN
	};

	return ways[op];
}

/* Decimals that a written limit has behind the point of its value. */
static unsigned decimals_of(const struct rule *r, double v)
{
	if (r->unit == UNIT_FRACTION || r->unit == UNIT_POINTS)
		return 3; /* 66.6 % */
	if (r->unit == UNIT_PERCENT)
		return 1;
	return r->unit == UNIT_NUMBER && v != floor(v) ? 6 : 0;
}

/* A limit is written with 38 digits at most; only a row of a damaged table has more. */
#define LIMIT_MAX 1e37

/*
 * The nearest written limit at which v still holds: rounded away from it. A
 * ratio that is 0.9 in binary is not rounded to 89.9 %.
 */
static struct dec limit_at(const struct rule *r, double v, int way)
{
	unsigned scale = decimals_of(r, v);
	double x = v * pow(10, scale), near = round(x);

	if (fabs(x - near) > 1e-9 * fmax(1, fabs(x)))
		near = way < 0 ? floor(x) : way > 0 ? ceil(x) : near;
	near = fmax(-LIMIT_MAX, fmin(LIMIT_MAX, near));
	return (struct dec){ .mantissa = (__int128)near, .scale = scale };
}

/* A strict operator needs one step more. */
static struct dec one_step(const struct rule *r, struct dec limit)
{
	if (r->op == OP_LT)
		limit.mantissa++;
	else if (r->op == OP_GT)
		limit.mantissa--;
	return limit;
}

/* value, with room of `percent` of it to the worse side; fractions stay within 0 and 1. */
static struct dec loosened(const struct rule *r, double value, double percent)
{
	int way = loose_way(r->op);
	double v = value + way * fabs(value) * percent / 100;

	if (r->unit == UNIT_FRACTION)
		v = fmax(0, fmin(1, v));
	return one_step(r, limit_at(r, v, way));
}

/* ---- suggestions ---- */

/* "140.0 MiB", "140.0 of 210.0 MiB" */
static void put_says(struct out *o, const struct check *c, uint64_t part, uint64_t of)
{
	char a[STYLE_BUF], b[STYLE_BUF];
	struct text_style st = { .width = 80, .kb = c->o->common.kb };

	if (of)
		out_printf(o, "%s of %s", style_amount(a, &st, part), style_size(b, &st, of));
	else
		out_str(o, style_size(a, &st, part));
}

static const char *const remarks[NATURES] = {
	[NATURE_LAYOUT] = "layout: the same on every run",
	[NATURE_PLACEMENT] = "placement: differs from run to run",
	[NATURE_DELIVERY] = "delivery: may differ from run to run",
};

/* Keeps the laxer of two: a rule must hold at every moment and sample. */
static void suggest(struct check *c, const struct rule *r, struct dec limit, const char *says)
{
	struct check_suggestion *list = arena_array(&c->arena, c->view.suggestions_n + 1,
						    sizeof(*list));
	struct out o;
	struct err e;

	out_memory(&o);
	rule_write(&o, r, limit);
	const char *text = arena_str(&c->arena, out_slice(&o));
	out_close(&o);
	if (c->view.suggestions_n)
		memcpy(list, c->view.suggestions, c->view.suggestions_n * sizeof(*list));
	for (size_t i = 0; i < c->view.suggestions_n; i++) {
		struct rule old;

		if (rule_parse(slice_str(list[i].rule), &old, &e) ||
		    !slice_eq(old.metric, r->metric))
			continue;
		if (dec_cmp(limit, old.limit) * loose_way(r->op) > 0) {
			list[i].rule = text;
			list[i].says = says;
			c->view.suggestions = list;
		}
		return;
	}
	list[c->view.suggestions_n++] = (struct check_suggestion){ text, r->nature, says };
	c->view.suggestions = list;
}

static void suggest_metric(struct check *c, enum metric_id id, const struct gauge *g)
{
	struct measure m = gauge_measure(g, id);
	struct rule r = { .metric = slice_str(metrics[id].name),
			  .op = metrics[id].better == BETTER_UP ? OP_GE : OP_LE,
			  .form = RULE_METRIC,
			  .id = (int)id,
			  .unit = metrics[id].unit,
			  .nature = metrics[id].nature };
	struct out o;

	if (!m.known || (r.op == OP_GE && m.v <= 0)) /* what can never fail is no rule */
		return;
	out_memory(&o);
	if (id == METRIC_HUGE)
		put_says(&o, c, g->w.huge, 0);
	else if (id == METRIC_COVERAGE)
		put_says(&o, c, g->w.huge, waterfall_ideal(&g->w));
	else
		out_str(&o, remarks[r.nature]);
	suggest(c, &r, loosened(&r, m.v, 0), arena_str(&c->arena, out_slice(&o)));
	out_close(&o);
}

/* Findings that are counted now, and the one that a change of code brings most often. */
static void suggest_findings(struct check *c, const struct check_subject *s)
{
	for (int id = 0; id < FINDING_THP_LOSS; id++) {
		struct gate_rule g = { .rule = { .metric = slice_str(finding_rules[id].id),
						 .op = OP_LE,
						 .form = RULE_FINDING,
						 .id = id,
						 .unit = UNIT_COUNT,
						 .nature = finding_rule_nature(
							 (enum finding_id)id) } };
		struct check_result r;

		if (g.rule.nature != NATURE_LAYOUT)
			continue;
		check_rule(s, &g, &r);
		if (r.value.known && (r.value.v > 0 || id == FINDING_NEEDS_ADVICE))
			suggest(c, &g.rule, loosened(&g.rule, r.value.v, 0),
				remarks[NATURE_LAYOUT]);
	}
}

static void suggest_loss(struct check *c, const struct check_subject *s)
{
	struct gate_rule g = { .rule = { .metric = SLICE("thp-loss"),
					 .op = OP_LE,
					 .form = RULE_FINDING,
					 .id = FINDING_THP_LOSS,
					 .unit = UNIT_COUNT,
					 .nature = NATURE_DELIVERY } };
	struct check_result r;

	check_rule(s, &g, &r);
	if (r.value.known)
		suggest(c, &g.rule, loosened(&g.rule, r.value.v, 0),
			"huge pages that became small since the baseline");
}

/* Rows of a robot table that are about huge pages. */
static void suggest_cells(struct check *c, const struct check_subject *s)
{
	static const char *const names[] = { "meminfo.AnonHugePages",
					     "proc-vmstat.nr_anon_transparent_hugepages",
					     "proc-vmstat.thp_fault_alloc" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *metric = arena_printf(&c->arena, "%s.percent", names[i]);
		struct gate_rule g = { .rule = { .metric = slice_str(metric),
						 .name = slice_str(names[i]),
						 .op = OP_GE,
						 .form = RULE_CELL,
						 .side = SIDE_PERCENT,
						 .unit = UNIT_PERCENT,
						 .nature = NATURE_DELIVERY } };
		const char *detail = NULL;
		struct measure m = check_cell(s, &g, &detail);

		if (m.known && fabs(m.v) < LIMIT_MAX / 10)
			suggest(c, &g.rule, loosened(&g.rule, m.v, 0), remarks[NATURE_DELIVERY]);
	}
}

static const char *command_line(struct check *c)
{
	struct out o;
	char word[1024];

	out_memory(&o);
	if (c->o->baseline)
		out_printf(&o, "--baseline %s", shell_quote(c->o->baseline, word, sizeof(word)));
	if (c->call->rest)
		out_str(&o, o.n ? " --" : "--");
	for (size_t i = 0; i < (c->call->rest ? c->call->n_rest : c->call->n_args); i++) {
		out_str(&o, o.n ? " " : "");
		shell_word(&o, slice_str(c->call->rest ? c->call->rest[i] : c->call->args[i]), false);
	}
	const char *text = arena_str(&c->arena, out_slice(&o));
	out_close(&o);
	return text;
}

void check_suggest(struct check *c, const struct check_subject *s)
{
	static const enum metric_id ids[] = { METRIC_HUGE, METRIC_COVERAGE, METRIC_DELIVERED,
					      METRIC_ALIGNMENT_LOSS };
	static const struct selector everything;
	struct check_pick p;
	struct err e;

	c->view.update_with = command_line(c);
	suggest_cells(c, s);
	if (!s->n || check_pick(&p, s, &everything, true, &e))
		return;
	struct gauge g = gauge_of(p.after, p.n);
	check_pick_free(&p);
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		suggest_metric(c, ids[i], &g);
	suggest_findings(c, s);
	if (s->before)
		suggest_loss(c, s);
}

/* ---- a budget file ---- */

/* The worst value that was seen: of moments and samples. */
static double worst(const struct check_result *r)
{
	int way = loose_way(r->g->rule.op);
	double v = r->value.v;

	for (size_t i = 0; i < r->moments_n; i++)
		if (r->moments[i].value.known)
			v = way < 0 ? fmin(v, r->moments[i].value.v) :
			    way > 0 ? fmax(v, r->moments[i].value.v) :
				      v;
	if (r->sampled)
		v = way < 0 ? fmin(v, r->spread.min) : way > 0 ? fmax(v, r->spread.max) : v;
	return v;
}

struct entry { /* of the file: several limits may share it */
	const struct gate_rule *g;
	const char *text;
};

static void write_selector(struct json *j, const struct selector *s)
{
	if (!selector_of_mappings(s) && !s->table.n)
		return;
	json_key(j, "select");
	json_object(j);
	if (s->match)
		json_kv_str(j, "match", s->match);
	if (s->classes) {
		struct out o;

		out_memory(&o);
		for (int i = 0; i < CLASS_COUNT; i++)
			if (s->classes >> i & 1)
				out_printf(&o, "%s%s", o.n ? "," : "", class_names[i]);
		json_kv_slice(j, "class", out_slice(&o));
		out_close(&o);
	}
	if (s->min_size_kb)
		json_kv_u64(j, "min_size_kb", s->min_size_kb);
	if (s->table.n)
		json_kv_slice(j, "table", s->table);
	json_object_end(j);
}

/* Were both written as one rule with a list of limits? */
static bool one_rule(const struct gate_rule *a, const struct gate_rule *b)
{
	return a->line && a->line == b->line && slice_eq(a->name, b->name);
}

static void write_entry(struct json *j, const struct entry *at, size_t n)
{
	const struct gate_rule *g = at->g;

	json_break(j);
	json_object(j);
	if (!slice_eq(g->name, g->rule.text))
		json_kv_slice(j, "name", g->name);
	json_key(j, "require");
	if (n > 1)
		json_array(j);
	for (size_t i = 0; i < n; i++)
		json_str(j, at[i].text);
	if (n > 1)
		json_array_end(j);
	write_selector(j, &g->select);
	if (g->warn)
		json_kv_str(j, "severity", "warn");
	json_object_end(j);
}

static void write_budget(struct out *o, const struct entry *at, size_t n)
{
	struct json j;

	json_start(&j, o);
	json_object(&j);
	json_kv_str(&j, "schema", "hugecov.budget/1");
	json_key(&j, "rules");
	json_array(&j);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && one_rule(at[i].g, at[k].g); k++)
			;
		write_entry(&j, &at[i], k - i);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

static const char *with_limit(struct check *c, const struct rule *r, struct dec limit)
{
	struct out o;

	out_memory(&o);
	rule_write(&o, r, limit);
	const char *text = arena_str(&c->arena, out_slice(&o));
	out_close(&o);
	return text;
}

static int add_judged(struct check *c, const struct check_result *r, struct entry *ret,
		      struct err *e)
{
	const struct rule *rule = &r->g->rule;

	if (!r->value.known || r->outcome == OUTCOME_COULD_NOT)
		return err_set(e, ERR_KIND, "no limit for %.*s: %s", SLICE_FMT(rule->metric),
			       r->why ? r->why : "it is not known");
	*ret = (struct entry){ .g = r->g };
	if (rule->op == OP_NE) { /* what it must not be stays */
		ret->text = arena_str(&c->arena, rule->text);
		return r->outcome == OUTCOME_PASS ?
			       0 :
			       err_set(e, ERR_KIND, "%s does not hold", ret->text);
	}
	ret->text = with_limit(c, rule, loosened(rule, worst(r), c->o->margin));
	return 0;
}

static int add_suggested(struct check *c, size_t i, struct entry *ret, struct err *e)
{
	struct gate_rule *g = arena_alloc(&c->arena, sizeof(*g));

	if (rule_parse(slice_str(c->view.suggestions[i].rule), &g->rule, e))
		return -1;
	g->name = g->rule.text;
	*ret = (struct entry){
		g,
		with_limit(c, &g->rule, loosened(&g->rule, dec_double(g->rule.limit), c->o->margin))
	};
	return 0;
}

static int gather_entries(struct check *c, struct entry **ret, size_t *ret_n, struct err *e)
{
	size_t n = 0, cap = 0;

	*ret = NULL;
	for (size_t i = 0; i < c->view.groups_n; i++) {
		for (size_t k = 0; k < c->view.groups[i].n; k++) {
			*ret = mem_grow(*ret, &cap, n + 1, sizeof(**ret));
			if (add_judged(c, &c->view.groups[i].results[k], &(*ret)[n++], e))
				return -1;
		}
	}
	for (size_t i = 0; !c->rules.n && i < c->view.suggestions_n; i++) {
		*ret = mem_grow(*ret, &cap, n + 1, sizeof(**ret));
		if (add_suggested(c, i, &(*ret)[n++], e))
			return -1;
	}
	*ret_n = n;
	return n ? 0 :
		   err_set(e, ERR_KIND, "nothing is measured here that a rule could be made of");
}

int check_update_budget(struct check *c, struct err *e)
{
	struct common_options to = c->o->common;
	struct entry *entries;
	struct output o;
	size_t n;

	if (gather_entries(c, &entries, &n, e)) {
		mem_free(entries);
		return -1;
	}
	to.output = c->o->update_budget;
	int status = output_open(&o, &to, e);
	if (!status) {
		write_budget(&o.out, entries, n);
		status = output_close(&o, e);
	}
	mem_free(entries);
	if (!status)
		diag_note("wrote %zu rule%s to %s, margin %g %%", n, n == 1 ? "" : "s",
			  c->o->update_budget, c->o->margin);
	return status;
}
