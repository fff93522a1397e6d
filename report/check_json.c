/* SPDX-License-Identifier: MIT */
/* hugecov.check/1 (schemas/hugecov.check-1.json). */
#include <string.h>

#include "report/check_view.h"
#include "report/report_json.h"

static void kv_size(struct json *j, const char *key, size_t v)
{
	json_kv_u64(j, key, v);
}

/* Exact digits where there are any; null when it is not known. */
static void kv_measure(struct json *j, const char *key, const struct measure *m)
{
	char buf[DEC_BUF];

	json_key(j, key);
	if (!m->known)
		json_null(j);
	else if (m->exact)
		json_raw(j, dec_put(buf, dec_trim(m->dec)));
	else
		json_double(j, m->v);
}

static void json_selector(struct json *j, const struct selector *s)
{
	json_key(j, "select");
	if (!selector_of_mappings(s) && !s->table.n) {
		json_null(j);
		return;
	}
	json_object(j);
	json_kv_str(j, "match", s->match);
	json_key(j, "class");
	json_array(j);
	for (int i = 0; i < CLASS_COUNT; i++)
		if (s->classes >> i & 1)
			json_str(j, class_names[i]);
	json_array_end(j);
	json_kv_u64(j, "min_size_kb", s->min_size_kb);
	json_kv_printed(j, "table", s->table);
	json_object_end(j);
}

static void json_blame(struct json *j, const struct check_blame *b)
{
	json_break(j);
	json_object(j);
	json_kv_str(j, "id", finding_rules[b->id].id);
	json_key(j, "start");
	if (b->has_start)
		json_addr(j, b->start);
	else
		json_null(j);
	json_kv_printed(j, "name", b->name);
	if (b->lost_known)
		json_kv_u64(j, "lost_kb", b->lost_kb);
	else
		json_kv_null(j, "lost_kb");
	json_kv_slice(j, "message", b->message);
	json_kv_slice(j, "advice", b->advice);
	json_object_end(j);
}

static void json_spread(struct json *j, const struct check_result *r)
{
	json_key(j, "samples");
	if (!r->sampled) {
		json_null(j);
		return;
	}
	json_object(j);
	kv_size(j, "n", r->spread.n);
	json_kv_double(j, "min", r->spread.min);
	json_kv_double(j, "median", r->spread.median);
	json_kv_double(j, "max", r->spread.max);
	json_kv_double(j, "mad", r->spread.mad);
	json_object_end(j);
}

static void json_moments(struct json *j, const struct check_result *r)
{
	json_key(j, "moments");
	json_array(j);
	for (size_t i = 0; i < r->moments_n && r->moments[i].name; i++) {
		json_object(j);
		json_kv_str(j, "moment", r->moments[i].name);
		kv_measure(j, "value", &r->moments[i].value);
		json_kv_str(j, "verdict", outcome_names[r->moments[i].outcome]);
		json_object_end(j);
	}
	json_array_end(j);
}

/* What a rule asks, whether or not it was judged. */
static void json_asked(struct json *j, const struct gate_rule *g)
{
	struct measure limit = measure_dec(g->rule.unit, g->rule.limit);

	json_kv_slice(j, "name", g->name);
	json_kv_slice(j, "require", g->rule.text);
	json_kv_slice(j, "metric", g->rule.metric);
	json_kv_str(j, "op", rule_ops[g->rule.op]);
	kv_measure(j, "limit", &limit);
	json_kv_str(j, "unit", unit_names[g->rule.unit]);
	json_kv_str(j, "nature", nature_names[g->rule.nature]);
	json_kv_str(j, "severity", g->warn ? "warn" : "fail");
	json_selector(j, &g->select);
}

/* group: an index into `groups`; negative: it was never judged. */
static void json_result(struct json *j, const struct check_result *r, int64_t group)
{
	json_break(j);
	json_object(j);
	json_asked(j, r->g);
	json_key(j, "group");
	if (group >= 0)
		json_i64(j, group);
	else
		json_null(j);
	kv_measure(j, "value", &r->value);
	kv_measure(j, "distance", &r->distance);
	json_kv_bool(j, "may_vary", check_may_vary(r));
	json_kv_str(j, "verdict", outcome_names[r->outcome]);
	json_kv_str(j, "why", r->why);
	kv_size(j, "mappings", r->value.mappings);
	json_moments(j, r);
	json_spread(j, r);
	json_kv_str(j, "detail", r->detail);
	json_key(j, "blame");
	json_array(j);
	for (size_t i = 0; i < r->blame_n; i++)
		json_blame(j, &r->blame[i]);
	json_array_end(j);
	kv_size(j, "blame_more", r->blame_more);
	json_object_end(j);
}

static void json_strings(struct json *j, const char *key, const char *const *list, size_t n)
{
	json_key(j, key);
	json_array(j);
	for (size_t i = 0; i < n; i++)
		json_slice(j, slice_str(list[i]));
	json_array_end(j);
}

static void json_group(struct json *j, const struct check_group *g)
{
	json_break(j);
	json_object(j);
	json_kv_slice(j, "title", slice_str(g->title));
	json_key(j, "sources");
	json_array(j);
	for (size_t i = 0; i < g->sources_n; i++)
		json_source(j, NULL, g->sources[i]);
	json_array_end(j);
	kv_size(j, "mappings", g->mappings);
	kv_size(j, "rows", g->rows);
	json_strings(j, "notes", g->notes, g->notes_n);
	json_object_end(j);
}

static void json_command(struct json *j, const struct check_command *c)
{
	size_t n = 0;

	json_key(j, "command");
	if (!c) {
		json_null(j);
		return;
	}
	while (c->argv[n])
		n++;
	json_object(j);
	json_strings(j, "argv", c->argv, n);
	json_kv_bool(j, "ran", c->ran);
	if (c->ran && c->status >= 0)
		json_kv_i64(j, "exit_status", c->status);
	else
		json_kv_null(j, "exit_status");
	if (c->ran && c->status < 0)
		json_kv_i64(j, "signal", c->signal);
	else
		json_kv_null(j, "signal");
	json_kv_double(j, "seconds", c->seconds);
	kv_size(j, "looks", c->samples);
	json_object_end(j);
}

static void json_suggestions(struct json *j, const struct check_view *v)
{
	json_key(j, "suggestions");
	json_array(j);
	for (size_t i = 0; i < v->suggestions_n; i++) {
		json_break(j);
		json_object(j);
		json_kv_slice(j, "require", slice_str(v->suggestions[i].rule));
		json_kv_str(j, "nature", nature_names[v->suggestions[i].nature]);
		json_kv_slice(j, "says", slice_str(v->suggestions[i].says));
		json_object_end(j);
	}
	json_array_end(j);
}

static void json_trials(struct json *j, const struct check_view *v)
{
	json_key(j, "self_test");
	if (!v->trials_n) {
		json_null(j);
		return;
	}
	json_array(j);
	for (size_t i = 0; i < v->trials_n; i++) {
		const struct check_trial *t = &v->trials[i];

		json_break(j);
		json_object(j);
		json_asked(j, t->g);
		json_kv_bool(j, "can_pass", t->can_pass);
		json_kv_bool(j, "can_fail", t->can_fail);
		kv_measure(j, "passes_at", &t->pass);
		kv_measure(j, "fails_at", &t->fail);
		json_kv_str(j, "why", t->why);
		json_object_end(j);
	}
	json_array_end(j);
}

static void json_unjudged(struct json *j, const struct check_view *v, const struct gate_rule *g)
{
	struct measure none = measure_unknown(g->rule.unit, NULL);

	json_result(j,
		    &(struct check_result){ .g = g,
					    .outcome = OUTCOME_COULD_NOT,
					    .why = v->error,
					    .value = none,
					    .distance = none },
		    -1);
}

/* Those that were never judged are shown too: no reader shall take their absence for a pass. */
static void json_rules(struct json *j, const struct check_view *v)
{
	json_key(j, "rules");
	json_array(j);
	for (size_t i = 0; i < v->groups_n; i++)
		for (size_t k = 0; k < v->groups[i].n; k++)
			json_result(j, &v->groups[i].results[k], (int64_t)i);
	for (size_t i = 0; !v->groups_n && !v->trials_n && i < v->rules->n; i++)
		json_unjudged(j, v, &v->rules->at[i]);
	json_array_end(j);
}

static void json_judged(struct json *j, const struct check_view *v)
{
	struct check_counts c = check_count(v);

	json_key(j, "judged");
	json_object(j);
	kv_size(j, "rules", c.rules);
	kv_size(j, "pass", c.pass);
	kv_size(j, "fail", c.fail);
	kv_size(j, "warn", c.warn);
	kv_size(j, "could_not", c.could_not);
	kv_size(j, "mappings", c.mappings);
	kv_size(j, "rows", c.rows);
	json_object_end(j);
}

void check_json(struct json *j, const struct check_view *v)
{
	json_object(j);
	json_schema(j, "hugecov.check/1");
	json_time(j, "time", v->time_ns);
	json_kv_str(j, "verdict", outcome_names[v->outcome]);
	json_kv_i64(j, "exit_status", check_exit(v));
	json_kv_str(j, "error", v->error);
	json_kv_bool(j, "thp_off", v->thp_off);
	json_judged(j, v);
	if (v->baseline)
		json_source(j, "baseline", v->baseline);
	else
		json_kv_null(j, "baseline");
	json_command(j, v->command);
	json_key(j, "groups");
	json_array(j);
	for (size_t i = 0; i < v->groups_n; i++)
		json_group(j, &v->groups[i]);
	json_array_end(j);
	json_rules(j, v);
	json_suggestions(j, v);
	json_trials(j, v);
	json_object_end(j);
}
