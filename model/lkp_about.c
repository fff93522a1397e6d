/* SPDX-License-Identifier: MIT */
#include "model/lkp_about.h"

/* Keeps those that come first in the text, in order; the rest is counted. */
static void list_add(struct lkp_headlines *l, const struct lkp_headline *h)
{
	size_t i = l->n < ABOUT_MAX ? l->n : ABOUT_MAX;

	l->n++;
	for (; i && l->at[i - 1] > h; i--)
		if (i < ABOUT_MAX)
			l->at[i] = l->at[i - 1];
	if (i < ABOUT_MAX)
		l->at[i] = h;
}

static void add_metrics(struct lkp_about *x)
{
	for (size_t i = 0; i < x->doc->nheadlines; i++) {
		size_t *place = strmap_at(&x->metrics, x->doc->headlines[i].metric, NULL);

		if (!*place && slice_eq_str(x->doc->headlines[i].direction, "regression"))
			*place = i + 1;
	}
}

/* The headline with the metric of a row; 0: none, else 1 + its place. */
static size_t headline_of(const struct lkp_about *x, const struct lkp_row *row)
{
	const size_t *place = strmap_find(&x->metrics, row->metric);

	return place ? *place : 0;
}

static void mark_held(struct lkp_about *x)
{
	x->rounds = 1;
	for (size_t i = 0; i < x->doc->n; i++)
		for (size_t k = 0; k < x->doc->tables[i].n; k++) {
			size_t place = headline_of(x, &x->doc->tables[i].rows[k]);

			if (place)
				x->round[place - 1] = x->rounds;
		}
}

/* A metric that no table holds counts once for each test. */
static void add_to_test(struct lkp_about *x, const struct lkp_headline *h, struct arena *a,
			struct strmap *met)
{
	struct slice test = h->testcase.n ? h->testcase : slice_cut(h->metric, '.').head;
	const char *both = arena_printf(a, "%.*s %.*s", SLICE_FMT(test), SLICE_FMT(h->metric));
	bool is_new;

	strmap_at(met, slice_str(both), &is_new);
	if (!is_new)
		return;
	size_t *place = strmap_at(&x->tests, test, &is_new);
	if (is_new)
		*place = ++x->n;
	list_add(&x->of_test[*place - 1], h);
}

void lkp_about_open(struct lkp_about *x, const struct lkp_doc *doc, struct arena *a)
{
	struct strmap met = { 0 };

	*x = (struct lkp_about){ .doc = doc };
	x->round = arena_array(a, doc->nheadlines, sizeof(*x->round));
	x->of_test = arena_array(a, doc->nheadlines, sizeof(*x->of_test));
	add_metrics(x);
	mark_held(x);
	for (size_t i = 0; i < doc->nheadlines; i++) {
		const struct lkp_headline *h = &doc->headlines[i];
		const size_t *first = strmap_find(&x->metrics, h->metric);

		if (slice_eq_str(h->direction, "regression") && !x->round[*first - 1])
			add_to_test(x, h, a, &met);
	}
	strmap_free(&met);
}

void lkp_about_table(struct lkp_about *x, const struct lkp_table *t, struct lkp_headlines *ret)
{
	size_t *test = strmap_find(&x->tests, t->testcase);

	*ret = test ? x->of_test[*test - 1] : (struct lkp_headlines){ 0 };
	x->rounds++;
	for (size_t i = 0; i < t->n; i++) {
		size_t place = headline_of(x, &t->rows[i]);

		if (!place || x->round[place - 1] == x->rounds)
			continue;
		x->round[place - 1] = x->rounds;
		list_add(ret, &x->doc->headlines[place - 1]);
	}
}

void lkp_about_close(struct lkp_about *x)
{
	strmap_free(&x->metrics);
	strmap_free(&x->tests);
}
