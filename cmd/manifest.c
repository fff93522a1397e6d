/* SPDX-License-Identifier: MIT */
#include "cmd/manifest.h"

#include "base/rfc3339.h"
#include "parse/json_read.h"

static void read_processes(const struct json_doc *d, struct arena *a, struct manifest *m)
{
	const struct json_value *list;
	struct err ignored;

	if (json_get(d, d->root, "processes", JSON_ARRAY, &list, &ignored) != 1)
		return;
	m->incomplete = arena_array(a, json_count(list), sizeof(*m->incomplete));
	for (const struct json_value *p = json_first(list); p; p = json_next(p)) {
		int64_t pid;
		bool complete = true;

		if (json_type(p) == JSON_OBJECT &&
		    json_get_range(d, p, "pid", 1, INT32_MAX, &pid, &ignored) == 1 &&
		    json_get_bool(d, p, "complete", &complete, &ignored) == 1 && !complete)
			m->incomplete[m->incomplete_n++] = pid;
	}
}

/* -1 when no JSON can be read here. */
static int read_text(struct slice text, struct arena *a, struct manifest *m, struct err *e)
{
	struct slice word;
	struct json_doc d;
	struct err ignored;

	if (json_read(text, 1, &d, e) < 0)
		return e->kind == ERR_SYSTEM ? -1 : 0;
	if (json_get_str(&d, d.root, "schema", &word, &ignored) == 1 &&
	    slice_eq_str(word, "hugecov.snapshot/1")) {
		if (json_get_str(&d, d.root, "time", &word, &ignored) == 1)
			rfc3339_read(word, &m->time_ns);
		read_processes(&d, a, m);
	}
	json_doc_free(&d);
	return 0;
}

int manifest_read(struct tree *t, struct arena *a, struct manifest *ret, struct err *e)
{
	struct slice text;
	enum got got = tree_read(t, "manifest.json", SYSTEM_FILE_MAX, a, &text, e);

	*ret = (struct manifest){ .time_ns = -1 };
	if (got == GOT_ALL)
		return read_text(text, a, ret, e);
	return got == GOT_ABSENT ? 0 : -1;
}

bool manifest_is_complete(const struct manifest *m, int64_t pid)
{
	for (size_t i = 0; i < m->incomplete_n; i++)
		if (m->incomplete[i] == pid)
			return false;
	return true;
}
