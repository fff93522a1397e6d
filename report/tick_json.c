/* SPDX-License-Identifier: MIT */
#include "report/tick_json.h"

#include "model/carry.h"
#include "report/report_json.h"

/* ---- the tick ---- */

static void json_tick(struct json *j, const struct sample *s)
{
	json_key(j, "tick");
	json_object(j);
	json_kv_u64(j, "n", s->n);
	json_kv_i64(j, "elapsed_ns", s->elapsed_ns);
	json_kv_i64(j, "interval_ms", s->interval_ns / 1000000);
	json_kv_str(j, "look", look_names[s->look]);
	json_kv_i64(j, "cost_us", s->cost_ns / 1000);
	json_kv_i64(j, "full_cost_us", s->full_cost_ns / 1000);
	json_kv_u64(j, "full_every", s->full_every);
	json_kv_u64(j, "full_age", s->full_age);
	json_kv_str(j, "target", target_names[s->target]);
	json_kv_bool(j, "exec", s->exec);
	json_key(j, "rollup");
	if (s->rollup_known) {
		json_object(j);
		json_kv_u64(j, "rss_kb", s->rollup_rss_kb);
		json_kv_u64(j, "huge_kb", s->rollup_huge_kb);
		json_object_end(j);
	} else {
		json_null(j);
	}
	json_object_end(j);
}

static void more(struct json *j, const void *arg)
{
	json_tick(j, arg);
}

/* ---- what changed ---- */

static void kv_sum(struct json *j, const char *key, const struct sum *s)
{
	if (s->known)
		json_kv_u64(j, key, s->kb);
	else
		json_kv_null(j, key);
}

static void json_sums(struct json *j, const struct model *m)
{
	json_key(j, "totals");
	json_object(j);
	json_kv_u64(j, "vmas", m->totals.vmas);
	kv_sum(j, "rss_kb", &m->totals.sum[TOTAL_RSS]);
	kv_sum(j, "huge_kb", &m->totals.sum[TOTAL_HUGE]);
	json_waterfall(j, m->totals.fall);
	json_object_end(j);
}

static void json_rates(struct json *j, const char *family, const struct rates *r)
{
	size_t n = strlen(family);

	json_key(j, family);
	json_object(j);
	for (size_t i = 0; i < r->n; i++) {
		const struct rate *x = &r->at[i];

		if (!x->present || !x->changed || strncmp(x->name, family, n) || x->name[n] != '.')
			continue;
		json_key_slice(j, slice_str(x->name + n + 1));
		json_u64(j, x->value);
	}
	json_object_end(j);
}

/* In one of the two only, or different; both tables ascend. What is not selected is not there. */
struct walk {
	const struct model *before, *now;
	size_t b, n;
};

enum found { FOUND_END, FOUND_GONE, FOUND_CHANGED };

static const struct vma *next_kept(const struct model *m, size_t *i)
{
	while (*i < m->smaps->n && !model_keeps(m, *i))
		++*i;
	return *i < m->smaps->n ? &m->smaps->vma[*i] : NULL;
}

static enum found walk(struct walk *w, const struct vma **ret)
{
	for (;;) {
		const struct vma *o = next_kept(w->before, &w->b), *v = next_kept(w->now, &w->n);

		if (!o && !v)
			return FOUND_END;
		if (o && (!v || o->start < v->start)) {
			*ret = o;
			w->b++;
			return FOUND_GONE;
		}
		bool same = o && o->start == v->start &&
			    same_vma(w->before->smaps, w->b, w->now->smaps, w->n);

		w->b += o && o->start == v->start;
		w->n++;
		*ret = v;
		if (!same)
			return FOUND_CHANGED;
	}
}

static void json_changes(struct json *j, const struct tick_view *v)
{
	struct walk w = { .before = v->before, .now = v->m };
	const struct vma *x;
	enum found found;

	json_key(j, "vmas");
	json_array(j);
	while ((found = walk(&w, &x)) != FOUND_END)
		if (found == FOUND_CHANGED)
			json_vma(j, v->m, x);
	json_array_end(j);
	w.b = w.n = 0;
	json_key(j, "gone");
	json_array(j);
	while ((found = walk(&w, &x)) != FOUND_END)
		if (found == FOUND_GONE)
			json_addr(j, x->start);
	json_array_end(j);
}

static void json_change_line(struct json *j, const struct tick_view *v)
{
	const struct snapshot *s = v->m->snap;

	json_object(j);
	json_schema(j, "hugecov.tick/1");
	json_time(j, "time", v->s->time_ns);
	json_kv_i64(j, "pid", s->process.pid);
	json_tick(j, v->s);
	json_sums(j, v->m);
	json_rates(j, "meminfo", v->rates);
	json_rates(j, "vmstat", v->rates);
	json_changes(j, v);
	json_object_end(j);
}

void tick_json(struct out *o, const struct tick_view *v)
{
	struct json j;

	json_start(&j, o);
	j.one_line = true;
	if (v->before)
		json_change_line(&j, v);
	else
		report_json(&j, &(struct report_view){ .m = v->m,
						       .findings = v->findings,
						       .vmas = SHOW_VMAS_ALL,
						       .more = more,
						       .more_arg = v->s });
	json_end(&j);
}
