/* SPDX-License-Identifier: MIT */
#include "report/counters_csv.h"

#include <math.h>

#include "report/csv.h"

static const char *const columns[] = { "name",  "unit",  "kind",    "before",
				       "after", "delta", "percent", "note" };

void counters_csv(struct out *o, const struct counter_rows *rows)
{
	struct csv c = { .o = o };

	csv_header(&c, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < rows->n; i++) {
		const struct counter_row *r = &rows->at[i];

		csv_text(&c, r->name);
		csv_text(&c, r->unit);
		csv_str(&c, counter_kind_names[r->kind]);
		csv_dec(&c, r->has_before, r->before);
		csv_dec(&c, r->has_after, r->after);
		csv_dec(&c, r->has_delta, r->delta);
		csv_double(&c, r->has_percent ? r->percent : (double)NAN);
		csv_text(&c, r->note);
		csv_end(&c);
	}
}
