/* SPDX-License-Identifier: MIT */
/* A compiled schema, between schema_compile.c and schema.c. */
#ifndef TESTS_FUZZ_SCHEMA_INTERNAL_H
#define TESTS_FUZZ_SCHEMA_INTERNAL_H

#include <regex.h>

#include "base/mem.h"
#include "schema.h"

/* Bits of a type; an integer is a number too. */
#define TYPE_INTEGER (1u << 6)
#define TYPE_BIT(t)  (1u << (t))

struct literal {
	enum json_type type;
	struct slice text; /* of a boolean "true" or "false" */
};

struct list {
	struct schema **at;
	size_t n;
};

struct member {
	struct slice name;
	struct schema *schema; /* NULL: required only */
	int required;          /* its number among the required ones; -1: it is not */
};

/* One (sub)schema. What is not said is zero. */
struct schema {
	bool never;           /* the schema `false` */
	unsigned types;       /* TYPE_BITs; 0: any */
	const struct schema *ref;
	struct list any, one;
	struct literal *literals; /* of enum and const */
	size_t literals_n;
	struct member *members; /* ascending by name */
	size_t members_n, required_n;
	struct schema *additional, *names, *items;
	bool has_pattern, has_minimum, has_maximum;
	regex_t pattern;
	double minimum, maximum;
	size_t min_items;
	struct whole *whole; /* of the outermost one: what it is freed by */
};

/* What belongs to a schema with all that it holds. */
struct whole {
	struct json_doc doc;
	struct arena arena;
	struct schema **all; /* for their patterns */
	size_t n, cap;
	struct def {
		const struct json_value *at;
		struct schema *schema;
	} *defs;
	size_t defs_n;
};

struct literal literal_of(const struct json_doc *d, const struct json_value *v);
int member_by_name(const void *a, const void *b);

#endif
