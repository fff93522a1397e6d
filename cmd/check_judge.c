/* SPDX-License-Identifier: MIT */
/* Groups of results: together or one by one, once or several times. */
#include "cmd/check_judge.h"

#include "parse/lkp.h"

/* ---- what a group is called ---- */

static void put_comma(struct out *o)
{
	if (o->n)
		out_str(o, ", ");
}

static void put_snapshot(struct out *o, const struct snapshot *s)
{
	put_comma(o);
	if (s->process.comm.n && s->process.pid >= 0)
		out_printf(o, "%.*s (%lld)", SLICE_FMT(s->process.comm), (long long)s->process.pid);
	else if (s->source.path)
		out_str(o, s->source.path);
	else if (s->process.pid >= 0)
		out_printf(o, "process %lld", (long long)s->process.pid);
	else
		out_str(o, source_kind_names[s->source.kind]);
}

enum { TITLES_MAX = 3 };

static const char *title_of(const struct check_subject *s)
{
	struct out o;

	out_memory(&o);
	if (s->n > TITLES_MAX)
		out_printf(&o, "%zu processes", s->n);
	for (size_t i = 0; i < s->n && s->n <= TITLES_MAX; i++)
		put_snapshot(&o, s->after[i].snap);
	for (size_t i = 0; i < s->docs_n; i++) {
		put_comma(&o);
		out_str(&o, s->docs[i].info.path);
	}
	if (s->c->based)
		out_printf(&o, " against %s", s->c->o->baseline);
	const char *title = arena_str(&s->c->arena, out_slice(&o));
	out_close(&o);
	return title;
}

/* Sources are copied: a later sample frees what they were read from. */
static const struct source_info *keep_source(struct arena *a, const struct source_info *s)
{
	struct source_info *copy = arena_alloc(a, sizeof(*copy));

	*copy = *s;
	copy->path = s->path ? arena_str(a, slice_str(s->path)) : NULL;
	return copy;
}

static void describe(struct check_group *g, const struct check_subject *s)
{
	struct arena *a = &s->c->arena;

	g->title = title_of(s);
	g->sources = arena_array(a, s->n + s->docs_n, sizeof(*g->sources));
	for (size_t i = 0; i < s->n; i++) {
		g->sources[g->sources_n++] = keep_source(a, &s->after[i].snap->source);
		g->mappings += s->after[i].smaps->rollup ? 0 : s->after[i].kept;
	}
	for (size_t i = 0; i < s->docs_n; i++) {
		const struct lkp_doc *robot = counters_robot(&s->docs[i]);

		g->sources[g->sources_n++] = keep_source(a, &s->docs[i].info);
		for (size_t k = 0; robot && k < robot->n; k++)
			g->rows += robot->tables[k].n;
	}
}

void check_judge_subject(const struct check_subject *s, struct check_group *g)
{
	const struct gate_rules *rules = &s->c->rules;

	*g = (struct check_group){ .n = rules->n };
	describe(g, s);
	g->results = arena_array(&s->c->arena, rules->n, sizeof(*g->results));
	for (size_t i = 0; i < rules->n; i++)
		check_rule(s, &rules->at[i], &g->results[i]);
	check_notes(s, g);
}

/* ---- groups ---- */

static struct check_group *add_group(struct check_groups *to)
{
	to->at = mem_grow(to->at, &to->cap, to->n + 1, sizeof(*to->at));
	return &to->at[to->n++];
}

static int judge_part(struct check_groups *to, struct check *c, struct check_read *r, size_t from,
		      size_t n, bool docs, struct err *e)
{
	struct check_subject s;

	if (check_subject(&s, c, r, from, n, docs, e))
		return -1;
	if (!c->rules.n)
		check_suggest(c, &s);
	else
		check_judge_subject(&s, add_group(to));
	check_subject_free(&s);
	return 0;
}

/* One counter source on its own. */
static int judge_doc(struct check_groups *to, struct check *c, struct check_read *r, size_t i)
{
	struct check_subject s = { .c = c, .docs = &r->docs[i], .docs_n = 1 };

	check_judge_subject(&s, add_group(to));
	return 0;
}

int check_judge_read(struct check_groups *to, struct check *c, struct check_read *r, struct err *e)
{
	if (!c->o->each || !c->rules.n)
		return judge_part(to, c, r, 0, r->load.n, true, e);
	for (size_t i = 0; i < r->load.n; i++)
		if (judge_part(to, c, r, i, 1, false, e))
			return -1;
	for (size_t i = 0; i < r->load.counters_n; i++)
		if (judge_doc(to, c, r, i))
			return -1;
	return 0;
}

/* ---- two moments of a command: a rule must hold at both ---- */

static bool decides(const struct check_result *a, const struct check_result *b)
{
	static const int weight[OUTCOMES] = {
		[OUTCOME_PASS] = 0, [OUTCOME_COULD_NOT] = 1, [OUTCOME_FAIL] = 2
	};

	return weight[b->outcome] > weight[a->outcome];
}

void check_join_moments(struct check_group *at_end, const struct check_group *at_peak)
{
	for (size_t i = 0; i < at_end->n; i++) {
		struct check_result *end = &at_end->results[i], first = *end;
		const struct check_result *peak = &at_peak->results[i];

		if (!rule_needs_mappings(&end->g->rule) && end->g->rule.form != RULE_PATH)
			continue; /* counters of the whole interval: there is one value */
		if (decides(end, peak))
			*end = *peak;
		end->moments_n = 2;
		end->moments[0] = (struct check_moment){ "peak", peak->value, peak->outcome };
		end->moments[1] = (struct check_moment){ "end", first.value, first.outcome };
	}
	if (at_peak->mappings > at_end->mappings)
		at_end->mappings = at_peak->mappings;
}

/* ---- several samples: the median ---- */

struct sampled {
	size_t rules, groups, samples;
	double *values; /* [group][rule][sample] */
	bool *unknown;  /* [group][rule] */
};

static double *values_of(const struct sampled *x, size_t group, size_t rule)
{
	return &x->values[(group * x->rules + rule) * x->samples];
}

static void keep_values(struct sampled *x, const struct check_groups *g, size_t sample)
{
	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = 0; k < g->at[i].n; k++) {
			const struct measure *m = &g->at[i].results[k].value;

			values_of(x, i, k)[sample] = m->known ? m->v : 0;
			x->unknown[i * x->rules + k] |= !m->known;
		}
	}
}

static void judge_median(struct check_result *r, const double *values, size_t n)
{
	bool overruled = r->value.known && r->why;

	r->sampled = true;
	r->spread = stats_of(values, n);
	struct measure m = measure_double(r->value.unit, r->spread.median);
	m.mappings = r->value.mappings;
	r->value = m;
	r->distance = judge_distance(&r->g->rule, &m);
	if (overruled)
		return;
	r->outcome = judge_rule(&r->g->rule, &m);
	if (r->outcome != OUTCOME_FAIL)
		r->blame_n = r->blame_more = 0;
}

static void judge_medians(struct sampled *x, struct check_groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = 0; k < g->at[i].n; k++) {
			struct check_result *r = &g->at[i].results[k];

			if (!x->unknown[i * x->rules + k]) {
				judge_median(r, values_of(x, i, k), x->samples);
			} else if (r->value.known) {
				r->outcome = OUTCOME_COULD_NOT;
				r->value = r->distance = measure_unknown(r->value.unit, NULL);
				r->why = "one of the samples could not be measured";
			}
		}
	}
}

int check_judge_samples(struct check_groups *to, struct check *c, check_sample_fn *sample,
			void *arg, struct err *e)
{
	struct sampled x = { .rules = c->rules.n, .samples = (size_t)c->o->samples };
	int status = 0;

	for (size_t i = 0; i < x.samples && !status; i++) {
		to->n = 0;
		status = sample(to, c, i, arg, e);
		if (status || x.samples == 1 || !x.rules)
			continue;
		if (i == 0) {
			x.groups = to->n;
			x.values = mem_array(x.groups * x.rules * x.samples, sizeof(*x.values));
			x.unknown = mem_array(x.groups * x.rules, sizeof(*x.unknown));
		}
		if (to->n != x.groups)
			status = err_set(e, ERR_GONE,
					 "sample %zu has %zu sources, the first had %zu", i + 1,
					 to->n, x.groups);
		else
			keep_values(&x, to, i);
	}
	if (!status && x.values)
		judge_medians(&x, to);
	mem_free(x.values);
	mem_free(x.unknown);
	return status;
}

/* ---- the sum ---- */

/* A broken rule counts more than one not measured: who forgives status 2 must not miss it. */
enum outcome check_outcome(const struct check_view *v)
{
	struct check_counts n = check_count(v);

	if (v->error || !n.rules)
		return OUTCOME_COULD_NOT;
	return n.fail ? OUTCOME_FAIL : n.could_not ? OUTCOME_COULD_NOT : OUTCOME_PASS;
}
