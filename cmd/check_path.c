/* SPDX-License-Identifier: MIT */
/*
 * Rules about any number of the report, by its path: the report is written as
 * JSON and the path walked in it, so that what a rule names is what
 * `hugecov report --format json` shows.
 */
#include "base/num.h"
#include "cmd/check.h"
#include "report/set_json.h"

/* The member whose name the path begins with, the longest one: keys may hold dots. */
static const struct json_value *member(const struct json_value *object, struct slice *path)
{
	const struct json_value *best = NULL;
	size_t best_n = 0;

	for (const struct json_value *v = json_first(object); v; v = json_next(v)) {
		struct slice name = json_key_of(v);
		bool whole = name.n == path->n || (name.n < path->n && path->p[name.n] == '.');

		if (name.n >= best_n && whole && slice_starts(*path, name)) {
			best = v;
			best_n = name.n;
		}
	}
	if (best)
		*path = slice_skip(*path, best_n + 1);
	return best;
}

/* An element of an array by its number, from 0. */
static const struct json_value *element(const struct json_value *array, struct slice *path)
{
	struct cut c = slice_cut(*path, '.');
	const struct json_value *v = json_first(array);
	uint64_t i;

	if (!num_u64(c.head, &i))
		return NULL;
	for (; v && i; i--)
		v = json_next(v);
	*path = c.tail;
	return v;
}

static const char *no_member(const struct check_subject *s, const struct json_value *object,
			     struct slice at)
{
	struct slice word = slice_cut(at, '.').head;
	struct arena names = { 0 };
	struct nearest near;

	nearest_start(&near, word);
	for (const struct json_value *v = json_first(object); v; v = json_next(v))
		nearest_try(&near, arena_str(&names, json_key_of(v)));
	const char *text = arena_printf(&s->c->arena, "the report has no '%.*s' there%s%s%s",
					word.n > 80 ? 80 : (int)word.n, word.p,
					near.best ? " (did you mean " : "",
					near.best ? near.best : "", near.best ? "?)" : "");
	arena_free(&names);
	return text;
}

static struct measure walk(const struct check_subject *s, const struct json_doc *d,
			   const struct rule *r)
{
	const struct json_value *v = d->root;
	struct slice rest = r->name;
	struct dec number;
	struct err e;

	while (rest.n) {
		const struct json_value *next = json_type(v) == JSON_ARRAY ? element(v, &rest) :
									     member(v, &rest);

		if (!next && json_type(v) == JSON_NULL)
			return measure_unknown(r->unit, "the report says null there");
		if (!next)
			return measure_unknown(r->unit, no_member(s, v, rest));
		v = next;
	}
	if (json_type(v) == JSON_NULL)
		return measure_unknown(r->unit, "the report says null");
	if (json_type(v) != JSON_NUMBER)
		return measure_unknown(r->unit, arena_printf(&s->c->arena, "it is %s, not a number",
							     json_type_names[json_type(v)]));
	if (json_as_dec(d, v, &number, &e) == 1)
		return measure_dec(r->unit, number);
	double x;
	return json_as_double(d, v, &x, &e) == 1 ? measure_double(r->unit, x) :
						   measure_unknown(r->unit, "it is no number");
}

static bool starts_with(struct slice path, const char *member_name)
{
	return slice_eq_str(slice_cut(path, '.').head, member_name);
}

struct members {
	struct findings *findings;
	struct blame_member *member;
	const struct model **model;
};

static void write_set(struct out *o, const struct members *m, size_t n, enum vmas_shown vmas)
{
	struct blame blame;
	struct set set;
	struct json j;

	set_make(&set, m->model, n);
	blame_make(&blame, m->member, n, (struct blame_options){ .all = true });
	json_start(&j, o);
	set_json(&j, &(struct set_view){
			     .set = &set, .blame = &blame, .members = m->member, .vmas = vmas });
	json_end(&j);
	blame_free(&blame);
	set_free(&set);
}

static void write_one(struct out *o, const struct members *m, enum vmas_shown vmas)
{
	struct json j;

	json_start(&j, o);
	report_json(&j, &(struct report_view){
				.m = m->model[0], .findings = &m->findings[0], .vmas = vmas });
	json_end(&j);
}

/* What `hugecov report --format json` would write of this source. */
static void write_report(struct out *o, struct model *m, size_t n, struct slice path)
{
	enum vmas_shown vmas = starts_with(path, "vmas") || starts_with(path, "processes") ?
				       SHOW_VMAS_ALL :
				       SHOW_VMAS_NONE;
	struct members x = { mem_array(n, sizeof(*x.findings)), mem_array(n, sizeof(*x.member)),
			     mem_array(n, sizeof(*x.model)) };

	for (size_t i = 0; i < n; i++) {
		if (m[i].snap->has_smaps) {
			findings_make(&m[i], &x.findings[i]);
		}
		x.member[i] = (struct blame_member){ &m[i], &x.findings[i] };
		x.model[i] = &m[i];
	}
	if (n > 1)
		write_set(o, &x, n, vmas);
	else
		write_one(o, &x, vmas);
	for (size_t i = 0; i < n; i++)
		findings_free(&x.findings[i]);
	mem_free(x.findings);
	mem_free(x.member);
	mem_free(x.model);
}

static struct measure measure_path(const struct check_subject *s, const struct check_pick *p,
				   const struct rule *r)
{
	struct measure ret;
	struct json_doc d;
	struct out o;
	struct err e;

	out_memory(&o);
	write_report(&o, p->after, p->n, r->name);
	if (json_read(out_slice(&o), 1, &d, &e)) {
		ret = measure_unknown(r->unit, arena_str(&s->c->arena, slice_str(e.text)));
	} else {
		ret = walk(s, &d, r);
		json_doc_free(&d);
	}
	out_close(&o);
	return ret;
}

/* A ratio is judged as one: the double that JSON shows is the one that was compared elsewhere. */
static struct measure as_fraction(struct measure m)
{
	m.exact &= m.unit != UNIT_FRACTION;
	return m;
}

struct measure check_path(const struct check_subject *s, const struct gate_rule *g)
{
	struct check_pick p;
	struct measure m;
	struct err e;

	if (!s->n)
		return measure_unknown(g->rule.unit, "there is no report of this source");
	if (check_pick(&p, s, &g->select, false, &e))
		return measure_unknown(g->rule.unit, arena_str(&s->c->arena, slice_str(e.text)));
	if (p.narrowed && !p.mappings)
		m = measure_unknown(g->rule.unit, "no mapping is selected");
	else
		m = as_fraction(measure_path(s, &p, &g->rule));
	m.mappings = p.mappings;
	check_pick_free(&p);
	return m;
}
