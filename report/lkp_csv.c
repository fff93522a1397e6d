/* SPDX-License-Identifier: MIT */
#include "report/csv.h"
#include "report/lkp_json.h"

static const char *const columns[] = {
	"table",  "testcase",	 "section",    "metric", "column",
	"commit", "value",	 "stddev_pct", "fails",	 "runs",
	"change", "change_kind", "recomputed", "agrees", "hole",
};

static void printed(struct csv *c, int64_t v)
{
	if (v < 0)
		csv_absent(c);
	else
		csv_i64(c, v);
}

static void put_verdict(struct csv *c, const struct lkp_row *row, const struct lkp_verdict *v)
{
	static const char *const words[] = { NULL, "false", "true" };
	char buf[DEC_BUF];

	if (v->has_exact)
		csv_field(c, dec_put(buf, v->exact));
	else
		csv_double(c, v->recomputed);
	csv_str(c, words[v->agrees]);
	csv_str(c, row->section == LKP_FAILURE ? NULL : v->hole ? "true" : "false");
}

static void put_cell(struct csv *c, const struct lkp_table *t, const struct lkp_row *row,
		     size_t column, const struct lkp_verdict *v)
{
	const struct lkp_cell *cell = &row->cells[column];

	csv_text(c, t->testcase);
	csv_str(c, lkp_section_names[row->section]);
	csv_text(c, row->metric);
	csv_u64(c, column);
	csv_text(c, column < t->ncommits ? t->commits[column].id : (struct slice){ 0 });
	csv_field(c, cell->value);
	printed(c, cell->stddev_pct);
	printed(c, cell->fails);
	printed(c, cell->runs);
	csv_field(c, cell->change);
	csv_str(c, lkp_kind_names[cell->kind]);
	put_verdict(c, row, v);
	csv_end(c);
}

void lkp_csv(struct out *o, const struct lkp_view *v)
{
	struct csv c = { .o = o };

	csv_header(&c, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < v->doc->n; i++) {
		const struct lkp_table *t = &v->doc->tables[i];

		for (size_t k = 0; k < t->n; k++)
			for (size_t column = 0; column < t->rows[k].n; column++) {
				csv_u64(&c, i);
				put_cell(&c, t, &t->rows[k], column,
					 &v->checked->tables[i][t->rows[k].first + column]);
			}
	}
}
