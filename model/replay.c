/* SPDX-License-Identifier: MIT */
#include "model/replay.h"

#include <stdlib.h>

#include "base/rfc3339.h"
#include "model/carry.h"
#include "model/report_read.h"
#include "parse/json_read.h"

#define TICK "hugecov.tick/"

/* ---- what a line is ---- */

/* The string behind the first `"name": "`, as far as it stands in `head`. */
static struct slice peek(struct slice head, const char *name)
{
	char quoted[32];
	size_t n = 0;

	quoted[n++] = '"';
	while (*name)
		quoted[n++] = *name++;
	quoted[n++] = '"';
	ptrdiff_t at = slice_find(head, slice_of(quoted, n));
	if (at < 0)
		return slice_of(NULL, 0);
	struct slice rest = slice_ltrim(slice_skip(head, (size_t)at + n));
	if (!slice_starts(rest, SLICE(":")))
		return slice_of(NULL, 0);
	rest = slice_ltrim(slice_skip(rest, 1));
	if (!slice_starts(rest, SLICE("\"")))
		return slice_of(NULL, 0);
	struct cut c = slice_cut(slice_skip(rest, 1), '"');
	return c.ok ? c.head : slice_of(NULL, 0);
}

enum replay_line replay_kind(struct slice head, int64_t *ret_time_ns)
{
	struct slice schema = peek(head, "schema");

	*ret_time_ns = -1;
	rfc3339_read(peek(head, "time"), ret_time_ns);
	if (slice_starts(schema, SLICE("hugecov.report/")))
		return REPLAY_FULL;
	return slice_starts(schema, SLICE(TICK)) ? REPLAY_TICK : REPLAY_OTHER;
}

/* ---- the tick ---- */

static int read_word(const struct json_doc *d, const struct json_value *v, const char *name,
		     const char *const *words, int n, int *ret, struct err *e)
{
	struct slice word;
	int got = json_get_str(d, v, name, &word, e);

	for (int i = 0; got > 0 && i < n; i++)
		if (slice_eq_str(word, words[i]))
			*ret = i; /* words of a later version count as the first */
	return got < 0 ? -1 : 0;
}

static int read_rollup(const struct json_doc *d, const struct json_value *tick, struct sample *s,
		       struct err *e)
{
	const struct json_value *v;
	int got = json_get(d, tick, "rollup", JSON_OBJECT, &v, e);

	if (got <= 0)
		return got;
	s->rollup_known = true;
	if (json_get_u64(d, v, "rss_kb", &s->rollup_rss_kb, e) < 0)
		return -1;
	return json_get_u64(d, v, "huge_kb", &s->rollup_huge_kb, e) < 0 ? -1 : 0;
}

enum { YEARS = INT64_MAX / 2 }; /* more cannot pass */

static int read_tick(const struct json_doc *d, struct sample *s, struct err *e)
{
	const struct json_value *v;
	int64_t interval_ms = 1000, cost_us = 0, full_us = 0, n = 1, every = 1;
	int look = LOOK_FULL, target = TARGET_RUNS;
	int got = json_get(d, d->root, "tick", JSON_OBJECT, &v, e);

	s->n = s->full_every = 1;
	if (got <= 0)
		return got;
	if (json_get_range(d, v, "n", 1, INT64_MAX, &n, e) < 0 ||
	    json_get_range(d, v, "elapsed_ns", 0, YEARS, &s->elapsed_ns, e) < 0 ||
	    json_get_range(d, v, "interval_ms", 1, INT32_MAX, &interval_ms, e) < 0 ||
	    json_get_range(d, v, "cost_us", 0, INT32_MAX, &cost_us, e) < 0 ||
	    json_get_range(d, v, "full_cost_us", 0, INT32_MAX, &full_us, e) < 0 ||
	    json_get_range(d, v, "full_every", 1, INT64_MAX, &every, e) < 0 ||
	    json_get_u64(d, v, "full_age", &s->full_age, e) < 0 ||
	    json_get_bool(d, v, "exec", &s->exec, e) < 0 ||
	    read_word(d, v, "look", look_names, LOOKS, &look, e) ||
	    read_word(d, v, "target", target_names, TARGET_STATES, &target, e))
		return -1;
	s->n = (uint64_t)n;
	s->full_every = (uint64_t)every;
	s->interval_ns = interval_ms * 1000000;
	s->cost_ns = cost_us * 1000;
	s->full_cost_ns = full_us * 1000;
	s->look = (enum look)look;
	s->target = (enum target_state)target;
	return read_rollup(d, v, s, e);
}

static int note_rates(const struct json_doc *d, const char *family, struct rates *rates,
		      struct err *e)
{
	const struct json_value *list;
	uint64_t value;
	int got = json_get(d, d->root, family, JSON_OBJECT, &list, e);

	if (got <= 0)
		return got;
	for (const struct json_value *v = json_first(list); v; v = json_next(v)) {
		if (!keyval_is_key(json_key_of(v)))
			return json_fault_key(d, v, e, "no counter has such a name");
		if ((got = json_as_u64(d, v, &value, e)) < 0)
			return -1;
		if (got)
			rates_note(rates, family, json_key_of(v), value, family[0] == 'm');
	}
	return 0;
}

/* The saved state has the values of its moment too. */
static void update_keyvals(struct keyvals *k, const char *family, const struct rates *rates)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct rate *x = rates_of(rates, family, k->at[i].key);

		if (x)
			k->at[i].value = x->value;
	}
}

/* ---- mappings ---- */

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Ascending, in whatever order they stand. */
static int read_gone(const struct json_doc *d, struct arena *a, uint64_t **ret, size_t *ret_n,
		     struct err *e)
{
	const struct json_value *list;
	int got = json_get(d, d->root, "gone", JSON_ARRAY, &list, e);

	*ret_n = 0;
	if (got <= 0)
		return got;
	*ret = arena_array(a, json_count(list), sizeof(**ret));
	for (const struct json_value *v = json_first(list); v; v = json_next(v)) {
		if ((got = json_as_addr(d, v, &(*ret)[*ret_n], e)) < 0)
			return -1;
		*ret_n += got > 0;
	}
	qsort(*ret, *ret_n, sizeof(**ret), by_address);
	return 0;
}

static bool listed(const uint64_t *gone, size_t n, uint64_t start)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (gone[mid] < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && gone[lo] == start;
}

/* Both ascend, and so does what comes out. An old mapping that a new one covers goes too. */
static void merge(const struct smaps *before, const struct smaps *changed, const uint64_t *gone,
		  size_t gone_n, struct smaps *ret)
{
	struct carry c = { .to = ret };
	size_t b = 0, n = 0;
	uint64_t end = 0;

	names_start(ret);
	while (b < before->n || n < changed->n) {
		const struct vma *o = b < before->n ? &before->vma[b] : NULL,
				 *v = n < changed->n ? &changed->vma[n] : NULL;

		if (v && (!o || v->start <= o->start)) {
			b += o && o->start == v->start;
			end = carry_vma(&c, changed, n++)->end;
		} else if (listed(gone, gone_n, o->start) || o->start < end ||
			   (v && o->end > v->start)) {
			b++;
		} else {
			end = carry_vma(&c, before, b++)->end;
		}
	}
	carry_end(&c);
}

static int read_mappings(const struct json_doc *d, const struct snapshot *before,
			 struct snapshot *ret, struct err *e)
{
	const struct json_value *list;
	struct smaps changed = { 0 };
	struct arena a = { 0 };
	uint64_t *gone = NULL;
	size_t gone_n = 0;
	int got = json_get(d, d->root, "vmas", JSON_ARRAY, &list, e);

	names_start(&changed);
	if (got > 0)
		got = report_read_vmas(d, list, &changed, e);
	if (got >= 0)
		got = read_gone(d, &a, &gone, &gone_n, e);
	if (got >= 0)
		merge(&before->smaps, &changed, gone, gone_n, &ret->smaps);
	smaps_free(&changed);
	arena_free(&a);
	return got < 0 ? -1 : 0;
}

/* ---- a line ---- */

int replay_full(struct slice line, unsigned long lineno, struct snapshot *ret, struct sample *s,
		struct rates *rates, struct err *e)
{
	struct json_doc d;

	*s = (struct sample){ .full_every = 1, .interval_ns = 1000000000 };
	if (report_read(line, ret, e)) {
		if (e->line)
			e->line += lineno - 1;
		return -1;
	}
	if (ret->bare || ret->smaps.rollup)
		return err_set(e, ERR_KIND,
			       "a report without its mappings is no moment of a recording");
	if (json_read(line, lineno, &d, e))
		return -1;
	int status = read_tick(&d, s, e);
	json_doc_free(&d);
	if (status)
		return -1;
	s->time_ns = ret->source.time_ns;
	rates_begin(rates, s->elapsed_ns);
	rates_system(rates, &ret->system);
	rates_end(rates, false);
	return 0;
}

static int read_time(const struct json_doc *d, struct sample *s, struct err *e)
{
	struct slice time;
	int got = json_get_str(d, d->root, "time", &time, e);

	s->time_ns = -1;
	if (got > 0 && !rfc3339_read(time, &s->time_ns))
		return json_fault(d, json_find(d->root, "time"), e,
				  "not a time as RFC 3339 has it");
	return got < 0 ? -1 : 0;
}

static int read_change(const struct json_doc *d, const struct snapshot *before,
		       struct snapshot *ret, struct sample *s, struct rates *rates, struct err *e)
{
	struct slice schema;
	int got = json_get_str(d, d->root, "schema", &schema, e);

	if (got < 0)
		return -1;
	if (!got || !slice_eq(schema, SLICE(TICK "1")))
		return json_fault(d, d->root, e, "this line is no " TICK "1");
	if (read_time(d, s, e) || read_tick(d, s, e))
		return -1;
	rates_begin(rates, s->elapsed_ns);
	if (note_rates(d, "meminfo", rates, e) || note_rates(d, "vmstat", rates, e))
		return -1;
	rates_end(rates, true);
	carry_snapshot(ret, before);
	ret->source.time_ns = s->time_ns;
	update_keyvals(&ret->system.meminfo, "meminfo", rates);
	update_keyvals(&ret->system.vmstat, "vmstat", rates);
	return read_mappings(d, before, ret, e);
}

int replay_tick(struct slice line, unsigned long lineno, const struct snapshot *before,
		struct snapshot *ret, struct sample *s, struct rates *rates, struct err *e)
{
	struct json_doc d;

	*s = (struct sample){ .full_every = 1, .interval_ns = 1000000000 };
	if (json_read(line, lineno, &d, e))
		return -1;
	int status = read_change(&d, before, ret, s, rates, e);
	json_doc_free(&d);
	return status;
}
