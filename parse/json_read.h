/* SPDX-License-Identifier: MIT */
/*
 * Reading JSON: one document in memory, parsed by cJSON (loaded at first use),
 * with what cJSON lacks: faults with line, column and the line shown; a limit
 * on nesting; numbers as they are written, so that integers are exact at any
 * size; strictness (no control characters in strings, no 01, no text behind
 * the document, no NUL in a string).
 *
 * Getters know three answers: 1 it is there, 0 it is absent or null (*ret is
 * left alone), -1 it is of another type or out of range (e names the place).
 */
#ifndef PARSE_JSON_READ_H
#define PARSE_JSON_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dec.h"
#include "base/err.h"
#include "base/slice.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
enum { JSON_DEPTH_MAX = 64 };

struct json_value; /* one value of a document; lives as long as the document */

struct json_doc {
	struct slice text;             /* borrowed: stays in place until json_doc_free() */
	unsigned long line;            /* number of its first line, from 1 */
	const struct json_value *root; /* NULL: not read */
	uint32_t *starts;              /* offset of each token, keys included, in order */
	size_t n;
};

/*
 * Reads one document. `line` is the number of its first line (a line of
 * NDJSON is a document of its own). On -1 *ret needs no json_doc_free().
 * Texts above 2 GiB are refused.
 */
int json_read(struct slice text, unsigned long line, struct json_doc *ret, struct err *e);
void json_doc_free(struct json_doc *d); /* also of a zeroed one */

/* ---- walking ---- */

enum json_type json_type(const struct json_value *v);
extern const char *const json_type_names[6]; /* "null", "a boolean", "a number", … */
/*
 * Members of an object, or elements of an array, in order, repeated names
 * included. NULL: no more.
 */
const struct json_value *json_first(const struct json_value *v);
const struct json_value *json_next(const struct json_value *v);
size_t json_count(const struct json_value *v);
struct slice json_key_of(const struct json_value *v); /* of a member; empty for others */
/* The first member of that name, or NULL; NULL too when v is no object. */
const struct json_value *json_find(const struct json_value *v, const char *name);
/* The second of two members with one name, or NULL. */
const struct json_value *json_repeated(const struct json_value *object);
/* The first member whose name is none of the n names, or NULL. */
const struct json_value *json_unknown(const struct json_value *object, const char *const *names,
				      size_t n);
/* A number as it is written, or the content of a string. Empty for others. */
struct slice json_text(const struct json_doc *d, const struct json_value *v);

/* Where a value begins, in bytes of d->text. */
size_t json_offset(const struct json_doc *d, const struct json_value *v);

/* A fault of the reader's own at a value. Returns -1. */
int json_fault(const struct json_doc *d, const struct json_value *at, struct err *e,
	       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same at the name of a member. */
int json_fault_key(const struct json_doc *d, const struct json_value *member, struct err *e,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* ---- members of an object, by name: 1, 0 or -1 as said above ---- */

int json_get_u64(const struct json_doc *d, const struct json_value *object, const char *name,
		 uint64_t *ret, struct err *e);
/* An integer from min to max. */
int json_get_range(const struct json_doc *d, const struct json_value *object, const char *name,
		   int64_t min, int64_t max, int64_t *ret, struct err *e);
int json_get_bool(const struct json_doc *d, const struct json_value *object, const char *name,
		  bool *ret, struct err *e);
int json_get_str(const struct json_doc *d, const struct json_value *object, const char *name,
		 struct slice *ret, struct err *e);
int json_get_addr(const struct json_doc *d, const struct json_value *object, const char *name,
		  uint64_t *ret, struct err *e); /* a string "0x7f…" */
/* A member of type JSON_ARRAY or JSON_OBJECT. */
int json_get(const struct json_doc *d, const struct json_value *object, const char *name,
	     enum json_type type, const struct json_value **ret, struct err *e);

/* ---- the same for a value that is at hand (an element of an array): 1, 0 for null, -1 ---- */

int json_as_u64(const struct json_doc *d, const struct json_value *v, uint64_t *ret, struct err *e);
int json_as_double(const struct json_doc *d, const struct json_value *v, double *ret,
		   struct err *e);
int json_as_dec(const struct json_doc *d, const struct json_value *v, struct dec *ret,
		struct err *e);
int json_as_str(const struct json_doc *d, const struct json_value *v, struct slice *ret,
		struct err *e);
int json_as_addr(const struct json_doc *d, const struct json_value *v, uint64_t *ret,
		 struct err *e);

#endif
