/* SPDX-License-Identifier: MIT */
/* From the text of a schema to what is checked. */
#include <stdlib.h>
#include <string.h>

#include "schema_internal.h"

enum { REQUIRED_MAX = 64 };

static int compile(struct whole *w, const struct json_value *v, struct schema **ret, struct err *e);

struct literal literal_of(const struct json_doc *d, const struct json_value *v)
{
	struct literal x = { .type = json_type(v), .text = json_text(d, v) };

	if (x.type == JSON_BOOL) /* the empty text of other types stands where their token does */
		x.text = *x.text.p == 't' ? SLICE("true") : SLICE("false");
	return x;
}

static int compile_type(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	static const struct {
		const char *name;
		unsigned bits;
	} types[] = {
		{ "null", TYPE_BIT(JSON_NULL) },     { "boolean", TYPE_BIT(JSON_BOOL) },
		{ "string", TYPE_BIT(JSON_STRING) }, { "number", TYPE_BIT(JSON_NUMBER) },
		{ "array", TYPE_BIT(JSON_ARRAY) },   { "object", TYPE_BIT(JSON_OBJECT) },
		{ "integer", TYPE_INTEGER },
	};

	if (json_type(v) == JSON_ARRAY) {
		for (v = json_first(v); v; v = json_next(v))
			if (compile_type(w, v, s, e))
				return -1;
		return 0;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (slice_eq_str(json_text(&w->doc, v), types[i].name)) {
			s->types |= types[i].bits;
			return 0;
		}
	return json_fault(&w->doc, v, e, "no type");
}

static int compile_literals(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	bool list = slice_eq(json_key_of(v), SLICE("enum"));
	size_t n = list ? json_count(v) : 1;

	s->literals = arena_array(&w->arena, n, sizeof(*s->literals));
	for (const struct json_value *x = list ? json_first(v) : v; x; x = list ? json_next(x) : NULL) {
		if (json_type(x) == JSON_ARRAY || json_type(x) == JSON_OBJECT)
			return json_fault(&w->doc, x, e, "a constant that is no plain value is not supported");
		s->literals[s->literals_n++] = literal_of(&w->doc, x);
	}
	return 0;
}

static int compile_list(struct whole *w, const struct json_value *v, struct list *ret, struct err *e)
{
	ret->at = arena_array(&w->arena, json_count(v), sizeof(struct schema *));
	for (v = json_first(v); v; v = json_next(v))
		if (compile(w, v, &ret->at[ret->n++], e))
			return -1;
	return 0;
}

static int compile_any(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	return compile_list(w, v, &s->any, e);
}

static int compile_one(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	return compile_list(w, v, &s->one, e);
}

static struct member *member_of(struct schema *s, struct slice name)
{
	for (size_t i = 0; i < s->members_n; i++)
		if (slice_eq(s->members[i].name, name))
			return &s->members[i];
	s->members[s->members_n] = (struct member){ .name = name, .required = -1 };
	return &s->members[s->members_n++];
}

int member_by_name(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;
	int c = n ? memcmp(x->name.p, y->name.p, n) : 0;

	return c ? c : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

/* `properties` and `required` are one table. */
static int compile_members(struct whole *w, const struct json_value *of, struct schema *s, struct err *e)
{
	const struct json_value *properties = json_find(of, "properties"), *required = json_find(of, "required");
	size_t n = (properties ? json_count(properties) : 0) + (required ? json_count(required) : 0);

	s->members = arena_array(&w->arena, n, sizeof(*s->members));
	for (const struct json_value *v = properties ? json_first(properties) : NULL; v; v = json_next(v))
		if (compile(w, v, &member_of(s, json_key_of(v))->schema, e))
			return -1;
	for (const struct json_value *v = required ? json_first(required) : NULL; v; v = json_next(v)) {
		if (s->required_n == REQUIRED_MAX)
			return json_fault(&w->doc, v, e, "more required members than are supported");
		member_of(s, json_text(&w->doc, v))->required = (int)s->required_n++;
	}
	qsort(s->members, s->members_n, sizeof(*s->members), member_by_name);
	return 0;
}

static int compile_additional(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	return compile(w, v, &s->additional, e);
}

static int compile_names(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	return compile(w, v, &s->names, e);
}

static int compile_items(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	return compile(w, v, &s->items, e);
}

static int compile_pattern(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	const char *text = arena_str(&w->arena, json_text(&w->doc, v));

	if (regcomp(&s->pattern, text, REG_EXTENDED | REG_NOSUB))
		return json_fault(&w->doc, v, e, "no pattern");
	s->has_pattern = true;
	return 0;
}

static int compile_minimum(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	s->has_minimum = true;
	return json_as_double(&w->doc, v, &s->minimum, e) == 1 ? 0 : -1;
}

static int compile_maximum(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	s->has_maximum = true;
	return json_as_double(&w->doc, v, &s->maximum, e) == 1 ? 0 : -1;
}

static int compile_min_items(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	uint64_t n = 0;
	int status = json_as_u64(&w->doc, v, &n, e);

	s->min_items = (size_t)n;
	return status == 1 ? 0 : -1;
}

/* "#/$defs/NAME": compiled at its first use, which may be inside of itself. */
static int compile_ref(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	struct slice path = json_text(&w->doc, v), front = SLICE("#/$defs/");
	const struct json_value *defs = json_find(w->doc.root, "$defs");
	const struct json_value *to =
		defs && slice_starts(path, front) ?
			json_find(defs, arena_str(&w->arena, slice_skip(path, front.n))) :
			NULL;

	if (!to)
		return json_fault(&w->doc, v, e, "it leads nowhere");
	for (size_t i = 0; i < w->defs_n; i++) {
		if (w->defs[i].at == to) {
			s->ref = w->defs[i].schema;
			return 0;
		}
	}
	struct def *x = &w->defs[w->defs_n++];
	x->at = to;
	return compile(w, to, &x->schema, e) ? -1 : (s->ref = x->schema, 0);
}

typedef int compile_word(struct whole *w, const struct json_value *v, struct schema *s, struct err *e);

static const struct {
	const char *word;
	compile_word *compile; /* NULL: says nothing about a document, or is done elsewhere */
} words[] = {
	{ "$schema", NULL },
	{ "$id", NULL },
	{ "$defs", NULL },
	{ "title", NULL },
	{ "description", NULL },
	{ "examples", NULL },
	{ "default", NULL },
	{ "properties", NULL },
	{ "required", NULL },
	{ "$ref", compile_ref },
	{ "type", compile_type },
	{ "const", compile_literals },
	{ "enum", compile_literals },
	{ "anyOf", compile_any },
	{ "oneOf", compile_one },
	{ "additionalProperties", compile_additional },
	{ "propertyNames", compile_names },
	{ "items", compile_items },
	{ "pattern", compile_pattern },
	{ "minimum", compile_minimum },
	{ "maximum", compile_maximum },
	{ "minItems", compile_min_items },
};

static int compile_one_word(struct whole *w, const struct json_value *v, struct schema *s, struct err *e)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (slice_eq_str(json_key_of(v), words[i].word))
			return words[i].compile ? words[i].compile(w, v, s, e) : 0;
	return json_fault_key(&w->doc, v, e, "a schema word that is not supported");
}

static int compile(struct whole *w, const struct json_value *v, struct schema **ret, struct err *e)
{
	struct schema *s = arena_alloc(&w->arena, sizeof(*s));

	*s = (struct schema){ 0 };
	*ret = s;
	w->all = mem_grow(w->all, &w->cap, w->n + 1, sizeof(struct schema *));
	w->all[w->n++] = s;
	for (size_t i = 0; i < w->defs_n; i++) /* its own references find it */
		if (w->defs[i].at == v)
			w->defs[i].schema = s;
	if (json_type(v) == JSON_BOOL) {
		s->never = slice_eq(literal_of(&w->doc, v).text, SLICE("false"));
		return 0;
	}
	if (json_type(v) != JSON_OBJECT)
		return json_fault(&w->doc, v, e, "no schema");
	if (compile_members(w, v, s, e))
		return -1;
	for (const struct json_value *x = json_first(v); x; x = json_next(x))
		if (compile_one_word(w, x, s, e))
			return -1;
	return 0;
}

static void whole_free(struct whole *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->all[i]->has_pattern)
			regfree(&w->all[i]->pattern);
	mem_free(w->all);
	mem_free(w->defs);
	json_doc_free(&w->doc);
	arena_free(&w->arena);
	mem_free(w);
}

int schema_new(struct slice text, struct schema **ret, struct err *e)
{
	struct whole *w = mem_zalloc(sizeof(*w));
	const struct json_value *defs;

	if (json_read(arena_copy(&w->arena, text), 1, &w->doc, e)) {
		whole_free(w);
		return -1;
	}
	defs = json_find(w->doc.root, "$defs");
	w->defs = mem_array((defs ? json_count(defs) : 0) + 1, sizeof(*w->defs));
	if (compile(w, w->doc.root, ret, e)) {
		whole_free(w);
		return -1;
	}
	(*ret)->whole = w;
	return 0;
}

void schema_free(struct schema *s)
{
	if (s)
		whole_free(s->whole);
}
