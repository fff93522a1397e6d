/* SPDX-License-Identifier: MIT */
/* Robot tables: the row grammar, headings, headlines, and what is no row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/out.h"
#include "parse/lkp.h"

struct fixture {
	struct arena a;
	struct source_info info;
	struct lkp_doc doc;
	struct err e;
};

static int parse(struct fixture *f, const char *text)
{
	*f = (struct fixture){ 0 };
	return lkp_parse(slice_str(text), &f->a, &f->info, &f->doc, &f->e);
}

/* A row in one line: "metric: value±sd | change kind value±sd". */
static void put_row(struct out *o, const struct lkp_row *row)
{
	out_printf(o, "%.*s:", SLICE_FMT(row->metric));
	for (size_t i = 0; i < row->n; i++) {
		const struct lkp_cell *c = &row->cells[i];

		if (i)
			out_printf(o, " | %.*s%s ", SLICE_FMT(c->change),
				   c->kind == LKP_PERCENT	 ? "%"
				   : c->kind == LKP_REPRODUCTION ? "r"
								 : "");
		else
			out_byte(o, ' ');
		if (c->runs >= 0)
			out_printf(o, "%d:%d", (int)c->fails, (int)c->runs);
		out_put(o, c->value);
		if (c->stddev_pct >= 0)
			out_printf(o, "±%d", (int)c->stddev_pct);
	}
}

static void assert_rows(const char *text, const char *want)
{
	struct fixture f;
	struct out o;

	out_memory(&o);
	if (parse(&f, text) == 0)
		for (size_t t = 0; t < f.doc.n; t++)
			for (size_t i = 0; i < f.doc.tables[t].n; i++) {
				if (o.n)
					out_byte(&o, '\n');
				put_row(&o, &f.doc.tables[t].rows[i]);
			}
	out_byte(&o, '\0');
	if (strcmp(o.buf, want))
		fail_msg("%s\nis read as\n%s\nnot as\n%s", text, o.buf, want);
	out_close(&o);
	arena_free(&f.a);
}

static const char *const rows[][2] = {
	{ "     13401           -16.5%      11190        proc-vmstat.thp_fault_alloc\n",
	  "proc-vmstat.thp_fault_alloc: 13401 | -16.5% 11190" },
	{ "0.33 ±223% +300.0% 1.33 ±141% iostat.sda.w/s",
	  "iostat.sda.w/s: 0.33±223 | 300.0% 1.33±141" },
	{ "37.96 ±  2% -1.0 37.00 +2.0 40.00 a.rate%",
	  "a.rate%: 37.96±2 | -1.0 37.00 | 2.0 40.00" },
	{ "-12345 -50.0% -6172 sched_debug.cfs_rq:/.spread0.avg",
	  "sched_debug.cfs_rq:/.spread0.avg: -12345 | -50.0% -6172" },
	{ "0.00 +3.3e+101% 0.33 ±141% meminfo.Writeback",
	  "meminfo.Writeback: 0.00 | 3.3e+101% 0.33±141" },
	{ "2500 +2.3e+06% 57748000 perf-c2c.HITM.local",
	  "perf-c2c.HITM.local: 2500 | 2.3e+06% 57748000" },
	{ "1e+08 -100.0% 0.00 x.y", "x.y: 1e+08 | -100.0% 0.00" },
	{ "0.12 -0.0 0.12 x.y", "x.y: 0.12 | -0.0 0.12" },
	/* failure rows */
	{ "13:6 0% 13:6 last_state.load", "last_state.load: 13:6 | 0r 13:6" },
	{ ":25 4% 1:3 392% 12:12 dmesg.boot", "dmesg.boot: 0:25 | 4r 1:3 | 392r 12:12" },
	{ "5322:1 -494373% :12 x.fail", "x.fail: 5322:1 | -494373r 0:12" },
	{ ":100 97% 97:100 dmesg.EIP:a_b   <----- (a)", "dmesg.EIP:a_b: 0:100 | 97r 97:100" },
	/* spellings of the sign */
	{ "10 +- 5% +1.0% 11 +-141% a.b", "a.b: 10±5 | 1.0% 11±141" },
	{ "10 &plusmn;  5% +1.0% 11 &#177;141% a.b", "a.b: 10±5 | 1.0% 11±141" },
	{ "10 \xb1  5% +1.0% 11 \xb1"
	  "141% a.b",
	  "a.b: 10±5 | 1.0% 11±141" },
	{ "10 \xc3\x82\xc2\xb1 5% +1.0% 11 a.b", "a.b: 10±5 | 1.0% 11" },
	{ "10 \xef\xbf\xbd 5% +1.0% 11 \xef\xbf\xbd\xef\xbf\xbd"
	  "141% a.b",
	  "a.b: 10±5 | 1.0% 11±141" },
	{ "10 =C2=B1  5% +1.0% 11 =C2=B1=\n 7% a.b\n", "a.b: 10±5 | 1.0% 11±7" },
	{ "10 ? 5% +1.0% 11 ~ 7% a.b", "a.b: 10±5 | 1.0% 11±7" },
	{ "10 ±  0% +Inf% 11 ± -1% a.b", "a.b: 10±0 | % 11" },
	/* what mail makes of it */
	{ "> > 10 +1.0% 11 a.b\n>> 10 +2.0% 11 a.c\n", "a.b: 10 | 1.0% 11\na.c: 10 | 2.0% 11" },
	{ "&gt; 10 +1.0% 11 a.b\n", "a.b: 10 | 1.0% 11" },
	{ "10\xc2\xa0\xc2\xa0+1.0%\t11\xe2\x80\xaf"
	  "a.b\r\n",
	  "a.b: 10 | 1.0% 11" },
	{ "...   10 +1.0% 11 a.b\n...20 -1.0% 19 a.c", "a.b: 10 | 1.0% 11\na.c: 20 | -1.0% 19" },
	{ "\033[1m10\033[m +1.0% 11 a.b", "a.b: 10 | 1.0% 11" },
	{ "\033[38;5;1m10\033[?25l\033[0 q +1.0% 11 a.b", "a.b: 10 | 1.0% 11" },
	{ "10 +1.0% 11\na.b\n20 ±\n 3% +1.0% 21 a.c\n", "a.b: 10 | 1.0% 11\na.c: 20±3 | 1.0% 21" },
	{ "> 10 +1.0% 11 a.b > > 20 -1.0% 19 a.c > 5:6 0% 5:6 a.d",
	  "a.b: 10 | 1.0% 11\na.c: 20 | -1.0% 19\na.d: 5:6 | 0r 5:6" },
	{ "10 −1.0% 9 a.b", "a.b: 10 | -1.0% 9" },
	{ "as in 10 +1.0% 11 a.b, which", "a.b: 10 | 1.0% 11" },
	/* none of these is a row, nor the rest of a broken one */
	{ "10 1.0% 11 a.b", "" }, /* a change has a sign */
	{ "10 -5 3 a.b", "" }, /* and a difference a decimal */
	/* a word that is no percentage takes nothing else with it */
	{ ":6 --16% 1:6 a.b\n:6 -16% 1:6 a.c\n", "a.c: 0:6 | -16r 1:6" },
	{ "10 ± --5% +1.0% 11 a.b\n10 ± 1e+5% +1.0% 11 a.b\n10 +1.0% 11 a.c\n", "a.c: 10 | 1.0% 11" },
	{ "10 +1.0% 11 apples", "" }, /* all metrics hold a dot */
	{ "x10 +1.0% 20 -2.0% 30 a.b", "" },
	{ "10 ± +1.0% 20 -2.0% 30 a.b", "" },
	{ "10 ± 5 +1.0% 20 a.b", "" },
	{ "1,000 +1.0% 1,010 a.b", "" },
	{ "007 +1.0% 8 a.b", "" },
	{ "1. +1.0% 8 a.b", "" },
	{ "10 +1.0% 11", "" },
	{ "10 +1.0% 11\n\na.b", "" }, /* an empty line ends a row */
	{ "12:30 5 13:40 a.b", "" },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_rows(rows[i][0], rows[i][1]);
}

#define HEAD                                                                                       \
	"========================================================================================" \
	"=\n"                                                                                      \
	"compiler/kconfig/test/testcase:\n"                                                        \
	"  gcc-12/x86_64-rhel-9.4/malloc1/will-it-scale\n"                                         \
	"\n"                                                                                       \
	"commit: \n"                                                                               \
	"  a1b2c3d4e5 (\"mm: say \"hello\" (twice)\")\n"                                           \
	"  b0c1d2e3f4  <--- your patch\n"                                                          \
	"\n"                                                                                       \
	"a1b2c3d4e5f60718 b0c1d2e3f405162738495061728 \n"                                          \
	"---------------- --------------------------- \n"                                          \
	"         %stddev     %change         %stddev\n"                                           \
	"             \\          |                \\  \n"

static void assert_slice(struct slice have, const char *want)
{
	if (!slice_eq_str(have, want))
		fail_msg("%.*s is not %s", SLICE_FMT(have), want);
}

static void test_heading(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(parse(&f, HEAD "  10  +1.0%  11  a.b\n  12  +1.0%  13  nodots\n"), 0);
	assert_int_equal(f.doc.n, 1);
	const struct lkp_table *t = &f.doc.tables[0];
	assert_true(t->heading);
	assert_int_equal(t->n, 2);
	assert_slice(t->rows[1].metric, "nodots");
	assert_slice(t->testcase, "will-it-scale");
	assert_int_equal(t->nparameters, 4);
	assert_slice(t->parameters[1].name, "kconfig");
	assert_slice(t->parameters[1].value, "x86_64-rhel-9.4");
	assert_int_equal(t->ncommits, 2);
	assert_slice(t->commits[0].id, "a1b2c3d4e5");
	assert_slice(t->commits[0].subject, "mm: say \"hello\" (twice)");
	assert_slice(t->commits[1].id, "b0c1d2e3f4");
	assert_int_equal(t->commits[1].subject.n, 0);
	assert_int_equal(f.info.notes[NOTE_FOREIGN], 0);
	arena_free(&f.a);
}

/* Names and values that do not pair are not guessed. */
static void test_unpaired_parameters(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(parse(&f, "a/b/testcase:\n  1/2/3/x\ncommit:\n  a1b2c3d4e5\n  b1b2c3d4e5\n"
				   "10 +1.0% 11 a.b\n"), 0);
	assert_int_equal(f.doc.tables[0].nparameters, 0);
	assert_int_equal(f.doc.tables[0].testcase.n, 0);
	assert_int_equal(f.doc.tables[0].ncommits, 2);
	arena_free(&f.a);
}

static void test_several_tables(void **state)
{
	struct fixture f;

	(void)state;
	/* A fragment, a headed table, one that begins with its column heads, one by its dashes. */
	assert_int_equal(parse(&f, "1 +1.0% 2 a.a\n" HEAD "10 +1.0% 11 a.b\n"
				   "%stddev %change %stddev\n\\ | \\\n20 +1.0% 21 a.c\n"
				   "a1b2c3d4e5f60718 b0c1d2e3f405162738495061728\n"
				   "---------------- ---------------------------\n"
				   "fail:runs  %reproduction    fail:runs\n:6 50% 3:6 a.d\n"
				   "%stddev %change %stddev\n30 +1.0% 31 a.e\n"), 0);
	assert_int_equal(f.doc.n, 4);
	assert_false(f.doc.tables[0].heading);
	assert_true(f.doc.tables[1].heading);
	assert_int_equal(f.doc.tables[2].n, 1);
	assert_int_equal(f.doc.tables[3].n, 2); /* both sections are one table */
	assert_slice(f.doc.tables[3].commits[0].id, "a1b2c3d4e5f60718");
	arena_free(&f.a);
}

static void test_headlines(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(
		parse(&f,
		      "Subject: [linus:master] [mm] d4148aeab4: will-it-scale.per_process_ops "
		      "3888.9% improvement\n"
		      "kernel test robot noticed a 3888.9% improvement of "
		      "will-it-scale.per_process_ops on:\n"
		      "+------------------+---------------+\n"
		      "| testcase: change | stress-ng: stress-ng.fork.ops_per_sec -13.3% "
		      "regression |\n"
		      "| test machine     | 64 threads 2 sockets |\n"
		      "| test parameters  | nr_threads=100% |\n"
		      "|                  | test=fork |\n"
		      "+------------------+---------------+\n"
		      "| testcase: change | hackbench: hackbench.throughput  7.7% regression |\n"
		      "+------------------+---------------+\n"
		      "I saw a 50% regression of my sleep too.\n"
		      "10 +1.0% 11 a.b\n"),
		0);
	assert_int_equal(f.doc.nheadlines, 3);
	assert_slice(f.doc.headlines[0].metric, "will-it-scale.per_process_ops");
	assert_slice(f.doc.headlines[0].percent, "3888.9");
	assert_slice(f.doc.headlines[0].direction, "improvement");
	assert_int_equal(f.doc.headlines[1].where, LKP_BOX);
	assert_slice(f.doc.headlines[1].testcase, "stress-ng");
	assert_slice(f.doc.headlines[1].percent, "-13.3");
	assert_int_equal(f.doc.headlines[1].nparameters, 2);
	assert_slice(f.doc.headlines[1].parameters[1].value, "fork");
	assert_slice(f.doc.headlines[2].percent, "7.7");
	assert_int_equal(f.doc.headlines[2].nparameters, 0);
	assert_int_equal(f.info.notes[NOTE_FOREIGN], 1);
	arena_free(&f.a);
}

/* "cpufreq_governor=10" is not the quoted-printable form of something. */
static void test_no_false_decoding(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(parse(&f, "| testcase: change | x: x.y 1.0% regression |\n"
				   "| test parameters | n=20 |\n| | m=3D |\n"
				   "==============================================================="
				   "==========================\n"
				   "a/testcase:\n  1/x\n10 +1.0% 11 a.b\n"),
			 0);
	assert_slice(f.doc.headlines[0].parameters[0].value, "20");
	assert_slice(f.doc.headlines[0].parameters[1].value, "3D");
	assert_slice(f.doc.tables[0].testcase, "x");
	arena_free(&f.a);
}

static void test_overflow(void **state)
{
	static const char *const texts[] = {
		"a line\n> 1e+999 +1.0% 11 a.b\n",
		"a line\n> 99999999999999999999:6 0% 1:6 a.b\n",
		"a line\n> 10 ±99999999999999999999% +1.0% 11 a.b\n",
		"a line\n> 10 +1.0e+999% 11 a.b\n",
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(parse(&f, texts[i]), -1);
		assert_int_equal(f.e.kind, ERR_PARSE);
		assert_int_equal(f.e.line, 2);
		arena_free(&f.a);
	}
}

static const struct {
	const char *text;
	bool looks;
	const char *says; /* of the refusal */
} refusals[] = {
	{ "", false, "no row" },
	{ "hello world\n", false, "no row" },
	{ HEAD "nothing follows\n", true, "heading of a robot table, but no row" },
	{ HEAD "  10  1.0%  11  a.b\n", true, "heading of a robot table, but no row" },
	{ "name  old  new vs base\nX-8  18.5 ± 1%  6.4 ± 1%  -65.14% (p=0.000 n=8)\n", false,
	  "benchstat" },
	{ "kernel test robot noticed the following build errors:\n", false, "build report" },
	{ "kernel test robot noticed a 9.2% regression of a.b on:\n", false,
	  "without its comparison table" },
	{ "10 +1.0% 11 my.own\n", false, NULL }, /* one row of no known family is no proof */
	{ "10 +1.0% 11 proc-vmstat.pgfault\n", true, NULL },
	{ "10 +1.0% 11 my.own\n10 +1.0% 11 my.other\n", true, NULL },
};

static void test_sniffing(void **state)
{
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const char *text = refusals[i].text;

		if (lkp_looks(slice_str(text)) != refusals[i].looks)
			fail_msg("%s %s", text,
				 refusals[i].looks ? "is not taken for a table" : "is");
		int status = parse(&f, text);
		assert_int_equal(status, refusals[i].says ? -1 : 0);
		if (status)
			assert_int_equal(f.e.kind, ERR_KIND);
		if (status && !strstr(f.e.text, refusals[i].says))
			fail_msg("%s: %s lacks %s", text, f.e.text, refusals[i].says);
		arena_free(&f.a);
	}
}

static void test_looking_up(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(
		parse(&f, HEAD "10 +1.0% 11 a.b\n20 +1.0% 21 a.c\n" HEAD "30 +1.0% 31 a.b\n"), 0);
	assert_int_equal(f.doc.n, 2);
	assert_non_null(lkp_row_find(&f.doc.tables[0], SLICE("a.c")));
	assert_null(lkp_row_find(&f.doc.tables[1], SLICE("a.c")));
	assert_null(lkp_row_find(&f.doc.tables[0], SLICE("a")));
	assert_true(lkp_row_find(&f.doc.tables[1], SLICE("a.b"))->cells[0].number == 30);
	arena_free(&f.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	       cmocka_unit_test(test_heading),
		cmocka_unit_test(test_unpaired_parameters), cmocka_unit_test(test_several_tables),
		cmocka_unit_test(test_headlines),      cmocka_unit_test(test_no_false_decoding),
		cmocka_unit_test(test_overflow),       cmocka_unit_test(test_sniffing),
		cmocka_unit_test(test_looking_up),
	};

	return cmocka_run_group_tests_name("lkp", tests, NULL, NULL);
}
