/* SPDX-License-Identifier: MIT */
#include "model/lat_counters.h"

/* Is the latency of this size in a table before this one? How often? */
static unsigned met_before(const struct lat_doc *doc, size_t table, const struct lat_row *row,
			   size_t ncolumns)
{
	unsigned n = 0;

	for (size_t i = 0; i < table; i++)
		for (size_t k = 0; doc->tables[i].ncolumns == ncolumns && k < doc->tables[i].n; k++)
			n += slice_eq(doc->tables[i].rows[k].size, row->size);
	return n;
}

static struct slice name_of(const struct lat_doc *doc, size_t table, const struct lat_row *row,
			    size_t column, struct arena *a)
{
	const struct lat_table *t = &doc->tables[table];
	unsigned met = met_before(doc, table, row, t->ncolumns);
	const char *again = met ? arena_printf(a, "#%u", met + 1) : "";
	struct slice head = t->columns[column];

	if (t->ncolumns == 1)
		return slice_str(arena_printf(a, "lat_mem_rd.%.*s%s", SLICE_FMT(row->size), again));
	if (!head.n)
		return slice_str(arena_printf(a, "lat_mem_rd.%.*s.%zu%s", SLICE_FMT(row->size),
					      column + 1, again));
	return slice_str(arena_printf(a, "lat_mem_rd.%.*s.%.*s%s", SLICE_FMT(row->size),
				      SLICE_FMT(head), again));
}

void lat_counters(const struct lat_doc *doc, struct arena *a, struct counter_list *ret)
{
	for (size_t i = 0; i < doc->n; i++)
		for (size_t k = 0; k < doc->tables[i].n; k++)
			for (size_t c = 0; c < doc->tables[i].ncolumns; c++) {
				const struct lat_row *row = &doc->tables[i].rows[k];
				struct counter *to = counters_add(ret, name_of(doc, i, row, c, a),
								  SLICE("ns"), COUNTER_LATENCY);

				to->present = row->values[c].text.n &&
					      dec_parse(row->values[c].text, &to->value);
			}
}
