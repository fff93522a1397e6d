/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/*
 * A read of smaps takes the lock anew for each page of text, so a mapping
 * that is split or merged meanwhile may stand in it twice. Of two records that
 * overlap the later one is newer and is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "parse/smaps_table.h"

/* All bounds in ascending order, each once. */
struct bounds {
	uint64_t *at;
	size_t n;
};

static int cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static struct bounds bounds_of(const struct smaps *s)
{
	struct bounds b = { mem_array(s->n * 2, sizeof(uint64_t)), 0 };
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		b.at[n++] = s->vma[i].start;
		b.at[n++] = s->vma[i].end;
	}
	qsort(b.at, n, sizeof(*b.at), cmp_u64);
	for (size_t i = 0; i < n; i++)
		if (b.n == 0 || b.at[b.n - 1] != b.at[i])
			b.at[b.n++] = b.at[i];
	return b;
}

static size_t bound_index(const struct bounds *b, uint64_t at)
{
	size_t lo = 0, hi = b->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->at[mid] < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* How many of the first i pieces are taken: a Fenwick tree. */
static uint32_t taken_before(const uint32_t *tree, size_t i)
{
	uint32_t n = 0;

	for (; i; i &= i - 1)
		n += tree[i];
	return n;
}

static void take_piece(uint32_t *tree, size_t n, size_t i)
{
	for (i++; i <= n; i += i & (~i + 1))
		tree[i]++;
}

/* The first piece from i on that is not taken; with path halving, nearly O(1). */
static size_t next_free(uint32_t *next, size_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

struct pieces {
	struct bounds b;
	uint32_t *tree;  /* how many of the first pieces are taken */
	uint32_t *next;  /* of each piece: itself when free */
	uint32_t *owner; /* the last record that covers it */
};

static void cover(struct pieces *p, size_t from, size_t to, uint32_t record)
{
	for (size_t k = next_free(p->next, from); k < to; k = next_free(p->next, k)) {
		take_piece(p->tree, p->b.n, k);
		p->owner[k] = record;
		p->next[k] = (uint32_t)k + 1;
	}
}

/*
 * From the last record to the first: one that a later record overlaps goes,
 * whether that one stays or not; it was newer. Each piece is taken once, so
 * O(n log n) in all. A record of the very same range is the same mapping read
 * again: nothing is lost.
 */
static size_t choose(struct smaps *s, bool *keep)
{
	struct pieces p = { .b = bounds_of(s) };
	size_t kept = 0;

	p.tree = mem_array(p.b.n + 1, sizeof(*p.tree));
	p.owner = mem_array(p.b.n + 1, sizeof(*p.owner));
	p.next = mem_array(p.b.n + 1, sizeof(*p.next));
	for (size_t k = 0; k <= p.b.n; k++)
		p.next[k] = (uint32_t)k;
	for (size_t i = s->n; i-- > 0;) {
		const struct vma *v = &s->vma[i];
		size_t from = bound_index(&p.b, v->start), to = bound_index(&p.b, v->end);

		if (taken_before(p.tree, from) == taken_before(p.tree, to)) {
			keep[i] = true;
			kept++;
		} else {
			bool taken = taken_before(p.tree, from + 1) > taken_before(p.tree, from);
			const struct vma *by = &s->vma[p.owner[from]];

			s->notes[NOTE_TORN]++;
			if (!taken || by->start != v->start || by->end != v->end)
				s->complete = false;
		}
		cover(&p, from, to, (uint32_t)i);
	}
	mem_free(p.b.at);
	mem_free(p.tree);
	mem_free(p.owner);
	mem_free(p.next);
	return kept;
}

static int cmp_start(const void *a, const void *b, void *vma)
{
	const struct vma *x = (const struct vma *)vma + *(const uint32_t *)a;
	const struct vma *y = (const struct vma *)vma + *(const uint32_t *)b;

	return (x->start > y->start) - (x->start < y->start);
}

static int cmp_extra(const void *a, const void *b)
{
	const struct smaps_extra *x = a, *y = b;

	if (x->vma != y->vma)
		return x->vma < y->vma ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static void move_extra(struct smaps *s, const uint32_t *place)
{
	size_t n = 0;

	for (size_t i = 0; i < s->extra_n; i++) {
		if (place[s->extra[i].vma] == UINT32_MAX)
			continue;
		s->extra[n] = s->extra[i];
		s->extra[n].vma = place[s->extra[n].vma];
		n++;
	}
	s->extra_n = n;
	if (n)
		qsort(s->extra, n, sizeof(*s->extra), cmp_extra);
}

uint32_t *smaps_repair(struct smaps *s)
{
	bool *keep = mem_array(s->n, sizeof(*keep));
	uint32_t *order = mem_array(s->n, sizeof(*order));
	uint32_t *place = mem_alloc(s->n * sizeof(*place));
	size_t n = 0, kept = choose(s, keep);
	struct vma *sorted = mem_array(kept, sizeof(*sorted));

	memset(place, 0xff, s->n * sizeof(*place));
	for (size_t i = 0; i < s->n; i++) {
		if (!keep[i])
			continue;
		if (n && s->vma[i].start < s->vma[order[n - 1]].start)
			s->notes[NOTE_BACKWARD]++;
		order[n++] = (uint32_t)i;
	}
	qsort_r(order, n, sizeof(*order), cmp_start, s->vma);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = s->vma[order[i]];
		place[order[i]] = (uint32_t)i;
	}
	move_extra(s, place);
	mem_free(s->vma);
	mem_free(keep);
	mem_free(order);
	s->vma = sorted;
	s->n = s->cap = n;
	smaps_changed(s);
	return place;
}
