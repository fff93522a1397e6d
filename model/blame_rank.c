/* SPDX-License-Identifier: MIT */
/* The order in which causes and the rows of joined findings are shown. */
#include <stdlib.h>

#include "model/blame.h"

/* Costly first, then severe, then in the order of the table. */
static int cmp_causes(const struct cause *a, const struct cause *b)
{
	if (a->lost_kb != b->lost_kb)
		return a->lost_kb > b->lost_kb ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity < b->severity ? -1 : 1;
	if (a->finding != b->finding)
		return a->finding < b->finding ? -1 : 1;
	return a->state != b->state ? a->state - b->state : a->advice - b->advice;
}

/* Insertion sort of the few causes; the rows' indices follow. */
void blame_sort_causes(struct blame *b)
{
	uint8_t order[CAUSES_MAX], place[CAUSES_MAX + 1];
	struct cause *sorted = mem_array(b->causes_n, sizeof(*sorted));

	for (size_t i = 0; i < b->causes_n; i++) {
		size_t at = i;

		for (; at > 0 && cmp_causes(&b->causes[i], &b->causes[order[at - 1]]) < 0; at--)
			order[at] = order[at - 1];
		order[at] = (uint8_t)i;
	}
	place[NO_CAUSE] = NO_CAUSE;
	for (size_t i = 0; i < b->causes_n; i++) {
		sorted[i] = b->causes[order[i]];
		place[order[i]] = (uint8_t)i;
	}
	for (size_t i = 0; i < b->rows_n; i++)
		for (int k = 0; k < ROW_CAUSES; k++)
			b->rows[i].cause[k] = place[b->rows[i].cause[k]];
	mem_free(b->causes);
	b->causes = sorted;
	b->causes_cap = b->causes_n;
}

/* Rows by their first cause: the order of those that are equal else. */
static uint32_t *rows_by_cause(const struct blame *b)
{
	uint32_t *order = mem_array(b->rows_n, sizeof(*order)), start[NO_CAUSE + 2] = { 0 };

	for (size_t i = 0; i < b->rows_n; i++)
		start[b->rows[i].cause[0] + 1]++;
	for (size_t c = 1; c < sizeof(start) / sizeof(*start); c++)
		start[c] += start[c - 1];
	for (size_t i = 0; i < b->rows_n; i++)
		order[start[b->rows[i].cause[0]]++] = (uint32_t)i;
	return order;
}

struct named_row {
	struct slice name;
	uint32_t row;
};

static int cmp_names(const void *a, const void *b)
{
	const struct named_row *x = a, *y = b;

	return slice_cmp(x->name, y->name);
}

/* The place of each row's name among them. */
static uint32_t *places_of_names(const struct blame *b)
{
	struct named_row *list = mem_array(b->rows_n, sizeof(*list));
	uint32_t *place = mem_array(b->rows_n, sizeof(*place));

	for (size_t i = 0; i < b->rows_n; i++) {
		const struct smaps *s = b->rows[i].m->smaps;

		list[i] = (struct named_row){ vma_name(s, &s->vma[b->rows[i].vma]), (uint32_t)i };
	}
	qsort(list, b->rows_n, sizeof(*list), cmp_names);
	for (size_t i = 0; i < b->rows_n; i++)
		place[list[i].row] = (uint32_t)i;
	mem_free(list);
	return place;
}

static uint64_t row_key(const struct blame_row *r, enum rank_key key)
{
	switch (key) {
	case RANK_SIZE:
		return r->size_kb;
	case RANK_RSS:
		return r->rss_kb;
	case RANK_HUGE:
		return r->huge_kb;
	case RANK_SLOTS:
		return r->slots_ideal - r->slots_fit;
	case RANK_ADDRESS:
		return UINT64_MAX - r->m->smaps->vma[r->vma].start;
	case RANK_NAME:
	case RANK_COST:
		break;
	}
	return r->cost_kb;
}

size_t blame_rank(const struct blame *b, enum rank_key key, size_t top, uint32_t **ret)
{
	struct ranked *list = mem_array(b->rows_n, sizeof(*list));
	uint32_t *order = rows_by_cause(b), *names = key == RANK_NAME ? places_of_names(b) : NULL;

	for (size_t i = 0; i < b->rows_n; i++)
		list[i] = (struct ranked){
			names ? UINT32_MAX - names[order[i]] : row_key(&b->rows[order[i]], key),
			(uint32_t)i,
		};
	size_t n = rank_largest(list, b->rows_n, top);
	*ret = mem_array(n, sizeof(**ret));
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = order[list[i].index];
	mem_free(names);
	mem_free(order);
	mem_free(list);
	return n;
}
