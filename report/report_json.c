/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "report/report_json.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/num.h"
#include "base/utf8.h"
#include "base/version.h"

void json_schema(struct json *j, const char *schema)
{
	json_kv_str(j, "schema", schema);
	json_key(j, "tool");
	json_object(j);
	json_kv_str(j, "name", "hugecov");
	json_kv_str(j, "version", hugecov_version);
	json_object_end(j);
}

void json_time(struct json *j, const char *key, int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	char buf[64], text[96];
	struct tm tm;

	json_key(j, key);
	if (ns < 0 || !gmtime_r(&s, &tm)) {
		json_null(j);
		return;
	}
	strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03dZ", buf, (int)(ns / 1000000 % 1000));
	json_str(j, text);
}

void json_source(struct json *j, const char *key, const struct source_info *s)
{
	if (key)
		json_key(j, key);
	json_object(j);
	json_kv_str(j, "kind", source_kind_names[s->kind]);
	json_kv_str(j, "path", s->path);
	if (s->pid >= 0)
		json_kv_i64(j, "pid", s->pid);
	else
		json_kv_null(j, "pid");
	json_time(j, "time", s->time_ns);
	json_kv_bool(j, "complete", s->complete);
	json_key(j, "notes");
	json_object(j);
	for (int i = 0; i < NOTE_COUNT; i++)
		if (s->notes[i])
			json_kv_u64(j, note_names[i], s->notes[i]);
	json_object_end(j);
	json_object_end(j);
}

/* ---- system ---- */

static void json_keyvals(struct json *j, const char *key, bool has, const struct keyvals *k)
{
	json_key(j, key);
	if (!has) {
		json_null(j);
		return;
	}
	json_object(j);
	for (size_t i = 0; i < k->n; i++) {
		json_key_slice(j, k->at[i].key);
		json_u64(j, k->at[i].value);
	}
	json_object_end(j);
}

static void json_settings(struct json *j, const struct thp_setting *list, size_t n)
{
	json_object(j);
	for (size_t i = 0; i < n; i++) {
		json_key_slice(j, list[i].file);
		if (list[i].number)
			json_u64(j, list[i].n);
		else
			json_slice(j, list[i].value);
	}
	json_object_end(j);
}

static void json_sizes(struct json *j, const struct thp_settings *t)
{
	json_array(j);
	for (size_t i = 0; i < t->sizes_n; i++) {
		json_object(j);
		json_kv_u64(j, "kb", t->sizes[i].kb);
		json_kv_printed(j, "enabled", t->sizes[i].enabled);
		json_kv_printed(j, "shmem_enabled", t->sizes[i].shmem_enabled);
		json_key(j, "stats");
		json_settings(j, t->sizes[i].stats, t->sizes[i].stats_n);
		json_object_end(j);
	}
	json_array_end(j);
}

static void json_nodes(struct json *j, const struct system_info *s)
{
	json_key(j, "nodes");
	if (!s->nodes_n) {
		json_null(j);
		return;
	}
	json_array(j);
	for (size_t i = 0; i < s->nodes_n; i++) {
		json_object(j);
		if (s->nodes[i].node >= 0)
			json_kv_i64(j, "node", s->nodes[i].node);
		else
			json_kv_null(j, "node");
		json_keyvals(j, "meminfo", s->nodes[i].has_meminfo, &s->nodes[i].meminfo);
		json_keyvals(j, "vmstat", s->nodes[i].has_vmstat, &s->nodes[i].vmstat);
		json_object_end(j);
	}
	json_array_end(j);
}

static void json_sizes_and_policy(struct json *j, const struct model *m)
{
	json_key(j, "page_kb");
	if (m && m->page_kb)
		json_u64(j, m->page_kb);
	else
		json_null(j);
	if (m) {
		json_kv_u64(j, "pmd_kb", m->pmd_kb);
		json_kv_str(j, "pmd_source", pmd_source_names[m->pmd_source]);
		json_kv_str(j, "policy", policy_names[m->policy]);
		json_kv_str(j, "policy_source", policy_source_names[m->policy_source]);
		json_kv_str(j, "pmd_note", m->pmd_note);
	} else {
		json_kv_null(j, "pmd_kb");
		json_kv_null(j, "pmd_source");
		json_kv_str(j, "policy", "unknown");
		json_kv_str(j, "policy_source", "none");
		json_kv_null(j, "pmd_note");
	}
}

void json_system(struct json *j, const struct system_info *s, const struct model *m)
{
	json_key(j, "system");
	json_object(j);
	json_kv_printed(j, "kernel", s->kernel);
	json_kv_printed(j, "arch", s->arch);
	json_kv_printed(j, "boot_id", s->boot_id);
	json_sizes_and_policy(j, m);
	json_key(j, "thp");
	if (s->has_thp)
		json_settings(j, s->thp.at, s->thp.n);
	else
		json_null(j);
	json_key(j, "thp_sizes");
	if (s->has_thp && s->thp.sizes_n)
		json_sizes(j, &s->thp);
	else
		json_null(j);
	json_keyvals(j, "meminfo", s->has_meminfo, &s->meminfo);
	json_keyvals(j, "vmstat", s->has_vmstat, &s->vmstat);
	json_nodes(j, s);
	json_object_end(j);
}

void json_process(struct json *j, const struct snapshot *s)
{
	const struct process_info *p = &s->process;

	json_key(j, "process");
	if (!s->has_process) {
		json_null(j);
		return;
	}
	json_object(j);
	if (p->pid >= 0)
		json_kv_i64(j, "pid", p->pid);
	else
		json_kv_null(j, "pid");
	json_kv_printed(j, "comm", p->comm);
	json_key(j, "start_ticks");
	if (p->start_ticks)
		json_u64(j, p->start_ticks);
	else
		json_null(j);
	json_kv_printed(j, "cgroup", p->cgroup);
	json_key(j, "thp_disabled");
	if (p->thp_disabled >= 0)
		json_bool(j, p->thp_disabled);
	else
		json_null(j);
	json_object_end(j);
}

/* ---- totals ---- */

static void kv_ratio(struct json *j, const char *key, double v)
{
	json_key(j, key);
	json_double(j, v); /* NAN becomes null */
}

const char *const fall_member_names[FALL_MEMBERS] = {
	"rss_kb", "subslot_kb", "policy_loss_kb", "alignment_loss_kb", "delivery_loss_kb", "huge_kb",
};

uint64_t fall_member(const struct waterfall *w, int i)
{
	const uint64_t members[FALL_MEMBERS] = {
		w->rss, w->subslot, w->policy_loss, w->alignment_loss, w->delivery_loss, w->huge,
	};

	return members[i];
}

void json_waterfall(struct json *j, const struct fall_total falls[FALL_COUNT])
{
	json_key(j, "waterfall");
	json_object(j);
	for (int f = 0; f < FALL_COUNT; f++) {
		const struct waterfall *w = &falls[f].w;

		json_key(j, fall_names[f]);
		json_object(j);
		for (int i = 0; i < FALL_MEMBERS; i++) {
			if (falls[f].known)
				json_kv_u64(j, fall_member_names[i], fall_member(w, i));
			else
				json_kv_null(j, fall_member_names[i]);
		}
		kv_ratio(j, "share", falls[f].known ? fall_share(w) : NAN);
		kv_ratio(j, "coverage", falls[f].known ? fall_coverage(w) : NAN);
		kv_ratio(j, "delivered", falls[f].known ? fall_delivered(w) : NAN);
		json_object_end(j);
	}
	json_object_end(j);
}

static void json_rollup_totals(struct json *j)
{
	static const char *const of_mappings[] = {
		"thp_eligible", "if_aligned", "slots_ideal", "slots_fit", "slots_lost", "waterfall",
	};

	for (size_t i = 0; i < sizeof(of_mappings) / sizeof(*of_mappings); i++)
		json_kv_null(j, of_mappings[i]);
}

static void json_totals(struct json *j, const struct model *m)
{
	const struct totals *t = &m->totals;
	bool rollup = m->smaps->rollup;

	json_key(j, "totals");
	json_object(j);
	if (rollup)
		json_kv_null(j, "vmas");
	else
		json_kv_u64(j, "vmas", t->vmas);
	for (int i = 0; i < TOTAL_COUNT; i++) {
		/* The range of a rollup is that of the address space, not of mappings. */
		if (t->sum[i].known && !(rollup && i == TOTAL_SIZE))
			json_kv_u64(j, total_names[i], t->sum[i].kb);
		else
			json_kv_null(j, total_names[i]);
	}
	if (rollup) {
		json_rollup_totals(j);
		json_object_end(j);
		return;
	}
	if (t->has_thp_eligible)
		json_kv_u64(j, "thp_eligible", t->thp_eligible);
	else
		json_kv_null(j, "thp_eligible");
	json_kv_u64(j, "if_aligned", t->if_aligned);
	json_kv_u64(j, "slots_ideal", t->slots_ideal);
	json_kv_u64(j, "slots_fit", t->slots_fit);
	json_kv_u64(j, "slots_lost", t->slots_ideal - t->slots_fit);
	json_waterfall(j, t->fall);
	json_object_end(j);
}

/* ---- findings ---- */

void json_finding_members(struct json *j, const struct finding *f, const struct vma *at, struct slice message,
			  struct slice advice)
{
	json_kv_str(j, "id", finding_rules[f->id].id);
	json_kv_str(j, "severity", severity_names[f->severity]);
	json_kv_str(j, "certainty", certainty_names[f->certainty]);
	json_kv_str(j, "nature", nature_names[f->nature]);
	json_key(j, "start");
	if (at)
		json_addr(j, at->start);
	else
		json_null(j);
	if (f->lost_known)
		json_kv_u64(j, "lost_kb", f->lost_kb);
	else
		json_kv_null(j, "lost_kb");
	json_kv_str(j, "same_as", f->same_as >= 0 ? finding_rules[f->same_as].id : NULL);
	json_kv_slice(j, "message", message);
	json_kv_slice(j, "advice", advice);
}

static void json_finding(struct json *j, const struct model *m, const struct finding *f)
{
	struct out message, advice;

	out_memory(&message);
	out_memory(&advice);
	finding_message(m, f, &message);
	finding_advice(m, f, &advice);
	json_object(j);
	json_finding_members(j, f, f->vma >= 0 ? &m->smaps->vma[f->vma] : NULL, out_slice(&message),
			     out_slice(&advice));
	json_key(j, "evidence");
	finding_evidence(m, f, j);
	json_object_end(j);
	out_close(&message);
	out_close(&advice);
}

/* ---- the document ---- */

static bool *with_findings(const struct report_view *v)
{
	bool *has = mem_array(v->m->smaps->n, sizeof(*has));

	for (size_t i = 0; i < v->findings->n; i++)
		if (v->findings->at[i].vma >= 0)
			has[v->findings->at[i].vma] = true;
	return has;
}

static void json_vmas(struct json *j, const struct report_view *v)
{
	const struct smaps *s = v->m->smaps;
	bool *has = NULL;

	json_key(j, "vmas");
	if (s->rollup || v->vmas == SHOW_VMAS_NONE) {
		json_null(j);
		return;
	}
	if (v->vmas == SHOW_VMAS_FINDINGS)
		has = with_findings(v);
	json_array(j);
	for (size_t k = 0; k < (v->order ? v->order_n : s->n); k++) {
		size_t i = v->order ? v->order[k] : k;

		if (!model_keeps(v->m, i) || (has && !has[i]))
			continue;
		json_break(j);
		json_vma(j, v->m, &s->vma[i]);
	}
	json_array_end(j);
	mem_free(has);
}

void report_json(struct json *j, const struct report_view *v)
{
	const struct snapshot *s = v->m->snap;

	json_object(j);
	json_schema(j, "hugecov.report/1");
	json_source(j, "source", &s->source);
	if (!v->without_system)
		json_system(j, &s->system, v->m);
	json_process(j, s);
	if (s->has_smaps) {
		json_totals(j, v->m);
		json_vmas(j, v);
	} else {
		json_kv_null(j, "totals");
		json_kv_null(j, "vmas");
	}
	json_key(j, "findings");
	json_array(j);
	for (size_t i = 0; i < v->findings->n; i++) {
		json_break(j);
		json_finding(j, v->m, &v->findings->at[i]);
	}
	json_array_end(j);
	if (v->more)
		v->more(j, v->more_arg);
	json_object_end(j);
}
