/* SPDX-License-Identifier: MIT */
/* perf stat's output: rows, blocks, repairs, and what is refused. The fixtures are tested by tests/e2e/test_perf.py. */
#include "test.h"

#include "base/out.h"
#include "parse/perf.h"
#include "parse/perf_forms.h"

static struct arena arena;
static struct perf_doc doc;
static struct source_info info;
static struct err err;

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void read_ok(const char *text)
{
	info = (struct source_info){ .kind = KIND_PERF };
	if (perf_parse(slice_str(text), false, &arena, &doc, &info, &err))
		fail_msg("%lu: %s", err.line, err.text);
}

static void assert_dec(struct dec d, const char *want)
{
	char buf[DEC_BUF];

	assert_slice(dec_put(buf, d), want);
}

static const struct perf_event *event(size_t i)
{
	assert_true(i < doc.n_events);
	return &doc.events[i];
}

static void assert_event(size_t i, const char *name, const char *value, const char *unit)
{
	assert_slice(event(i)->event, name);
	assert_slice(event(i)->unit, unit);
	if (value)
		assert_dec(event(i)->value, value);
	assert_int_equal(event(i)->state == PERF_OK, value != NULL);
}

#define HEADER " Performance counter stats for 'x':\n\n"
#define ELAPSED "\n       1.000000000 seconds time elapsed\n"

/* ---- text rows ---- */

static void test_units(void **state)
{
	(void)state;
	read_ok(HEADER "             12.35 msec task-clock\n"
		       "                56      cpu-migrations\n"
		       "               7.5 Foo  made-up-unit\n"
		       "            101.15 msec task-clock [software]\n"
		       "           412.345      task-clock (msec)\n");
	assert_event(0, "task-clock", "12.35", "msec");
	assert_event(1, "cpu-migrations", "56", "");
	assert_event(2, "made-up-unit", "7.5", "Foo");
	assert_event(3, "task-clock [software]", "101.15", "msec");
	assert_event(4, "task-clock", "412.345", "msec");
	/* up to 3.13 one blank stands before the name, and no unit */
	read_ok(HEADER "     412.345678 task-clock    #    0.998 CPUs utilized\n"
		       "             43 context-switches    #    0.104 K/sec\n"
		       "             12 my event\n");
	assert_event(0, "task-clock", "412.345678", "msec");
	assert_event(1, "context-switches", "43", "");
	assert_event(2, "my event", "12", "");
}

static void test_names(void **state)
{
	(void)state;
	read_ok(HEADER "            961538      an_event,with:42=commas.and[brackets]      #    1.000 /sec\n"
		       "            961538      with # hash in it                 #    2.000 /sec    (41.67%)\n"
		       "              4000      syscalls:sys_enter_write\n"
		       "              4000      cpu/event=0x3c,umask=0x1/u\n");
	assert_event(0, "an_event,with:42=commas.and[brackets]", "961538", "");
	assert_slice(event(1)->event, "with # hash in it");
	assert_dec(event(1)->running_pct, "41.67");
	assert_event(2, "syscalls:sys_enter_write", "4000", "");
	assert_event(3, "cpu/event=0x3c,umask=0x1/u", "4000", "");
}

static void test_metrics(void **state)
{
	(void)state;
	read_ok(HEADER "       300      topdown-heavy-ops   #      0.6% Heavy Operations       #      9.4% Light Operations  (50.00%)\n"
		       "       400      instructions        #    1.08  insn per cycle\n"
		       "                                    #    0.45  stalled cycles per insn  ( +-  0.30% )  (83.31%)\n"
		       "       500      weird               #      nan %  tma_x\n"
		       "       600      cache-misses        #   25.000 % of all cache refs\n");
	assert_int_equal(event(0)->n_metrics, 2);
	assert_slice(doc.metrics[0].unit, "% Heavy Operations");
	assert_dec(doc.metrics[1].value, "9.4");
	assert_dec(event(0)->running_pct, "50.00");
	assert_int_equal(event(1)->n_metrics, 2);
	assert_slice(doc.metrics[2].unit, "insn per cycle");
	assert_dec(event(1)->variance_pct, "0.30"); /* they stand on the last metric's line */
	assert_dec(event(1)->running_pct, "83.31");
	assert_false(doc.metrics[4].present);
	assert_slice(doc.metrics[4].unit, "% tma_x");
	assert_slice(doc.metrics[5].unit, "% of all cache refs");
}

static void test_not_counted(void **state)
{
	(void)state;
	read_ok(HEADER "     <not counted> msec task-clock                                    (0.00%)\n"
		       "   <not supported>      cycles\n"
		       "                 0      page-faults\n");
	assert_event(0, "task-clock", NULL, "msec");
	assert_int_equal(event(0)->state, PERF_NOT_COUNTED);
	assert_dec(event(0)->running_pct, "0.00");
	assert_int_equal(event(1)->state, PERF_NOT_SUPPORTED);
	assert_event(2, "page-faults", "0", "");
}

static void test_places(void **state)
{
	(void)state;
	read_ok(HEADER "S0-D0-C1            2             402.44 msec task-clock\n"
		       "S0-D0-L3-ID0        4                 12      cycles\n"
		       "S0-D0-CLS1          4                 12      cycles\n"
		       "CPU3                              12      cycles\n"
		       "     Web Content-123           48.60 msec task-clock\n"
		       "  kworker/0:1-events-77         12      cycles\n"
		       "N1        8      1,234      cycles\n"
		       "S0-D0-C0                       1,234      cycles\n");
	assert_slice(event(0)->place.aggregate, "S0-D0-C1");
	assert_int_equal(event(0)->place.cpus, 2);
	assert_slice(event(1)->place.aggregate, "S0-D0-L3-ID0");
	assert_slice(event(2)->place.aggregate, "S0-D0-CLS1");
	assert_slice(event(3)->place.aggregate, "CPU3");
	assert_int_equal(event(3)->place.cpus, -1);
	assert_slice(event(4)->place.aggregate, "Web Content-123");
	assert_slice(event(5)->place.aggregate, "kworker/0:1-events-77");
	assert_int_equal(event(6)->place.cpus, 8);
	assert_dec(event(6)->value, "1234");
	assert_int_equal(event(7)->place.cpus, -1); /* a core under -A has no number behind it */
	assert_dec(event(7)->value, "1234");
}

static void test_cgroups(void **state)
{
	(void)state;
	read_ok(HEADER "            202.71 msec task-clock                       / #    2.000 CPUs utilized\n"
		       "     <not counted>      page-faults               system.slice\n");
	assert_event(0, "task-clock", "202.71", "msec");
	assert_slice(event(0)->cgroup, "/");
	assert_slice(event(1)->cgroup, "system.slice");
}

/* ---- blocks ---- */

static void test_header(void **state)
{
	(void)state;
	read_ok("262144000 bytes (262 MB, 250 MiB) copied, 0.009 s, 28.4 GB/s\n"
		" Performance counter stats for 'sh -c echo 'a'; # b 1 2\ncat x' (5 runs):\n\n"
		"        12      cycles     ( +-  7.70% )\n"
		"        [...]\n"
		"\n          0.010739 +- 0.000683 seconds time elapsed  ( +-  6.36% )\n");
	assert_int_equal(doc.n_blocks, 1);
	assert_int_equal(info.notes[NOTE_ELIDED], 1);
	assert_slice(doc.blocks[0].target, "sh -c echo 'a'; # b 1 2\ncat x");
	assert_int_equal(doc.blocks[0].runs, 5);
	assert_int_equal(doc.blocks[0].target_kind, PERF_COMMAND);
	assert_dec(doc.blocks[0].elapsed_variance_pct, "6.36");
	assert_int_equal(doc.n_events, 1);
	assert_int_equal(info.notes[NOTE_FOREIGN], 1);
}

/* How often it ran stands behind the quote that closes the target. */
static void test_header_runs(void **state)
{
	(void)state;
	read_ok(" Performance counter stats for 'a' (5 runs): b': c\n\n   1  cycles\n");
	assert_slice(doc.blocks[0].target, "a");
	assert_int_equal(doc.blocks[0].runs, 5);
	read_ok(" Performance counter stats for 'a\nb' (3 runs): c\nd' (5 runs):\n\n   1  cycles\n");
	assert_slice(doc.blocks[0].target, "a\nb");
	assert_int_equal(doc.blocks[0].runs, 3);
}

static void test_targets(void **state)
{
	static const struct {
		const char *line, *target;
		enum perf_target kind;
	} t[] = {
		{ " Performance counter stats for process id '1,2':\n", "1,2", PERF_PID },
		{ " Performance counter stats for thread id '7':\n", "7", PERF_TID },
		{ " Performance counter stats for 'system wide':\n", "system wide", PERF_SYSTEM },
		{ " Performance counter stats for 'CPU(s) 0-3':\n", "CPU(s) 0-3", PERF_CPUS },
		{ " Performance counter stats for 'BPF program(s) 4':\n", "BPF program(s) 4", PERF_TARGET_NONE },
		{ " Performance counter stats for './system wide':\n", "./system wide", PERF_COMMAND },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		read_ok(t[i].line);
		assert_slice(doc.blocks[0].target, t[i].target);
		assert_int_equal(doc.blocks[0].target_kind, t[i].kind);
	}
}

#define TIMED "     0.100000001      10      cycles\n     0.200000001      20      cycles\n"

static void test_summary_joins(void **state)
{
	(void)state;
	read_ok("#           time             counts unit events\n" TIMED "\n" HEADER "      30      cycles\n" ELAPSED);
	assert_int_equal(doc.n_blocks, 1);
	assert_int_equal(doc.blocks[0].n_events, 3);
	assert_true(event(1)->place.has_time);
	assert_false(event(2)->place.has_time);
	assert_slice(doc.blocks[0].target, "x");
}

static void test_no_summary(void **state)
{
	(void)state;
	/* other events */
	read_ok(TIMED HEADER "      30      instructions\n" ELAPSED);
	assert_int_equal(doc.n_blocks, 2);
	/* it ended before the last interval */
	read_ok(TIMED HEADER "      30      cycles\n\n       0.100000000 seconds time elapsed\n");
	assert_int_equal(doc.n_blocks, 2);
	/* intervals behind a trailer, a time that runs backwards, a started line */
	read_ok(HEADER "      30      cycles\n" ELAPSED TIMED);
	assert_int_equal(doc.n_blocks, 2);
	read_ok(TIMED TIMED);
	assert_int_equal(doc.n_blocks, 2);
	read_ok("# started on Mon\n" TIMED "# started on Tue\n     0.300000001      10      cycles\n");
	assert_int_equal(doc.n_blocks, 2);
	assert_int_equal(doc.blocks[1].n_events, 1);
}

static void test_csv_blocks(void **state)
{
	(void)state;
	read_ok("     0.100000000,10,,cycles,5,100.00,,\n         summary,10,,cycles,5,100.00,,\n"
		"     0.050000000,11,,cycles,5,100.00,,\n");
	assert_int_equal(doc.n_blocks, 2);
	assert_int_equal(doc.blocks[0].n_events, 2);
	assert_int_equal(doc.blocks[0].runs, -1);
}

static void test_foreign_between(void **state)
{
	(void)state;
	read_ok("     0.100000001      10      cycles\nhello 12 world\n  5 little pigs   # 3 wolves\n"
		"     0.200000001      20      cycles\n");
	assert_int_equal(doc.n_events, 2);
	assert_int_equal(info.notes[NOTE_FOREIGN], 2);
}

/* ---- CSV ---- */

static void test_csv_names(void **state)
{
	(void)state;
	read_ok("961538,,cpu/event=0x3c,umask=0x1/,12345678901,100.00,,\n"
		"98765432107,,cpu/event=0xc0,umask=0x1/u,5144444398,41.00,,\n");
	assert_event(0, "cpu/event=0x3c,umask=0x1/", "961538", "");
	assert_event(1, "cpu/event=0xc0,umask=0x1/u", "98765432107", "");
	assert_int_equal(event(1)->runtime_ns, 5144444398);
	read_ok("1::sched:sched_switch:10370842:100.00::\n");
	assert_event(0, "sched:sched_switch", "1", "");
	read_ok("5,,cycles,/a,1,100.00,,\n6,,cpu/x=1,y=2/,/a,1,100.00,,\n");
	assert_slice(event(0)->cgroup, "/a");
	assert_event(1, "cpu/x=1,y=2/", "6", "");
	assert_slice(event(1)->cgroup, "/a");
}

static void test_csv_separators(void **state)
{
	static const char seps[] = "\t;|!@^~*+=#/:";
	char text[100];

	(void)state;
	for (const char *s = seps; *s; s++) {
		snprintf(text, sizeof(text), "12.50%cmsec%ctask-clock%c12500000%c100.00%c0.98%cCPUs utilized\n"
			 "7%c%cpage-faults%c5%c99.00%c%c\n", *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s, *s);
		assert_int_equal(perf_csv_separator(slice_str(text)), *s);
		read_ok(text);
		assert_event(0, "task-clock", "12.50", "msec");
		assert_event(1, "page-faults", "7", "");
		assert_dec(event(1)->running_pct, "99.00");
		assert_int_equal(event(0)->n_metrics, 1);
	}
}

static void test_csv_decimal_comma(void **state)
{
	(void)state;
	read_ok("12345,68,msec,task-clock,0,33%,12345678901,100,00,99,/sec\n1234,,context-switches,7,70%,12345678901,83,00,,\n");
	assert_event(0, "task-clock", "12345.68", "msec");
	assert_dec(event(0)->variance_pct, "0.33");
	assert_event(1, "context-switches", "1234", "");
	assert_dec(event(1)->running_pct, "83.00");
	assert_int_equal(info.notes[NOTE_DECIMAL_COMMA], 2);
}

static void test_csv_old(void **state)
{
	(void)state;
	read_ok("412.345678,task-clock-msecs\n43,context-switches,7.70%\n<not counted>,cache-misses            \n");
	assert_event(0, "task-clock-msecs", "412.345678", "msec");
	assert_dec(event(1)->variance_pct, "7.70");
	assert_event(2, "cache-misses", NULL, "");
}

static void test_csv_extra_metrics(void **state)
{
	(void)state;
	read_ok("9,,instructions,5,83.00,2.16,insn per cycle\n,,,,0.23,stalled cycles per insn\n,,,,,,%  tma_x\n"
		"9,,heavy,5,100.00,0.6,Heavy,9.4,Light\n");
	assert_int_equal(event(0)->n_metrics, 3);
	assert_slice(doc.metrics[1].unit, "stalled cycles per insn");
	assert_false(doc.metrics[2].present);
	assert_slice(doc.metrics[2].unit, "% tma_x");
	assert_int_equal(event(1)->n_metrics, 2);
}

/* A quote opens nothing: perf never quotes. */
static void test_csv_quotes(void **state)
{
	(void)state;
	read_ok("5,,\"a,b,5,100.00,,\n6,,cycles,5,100.00,,\n7,,\"x\",5,100.00,,\n");
	assert_event(0, "\"a,b", "5", "");
	assert_event(1, "cycles", "6", "");
	assert_event(2, "\"x\"", "7", "");
}

/* ---- JSON ---- */

static void test_json_repairs(void **state)
{
	(void)state;
	read_ok("{\"counter-value\" : \"12345,678901\", \"unit\" : \"msec\", \"event\" : \"task-clock\", \"pcnt-running\" : 100,00, \"metric-value\" : nan, \"metric-unit\" : \"x\"}\n"
		"{\"counter-value\" : \"5.000000\", \"unit\" : \"\", \"event\" : \"a\"b\\c\", \"pcnt-running\" : 83.00, }\n"
		"{\"counter-value\" : \"6.000000\", \"event\" : \"h\", \"metric-value\" : 0.6, \"metric-unit\" : \"Heavy\"}\"metric-value\" : 9.4, \"metric-unit\" : \"Light\"}\n"
		"{\"counter-value\" : \"9007199254740993.000000\", \"event\" : \"big\", \"metric-value\" : 0.000000, \"metric-unit\" : \"(null)\"}\n"
		"{\"counter-value\" : \"7.000000\", \"event\" : \"cut\n");
	assert_event(0, "task-clock", "12345.678901", "msec");
	assert_dec(event(0)->running_pct, "100.00");
	assert_false(doc.metrics[0].present);
	assert_event(1, "a\"b\\c", "5", "");
	assert_int_equal(event(2)->n_metrics, 2);
	assert_event(3, "big", "9007199254740993", "");
	assert_int_equal(event(3)->n_metrics, 0);
	assert_int_equal(doc.n_events, 4);
	assert_int_equal(info.notes[NOTE_DAMAGED], 1);
	assert_false(info.complete);
	assert_int_equal(info.notes[NOTE_DECIMAL_COMMA], 2);
	/* /percore/ under -A */
	read_ok("{\"core\" : \"S0-D0-C0\"\"counter-value\" : \"5.000000\", \"event\" : \"cycles\"}\n");
	assert_event(0, "cycles", "5", "");
	assert_slice(event(0)->place.aggregate, "S0-D0-C0");
}

static void test_json_metric_only(void **state)
{
	(void)state;
	read_ok("{\"unit\" : \"sec\"}{\"unit\" : \"GHz\"}{\"unit\" : \"insn per cycle\"}\n"
		"{\"interval\" : 0.100134677}{\"metric-value\" : \"3.7\"}{\"metric-value\" : \"\"}\n");
	assert_int_equal(doc.n_cells, 2);
	assert_slice(doc.cells[0].name, "GHz");
	assert_true(doc.cells[0].place.has_time);
	assert_false(doc.cells[1].metric.present);
	read_ok("{\"interval\" : 0.1, \"socket\" : \"S0\", \"aggregate-number\" : 2, \"GHz\" : \"3.7\", \"x y\" : \"none\"}\n");
	assert_int_equal(doc.n_cells, 2);
	assert_slice(doc.cells[1].name, "x y");
	assert_slice(doc.cells[1].place.aggregate, "S0");
	assert_int_equal(doc.cells[1].place.cpus, 2);
}

/* ---- as many as there are ---- */

enum { MANY = 200 };

/* `each` is printed MANY times, with its number. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void read_many(const char *head, const char *each, const char *middle, const char *again, const char *tail)
{
	struct out o;

	out_memory(&o);
	out_str(&o, head);
	for (int i = 0; i < MANY; i++)
		out_printf(&o, each, i, i);
	out_str(&o, middle);
	for (int i = 0; again && i < MANY; i++)
		out_printf(&o, again, i, i);
	out_str(&o, tail);
	read_ok(arena_str(&arena, out_slice(&o)));
	out_close(&o);
	assert_true(info.complete);
}
#pragma GCC diagnostic pop

static void assert_many_metrics(void)
{
	assert_int_equal(doc.n_events, 1);
	assert_int_equal(event(0)->n_metrics, MANY);
	assert_slice(doc.metrics[MANY - 1].unit, "m199");
	assert_dec(doc.metrics[MANY - 1].value, "199.5");
}

static void assert_many_cells(void)
{
	assert_int_equal(doc.n_events, 0);
	assert_int_equal(doc.n_cells, MANY);
	assert_slice(doc.cells[MANY - 1].name, "m199");
	assert_dec(doc.cells[MANY - 1].metric.value, "199.5");
}

static void test_many(void **state)
{
	(void)state;
	read_many(HEADER "  100  cycles", "  # %d.5 m%d", "", NULL, "\n");
	assert_many_metrics();
	read_many("9,,cycles,5,100.00", ",%d.5,m%d", "", NULL, "\n");
	assert_many_metrics();
	read_many("{\"counter-value\" : \"9.0\", \"event\" : \"e\"",
		  ", \"metric-value\" : \"%d.5\", \"metric-unit\" : \"m%d\"", "", NULL, "}\n");
	assert_many_metrics();
	read_many(HEADER, "  m%d", "\n", "  %d.5", "\n");
	assert_many_cells();
	read_many("time,", "m%d,", "\n     0.100000000,", "%d.5,", "\n");
	assert_many_cells();
	read_many("{\"interval\" : 0.1", ", \"m%1$d\" : \"%1$d.5\"", "}\n", NULL, "");
	assert_many_cells();
	read_many("{\"unit\" : \"sec\"}", "{\"unit\" : \"m%d\"}", "\n{\"interval\" : 0.1}", "{\"metric-value\" : \"%d.5\"}", "\n");
	assert_many_cells();
}

/* What would stand at each of many rows is never long in what perf prints, and is noted. */
static void test_long(void **state)
{
	static char text[4096], word[512];

	(void)state;
	memset(word, 'S', 400);
	snprintf(text, sizeof(text), HEADER "  5  cycles\n  %s  # 1.0 a\n", word);
	read_ok(text);
	assert_int_equal(event(0)->n_metrics, 0);
	assert_int_equal(info.notes[NOTE_FOREIGN], 1);
	snprintf(text, sizeof(text), HEADER "  a  %s\n  1  2\n", word);
	read_ok(text);
	assert_int_equal(doc.n_cells, 2);
	assert_int_equal(doc.cells[1].name.n, 0);
	assert_int_equal(info.notes[NOTE_FOREIGN], 1);
	snprintf(text, sizeof(text), "{\"counter-value\" : \"5.0\", \"event\" : \"e\", \"socket\" : \"%s\"}\n", word);
	read_ok(text);
	assert_int_equal(event(0)->place.aggregate.n, 0);
	assert_int_equal(info.notes[NOTE_DAMAGED], 1);
	assert_false(info.complete);
}

/* ---- refusals ---- */

static void assert_refused(const char *text, bool strict, unsigned long line, const char *says)
{
	struct perf_doc d;
	struct source_info i = { 0 };

	if (perf_parse(slice_str(text), strict, &arena, &d, &i, &err) == 0)
		fail_msg("read: %s", text);
	if (err.line != line || !strstr(err.text, says))
		fail_msg("%lu: %s", err.line, err.text);
}

#define LONG "123456789012345678901234567890123456789"

static void test_refused(void **state)
{
	(void)state;
	assert_refused("", false, 0, "no counter");
	assert_refused("hello\n", false, 0, "no counter");
	assert_refused(" Performance counter stats for 'x' (0 runs):\n\n  5      cycles\n", false, 0, "no counter");
	assert_refused(HEADER "     " LONG "      cycles\n", false, 3, "38 digits");
	assert_int_equal(err.column, 6);
	assert_refused("5,,cycles,5,100.00,,\n" LONG ",,cycles,5,100.00,,\n", false, 2, "38 digits");
	assert_refused("{\"counter-value\" : \"" LONG "\", \"event\" : \"x\"}\n", false, 1, "38 digits");
}

static void test_strict(void **state)
{
	(void)state;
	assert_refused(HEADER "> 5      cycles\n", true, 3, "a quoted line");
	assert_refused("noise\n" HEADER "  5      cycles\n", true, 1, "nothing is read from this line");
	assert_refused(HEADER "  5      cycles\r\n", true, 3, "CR LF");
	assert_refused("{\"counter-value\" : \"5\", \"event\" : \"x\"}\n{\"counter-value\" : \"5\n", true, 2, "cannot be read");
	info = (struct source_info){ 0 };
	assert_int_equal(perf_parse(SLICE(HEADER "  5      cycles\n" ELAPSED), true, &arena, &doc, &info, &err), 0);
}

/* ---- sniffing ---- */

static void test_sniff(void **state)
{
	(void)state;
	assert_int_equal(perf_sniff(SLICE("cat: x: no such file\n" HEADER)), PERF_TEXT);
	assert_int_equal(perf_sniff(SLICE("#           time             counts unit events\n" TIMED)), PERF_TEXT);
	assert_int_equal(perf_sniff(SLICE("  5 a   #  1.0 /sec\n  5 b   #  1.0 /sec\n  5 c   #  1.0 /sec\n")), PERF_TEXT);
	assert_int_equal(perf_sniff(SLICE("event syntax error: 'x'\n5,,cycles,5,100.00,,\n")), PERF_CSV);
	assert_int_equal(perf_sniff(SLICE("noise\n{\"counter-value\" : \"5\", \"event\" : \"x\"}\n")), PERF_JSON);
	assert_false(perf_looks(SLICE("")));
	assert_false(perf_looks(SLICE("{\"schema\":\"hugecov.report/1\"}")));
	assert_false(perf_looks(SLICE("name,value\na,1\nb,2\n")));
	assert_false(perf_looks(SLICE("1,2,3\n4,5,6\n")));
	assert_false(perf_looks(SLICE("5 apples\n6 pears\n")));
	assert_false(perf_looks(SLICE("# time restraint on logins\nx\n")));
	assert_non_null(perf_missing(SLICE("  5      cycles\n")));
	assert_null(perf_missing(SLICE("hello\n")));
}

#define T(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_units),	       T(test_names),	       T(test_metrics),	      T(test_not_counted),
		T(test_places),	       T(test_cgroups),	       T(test_header),	      T(test_targets),
		T(test_summary_joins), T(test_no_summary),     T(test_csv_blocks),    T(test_foreign_between),
		T(test_csv_names),     T(test_csv_separators), T(test_csv_decimal_comma), T(test_csv_old),
		T(test_csv_extra_metrics), T(test_csv_quotes), T(test_json_repairs),  T(test_json_metric_only),
		T(test_many),	       T(test_long),	      T(test_header_runs),
		T(test_refused),       T(test_strict),	       T(test_sniff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
