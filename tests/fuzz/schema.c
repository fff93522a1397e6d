/* SPDX-License-Identifier: MIT */
/* A document against a compiled schema. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema_internal.h"

/* Where in the document; each call knows the one before. */
struct place {
	const struct place *up;
	const struct json_value *member; /* NULL: an element */
	size_t index;
};

struct trial {
	const struct json_doc *d;
	struct err *e; /* NULL: one of several that may fit */
};

static int check(const struct schema *s, const struct trial *t, const struct json_value *v,
		 const struct place *at);

static void put_place(char *to, size_t size, const struct place *at)
{
	size_t n;

	if (!at) {
		snprintf(to, size, "$");
		return;
	}
	put_place(to, size, at->up);
	n = strlen(to);
	if (at->member)
		snprintf(to + n, size - n, ".%.*s", SLICE_FMT(slice_first(json_key_of(at->member), 40)));
	else
		snprintf(to + n, size - n, "[%zu]", at->index);
}

static int fault(const struct trial *t, const struct json_value *v, const struct place *at, const char *what,
		 struct slice which)
{
	char place[256];

	if (!t->e)
		return -1;
	put_place(place, sizeof(place), at);
	return err_set(t->e, ERR_PARSE, "%s: %s %.*s (it is %s '%.*s')", place, what, SLICE_FMT(which),
		       json_type_names[json_type(v)], SLICE_FMT(slice_first(json_text(t->d, v), 60)));
}

static bool is_integer(struct slice number)
{
	for (size_t i = 0; i < number.n; i++)
		if (number.p[i] == '.' || number.p[i] == 'e' || number.p[i] == 'E')
			return false;
	return true;
}

static bool type_fits(const struct schema *s, const struct trial *t, const struct json_value *v)
{
	enum json_type type = json_type(v);

	if (!s->types || s->types & TYPE_BIT(type))
		return true;
	return type == JSON_NUMBER && s->types & TYPE_INTEGER && is_integer(json_text(t->d, v));
}

static bool literal_fits(const struct schema *s, const struct trial *t, const struct json_value *v)
{
	struct literal x = literal_of(t->d, v);

	for (size_t i = 0; i < s->literals_n; i++)
		if (x.type == s->literals[i].type && slice_eq(x.text, s->literals[i].text))
			return true;
	return false;
}

/* A string of a document has a length and perhaps no NUL behind it. */
static bool text_fits(const struct schema *s, struct slice text)
{
	regmatch_t part = { .rm_so = 0, .rm_eo = (regoff_t)text.n };

	return regexec(&s->pattern, text.n ? text.p : "", 1, &part, REG_STARTEND) == 0;
}

static int check_text(const struct schema *s, const struct trial *t, const struct json_value *v,
		      struct slice text, const struct place *at)
{
	if (s->has_pattern && !text_fits(s, text))
		return fault(t, v, at, "does not match its pattern", text);
	return 0;
}

static int check_number(const struct schema *s, const struct trial *t, const struct json_value *v,
			const struct place *at)
{
	struct err ignored;
	double x = NAN;

	if (!s->has_minimum && !s->has_maximum)
		return 0;
	if (json_as_double(t->d, v, &x, &ignored) != 1 || (s->has_minimum && !(x >= s->minimum)) ||
	    (s->has_maximum && !(x <= s->maximum)))
		return fault(t, v, at, "is out of range", slice_of(NULL, 0));
	return 0;
}

static int check_array(const struct schema *s, const struct trial *t, const struct json_value *v,
		       const struct place *at)
{
	size_t n = 0;

	for (const struct json_value *x = json_first(v); x; x = json_next(x), n++) {
		const struct place here = { .up = at, .index = n };

		if (s->items && check(s->items, t, x, &here))
			return -1;
	}
	return n < s->min_items ? fault(t, v, at, "has too few elements", slice_of(NULL, 0)) : 0;
}

static const struct member *find_member(const struct schema *s, struct slice name)
{
	const struct member key = { .name = name };

	return s->members_n ? bsearch(&key, s->members, s->members_n, sizeof(key), member_by_name) : NULL;
}

static int check_member(const struct schema *s, const struct trial *t, const struct json_value *x,
			const struct member *m, const struct place *at)
{
	const struct place here = { .up = at, .member = x };

	if (m && m->schema)
		return check(m->schema, t, x, &here);
	if (!m && s->additional && check(s->additional, t, x, &here))
		return -1;
	return s->names ? check_text(s->names, t, x, json_key_of(x), &here) : 0;
}

static int check_object(const struct schema *s, const struct trial *t, const struct json_value *v,
			const struct place *at)
{
	const struct json_value *twice = json_repeated(v);
	uint64_t seen = 0;

	if (twice)
		return fault(t, v, at, "has twice the member", json_key_of(twice));
	for (const struct json_value *x = json_first(v); x; x = json_next(x)) {
		const struct member *m = find_member(s, json_key_of(x));

		if (m && m->required >= 0)
			seen |= UINT64_C(1) << m->required;
		if (check_member(s, t, x, m, at))
			return -1;
	}
	for (size_t i = 0; i < s->members_n; i++)
		if (s->members[i].required >= 0 && !(seen >> s->members[i].required & 1))
			return fault(t, v, at, "has no member", s->members[i].name);
	return 0;
}

static size_t count_fits(const struct list *l, const struct trial *t, const struct json_value *v,
			 const struct place *at)
{
	const struct trial quiet = { .d = t->d };
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += !check(l->at[i], &quiet, v, at);
	return n;
}

static int check(const struct schema *s, const struct trial *t, const struct json_value *v,
		 const struct place *at)
{
	if (s->never)
		return fault(t, v, at, "is not allowed", slice_of(NULL, 0));
	if (s->ref && check(s->ref, t, v, at))
		return -1;
	if (s->any.n && !count_fits(&s->any, t, v, at))
		return fault(t, v, at, "fits none of anyOf", slice_of(NULL, 0));
	if (s->one.n && count_fits(&s->one, t, v, at) != 1)
		return fault(t, v, at, "does not fit just one of oneOf", slice_of(NULL, 0));
	if (!type_fits(s, t, v))
		return fault(t, v, at, "is of another type", slice_of(NULL, 0));
	if (s->literals_n && !literal_fits(s, t, v))
		return fault(t, v, at, "is none of the values", slice_of(NULL, 0));
	switch (json_type(v)) {
	case JSON_STRING:
		return check_text(s, t, v, json_text(t->d, v), at);
	case JSON_NUMBER:
		return check_number(s, t, v, at);
	case JSON_ARRAY:
		return check_array(s, t, v, at);
	case JSON_OBJECT:
		return check_object(s, t, v, at);
	default:
		return 0;
	}
}

int schema_check(const struct schema *s, const struct json_doc *d, const struct json_value *v,
		 struct err *e)
{
	const struct trial t = { .d = d, .e = e };

	return check(s, &t, v, NULL);
}
