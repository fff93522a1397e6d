/* SPDX-License-Identifier: MIT */
#include "report/csv.h"
#include "report/perf_text.h"

static const char *const columns[] = {
	"block",       "target", "time",   "aggregate",   "cpus",         "event",
	"state",       "value",  "unit",   "cgroup",      "variance_pct", "runtime_ns",
	"running_pct", "group",  "metric", "metric_unit",
};

static void put_place(struct csv *c, const struct perf_doc *d, size_t block,
		      const struct perf_place *p)
{
	const struct perf_block *b = &d->blocks[block];

	csv_u64(c, block);
	csv_text(c, b->has_header ? b->target : (struct slice){ 0 });
	csv_dec(c, p->has_time, p->time);
	csv_text(c, p->aggregate);
	if (p->cpus >= 0)
		csv_i64(c, p->cpus);
	else
		csv_absent(c);
}

/* The metric of a line; NULL: none. */
static void put_metric(struct csv *c, struct slice group, const struct perf_metric *m)
{
	csv_text(c, group);
	csv_dec(c, m && m->present, m ? m->value : (struct dec){ 0 });
	csv_text(c, m ? m->unit : (struct slice){ 0 });
	csv_end(c);
}

static void put_event(struct csv *c, const struct perf_doc *d, size_t block,
		      const struct perf_event *ev, const struct perf_metric *m)
{
	put_place(c, d, block, &ev->place);
	csv_text(c, ev->event);
	csv_str(c, perf_state_names[ev->state]);
	csv_dec(c, ev->state == PERF_OK, ev->value);
	csv_text(c, ev->unit);
	csv_text(c, ev->cgroup);
	csv_dec(c, ev->has_variance, ev->variance_pct);
	if (ev->has_runtime)
		csv_u64(c, ev->runtime_ns);
	else
		csv_absent(c);
	csv_dec(c, ev->has_running, ev->running_pct);
	put_metric(c, (struct slice){ 0 }, m);
}

/* A metric without a count: its name stands where the event would. */
static void put_cell(struct csv *c, const struct perf_doc *d, size_t block,
		     const struct perf_cell *cell)
{
	put_place(c, d, block, &cell->place);
	csv_text(c, cell->name);
	for (int i = 0; i < 3; i++) /* state, value, unit */
		csv_absent(c);
	csv_text(c, cell->cgroup);
	for (int i = 0; i < 3; i++)
		csv_absent(c);
	put_metric(c, cell->group, &cell->metric);
}

static void put_events(struct csv *c, const struct perf_doc *d, size_t block)
{
	const struct perf_block *b = &d->blocks[block];

	for (size_t i = 0; i < b->n_events; i++) {
		const struct perf_event *ev = &d->events[b->first_event + i];

		if (!ev->n_metrics)
			put_event(c, d, block, ev, NULL);
		for (size_t k = 0; k < ev->n_metrics; k++)
			put_event(c, d, block, ev, &d->metrics[ev->first_metric + k]);
	}
	for (size_t i = 0; i < b->n_cells; i++)
		put_cell(c, d, block, &d->cells[b->first_cell + i]);
}

void perf_csv(struct out *o, const struct perf_doc *d)
{
	struct csv c = { .o = o };

	csv_header(&c, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < d->n_blocks; i++)
		put_events(&c, d, i);
}
