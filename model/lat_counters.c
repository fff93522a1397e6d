/* SPDX-License-Identifier: MIT */
#include "model/lat_counters.h"

#include "base/strmap.h"

/* How often this size was in a table of so many columns before. Sizes rise: in one table it is once. */
static size_t met_before(struct strmap *times, const struct lat_row *row, size_t ncolumns,
			 struct arena *a)
{
	const char *key = arena_printf(a, "%zu %.*s", ncolumns, SLICE_FMT(row->size));

	return (*strmap_at(times, slice_str(key), NULL))++;
}

static struct slice name_of(const struct lat_table *t, const struct lat_row *row, size_t column,
			    size_t met, struct arena *a)
{
	const char *again = met ? arena_printf(a, "#%zu", met + 1) : "";
	struct slice head = t->columns[column];

	if (t->ncolumns == 1)
		return slice_str(arena_printf(a, "lat_mem_rd.%.*s%s", SLICE_FMT(row->size), again));
	if (!head.n)
		return slice_str(arena_printf(a, "lat_mem_rd.%.*s.%zu%s", SLICE_FMT(row->size),
					      column + 1, again));
	return slice_str(arena_printf(a, "lat_mem_rd.%.*s.%.*s%s", SLICE_FMT(row->size),
				      SLICE_FMT(head), again));
}

static void add_row(const struct lat_table *t, const struct lat_row *row, size_t met,
		    struct arena *a, struct counter_list *ret)
{
	for (size_t c = 0; c < t->ncolumns; c++) {
		struct counter *to = counters_add(ret, name_of(t, row, c, met, a), SLICE("ns"),
						  COUNTER_LATENCY);

		to->present = row->values[c].text.n && dec_parse(row->values[c].text, &to->value);
	}
}

void lat_counters(const struct lat_doc *doc, struct arena *a, struct counter_list *ret)
{
	struct strmap times = { 0 };

	for (size_t i = 0; i < doc->n; i++) {
		const struct lat_table *t = &doc->tables[i];

		for (size_t k = 0; k < t->n; k++)
			add_row(t, &t->rows[k], met_before(&times, &t->rows[k], t->ncolumns, a), a, ret);
	}
	strmap_free(&times);
}
