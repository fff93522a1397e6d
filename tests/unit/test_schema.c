/* SPDX-License-Identifier: MIT */
/* The checker of JSON schemas that fuzzing uses: what it accepts, and above all what it refuses. */
#include "test.h"

#include <glob.h>

#include "base/out.h"
#include "fuzz/schema.h"

static int check(const char *schema, const char *text, struct err *e)
{
	struct schema *s;
	struct json_doc d;

	*e = (struct err){ 0 };
	assert_int_equal(schema_new(slice_str(schema), &s, e), 0);
	assert_int_equal(json_read(slice_str(text), 1, &d, e), 0);
	int status = schema_check(s, &d, d.root, e);
	json_doc_free(&d);
	schema_free(s);
	return status;
}

static const struct {
	const char *schema, *fits, *does_not, *place;
} cases[] = {
	{ "{\"type\":\"object\",\"required\":[\"a\",\"b\"]}", "{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1}", "$: has no member b" },
	{ "{\"type\":\"integer\"}", "18446744073709551616", "1.0", "$: is of another type" },
	{ "{\"type\":\"number\"}", "1.5e3", "\"1\"", "$: is of another type" },
	{ "{\"type\":[\"string\",\"null\"]}", "null", "false", "$: is of another type" },
	{ "{\"type\":\"boolean\"}", "true", "0", "$: is of another type" },
	{ "{\"enum\":[\"a\",1,null,true]}", "1", "\"1\"", "$: is none of the values" },
	{ "{\"enum\":[\"a\",1,null,true]}", "true", "false", "$: is none of the values" },
	{ "{\"const\":\"x\"}", "\"x\"", "\"xx\"", "$: is none of the values" },
	{ "{\"properties\":{\"a\":{\"items\":{\"type\":\"string\"}}}}", "{\"a\":[\"x\"]}", "{\"a\":[\"x\",\"y\",1]}",
	  "$.a[2]: is of another type" },
	{ "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "{\"a\":1}", "{\"a\":1,\"b\":1}", "$.b: is not allowed" },
	{ "{\"additionalProperties\":{\"type\":\"integer\"}}", "{\"a\":1}", "{\"a\":\"1\"}", "$.a: is of another type" },
	{ "{\"propertyNames\":{\"pattern\":\"^[a-z]+$\"}}", "{\"ab\":1}", "{\"aB\":1}", "$.aB: does not match its pattern" },
	{ "{\"pattern\":\"^0x[0-9a-f]+$\"}", "\"0x7f\"", "\"0x7F\"", "$: does not match its pattern" },
	{ "{\"pattern\":\"^([0-9a-f]{2})+$\"}", "\"ff00\"", "\"ff0\"", "$: does not match its pattern" },
	{ "{\"pattern\":\"^a$\"}", "\"a\"", "\"a\\nb\"", "$: does not match its pattern" },
	{ "{\"minimum\":0}", "0", "-1", "$: is out of range" },
	{ "{\"maximum\":1}", "1", "1.5", "$: is out of range" },
	{ "{\"minItems\":1}", "[0]", "[]", "$: has too few elements" },
	{ "{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":3}]}", "4", "2", "$: fits none of anyOf" },
	{ "{\"oneOf\":[{\"minimum\":0},{\"maximum\":5}]}", "7", "3", "$: does not fit just one of oneOf" },
	{ "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},\"$defs\":{\"x\":{\"type\":\"null\"}}}", "{\"a\":null}", "{\"a\":1}",
	  "$.a: is of another type" },
	/* A definition that holds itself. */
	{ "{\"$ref\":\"#/$defs/t\",\"$defs\":{\"t\":{\"items\":{\"$ref\":\"#/$defs/t\"},\"type\":\"array\"}}}", "[[],[[]]]", "[[],[[1]]]",
	  "$[1][0][0]: is of another type" },
	{ "{}", "{\"a\":1}", "{\"a\":1,\"a\":2}", "$: has twice the member a" },
};

static void each_word_refuses(void **state)
{
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (check(cases[i].schema, cases[i].fits, &e))
			fail_msg("%s: %s", cases[i].schema, e.text);
		if (!check(cases[i].schema, cases[i].does_not, &e))
			fail_msg("%s takes %s", cases[i].schema, cases[i].does_not);
		if (strncmp(e.text, cases[i].place, strlen(cases[i].place)) != 0)
			fail_msg("%s: '%s'", cases[i].schema, e.text);
	}
}

static void unknown_words_are_refused(void **state)
{
	static const char *const bad[] = {
		"{\"maxItems\":1}", "{\"items\":{\"format\":\"date\"}}", "{\"type\":\"int\"}", "{\"$ref\":\"#/$defs/x\"}",
		"{\"pattern\":\"(\"}", "{\"properties\":{\"a\":1}}", "{\"enum\":[[]]}", "{\"minimum\":\"0\"}", "[]", "{",
	};
	struct schema *s;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!schema_new(slice_str(bad[i]), &s, &e))
			fail_msg("%s is taken", bad[i]);
}

static int check_own(const char *text, struct err *e)
{
	struct json_doc d;
	int status = -1;

	*e = (struct err){ 0 };
	assert_int_equal(json_read(slice_str(text), 1, &d, e), 0);
	const struct schema *s = schema_of(&d, e);
	if (s)
		status = schema_check(s, &d, d.root, e);
	json_doc_free(&d);
	return status;
}

/* Every schema of the project compiles, and refuses a document that has its name alone. */
static void all_of_the_project(void **state)
{
	struct err e;
	glob_t g;

	(void)state;
	assert_int_equal(glob("schemas/*.json", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 10);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		char name[64], text[128];
		const char *base = g.gl_pathv[i] + strlen("schemas/");

		snprintf(name, sizeof(name), "%.*s", (int)(strlen(base) - strlen(".json")), base);
		*strrchr(name, '-') = '/';
		snprintf(text, sizeof(text), "{\"schema\":\"%s\"}", name);
		assert_int_equal(check_own(text, &e), -1);
		if (strncmp(e.text, "$: ", 3) != 0)
			fail_msg("%s: %s", name, e.text);
	}
	globfree(&g);
	assert_int_equal(check_own("{\"schema\":\"hugecov.none/1\"}", &e), -1);
	assert_non_null(strstr(e.text, "cannot be opened"));
	assert_int_equal(check_own("{}", &e), -1);
}

/* A whole budget, then the same with one thing wrong. */
static void one_thing_wrong(void **state)
{
	static const char good[] =
		"{\"schema\":\"hugecov.budget/1\",\"rules\":[{\"name\":\"a\",\"require\":\"coverage >= 90%\",\"severity\":\"warn\"}]}";
	static const char *const bad[] = {
		"{\"schema\":\"hugecov.budget/1\"}",
		"{\"schema\":\"hugecov.budget/1\",\"rules\":{}}",
		"{\"schema\":\"hugecov.budget/1\",\"rules\":[{\"name\":\"a\",\"severity\":\"warn\"}]}",
		"{\"schema\":\"hugecov.budget/1\",\"rules\":[{\"name\":1,\"require\":\"coverage >= 90%\"}]}",
		"{\"schema\":\"hugecov.budget/1\",\"rules\":[{\"name\":\"a\",\"require\":\"coverage >= 90%\",\"severity\":\"bad\"}]}",
	};
	struct err e;

	(void)state;
	if (check_own(good, &e))
		fail_msg("%s", e.text);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!check_own(bad[i], &e))
			fail_msg("%s is taken", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_refuses),
		cmocka_unit_test(unknown_words_are_refused),
		cmocka_unit_test(all_of_the_project),
		cmocka_unit_test(one_thing_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
