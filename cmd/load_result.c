/* SPDX-License-Identifier: MIT */
/* A directory of the test robot's results: a commit (matrix.json) or a run (stats.json). */
#include "cmd/load_internal.h"
#include "parse/lkp_result.h"

enum { RESULT_MAX = 512 * 1024 * 1024 };

/* Large ones are kept compressed, and only files that are opened by their path are unpacked. */
static bool read_packed(struct load *l, const char *name, struct slice *ret)
{
	struct stream *s;
	struct err e;
	bool ok;

	if (stream_open_path(name, &s, &e))
		return false;
	ok = stream_all(s, RESULT_MAX, &l->arena, ret, &e) == 0;
	stream_close(s);
	return ok;
}

static const char *const names[] = { "matrix.json", "matrix.json.gz", "stats.json" };

int load_result_files(struct load *l, struct tree *t, const char *path, struct err *e)
{
	for (size_t i = 0; !tree_is_live(t) && i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = arena_printf(&l->arena, "%s/%s", path, names[i]);
		bool packed = slice_ends(slice_str(name), SLICE(".gz"));
		struct slice text;
		enum got got = GOT_ABSENT;

		if (!packed)
			got = tree_read(t, names[i], RESULT_MAX, &l->arena, &text, e);
		else if (read_packed(l, name, &text))
			got = GOT_ALL;
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
