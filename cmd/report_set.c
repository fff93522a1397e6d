/* SPDX-License-Identifier: MIT */
/* report of several processes as one set. */
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "report/set_json.h"
#include "report/set_text.h"

struct members {
	struct judged *at;
	struct blame_member *member;
	const struct model **model;
	size_t n;
};

/* ---- are they one set? ---- */

static bool same_process(const struct snapshot *a, const struct snapshot *b)
{
	return a->source.kind == KIND_PROCESS && b->source.kind == KIND_PROCESS &&
	       a->process.pid == b->process.pid && a->process.start_ticks == b->process.start_ticks;
}

static bool same_place(const struct snapshot *a, const struct snapshot *b)
{
	const char *x = a->source.path, *y = b->source.path;

	if (a->source.kind != b->source.kind || !a->has_smaps || !b->has_smaps)
		return false;
	return a->source.kind == KIND_PROCESS || (x && y && !strcmp(x, y));
}

struct numbered {
	const struct snapshot *s;
	size_t at;
};

static int by_process(const void *x, const void *y)
{
	const struct numbered *a = x, *b = y;
	const struct process_info *p = &a->s->process, *q = &b->s->process;

	if (p->pid != q->pid)
		return p->pid < q->pid ? -1 : 1;
	if (p->start_ticks != q->start_ticks)
		return p->start_ticks < q->start_ticks ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

void report_drop_twins(struct load *load)
{
	struct numbered *live = mem_array(load->n, sizeof(*live));
	bool *twin = mem_array(load->n, sizeof(*twin));
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < load->n; i++)
		if (load->snaps[i].source.kind == KIND_PROCESS)
			live[n++] = (struct numbered){ &load->snaps[i], i };
	qsort(live, n, sizeof(*live), by_process);
	for (size_t i = 1; i < n; i++)
		twin[live[i].at] = same_process(live[i - 1].s, live[i].s);
	for (size_t i = 0; i < load->n; i++) {
		if (twin[i])
			snapshot_free(&load->snaps[i]);
		else
			load->snaps[kept++] = load->snaps[i];
	}
	load->n = kept;
	mem_free(twin);
	mem_free(live);
}

static int check_places(const struct load *load, struct err *e)
{
	for (size_t i = 1; i < load->n; i++) {
		if (same_place(&load->snaps[0], &load->snaps[i]))
			continue;
		err_set(e, ERR_USAGE,
			"these are %zu sources of several times or machines, not one set of "
			"processes",
			load->n);
		return err_hint(e, "hugecov diff compares two; --each reports one after the other");
	}
	return 0;
}

/* ---- all of them ---- */

static void members_free(struct members *m)
{
	for (size_t i = 0; i < m->n; i++)
		judged_free(&m->at[i]);
	mem_free(m->at);
	mem_free(m->member);
	mem_free(m->model);
}

static int judge_members(struct members *ret, struct load *load, const struct report_options *r,
			 const struct filter *f, struct err *e)
{
	*ret = (struct members){
		.at = mem_array(load->n, sizeof(*ret->at)),
		.member = mem_array(load->n, sizeof(*ret->member)),
		.model = mem_array(load->n, sizeof(*ret->model)),
	};
	for (; ret->n < load->n; ret->n++) {
		struct judged *x = &ret->at[ret->n];

		if (judge(x, &load->snaps[ret->n], &r->common, f, e)) {
			members_free(ret);
			return -1;
		}
		ret->member[ret->n] = (struct blame_member){ &x->model, &x->findings };
		ret->model[ret->n] = &x->model;
	}
	return 0;
}

/* ---- the forms ---- */

static void write_json(struct output *o, const struct members *m, const struct set *s,
		       const struct report_options *r, const struct beside *b, size_t left_out)
{
	struct blame blame;
	struct json j;

	blame_make(&blame, m->member, m->n, (struct blame_options){ .all = true });
	json_start(&j, &o->out);
	set_json(&j, &(struct set_view){
			     .set = s,
			     .blame = &blame,
			     .members = m->member,
			     .vmas = report_vmas(r),
			     .left_out = left_out,
			     .more = beside_json,
			     .more_arg = b,
		     });
	json_end(&j);
	blame_free(&blame);
}

static void write_set(struct output *o, const struct members *m, const struct report_options *r,
		      const struct beside *b, size_t left_out)
{
	struct set s;

	set_make(&s, m->model, m->n);
	if (r->common.format == FORMAT_JSON)
		write_json(o, m, &s, r, b, left_out);
	else
		set_text(&o->out, &o->style,
			 &(struct set_text){
				 .set = &s,
				 .members = m->member,
				 .sort = report_sort(&r->common),
				 .top = r->common.top,
				 .all = r->common.all,
			 });
	set_free(&s);
}

int report_set(struct output *o, struct load *load, const struct report_options *r,
	       const struct filter *f, const struct beside *b, struct err *e)
{
	struct members m;

	bool asked = r->each || r->split; /* whatever they are, one document holds them */

	if ((!asked && check_places(load, e)) || judge_members(&m, load, r, f, e))
		return -1;
	for (size_t i = 0; i < m.n && r->common.format == FORMAT_CSV; i++)
		report_write_csv(&o->out, &m.at[i], r, i == 0);
	if (r->common.format != FORMAT_CSV)
		write_set(o, &m, r, b, load->left_out);
	members_free(&m);
	return 0;
}
