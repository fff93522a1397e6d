/* SPDX-License-Identifier: MIT */
#include "model/set.h"

#include <stdlib.h>

#include "base/strmap.h"

__extension__ typedef unsigned __int128 u128;

enum { PARTS = 5, FRACTION = 24 }; /* members of a waterfall besides rss; bits behind the point */

/* A waterfall of many, with fractions of a kB. */
struct exact {
	uint64_t rss;
	u128 part[PARTS];
};

struct making {
	struct set *s;
	struct exact fall[FALL_ALL]; /* anon, shmem, file */
	uint32_t *slots; /* hash of objects */
	size_t slots_cap;
};

/* ---- exact sums ---- */

static void parts_of(const struct waterfall *w, uint64_t ret[PARTS])
{
	ret[0] = w->subslot;
	ret[1] = w->policy_loss;
	ret[2] = w->alignment_loss;
	ret[3] = w->delivery_loss;
	ret[4] = w->huge;
}

/* `share` of `of` of the waterfall. */
static void exact_add(struct exact *e, const struct waterfall *w, uint64_t share, uint64_t of)
{
	uint64_t part[PARTS];

	if (w->rss == 0 || of == 0)
		return;
	parts_of(w, part);
	e->rss += share;
	for (int i = 0; i < PARTS; i++) { /* in two steps: of the largest numbers the product has 108 bits */
		u128 product = (u128)part[i] * share;

		e->part[i] += (product / of << FRACTION) + (product % of << FRACTION) / of;
	}
}

/* Whole kB that add up: what rounding down leaves goes to the largest fractions. */
static void exact_round(const struct exact *e, struct waterfall *w)
{
	uint64_t part[PARTS], left = e->rss;
	bool given[PARTS] = { false };

	for (int i = 0; i < PARTS; i++) {
		part[i] = (uint64_t)(e->part[i] >> FRACTION);
		left -= part[i];
	}
	for (; left > 0; left--) {
		int at = -1;

		for (int i = 0; i < PARTS; i++)
			if (!given[i] && e->part[i] &&
			    (at < 0 || (e->part[i] & ((1u << FRACTION) - 1)) >
					       (e->part[at] & ((1u << FRACTION) - 1))))
				at = i;
		if (at < 0) { /* cannot be: fractions of five parts are less than five */
			part[0] += left;
			break;
		}
		given[at] = true;
		part[at]++;
	}
	*w = (struct waterfall){ e->rss, part[0], part[1], part[2], part[3], part[4] };
}

/* ---- objects ---- */

static bool same_object(const struct set_object *a, const struct set_object *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       a->class == b->class && slice_eq(a->name, b->name);
}

static uint64_t hash_object(const struct set_object *o)
{
	uint64_t h = o->inode ^ (uint64_t)o->major << 40 ^ (uint64_t)o->minor << 20 ^ o->class;

	h = (h ^ strmap_hash(o->name)) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 31;
}

static void rehash(struct making *k)
{
	mem_free(k->slots);
	k->slots_cap = k->slots_cap ? 2 * k->slots_cap : 256;
	k->slots = mem_array(k->slots_cap, sizeof(*k->slots));
	for (size_t i = 0; i < k->s->objects_n; i++) {
		size_t at = hash_object(&k->s->objects[i]) & (k->slots_cap - 1);

		while (k->slots[at])
			at = (at + 1) & (k->slots_cap - 1);
		k->slots[at] = (uint32_t)i + 1;
	}
}

static struct set_object *find_object(struct making *k, const struct set_object *x)
{
	struct set *s = k->s;

	if (2 * (s->objects_n + 1) > k->slots_cap)
		rehash(k);
	size_t at = hash_object(x) & (k->slots_cap - 1);
	for (; k->slots[at]; at = (at + 1) & (k->slots_cap - 1))
		if (same_object(&s->objects[k->slots[at] - 1], x))
			return &s->objects[k->slots[at] - 1];
	s->objects = mem_grow(s->objects, &s->objects_cap, s->objects_n + 1, sizeof(*s->objects));
	s->objects[s->objects_n++] = *x;
	k->slots[at] = (uint32_t)s->objects_n;
	return &s->objects[s->objects_n - 1];
}

static void add_object(struct making *k, const struct model *m, const struct vma *v,
		       const struct thp *t, uint32_t member)
{
	uint64_t rss = vma_value(m->smaps, v, SMAPS_Rss), pss = vma_value(m->smaps, v, SMAPS_Pss);
	struct set_object x = {
		.name = vma_name(m->smaps, v),
		.class = v->class,
		.major = v->major,
		.minor = v->minor,
		.inode = v->inode,
		.m = m,
		.vma = (uint32_t)(v - m->smaps->vma),
		.last_member = UINT32_MAX,
	};
	struct set_object *o = find_object(k, &x);

	o->mapped_by += o->last_member != member;
	o->last_member = member;
	o->rss_kb += rss;
	o->pss_kb += vma_has(v, SMAPS_Pss) ? pss : rss;
	if (rss)
		o->huge_kb += (uint64_t)(((u128)t->w.huge * (vma_has(v, SMAPS_Pss) ? pss : rss) +
					  rss / 2) /
					 rss);
}

static int cmp_objects(const void *a, const void *b)
{
	const struct set_object *x = a, *y = b;

	if (x->pss_kb != y->pss_kb)
		return x->pss_kb > y->pss_kb ? -1 : 1;
	int order = slice_cmp(x->name, y->name);
	return order ? order : x->inode < y->inode ? -1 : x->inode > y->inode;
}

static void keep_shared(struct set *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->objects_n; i++)
		if (s->objects[i].mapped_by > 1)
			s->objects[kept++] = s->objects[i];
	s->objects_n = kept;
	if (kept)
		qsort(s->objects, kept, sizeof(*s->objects), cmp_objects);
}

/* ---- the whole ---- */

static void add_mapping(struct making *k, const struct model *m, const struct vma *v,
			uint32_t member)
{
	struct thp t;
	uint64_t pss = vma_value(m->smaps, v, SMAPS_Pss);
	bool scaled = v->class != CLASS_ANON && vma_has(v, SMAPS_Pss);

	model_thp(m, v, &t);
	if (v->class != CLASS_ANON) {
		add_object(k, m, v, &t, member);
		k->s->unscaled += !vma_has(v, SMAPS_Pss);
	}
	if (t.known)
		exact_add(&k->fall[v->class], &t.w, scaled ? pss : t.w.rss, t.w.rss);
}

static void add_totals(struct set *s, const struct totals *t)
{
	s->vmas += t->vmas;
	for (int i = 0; i < TOTAL_COUNT; i++) {
		s->sum[i].kb += t->sum[i].kb;
		s->sum[i].known |= t->sum[i].known;
	}
	for (int f = 0; f < FALL_COUNT; f++) {
		struct fall_total *to = &s->fall[f];

		if (t->fall[f].vmas)
			to->known = to->vmas ? to->known || t->fall[f].known : t->fall[f].known;
		to->vmas += t->fall[f].vmas;
	}
}

void set_make(struct set *ret, const struct model *const *members, size_t n)
{
	struct making k = { .s = ret };
	struct waterfall *all = &ret->fall[FALL_ALL].w;

	*ret = (struct set){ .processes = n };
	for (int f = 0; f < FALL_COUNT; f++)
		ret->fall[f].known = true;
	for (size_t p = 0; p < n; p++) {
		const struct smaps *s = members[p]->smaps;

		add_totals(ret, &members[p]->totals);
		for (size_t i = 0; i < s->n && !s->rollup; i++)
			if (s->vma[i].class <= CLASS_FILE && model_keeps(members[p], i))
				add_mapping(&k, members[p], &s->vma[i], (uint32_t)p);
	}
	for (int f = 0; f < FALL_ALL; f++) {
		struct waterfall *w = &ret->fall[f].w;

		exact_round(&k.fall[f], w);
		all->rss += w->rss;
		all->subslot += w->subslot;
		all->policy_loss += w->policy_loss;
		all->alignment_loss += w->alignment_loss;
		all->delivery_loss += w->delivery_loss;
		all->huge += w->huge;
	}
	keep_shared(ret);
	mem_free(k.slots);
}

void set_free(struct set *s)
{
	mem_free(s->objects);
	*s = (struct set){ 0 };
}

int set_headline(const struct set *s)
{
	return s->fall[FALL_SHMEM].w.rss > s->fall[FALL_ANON].w.rss ? FALL_SHMEM : FALL_ANON;
}
