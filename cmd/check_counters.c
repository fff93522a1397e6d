/* SPDX-License-Identifier: MIT */
/* Rules about counters of two snapshots, and about cells of robot tables. */
#include <math.h>

#include "base/num.h"
#include "cmd/check.h"
#include "model/lkp_check.h"

/* Which of many names was meant. The arena lives as long as n is used. */
static void try_slice(struct nearest *n, struct arena *a, struct slice name)
{
	nearest_try(n, arena_str(a, name));
}

static const char *no_such(const struct check_subject *s, const char *what, struct slice name,
			   const struct nearest *near)
{
	return arena_printf(&s->c->arena, "no %s %.*s%s%s%s", what,
			    name.n > 100 ? 100 : (int)name.n, name.p,
			    near->best ? " (did you mean " : "", near->best ? near->best : "",
			    near->best ? "?)" : "");
}

/* ---- counters[NAME].SIDE ---- */

/* Looks for the row; remembers the nearest name. */
struct search {
	struct slice name;
	struct counter_row row;
	bool found;
	size_t compared; /* lists that were there on both sides */
	struct nearest near;
	struct arena names;
};

static void search_rows(struct search *x, const struct counter_rows *rows)
{
	x->compared++;
	for (size_t i = 0; i < rows->n && !x->found; i++) {
		x->found = slice_eq(rows->at[i].name, x->name);
		if (x->found)
			x->row = rows->at[i];
		else
			try_slice(&x->near, &x->names, rows->at[i].name);
	}
}

static void search_snapshots(struct search *x, const struct check_subject *s, const char **why)
{
	for (size_t i = 0; i < s->pairs_n && !x->found; i++) {
		const struct process_pair *p = &s->pairs[i];
		struct err e;
		struct diff d;

		if (diff_start(&d, &s->before[p->at[BEFORE]], &s->after[p->at[AFTER]], MATCH_AUTO,
			       &e))
			continue;
		if (d.other_boot)
			*why = "the host was booted in between: its counters began anew";
		diff_judge(&d);
		search_rows(x, &d.counters);
		/* What is kept of it must outlive the diff. */
		x->row.name = x->name;
		x->row.note = arena_copy(&s->c->arena, x->row.note);
		x->row.unit = arena_copy(&s->c->arena, x->row.unit);
		diff_free(&d);
	}
}

static void compare_docs(struct search *x, const struct check_subject *s,
			 const struct counters_doc *before, const struct counters_doc *after)
{
	struct counter_list lists[2] = { 0 };
	struct counter_rows rows = { 0 };

	/* Lists are made in the documents' own arenas. */
	before->kind->list((struct counters_doc *)before, &lists[0]);
	after->kind->list((struct counters_doc *)after, &lists[1]);
	counters_diff(&lists[0], &lists[1], &s->c->arena, &rows);
	search_rows(x, &rows);
	counter_rows_free(&rows);
	counters_free(&lists[0]);
	counters_free(&lists[1]);
}

static void search_docs(struct search *x, const struct check_subject *s)
{
	const struct check_read *base = &s->c->base;

	for (size_t i = 0; i < s->docs_n; i++)
		for (size_t k = 0; k < base->load.counters_n && !x->found; k++)
			if (s->docs[i].kind == base->docs[k].kind && s->docs[i].kind->list)
				compare_docs(x, s, &base->docs[k], &s->docs[i]);
}

/* A note has room for a word in a table; here it is the reason of a verdict. */
static const char *why_not(const struct check_subject *s, struct slice note)
{
	if (slice_eq_str(note, "reset"))
		return "the counter fell, so it was reset in between";
	if (slice_eq_str(note, "other boot"))
		return "the host has booted in between: counters began anew";
	return note.n ? arena_str(&s->c->arena, note) : NULL;
}

static struct measure of_row(const struct check_subject *s, const struct counter_row *row,
			     const struct rule *r)
{
	const char *note = why_not(s, row->note);

	if (r->size && !slice_eq_str(row->unit, "kB"))
		return measure_unknown(r->unit, arena_printf(&s->c->arena,
							     "%.*s is counted in %.*s, not in kB",
							     SLICE_FMT(r->name),
							     row->unit.n ? (int)row->unit.n : 6,
							     row->unit.n ? row->unit.p : "things"));
	switch (r->side) {
	case SIDE_BEFORE:
		return row->has_before ?
			       measure_dec(r->unit, row->before) :
			       measure_unknown(r->unit, note ? note : "it has no value before");
	case SIDE_AFTER:
		return row->has_after ?
			       measure_dec(r->unit, row->after) :
			       measure_unknown(r->unit, note ? note : "it has no value after");
	case SIDE_DELTA:
		return row->has_delta ?
			       measure_dec(r->unit, row->delta) :
			       measure_unknown(r->unit,
					       note ? note : "it has no value on one side");
	case SIDE_PERCENT:
		break;
	}
	return row->has_percent ?
		       measure_double(r->unit, row->percent) :
		       measure_unknown(
			       r->unit,
			       note ? note :
				      "there is no percentage: it was 0 before, or has no value");
}

struct measure check_counter(const struct check_subject *s, const struct rule *r)
{
	struct search x = { .name = r->name };
	const char *why = NULL;
	struct measure m;

	nearest_start(&x.near, r->name);
	if (s->interval) {
		search_rows(&x, s->interval);
	} else if (s->c->based) {
		search_snapshots(&x, s, &why);
		search_docs(&x, s);
	}
	if (x.found)
		m = of_row(s, &x.row, r);
	else if (!s->interval && !s->c->based)
		m = measure_unknown(r->unit, "--baseline is missing: it is a difference");
	else if (!x.compared)
		m = measure_unknown(r->unit, "there are no counters of one kind on both sides");
	else
		m = measure_unknown(r->unit, no_such(s, "counter", r->name, &x.near));
	if (why && !m.known)
		m.why = why;
	arena_free(&x.names);
	return m;
}

/* ---- METRIC.base, .head, .percent ---- */

/* A table's number from 1, or part of its title, of its test's name or of a parameter. */
static bool table_fits(const struct lkp_table *t, size_t number, struct slice want)
{
	uint64_t n;

	if (!want.n)
		return true;
	if (num_u64(want, &n))
		return n == number;
	for (size_t i = 0; i < t->nparameters; i++)
		if (slice_has(t->parameters[i].value, want))
			return true;
	return slice_has(t->title, want) || slice_has(t->testcase, want);
}

struct cell_search {
	const struct lkp_table *table;
	size_t found;   /* tables that hold it and fit */
	size_t robots;  /* documents */
	struct nearest near;
	struct arena names;
};

static void search_robot(struct cell_search *x, const struct lkp_doc *doc,
			 const struct gate_rule *g)
{
	x->robots++;
	for (size_t i = 0; i < doc->n; i++) {
		const struct lkp_table *t = &doc->tables[i];

		if (!table_fits(t, i + 1, g->select.table))
			continue;
		if (lkp_row_find(t, g->rule.name)) {
			x->table = t;
			x->found++;
			continue;
		}
		for (size_t k = 0; k < t->n; k++)
			try_slice(&x->near, &x->names, t->rows[k].metric);
	}
}

static void put_printed(struct out *o, struct slice value)
{
	char buf[NUM_BUF];
	int64_t v;

	if (num_i64(value, &v))
		out_put(o, num_put_commas(buf, v));
	else
		out_put(o, value);
}

static void put_noise(struct out *o, const struct lkp_cell *c)
{
	if (c->stddev_pct < 0)
		out_byte(o, '-');
	else
		out_printf(o, "%lld", (long long)c->stddev_pct);
}

/* "1,315,990 -> 475,807, noise - / 3 %", and whether the printed change agrees. */
static const char *cell_detail(const struct check_subject *s, const struct lkp_figures *f)
{
	static const char *const agrees[] = {
		[LKP_UNKNOWN] = "", [LKP_NO] = " does not agree with them", [LKP_YES] = " agrees"
	};
	const struct lkp_cell *base = f->row->cells, *head = &f->row->cells[f->row->n - 1];
	struct out o;

	out_memory(&o);
	if (f->row->section == LKP_METRIC) {
		put_printed(&o, base->value);
		out_str(&o, " -> ");
		put_printed(&o, head->value);
		out_str(&o, ", noise ");
		put_noise(&o, base);
		out_str(&o, " / ");
		put_noise(&o, head);
		out_str(&o, " %");
	} else {
		out_printf(&o, "%lld of %lld -> %lld of %lld runs", (long long)base->fails,
			   (long long)base->runs, (long long)head->fails, (long long)head->runs);
	}
	if (head->change.n)
		out_printf(&o, "\nprinted change %.*s%s%s", SLICE_FMT(head->change),
			   head->kind == LKP_PERCENT ? " %" : "", agrees[f->agrees]);
	const char *text = arena_str(&s->c->arena, out_slice(&o));
	out_close(&o);
	return text;
}

/* Printed digits where there are any: they are exact. */
static struct measure printed(enum unit unit, struct slice digits, double v)
{
	struct dec d;

	return digits.n && dec_parse(digits, &d) ? measure_dec(unit, d) : measure_double(unit, v);
}

static struct measure of_figures(const struct rule *r, const struct lkp_figures *f)
{
	const struct lkp_cell *base = f->row->cells, *head = &f->row->cells[f->row->n - 1];
	struct measure m;

	if (r->size && !slice_has(r->name, SLICE("meminfo")))
		return measure_unknown(r->unit, "its unit is not known to be kB");
	if (r->side == SIDE_BEFORE)
		m = printed(r->unit, base->value, f->base);
	else if (r->side == SIDE_AFTER)
		m = printed(r->unit, head->value, f->head);
	else
		m = printed(r->unit, f->printed ? head->change : slice_of(NULL, 0), f->percent);
	if (!m.known)
		m.why = "the table does not say it";
	return m;
}

struct measure check_cell(const struct check_subject *s, const struct gate_rule *g,
			  const char **ret_detail)
{
	const struct rule *r = &g->rule;
	struct cell_search x = { 0 };
	struct lkp_figures f;
	struct measure m;

	nearest_start(&x.near, r->name);
	for (size_t i = 0; i < s->docs_n; i++)
		if (counters_robot(&s->docs[i]))
			search_robot(&x, counters_robot(&s->docs[i]), g);
	if (!x.robots)
		m = measure_unknown(r->unit, "there is no robot table in the source");
	else if (!x.found)
		m = measure_unknown(r->unit, no_such(s, "row", r->name, &x.near));
	else if (x.found > 1)
		m = measure_unknown(
			r->unit, arena_printf(&s->c->arena,
					      "%zu tables hold it: which one? A budget's selector "
					      "with \"table\" chooses",
					      x.found));
	else if (!lkp_figures(x.table, r->name, &s->c->arena, &f))
		m = measure_unknown(r->unit, "the table does not say it");
	else {
		m = of_figures(r, &f);
		*ret_detail = cell_detail(s, &f);
	}
	arena_free(&x.names);
	return m;
}
