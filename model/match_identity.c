/* SPDX-License-Identifier: MIT */
/* Pairing by identity: queues of mappings that look alike, found by a hash. */
#include <string.h>

#include "model/match.h"

enum { HEX_RUN = 8 }; /* so many hexadecimal digits in a row are an id or a hash */

static size_t hex_run(struct slice s)
{
	size_t n = 0;

	while (n < s.n && is_hex(s.p[n]))
		n++;
	return n;
}

struct slice match_plain_name(struct slice name, char *buf)
{
	size_t n = 0;

	if (slice_ends(name, SLICE(" (deleted)")))
		name.n -= sizeof(" (deleted)") - 1;
	while (name.n) {
		size_t run = hex_run(name), take = run ? run : 1;

		for (size_t i = 0; run < HEX_RUN && i < take; i++)
			if (!is_digit(name.p[i]))
				buf[n++] = name.p[i];
		name = slice_skip(name, take);
	}
	return slice_of(buf, n);
}

/* ---- one number for each plain name, the same on both sides ---- */

static size_t hash_bytes(struct slice s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 32);
}

struct ids {
	struct arena arena;
	struct slice *name; /* by slot; n 0 with a NULL pointer: free */
	uint32_t *id;
	size_t mask;
	uint32_t n;
};

static uint32_t id_of(struct ids *x, struct slice plain)
{
	size_t h = hash_bytes(plain);

	for (;; h++) {
		struct slice *s = &x->name[h & x->mask];

		if (!s->p) {
			*s = arena_copy(&x->arena, plain);
			return x->id[h & x->mask] = x->n++;
		}
		if (slice_eq(*s, plain))
			return x->id[h & x->mask];
	}
}

/* ids by index of the name, for each side; to be freed. */
static void make_ids(const struct smaps *const side[SIDES], uint32_t *ret[SIDES])
{
	size_t size = 16, longest = 1;
	struct ids x = { 0 };

	while (size < 2 * (side[BEFORE]->names_n + side[AFTER]->names_n))
		size *= 2;
	x.name = mem_array(size, sizeof(*x.name));
	x.id = mem_array(size, sizeof(*x.id));
	x.mask = size - 1;
	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < side[s]->names_n; i++)
			longest = side[s]->names[i].n > longest ? side[s]->names[i].n : longest;
	char *buf = mem_alloc(longest);
	for (int s = 0; s < SIDES; s++) {
		ret[s] = mem_array(side[s]->names_n, sizeof(**ret));
		for (size_t i = 0; i < side[s]->names_n; i++)
			ret[s][i] = id_of(&x, match_plain_name(side[s]->names[i], buf));
	}
	mem_free(buf);
	mem_free(x.name);
	mem_free(x.id);
	arena_free(&x.arena);
}

/* ---- queues of mappings that look alike ---- */

/* What a mapping looks like; with_size: among those of its own size. */
struct look {
	uint64_t kind; /* id of the plain name, group, permissions */
	uint64_t size;
};

struct pairing {
	const struct smaps *const *side;
	const struct match_list *list;
	uint32_t *id[SIDES];
	uint32_t *
		partner[SIDES]; /* by place in the list: 1 + place in the other list; 0: none yet */
};

static struct look look_of(const struct pairing *p, int s, size_t place, bool with_size)
{
	const struct vma *v = &p->side[s]->vma[p->list[s].at[place]];
	uint32_t perms;

	memcpy(&perms, v->perms, sizeof(perms));
	return (struct look){
		.kind = (uint64_t)p->id[s][v->name] << 34 |
			(uint64_t)match_group_of[v->class] << 32 | perms,
		.size = with_size ? v->end - v->start : 0,
	};
}

/*
 * Places of `before` in a queue for each look, first in, first out. The table
 * grows with the number of looks, which is small even for a million mappings,
 * so that it stays in the cache.
 */
struct queue {
	struct look look;
	uint32_t head, tail; /* 1 + place; 0 as tail: the slot is free */
};
struct queues {
	struct queue *slot;
	uint32_t *next; /* by place: 1 + the place behind it */
	size_t mask, used;
};
enum { QUEUES_LEAST = 1024 };

static struct queue *queue_of(const struct queues *q, struct look l)
{
	uint64_t h =
		(l.kind ^ l.size * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

	for (h ^= h >> 32;; h++) {
		struct queue *s = &q->slot[h & q->mask];

		if (!s->tail || (s->look.kind == l.kind && s->look.size == l.size))
			return s;
	}
}

static void grow_queues(struct queues *q)
{
	struct queues larger = { mem_array(2 * (q->mask + 1), sizeof(*q->slot)), q->next,
				 2 * q->mask + 1, q->used };

	for (size_t i = 0; i <= q->mask; i++)
		if (q->slot[i].tail)
			*queue_of(&larger, q->slot[i].look) = q->slot[i];
	mem_free(q->slot);
	*q = larger;
}

static void enqueue(struct queues *q, struct look l, uint32_t place)
{
	struct queue *s = queue_of(q, l);

	if (s->tail) {
		q->next[s->tail - 1] = place + 1;
		s->tail = place + 1;
	} else {
		*s = (struct queue){ l, place + 1, place + 1 };
		q->used++;
	}
	q->next[place] = 0;
	if (2 * q->used > q->mask)
		grow_queues(q);
}

/*
 * While both lists look alike place by place, each pair is what the queues
 * would give: two runs of one program mostly need nothing else.
 */
static size_t pair_front(struct pairing *p)
{
	size_t n = p->list[BEFORE].n < p->list[AFTER].n ? p->list[BEFORE].n : p->list[AFTER].n,
	       i = 0;

	for (; i < n; i++) {
		struct look b = look_of(p, BEFORE, i, true), a = look_of(p, AFTER, i, true);

		if (b.kind != a.kind || b.size != a.size)
			break;
		p->partner[BEFORE][i] = p->partner[AFTER][i] = (uint32_t)i + 1;
	}
	return i;
}

static void pair_round(struct pairing *p, uint32_t *next, size_t from, bool with_size)
{
	struct queues q = { mem_array(QUEUES_LEAST, sizeof(*q.slot)), next, QUEUES_LEAST - 1, 0 };

	for (size_t i = from; i < p->list[BEFORE].n; i++)
		if (!p->partner[BEFORE][i])
			enqueue(&q, look_of(p, BEFORE, i, with_size), (uint32_t)i);
	for (size_t j = from; j < p->list[AFTER].n; j++) {
		if (p->partner[AFTER][j])
			continue;
		struct queue *s = queue_of(&q, look_of(p, AFTER, j, with_size));
		if (!s->head)
			continue;
		uint32_t i = s->head - 1;
		s->head = next[i];
		p->partner[BEFORE][i] = (uint32_t)j + 1;
		p->partner[AFTER][j] = i + 1;
	}
	mem_free(q.slot);
}

/* Equal sizes first, then what is left, each in the order of addresses. */
static void pair_all(struct pairing *p)
{
	size_t from = pair_front(p);

	if (from == p->list[BEFORE].n || from == p->list[AFTER].n)
		return;
	uint32_t *next = mem_array(p->list[BEFORE].n, sizeof(*next));
	pair_round(p, next, from, true);
	pair_round(p, next, from, false);
	mem_free(next);
}

/* ---- rows ---- */

static struct match_row *add_row(struct match *ret, const struct pairing *p, const uint32_t *b,
				 const uint32_t *a)
{
	struct match_row *r = match_add_row(ret);
	const struct vma *v = b ? &p->side[BEFORE]->vma[*b] : &p->side[AFTER]->vma[*a];

	r->group = match_group_of[v->class];
	r->identity = true;
	if (b) {
		r->n[BEFORE] = 1;
		r->first[BEFORE] = match_append_one(ret, BEFORE, *b);
	}
	if (a) {
		r->n[AFTER] = 1;
		r->first[AFTER] = match_append_one(ret, AFTER, *a);
	}
	return r;
}

static void add_pair(struct match *ret, const struct pairing *p, const uint32_t *b,
		     const uint32_t *a, bool moved)
{
	struct match_row *r = add_row(ret, p, b, a);
	const struct vma *x = &p->side[BEFORE]->vma[*b], *y = &p->side[AFTER]->vma[*a];

	if (moved)
		r->kind = MATCH_MOVED;
	else
		r->kind = x->end - x->start == y->end - y->start ? MATCH_SAME : MATCH_RESIZED;
}

void match_identity(struct match *ret, const struct smaps *const side[SIDES],
		    const struct match_list list[SIDES], bool moved)
{
	struct pairing p = { .side = side, .list = list };

	if (list[BEFORE].n + list[AFTER].n == 0)
		return;
	make_ids(side, p.id);
	for (int s = 0; s < SIDES; s++)
		p.partner[s] = mem_array(list[s].n, sizeof(**p.partner));
	pair_all(&p);
	for (size_t i = 0; i < list[BEFORE].n; i++) {
		const uint32_t *b = &list[BEFORE].at[i];

		if (p.partner[BEFORE][i])
			add_pair(ret, &p, b, &list[AFTER].at[p.partner[BEFORE][i] - 1], moved);
		else
			add_row(ret, &p, b, NULL)->kind = MATCH_REMOVED;
	}
	for (size_t j = 0; j < list[AFTER].n; j++)
		if (!p.partner[AFTER][j])
			add_row(ret, &p, NULL, &list[AFTER].at[j])->kind = MATCH_ADDED;
	for (int s = 0; s < SIDES; s++) {
		mem_free(p.partner[s]);
		mem_free(p.id[s]);
	}
}
