/* SPDX-License-Identifier: MIT */
/* A command line: the first byte picks the command, newlines part the words. Its patterns and rules too. */
#include "fuzz.h"

#include "cmd/commands.h"

static void use(enum command_id id, const void *options)
{
	struct filter *f;
	struct err e = { 0 };

	if (judge_filter(&f, options, &e))
		fuzz_error(&e);
	else
		filter_free(f);
	if (id != COMMAND_CHECK)
		return;
	const struct check_options *o = options;
	for (size_t i = 0; i < o->require.n; i++) {
		struct rule r;

		if (rule_parse(slice_str(o->require.at[i]), &r, &e))
			fuzz_error(&e);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	char *argv[64];
	int n = 0;

	if (size == 0)
		return 0;
	enum command_id id = (enum command_id)(data[0] % COMMAND_IDS);
	struct opt_set set = option_set(id);
	struct slice text = fuzz_text(data + 1, size - 1);
	for (struct cut c = slice_cut_line(text); (c.head.n || c.ok) && n < 63; c = slice_cut_line(c.tail))
		argv[n++] = arena_str(&a, c.head);
	argv[n] = NULL;
	void *options = options_new(id);
	struct opt_result r = { 0 };
	struct err e = { 0 };
	if (!opt_parse(&set, n, argv, options, &r, &e))
		use(id, options);
	else if (!e.text[0])
		looks_bad("an error that says nothing", text, 0);
	else
		fuzz_error(&e);
	opt_free(&set, options, &r);
	mem_free(options);
	arena_free(&a);
	return 0;
}
