/* SPDX-License-Identifier: MIT */
/* Rules: what they are by their form, units, faults with their place; judging at the limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "model/judge.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct rule parsed(const char *text)
{
	struct rule r;
	struct err e;

	if (rule_parse(slice_str(text), &r, &e))
		fail_msg("%s: %lu: %s", text, e.column, e.text);
	return r;
}

static void test_forms(void **state)
{
	static const struct {
		const char *text;
		enum rule_form form;
		const char *metric, *op, *limit;
		enum unit unit;
		enum nature nature;
	} cases[] = {
		{ "coverage >= 90%", RULE_METRIC, "coverage", ">=", "0.90", UNIT_FRACTION, NATURE_DELIVERY },
		{ "coverage>=90%", RULE_METRIC, "coverage", ">=", "0.90", UNIT_FRACTION, NATURE_DELIVERY },
		{ "\t share\t<  66.65 % ", RULE_METRIC, "share", "<", "0.6665", UNIT_FRACTION, NATURE_DELIVERY },
		{ "huge_kb >= 128MiB", RULE_METRIC, "huge_kb", ">=", "131072", UNIT_KB, NATURE_DELIVERY },
		{ "huge_kb >= 1.5 GiB", RULE_METRIC, "huge_kb", ">=", "1572864", UNIT_KB, NATURE_DELIVERY },
		{ "rss_kb<=12", RULE_METRIC, "rss_kb", "<=", "12", UNIT_KB, NATURE_DELIVERY },
		{ "rss_kb<=12kB", RULE_METRIC, "rss_kb", "<=", "12", UNIT_KB, NATURE_DELIVERY },
		{ "policy_loss_kb == 0", RULE_METRIC, "policy_loss_kb", "==", "0", UNIT_KB, NATURE_LAYOUT },
		{ "slots_lost != 3", RULE_METRIC, "slots_lost", "!=", "3", UNIT_COUNT, NATURE_PLACEMENT },
		{ "thp_loss_kb < 2MiB", RULE_METRIC, "thp_loss_kb", "<", "2048", UNIT_KB, NATURE_DELIVERY },
		{ "needs-advice == 0", RULE_FINDING, "needs-advice", "==", "0", UNIT_COUNT, NATURE_LAYOUT },
		{ "thp-loss == 0", RULE_FINDING, "thp-loss", "==", "0", UNIT_COUNT, NATURE_DELIVERY },
		{ "delta.coverage >= -5%", RULE_DELTA, "delta.coverage", ">=", "-0.05", UNIT_POINTS, NATURE_DELIVERY },
		{ "delta.huge_kb >= -5%", RULE_DELTA, "delta.huge_kb", ">=", "-5", UNIT_PERCENT, NATURE_DELIVERY },
		{ "delta.huge_kb >= -2MiB", RULE_DELTA, "delta.huge_kb", ">=", "-2048", UNIT_KB, NATURE_DELIVERY },
		{ "delta.slots_lost <= +1", RULE_DELTA, "delta.slots_lost", "<=", "1", UNIT_COUNT, NATURE_PLACEMENT },
		{ "counters[vmstat.thp_fault_alloc].delta > 100", RULE_COUNTER, "counters[vmstat.thp_fault_alloc].delta",
		  ">", "100", UNIT_NUMBER, NATURE_DELIVERY },
		{ "counters[perf.a[0]>=b].percent<5", RULE_COUNTER, "counters[perf.a[0]>=b].percent", "<", "5",
		  UNIT_PERCENT, NATURE_DELIVERY },
		{ "meminfo.AnonHugePages.percent >= -5%", RULE_CELL, "meminfo.AnonHugePages.percent", ">=", "-5",
		  UNIT_PERCENT, NATURE_DELIVERY },
		{ "perf-stat.total.instructions.head<=1.5e+13", RULE_CELL, "perf-stat.total.instructions.head", "<=",
		  "15000000000000", UNIT_NUMBER, NATURE_DELIVERY },
		{ "totals.waterfall.shmem.coverage > 5%", RULE_PATH, "totals.waterfall.shmem.coverage", ">", "0.05",
		  UNIT_FRACTION, NATURE_DELIVERY },
		{ "totals.size_kb < 1TiB", RULE_PATH, "totals.size_kb", "<", "1073741824", UNIT_KB, NATURE_DELIVERY },
		{ "system.meminfo.HugePages_Total == 7", RULE_PATH, "system.meminfo.HugePages_Total", "==", "7",
		  UNIT_NUMBER, NATURE_DELIVERY },
	};
	char buf[200], digits[DEC_BUF];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rule r = parsed(cases[i].text);

		if (r.form != cases[i].form || r.unit != cases[i].unit || r.nature != cases[i].nature)
			fail_msg("%s: form %d unit %d nature %d", cases[i].text, r.form, r.unit, r.nature);
		assert_string_equal(slice_cstr(r.metric, buf, sizeof(buf)), cases[i].metric);
		assert_string_equal(rule_ops[r.op], cases[i].op);
		assert_string_equal(slice_cstr(dec_put(digits, r.limit), buf, sizeof(buf)), cases[i].limit);
	}
}

static void test_counter_name_ends_at_the_last_bracket(void **state)
{
	char buf[80];

	(void)state;
	struct rule r = parsed("counters[perf.a].delta].after >= 1");
	assert_string_equal(slice_cstr(r.name, buf, sizeof(buf)), "perf.a].delta");
	assert_int_equal(r.side, SIDE_AFTER);
	r = parsed("a.b.c.base >= 1");
	assert_string_equal(slice_cstr(r.name, buf, sizeof(buf)), "a.b.c");
	assert_int_equal(r.side, SIDE_BEFORE);
}

static void test_faults_and_their_place(void **state)
{
	static const struct {
		const char *text;
		unsigned long column;
		const char *says;
	} cases[] = {
		{ "", 1, "empty" },
		{ "   ", 1, "empty" },
		{ "coverage", 9, "no operator" },
		{ "coverage = 90%", 10, "write ==" },
		{ ">= 90%", 1, "a metric is due" },
		{ "coverage >=", 12, "a value is due" },
		{ "coverage >= x", 13, "a number is due" },
		{ "coverage >= -", 13, "a number is due" },
		{ "coverage >= .", 13, "a number is due" },
		{ "coverage >= 0.9", 13, "needs a %" },
		{ "coverage >= 90kB", 13, "needs a %" },
		{ "coverge >= 90%", 1, "did you mean coverage?" },
		{ "need-advice == 0", 1, "did you mean needs-advice?" },
		{ "delta.hugekb == 0", 1, "did you mean delta.huge_kb?" },
		{ "delta.thp_loss_kb == 0", 1, "unknown metric" },
		{ "total.rss_kb == 0", 1, "unknown metric" },
		{ "huge_kb >= 5%", 12, "no %" },
		{ "huge_kb >= 5MB", 13, "unknown unit 'MB'" },
		{ "huge_kb >= 1,000", 13, "without commas" },
		{ "huge_kb >= 1.2.3", 12, "no number" },
		{ "huge_kb >= 999999999999999999999999999999999999999", 12, "too large" },
		{ "huge_kb >= 99999999999999999999999999999999999999TiB", 12, "too large" },
		{ "needs-advice == 1kB", 17, "not a size" },
		{ "slots_lost == 1%", 15, "no %" },
		{ "counters[a.delta == 1", 10, "counters[NAME]" },
		{ "counters[a].dalta == 1", 12, ".before, .after" },
		{ "counters[a] == 1", 12, ".before, .after" },
		{ "counters[].delta == 1", 10, "counters[NAME]" },
		{ "counters[a].delta == 1%", 22, "no %" },
		{ "counters[a].percent == 1kB", 24, "not a size" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rule r;
		struct err e;

		if (rule_parse(slice_str(cases[i].text), &r, &e) == 0)
			fail_msg("parsed: %s", cases[i].text);
		if (e.column != cases[i].column || !strstr(e.text, cases[i].says))
			fail_msg("%s: column %lu: %s", cases[i].text, e.column, e.text);
	}
}

/* Every operator below, at and above its limit. */
static void test_operators(void **state)
{
	static const struct {
		const char *text;
		enum outcome below, at, above;
	} cases[] = {
		{ "huge_kb < 10", OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_FAIL },
		{ "huge_kb <= 10", OUTCOME_PASS, OUTCOME_PASS, OUTCOME_FAIL },
		{ "huge_kb == 10", OUTCOME_FAIL, OUTCOME_PASS, OUTCOME_FAIL },
		{ "huge_kb != 10", OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_PASS },
		{ "huge_kb >= 10", OUTCOME_FAIL, OUTCOME_PASS, OUTCOME_PASS },
		{ "huge_kb > 10", OUTCOME_FAIL, OUTCOME_FAIL, OUTCOME_PASS },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rule r = parsed(cases[i].text);
		struct measure m[3] = { measure_whole(UNIT_KB, 9), measure_whole(UNIT_KB, 10), measure_whole(UNIT_KB, 11) };
		struct measure unknown = measure_unknown(UNIT_KB, "no reason");

		assert_int_equal(judge_rule(&r, &m[0]), cases[i].below);
		assert_int_equal(judge_rule(&r, &m[1]), cases[i].at);
		assert_int_equal(judge_rule(&r, &m[2]), cases[i].above);
		assert_int_equal(judge_rule(&r, &unknown), OUTCOME_COULD_NOT);
	}
}

/* Ratios that are the limit exactly hold, whatever binary fractions make of them. */
static void test_exact_at_the_limit(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 999; n++) {
		char text[40];
		struct measure m = measure_ratio(n * 2048ull, 1000 * 2048ull, NULL);

		snprintf(text, sizeof(text), "coverage == %u.%u%%", n / 10, n % 10);
		struct rule r = parsed(text);
		assert_int_equal(judge_rule(&r, &m), OUTCOME_PASS);
		/* n/1000 - 1/7 = x: points against a side of another divisor. */
		m = measure_points(n, 1000, 1, 4);
		snprintf(text, sizeof(text), "delta.coverage == %.1f%%", (n - 250.0) / 10);
		r = parsed(text);
		assert_int_equal(judge_rule(&r, &m), OUTCOME_PASS);
	}
	struct measure big = measure_whole(UNIT_KB, INT64_MAX);
	struct rule r = parsed("huge_kb < 9223372036854775807");
	assert_int_equal(judge_rule(&r, &big), OUTCOME_FAIL);
	r = parsed("huge_kb < 9223372036854775808");
	assert_int_equal(judge_rule(&r, &big), OUTCOME_PASS);
}

static void test_differences(void **state)
{
	struct measure a = measure_whole(UNIT_KB, 1000), b = measure_whole(UNIT_KB, 950), zero = measure_whole(UNIT_KB, 0);
	struct measure d = measure_delta(&a, &b, false);

	(void)state;
	assert_true(d.exact && d.v == -50 && d.unit == UNIT_KB);
	d = measure_delta(&a, &b, true);
	assert_true(d.known && d.v == -5 && d.unit == UNIT_PERCENT);
	assert_false(measure_delta(&zero, &b, true).known);
	struct measure none = measure_unknown(UNIT_KB, "gone");
	assert_string_equal(measure_delta(&none, &b, false).why, "gone");
	assert_string_equal(measure_delta(&b, &none, false).why, "gone");
	struct rule r = parsed("huge_kb >= 1000");
	d = judge_distance(&r, &b);
	assert_true(d.exact && d.v == -50);
	assert_false(measure_ratio(0, 0, "why").known);
}

static void test_written_again(void **state)
{
	static const char *const same[] = { "coverage >= 66.6%", "huge_kb <= 143360", "delta.huge_kb > -5%",
					    "delta.share >= -0.5%", "needs-advice == 0", "coverage == 100%" };
	struct out o;

	(void)state;
	out_memory(&o);
	for (size_t i = 0; i < COUNT(same); i++) {
		struct rule r = parsed(same[i]);

		out_reset(&o);
		rule_write(&o, &r, r.limit);
		out_byte(&o, '\0');
		assert_string_equal(o.buf, same[i]);
	}
	out_close(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_counter_name_ends_at_the_last_bracket),
		cmocka_unit_test(test_faults_and_their_place),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_exact_at_the_limit),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_written_again),
	};

	return cmocka_run_group_tests_name("rule", tests, NULL, NULL);
}
