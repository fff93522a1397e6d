/* SPDX-License-Identifier: MIT */
#include "report/perf_json.h"

#include "report/readings_view.h"
#include "report/report_json.h"

void json_kv_dec(struct json *j, const char *key, bool present, struct dec v)
{
	char buf[DEC_BUF];

	json_key(j, key);
	if (present)
		json_raw(j, dec_put(buf, v));
	else
		json_null(j);
}

static void json_place(struct json *j, const struct perf_place *p)
{
	json_kv_dec(j, "time", p->has_time, p->time);
	json_kv_printed(j, "aggregate", p->aggregate);
	json_key(j, "cpus");
	if (p->cpus >= 0)
		json_i64(j, p->cpus);
	else
		json_null(j);
}

static void json_metric(struct json *j, const struct perf_metric *m)
{
	json_kv_dec(j, "value", m->present, m->value);
	json_kv_printed(j, "unit", m->unit);
}

static void json_event(struct json *j, const struct perf_doc *d, const struct perf_event *ev)
{
	json_break(j);
	json_object(j);
	json_place(j, &ev->place);
	json_kv_str(j, "state", perf_state_names[ev->state]);
	json_kv_dec(j, "value", ev->state == PERF_OK, ev->value);
	json_kv_printed(j, "unit", ev->unit);
	json_kv_slice(j, "event", ev->event);
	json_kv_printed(j, "cgroup", ev->cgroup);
	json_kv_dec(j, "variance_pct", ev->has_variance, ev->variance_pct);
	json_key(j, "runtime_ns");
	if (ev->has_runtime)
		json_u64(j, ev->runtime_ns);
	else
		json_null(j);
	json_kv_dec(j, "running_pct", ev->has_running, ev->running_pct);
	json_key(j, "metrics");
	json_array(j);
	for (size_t i = 0; i < ev->n_metrics; i++) {
		json_object(j);
		json_metric(j, &d->metrics[ev->first_metric + i]);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static void json_cell(struct json *j, const struct perf_cell *c)
{
	json_break(j);
	json_object(j);
	json_place(j, &c->place);
	json_kv_printed(j, "group", c->group);
	json_kv_printed(j, "name", c->name);
	json_metric(j, &c->metric);
	json_object_end(j);
}

static void json_header(struct json *j, const struct perf_block *b)
{
	json_key(j, "target");
	if (b->has_header)
		json_slice(j, b->target);
	else
		json_null(j);
	json_kv_str(j, "target_kind", perf_target_names[b->target_kind]);
	json_key(j, "runs");
	if (b->runs >= 0)
		json_i64(j, b->runs);
	else
		json_null(j);
}

static void json_block(struct json *j, const struct perf_doc *d, const struct perf_block *b)
{
	json_break(j);
	json_object(j);
	json_header(j, b);
	json_key(j, "events");
	json_array(j);
	for (size_t i = 0; i < b->n_events; i++)
		json_event(j, d, &d->events[b->first_event + i]);
	json_array_end(j);
	json_key(j, "metrics");
	json_array(j);
	for (size_t i = 0; i < b->n_cells; i++)
		json_cell(j, &d->cells[b->first_cell + i]);
	json_array_end(j);
	json_kv_dec(j, "elapsed_s", b->has_elapsed, b->elapsed_s);
	json_kv_dec(j, "elapsed_variance_pct", b->has_elapsed_variance, b->elapsed_variance_pct);
	json_kv_dec(j, "user_s", b->has_user, b->user_s);
	json_kv_dec(j, "sys_s", b->has_sys, b->sys_s);
	json_object_end(j);
}

/* The member `blocks` alone, key included: for a report that mappings stand in too. */
static void json_perf_blocks(struct json *j, const struct perf_doc *d)
{
	json_key(j, "blocks");
	json_array(j);
	for (size_t i = 0; i < d->n_blocks; i++)
		json_block(j, d, &d->blocks[i]);
	json_array_end(j);
}

void perf_json(struct json *j, const struct perf_doc *d, const struct source_info *source,
	       const struct readings *readings)
{
	json_object(j);
	json_schema(j, "hugecov.counters/1");
	json_source(j, "source", source);
	json_kv_str(j, "form", perf_form_names[d->form]);
	json_readings(j, readings);
	json_perf_blocks(j, d);
	json_object_end(j);
}
