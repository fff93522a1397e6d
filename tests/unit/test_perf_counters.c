/* SPDX-License-Identifier: MIT */
/* perf stat as counters: names, sums of intervals, what is absent; and the readings, each hit and missed. */
#include "test.h"

#include "model/perf_counters.h"
#include "model/perf_readings.h"

static struct arena arena;

struct side {
	struct perf_doc doc;
	struct counter_list list;
};
static struct side before, after;
static struct counter_rows rows;
static struct readings readings;

static void side_free(struct side *s)
{
	counters_free(&s->list);
}

static int teardown(void **state)
{
	(void)state;
	side_free(&before);
	side_free(&after);
	counter_rows_free(&rows);
	readings_free(&readings);
	arena_free(&arena);
	return 0;
}

static void load(struct side *s, const char *text)
{
	struct source_info info = { 0 };
	struct err e;

	side_free(s);
	if (perf_parse(slice_str(text), false, &arena, &s->doc, &info, &e))
		fail_msg("%s", e.text);
	perf_counters(&s->doc, &arena, &s->list);
}

static const struct counter *find(const char *name)
{
	for (size_t i = 0; i < before.list.n; i++)
		if (slice_eq_str(before.list.at[i].name, name))
			return &before.list.at[i];
	fail_msg("no counter %s", name);
	return NULL;
}

static void assert_value(const char *name, const char *want)
{
	const struct counter *c = find(name);
	char buf[DEC_BUF];

	assert_true(c->present);
	assert_slice(dec_put(buf, c->value), want);
}

/* ---- names ---- */

static void test_names(void **state)
{
	(void)state;
	load(&before, "CPU0,5,,cycles,1,100.00,,\nCPU1,6,,cycles,1,100.00,,\nCPU0,7,,cycles,1,100.00,,\n");
	assert_int_equal(before.list.n, 3);
	assert_value("perf.CPU0.cycles", "5");
	assert_value("perf.CPU1.cycles", "6");
	assert_value("perf.CPU0.cycles#2", "7");
	/* -j says only the number of the CPU */
	load(&before, "{\"cpu\" : \"0\", \"counter-value\" : \"5.000000\", \"event\" : \"cycles\"}\n");
	assert_value("perf.CPU0.cycles", "5");
	load(&before, "S0,2,5,,cycles,1,100.00,,\n");
	assert_value("perf.S0.cycles", "5");
	/* names of old versions are today's */
	load(&before, "412.345678,task-clock-msecs\n2,CPU-migrations\n");
	assert_value("perf.task-clock", "412.345678");
	assert_value("perf.cpu-migrations", "2");
}

/* A # in an event's own name: never two in one. */
static void test_own_numbers(void **state)
{
	(void)state;
	load(&before, "5,,cycles,1,100.00,,\n7,,cycles,1,100.00,,\n11,,cycles#2,1,100.00,,\n13,,cycles#2,1,100.00,,\n");
	assert_int_equal(before.list.n, 4);
	assert_value("perf.cycles", "5");
	assert_value("perf.cycles#2", "7");
	assert_value("perf.cycles#2#2", "11");
	assert_value("perf.cycles#2#3", "13");
	load(&before, "11,,cycles#2,1,100.00,,\n5,,cycles,1,100.00,,\n7,,cycles,1,100.00,,\n9,,cycles,1,100.00,,\n");
	assert_int_equal(before.list.n, 4);
	assert_value("perf.cycles#2", "11");
	assert_value("perf.cycles#3", "7");
	assert_value("perf.cycles#4", "9");
	/* in intervals the same ones again */
	load(&before, "0.100000000,11,,a#2,1,100.00,,\n0.100000000,5,,a,1,100.00,,\n0.100000000,7,,a,1,100.00,,\n"
		      "0.200000000,1,,a#2,1,100.00,,\n0.200000000,2,,a,1,100.00,,\n0.200000000,3,,a,1,100.00,,\n");
	assert_int_equal(before.list.n, 3);
	assert_value("perf.a#2", "12");
	assert_value("perf.a", "7");
	assert_value("perf.a#3", "10");
}

/* An event that is called as the time or a metric is. */
static void test_own_names(void **state)
{
	(void)state;
	load(&before, "# time counts unit events\n"
		      "     0.100000000  5  elapsed\n     0.100000000  7  elapsed\n     0.200000000  1  elapsed\n"
		      "\n Performance counter stats for 'x':\n\n  6  elapsed\n  7  elapsed\n\n"
		      "       0.250000000 seconds time elapsed\n");
	assert_int_equal(before.list.n, 3);
	assert_value("perf.elapsed", "6");
	assert_value("perf.elapsed#2", "7");
	assert_value("perf.elapsed#3", "0.250000000");
	assert_int_equal(find("perf.elapsed#3")->kind, COUNTER_GAUGE);
}

static void test_cgroups(void **state)
{
	(void)state;
	load(&before, "5,,cycles,/a,1,100.00,,\n6,,cycles,/b,1,100.00,,\n");
	assert_value("perf./a.cycles", "5");
	assert_value("perf./b.cycles", "6");
	load(&before, "5,,cycles,/a,1,100.00,,\n6,,instructions,/a,1,100.00,,\n");
	assert_value("perf.cycles", "5");
}

static void test_blocks(void **state)
{
	(void)state;
	load(&before, "# started on a\n5,,cycles,1,100.00,,\n6,,cycles,1,100.00,,\n"
		      "# started on b\n7,,cycles,1,100.00,,\n");
	assert_value("perf.cycles", "5");
	assert_value("perf.cycles#2", "6");
	assert_value("perf.cycles#3", "7");
}

/* ---- intervals ---- */

static void test_intervals(void **state)
{
	(void)state;
	load(&before, "     0.100000000,0.62,msec,task-clock,5,100.00,,\n     0.100000000,57,,page-faults,5,80.00,,\n"
		      "     0.100000000,3,,page-faults,5,100.00,,\n"
		      "     0.200000000,<not counted>,msec,task-clock,0,100.00,,\n     0.200000000,1,,page-faults,5,60.00,,\n"
		      "     0.200000000,4,,page-faults,5,100.00,,\n"
		      "         summary,0.70,msec,task-clock,5,100.00,,\n         summary,58,,page-faults,5,100.00,,\n"
		      "         summary,7,,page-faults,5,100.00,,\n");
	assert_int_equal(before.list.n, 3);
	assert_value("perf.task-clock", "0.62");
	assert_slice(find("perf.task-clock")->note, "not counted in 1 of 2 intervals");
	assert_value("perf.page-faults", "58");
	assert_true(find("perf.page-faults")->running_pct == 60);
	assert_value("perf.page-faults#2", "7");
}

static void test_absent(void **state)
{
	(void)state;
	load(&before, "<not counted>,,cycles,0,0.00,,\n<not supported>,,branches,0,100.00,,\n0,,page-faults,5,100.00,,\n");
	assert_false(find("perf.cycles")->present);
	assert_slice(find("perf.cycles")->note, "not counted");
	assert_slice(find("perf.branches")->note, "not supported");
	assert_value("perf.page-faults", "0");
}

static void test_seconds_and_metrics(void **state)
{
	(void)state;
	load(&before, " Performance counter stats for 'x':\n\n        5      cycles      (19.95%)\n"
		      "                        TopdownL1                 #     80.0 %  tma_backend_bound\n"
		      "                                                  #      nan %  tma_retiring\n"
		      "\n       0.050475315 seconds time elapsed\n\n       0.001 seconds user\n");
	assert_slice(find("perf.cycles")->note, "multiplexed 19.95 %");
	assert_value("perf.elapsed", "0.050475315");
	assert_slice(find("perf.elapsed")->unit, "s");
	assert_int_equal(find("perf.elapsed")->kind, COUNTER_GAUGE);
	assert_value("perf.user", "0.001");
	assert_value("perf.tma_backend_bound", "80.0");
	assert_slice(find("perf.tma_backend_bound")->unit, "%");
	assert_false(find("perf.tma_retiring")->present);
}

static void test_sum_too_large(void **state)
{
	(void)state;
	load(&before, "     0.100000000,99999999999999999999999999999999999999,,cycles,5,100.00,,\n"
		      "     0.200000000,1,,cycles,5,100.00,,\n");
	assert_false(find("perf.cycles")->present);
	assert_slice(find("perf.cycles")->note, "the sum has more than 38 digits");
}

static void test_ranks(void **state)
{
	(void)state;
	assert_true(perf_event_rank(SLICE("dTLB-load-misses")) < perf_event_rank(SLICE("page-faults")));
	assert_true(perf_event_rank(SLICE("page-faults")) < perf_event_rank(SLICE("LLC-loads")));
	assert_true(perf_event_rank(SLICE("cpu_core/dTLB-loads/")) < perf_event_rank(SLICE("cache-misses")));
	assert_int_equal(perf_event_rank(SLICE("cycles")), PERF_RANK_OTHER);
}

/* ---- readings ---- */

static size_t count(const char *id)
{
	size_t n = 0;

	for (size_t i = 0; i < readings.n; i++)
		n += strcmp(readings.at[i].id, id) == 0;
	return n;
}

static void compare(const char *x, const char *y)
{
	load(&before, x);
	load(&after, y);
	counter_rows_free(&rows);
	readings_free(&readings);
	counters_diff(&before.list, &after.list, &arena, &rows);
	perf_diff_readings(&rows, &arena, &readings);
}

static void test_multiplexed_hit(void **state)
{
	(void)state;
	compare("5,,cycles,1,49.00,,\n6,,branches,1,100.00,,\n7,,a,1,20.00,,\n", "5,,cycles,1,100.00,,\n6,,branches,1,51.00,,\n7,,a,1,30.00,,\n");
	assert_int_equal(count("multiplexed"), 1);
	assert_slice(readings.at[0].evidence, "{\"events\":[\"perf.cycles\",\"perf.a\"]}");
	assert_true(slice_has(readings.at[0].text, SLICE("2 events")));
	assert_true(slice_has(readings.at[0].text, SLICE("20 %")));
}

static void test_multiplexed_miss(void **state)
{
	(void)state;
	compare("5,,cycles,1,50.00,,\n", "5,,cycles,1,100.00,,\n");
	assert_int_equal(count("multiplexed"), 0);
	/* not counted on one side: there is no difference to be an estimate */
	compare("<not counted>,,cycles,0,0.00,,\n7,,b,1,20.00,,\n", "5,,cycles,1,20.00,,\n8,,c,1,20.00,,\n");
	assert_int_equal(count("multiplexed"), 0);
}

static void read_one(const char *text)
{
	load(&before, text);
	readings_free(&readings);
	perf_readings(&before.doc, "", &arena, &readings);
}

#define R5 " Performance counter stats for 'x' (5 runs):\n\n"

static void test_last_run_hit(void **state)
{
	(void)state;
	read_one(R5 "         12283.95 msec task-clock      #  240.0 CPUs utilized   ( +-  0.33% )\n"
		    "      45450506727      cycles          #    3.681 GHz           ( +-  0.33% )\n"
		    "      98765432109      instructions    #    2.16  insn per cycle\n"
		    "         86419751      branch-misses   #    0.62% of all branches  ( +- 73.12% )\n"
		    "      19876543210      branches        #    1.610 G/sec  ( +-  7.07% )\n");
	assert_int_equal(count("perf-r-last-run"), 1);
	assert_slice(readings.at[0].evidence, "{\"events\":[\"cycles\",\"instructions\",\"branch-misses\",\"branches\"]}");
	/* CSV does not say how many runs, but has deviations */
	read_one("12283.95,msec,task-clock,0.33%,5,100.00,240.0,CPUs utilized\n45450506727,,cycles,0.33%,5,83.00,3.681,GHz\n");
	assert_int_equal(count("perf-r-last-run"), 1);
}

static void test_last_run_miss(void **state)
{
	(void)state;
	/* they fit: 6.5 and later */
	read_one(R5 "         12345.68 msec task-clock      #  240.0 CPUs utilized   ( +-  0.33% )\n"
		    "      45678901232      cycles          #    3.700 GHz           ( +-  0.33% )\n"
		    "      98765432107      instructions    #    2.16  insn per cycle\n"
		    "        123456788      branch-misses   #    0.62% of all branches  ( +- 51.19% )\n"
		    "      19876543209      branches        #    1.610 G/sec  ( +-  7.07% )\n");
	assert_int_equal(count("perf-r-last-run"), 0);
	/* small counts: the mean was cut */
	read_one(R5 "             0.61 msec task-clock      #    0.012 CPUs utilized\n"
		    "                1      context-switches #   2.459 K/sec      ( +- 37.42% )\n"
		    "              999      page-faults      #    1.000 M/sec\n");
	assert_int_equal(count("perf-r-last-run"), 0);
	/* the digits that were printed allow it */
	read_one(R5 "             0.61 msec task-clock      #    0.012 CPUs utilized\n"
		    "             5000      page-faults     #    8.130 M/sec\n");
	assert_int_equal(count("perf-r-last-run"), 0);
	/* one run; another place; another modifier */
	read_one(" Performance counter stats for 'x':\n\n     45450506727      cycles\n     98765432109      instructions  #  9.99  insn per cycle\n");
	assert_int_equal(count("perf-r-last-run"), 0);
	read_one(R5 "     45450506727      cycles:k\n     98765432109      instructions:u  #  9.99  insn per cycle\n");
	assert_int_equal(count("perf-r-last-run"), 0);
}

/* Every row of the table has a test that hits (above). */
static void test_table(void **state)
{
	(void)state;
	assert_int_equal(perf_reading_count, 2);
	assert_string_equal(perf_reading_rows[0].id, "multiplexed");
	assert_string_equal(perf_reading_rows[1].id, "perf-r-last-run");
	for (size_t i = 0; i < perf_reading_count; i++)
		assert_true(*perf_reading_rows[i].when && *perf_reading_rows[i].sentence && *perf_reading_rows[i].evidence);
}

#define T(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_names),	       T(test_cgroups),		     T(test_blocks),	   T(test_intervals),
		T(test_absent),	       T(test_seconds_and_metrics),  T(test_sum_too_large), T(test_ranks),
		T(test_multiplexed_hit), T(test_multiplexed_miss),   T(test_last_run_hit), T(test_last_run_miss),
		T(test_table),	       T(test_own_numbers),	     T(test_own_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
