/* SPDX-License-Identifier: MIT */
#include "model/budget.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct gate_rule *gate_rules_add(struct gate_rules *g, struct rule r)
{
	g->at = mem_grow(g->at, &g->cap, g->n + 1, sizeof(*g->at));
	g->at[g->n] = (struct gate_rule){ .rule = r, .name = r.text };
	return &g->at[g->n++];
}

void gate_rules_free(struct gate_rules *g)
{
	mem_free(g->at);
	*g = (struct gate_rules){ 0 };
}

/* Classes by name, separated by commas. false: *ret_bad is no class. */
static bool classes_of(struct slice list, unsigned *ret, struct slice *ret_bad)
{
	*ret = 0;
	for (struct cut c = { .tail = list, .ok = true }; c.ok;) {
		int i = 0;

		c = slice_cut(c.tail, ',');
		struct slice word = slice_trim(c.head);
		while (i < CLASS_COUNT && !slice_eq_str(word, class_names[i]))
			i++;
		if (i == CLASS_COUNT) {
			*ret_bad = word;
			return false;
		}
		*ret |= 1u << i;
	}
	return true;
}

/* ---- reading ---- */

struct budget {
	struct json_doc doc;
	struct arena *a;
	struct gate_rules *to;
	size_t at;          /* where the rule stands that was read last, in bytes, */
	unsigned long line; /* and its line */
};

static int only_known(const struct budget *b, const struct json_value *object,
		      const char *const *names, size_t n, struct err *e)
{
	const struct json_value *bad = json_unknown(object, names, n);
	struct nearest near;

	if (!bad) {
		bad = json_repeated(object);
		return bad ? json_fault_key(&b->doc, bad, e, "'%.*s' stands here a second time",
					    SLICE_FMT(json_key_of(bad))) :
			     0;
	}
	nearest_start(&near, json_key_of(bad));
	for (size_t i = 0; i < n; i++)
		nearest_try(&near, names[i]);
	return json_fault_key(&b->doc, bad, e, "unknown key '%.*s'%s%s%s",
			      json_key_of(bad).n > 60 ? 60 : (int)json_key_of(bad).n,
			      json_key_of(bad).p, near.best ? " (did you mean " : "",
			      near.best ? near.best : "", near.best ? "?)" : "");
}

static int read_class(const struct budget *b, const struct json_value *v, unsigned *ret,
		      struct err *e)
{
	struct slice list, bad;

	if (json_as_str(&b->doc, v, &list, e) != 1)
		return json_type(v) == JSON_NULL ? 0 : -1;
	if (classes_of(list, ret, &bad))
		return 0;
	return json_fault(&b->doc, v, e, "no class '%.*s': anon, shmem, file, hugetlb or special",
			  bad.n > 40 ? 40 : (int)bad.n, bad.p);
}

static int read_table(const struct budget *b, const struct json_value *select, struct slice *ret,
		      struct err *e)
{
	const struct json_value *v = json_find(select, "table");

	if (!v || json_type(v) == JSON_NULL)
		return 0;
	if (json_type(v) != JSON_STRING && json_type(v) != JSON_NUMBER)
		return json_fault(&b->doc, v, e, "table is part of a title, or a number from 1");
	*ret = json_text(&b->doc, v);
	return ret->n ? 0 : json_fault(&b->doc, v, e, "an empty title would be any table's");
}

static int read_select(const struct budget *b, const struct json_value *rule, struct selector *ret,
		       struct err *e)
{
	static const char *const names[] = { "match", "class", "min_size_kb", "table" };
	const struct json_value *select, *class;
	struct slice match = { 0 };
	int64_t kb = 0;

	int got = json_get(&b->doc, rule, "select", JSON_OBJECT, &select, e);
	if (got <= 0)
		return got;
	if (only_known(b, select, names, COUNT(names), e) ||
	    json_get_str(&b->doc, select, "match", &match, e) < 0 ||
	    json_get_range(&b->doc, select, "min_size_kb", 0, INT64_MAX, &kb, e) < 0 ||
	    read_table(b, select, &ret->table, e))
		return -1;
	ret->match = match.n ? arena_str(b->a, match) : NULL;
	ret->min_size_kb = (uint64_t)kb;
	class = json_find(select, "class");
	return class ? read_class(b, class, &ret->classes, e) : 0;
}

static int read_severity(const struct budget *b, const struct json_value *rule, bool *ret_warn,
			 struct err *e)
{
	struct slice s;
	int got = json_get_str(&b->doc, rule, "severity", &s, e);

	if (got <= 0)
		return got;
	*ret_warn = slice_eq_str(s, "warn");
	if (*ret_warn || slice_eq_str(s, "fail"))
		return 0;
	return json_fault(&b->doc, json_find(rule, "severity"), e,
			  "severity is \"fail\" or \"warn\"");
}

/*
 * The place of a fault inside a rule: e is at the string's quote. A string
 * with escapes has its letters elsewhere than the rule, and keeps the quote.
 */
static void place_inside(struct err *e, struct slice text, const struct err *inner)
{
	struct slice shown = slice_skip(slice_str(e->context), e->context_at + 1);
	size_t seen = shown.n < text.n ? shown.n : text.n;

	if (!inner->column || inner->column > seen ||
	    !slice_eq(slice_first(shown, seen), slice_first(text, seen)))
		return;
	e->column += inner->column;
	e->context_at += (unsigned)inner->column;
}

/* One limit. */
static int read_limit(const struct budget *b, const struct json_value *v,
		      const struct gate_rule *like, struct err *e)
{
	struct slice text;
	struct rule r;
	struct err inner;

	if (json_as_str(&b->doc, v, &text, e) != 1)
		return json_type(v) == JSON_NULL ?
			       json_fault(&b->doc, v, e, "a rule is due, a string") :
			       -1;
	if (rule_parse(arena_copy(b->a, text), &r, &inner)) {
		json_fault(&b->doc, v, e, "%s", inner.text);
		place_inside(e, text, &inner);
		return err_hint(e, "%s", inner.hint);
	}
	struct gate_rule *g = gate_rules_add(b->to, r);
	*g = *like;
	g->rule = r;
	if (!g->name.p)
		g->name = r.text;
	return 0;
}

static int read_limits(const struct budget *b, const struct json_value *rule,
		       const struct gate_rule *like, struct err *e)
{
	const struct json_value *v = json_find(rule, "require");

	if (!v)
		return json_fault(&b->doc, rule, e, "a rule without \"require\"");
	if (json_type(v) != JSON_ARRAY)
		return read_limit(b, v, like, e);
	if (!json_first(v))
		return json_fault(&b->doc, v, e, "no limit in the list: nothing would be judged");
	for (const struct json_value *x = json_first(v); x; x = json_next(x))
		if (read_limit(b, x, like, e))
			return -1;
	return 0;
}

/* Rules are read in the order in which they stand: each line is counted once. */
static unsigned long line_of(struct budget *b, const struct json_value *rule)
{
	size_t at = json_offset(&b->doc, rule);

	for (; b->at < at; b->at++)
		b->line += b->doc.text.p[b->at] == '\n';
	return b->line;
}

static int read_rule(struct budget *b, const struct json_value *rule, struct err *e)
{
	static const char *const names[] = { "name", "require", "select", "severity" };
	struct gate_rule g = { 0 };

	if (json_type(rule) != JSON_OBJECT)
		return json_fault(&b->doc, rule, e, "a rule is an object with \"require\"");
	g.line = line_of(b, rule);
	if (only_known(b, rule, names, COUNT(names), e) ||
	    json_get_str(&b->doc, rule, "name", &g.name, e) < 0 ||
	    read_severity(b, rule, &g.warn, e) || read_select(b, rule, &g.select, e))
		return -1;
	if (g.name.p)
		g.name = arena_copy(b->a, g.name);
	g.select.table = arena_copy(b->a, g.select.table);
	return read_limits(b, rule, &g, e);
}

static int read_document(struct budget *b, struct err *e)
{
	static const char *const names[] = { "$schema", "schema", "rules" };
	const struct json_value *root = b->doc.root, *rules;
	struct slice schema, editor;

	if (json_type(root) != JSON_OBJECT)
		return json_fault(&b->doc, root, e,
				  "a budget is an object with \"schema\" and \"rules\"");
	if (only_known(b, root, names, COUNT(names), e) ||
	    json_get_str(&b->doc, root, "$schema", &editor, e) < 0)
		return -1;
	int got = json_get_str(&b->doc, root, "schema", &schema, e);
	if (got < 0)
		return -1;
	if (!got || !slice_eq_str(schema, "hugecov.budget/1"))
		return json_fault(&b->doc, got ? json_find(root, "schema") : root, e,
				  "\"schema\": \"hugecov.budget/1\" is due");
	got = json_get(&b->doc, root, "rules", JSON_ARRAY, &rules, e);
	if (got < 0)
		return -1;
	if (!got || !json_first(rules))
		return json_fault(&b->doc, got ? rules : root, e,
				  "no rules: nothing would be judged");
	for (const struct json_value *v = json_first(rules); v; v = json_next(v))
		if (read_rule(b, v, e))
			return -1;
	return 0;
}

int budget_read(struct slice text, struct arena *a, struct gate_rules *ret, struct err *e)
{
	struct budget b = { .a = a, .to = ret, .line = 1 };
	size_t before = ret->n;

	if (json_read(text, 1, &b.doc, e))
		return -1;
	int status = read_document(&b, e);
	if (status)
		ret->n = before;
	json_doc_free(&b.doc);
	return status;
}
