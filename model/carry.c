/* SPDX-License-Identifier: MIT */
#include "model/carry.h"

/* ---- mappings ---- */

static uint32_t carry_name(struct carry *c, const struct smaps *from, uint32_t name)
{
	if (c->from != from) {
		mem_free(c->name);
		c->name = mem_array(from->names_n, sizeof(*c->name));
		memset(c->name, 0xff, from->names_n * sizeof(*c->name));
		c->from = from;
	}
	if (c->name[name] == UINT32_MAX)
		c->name[name] = names_intern(&c->names, c->to, from->names[name]);
	return c->name[name];
}

static void carry_extras(struct carry *c, const struct smaps *from, size_t i, struct vma *v)
{
	size_t n;
	const struct smaps_extra *x = smaps_extras(from, i, &n);

	v->has_extra = 0;
	for (size_t k = 0; k < n; k++) {
		if (x[k].key < EXTRA_KEY)
			smaps_add_extra(c->to, v, x[k].key, x[k].value);
		else
			smaps_set_unknown(c->to, v, from->unknown_keys[x[k].key - EXTRA_KEY],
					  x[k].value);
	}
}

struct vma *carry_vma(struct carry *c, const struct smaps *from, size_t i)
{
	struct vma *v = smaps_add(c->to);

	*v = from->vma[i];
	v->name = carry_name(c, from, from->vma[i].name);
	if (v->has_extra)
		carry_extras(c, from, i, v);
	return v;
}

void carry_end(struct carry *c)
{
	mem_free(c->name);
	mem_free(c->names.slot);
	*c = (struct carry){ 0 };
}

static bool same_extras(const struct smaps *a, size_t i, const struct smaps *b, size_t k)
{
	size_t n, m;
	const struct smaps_extra *x = smaps_extras(a, i, &n), *y = smaps_extras(b, k, &m);

	if (n != m)
		return false;
	for (size_t j = 0; j < n; j++) {
		if (x[j].value != y[j].value)
			return false;
		if (x[j].key < EXTRA_KEY || y[j].key < EXTRA_KEY
			    ? x[j].key != y[j].key
			    : !slice_eq(a->unknown_keys[x[j].key - EXTRA_KEY],
					b->unknown_keys[y[j].key - EXTRA_KEY]))
			return false;
	}
	return true;
}

bool same_vma(const struct smaps *a, size_t i, const struct smaps *b, size_t k)
{
	const struct vma *v = &a->vma[i], *w = &b->vma[k];

	return v->start == w->start && v->end == w->end && v->offset == w->offset &&
	       v->inode == w->inode && v->flags == w->flags && v->major == w->major &&
	       v->minor == w->minor && v->present == w->present &&
	       !memcmp(v->perms, w->perms, sizeof(v->perms)) &&
	       !memcmp(v->value, w->value, sizeof(v->value)) &&
	       slice_eq(vma_name(a, v), vma_name(b, w)) && same_extras(a, i, b, k);
}

/* ---- what is not mappings ---- */

static struct slice copy(struct arena *a, struct slice s)
{
	return s.n ? arena_copy(a, s) : slice_of(NULL, 0);
}

static void copy_keyvals(struct arena *a, struct keyvals *k)
{
	struct keyval *at = arena_array(a, k->n, sizeof(*at));

	for (size_t i = 0; i < k->n; i++) {
		at[i] = k->at[i];
		at[i].key = copy(a, k->at[i].key);
	}
	k->at = at;
}

static struct thp_setting *copy_settings(struct arena *a, const struct thp_setting *list, size_t n)
{
	struct thp_setting *at = arena_array(a, n, sizeof(*at));

	for (size_t i = 0; i < n; i++) {
		at[i] = list[i];
		at[i].file = copy(a, list[i].file);
		at[i].value = copy(a, list[i].value);
	}
	return at;
}

static void copy_thp(struct arena *a, struct thp_settings *t)
{
	struct thp_size *sizes = arena_array(a, t->sizes_n, sizeof(*sizes));

	t->at = copy_settings(a, t->at, t->n);
	for (size_t i = 0; i < t->sizes_n; i++) {
		sizes[i] = t->sizes[i];
		sizes[i].enabled = copy(a, t->sizes[i].enabled);
		sizes[i].shmem_enabled = copy(a, t->sizes[i].shmem_enabled);
		sizes[i].stats = copy_settings(a, t->sizes[i].stats, t->sizes[i].stats_n);
	}
	t->sizes = sizes;
}

static void copy_nodes(struct arena *a, struct system_info *s)
{
	struct node_info *nodes = arena_array(a, s->nodes_n, sizeof(*nodes));

	for (size_t i = 0; i < s->nodes_n; i++) {
		nodes[i] = s->nodes[i];
		copy_keyvals(a, &nodes[i].meminfo);
		copy_keyvals(a, &nodes[i].vmstat);
	}
	s->nodes = nodes;
}

void carry_snapshot(struct snapshot *to, const struct snapshot *from)
{
	struct arena *a = &to->arena;

	to->source = from->source;
	to->source.path = from->source.path ? arena_str(a, slice_str(from->source.path)) : NULL;
	to->has_process = from->has_process;
	to->has_smaps = from->has_smaps;
	to->process = from->process;
	to->process.comm = copy(a, from->process.comm);
	to->process.cgroup = copy(a, from->process.cgroup);
	to->system = from->system;
	to->system.kernel = copy(a, from->system.kernel);
	to->system.arch = copy(a, from->system.arch);
	to->system.boot_id = copy(a, from->system.boot_id);
	copy_thp(a, &to->system.thp);
	copy_keyvals(a, &to->system.meminfo);
	copy_keyvals(a, &to->system.vmstat);
	copy_nodes(a, &to->system);
	to->smaps.rollup = from->smaps.rollup;
	to->smaps.complete = from->smaps.complete;
}
