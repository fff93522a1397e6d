/* SPDX-License-Identifier: MIT */
/* Latency tables: rows, columns, what stands above; steps; counters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/out.h"
#include "model/lat_counters.h"
#include "model/lat_readings.h"

struct fixture {
	struct arena a;
	struct source_info info;
	struct lat_doc doc;
	struct err e;
};

static int parse(struct fixture *f, const char *text)
{
	*f = (struct fixture){ 0 };
	return lat_parse(slice_str(text), &f->a, &f->info, &f->doc, &f->e);
}

/* "[title/stride/column,column] size:value,value size:value,value" for each table. */
static void put_doc(struct out *o, const struct lat_doc *d)
{
	for (size_t t = 0; t < d->n; t++) {
		const struct lat_table *table = &d->tables[t];

		out_printf(o, "[%.*s/%.*s/", SLICE_FMT(table->title), SLICE_FMT(table->stride));
		for (size_t c = 0; c < table->ncolumns; c++)
			out_printf(o, "%s%.*s", c ? "," : "", SLICE_FMT(table->columns[c]));
		out_byte(o, ']');
		for (size_t i = 0; i < table->n; i++) {
			out_printf(o, " %.*s:", SLICE_FMT(table->rows[i].size));
			for (size_t c = 0; c < table->ncolumns; c++)
				out_printf(o, "%s%.*s", c ? "," : "",
					   SLICE_FMT(table->rows[i].values[c].text));
		}
	}
}

static const char *const texts[][2] = {
	{ "\"stride=64\n0.00049 1.539\n0.00098 1.540\n64.00000 16.253\n",
	  "[/64/] 0.00049:1.539 0.00098:1.540 64:16.253" },
	{ "memory latency(smaller is better)\n\nMiB  v6.9  v6.9+revert\n\n0.5 1.0 2.0\n1 1.1 2.1\n",
	  "[memory latency(smaller is better)//v6.9,v6.9+revert] 0.5:1.0,2.0 1:1.1,2.1" },
	{ "MiB   before patch   with patch\n0.5 1.0 2.0\n1 1.1 2.1\n",
	  "[//before patch,with patch] 0.5:1.0,2.0 1:1.1,2.1" },
	/* quoted, with talk and missing values */
	{ "> > 0.5 1.0 2.0\n> no\n\nsize matters here\n> > 1 -  2.1\n> > ****\n> > 1.5 1.2 2.2   # "
	  "L2\n",
	  "[//,] 0.5:1.0,2.0 1:,2.1 1.5:1.2,2.2" },
	/* two runs, one file; a line that does not fit is talk */
	{ "\"stride=64\n0.5 1.0\n1 1.1\n\n\"stride=128\n0.5 1.2\n1 1.3\n2 1.4 9.9\n2 1.5\n",
	  "[/64/] 0.5:1.0 1:1.1[/128/] 0.5:1.2 1:1.3 2:1.5" },
	{ "0.5 1.0\n1 1.1\n0.5 1.2\n1 1.3\n", "[//] 0.5:1.0 1:1.1[//] 0.5:1.2 1:1.3" },
	/* flattened */
	{ "> MiB a b > 0.5 1.0 2.0 1 1.1 2.1 2 1.2 2.2 > [snip] see here 3 1.3 2.3 4 1.4 2.4",
	  "[//a,b] 0.5:1.0,2.0 1:1.1,2.1 2:1.2,2.2 3:1.3,2.3 4:1.4,2.4" },
	{ "\"stride=128 0.00049 1.5 0.00098 1.6 0.00195 1.7",
	  "[/128/] 0.00049:1.5 0.00098:1.6 0.00195:1.7" },
	/* sizes that no ladder has need a heading */
	{ "\"stride=64\n0.1 1.0\n0.2 1.1\n", "[/64/] 0.1:1.0 0.2:1.1" },
	{ "0.1 1.0\n0.2 1.1\n0.3 1.2\n", "" },
	{ "1 1.0\n", "" },
	{ "hello\n", "" },
	{ "0.5 -1.0\n1 -1.1\n", "" },
	{ "0.5 1e+2\n1 1e+3\n", "" },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct fixture f;
		struct out o;

		out_memory(&o);
		if (parse(&f, texts[i][0]) == 0)
			put_doc(&o, &f.doc);
		else
			assert_int_equal(f.e.kind, ERR_KIND);
		out_byte(&o, '\0');
		if (strcmp(o.buf, texts[i][1]))
			fail_msg("%s\nis read as\n%s\nnot as\n%s", texts[i][0], o.buf, texts[i][1]);
		out_close(&o);
		arena_free(&f.a);
	}
}

static void test_overflow(void **state)
{
	char text[512] = "0.5 1.0\n1 ";
	struct fixture f;

	(void)state;
	memset(text + 10, '9', 400);
	assert_int_equal(parse(&f, text), -1);
	assert_int_equal(f.e.kind, ERR_PARSE);
	assert_int_equal(f.e.line, 2);
	arena_free(&f.a);
}

#define LADDER "0.5 1.0\n1 1.0\n2 1.0\n3 1.0\n4 1.0\n6 1.0\n8 1.0\n12 1.0\n"

static void test_looks(void **state)
{
	(void)state;
	assert_true(lat_looks(SLICE("\"stride=64\n0.5 1\n1 1\n2 1\n")));
	assert_true(lat_looks(SLICE("MiB a\n0.5 1.0\n1 1.1\n2 1.1\n")));
	assert_true(lat_looks(SLICE(LADDER)));
	assert_false(lat_looks(SLICE(
		"1 1.0\n2 1.0\n3 1.0\n4 1.0\n6 1.0\n8 1.0\n12 1.0\n16 1.0\n"))); /* threads? */
	assert_false(lat_looks(SLICE("0.5 1.0\n1 1.0\n")));
	assert_false(lat_looks(SLICE("0.5 1\n1 1\n2 1\n3 1\n4 1\n6 1\n8 1\n12 1\n")));
	assert_false(lat_looks(SLICE("")));
	assert_non_null(lat_missing(SLICE("\"stride=128\nsegmentation fault\n")));
	assert_null(lat_missing(SLICE("hello")));
}

static const struct {
	const char *text;
	size_t count;
	const char *evidence, *says; /* of the first */
} steps[] = {
	{ "MiB old new\n0.5 1.0 1.0\n1 1.0 1.1\n2 1.0 1.2\n3 1.0 1.0\n", 1,
	  "\"ranges\":[{\"from_mib\":1,\"to_mib\":2,\"min_pct\":10,\"max_pct\":20}],\"base\":"
	  "\"old\",\"head\":\"new\"",
	  "One range parts by more than 5 %: 1 to 2 MiB by +10.0 to +20.0 % (new against old)." },
	/* a change of sign ends a range, a single size is none, exactly 5 % is not more */
	{ "MiB old new\n0.5 1.0 1.1\n1 1.0 1.1\n2 1.0 0.9\n3 1.0 0.8\n4 1.0 1.0\n6 1.0 1.5\n", 1,
	  "",
	  "Two ranges part by more than 5 %: 0.5 to 1 MiB by +10.0 to +10.0 %, 2 to 3 MiB by -10.0 "
	  "to -20.0 %" },
	{ "MiB a b c\n0.5 1.0 1.1 2.0\n1 1.0 1.1 2.0\n", 2, "", "(b against a)" },
	{ "0.5 1.0 1.1\n1 1.0 -\n2 1.0 1.1\n", 0, NULL, NULL },
	{ "0.5 1.00 1.05\n1 1.00 1.05\n2 1.00 1.05\n", 0, NULL, NULL },
	{ "0.5 0.0 1.05\n1 0.0 1.05\n", 0, NULL, NULL },
	{ "0.5 1.0\n1 2.0\n", 0, NULL, NULL },
};

static void test_steps(void **state)
{
	bool hit = false, miss = false;

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct readings r = { 0 };
		struct fixture f;

		assert_int_equal(parse(&f, steps[i].text), 0);
		lat_readings(&f.doc, &f.a, &r);
		if (r.n != steps[i].count)
			fail_msg("%s: %zu readings", steps[i].text, r.n);
		if (r.n && (!slice_has(r.at[0].evidence, slice_str(steps[i].evidence)) ||
			    !slice_has(r.at[0].text, slice_str(steps[i].says))))
			fail_msg("%.*s\n%.*s", SLICE_FMT(r.at[0].text),
				 SLICE_FMT(r.at[0].evidence));
		hit |= r.n != 0;
		miss |= r.n == 0;
		readings_free(&r);
		arena_free(&f.a);
	}
	assert_true(hit && miss);
	assert_int_equal(lat_reading_count, 1);
}

static void test_diff(void **state)
{
	struct fixture x, y;
	struct readings r = { 0 };
	struct counter_list before = { 0 }, after = { 0 };
	struct counter_rows rows = { 0 };

	(void)state;
	assert_int_equal(parse(&x, "\"stride=64\n0.5 1.0\n1.00000 1.0\n2 1.0\n4 1.0\n"), 0);
	assert_int_equal(parse(&y, "\"stride=64\n0.5 1.0\n1 1.2\n3 9.0\n4 1.3\n"), 0);
	lat_diff_readings(&x.doc, &y.doc, &x.a, &r);
	assert_int_equal(r.n, 1);
	assert_true(slice_has(r.at[0].evidence,
			      SLICE("\"from_mib\":1,\"to_mib\":4,\"min_pct\":20,\"max_pct\":30")));
	lat_counters(&x.doc, &x.a, &before);
	lat_counters(&y.doc, &y.a, &after);
	counters_diff(&before, &after, &x.a, &rows);
	assert_int_equal(rows.n, 5);
	assert_true(slice_eq_str(rows.at[1].name, "lat_mem_rd.1"));
	assert_true(slice_eq_str(rows.at[1].unit, "ns"));
	assert_int_equal(rows.at[1].kind, COUNTER_LATENCY);
	assert_true(fabs(rows.at[1].percent - 20) < 1e-9);
	assert_false(rows.at[2].has_after);
	readings_free(&r);
	counters_free(&before);
	counters_free(&after);
	counter_rows_free(&rows);
	arena_free(&x.a);
	arena_free(&y.a);
}

static void test_names(void **state)
{
	static const char *const want[] = { "lat_mem_rd.0.5.old", "lat_mem_rd.0.5.new",
					    "lat_mem_rd.1.old",	  "lat_mem_rd.1.new",
					    "lat_mem_rd.0.5.1",	  "lat_mem_rd.0.5.2",
					    "lat_mem_rd.1.1",	  "lat_mem_rd.1.2" };
	struct counter_list l = { 0 };
	struct fixture f;

	(void)state;
	assert_int_equal(parse(&f, "MiB old new\n0.50000 1.0 2.0\n1 1.0 -\n"), 0);
	lat_counters(&f.doc, &f.a, &l);
	assert_int_equal(l.n, 4);
	assert_true(l.at[2].present);
	assert_false(l.at[3].present);
	for (size_t i = 0; i < 4; i++)
		assert_true(slice_eq_str(l.at[i].name, want[i]));
	counters_free(&l);
	arena_free(&f.a);
	assert_int_equal(parse(&f, "0.50000 1.0 2.0\n1 1.0 3.0\n"), 0);
	lat_counters(&f.doc, &f.a, &l);
	for (size_t i = 0; i < 4; i++)
		assert_true(slice_eq_str(l.at[i].name, want[4 + i]));
	counters_free(&l);
	arena_free(&f.a);
	/* one size in two tables */
	assert_int_equal(parse(&f, "\"stride=64\n0.5 1.0\n1 2.0\n\"stride=128\n0.5 3.0\n1 4.0\n"),
			 0);
	lat_counters(&f.doc, &f.a, &l);
	assert_true(slice_eq_str(l.at[3].name, "lat_mem_rd.1#2"));
	counters_free(&l);
	arena_free(&f.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts), cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_looks), cmocka_unit_test(test_steps),
		cmocka_unit_test(test_diff),  cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("lat", tests, NULL, NULL);
}
