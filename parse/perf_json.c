/* SPDX-License-Identifier: MIT */
#include "base/out.h"
#include "parse/json_read.h"
#include "parse/perf_forms.h"
#include "parse/perf_lines.h"
#include "parse/perf_names.h"
#include "parse/perf_num.h"
#include "parse/perf_repair.h"

/* One object of a line. Texts are copied: the document is gone before they are used. */
struct object {
	struct perf_event ev;
	struct perf_place place;
	struct slice value, group, metric_value, metric_unit;
	bool has_value, has_event, has_metric_value, has_metric_unit, has_group, has_unit;
	size_t n_members;
};

/* --metric-only since 6.2: the key is the name. */
struct named {
	struct slice name, value;
};

struct reader {
	struct perf_builder *b;
	struct slice line;
	unsigned long number;
	struct out repaired;
	struct perf_metrics metrics; /* of one object */
	struct named *cells;
	size_t n_cells, cap_cells;
	struct perf_names names; /* --metric-only of 6.1, 6.2: objects with only a unit */
	struct perf_place place; /* of this line: 6.1 puts it in an object of its own */
	size_t first_cell;       /* of this line */
};

/* ---- values ---- */

static int too_long(struct reader *r, struct err *e)
{
	return err_at(e, r->number, r->line, NULL, "a number of more than 38 digits");
}

/* 1: a number; 0: "", nan, inf, "none", "<not counted>"; -1: too long. */
static int number(struct reader *r, struct slice s, struct dec *ret, struct err *e)
{
	bool comma = s.n && memchr(s.p, ',', s.n);
	const struct perf_locale l = { comma ? ',' : '.', false };

	s = slice_trim(s);
	enum num_status st = dec_parse(s, ret) ? NUM_OK : perf_take_number(&s, &l, ret);
	if (st == NUM_OVERFLOW)
		return too_long(r, e);
	if (st == NUM_OK && comma)
		perf_build_note(r->b, NOTE_DECIMAL_COMMA, r->number, r->line);
	return st == NUM_OK;
}

static int metric(struct reader *r, struct object *o, struct err *e)
{
	struct perf_metric m = { 0 };
	bool nothing = !o->metric_unit.n || slice_eq_str(o->metric_unit, "(null)");

	int got = number(r, o->metric_value, &m.value, e);
	if (got < 0)
		return -1;
	m.present = got;
	m.unit = nothing ? slice_of(NULL, 0) : o->metric_unit;
	o->has_metric_value = o->has_metric_unit = false;
	/* Cycles without a clock have 0 GHz, where text prints nothing. */
	nothing |= slice_eq_str(m.unit, "GHz") || slice_eq_str(m.unit, "Ghz");
	if (!(nothing && m.present && dec_is_zero(m.value)) && (m.present || m.unit.n))
		perf_metrics_add(&r->metrics, m);
	return 0;
}

static void note_damage(struct reader *r)
{
	perf_build_note(r->b, NOTE_DAMAGED, r->number, r->line);
	r->b->info->complete = false;
}

/* ---- members ---- */

typedef int member_fn(struct reader *r, struct object *o, struct slice s, struct err *e);

static int get_interval(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	int got = number(r, s, &o->place.time, e);

	o->place.has_time = got == 1;
	return got < 0 ? -1 : 0;
}

static int get_aggregate(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)e;
	if (s.n > PERF_ID_MAX)
		note_damage(r);
	else
		o->place.aggregate = s;
	return 0;
}

static int get_cpu(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	o->place.is_cpu = true;
	return get_aggregate(r, o, s, e);
}

static int get_cpus(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)r, (void)e;
	if (!num_i64(s, &o->place.cpus))
		o->place.cpus = -1;
	return 0;
}

static int get_value(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)r, (void)e;
	o->value = s;
	o->has_value = true;
	return 0;
}

static int get_unit(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)r, (void)e;
	o->ev.unit = s;
	o->has_unit = true;
	return 0;
}

static int get_event(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)r, (void)e;
	o->ev.event = s;
	o->has_event = true;
	return 0;
}

static int get_cgroup(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)r, (void)e;
	o->ev.cgroup = s;
	return 0;
}

static int get_variance(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	int got = number(r, s, &o->ev.variance_pct, e);

	o->ev.has_variance = got == 1;
	return got < 0 ? -1 : 0;
}

static int get_runtime(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)r, (void)e;
	o->ev.has_runtime = num_u64(s, &o->ev.runtime_ns);
	return 0;
}

static int get_running(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	int got = number(r, s, &o->ev.running_pct, e);

	o->ev.has_running = got == 1;
	return got < 0 ? -1 : 0;
}

/* 6.1 has two pairs in one row: the second value closes the first pair. */
static int get_metric_value(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	if (o->has_metric_value && metric(r, o, e))
		return -1;
	o->metric_value = s;
	o->metric_unit = slice_of(NULL, 0);
	o->has_metric_value = true;
	return 0;
}

static int get_metric_unit(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)r, (void)e;
	o->metric_unit = s;
	o->has_metric_unit = true;
	return 0;
}

static int get_group(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)e;
	if (s.n > PERF_ID_MAX)
		note_damage(r);
	else
		o->group = s;
	o->has_group = true;
	return 0;
}

static int get_nothing(struct reader *r, struct object *o, struct slice s, struct err *e)
{
	(void)r, (void)o, (void)s, (void)e;
	return 0;
}

static const struct {
	const char *name;
	member_fn *get;
} members[] = {
	{ "counter-value", get_value },	   { "unit", get_unit },
	{ "event", get_event },		   { "event-runtime", get_runtime },
	{ "pcnt-running", get_running },   { "metric-value", get_metric_value },
	{ "metric-unit", get_metric_unit }, { "metric-threshold", get_nothing },
	{ "interval", get_interval },	   { "variance", get_variance },
	{ "cgroup", get_cgroup },	   { "metricgroup", get_group },
	{ "core", get_aggregate },	   { "die", get_aggregate },
	{ "socket", get_aggregate },	   { "node", get_aggregate },
	{ "cache", get_aggregate },	   { "cluster", get_aggregate },
	{ "thread", get_aggregate },	   { "cpu", get_cpu },
	{ "aggregate-number", get_cpus },  { "counters", get_cpus },
};

static member_fn *member_of(struct slice name)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (slice_eq_str(name, members[i].name))
			return members[i].get;
	return NULL;
}

static void add_named(struct reader *r, struct slice name, struct slice value)
{
	r->cells = mem_grow(r->cells, &r->cap_cells, r->n_cells + 1, sizeof(*r->cells));
	r->cells[r->n_cells++] = (struct named){ name, value };
}

static int read_object(struct reader *r, const struct json_doc *d, const struct json_value *v,
		       struct object *o, struct err *e)
{
	*o = (struct object){ .place = { .cpus = -1 } };
	r->metrics.n = r->n_cells = 0;
	for (const struct json_value *m = json_first(v); m; m = json_next(m)) {
		struct slice s = arena_copy(r->b->a, json_text(d, m));
		member_fn *get = member_of(json_key_of(m));

		o->n_members++;
		if (get && get(r, o, s, e))
			return -1;
		if (!get)
			add_named(r, arena_copy(r->b->a, json_key_of(m)), s);
	}
	return o->has_metric_value && (o->has_metric_unit || o->has_value || o->has_group)
		       ? metric(r, o, e)
		       : 0;
}

/* ---- what an object is ---- */

static int put_event(struct reader *r, struct object *o, struct err *e)
{
	struct perf_event *ev = perf_build_event(r->b, &o->place);
	size_t first = ev->first_metric;

	*ev = o->ev;
	ev->place = o->place;
	ev->first_metric = first;
	ev->state = slice_eq_str(o->value, "<not counted>")	? PERF_NOT_COUNTED
		    : slice_eq_str(o->value, "<not supported>") ? PERF_NOT_SUPPORTED
								: PERF_OK;
	int got = number(r, o->value, &ev->value, e);
	if (got < 0)
		return -1;
	if (!got && ev->state == PERF_OK)
		ev->state = PERF_NOT_COUNTED; /* "" or nan: no data */
	struct dec whole = dec_trim(ev->value);
	if (whole.scale == 0) /* -j prints six decimals always */
		ev->value = whole;
	perf_build_settle(r->b, ev);
	for (size_t i = 0; i < r->n_cells; i++)
		perf_build_note(r->b, NOTE_UNKNOWN, r->number, r->line);
	return 0;
}

static int put_cell(struct reader *r, const struct perf_place *place, struct slice name,
		    struct slice value, struct err *e)
{
	struct perf_cell *c = perf_build_cell(r->b, place);
	int got = number(r, value, &c->metric.value, e);

	c->name = name;
	c->metric.present = got == 1;
	return got < 0 ? -1 : 0;
}

/* 6.12 --metric-only prints "metric-value" : "none" when there is nothing to print. */
static int put_cells(struct reader *r, struct object *o, struct err *e)
{
	for (size_t i = 0; i < r->n_cells; i++)
		if (put_cell(r, &o->place, r->cells[i].name, r->cells[i].value, e))
			return -1;
	if (o->has_metric_value && !slice_eq_str(o->metric_value, "none"))
		return put_cell(r, &o->place, slice_of(NULL, 0), o->metric_value, e);
	return 0;
}

/* An object inherits the place that stands in an object of its own before it. */
static void inherit_place(struct reader *r, struct object *o)
{
	if (!o->place.has_time && r->place.has_time) {
		o->place.has_time = true;
		o->place.time = r->place.time;
	}
	if (!o->place.aggregate.n) {
		o->place.aggregate = r->place.aggregate;
		o->place.cpus = r->place.cpus;
		o->place.is_cpu = r->place.is_cpu;
	}
	r->place = o->place;
}

static int put_object(struct reader *r, struct object *o, struct err *e)
{
	inherit_place(r, o);
	if (o->has_value || o->has_event) {
		if (put_event(r, o, e))
			return -1;
	} else if (o->has_group) {
		perf_build_group(r->b, &o->place, o->group);
	} else if (o->n_members == 1 && o->has_unit && !perf_names_add(&r->names, o->ev.unit)) {
		note_damage(r);
	}
	perf_build_metrics(r->b, &o->place, &r->metrics);
	return o->has_value ? 0 : put_cells(r, o, e);
}

/* Headings pair with the cells of a line only when there are as many. "sec" heads the time. */
static void name_cells(struct reader *r)
{
	struct perf_doc *d = r->b->doc;
	size_t n = d->n_cells - r->first_cell;
	size_t skip = r->names.n == n + 1 && slice_eq_str(r->names.at[0], "sec");

	if (n == 0 || r->names.n != n + skip)
		return;
	for (size_t i = 0; i < n; i++)
		if (!d->cells[r->first_cell + i].name.n)
			d->cells[r->first_cell + i].name = r->names.at[i + skip];
}

/* ---- lines ---- */

static int read_objects(struct reader *r, const struct json_doc *d, struct err *e)
{
	int rc = 0;

	r->place = (struct perf_place){ .cpus = -1 };
	r->first_cell = r->b->doc->n_cells;
	for (const struct json_value *v = json_first(d->root); v && rc == 0; v = json_next(v)) {
		struct object o;

		rc = read_object(r, d, v, &o, e);
		if (rc == 0)
			rc = put_object(r, &o, e);
	}
	name_cells(r);
	return rc;
}

static int read_line(struct reader *r, struct err *e)
{
	struct json_doc d;
	struct err broken = { 0 };

	if (perf_repair(r->line, &r->repaired))
		perf_build_note(r->b, NOTE_DECIMAL_COMMA, r->number, r->line);
	if (json_read(out_slice(&r->repaired), r->number, &d, &broken)) {
		if (broken.kind != ERR_PARSE) {
			*e = broken;
			return -1;
		}
		note_damage(r);
		return 0;
	}
	int rc = read_objects(r, &d, e);
	json_doc_free(&d);
	return rc;
}

int perf_json_read(struct slice text, struct perf_builder *b, struct err *e)
{
	struct reader r = { .b = b };
	int rc = 0;

	out_memory(&r.repaired);
	for (struct slice rest = text; rest.n && rc == 0;) {
		struct cut c = slice_cut_line(rest);

		rest = c.tail;
		r.line = slice_trim(perf_line_clean(c.head, ++r.number, b));
		if (slice_starts(r.line, SLICE("{")))
			rc = read_line(&r, e);
		else if (slice_starts(r.line, SLICE("# started on")))
			perf_build_break(b);
		else if (r.line.n)
			perf_build_note(b, NOTE_FOREIGN, r.number, r.line);
	}
	perf_lines_end(text, r.number, b);
	out_close(&r.repaired);
	mem_free(r.metrics.at);
	mem_free(r.cells);
	mem_free(r.names.at);
	return rc;
}
