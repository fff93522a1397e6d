/* SPDX-License-Identifier: MIT */
#include "model/rank.h"

#include <stdlib.h>

/* ---- the largest of many ---- */

static bool behind(const struct ranked *a, const struct ranked *b)
{
	return a->key != b->key ? a->key < b->key : a->index > b->index;
}

static int compare(const void *a, const void *b)
{
	return behind(a, b) ? 1 : -1;
}

/* The last in order stands at the root. */
static void sift_down(struct ranked *heap, size_t n, size_t i)
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= n)
			return;
		if (child + 1 < n && behind(&heap[child + 1], &heap[child]))
			child++;
		if (!behind(&heap[child], &heap[i]))
			return;
		struct ranked swap = heap[i];
		heap[i] = heap[child];
		heap[child] = swap;
		i = child;
	}
}

static void keep_largest(struct ranked *at, size_t n, size_t top)
{
	for (size_t i = top / 2; i-- > 0;)
		sift_down(at, top, i);
	for (size_t i = top; i < n; i++) {
		if (behind(&at[i], &at[0]))
			continue;
		at[0] = at[i];
		sift_down(at, top, 0);
	}
}

static bool in_order(const struct ranked *at, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (behind(&at[i - 1], &at[i]))
			return false;
	return true;
}

size_t rank_largest(struct ranked *at, size_t n, size_t top)
{
	if (top == 0 || top >= n)
		top = n;
	else
		keep_largest(at, n, top);
	if (!in_order(at, top))
		qsort(at, top, sizeof(*at), compare);
	return top;
}

/* ---- mappings ---- */

static uint64_t thp_key(const struct model *m, const struct vma *v, enum rank_key key)
{
	struct thp t;

	model_thp(m, v, &t);
	return key == RANK_SLOTS ? thp_slots_lost(&t) : waterfall_cost(&t.w);
}

static uint64_t key_of(const struct model *m, const struct vma *v, enum rank_key key,
		       const uint32_t *names)
{
	switch (key) {
	case RANK_SIZE:
		return vma_size_kb(v);
	case RANK_RSS:
		return vma_value(m->smaps, v, SMAPS_Rss);
	case RANK_HUGE:
		return model_huge_kb(m, v);
	case RANK_NAME:
		return UINT32_MAX - names[v->name];
	case RANK_ADDRESS:
		return UINT64_MAX - v->start;
	case RANK_COST:
	case RANK_SLOTS:
		break;
	}
	return thp_key(m, v, key);
}

struct named {
	struct slice name;
	uint32_t index;
};

static int compare_names(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return slice_cmp(x->name, y->name);
}

/* The place of each distinct name among them: names are compared once, not once a mapping. */
static uint32_t *name_places(const struct smaps *s)
{
	struct named *list = mem_array(s->names_n, sizeof(*list));
	uint32_t *place = mem_array(s->names_n, sizeof(*place));

	for (size_t i = 0; i < s->names_n; i++)
		list[i] = (struct named){ s->names[i], (uint32_t)i };
	qsort(list, s->names_n, sizeof(*list), compare_names);
	for (size_t i = 0; i < s->names_n; i++)
		place[list[i].index] = (uint32_t)i;
	mem_free(list);
	return place;
}

size_t rank_pick(const struct model *m, enum rank_key key, size_t top, uint32_t **ret)
{
	const struct smaps *s = m->smaps;
	struct ranked *list = mem_array(m->kept, sizeof(*list));
	uint32_t *names = key == RANK_NAME ? name_places(s) : NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (model_keeps(m, i))
			list[n++] =
				(struct ranked){ key_of(m, &s->vma[i], key, names), (uint32_t)i };
	n = rank_largest(list, n, top);
	*ret = mem_array(n, sizeof(**ret));
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = list[i].index;
	mem_free(names);
	mem_free(list);
	return n;
}
