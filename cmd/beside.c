/* SPDX-License-Identifier: MIT */
#include "cmd/beside.h"

int beside_read(struct beside *ret, const struct load *l, const struct common_options *c,
		struct err *e)
{
	*ret = (struct beside){ .docs = mem_array(l->counters_n, sizeof(*ret->docs)) };
	for (; ret->n < l->counters_n; ret->n++)
		if (counters_read(&ret->docs[ret->n], &l->counters[ret->n], c, e)) {
			beside_free(ret);
			return -1;
		}
	return 0;
}

void beside_free(struct beside *b)
{
	for (size_t i = 0; i < b->n; i++)
		counters_doc_free(&b->docs[i]);
	mem_free(b->docs);
	counters_free(&b->list);
	*b = (struct beside){ 0 };
}

void beside_json(struct json *j, const void *beside)
{
	const struct beside *b = beside;

	if (!b->n)
		return;
	json_key(j, "counters");
	json_array(j);
	for (size_t i = 0; i < b->n; i++) {
		struct out part;

		/* Each kind writes a whole document, with a newline at its end. */
		out_memory(&part);
		b->docs[i].kind->json(&b->docs[i], &(struct counters_show){ .out = &part });
		json_raw(j, slice_trim(out_slice(&part)));
		out_close(&part);
	}
	json_array_end(j);
}

void beside_show(const struct beside *b, const struct common_options *c, struct output *o)
{
	for (size_t i = 0; i < b->n; i++) {
		out_byte(&o->out, '\n');
		counters_show(&b->docs[i], c, o);
	}
}

/* ---- both sides of a diff ---- */

static void fill_list(struct beside *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->docs[i].kind->list)
			b->docs[i].kind->list(&b->docs[i], &b->list);
}

/* The readings of a kind are made when each side has one such source. */
static void compare(struct beside_pair *p, const struct counter_rows *rows)
{
	const struct beside *before = &p->side[0], *after = &p->side[1];

	if (before->n == 1 && after->n == 1 && before->docs->kind == after->docs->kind &&
	    before->docs->kind->compare)
		before->docs->kind->compare(before->docs, after->docs, rows, &p->arena,
					    &p->readings);
}

int beside_diff(struct beside_pair *ret, const struct load *before, const struct load *after,
		const struct common_options *c, struct counter_rows *rows, struct err *e)
{
	*ret = (struct beside_pair){ 0 };
	if (beside_read(&ret->side[0], before, c, e))
		return -1;
	if (beside_read(&ret->side[1], after, c, e)) {
		beside_free(&ret->side[0]);
		return -1;
	}
	fill_list(&ret->side[0]);
	fill_list(&ret->side[1]);
	counters_diff(&ret->side[0].list, &ret->side[1].list, &ret->arena, rows);
	compare(ret, rows);
	return 0;
}

void beside_pair_free(struct beside_pair *p)
{
	beside_free(&p->side[0]);
	beside_free(&p->side[1]);
	readings_free(&p->readings);
	arena_free(&p->arena);
}
