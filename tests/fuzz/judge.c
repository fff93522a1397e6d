/* SPDX-License-Identifier: MIT */
/* check through its five forms, and counter sources through all that takes them. */
#include "fuzz.h"

#include "base/json.h"
#include "cmd/check_judge.h"
#include "model/runs.h"
#include "parse/lkp.h"
#include "report/counters_csv.h"
#include "report/counters_diff_json.h"
#include "report/counters_text.h"
#include "report/runs_view.h"

static const struct common_options common = { .root = "/", .all = true };

/* ---- check ---- */

static void write_check_text(struct out *o, const void *view, const struct text_style *style, bool all)
{
	(void)all;
	check_text(o, style, view);
}

static void write_check_json(struct out *o, const void *view, const struct text_style *style, bool all)
{
	struct json j;

	(void)style, (void)all;
	json_start(&j, o);
	check_json(&j, view);
	json_end(&j);
}

static void write_check_junit(struct out *o, const void *view, const struct text_style *style, bool all)
{
	(void)style, (void)all;
	check_junit(o, view);
}

static void write_check_github(struct out *o, const void *view, const struct text_style *style, bool all)
{
	(void)style, (void)all;
	check_github(o, view);
}

static void write_check_markdown(struct out *o, const void *view, const struct text_style *style, bool all)
{
	(void)style, (void)all;
	check_markdown(o, view);
}

static const struct form check_forms[] = {
	{ write_check_text, looks_text },     { write_check_json, looks_json },
	{ write_check_junit, looks_xml },     { write_check_github, looks_github },
	{ write_check_markdown, looks_markdown },
};

/* Judging takes longer than writing: two throws for each. */
static void show_check(const struct check_view *v)
{
	fuzz_forms(check_forms, 5, v);
	if (!fuzz_all)
		fuzz_forms(check_forms, 5, v);
}

static const struct check_options options = { .common = { .root = "/" }, .baseline = "y", .samples = 1 };
static const struct call no_call = { .options = &options };

static void judge_read(struct check *c, struct check_read *r)
{
	struct check_groups groups = { 0 };
	struct err e = { 0 };

	if (check_judge_read(&groups, c, r, &e))
		c->view.error = e.text;
	else if (!c->rules.n)
		c->view.error = "check needs a rule";
	c->view.groups = groups.at;
	c->view.groups_n = c->view.error ? 0 : groups.n;
	c->view.outcome = check_outcome(&c->view);
	show_check(&c->view);
	mem_free(groups.at);
}

void fuzz_check(struct load *after, struct counters_doc *docs, struct load *before,
		const struct gate_rules *rules)
{
	struct check_read r = { .load = *after, .docs = docs };

	for (int with = 0; with < 2; with++) { /* without rules: which ones would hold */
		struct check c = { .call = &no_call, .o = &options };

		if (!with && !fuzz_turn(4))
			continue;
		if (with)
			c.rules = *rules;
		if (before) {
			c.base.load = *before;
			c.based = true;
		}
		c.view.rules = &c.rules;
		judge_read(&c, &r);
		arena_free(&c.arena);
	}
}

void fuzz_self_test(const struct gate_rules *rules, struct arena *a)
{
	struct check c = { .call = &no_call, .o = &options, .rules = *rules, .arena = *a };
	struct err e = { 0 };

	c.view.rules = &c.rules;
	if (check_self_test(&c, &e)) {
		c.view.error = e.text;
		c.view.outcome = OUTCOME_COULD_NOT;
	}
	show_check(&c.view);
	*a = c.arena;
}

/* ---- counter sources ---- */

static bool read_doc(struct counters_doc *ret, struct load_counters *source, enum source_kind kind,
		     struct slice text)
{
	struct err e = { 0 };

	*source = (struct load_counters){
		.info = { .kind = kind, .path = "x", .pid = -1, .time_ns = -1, .complete = true }, .bytes = text,
	};
	return !counters_read(ret, source, &common, &e);
}

static void write_doc_text(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct counters_doc *d = view;

	d->kind->text(d, &(struct counters_show){ .out = o, .style = style, .all = all });
}

static void write_doc_json(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct counters_doc *d = view;

	d->kind->json(d, &(struct counters_show){ .out = o, .style = style, .all = all });
}

static void write_doc_csv(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct counters_doc *d = view;

	d->kind->csv(d, &(struct counters_show){ .out = o, .style = style, .all = all });
}

static const struct form doc_forms[] = { { write_doc_text, looks_text },
					 { write_doc_json, looks_json },
					 { write_doc_csv, looks_csv } };

/* Rules on a metric of its own. */
static void check_doc(struct counters_doc *d, struct load_counters *source)
{
	static const char *const sides[] = { ".percent >= 0", ".base > 0", ".head < 100" };
	struct load l = { .counters = source, .counters_n = 1 };
	const struct lkp_doc *robot = counters_robot(d);
	struct gate_rules rules = { 0 };
	struct arena a = { 0 };

	for (size_t i = 0; robot && i < sizeof(sides) / sizeof(*sides); i++) {
		struct rule r;
		struct err e;
		const char *text = arena_printf(&a, "%.*s%s", SLICE_FMT(robot->tables->rows->metric), sides[i]);

		if (!rule_parse(slice_str(text), &r, &e))
			gate_rules_add(&rules, r);
	}
	if (rules.n)
		fuzz_check(&l, d, NULL, &rules);
	gate_rules_free(&rules);
	arena_free(&a);
}

static int same_rank(struct slice name)
{
	(void)name;
	return 0;
}

struct compared {
	const struct counters_doc *d;
	const struct counter_rows *rows;
	const struct readings *readings;
};

static void write_rows_json(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct compared *c = view;
	struct json j;

	(void)style, (void)all;
	json_start(&j, o);
	counters_diff_json(&j, &(struct counters_diff_view){ &c->d[BEFORE].info, &c->d[AFTER].info, c->rows,
							     c->readings });
	json_end(&j);
}

static void write_rows_csv(struct out *o, const void *view, const struct text_style *style, bool all)
{
	(void)style, (void)all;
	counters_csv(o, ((const struct compared *)view)->rows);
}

static void write_rows_text(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct counters_show show = { .out = o, .style = style, .all = all };
	const struct compared *c = view;

	if (c->d->kind->diff_text)
		c->d->kind->diff_text(&c->d[BEFORE], &c->d[AFTER], c->rows, c->readings, &show);
	else
		counters_text(o, style,
			      &(struct counters_text){ .rows = c->rows, .title = "counter", .prefix = "",
						       .rank = same_rank, .rank_other = 1, .all = all });
}

static const struct form rows_forms[] = { { write_rows_json, looks_json },
					  { write_rows_text, looks_text },
					  { write_rows_csv, looks_csv } };

static void write_runs_json(struct out *o, const void *view, const struct text_style *style, bool all)
{
	struct json j;

	(void)style, (void)all;
	json_start(&j, o);
	runs_json(&j, view);
	json_end(&j);
}

static void write_runs_csv(struct out *o, const void *view, const struct text_style *style, bool all)
{
	(void)style, (void)all;
	runs_csv(o, view);
}

static void write_runs_text(struct out *o, const void *view, const struct text_style *style, bool all)
{
	runs_text(o, &(struct runs_view){ .r = view, .style = style, .all = all });
}

static const struct form runs_forms[] = { { write_runs_json, looks_json },
					  { write_runs_text, looks_text },
					  { write_runs_csv, looks_csv } };

void fuzz_runs(const struct runs *r)
{
	fuzz_forms(runs_forms, 3, r);
}

static void runs_of(struct counters_doc d[SIDES], const struct counter_list lists[SIDES])
{
	struct runs r = { 0 };

	for (int s = 0; s < SIDES; s++) {
		for (int i = 0; i < 2; i++) {
			struct run *run = runs_add(&r, s);

			run->source = d[s].info;
			runs_counters(&r, run, &lists[s]);
		}
	}
	runs_compare(&r);
	fuzz_runs(&r);
	runs_free(&r);
}

static void compare_docs(struct counters_doc d[SIDES])
{
	struct counter_list lists[SIDES] = { 0 };
	struct counter_rows rows = { 0 };
	struct readings readings = { 0 };
	struct arena a = { 0 };

	if (!d->kind->list)
		return;
	for (int s = 0; s < SIDES; s++)
		d->kind->list(&d[s], &lists[s]);
	counters_diff(&lists[BEFORE], &lists[AFTER], &a, &rows);
	if (d->kind->compare)
		d->kind->compare(&d[BEFORE], &d[AFTER], &rows, &a, &readings);
	fuzz_forms(rows_forms, 3, &(struct compared){ d, &rows, &readings });
	if (fuzz_turn(4))
		runs_of(d, lists);
	counters_free(&lists[BEFORE]);
	counters_free(&lists[AFTER]);
	counter_rows_free(&rows);
	readings_free(&readings);
	arena_free(&a);
}

void fuzz_counters(enum source_kind kind, struct slice text)
{
	struct counters_doc d[SIDES] = { 0 };
	struct load_counters source[SIDES];
	struct slice rest = text, part;
	int n = 0;

	while (n < SIDES && fuzz_part(&rest, &part) && read_doc(&d[n], &source[n], kind, part)) {
		fuzz_forms(doc_forms, 3, &d[n]);
		if (fuzz_turn(4))
			check_doc(&d[n], &source[n]);
		n++;
	}
	if (n == SIDES)
		compare_docs(d);
	counters_doc_free(&d[BEFORE]);
	counters_doc_free(&d[AFTER]);
}
