/* SPDX-License-Identifier: MIT */
#include "report/lat_json.h"

#include "report/csv.h"
#include "report/readings_view.h"
#include "report/report_json.h"

static void slice_or_null(struct json *j, struct slice v)
{
	if (v.n)
		json_slice(j, v);
	else
		json_null(j);
}

static void digits_or_null(struct json *j, struct slice v)
{
	if (v.n)
		json_raw(j, v);
	else
		json_null(j);
}

static void put_row(struct json *j, const struct lat_table *t, const struct lat_row *row)
{
	json_break(j);
	json_object(j);
	json_key(j, "size_mib");
	json_raw(j, row->size);
	json_key(j, "values");
	json_array(j);
	for (size_t c = 0; c < t->ncolumns; c++)
		digits_or_null(j, row->values[c].text);
	json_array_end(j);
	json_object_end(j);
}

static void put_table(struct json *j, const struct lat_table *t)
{
	json_object(j);
	json_key(j, "title");
	slice_or_null(j, t->title);
	json_key(j, "stride");
	digits_or_null(j, t->stride);
	json_key(j, "columns");
	json_array(j);
	for (size_t c = 0; c < t->ncolumns; c++)
		slice_or_null(j, t->columns[c]);
	json_array_end(j);
	json_key(j, "rows");
	json_array(j);
	for (size_t i = 0; i < t->n; i++)
		put_row(j, t, &t->rows[i]);
	json_array_end(j);
	json_object_end(j);
}

void lat_json(struct out *o, const struct lat_view *v)
{
	struct json j;

	json_start(&j, o);
	json_object(&j);
	json_schema(&j, "hugecov.counters/1");
	json_source(&j, "source", v->source);
	json_readings(&j, v->readings);
	json_key(&j, "tables");
	json_array(&j);
	for (size_t i = 0; i < v->doc->n; i++)
		put_table(&j, &v->doc->tables[i]);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

static const char *const columns[] = {
	"table", "stride", "column", "name", "size_mib", "latency_ns"
};

void lat_csv(struct out *o, const struct lat_view *v)
{
	struct csv c = { .o = o };

	csv_header(&c, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < v->doc->n; i++) {
		const struct lat_table *t = &v->doc->tables[i];

		for (size_t k = 0; k < t->n * t->ncolumns; k++) {
			size_t row = k / t->ncolumns, column = k % t->ncolumns;

			csv_u64(&c, i);
			csv_text(&c, t->stride);
			csv_u64(&c, column);
			csv_text(&c, t->columns[column]);
			csv_field(&c, t->rows[row].size);
			csv_field(&c, t->rows[row].values[column].text);
			csv_end(&c);
		}
	}
}
