/* SPDX-License-Identifier: MIT */
/*
 * As much of JSON Schema (2020-12) as the files in schemas/ use, over
 * documents that parse/json_read.h has read: the words of tests/mini_schema.py.
 * A schema with another word is refused, so that nothing is passed over.
 */
#ifndef TESTS_FUZZ_SCHEMA_H
#define TESTS_FUZZ_SCHEMA_H

#include "parse/json_read.h"

struct schema;

/* Compiles a schema; its text is copied. -1: no JSON, or a word that is not supported. */
int schema_new(struct slice text, struct schema **ret, struct err *e);
void schema_free(struct schema *s); /* NULL is fine */
/* 0, or -1 with the first fault and its place ("$.vmas[3].start: …") in e->text. */
int schema_check(const struct schema *s, const struct json_doc *d, const struct json_value *v,
		 struct err *e);

/*
 * The schema that a document names in its member `schema` ("hugecov.diff/1"),
 * from schemas/ below the current directory; read once and kept. NULL: the
 * document names none, or there is no such file, with e filled.
 */
const struct schema *schema_of(const struct json_doc *d, struct err *e);

#endif
