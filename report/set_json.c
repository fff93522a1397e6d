/* SPDX-License-Identifier: MIT */
#include "report/set_json.h"

#include <stdio.h>

static void set_totals(struct json *j, const struct set *s, size_t left_out, bool rollup)
{
	json_key(j, "totals");
	json_object(j);
	json_kv_u64(j, "processes", s->processes);
	json_kv_u64(j, "left_out", left_out);
	if (rollup)
		json_kv_null(j, "vmas");
	else
		json_kv_u64(j, "vmas", s->vmas);
	for (int i = 0; i < TOTAL_COUNT; i++) {
		if (s->sum[i].known && !(rollup && i == TOTAL_SIZE))
			json_kv_u64(j, total_names[i], s->sum[i].kb);
		else
			json_kv_null(j, total_names[i]);
	}
	if (rollup)
		json_kv_null(j, "waterfall");
	else
		json_waterfall(j, s->fall);
	json_object_end(j);
}

static void set_object_json(struct json *j, const struct set_object *o)
{
	char dev[32];

	json_object(j);
	json_name(j, o->name);
	json_kv_str(j, "class", class_names[o->class]);
	snprintf(dev, sizeof(dev), "%02x:%02x", o->major, o->minor);
	json_kv_str(j, "dev", dev);
	json_kv_u64(j, "inode", o->inode);
	json_kv_u64(j, "mapped_by", o->mapped_by);
	json_kv_u64(j, "rss_kb", o->rss_kb);
	json_kv_u64(j, "pss_kb", o->pss_kb);
	json_kv_u64(j, "huge_kb", o->huge_kb);
	json_object_end(j);
}

static void kv_text(struct json *j, const char *key, const struct cause *c,
		    void (*one)(const struct model *, const struct finding *, struct out *),
		    bool many)
{
	struct out text;

	out_memory(&text);
	if (!many)
		one(c->m, c->worst, &text);
	else if (one == finding_message)
		finding_message_many(c->m, c->worst, &text);
	else
		advice_say((enum advice)c->advice, c->m, NULL, &text);
	json_kv_slice(j, key, out_slice(&text));
	out_close(&text);
}

/* Findings that one remedy mends, joined over all processes. */
static void cause_json(struct json *j, const struct cause *c)
{
	const struct finding *f = c->worst;
	bool many = c->mappings > 1 || c->processes > 1;

	json_object(j);
	json_kv_str(j, "id", finding_rules[c->finding].id);
	json_kv_str(j, "severity", severity_names[c->severity]);
	json_kv_str(j, "certainty", certainty_names[c->certainty]);
	json_kv_str(j, "nature", nature_names[f->nature]);
	json_key(j, "start");
	if (c->mappings == 1 && f->vma >= 0)
		json_addr(j, c->m->smaps->vma[f->vma].start);
	else
		json_null(j);
	json_kv_u64(j, "lost_kb", c->lost_kb);
	json_kv_null(j, "same_as");
	kv_text(j, "message", c, finding_message, many);
	kv_text(j, "advice", c, finding_advice, c->mappings > 1);
	json_key(j, "evidence");
	json_object(j);
	json_kv_u64(j, "processes", c->processes);
	json_kv_u64(j, "mappings", c->mappings);
	json_kv_str(j, "advice", advice_rules[c->advice].id);
	json_object_end(j);
	json_object_end(j);
}

void set_json(struct json *j, const struct set_view *v)
{
	const struct model *m = v->members[0].m;

	json_object(j);
	json_schema(j, "hugecov.set/1");
	json_system(j, &m->snap->system, m);
	set_totals(j, v->set, v->left_out, m->smaps->rollup);
	json_key(j, "shared");
	json_array(j);
	for (size_t i = 0; i < v->set->objects_n; i++) {
		json_break(j);
		set_object_json(j, &v->set->objects[i]);
	}
	json_array_end(j);
	json_key(j, "findings");
	json_array(j);
	for (size_t i = 0; i < v->blame->causes_n; i++) {
		json_break(j);
		cause_json(j, &v->blame->causes[i]);
	}
	json_array_end(j);
	json_key(j, "processes");
	json_array(j);
	for (size_t i = 0; i < v->set->processes; i++) {
		json_break(j);
		report_json(j, &(struct report_view){
				       .m = v->members[i].m,
				       .findings = v->members[i].findings,
				       .vmas = v->vmas,
				       .without_system = true,
			       });
	}
	json_array_end(j);
	if (v->more)
		v->more(j, v->more_arg);
	json_object_end(j);
}
