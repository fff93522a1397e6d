/* SPDX-License-Identifier: MIT */
#include "model/diff_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- which is which ---- */

struct entry {
	const struct snapshot *snap;
	size_t at;
	bool taken;
};

static struct slice comm_of(const struct entry *x)
{
	return x->snap->process.comm;
}

static int by_comm(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int c = slice_cmp(comm_of(a), comm_of(b));

	if (c)
		return c;
	if (a->snap->process.pid != b->snap->process.pid)
		return a->snap->process.pid < b->snap->process.pid ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* -1, 0, 1 as pid and start ticks order them; equal ones of one boot are one process. */
static int by_process(const void *x, const void *y)
{
	const struct process_info *a = &((const struct entry *)x)->snap->process;
	const struct process_info *b = &((const struct entry *)y)->snap->process;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->start_ticks < b->start_ticks ? -1 : a->start_ticks > b->start_ticks;
}

static bool one_boot(const struct snapshot *a, const struct snapshot *b)
{
	return a->system.boot_id.n && slice_eq(a->system.boot_id, b->system.boot_id);
}

static void add_pair(struct process_pairs *p, struct entry *before, struct entry *after, bool same)
{
	p->at[p->n++] = (struct process_pair){ { before->at, after->at }, same };
	before->taken = after->taken = true;
}

/* Goes through two lists in the order of `cmp`; what is equal by it is a pair. */
static void pair_equal(struct process_pairs *p, struct entry *const list[SIDES],
		       const size_t n[SIDES],
		       int (*cmp)(const struct entry *, const struct entry *), bool same)
{
	size_t i = 0, k = 0;

	while (i < n[BEFORE] && k < n[AFTER]) {
		struct entry *b = &list[BEFORE][i], *a = &list[AFTER][k];
		int c = cmp(b, a);

		if (b->taken || c < 0) {
			i++;
		} else if (a->taken || c > 0) {
			k++;
		} else {
			add_pair(p, b, a, same);
			i++;
			k++;
		}
	}
}

static int same_process(const struct entry *b, const struct entry *a)
{
	int c = by_process(b, a);

	if (c)
		return c;
	return b->snap->process.start_ticks && one_boot(b->snap, a->snap) ? 0 : -1;
}

static int same_comm(const struct entry *b, const struct entry *a)
{
	return slice_cmp(comm_of(b), comm_of(a));
}

static int by_place(const void *x, const void *y)
{
	size_t a = ((const struct process_pair *)x)->at[BEFORE];
	size_t b = ((const struct process_pair *)y)->at[BEFORE];

	return a < b ? -1 : a > b;
}

static void list_left(struct process_pairs *p, int side, const struct entry *list, size_t n,
		      struct arena *a)
{
	p->left[side] = arena_array(a, n, sizeof(*p->left[side]));
	for (size_t i = 0; i < n; i++)
		if (!list[i].taken)
			p->left[side][p->left_n[side]++] = list[i].at;
}

void process_pairs_find(const struct snapshot *const side[SIDES], const size_t n[SIDES],
			struct arena *a, struct process_pairs *ret)
{
	struct entry *list[SIDES];
	size_t most = n[BEFORE] < n[AFTER] ? n[BEFORE] : n[AFTER];

	*ret = (struct process_pairs){ .at = arena_array(a, most, sizeof(*ret->at)) };
	for (int s = 0; s < SIDES; s++) {
		list[s] = arena_array(a, n[s], sizeof(*list[s]));
		for (size_t i = 0; i < n[s]; i++)
			list[s][i] = (struct entry){ &side[s][i], i, false };
		if (n[s])
			qsort(list[s], n[s], sizeof(*list[s]), by_process);
	}
	pair_equal(ret, list, n, same_process, true);
	for (int s = 0; s < SIDES; s++)
		if (n[s])
			qsort(list[s], n[s], sizeof(*list[s]), by_comm);
	pair_equal(ret, list, n, same_comm, false);
	if (ret->n)
		qsort(ret->at, ret->n, sizeof(*ret->at), by_place);
	for (int s = 0; s < SIDES; s++)
		list_left(ret, s, list[s], n[s], a);
}

/* ---- what all of them lost ---- */

/* What one process lost of a file or segment that several map: by one of its mappings. */
struct shared_loss {
	uint64_t inode;
	uint32_t major, minor;
	size_t process;
	uint64_t lost_kb;
};

struct shared_losses {
	struct shared_loss *at;
	size_t n, cap;
};

static int by_object(const struct shared_loss *a, const struct shared_loss *b)
{
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return a->minor < b->minor ? -1 : a->minor > b->minor;
}

static int by_object_and_process(const void *x, const void *y)
{
	const struct shared_loss *a = x, *b = y;
	int c = by_object(a, b);

	return c ? c : a->process < b->process ? -1 : a->process > b->process;
}

/* Returns what is the process' own; what is shared goes to the list. */
static uint64_t sum_rows(const struct diff *d, size_t process, struct shared_losses *l)
{
	uint64_t own = 0;
	int side;

	for (size_t i = 0; i < d->match.n; i++) {
		const struct match_row *r = &d->match.row[i];

		if (!r->kept || !r->loss_known || !r->loss_kb)
			continue;
		const struct vma *v = diff_row_any(d, r, &side);
		if (r->group != GROUP_SHARED || !v || !v->inode) {
			own += r->loss_kb;
			continue;
		}
		l->at = mem_grow(l->at, &l->cap, l->n + 1, sizeof(*l->at));
		l->at[l->n++] = (struct shared_loss){ v->inode, v->major, v->minor, process, r->loss_kb };
	}
	return own;
}

/* Of each object what one process lost of it at most: the others lost the same pages. */
static uint64_t sum_shared(struct shared_losses *l)
{
	uint64_t sum = 0, most = 0, lost = 0;

	if (l->n)
		qsort(l->at, l->n, sizeof(*l->at), by_object_and_process);
	for (size_t i = 0; i < l->n; i++) {
		bool same = i && by_object(&l->at[i - 1], &l->at[i]) == 0;

		if (!same) {
			sum += most;
			most = 0;
		}
		lost = (same && l->at[i - 1].process == l->at[i].process ? lost : 0) + l->at[i].lost_kb;
		most = lost > most ? lost : most;
	}
	return sum + most;
}

void diff_set_sum(const struct diff *const *diffs, size_t n, struct diff_set *ret)
{
	struct shared_losses shared = { 0 };
	size_t of[VERDICTS] = { 0 };

	*ret = (struct diff_set){ 0 };
	for (size_t i = 0; i < n; i++) {
		ret->loss_known |= diffs[i]->loss_known;
		ret->loss_kb += sum_rows(diffs[i], i, &shared);
		of[diffs[i]->verdict]++;
	}
	ret->loss_kb += sum_shared(&shared);
	mem_free(shared.at);
	ret->losing = of[VERDICT_LOSS];
	if (of[VERDICT_LOSS])
		ret->verdict = VERDICT_LOSS;
	else if (of[VERDICT_GAIN])
		ret->verdict = VERDICT_GAIN;
	else if (of[VERDICT_NO_LOSS])
		ret->verdict = VERDICT_NO_LOSS;
}
