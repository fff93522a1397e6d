/* SPDX-License-Identifier: MIT */
#include "model/slots.h"

const char slot_glyphs[SLOT_STATES] = { '.', 'z', 's', '-', '#', '+', '?' };
const char *const slot_names[SLOT_STATES] = {
	"empty", "zero page", "swapped", "small pages", "huge", "part huge", "not looked at",
};

#define BIT(state) (uint8_t)(1u << (state))

void strip_start(struct strip *s, const struct model *m, const struct vma *v, size_t max_cells,
		 struct arena *a)
{
	uint64_t pmd = m->pmd_kb << 10;
	struct thp t;

	model_thp(m, v, &t);
	*s = (struct strip){ .start = v->start, .pmd = pmd, .slots = t.slots_fit, .per_cell = 1 };
	s->first = v->start + (t.head_kb << 10);
	s->head = t.head_kb || (!s->slots && v->end > v->start);
	s->tail = t.tail_kb || (!s->slots && v->end > v->start);
	if (max_cells == 0)
		max_cells = 1;
	while ((s->slots + s->per_cell - 1) / s->per_cell > max_cells)
		s->per_cell *= 2;
	s->n = (size_t)((s->slots + s->per_cell - 1) / s->per_cell);
	s->cell = arena_alloc(a, s->n);
	s->cell_seen = arena_alloc(a, s->n);
}

/* A slot with one small page is small, whatever else it holds. */
static enum slot_state worst(uint8_t seen)
{
	static const enum slot_state order[] = { SLOT_UNKNOWN, SLOT_SMALL, SLOT_SWAPPED,
						 SLOT_ZERO };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (seen & BIT(order[i]))
			return order[i];
	return SLOT_EMPTY;
}

/* A huge page is all of its slot, or the mapping changed under the scan. */
static enum slot_state slot_state(uint8_t seen)
{
	return seen == BIT(SLOT_HUGE) ? SLOT_HUGE : worst(seen);
}

/* The slots below n are of one state. By cells: an address space has more slots than can be counted. */
static void slots_done(struct strip *s, uint64_t n, enum slot_state state)
{
	if (s->at >= n)
		return;
	for (uint64_t i = s->at / s->per_cell; i <= (n - 1) / s->per_cell; i++)
		s->cell_seen[i] |= BIT(state);
	s->at = n;
	s->seen = 0;
}

/* Everything below slot n is complete: the one under work, and behind it nothing. */
static void slots_until(struct strip *s, uint64_t n)
{
	if (s->at >= n)
		return;
	slots_done(s, s->at + 1, slot_state(s->seen));
	slots_done(s, n, SLOT_EMPTY);
}

void strip_add(struct strip *s, uint64_t start, uint64_t end, enum slot_state pages)
{
	uint64_t top = s->first + s->slots * s->pmd;

	start = start < s->first ? s->first : start;
	end = end > top ? top : end;
	if (start >= end)
		return;
	uint64_t n = (start - s->first) / s->pmd, last = (end - 1 - s->first) / s->pmd;
	if (last < s->at)
		return;
	slots_until(s, n);
	s->seen |= BIT(pages);
	if (s->at == last)
		return;
	slots_done(s, s->at + 1, slot_state(s->seen));
	slots_done(s, last, slot_state(BIT(pages)));
	s->seen = BIT(pages);
}

static enum slot_state cell_state(uint8_t seen)
{
	if (seen == BIT(SLOT_HUGE))
		return SLOT_HUGE;
	return seen & BIT(SLOT_HUGE) ? SLOT_PART : worst(seen);
}

static void cells_done(struct strip *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->cell[i] = (uint8_t)cell_state(s->cell_seen[i]);
}

void strip_finish(struct strip *s, uint64_t known)
{
	uint64_t whole = known <= s->first ? 0 : (known - s->first) / s->pmd;

	slots_until(s, whole < s->slots ? whole : s->slots);
	slots_done(s, s->slots, SLOT_UNKNOWN);
	cells_done(s);
}

static void estimate(struct strip *s, uint64_t kb, enum slot_state state)
{
	uint64_t pmd_kb = s->pmd >> 10, n = kb / pmd_kb + (kb % pmd_kb != 0);

	slots_done(s, n < s->slots - s->at ? s->at + n : s->slots, state);
}

void strip_estimate(struct strip *s, const struct model *m, const struct vma *v)
{
	uint64_t huge = model_huge_kb(m, v), rss = vma_value(m->smaps, v, SMAPS_Rss);

	s->estimated = true;
	estimate(s, huge, SLOT_HUGE);
	estimate(s, rss > huge ? rss - huge : 0, SLOT_SMALL);
	estimate(s, vma_value(m->smaps, v, SMAPS_Swap), SLOT_SWAPPED);
	slots_done(s, s->slots, SLOT_EMPTY);
	cells_done(s);
}
