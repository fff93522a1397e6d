/* SPDX-License-Identifier: MIT */
/* report and diff of snapshots, through all of their renderers. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "cmd/beside.h"
#include "cmd/diag.h"
#include "model/runs.h"
#include "parse/smaps.h"
#include "report/diff_csv.h"
#include "report/diff_json.h"
#include "report/diff_set_view.h"
#include "report/diff_text.h"
#include "report/report_csv.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "report/set_json.h"
#include "report/set_text.h"

static const struct common_options common = { .root = "/", .all = true };
static const struct text_style styles[2] = { { .width = 80 }, { .width = 100, .ascii = true, .kb = true } };

/* ---- what a target begins with ---- */

bool fuzz_all;
static uint64_t throws;

struct slice fuzz_text(const uint8_t *data, size_t size)
{
	size_t step = size / 64 + 1;

	throws = size;
	for (size_t i = 0; i < size; i += step)
		throws = (throws ^ data[i]) * UINT64_C(0x100000001b3);
	return slice_of((const char *)data, size);
}

bool fuzz_turn(unsigned n)
{
	throws = throws * UINT64_C(0x5851f42d4c957f2d) + UINT64_C(0x14057b7ef767814f);
	return fuzz_all || (throws >> 33) % n == 0;
}

bool fuzz_part(struct slice *rest, struct slice *ret)
{
	struct slice mark = SLICE("\n====\n");
	ptrdiff_t at = slice_find(*rest, mark);

	if (!rest->p)
		return false;
	*ret = at < 0 ? *rest : slice_first(*rest, (size_t)at + 1);
	*rest = at < 0 ? slice_of(NULL, 0) : slice_skip(*rest, (size_t)at + mark.n);
	return true;
}

struct snapshot fuzz_snapshot(enum source_kind kind)
{
	return (struct snapshot){
		.source = { .kind = kind, .path = "x", .pid = -1, .time_ns = -1, .complete = true },
		.process = { .pid = -1, .thp_disabled = -1 },
	};
}

bool fuzz_smaps(struct slice text, struct snapshot *ret)
{
	struct err e = { 0 };

	*ret = fuzz_snapshot(KIND_SMAPS);
	ret->has_smaps = true;
	return !smaps_parse(text, (struct smaps_options){ 0 }, &ret->smaps, &e);
}

int fuzz_file(struct slice bytes, char path[static FUZZ_PATH])
{
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
		abort();
	snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
	return fd;
}

void fuzz_error(const struct err *e)
{
	struct out o;

	if (!e->text[0])
		looks_bad("an error that says nothing", slice_of("", 0), 0);
	out_memory(&o);
	diag_write(&o, e, false);
	looks_text(out_slice(&o));
	out_close(&o);
}

void fuzz_forms(const struct form *forms, size_t n, const void *view)
{
	struct out o;

	out_memory(&o);
	for (size_t i = 0; i < 2 * n; i++) {
		if (!fuzz_turn((unsigned)(2 * n)))
			continue;
		out_reset(&o);
		forms[i / 2].write(&o, view, &styles[i % 2], i % 2);
		forms[i / 2].look(out_slice(&o));
	}
	out_close(&o);
}

/* ---- report ---- */

static void check_waterfall(const struct model *m)
{
	for (int f = 0; f < FALL_COUNT; f++) {
		const struct waterfall *w = &m->totals.fall[f].w;

		if (w->subslot + w->policy_loss + w->alignment_loss + w->delivery_loss + w->huge != w->rss)
			looks_bad("a waterfall that does not add up", slice_str(fall_names[f]), 0);
	}
}

struct reported {
	const struct judged *x;
	const struct beside *b;
};

static void write_report_json(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct reported *r = view;
	struct json j;

	(void)style, (void)all;
	json_start(&j, o);
	report_json(&j, &(struct report_view){ .m = &r->x->model,
					       .findings = &r->x->findings,
					       .more = r->b ? beside_json : NULL,
					       .more_arg = r->b });
	json_end(&j);
}

static void write_report_text(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct judged *x = ((const struct reported *)view)->x;

	report_text(o, style, &(struct text_view){ .m = &x->model, .findings = &x->findings, .all = all });
}

static void write_report_csv(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct judged *x = ((const struct reported *)view)->x;

	(void)style, (void)all;
	if (!x->model.snap->has_smaps) {
		report_csv_system(o, &x->model.snap->system);
		return;
	}
	report_csv_header(o);
	report_csv(o, &(struct csv_view){ .m = &x->model, .findings = &x->findings });
}

static const struct form report_forms[] = { { write_report_json, looks_json },
					    { write_report_text, looks_text },
					    { write_report_csv, looks_csv } };

static void report_with(struct snapshot *s, const struct beside *b)
{
	struct judged x;
	struct err e = { 0 };

	if (judge(&x, s, &common, NULL, &e))
		return;
	check_waterfall(&x.model);
	fuzz_forms(report_forms, 3, &(struct reported){ &x, b });
	judged_free(&x);
}

static const char *const snapshot_rules[] = { "coverage >= 90%", "misaligned == 0", "totals.vmas <= 3" };

static void rules_make(struct gate_rules *ret, const char *const *rules, size_t n)
{
	*ret = (struct gate_rules){ 0 };
	for (size_t i = 0; i < n; i++) {
		struct rule r;
		struct err e;

		if (rule_parse(slice_str(rules[i]), &r, &e))
			looks_bad("a rule of ours is none", slice_str(rules[i]), 0);
		gate_rules_add(ret, r);
	}
}

void fuzz_report(struct snapshot *s)
{
	struct load l = { .snaps = s, .n = 1 };
	struct gate_rules rules;

	report_with(s, NULL);
	if (!fuzz_turn(4))
		return;
	rules_make(&rules, snapshot_rules, 3);
	fuzz_check(&l, NULL, NULL, &rules);
	gate_rules_free(&rules);
}

/* ---- diff ---- */

static void write_diff_json(struct out *o, const void *view, const struct text_style *style, bool all)
{
	struct json j;

	(void)style;
	json_start(&j, o);
	diff_json(&j, &(struct diff_view){ .d = view, .vmas = all ? DIFF_VMAS_ALL : DIFF_VMAS_CHANGED });
	json_end(&j);
}

static void write_diff_text(struct out *o, const void *view, const struct text_style *style, bool all)
{
	diff_text(o, &(struct diff_text){ .d = view, .style = style, .all = all, .status = -1 });
}

static void write_diff_csv(struct out *o, const void *view, const struct text_style *style, bool all)
{
	(void)style, (void)all;
	diff_csv(o, view);
}

static const struct form diff_forms[] = { { write_diff_json, looks_json },
					  { write_diff_text, looks_text },
					  { write_diff_csv, looks_csv } };

static const char *const diff_rules[] = { "thp-loss == 0", "delta.huge_kb >= -2MiB",
					  "counters[meminfo.AnonHugePages].percent >= 0" };

void fuzz_diff(struct snapshot *before, struct snapshot *after)
{
	struct load b = { .snaps = before, .n = 1 }, a = { .snaps = after, .n = 1 };
	struct gate_rules rules;
	struct judged_pair p;
	struct err e = { 0 };

	if (judge_pair(&p, before, after, &common, MATCH_AUTO, NULL, &e))
		return;
	fuzz_forms(diff_forms, 3, &p.diff);
	judged_pair_free(&p);
	if (!fuzz_turn(4))
		return;
	rules_make(&rules, diff_rules, 3);
	fuzz_check(&a, NULL, &b, &rules);
	gate_rules_free(&rules);
}

/* ---- several processes ---- */

struct members {
	struct judged *judged;
	struct blame_member *member;
	const struct model **model;
	size_t n;
};

static void members_make(struct members *ret, struct snapshot *snaps, size_t n)
{
	struct err e;

	*ret = (struct members){ .judged = mem_array(n, sizeof(*ret->judged)),
				 .member = mem_array(n, sizeof(*ret->member)),
				 .model = mem_array(n, sizeof(*ret->model)) };
	for (; ret->n < n; ret->n++) {
		struct judged *x = &ret->judged[ret->n];

		if (judge(x, &snaps[ret->n], &common, NULL, &e))
			abort(); /* without a filter nothing can fail */
		ret->member[ret->n] = (struct blame_member){ &x->model, &x->findings };
		ret->model[ret->n] = &x->model;
	}
}

static void members_free(struct members *m)
{
	for (size_t i = 0; i < m->n; i++)
		judged_free(&m->judged[i]);
	mem_free(m->judged);
	mem_free(m->member);
	mem_free(m->model);
}

struct reported_set {
	const struct set *set;
	const struct members *m;
	const struct beside *b;
};

static void write_set_json(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct reported_set *r = view;
	struct blame blame;
	struct json j;

	(void)style, (void)all;
	blame_make(&blame, r->m->member, r->m->n, (struct blame_options){ .all = true });
	json_start(&j, o);
	set_json(&j, &(struct set_view){ .set = r->set,
					 .blame = &blame,
					 .members = r->m->member,
					 .more = r->b ? beside_json : NULL,
					 .more_arg = r->b });
	json_end(&j);
	blame_free(&blame);
}

static void write_set_text(struct out *o, const void *view, const struct text_style *style, bool all)
{
	const struct reported_set *r = view;

	set_text(o, style, &(struct set_text){ .set = r->set, .members = r->m->member, .all = all });
}

static const struct form set_forms[] = { { write_set_json, looks_json }, { write_set_text, looks_text } };

static void set_with(struct snapshot *snaps, size_t n, const struct beside *b)
{
	struct members m;
	struct set s;

	members_make(&m, snaps, n);
	set_make(&s, m.model, n);
	fuzz_forms(set_forms, 2, &(struct reported_set){ &s, &m, b });
	set_free(&s);
	members_free(&m);
}

void fuzz_set(struct snapshot *snaps, size_t n)
{
	struct load l = { .snaps = snaps, .n = n };
	struct gate_rules rules;

	set_with(snaps, n, NULL);
	if (!fuzz_turn(4))
		return;
	rules_make(&rules, snapshot_rules, 3);
	fuzz_check(&l, NULL, NULL, &rules);
	gate_rules_free(&rules);
}

static void write_sets_json(struct out *o, const void *view, const struct text_style *style, bool all)
{
	struct json j;

	(void)style, (void)all;
	json_start(&j, o);
	diff_set_json(&j, view);
	json_end(&j);
}

static void write_sets_csv(struct out *o, const void *view, const struct text_style *style, bool all)
{
	(void)style, (void)all;
	diff_set_csv(o, view);
}

static void write_sets_text(struct out *o, const void *view, const struct text_style *style, bool all)
{
	struct diff_set_view v = *(const struct diff_set_view *)view;

	v.style = style;
	v.all = all;
	diff_set_text(o, &v);
}

static const struct form sets_forms[] = { { write_sets_json, looks_json },
					  { write_sets_text, looks_text },
					  { write_sets_csv, looks_csv } };

static void diff_of_sets(struct snapshot *const side[SIDES], const size_t n[SIDES])
{
	const struct snapshot *snaps[SIDES] = { side[BEFORE], side[AFTER] };
	struct process_pairs pairs;
	struct diff_set set;
	struct arena a = { 0 };
	struct err e;
	size_t done = 0;

	process_pairs_find(snaps, n, &a, &pairs);
	struct judged_pair *judged = arena_array(&a, pairs.n, sizeof(*judged));
	const struct diff **diffs = arena_array(&a, pairs.n, sizeof(*diffs));
	for (; done < pairs.n; done++) {
		if (judge_pair(&judged[done], &side[BEFORE][pairs.at[done].at[BEFORE]],
			       &side[AFTER][pairs.at[done].at[AFTER]], &common, MATCH_AUTO, NULL, &e))
			break;
		diffs[done] = &judged[done].diff;
	}
	if (done == pairs.n) {
		diff_set_sum(diffs, done, &set);
		fuzz_forms(sets_forms, 3, &(struct diff_set_view){ .set = &set,
								   .pairs = &pairs,
								   .diffs = diffs,
								   .side = { snaps[BEFORE], snaps[AFTER] },
								   .n = { n[BEFORE], n[AFTER] },
								   .path = { "x", "y" } });
	}
	while (done-- > 0)
		judged_pair_free(&judged[done]);
	arena_free(&a);
}

static void diff_of_runs(struct snapshot *const side[SIDES], const size_t n[SIDES])
{
	struct runs r = { 0 };
	struct err e;

	for (int s = 0; s < SIDES; s++) {
		for (size_t i = 0; i < n[s]; i++) {
			struct judged x;

			if (judge(&x, &side[s][i], &common, NULL, &e))
				abort();
			runs_snapshot(&r, runs_add(&r, s), &x.model);
			judged_free(&x);
		}
	}
	runs_compare(&r);
	fuzz_runs(&r);
	runs_free(&r);
}

void fuzz_sets(struct snapshot *const side[SIDES], const size_t n[SIDES])
{
	struct load l[SIDES] = { { .snaps = side[BEFORE], .n = n[BEFORE] }, { .snaps = side[AFTER], .n = n[AFTER] } };
	struct gate_rules rules;

	if (fuzz_turn(2))
		diff_of_sets(side, n);
	if (fuzz_turn(3))
		diff_of_runs(side, n);
	if (!fuzz_turn(4))
		return;
	rules_make(&rules, diff_rules, 3);
	fuzz_check(&l[AFTER], NULL, &l[BEFORE], &rules);
	gate_rules_free(&rules);
}

/* ---- whatever a source holds ---- */

static void show_beside(const struct beside *b)
{
	for (int form = FORMAT_TEXT; form <= FORMAT_CSV; form++) {
		const struct common_options c = { .root = "/", .format = form, .all = true };
		struct output o = { .style = styles[0] };

		if (form == FORMAT_JSON || !fuzz_turn(2)) /* JSON is in the report */
			continue;
		out_memory(&o.out);
		beside_show(b, &c, &o);
		(form == FORMAT_CSV ? looks_csv : looks_text)(out_slice(&o.out));
		out_close(&o.out);
	}
}

static void show_load(struct load *l)
{
	struct gate_rules rules;
	struct beside b;
	struct err e;

	for (size_t i = 0; !l->n && i < l->counters_n; i++)
		fuzz_counters(l->counters[i].info.kind, l->counters[i].bytes);
	if (!l->n || beside_read(&b, l, &common, &e))
		return;
	show_beside(&b);
	if (l->n > 1)
		set_with(l->snaps, l->n, &b);
	else
		report_with(l->snaps, &b);
	rules_make(&rules, snapshot_rules, 3);
	fuzz_check(l, b.docs, NULL, &rules);
	gate_rules_free(&rules);
	beside_free(&b);
}

void fuzz_source(const char *path, const struct common_options *common_options, struct load_options o)
{
	struct load load;
	struct err e = { 0 };

	if (load_sources(&load, &path, 1, common_options, o, &e)) {
		fuzz_error(&e);
		return;
	}
	show_load(&load);
	load_free(&load);
}
