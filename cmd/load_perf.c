/* SPDX-License-Identifier: MIT */
/* perf.txt and the like beside the mappings of a snapshot. */
#include "cmd/load_internal.h"
#include "parse/perf.h"

enum { PERF_MAX = 64 * 1024 * 1024 };

/* What has the name but is something else (perf.json of another tool) is left alone. */
static int load_one(struct load *l, struct tree *t, const char *path, const char *name,
		    struct err *e)
{
	struct slice text;
	enum got got = tree_read(t, name, PERF_MAX, &l->arena, &text, e);

	if (got == GOT_ABSENT)
		return 0;
	if (got != GOT_ALL)
		return err_in(e, path);
	if (perf_looks(slice_first(text, 64 * 1024)))
		load_add_counters(l, KIND_PERF, arena_printf(&l->arena, "%s/%s", path, name), text);
	return 0;
}

int load_perf_files(struct load *l, struct tree *t, const char *path, struct err *e)
{
	if (tree_is_live(t))
		return 0;
	for (const char *const *name = perf_file_names; *name; name++)
		if (load_one(l, t, path, *name, e))
			return -1;
	return 0;
}
