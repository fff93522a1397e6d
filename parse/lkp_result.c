/* SPDX-License-Identifier: MIT */
#include "parse/lkp_result.h"

#include "base/out.h"
#include "parse/json_read.h"

/* ---- numbers that JSON does not have ---- */

static size_t no_number(struct slice s)
{
	static const char *const words[] = { "NaN", "Infinity", "-Infinity" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_starts(s, slice_str(words[i])))
			return strlen(words[i]);
	return 0;
}

/* The robot's library writes NaN and Infinity bare: they become null, columns of errors move. */
static struct slice without_nan(struct slice text, struct arena *a)
{
	bool quoted = false;
	struct out o;

	if (!slice_has(text, SLICE("NaN")) && !slice_has(text, SLICE("Infinity")))
		return arena_copy(a, text);
	out_memory(&o);
	while (text.n) {
		size_t n = quoted ? 0 : no_number(text);

		if (n) {
			out_str(&o, "null");
		} else {
			quoted ^= *text.p == '"';
			n = quoted && *text.p == '\\' && text.n > 1 ? 2 : 1;
			out_put(&o, slice_first(text, n));
		}
		text = slice_skip(text, n);
	}
	struct slice copy = arena_copy(a, out_slice(&o));
	out_close(&o);
	return copy;
}

/* ---- members ---- */

static bool is_number_or_null(const struct json_value *v)
{
	return json_type(v) == JSON_NUMBER || json_type(v) == JSON_NULL;
}

/* Values of a member, one for each run; false: it is no list of numbers. */
static bool read_series(const struct json_doc *d, const struct json_value *v, struct arena *a,
			struct lkp_series *ret)
{
	bool list = json_type(v) == JSON_ARRAY;

	ret->name = arena_copy(a, json_key_of(v));
	ret->n = list ? json_count(v) : 1;
	ret->values = arena_array(a, ret->n, sizeof(*ret->values));
	if (!list) {
		ret->values[0] = arena_copy(a, json_text(d, v));
		return json_type(v) == JSON_NUMBER;
	}
	size_t i = 0;
	for (const struct json_value *x = json_first(v); x; x = json_next(x), i++) {
		if (!is_number_or_null(x))
			return false;
		ret->values[i] = json_type(x) == JSON_NULL ? (struct slice){ 0 } :
							     arena_copy(a, json_text(d, x));
	}
	return ret->n > 0;
}

/* ".../TESTCASE/PARAMS/MACHINE/ROOTFS/KCONFIG/COMPILER/COMMIT/RUN/stats.json" */
static void read_path(struct slice path, struct lkp_result *ret)
{
	static const unsigned back[] = { 9, 8, 7,
					 3 }; /* of testcase, parameters, machine, commit */
	struct slice *to[] = { &ret->testcase, &ret->parameters, &ret->machine, &ret->commit };
	struct slice part[9] = { 0 }; /* the last nine */
	unsigned n = 0;

	for (struct cut c = slice_cut(path, '/');; c = slice_cut(c.tail, '/')) {
		part[n++ % 9] = c.head;
		if (!c.ok)
			break;
	}
	for (size_t i = 0; n >= 9 && i < 4; i++)
		*to[i] = part[(n - back[i]) % 9];
}

static void read_source(const struct json_doc *d, const struct json_value *v, struct arena *a,
			struct lkp_result *ret)
{
	const struct json_value *first = json_first(v);

	ret->runs = json_count(v);
	if (first && json_type(first) == JSON_STRING)
		read_path(arena_copy(a, json_text(d, first)), ret);
}

static int read_members(const struct json_doc *d, struct arena *a, struct source_info *info,
			struct lkp_result *ret, struct err *e)
{
	ret->series = arena_array(a, json_count(d->root), sizeof(*ret->series));
	for (const struct json_value *v = json_first(d->root); v; v = json_next(v)) {
		struct slice name = json_key_of(v);

		if (slice_eq_str(name, "stats_source") && json_type(v) == JSON_ARRAY)
			read_source(d, v, a, ret);
		else if (slice_ends(name, SLICE(".time")) && json_type(v) == JSON_ARRAY)
			return err_set(e, ERR_KIND, "samples of one run, not a value for each run");
		else if (slice_has(name, SLICE(".")) && read_series(d, v, a, &ret->series[ret->n]))
			ret->n++;
		else
			info->notes[NOTE_UNKNOWN]++;
	}
	return 0;
}

static int check(struct lkp_result *r, struct err *e)
{
	for (size_t i = 0; i < r->n; i++)
		r->runs = r->series[i].n > r->runs ? r->series[i].n : r->runs;
	if (r->n)
		return 0;
	return err_set(e, ERR_KIND,
		       "no metric of a robot's result: \"monitor.metric\" with numbers");
}

int lkp_result_parse(struct slice text, struct arena *a, struct source_info *info,
		     struct lkp_result *ret, struct err *e)
{
	struct json_doc d = { 0 };
	int status;

	*ret = (struct lkp_result){ 0 };
	if (json_read(without_nan(text, a), 1, &d, e))
		return -1;
	if (json_type(d.root) != JSON_OBJECT)
		status = err_set(e, ERR_KIND, "no result of the robot: it is one JSON object");
	else
		status = read_members(&d, a, info, ret, e);
	json_doc_free(&d);
	if (status == 0)
		status = check(ret, e);
	if (status && e->kind == ERR_KIND)
		err_hint(e, "matrix.json of a commit or stats.json of a run has what is needed");
	return status;
}

/* ---- is it one? ---- */

static struct slice skip_space(struct slice s)
{
	while (s.n && (is_blank(*s.p) || *s.p == '\n' || *s.p == '\r'))
		s = slice_skip(s, 1);
	return s;
}

static bool is_value(struct slice s)
{
	s = skip_space(s);
	if (s.n && *s.p == '[')
		s = skip_space(slice_skip(s, 1));
	return s.n && (is_digit(*s.p) || *s.p == '-' || no_number(s));
}

/* { "monitor.metric": 1 or [ 1 */
bool lkp_result_looks(struct slice head)
{
	head = skip_space(head);
	if (!head.n || *head.p != '{')
		return false;
	head = skip_space(slice_skip(head, 1));
	if (!head.n || *head.p != '"')
		return false;
	struct cut name = slice_cut(slice_skip(head, 1), '"');
	struct slice rest = skip_space(name.tail);
	if (!name.ok || !rest.n || *rest.p != ':')
		return false;
	return slice_eq_str(name.head, "stats_source") ||
	       (slice_find(name.head, SLICE(".")) > 0 && is_value(slice_skip(rest, 1)));
}
