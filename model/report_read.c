/* SPDX-License-Identifier: MIT */
#include "model/report_read.h"

#include "base/rfc3339.h"
#include "model/model.h"
#include "parse/json_read.h"

#define SCHEMA "hugecov.report/"

/* A member as text in `a`, empty when absent. */
static int report_read_text(const struct json_doc *d, const struct json_value *object,
			    const char *name, struct arena *a, struct slice *ret, struct err *e)
{
	struct slice s = { 0 };
	int got = json_get_str(d, object, name, &s, e);

	*ret = got > 0 ? arena_copy(a, s) : slice_of(NULL, 0);
	return got < 0 ? -1 : 0;
}

static int read_schema(const struct json_doc *d, struct err *e)
{
	struct slice schema;
	int got = json_get_str(d, d->root, "schema", &schema, e);

	if (got < 0)
		return -1;
	if (got == 0 || !slice_starts(schema, SLICE(SCHEMA)))
		return err_set(e, ERR_KIND,
			       "this JSON is no report of hugecov: it has no \"schema\": \"" SCHEMA
			       "1\"");
	if (!slice_eq(schema, SLICE(SCHEMA "1")))
		return json_fault(d, json_find(d->root, "schema"), e,
				  "%.*s is newer than this program, which reads " SCHEMA "1",
				  SLICE_FMT(slice_first(schema, 40)));
	return 0;
}

/* ---- source and process ---- */

static int read_notes(const struct json_doc *d, const struct json_value *source,
		      struct source_info *ret, struct err *e)
{
	const struct json_value *notes;
	uint64_t n;
	int got = json_get(d, source, "notes", JSON_OBJECT, &notes, e);

	for (int i = 0; got > 0 && i < NOTE_COUNT; i++) {
		n = 0;
		if (json_get_u64(d, notes, note_names[i], &n, e) < 0)
			return -1;
		ret->notes[i] = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	}
	return got < 0 ? -1 : 0;
}

static int read_source(const struct json_doc *d, struct snapshot *s, struct err *e)
{
	const struct json_value *source;
	struct slice time;
	int got = json_get(d, d->root, "source", JSON_OBJECT, &source, e);

	s->source = (struct source_info){
		.kind = KIND_REPORT, .pid = -1, .time_ns = -1, .complete = true
	};
	if (got <= 0)
		return got;
	if (json_get_range(d, source, "pid", 0, INT32_MAX, &s->source.pid, e) < 0 ||
	    json_get_bool(d, source, "complete", &s->source.complete, e) < 0)
		return -1;
	if ((got = json_get_str(d, source, "time", &time, e)) < 0)
		return -1;
	if (got && !rfc3339_read(time, &s->source.time_ns))
		return json_fault(d, json_find(source, "time"), e, "not a time as RFC 3339 has it");
	return read_notes(d, source, &s->source, e);
}

static int read_process(const struct json_doc *d, struct snapshot *s, struct err *e)
{
	struct process_info *p = &s->process;
	const struct json_value *v;
	bool disabled = false;
	int got = json_get(d, d->root, "process", JSON_OBJECT, &v, e);

	*p = (struct process_info){ .pid = -1, .thp_disabled = -1 };
	if (got <= 0)
		return got;
	s->has_process = true;
	if (json_get_range(d, v, "pid", 0, INT32_MAX, &p->pid, e) < 0 ||
	    json_get_u64(d, v, "start_ticks", &p->start_ticks, e) < 0 ||
	    report_read_text(d, v, "comm", &s->arena, &p->comm, e) ||
	    report_read_text(d, v, "cgroup", &s->arena, &p->cgroup, e))
		return -1;
	if ((got = json_get_bool(d, v, "thp_disabled", &disabled, e)) < 0)
		return -1;
	if (got)
		p->thp_disabled = disabled;
	return 0;
}

/* ---- system ---- */

static int read_keyvals(const struct json_doc *d, const struct json_value *object, const char *name,
			bool meminfo, struct arena *a, struct keyvals *ret, bool *ret_has,
			struct err *e)
{
	const struct json_value *v;
	int got = json_get(d, object, name, JSON_OBJECT, &v, e);

	*ret_has = got > 0;
	if (got <= 0)
		return got;
	const struct json_value *twice = json_repeated(v);
	if (twice)
		return json_fault_key(d, twice, e, "'%.*s' stands here a second time",
				      SLICE_FMT(slice_first(json_key_of(twice), 60)));
	*ret = (struct keyvals){ .at = arena_array(a, json_count(v), sizeof(*ret->at)),
				 .node = -1 };
	for (const struct json_value *m = json_first(v); m; m = json_next(m)) {
		struct keyval *k = &ret->at[ret->n];

		if (!keyval_is_key(json_key_of(m)))
			return json_fault_key(d, m, e, "no counter has such a name");
		if ((got = json_as_u64(d, m, &k->value, e)) < 0)
			return -1;
		if (!got)
			continue;
		k->key = arena_copy(a, json_key_of(m));
		k->kb = meminfo &&
			!slice_starts(k->key, SLICE("HugePages_")); /* these alone count pages */
		ret->n++;
	}
	return 0;
}

static int read_settings(const struct json_doc *d, const struct json_value *object,
			 const char *prefix, struct arena *a, struct thp_settings *ret,
			 struct err *e)
{
	for (const struct json_value *m = json_first(object); m; m = json_next(m)) {
		struct slice name = json_key_of(m);

		if (json_type(m) != JSON_STRING && json_type(m) != JSON_NUMBER)
			return json_fault(d, m, e, "a setting is a word or a number");
		thp_settings_add(ret, a,
				 slice_str(arena_printf(a, "%s%.*s", prefix, SLICE_FMT(name))),
				 arena_copy(a, json_text(d, m)));
	}
	return 0;
}

static int read_size(const struct json_doc *d, const struct json_value *v, struct arena *a,
		     struct thp_settings *ret, struct err *e)
{
	static const char *const words[] = { "enabled", "shmem_enabled" };
	const struct json_value *stats;
	uint64_t kb = 0;

	if (json_type(v) != JSON_OBJECT || json_get_u64(d, v, "kb", &kb, e) < 0 || !kb)
		return json_fault(d, v, e, "a huge page size has a member kb");
	for (int i = 0; i < 2; i++) {
		struct slice word;

		if (report_read_text(d, v, words[i], a, &word, e))
			return -1;
		if (word.n)
			thp_settings_add(ret, a,
					 slice_str(arena_printf(a, "hugepages-%llukB/%s",
								(unsigned long long)kb, words[i])),
					 word);
	}
	int got = json_get(d, v, "stats", JSON_OBJECT, &stats, e);
	if (got <= 0)
		return got;
	return read_settings(d, stats,
			     arena_printf(a, "hugepages-%llukB/stats/", (unsigned long long)kb), a,
			     ret, e);
}

static int read_thp(const struct json_doc *d, const struct json_value *system, struct snapshot *s,
		    struct err *e)
{
	struct thp_settings *t = &s->system.thp;
	const struct json_value *v;
	int got = json_get(d, system, "thp", JSON_OBJECT, &v, e);

	if (got < 0 || (got && read_settings(d, v, "", &s->arena, t, e)))
		return -1;
	s->system.has_thp = got > 0;
	if ((got = json_get(d, system, "thp_sizes", JSON_ARRAY, &v, e)) <= 0)
		return got;
	for (const struct json_value *x = json_first(v); x; x = json_next(x))
		if (read_size(d, x, &s->arena, t, e))
			return -1;
	s->system.has_thp |= t->sizes_n > 0;
	return 0;
}

static int read_nodes(const struct json_doc *d, const struct json_value *system, struct snapshot *s,
		      struct err *e)
{
	const struct json_value *v;
	int got = json_get(d, system, "nodes", JSON_ARRAY, &v, e);

	if (got <= 0)
		return got;
	s->system.nodes = arena_array(&s->arena, json_count(v), sizeof(*s->system.nodes));
	for (const struct json_value *x = json_first(v); x; x = json_next(x)) {
		struct node_info *n = &s->system.nodes[s->system.nodes_n++];
		int64_t node = -1;

		if (json_type(x) != JSON_OBJECT)
			return json_fault(d, x, e, "a node is an object");
		if (json_get_range(d, x, "node", 0, INT32_MAX, &node, e) < 0 ||
		    read_keyvals(d, x, "meminfo", true, &s->arena, &n->meminfo, &n->has_meminfo,
				 e) < 0 ||
		    read_keyvals(d, x, "vmstat", false, &s->arena, &n->vmstat, &n->has_vmstat, e) <
			    0)
			return -1;
		n->node = (int)node;
	}
	return 0;
}

/* What --pmd-size and --policy said then is part of what was read, not of what was found. */
static int read_given(const struct json_doc *d, const struct json_value *system, struct snapshot *s,
		      struct err *e)
{
	struct slice by = { 0 }, policy_by = { 0 };
	uint64_t *kb = &s->system.given_pmd_kb;

	if (json_get_str(d, system, "pmd_source", &by, e) < 0 ||
	    json_get_str(d, system, "policy_source", &policy_by, e) < 0)
		return -1;
	if (slice_eq_str(by, pmd_source_names[PMD_OPTION])) {
		int got = json_get_u64(d, system, "pmd_kb", kb, e);

		if (got < 0)
			return -1;
		if (got && !model_pmd_fits(*kb))
			return json_fault(d, json_find(system, "pmd_kb"), e,
					  "a huge page has a power of two from 64 kB to 1 TiB");
	}
	if (slice_eq_str(policy_by, policy_source_names[POLICY_FROM_OPTION]))
		return report_read_text(d, system, "policy", &s->arena, &s->system.given_policy, e);
	return 0;
}

static int read_system(const struct json_doc *d, struct snapshot *s, struct err *e)
{
	struct system_info *sys = &s->system;
	const struct json_value *v;
	int got = json_get(d, d->root, "system", JSON_OBJECT, &v, e);

	if (got <= 0)
		return got;
	if (report_read_text(d, v, "kernel", &s->arena, &sys->kernel, e) ||
	    report_read_text(d, v, "arch", &s->arena, &sys->arch, e) ||
	    report_read_text(d, v, "boot_id", &s->arena, &sys->boot_id, e) ||
	    read_given(d, v, s, e) || read_thp(d, v, s, e) < 0 ||
	    read_keyvals(d, v, "meminfo", true, &s->arena, &sys->meminfo, &sys->has_meminfo, e) <
		    0 ||
	    read_keyvals(d, v, "vmstat", false, &s->arena, &sys->vmstat, &sys->has_vmstat, e) < 0)
		return -1;
	return read_nodes(d, v, s, e);
}

/* ---- mappings ---- */

/* The sums of a rollup stand in the totals: as one record, as the kernel writes it. */
static int read_rollup(const struct json_doc *d, const struct json_value *totals,
		       struct snapshot *s, struct err *e)
{
	static const struct {
		const char *total;
		enum smaps_field field;
	} fields[] = {
		{ "rss_kb", SMAPS_Rss },
		{ "pss_kb", SMAPS_Pss },
		{ "anonymous_kb", SMAPS_Anonymous },
		{ "swap_kb", SMAPS_Swap },
		{ "anon_huge_kb", SMAPS_AnonHugePages },
		{ "shmem_pmd_kb", SMAPS_ShmemPmdMapped },
		{ "file_pmd_kb", SMAPS_FilePmdMapped },
		{ "hugetlb_kb", SMAPS_Private_Hugetlb },
	};
	struct vma *v = smaps_add(&s->smaps);

	s->smaps.rollup = s->has_smaps = true;
	s->smaps.complete = s->source.complete;
	v->end = 4096;
	memcpy(v->perms, "---p", 4); /* as in smaps_rollup */
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		uint64_t kb;
		int got = json_get_u64(d, totals, fields[i].total, &kb, e);

		if (got < 0)
			return -1;
		if (got && kb > SMAPS_SUM_MAX / 16)
			return json_fault(d, json_find(totals, fields[i].total), e, "larger than an address space");
		if (got)
			smaps_set(&s->smaps, v, fields[i].field, kb);
	}
	return 0;
}

static int read_mappings(const struct json_doc *d, struct snapshot *s, struct err *e)
{
	const struct json_value *vmas, *totals, *fall;
	int got = json_get(d, d->root, "vmas", JSON_ARRAY, &vmas, e);
	int summed = json_get(d, d->root, "totals", JSON_OBJECT, &totals, e);
	uint64_t n = 0;

	if (got < 0 || summed < 0)
		return -1;
	if (got) {
		/* --vmas findings leaves some out: the totals tell. */
		if (summed && json_get_u64(d, totals, "vmas", &n, e) > 0 && n != json_count(vmas)) {
			s->bare = true;
			return 0;
		}
		s->has_smaps = true;
		s->smaps.complete = s->source.complete;
		return report_read_vmas(d, vmas, &s->smaps, e);
	}
	if (!summed)
		return 0; /* system files only */
	if ((summed = json_get(d, totals, "waterfall", JSON_OBJECT, &fall, e)) < 0)
		return -1;
	s->bare = summed > 0;
	return summed ? 0 : read_rollup(d, totals, s, e);
}

int report_read(struct slice text, struct snapshot *ret, struct err *e)
{
	struct json_doc d;

	if (json_read(text, 1, &d, e))
		return -1;
	int status = -1;
	if (json_type(d.root) != JSON_OBJECT)
		err_set(e, ERR_KIND, "this JSON is no report of hugecov: it is no object");
	else if (!read_schema(&d, e) && read_source(&d, ret, e) >= 0 &&
		 read_system(&d, ret, e) >= 0 && read_process(&d, ret, e) >= 0 &&
		 !read_mappings(&d, ret, e))
		status = 0;
	json_doc_free(&d);
	return status;
}
