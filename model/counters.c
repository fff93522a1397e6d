/* SPDX-License-Identifier: MIT */
#include "model/counters.h"

#include "base/strmap.h"

const char *const counter_kind_names[4] = { "gauge", "counter", "event", "latency" };

struct counter *counters_add(struct counter_list *l, struct slice name, struct slice unit,
			     enum counter_kind kind)
{
	l->at = mem_grow(l->at, &l->cap, l->n + 1, sizeof(*l->at));
	struct counter *c = &l->at[l->n++];
	*c = (struct counter){
		.name = name, .unit = unit, .kind = kind, .variance_pct = -1, .running_pct = -1
	};
	return c;
}

void counters_free(struct counter_list *l)
{
	mem_free(l->at);
	*l = (struct counter_list){ 0 };
}

void counter_rows_free(struct counter_rows *r)
{
	mem_free(r->at);
	*r = (struct counter_rows){ 0 };
}

/* ---- which counter of the other list has the same name ---- */

/*
 * For each name the first counter that is not paired yet; `next` is the one
 * after it with that name.
 */
struct index {
	struct strmap names; /* 1 + place in the list; 0: all are paired */
	size_t *next;        /* by place: 1 + place, or 0 */
	bool *taken;
	const struct counter_list *list;
};

static void index_build(struct index *x, const struct counter_list *l)
{
	*x = (struct index){ .next = mem_array(l->n, sizeof(*x->next)),
			     .taken = mem_array(l->n, sizeof(*x->taken)), .list = l };
	for (size_t i = l->n; i-- > 0;) {
		size_t *first = strmap_at(&x->names, l->at[i].name, NULL);

		x->next[i] = *first;
		*first = i + 1;
	}
}

static const struct counter *index_take(struct index *x, struct slice name)
{
	size_t *first = strmap_find(&x->names, name);

	if (!first || !*first)
		return NULL;
	size_t i = *first - 1;
	*first = x->next[i];
	x->taken[i] = true;
	return &x->list->at[i];
}

static void index_free(struct index *x)
{
	strmap_free(&x->names);
	mem_free(x->next);
	mem_free(x->taken);
}

/* ---- one row ---- */

/* "NOTE before", "NOTE after", "NOTE before, NOTE after", or NOTE alone when both say it. */
static struct slice join_notes(struct arena *a, struct slice before, struct slice after)
{
	if (!before.n && !after.n)
		return before;
	if (slice_eq(before, after))
		return before;
	return slice_str(arena_printf(a, "%.*s%s%s%.*s%s", SLICE_FMT(before),
				      before.n ? " before" : "", before.n && after.n ? ", " : "",
				      SLICE_FMT(after), after.n ? " after" : ""));
}

static void add_note(struct counter_row *r, struct arena *a, const char *note)
{
	r->note = slice_str(r->note.n ? arena_printf(a, "%s, %.*s", note, SLICE_FMT(r->note))
				      : note);
}

/* The difference, where there is one to give. */
static void subtract(struct counter_row *r, const struct counter *b, const struct counter *f,
		     struct arena *a)
{
	if (b->unit.n && f->unit.n && !slice_eq(b->unit, f->unit)) {
		add_note(r, a, arena_printf(a, "unit %.*s before, %.*s after", SLICE_FMT(b->unit),
					    SLICE_FMT(f->unit)));
		return;
	}
	if (r->kind == COUNTER_COUNTER && dec_cmp(f->value, b->value) < 0) {
		add_note(r, a, "reset");
		return;
	}
	r->has_delta = dec_sub(f->value, b->value, &r->delta);
	double base = dec_double(b->value);
	r->has_percent = r->has_delta && base != 0;
	if (r->has_percent)
		r->percent = 100 * dec_double(r->delta) / base;
}

static void fill_row(struct counter_row *r, const struct counter *b, const struct counter *f,
		     struct arena *a)
{
	const struct counter *any = b ? b : f;

	*r = (struct counter_row){ .name = any->name, .unit = any->unit, .kind = any->kind };
	r->has_before = b && b->present;
	r->has_after = f && f->present;
	if (r->has_before)
		r->before = b->value;
	if (r->has_after)
		r->after = f->value;
	r->variance_before = b ? b->variance_pct : -1;
	r->variance_after = f ? f->variance_pct : -1;
	r->running_before = b ? b->running_pct : -1;
	r->running_after = f ? f->running_pct : -1;
	r->note = join_notes(a, b ? b->note : SLICE("absent"), f ? f->note : SLICE("absent"));
	if (!r->unit.n && f)
		r->unit = f->unit;
	if (r->has_before && r->has_after)
		subtract(r, b, f, a);
}

static struct counter_row *push(struct counter_rows *rows)
{
	rows->at = mem_grow(rows->at, &rows->cap, rows->n + 1, sizeof(*rows->at));
	return &rows->at[rows->n++];
}

void counters_diff(const struct counter_list *before, const struct counter_list *after,
		   struct arena *a, struct counter_rows *ret)
{
	struct index x;

	index_build(&x, after);
	for (size_t i = 0; i < before->n; i++)
		fill_row(push(ret), &before->at[i], index_take(&x, before->at[i].name), a);
	for (size_t i = 0; i < after->n; i++)
		if (!x.taken[i])
			fill_row(push(ret), NULL, &after->at[i], a);
	index_free(&x);
}
