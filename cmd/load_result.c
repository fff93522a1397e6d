/* SPDX-License-Identifier: MIT */
/* A directory of the test robot's results: a commit (matrix.json) or a run (stats.json). */
#include "cmd/load_internal.h"
#include "parse/lkp_result.h"

enum { RESULT_MAX = 512 * 1024 * 1024 };

/* Large ones are kept compressed. */
static enum got read_result(struct load *l, struct tree *t, const char *name, struct slice *ret, struct err *e)
{
	struct stream *s;
	enum got got = stream_open(t, name, 0, &s, e);

	if (got != GOT_ALL)
		return got;
	stream_unpack(s);
	if (stream_all(s, RESULT_MAX, &l->arena, ret, e))
		got = GOT_FAILED;
	stream_close(s);
	return got;
}

static const char *const names[] = { "matrix.json", "matrix.json.gz", "stats.json" };

int load_result_files(struct load *l, struct tree *t, const char *path, struct err *e)
{
	for (size_t i = 0; !tree_is_live(t) && i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = arena_printf(&l->arena, "%s/%s", path, names[i]);
		struct slice text;
		enum got got = read_result(l, t, names[i], &text, e);

		if (got != GOT_ALL && got != GOT_ABSENT)
			return err_in(e, path);
		/* In a run the matrix holds samples; its stats.json has a value each. */
		if (got != GOT_ALL || !lkp_result_looks(text) || slice_has(text, SLICE(".time\"")))
			continue;
		load_add_counters(l, KIND_LKP_RESULT, name, text);
		return 0;
	}
	return 0;
}
