/* SPDX-License-Identifier: MIT */
/* The project's own schemas. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "schema.h"

enum { SCHEMAS_MAX = 32, SCHEMA_BYTES = 1 << 20 };

static struct kept {
	char name[64];
	struct schema *schema;
} kept[SCHEMAS_MAX];
static size_t kept_n;

/* "hugecov.diff/1" is schemas/hugecov.diff-1.json. */
static struct schema *read_schema(const char *name, struct err *e)
{
	char path[128], *bytes = mem_alloc(SCHEMA_BYTES);
	struct schema *s = NULL;

	snprintf(path, sizeof(path), "schemas/%.64s.json", name);
	for (char *p = path + 8; *p; p++)
		if (*p == '/')
			*p = '-';
	FILE *f = fopen(path, "rb");
	if (!f) {
		err_set(e, ERR_SYSTEM, "%s cannot be opened", path);
	} else {
		if (schema_new(slice_of(bytes, fread(bytes, 1, SCHEMA_BYTES, f)), &s, e))
			err_in(e, path);
		fclose(f);
	}
	mem_free(bytes);
	return s;
}

const struct schema *schema_of(const struct json_doc *d, struct err *e)
{
	struct slice name = { 0 };

	if (json_get_str(d, d->root, "schema", &name, e) != 1 || name.n >= sizeof(kept->name)) {
		err_set(e, ERR_PARSE, "it names no schema");
		return NULL;
	}
	for (size_t i = 0; i < kept_n; i++)
		if (slice_eq_str(name, kept[i].name))
			return kept[i].schema;
	if (kept_n == SCHEMAS_MAX) {
		err_set(e, ERR_LIMIT, "more schemas than there is room for");
		return NULL;
	}
	struct kept *k = &kept[kept_n];
	memcpy(k->name, name.p, name.n);
	k->name[name.n] = '\0';
	k->schema = read_schema(k->name, e);
	kept_n += k->schema != NULL;
	return k->schema;
}
