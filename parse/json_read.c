/* SPDX-License-Identifier: MIT */
#include "parse/json_read.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/dl.h"
#include "base/mem.h"
#include "base/num.h"
#include "parse/json_scan.h"

const char *const json_type_names[6] = { "null",     "a boolean", "a number",
					 "a string", "an array",  "an object" };

static cJSON *(*parse_text)(const char *, size_t, const char **, cJSON_bool);
static void (*delete_tree)(cJSON *);
static void (*take_memory_from)(cJSON_Hooks *);

static const struct dl_symbol symbols[] = {
	{ "cJSON_ParseWithLengthOpts", (void **)&parse_text },
	{ "cJSON_Delete", (void **)&delete_tree },
	{ "cJSON_InitHooks", (void **)&take_memory_from },
};

static const cJSON *node(const struct json_value *v)
{
	return (const cJSON *)(const void *)v;
}

static const struct json_value *value(const cJSON *c)
{
	return (const struct json_value *)(const void *)c;
}

/*
 * Notes in each node the number of its token. cJSON reads a member's name and
 * then its value, depth first, which is the order of the text. The int of a
 * node (a saturated copy of its number) is not used otherwise.
 */
static size_t number_nodes(cJSON *c, size_t token)
{
	for (; c; c = c->next) {
		token += c->string != NULL;
		c->valueint = (int)token++;
		if (c->child)
			token = number_nodes(c->child, token);
	}
	return token;
}

/* ---- reading ---- */

/* A tree that could not be allocated looks to cJSON as a text that is no JSON: with our memory that cannot be. */
static int load(struct err *e)
{
	if (dl_load("libcjson.so.1", "libcjson1", symbols, sizeof(symbols) / sizeof(symbols[0]), e))
		return -1;
	take_memory_from(&(cJSON_Hooks){ .malloc_fn = mem_alloc, .free_fn = mem_free });
	return 0;
}

static struct slice skip_white(struct slice s)
{
	while (s.n && (is_blank(*s.p) || *s.p == '\n' || *s.p == '\r'))
		s = slice_skip(s, 1);
	return s;
}

static int build(struct json_doc *d, struct err *e)
{
	const char *end = d->text.p;
	cJSON *c = parse_text(d->text.p, d->text.n, &end, 0);

	if (!c) {
		size_t at = (size_t)(end - d->text.p);
		struct slice rest = skip_white(slice_skip(d->text, at));

		return json_fault_at(d, (size_t)(rest.p - d->text.p), e,
				rest.n ? "JSON goes wrong here" : "the document is cut off");
	}
	d->root = value(c);
	number_nodes(c, 0);
	struct slice rest = skip_white(slice_skip(d->text, (size_t)(end - d->text.p)));
	return rest.n ? json_fault_at(d, (size_t)(rest.p - d->text.p), e,
				      "text behind the end of the document")
		      : 0;
}

int json_read(struct slice text, unsigned long line, struct json_doc *ret, struct err *e)
{
	struct json_doc d = { .text = text, .line = line };

	if (slice_starts(text, SLICE("\xef\xbb\xbf")))
		d.text = slice_skip(text, 3);
	if (load(e))
		return -1;
	if (text.n > INT32_MAX)
		return err_set(e, ERR_LIMIT, "a JSON document of more than 2 GiB");
	if (json_scan(&d, e) || build(&d, e)) {
		json_doc_free(&d);
		return -1;
	}
	*ret = d;
	return 0;
}

void json_doc_free(struct json_doc *d)
{
	if (d->root)
		delete_tree((cJSON *)(void *)d->root);
	mem_free(d->starts);
	*d = (struct json_doc){ 0 };
}

/* ---- walking ---- */

enum json_type json_type(const struct json_value *v)
{
	switch (node(v)->type & 0xff) {
	case cJSON_False:
	case cJSON_True:
		return JSON_BOOL;
	case cJSON_Number:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

const struct json_value *json_first(const struct json_value *v)
{
	return value(node(v)->child);
}

const struct json_value *json_next(const struct json_value *v)
{
	return value(node(v)->next);
}

size_t json_count(const struct json_value *v)
{
	size_t n = 0;

	for (const struct json_value *m = json_first(v); m; m = json_next(m))
		n++;
	return n;
}

struct slice json_key_of(const struct json_value *v)
{
	return slice_str(node(v)->string);
}

const struct json_value *json_find(const struct json_value *v, const char *name)
{
	if (json_type(v) != JSON_OBJECT)
		return NULL;
	for (const struct json_value *m = json_first(v); m; m = json_next(m))
		if (strcmp(node(m)->string, name) == 0)
			return m;
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const cJSON *x = node(*(const struct json_value *const *)a);
	const cJSON *y = node(*(const struct json_value *const *)b);
	int c = strcmp(x->string, y->string);

	return c ? c : (x->valueint > y->valueint) - (x->valueint < y->valueint);
}

const struct json_value *json_repeated(const struct json_value *object)
{
	size_t n = json_count(object), i = 0;
	const struct json_value **sorted = mem_array(n + 1, sizeof(void *)), *found = NULL;

	for (const struct json_value *m = json_first(object); m; m = json_next(m))
		sorted[i++] = m;
	qsort(sorted, n, sizeof(void *), by_name);
	for (i = 1; i < n; i++) /* of several, the one that stands first in the text */
		if (strcmp(node(sorted[i - 1])->string, node(sorted[i])->string) == 0 &&
		    (!found || node(sorted[i])->valueint < node(found)->valueint))
			found = sorted[i];
	mem_free(sorted);
	return found;
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

const struct json_value *json_unknown(const struct json_value *object, const char *const *names,
				      size_t n)
{
	for (const struct json_value *m = json_first(object); m; m = json_next(m))
		if (!is_one_of(node(m)->string, names, n))
			return m;
	return NULL;
}

size_t json_offset(const struct json_doc *d, const struct json_value *v)
{
	return d->starts[node(v)->valueint];
}

struct slice json_text(const struct json_doc *d, const struct json_value *v)
{
	struct slice s = slice_skip(d->text, json_offset(d, v));
	size_t n = 0;

	if (json_type(v) == JSON_STRING)
		return slice_str(node(v)->valuestring);
	if (json_type(v) != JSON_NUMBER)
		return slice_of(s.p, 0);
	while (n < s.n && (is_digit(s.p[n]) || (s.p[n] && strchr("+-.eE", s.p[n]))))
		n++;
	return slice_first(s, n);
}

int json_fault(const struct json_doc *d, const struct json_value *at, struct err *e,
	       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	json_fault_va(d, json_offset(d, at), e, fmt, ap);
	va_end(ap);
	return -1;
}

int json_fault_key(const struct json_doc *d, const struct json_value *at, struct err *e,
		   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	json_fault_va(d, d->starts[node(at)->valueint - 1], e, fmt, ap); /* the token before a member's value */
	va_end(ap);
	return -1;
}

/* ---- getters ---- */

/* 1 when v is of the type, 0 when it is null, else -1. */
static int expect(const struct json_doc *d, const struct json_value *v, enum json_type type,
		  struct err *e)
{
	enum json_type have = json_type(v);
	struct slice name = json_key_of(v);

	if (have == type)
		return 1;
	if (have == JSON_NULL)
		return 0;
	return json_fault(d, v, e, "%.*s%sis %s, not %s", SLICE_FMT(name), name.n ? " " : "",
			  json_type_names[have], json_type_names[type]);
}

static int out_of_range(const struct json_doc *d, const struct json_value *v, struct err *e,
			const char *what)
{
	struct slice name = json_key_of(v);

	return json_fault(d, v, e, "%.*s%sis not %s", SLICE_FMT(name), name.n ? " " : "", what);
}

int json_as_u64(const struct json_doc *d, const struct json_value *v, uint64_t *ret, struct err *e)
{
	int got = expect(d, v, JSON_NUMBER, e);

	if (got == 1 && !num_u64(json_text(d, v), ret))
		return out_of_range(d, v, e, "a whole number from 0 to 18446744073709551615");
	return got;
}

static int json_as_i64(const struct json_doc *d, const struct json_value *v, int64_t *ret, struct err *e)
{
	int got = expect(d, v, JSON_NUMBER, e);

	if (got == 1 && !num_i64(json_text(d, v), ret))
		return out_of_range(d, v, e, "a whole number of 64 bits");
	return got;
}

int json_as_double(const struct json_doc *d, const struct json_value *v, double *ret, struct err *e)
{
	int got = expect(d, v, JSON_NUMBER, e);

	if (got == 1 && !num_double(json_text(d, v), ret))
		return out_of_range(d, v, e, "a number in range");
	return got;
}

int json_as_dec(const struct json_doc *d, const struct json_value *v, struct dec *ret,
		struct err *e)
{
	int got = expect(d, v, JSON_NUMBER, e);

	if (got == 1 && !dec_parse(json_text(d, v), ret))
		return out_of_range(d, v, e, "a number of at most 38 digits");
	return got;
}

static int json_as_bool(const struct json_doc *d, const struct json_value *v, bool *ret, struct err *e)
{
	int got = expect(d, v, JSON_BOOL, e);

	if (got == 1)
		*ret = (node(v)->type & 0xff) == cJSON_True;
	return got;
}

int json_as_str(const struct json_doc *d, const struct json_value *v, struct slice *ret,
		struct err *e)
{
	int got = expect(d, v, JSON_STRING, e);

	if (got == 1)
		*ret = json_text(d, v);
	return got;
}

int json_as_addr(const struct json_doc *d, const struct json_value *v, uint64_t *ret, struct err *e)
{
	struct slice s;
	int got = json_as_str(d, v, &s, e);

	if (got != 1)
		return got;
	struct slice digits = slice_skip(s, 2);
	if (!slice_starts(s, SLICE("0x")) || num_take_hex(&digits, ret) != NUM_OK || digits.n)
		return out_of_range(d, v, e, "an address \"0x...\" of 64 bits");
	return 1;
}

/* The getters by name differ only in the type. */
#define GETTER(suffix, type)                                                                      \
	int json_get_##suffix(const struct json_doc *d, const struct json_value *object,          \
			      const char *name, type *ret, struct err *e)                         \
	{                                                                                         \
		const struct json_value *v = json_find(object, name);                             \
                                                                                                  \
		return v ? json_as_##suffix(d, v, ret, e) : 0;                                    \
	}
GETTER(u64, uint64_t)
GETTER(bool, bool)
GETTER(str, struct slice)
GETTER(addr, uint64_t)

int json_get_range(const struct json_doc *d, const struct json_value *object, const char *name,
		   int64_t min, int64_t max, int64_t *ret, struct err *e)
{
	const struct json_value *v = json_find(object, name);
	int64_t i = 0;
	int got = v ? json_as_i64(d, v, &i, e) : 0;

	if (got != 1)
		return got;
	if (i < min || i > max)
		return json_fault(d, v, e, "%s is not from %lld to %lld", name, (long long)min,
				  (long long)max);
	*ret = i;
	return 1;
}

int json_get(const struct json_doc *d, const struct json_value *object, const char *name,
	     enum json_type type, const struct json_value **ret, struct err *e)
{
	const struct json_value *v = json_find(object, name);
	int got = v ? expect(d, v, type, e) : 0;

	if (got == 1)
		*ret = v;
	return got;
}
