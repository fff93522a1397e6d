/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cmd/commands.h"

/* One parse of words separated by blanks; '_' stands for a blank inside a word. */
struct trial {
	struct opt_set set;
	void *options;
	struct opt_result r;
	struct err e;
	char text[400];
	char *argv[40];
	int n, status;
};

static void try(struct trial *t, enum command_id id, const char *line)
{
	*t = (struct trial){ .set = option_set(id), .options = options_new(id) };
	snprintf(t->text, sizeof(t->text), "%s", line);
	for (char *p = strtok(t->text, " "); p; p = strtok(NULL, " ")) {
		for (char *q = p; *q; q++)
			*q = *q == '_' ? ' ' : *q;
		t->argv[t->n++] = p;
	}
	t->status = opt_parse(&t->set, t->n, t->argv, t->options, &t->r, &t->e);
}

static void done(struct trial *t)
{
	opt_free(&t->set, t->options, &t->r);
	mem_free(t->options);
}

static void refused(enum command_id id, const char *line, const char *text)
{
	struct trial t;

	try(&t, id, line);
	assert_int_equal(t.status, -1);
	assert_int_equal(t.e.kind, ERR_USAGE);
	if (!strstr(t.e.text, text))
		fail_msg("%s: '%s' lacks '%s'", line, t.e.text, text);
	done(&t);
}

static void test_values(void **state)
{
	(void)state;
	struct trial t;

	try(&t, COMMAND_REPORT,
	    "a --format json --class=anon,file --min-size 2MiB -an5 --match [anon] b --color never -");
	assert_int_equal(t.status, 0);
	struct report_options *o = t.options;
	assert_int_equal(o->common.format, FORMAT_JSON);
	assert_int_equal(o->common.classes, OPT_CLASS_ANON | OPT_CLASS_FILE);
	assert_int_equal(o->common.min_size_kb, 2048);
	assert_true(o->common.all);
	assert_int_equal(o->common.top, 5);
	assert_string_equal(o->common.match, "[anon]");
	assert_int_equal(o->common.color, COLOR_NEVER);
	assert_int_equal(t.r.words.n, 3);
	assert_string_equal(t.r.words.at[2], "-");
	done(&t);
}

static void test_defaults(void **state)
{
	(void)state;
	struct trial t;

	try(&t, COMMAND_WATCH, "4711");
	struct watch_options *o = t.options;
	assert_string_equal(o->common.root, "/");
	assert_int_equal(o->interval_ms, 1000);
	assert_true(o->max_cpu == 2.0);
	done(&t);
	try(&t, COMMAND_CHECK, "");
	assert_int_equal(((struct check_options *)t.options)->samples, 1);
	done(&t);
}

static void test_last_wins_lists_append(void **state)
{
	(void)state;
	struct trial t;

	try(&t, COMMAND_CHECK,
	    "--require coverage_>=_90% --budget a --budget b --require=x==0 --pid 3 --pid 4 x");
	struct check_options *o = t.options;
	assert_string_equal(o->budget, "b");
	assert_int_equal(o->require.n, 2);
	assert_string_equal(o->require.at[0], "coverage >= 90%");
	assert_string_equal(o->require.at[1], "x==0");
	assert_int_equal(o->common.pids.n, 2);
	assert_int_equal(o->common.pids.at[1], 4);
	done(&t);
}

static void test_lists_of_sources(void **state)
{
	(void)state;
	struct trial t;

	try(&t, COMMAND_DIFF, "--before a1 a2 - --exit-code --after=b1 b2 --before a4");
	struct diff_options *o = t.options;
	assert_int_equal(t.status, 0);
	assert_int_equal(o->before.n, 4);
	assert_int_equal(o->after.n, 2);
	assert_int_equal(t.r.words.n, 0);
	assert_true(o->exit_code);
	done(&t);
}

static void test_two_dashes(void **state)
{
	(void)state;
	struct trial t;

	try(&t, COMMAND_CHECK, "--require a>=1 -- ./bench --size 4G -- x");
	assert_int_equal(t.r.words.n, 0);
	assert_int_equal(t.r.rest_n, 5);
	assert_string_equal(t.r.rest[1], "--size");
	assert_null(t.r.rest[5]);
	done(&t);
	try(&t, COMMAND_REPORT, "-- --all -x");
	assert_int_equal(t.status, 0);
	assert_int_equal(t.r.words.n, 2);
	assert_null(t.r.rest);
	done(&t);
}

static void test_refusals(void **state)
{
	(void)state;
	refused(COMMAND_REPORT, "--fromat json",
		"report: unknown option '--fromat' (did you mean --format?)");
	refused(COMMAND_REPORT, "--form json", "unknown option '--form' (did you mean --format?)");
	refused(COMMAND_REPORT, "--qqqqq", "unknown option '--qqqqq'");
	refused(COMMAND_REPORT, "-format json", "did you mean --format?");
	refused(COMMAND_REPORT, "--format yaml", "--format is text, json or csv, not 'yaml'");
	refused(COMMAND_CHECK, "--format csv",
		"--format is text, json, junit, github or markdown, not 'csv'");
	refused(COMMAND_REPORT, "--class anon,fil", "not 'fil'");
	refused(COMMAND_REPORT, "--class=", "not ''");
	refused(COMMAND_REPORT, "--top 0", "a whole number from 1 to 1000000000, not '0'");
	refused(COMMAND_REPORT, "--top 99999999999999999999", "not '99999999999999999999'");
	refused(COMMAND_REPORT, "--top -1", "not '-1'");
	refused(COMMAND_REPORT, "--top", "--top needs its N");
	refused(COMMAND_REPORT, "--output --all", "--output needs its FILE");
	refused(COMMAND_REPORT, "--output=", "the FILE of --output is empty");
	refused(COMMAND_REPORT, "--all=yes", "--all takes no argument");
	refused(COMMAND_REPORT, "--min-size 2XB", "not '2XB'");
	refused(COMMAND_REPORT, "--pmd-size 1", "from 64kB to 1073741824kB, not '1'");
	refused(COMMAND_REPORT, "--pmd-size 3072", "a power of two from 64kB to 1073741824kB, not '3072'");
	refused(COMMAND_WATCH, "--interval 1ms", "from 50ms to 86400s, not '1ms'");
	refused(COMMAND_WATCH, "--max-cpu 101%", "from 0% to 100%, not '101%'");
	refused(COMMAND_WATCH, "--strict", "unknown option '--strict'");
	refused(COMMAND_SNAP, "--match x", "unknown option '--match'");
}

static void test_help_stops(void **state)
{
	(void)state;
	struct trial t;

	try(&t, COMMAND_REPORT, "--all --help --nonsense");
	assert_int_equal(t.status, 0);
	assert_true(t.r.help);
	done(&t);
}

static void test_durations(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool ok;
		uint64_t ms;
	} rows[] = {
		{ "500ms", true, 500 },	 { "1s", true, 1000 },	   { "2m", true, 120000 },
		{ "1.5s", true, 1500 },	 { "0.05s", true, 50 },	   { "2", true, 2000 },
		{ "1h", true, 3600000 }, { "0.5ms", false, 0 },	   { "1.", false, 0 },
		{ "s", false, 0 },	 { "1 s", false, 0 },	   { "-1s", false, 0 },
		{ "1d", false, 0 },	 { "18446744073709551615h", false, 0 },
		{ "", false, 0 },	 { "1.2345s", false, 0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ms = 0;

		if (opt_read_duration(slice_str(rows[i].text), &ms) != rows[i].ok || ms != rows[i].ms)
			fail_msg("%s: %llu", rows[i].text, (unsigned long long)ms);
	}
}

/* A table is right when no option stands twice, and each says what --help and completions need. */
static void test_tables(void **state)
{
	(void)state;
	for (enum command_id id = 0; id < COMMAND_IDS; id++) {
		struct opt_set set = option_set(id);
		const struct opt *a, *b;

		for (size_t i = 0; (a = opt_row(&set, i)); i++) {
			assert_non_null(a->help);
			assert_int_not_equal(a->help[strlen(a->help) - 1], '.');
			assert_int_equal(a->metavar == NULL, a->kind == OPT_FLAG);
			assert_int_equal(a->choices != NULL,
					 a->kind == OPT_CHOICE || a->kind == OPT_CHOICES);
			for (size_t k = i + 1; (b = opt_row(&set, k)); k++) {
				assert_string_not_equal(a->name, b->name);
				assert_true(!a->letter || a->letter != b->letter);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	     cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_last_wins_lists_append),
		cmocka_unit_test(test_lists_of_sources), cmocka_unit_test(test_two_dashes),
		cmocka_unit_test(test_refusals),     cmocka_unit_test(test_help_stops),
		cmocka_unit_test(test_durations),    cmocka_unit_test(test_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
