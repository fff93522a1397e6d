/* SPDX-License-Identifier: MIT */
/* Pairing by address: one sweep over two sorted tables. */
#include "model/match.h"

#include <string.h>

#include "model/image.h"

const char *const match_kind_names[MATCH_KINDS] = {
	"same", "resized", "moved", "split", "merged", "added", "removed", "pool",
};
const char *const match_basis_names[BASES] = { "asked", "process", "ranges", "exec", "others" };
const uint8_t match_group_of[CLASS_COUNT] = {
	[CLASS_ANON] = GROUP_ANON,	 [CLASS_SHMEM] = GROUP_SHARED,
	[CLASS_FILE] = GROUP_SHARED,	 [CLASS_HUGETLB] = GROUP_HUGETLB,
	[CLASS_SPECIAL] = GROUP_SPECIAL,
};

void match_list_add(struct match_list *l, uint32_t i)
{
	if (l->n == l->cap)
		l->at = mem_grow(l->at, &l->cap, l->n + 1, sizeof(*l->at));
	l->at[l->n++] = i;
}

struct match_row *match_add_row(struct match *m)
{
	if (m->n == m->cap)
		m->row = mem_grow(m->row, &m->cap, m->n + 1, sizeof(*m->row));
	struct match_row *r = &m->row[m->n++];

	memset(r, 0, sizeof(*r));
	return r;
}

uint32_t match_append(struct match *m, int side, const uint32_t *at, size_t n)
{
	size_t first = m->order_n[side];

	if (first + n > m->order_cap[side])
		m->order[side] = mem_grow(m->order[side], &m->order_cap[side], first + n,
					  sizeof(**m->order));
	for (size_t i = 0; i < n; i++)
		m->order[side][first + i] = at[i];
	m->order_n[side] = first + n;
	return (uint32_t)first;
}

void match_free(struct match *m)
{
	mem_free(m->row);
	mem_free(m->order[BEFORE]);
	mem_free(m->order[AFTER]);
	*m = (struct match){ 0 };
}

/* ---- is it the same process? ---- */

static bool same_by_id(const struct model *const side[SIDES])
{
	const struct process_info *b = &side[BEFORE]->snap->process,
				  *a = &side[AFTER]->snap->process;
	struct slice boot = side[BEFORE]->snap->system.boot_id;

	return side[BEFORE]->snap->has_process && side[AFTER]->snap->has_process && b->pid >= 0 &&
	       b->pid == a->pid && b->start_ticks && b->start_ticks == a->start_ticks && boot.n &&
	       slice_eq(boot, side[AFTER]->snap->system.boot_id);
}

static size_t equal_ranges(const struct smaps *b, const struct smaps *a)
{
	size_t equal = 0;

	for (size_t i = 0, j = 0; i < b->n && j < a->n;) {
		const struct vma *x = &b->vma[i], *y = &a->vma[j];

		equal += x->start == y->start && x->end == y->end;
		i += x->start <= y->start;
		j += y->start <= x->start;
	}
	return equal;
}

/* Another pid, another start, or another boot: also where addresses are not drawn by lot. */
static bool other_by_id(const struct model *const side[SIDES])
{
	const struct process_info *b = &side[BEFORE]->snap->process,
				  *a = &side[AFTER]->snap->process;
	struct slice boot = side[BEFORE]->snap->system.boot_id, boot_after = side[AFTER]->snap->system.boot_id;

	if (!side[BEFORE]->snap->has_process || !side[AFTER]->snap->has_process)
		return false;
	return (b->pid >= 0 && a->pid >= 0 && b->pid != a->pid) ||
	       (b->start_ticks && a->start_ticks && b->start_ticks != a->start_ticks) ||
	       (boot.n && boot_after.n && !slice_eq(boot, boot_after));
}

static enum match_basis basis_of(const struct match *m, const struct model *const side[SIDES], bool same)
{
	const struct smaps *b = side[BEFORE]->smaps, *a = side[AFTER]->smaps;

	if (same && !m->exec)
		return BASIS_PROCESS;
	if (2 * equal_ranges(b, a) > (b->n > a->n ? b->n : a->n))
		return BASIS_RANGES;
	return m->exec ? BASIS_EXEC : BASIS_OTHERS;
}

/* How to pair, and what is known of the two sides. */
static void choose(struct match *m, const struct model *const side[SIDES], enum match_by by)
{
	const struct smaps *b = side[BEFORE]->smaps, *a = side[AFTER]->smaps;
	bool same = same_by_id(side);

	m->exec = same && (image_changed(b, a) || image_program_changed(b, a));
	m->other = other_by_id(side);
	m->basis = by == MATCH_AUTO ? basis_of(m, side, same) : BASIS_ASKED;
	m->by_address = by == MATCH_ADDRESS || m->basis == BASIS_PROCESS || m->basis == BASIS_RANGES;
}

/* ---- the sweep ---- */

/*
 * Overlaps are looked for within a lane: a group, or the reservations among
 * anonymous memory. What is mapped into a reservation was not there before,
 * and a region that grows into one has not swallowed it: allocators reserve
 * 64 MiB and more and open it bit by bit.
 */
enum { LANE_RESERVED = MATCH_GROUPS, LANES };

static unsigned lane_of(const struct vma *v)
{
	if (v->class == CLASS_ANON && vma_none(v) && !v->value[SMAPS_Rss] && !v->value[SMAPS_Swap])
		return LANE_RESERVED;
	return match_group_of[v->class];
}

/* Mappings of one lane that hang together by overlaps, as far as the sweep has come. */
struct component {
	uint64_t end; /* behind its last mapping */
	struct match_list list[SIDES];
};

struct sweep {
	struct match *to;
	struct component open[LANES];
	unsigned any; /* bit l: open[l] has members */
	struct match_list left[SIDES];
};

static enum match_kind kind_of(const struct sweep *x, const struct component *c,
			       const struct smaps *const side[SIDES])
{
	size_t before = c->list[BEFORE].n, after = c->list[AFTER].n;

	(void)x;
	if (before > 1 || after > 1)
		return after > before ? MATCH_SPLIT : MATCH_MERGED;
	const struct vma *b = &side[BEFORE]->vma[*c->list[BEFORE].at],
			 *a = &side[AFTER]->vma[*c->list[AFTER].at];
	return b->start == a->start && b->end == a->end ? MATCH_SAME : MATCH_RESIZED;
}

static void close_component(struct sweep *x, unsigned lane, const struct smaps *const side[SIDES])
{
	struct component *c = &x->open[lane];

	if (c->list[BEFORE].n && c->list[AFTER].n) {
		struct match_row *r = match_add_row(x->to);

		r->kind = (uint8_t)kind_of(x, c, side);
		r->group = lane == LANE_RESERVED ? GROUP_ANON : (uint8_t)lane;
		for (int s = 0; s < SIDES; s++) {
			r->first[s] = match_append(x->to, s, c->list[s].at, c->list[s].n);
			r->n[s] = (uint32_t)c->list[s].n;
		}
	} else {
		for (int s = 0; s < SIDES; s++)
			for (size_t i = 0; i < c->list[s].n; i++)
				match_list_add(&x->left[s], c->list[s].at[i]);
	}
	c->list[BEFORE].n = c->list[AFTER].n = 0;
	x->any &= ~(1u << lane);
}

/* Nothing that starts at `start` or above can overlap what ends there. */
static void close_until(struct sweep *x, uint64_t start, const struct smaps *const side[SIDES])
{
	for (unsigned lane = 0; x->any >> lane; lane++)
		if (x->any >> lane & 1 && x->open[lane].end <= start)
			close_component(x, lane, side);
}

static void add_member(struct sweep *x, int s, uint32_t i, const struct smaps *const side[SIDES])
{
	const struct vma *v = &side[s]->vma[i];
	unsigned lane = lane_of(v);
	struct component *c = &x->open[lane];

	close_until(x, v->start, side);
	if (!(x->any >> lane & 1) || v->end > c->end)
		c->end = v->end;
	match_list_add(&c->list[s], i);
	x->any |= 1u << lane;
}

/* Equal bounds on both sides: no other mapping of either side can overlap these two. */
static void add_same(struct sweep *x, size_t i, size_t j, unsigned g)
{
	struct match_row *r = match_add_row(x->to);

	r->kind = MATCH_SAME;
	r->group = (uint8_t)g;
	r->first[BEFORE] = match_append_one(x->to, BEFORE, (uint32_t)i);
	r->first[AFTER] = match_append_one(x->to, AFTER, (uint32_t)j);
	r->n[BEFORE] = r->n[AFTER] = 1;
}

static void sweep(struct sweep *x, const struct smaps *const side[SIDES])
{
	const struct vma *b = side[BEFORE]->vma, *a = side[AFTER]->vma;
	size_t nb = side[BEFORE]->n, na = side[AFTER]->n, i = 0, j = 0;

	while (i < nb || j < na) {
		if (i < nb && j < na && b[i].start == a[j].start && b[i].end == a[j].end &&
		    match_group_of[b[i].class] == match_group_of[a[j].class]) {
			if (x->any)
				close_until(x, b[i].start, side);
			add_same(x, i, j, match_group_of[b[i].class]);
			i++;
			j++;
		} else if (j == na || (i < nb && b[i].start <= a[j].start)) {
			add_member(x, BEFORE, (uint32_t)i++, side);
		} else {
			add_member(x, AFTER, (uint32_t)j++, side);
		}
	}
	close_until(x, UINT64_MAX, side);
}

static void by_address(struct match *ret, const struct smaps *const side[SIDES])
{
	struct sweep x = { .to = ret };

	sweep(&x, side);
	match_identity(ret, side, x.left, true);
	for (int s = 0; s < SIDES; s++) {
		mem_free(x.left[s].at);
		for (int lane = 0; lane < LANES; lane++)
			mem_free(x.open[lane].list[s].at);
	}
}

static void by_identity(struct match *ret, const struct smaps *const side[SIDES])
{
	struct match_list all[SIDES] = { 0 };

	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < side[s]->n; i++)
			match_list_add(&all[s], (uint32_t)i);
	match_identity(ret, side, all, false);
	mem_free(all[BEFORE].at);
	mem_free(all[AFTER].at);
}

/* Room for what mostly comes: a row for each mapping. */
static void reserve(struct match *m, const struct smaps *const side[SIDES])
{
	size_t more = side[BEFORE]->n > side[AFTER]->n ? side[BEFORE]->n : side[AFTER]->n;

	m->row = mem_grow(m->row, &m->cap, more + more / 16 + 8, sizeof(*m->row));
	for (int s = 0; s < SIDES; s++)
		m->order[s] = mem_grow(m->order[s], &m->order_cap[s],
				       side[s]->n + side[s]->n / 16 + 8, sizeof(**m->order));
}

void match_make(const struct model *before, const struct model *after, enum match_by by,
		struct match *ret)
{
	const struct model *const model[SIDES] = { before, after };
	const struct smaps *const side[SIDES] = { before->smaps, after->smaps };

	*ret = (struct match){ 0 };
	choose(ret, model, by);
	reserve(ret, side);
	if (ret->by_address)
		by_address(ret, side);
	else
		by_identity(ret, side);
}
