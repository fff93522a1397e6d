/* SPDX-License-Identifier: MIT */
/* Budget files: what is read, and the line and column of each fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "model/budget.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HEAD "{\"schema\":\"hugecov.budget/1\",\"rules\":["

static struct arena arena;
static struct gate_rules rules;

static int teardown(void **state)
{
	(void)state;
	gate_rules_free(&rules);
	arena_free(&arena);
	return 0;
}

static void assert_slice(struct slice s, const char *want)
{
	char buf[200];

	assert_string_equal(slice_cstr(s, buf, sizeof(buf)), want);
}

static void test_everything(void **state)
{
	struct err e;
	const char *text =
		"{\n  \"$schema\": \"hugecov.budget-1.json\",\n  \"schema\": \"hugecov.budget/1\",\n  \"rules\": [\n"
		"    {\"name\": \"heap\", \"require\": [\"delta.huge_kb >= -2%\", \"delta.huge_kb >= -64MiB\"],\n"
		"     \"select\": {\"match\": \"^\\\\[heap\\\\]$\", \"class\": \"anon,shmem\", \"min_size_kb\": 2048},\n"
		"     \"severity\": \"warn\"},\n"
		"    {\"require\": \"meminfo.AnonHugePages.percent >= -5\", \"select\": {\"table\": 2}},\n"
		"    {\"require\": \"thp-loss == 0\", \"severity\": \"fail\", \"select\": null, \"name\": null}\n  ]\n}\n";

	(void)state;
	if (budget_read(slice_str(text), &arena, &rules, &e))
		fail_msg("%lu:%lu: %s", e.line, e.column, e.text);
	assert_int_equal(rules.n, 4);
	for (int i = 0; i < 2; i++) {
		assert_slice(rules.at[i].name, "heap");
		assert_true(rules.at[i].warn);
		assert_string_equal(rules.at[i].select.match, "^\\[heap\\]$");
		assert_int_equal(rules.at[i].select.classes, 1u << CLASS_ANON | 1u << CLASS_SHMEM);
		assert_int_equal(rules.at[i].select.min_size_kb, 2048);
		assert_int_equal(rules.at[i].line, 5);
	}
	assert_true(rules.at[0].rule.relative);
	assert_false(rules.at[1].rule.relative);
	assert_slice(rules.at[2].name, "meminfo.AnonHugePages.percent >= -5");
	assert_slice(rules.at[2].select.table, "2");
	assert_false(selector_of_mappings(&rules.at[2].select));
	assert_slice(rules.at[3].rule.metric, "thp-loss");
	assert_false(rules.at[3].warn);
}

static void test_faults_and_their_place(void **state)
{
	static const struct {
		const char *text;
		unsigned long line, column;
		const char *says;
	} cases[] = {
		{ "", 1, 1, "" },
		{ "[]", 1, 1, "a budget is an object" },
		{ "{\"rules\":[]}", 1, 1, "hugecov.budget/1" },
		{ "{\"schema\":\"hugecov.report/1\",\n\"rules\":[]}", 1, 11, "hugecov.budget/1" },
		{ "{\"schema\":\"hugecov.budget/1\"}", 1, 1, "no rules" },
		{ HEAD "]}", 1, 38, "no rules" },
		{ HEAD "\n 7]}", 2, 2, "a rule is an object" },
		{ HEAD "\n {}]}", 2, 2, "without \"require\"" },
		{ HEAD "\n {\"require\":[]}]}", 2, 13, "no limit" },
		{ HEAD "\n {\"require\":null}]}", 2, 13, "a string" },
		{ HEAD "\n {\"require\":[7]}]}", 2, 14, "not a string" },
		{ HEAD "\n {\"require\":\"coverge >= 9%\"}]}", 2, 14, "did you mean coverage" },
		{ HEAD "\n {\"require\":\"coverage >= 9\"}]}", 2, 26, "needs a %" },
		{ HEAD "\n {\"require\":\"\\u0063overage >= 9\"}]}", 2, 13, "needs a %" },
		{ HEAD "\n {\"require\":\"thp-loss == 0\",\n  \"serverity\":\"fail\"}]}", 3, 3, "did you mean severity" },
		{ HEAD "\n {\"require\":\"thp-loss == 0\",\"severity\":\"bad\"}]}", 2, 40, "\"fail\" or \"warn\"" },
		{ HEAD "\n {\"require\":\"thp-loss == 0\",\"require\":\"thp-loss == 1\"}]}", 2, 29, "a second time" },
		{ HEAD "\n {\"require\":\"thp-loss == 0\",\"select\":{\"class\":\"anno\"}}]}", 2, 47, "no class 'anno'" },
		{ HEAD "\n {\"require\":\"thp-loss == 0\",\"select\":{\"clas\":\"anon\"}}]}", 2, 39, "unknown key" },
		{ HEAD "\n {\"require\":\"thp-loss == 0\",\"select\":{\"min_size_kb\":-1}}]}", 2, 53, "" },
		{ HEAD "\n {\"require\":\"thp-loss == 0\",\"select\":{\"table\":\"\"}}]}", 2, 47, "any table" },
		{ HEAD "\n {\"require\":\"thp-loss == 0\"}],\"rule\":1}", 2, 31, "did you mean rules" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err e = { 0 };

		if (budget_read(slice_str(cases[i].text), &arena, &rules, &e) == 0)
			fail_msg("read: %s", cases[i].text);
		if (e.line != cases[i].line || e.column != cases[i].column || !strstr(e.text, cases[i].says))
			fail_msg("case %zu: %lu:%lu: %s", i, e.line, e.column, e.text);
		assert_int_equal(rules.n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_everything, teardown),
		cmocka_unit_test_teardown(test_faults_and_their_place, teardown),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
