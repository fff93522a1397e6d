/* SPDX-License-Identifier: MIT */
/* Which rows a tab has, in which order; moving among them and finding one. */
#include <stdlib.h>

#include "report/view_internal.h"

const char *const view_sort_names[VIEW_SORTS] = { "cost", "address",	"size", "rss",
						  "huge", "lost slots", "name" };

/* ---- order ---- */

static struct {
	const struct model *m;
	enum view_sort sort;
	bool reverse;
} order; /* of the sort under way: qsort() has no context */

static int descending(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static uint64_t lost_slots(const struct vma *v)
{
	struct thp t;

	model_thp(order.m, v, &t);
	return thp_slots_lost(&t);
}

static int by_sort(const struct view_row *x, const struct view_row *y)
{
	const struct smaps *s = order.m->smaps;
	const struct vma *a = &s->vma[x->i], *b = &s->vma[y->i];

	switch (order.sort) {
	case VIEW_SORT_COST:
		return descending(x->cost, y->cost);
	case VIEW_SORT_SIZE:
		return descending(vma_size_kb(a), vma_size_kb(b));
	case VIEW_SORT_RSS:
		return descending(vma_value(s, a, SMAPS_Rss), vma_value(s, b, SMAPS_Rss));
	case VIEW_SORT_HUGE:
		return descending(model_huge_kb(order.m, a), model_huge_kb(order.m, b));
	case VIEW_SORT_SLOTS:
		return descending(lost_slots(a), lost_slots(b));
	case VIEW_SORT_NAME:
		return slice_cmp(vma_name(s, a), vma_name(s, b));
	default:
		return 0;
	}
}

/* Of two that cost the same, the one that loses more of itself; then by address. */
static int compare(const void *x, const void *y)
{
	const struct view_row *a = x, *b = y;
	const struct smaps *s = order.m->smaps;
	int c = by_sort(a, b);

	if (order.reverse)
		c = -c;
	if (!c && order.sort == VIEW_SORT_COST && a->cost) {
		uint64_t ra = vma_value(s, &s->vma[a->i], SMAPS_Rss),
			 rb = vma_value(s, &s->vma[b->i], SMAPS_Rss);

		c = ra < rb ? -1 : ra > rb;
	}
	if (!c) {
		c = a->i < b->i ? -1 : a->i > b->i;
		if (order.reverse && order.sort == VIEW_SORT_ADDRESS)
			c = -c;
	}
	return c;
}

/* ---- rows ---- */

static void add_row(struct view *v, size_t i, uint64_t cost)
{
	v->row = mem_grow(v->row, &v->rows_cap, v->rows + 1, sizeof(*v->row));
	v->row[v->rows++] = (struct view_row){ .i = (uint32_t)i, .cost = cost };
}

/* Which mappings the pattern of the view keeps; NULL: all, also when it ran into a limit. */
static uint8_t *filter_keeps(struct view *v, const struct view_frame *f)
{
	struct model copy = { .smaps = f->m->smaps };
	struct err e;

	if (!v->filter)
		return NULL;
	if (filter_apply(v->filter, &copy, &e)) {
		view_say(v, "%s", e.text);
		return NULL;
	}
	return copy.keep;
}

static bool worth_a_row(const struct view *v, const struct view_frame *f, const struct vma *m,
			uint64_t cost, size_t i)
{
	return v->all || cost || model_huge_kb(f->m, m) ||
	       (f->changes && f->changes->at[i].huge_kb);
}

static void mapping_rows(struct view *v, const struct view_frame *f, const uint8_t *keep)
{
	const struct smaps *s = f->m->smaps;
	struct thp t;

	for (size_t i = 0; i < s->n; i++) {
		if (!model_keeps(f->m, i) || (keep && !keep[i])) {
			v->filtered++;
			continue;
		}
		model_thp(f->m, &s->vma[i], &t);
		uint64_t cost = t.known ? waterfall_cost(&t.w) : 0;
		if (worth_a_row(v, f, &s->vma[i], cost, i))
			add_row(v, i, cost);
		else
			v->hidden++;
	}
	order.m = f->m;
	order.sort = v->sort;
	order.reverse = v->reverse;
	if (v->rows)
		qsort(v->row, v->rows, sizeof(*v->row), compare);
	if (v->top && v->rows > v->top) {
		v->filtered += v->rows - v->top;
		v->rows = v->top;
	}
}

/* Of two findings of one mapping with one cause the first one counts. */
bool view_matters(const struct finding *x)
{
	return x->severity != SEVERITY_INFO && x->certainty != POSSIBLE && x->same_as < 0;
}

static void finding_rows(struct view *v, const struct view_frame *f, const uint8_t *keep)
{
	for (size_t i = 0; i < f->findings->n; i++) {
		const struct finding *x = &f->findings->at[i];

		if (keep && x->vma >= 0 && !keep[x->vma])
			v->filtered++;
		else if (v->all || view_matters(x))
			add_row(v, i, x->lost_kb);
		else
			v->hidden++;
	}
}

static void counter_rows(struct view *v, const struct view_frame *f)
{
	for (size_t i = 0; i < f->rates->n; i++) {
		const struct rate *r = &f->rates->at[i];
		bool thp = slice_starts(slice_str(r->name), SLICE("vmstat.thp_")) ||
			   slice_has(slice_str(r->name), SLICE("uge"));

		if (v->all || thp)
			add_row(v, i, 0);
		else
			v->hidden++;
	}
}

void view_make_rows(struct view *v, const struct view_frame *f)
{
	uint8_t *keep = filter_keeps(v, f);

	v->rows = v->hidden = v->filtered = 0;
	if (v->tab == TAB_MAPPINGS)
		mapping_rows(v, f, keep);
	else if (v->tab == TAB_FINDINGS)
		finding_rows(v, f, keep);
	else
		counter_rows(v, f);
	mem_free(keep);
	/* What was chosen is chosen, wherever it stands now. */
	for (size_t i = 0; v->tab == TAB_MAPPINGS && i < v->rows; i++)
		if (f->m->smaps->vma[v->row[i].i].start == v->chosen)
			v->list[v->tab].at = i;
	view_clamp(v);
}

/* ---- moving ---- */

size_t view_page_rows(const struct view *v)
{
	struct view_layout l = view_layout(v);
	int n = l.list_n - (v->hidden || v->filtered || v->rows == 0);

	return n > 0 ? (size_t)n : 1;
}

void view_clamp(struct view *v)
{
	size_t page = view_page_rows(v), *at = &v->list[v->tab].at, *top = &v->list[v->tab].top;

	if (*at >= v->rows)
		*at = v->rows ? v->rows - 1 : 0;
	if (*top > *at)
		*top = *at;
	if (*at >= *top + page)
		*top = *at - page + 1;
	if (*top + page > v->rows)
		*top = v->rows > page ? v->rows - page : 0;
}

const struct vma *view_chosen(const struct view *v, const struct view_frame *f)
{
	if (v->tab == TAB_COUNTERS || v->rows == 0)
		return NULL;
	const struct view_row *r = &v->row[v->list[v->tab].at];

	if (v->tab == TAB_MAPPINGS)
		return &f->m->smaps->vma[r->i];
	int64_t i = f->findings->at[r->i].vma;
	return i < 0 ? NULL : &f->m->smaps->vma[i];
}

void view_move_to(struct view *v, const struct view_frame *f, size_t row)
{
	size_t before = v->list[v->tab].top;

	v->list[v->tab].at = row;
	view_clamp(v);
	if (v->tab == TAB_MAPPINGS && v->rows)
		v->chosen = f->m->smaps->vma[v->row[v->list[v->tab].at].i].start;
	if (before != v->list[v->tab].top || v->page == PAGE_DETAIL)
		v->asks |= ASK_STRIPS;
	v->scroll = 0;
}

void view_move(struct view *v, const struct view_frame *f, int64_t by)
{
	int64_t at = (int64_t)v->list[v->tab].at + by;

	view_move_to(v, f, at < 0 ? 0 : (size_t)at);
}

/* ---- finding ---- */

/* Text of a row that is searched. */
static void view_row_text(const struct view *v, const struct view_frame *f,
			  const struct view_row *r, struct out *o)
{
	const struct vma *m = NULL;

	if (v->tab == TAB_COUNTERS) {
		out_str(o, f->rates->at[r->i].name);
		return;
	}
	if (v->tab == TAB_FINDINGS) {
		const struct finding *x = &f->findings->at[r->i];

		out_printf(o, "%s %s ", severity_names[x->severity], finding_rules[x->id].id);
		finding_message(f->m, x, o);
		m = x->vma < 0 ? NULL : &f->m->smaps->vma[x->vma];
	} else {
		m = &f->m->smaps->vma[r->i];
	}
	if (m) {
		out_byte(o, ' ');
		out_hex(o, m->start);
		out_printf(o, " %.4s %s ", m->perms, class_names[m->class]);
		out_put(o, vma_name(f->m->smaps, m));
	}
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool holds(struct slice text, struct slice word)
{
	for (size_t i = 0; i + word.n <= text.n; i++) {
		size_t n = 0;

		while (n < word.n && lower(text.p[i + n]) == lower(word.p[n]))
			n++;
		if (n == word.n)
			return true;
	}
	return false;
}

void view_find_next(struct view *v, const struct view_frame *f, bool backwards)
{
	size_t at = v->list[v->tab].at, n = v->rows;
	struct out text;

	if (!v->find[0]) {
		view_say(v, "Nothing to find yet: / asks for a word");
		return;
	}
	out_memory(&text);
	for (size_t k = 1; k <= n; k++) {
		size_t i = backwards ? (at + n - k) % n : (at + k) % n;

		out_reset(&text);
		view_row_text(v, f, &v->row[i], &text);
		if (!holds(out_slice(&text), slice_str(v->find)))
			continue;
		if (backwards ? i >= at : i <= at)
			view_say(v, "Found again from the %s", backwards ? "end" : "top");
		view_move_to(v, f, i);
		out_close(&text);
		return;
	}
	out_close(&text);
	view_say(v, "Not found: %s", v->find);
}
