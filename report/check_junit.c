/* SPDX-License-Identifier: MIT */
/*
 * A check as JUnit XML: a suite for each group, one case a rule. It keeps to
 * what the schemas of Ant and of Jenkins both accept (tests/fixtures/junit.xsd):
 * properties belong to the suite, a case has at most one of error, failure and
 * skipped, times have neither zone nor fraction.
 */
#define _GNU_SOURCE
#include <time.h>

#include "base/utf8.h"
#include "report/check_view.h"

/* Numbers are never styled here. */
static const struct text_style plain = { .width = 80 };

/* Text of strangers, made safe, then for XML; what XML 1.0 has no letter for becomes U+FFFD. */
static void put_xml(struct out *o, struct slice text)
{
	struct out safe;

	out_memory(&safe);
	out_safe(&safe, text, false);
	for (struct slice s = out_slice(&safe); s.n;) {
		struct slice rest = s;
		int32_t c = utf8_take(&rest);

		if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
			out_printf(o, "&#%d;", (int)c);
		else if (c < 0x20 || (c & 0xfffe) == 0xfffe)
			out_str(o, "\xef\xbf\xbd");
		else
			out_put(o, slice_first(s, s.n - rest.n));
		s = rest;
	}
	out_close(&safe);
}

static void put_attribute(struct out *o, const char *name, struct slice value)
{
	out_printf(o, " %s=\"", name);
	put_xml(o, value);
	out_byte(o, '"');
}

static void put_memory_attribute(struct out *o, const char *name, struct out *value)
{
	put_attribute(o, name, out_slice(value));
	out_close(value);
}

/* ---- properties: "rule.1.value" ---- */

static void put_property(struct out *o, size_t i, const char *what, struct out *value)
{
	out_printf(o, "      <property name=\"rule.%zu.%s\"", i + 1, what);
	put_memory_attribute(o, "value", value);
	out_str(o, "/>\n");
}

static void property_str(struct out *o, size_t i, const char *what, struct slice value)
{
	struct out v;

	out_memory(&v);
	out_put(&v, value);
	put_property(o, i, what, &v);
}

static void property_measure(struct out *o, size_t i, const char *what, const struct measure *m)
{
	char buf[DEC_BUF];
	struct out v;

	out_memory(&v);
	if (m->known && m->exact)
		out_put(&v, dec_put(buf, dec_trim(m->dec)));
	else if (m->known)
		out_printf(&v, "%.17g", m->v);
	put_property(o, i, what, &v);
}

static void put_rule_properties(struct out *o, size_t i, const struct check_result *r)
{
	struct measure limit = measure_dec(r->g->rule.unit, r->g->rule.limit);

	property_str(o, i, "require", r->g->rule.text);
	property_measure(o, i, "value", &r->value);
	property_measure(o, i, "limit", &limit);
	property_measure(o, i, "distance", &r->distance);
	property_str(o, i, "unit", slice_str(unit_names[r->g->rule.unit]));
	property_str(o, i, "nature", slice_str(nature_names[r->g->rule.nature]));
	property_str(o, i, "may_vary", check_may_vary(r) ? SLICE("true") : SLICE("false"));
	property_str(o, i, "severity", r->g->warn ? SLICE("warn") : SLICE("fail"));
	property_str(o, i, "verdict", slice_str(outcome_names[r->outcome]));
}

/* ---- cases ---- */

/* The rule's name, and its limit when several share the name. */
static void put_case_head(struct out *o, const struct gate_rule *g)
{
	struct out name;

	out_memory(&name);
	out_put(&name, g->name);
	if (!slice_eq(g->name, g->rule.text)) {
		out_str(&name, ": ");
		out_put(&name, g->rule.text);
	}
	out_str(o, "    <testcase classname=\"hugecov.check\" time=\"0\"");
	put_memory_attribute(o, "name", &name);
}

static void put_blame_text(struct out *o, const struct check_result *r)
{
	for (size_t i = 0; i < r->blame_n; i++) {
		const struct check_blame *b = &r->blame[i];

		out_byte(o, '\n');
		check_put_place(o, b);
		put_xml(o, b->name);
		out_printf(o, " %s: ", finding_rules[b->id].id);
		put_xml(o, b->message);
		out_byte(o, ' ');
		put_xml(o, b->advice);
	}
	if (r->blame_more)
		out_printf(o, "\n%zu more", r->blame_more);
}

/* What the rule asks, what is, and whether it may change: one sentence. */
static void put_result_sentence(struct out *o, const struct check_result *r)
{
	check_put_rule(o, &plain, &r->g->rule);
	out_str(o, ": ");
	check_put_sentence(o, &plain, r);
	out_printf(o, " [%s%s]", nature_names[r->g->rule.nature],
		   check_may_vary(r) ? ": may change from run to run" : "");
}

static void put_case(struct out *o, const struct check_result *r)
{
	static const char *const elements[] = {
		[MARK_FAIL] = "failure", [MARK_COULD_NOT] = "error"
	};
	enum check_mark mark = check_mark(r);
	bool overruled = mark == MARK_PASS && r->why;
	const char *element = overruled ? "skipped" : elements[mark];
	struct out message;

	put_case_head(o, r->g);
	if (!element) {
		out_str(o, "/>\n");
		return;
	}
	out_memory(&message);
	put_result_sentence(&message, r);
	out_printf(o, ">\n      <%s", element);
	if (!overruled)
		put_attribute(o, "type", slice_str(nature_names[r->g->rule.nature]));
	put_attribute(o, "message", out_slice(&message));
	if (overruled) {
		out_str(o, "/>\n    </testcase>\n");
	} else {
		out_byte(o, '>');
		put_xml(o, out_slice(&message));
		put_blame_text(o, r);
		out_printf(o, "</%s>\n    </testcase>\n", element);
	}
	out_close(&message);
}

static void put_error_case(struct out *o, const char *why)
{
	out_str(o, ">\n      <error type=\"could-not\"");
	put_attribute(o, "message", slice_str(why));
	out_str(o, "/>\n    </testcase>\n");
}

/* ---- suites ---- */

struct suite {
	const char *name;
	size_t tests, failures, errors, skipped;
};

static void put_suite_head(struct out *o, const struct check_view *v, int id, const struct suite *s)
{
	time_t seconds = (time_t)(v->time_ns / 1000000000);
	char stamp[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
	out_printf(o, "  <testsuite id=\"%d\" package=\"hugecov\"", id);
	put_attribute(o, "name", slice_str(s->name));
	out_printf(o, " timestamp=\"%s\" hostname=\"localhost\"", stamp);
	out_printf(o, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", s->tests,
		   s->failures, s->errors, s->skipped);
	out_str(o, " time=\"0\">\n");
}

static void put_suite_end(struct out *o)
{
	out_str(o, "    <system-err/>\n  </testsuite>\n");
}

static void put_group_out(struct out *o, const struct check_group *g)
{
	struct out line;

	out_str(o, "    <system-out>");
	out_memory(&line);
	check_put_summary(&line, g);
	for (size_t i = 0; i < g->n; i++) {
		static const char *const words[] = { "pass", "FAIL", "warn", "????" };

		put_xml(o, out_slice(&line));
		out_printf(o, "\n%s  ", words[check_mark(&g->results[i])]);
		out_reset(&line);
		put_result_sentence(&line, &g->results[i]);
	}
	put_xml(o, out_slice(&line));
	for (size_t i = 0; i < g->notes_n; i++) {
		out_str(o, "\nnote  ");
		put_xml(o, slice_str(g->notes[i]));
	}
	out_str(o, "</system-out>\n");
	out_close(&line);
}

static void put_group(struct out *o, const struct check_view *v, int id,
		      const struct check_group *g)
{
	struct suite s = { .name = g->title, .tests = g->n };

	for (size_t i = 0; i < g->n; i++) {
		enum check_mark m = check_mark(&g->results[i]);

		s.failures += m == MARK_FAIL;
		s.errors += m == MARK_COULD_NOT;
		s.skipped += m == MARK_PASS && g->results[i].why;
	}
	put_suite_head(o, v, id, &s);
	out_str(o, "    <properties>\n");
	for (size_t i = 0; i < g->n; i++)
		put_rule_properties(o, i, &g->results[i]);
	out_str(o, "    </properties>\n");
	for (size_t i = 0; i < g->n; i++)
		put_case(o, &g->results[i]);
	put_group_out(o, g);
	put_suite_end(o);
}

/* Nothing was judged: each rule is an error, and without rules the check is one. */
static void put_error(struct out *o, const struct check_view *v)
{
	size_t n = v->rules->n;

	struct suite s = { .name = "hugecov check", .tests = n ? n : 1, .errors = n ? n : 1 };

	put_suite_head(o, v, 0, &s);
	out_str(o, "    <properties/>\n");
	for (size_t i = 0; i < n; i++) {
		put_case_head(o, &v->rules->at[i]);
		put_error_case(o, v->error);
	}
	if (!n) {
		out_str(o, "    <testcase classname=\"hugecov.check\" time=\"0\" name=\"check\"");
		put_error_case(o, v->error);
	}
	out_str(o, "    <system-out>");
	for (size_t i = 0; i < v->suggestions_n; i++) {
		put_xml(o, slice_str(v->suggestions[i].rule));
		out_byte(o, '\n');
	}
	out_str(o, "</system-out>\n");
	put_suite_end(o);
}

static void put_trials(struct out *o, const struct check_view *v)
{
	struct suite s = { .name = "self-test", .tests = v->trials_n };

	for (size_t i = 0; i < v->trials_n; i++)
		s.failures += !v->trials[i].can_pass || !v->trials[i].can_fail;
	put_suite_head(o, v, 0, &s);
	out_str(o, "    <properties/>\n");
	for (size_t i = 0; i < v->trials_n; i++) {
		const struct check_trial *t = &v->trials[i];

		put_case_head(o, t->g);
		if (t->can_pass && t->can_fail) {
			out_str(o, "/>\n");
			continue;
		}
		out_str(o, ">\n      <failure type=\"self-test\"");
		put_attribute(o, "message", slice_str(t->why	    ? t->why :
						      t->can_pass ? "can never fail" :
								    "can never pass"));
		out_str(o, "/>\n    </testcase>\n");
	}
	out_str(o, "    <system-out/>\n");
	put_suite_end(o);
}

static bool command_failed(const struct check_command *c)
{
	return !c->ran || c->status != 0;
}

static void put_command(struct out *o, const struct check_view *v, int id)
{
	const struct check_command *c = v->command;
	bool bad = command_failed(c);

	put_suite_head(o, v, id, &(struct suite){ .name = "command", .tests = 1, .errors = bad });
	out_str(o, "    <properties/>\n    <testcase classname=\"hugecov.check\"");
	out_printf(o, " time=\"%.3f\"", c->seconds);
	put_attribute(o, "name", slice_str(c->argv[0]));
	if (bad)
		put_error_case(o, v->error ? v->error : "the command failed");
	else
		out_str(o, "/>\n");
	out_str(o, "    <system-out/>\n");
	put_suite_end(o);
}

void check_junit(struct out *o, const struct check_view *v)
{
	int id = 0;

	out_str(o, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	if (v->trials_n)
		put_trials(o, v);
	else if (!v->groups_n)
		put_error(o, v);
	for (size_t i = 0; i < v->groups_n; i++)
		put_group(o, v, id++, &v->groups[i]);
	if (v->command)
		put_command(o, v, id + !v->groups_n);
	out_str(o, "</testsuites>\n");
}
