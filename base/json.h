/* SPDX-License-Identifier: MIT */
/*
 * A streaming JSON writer: it holds no document, only where it is. Integers
 * are written exactly; a double with the fewest digits that read back to it.
 * Call order is the document's order; json_key() before each member's value.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

struct json {
	struct out *o;
	uint64_t comma; /* bit d: a value stands at depth d already */
	unsigned depth; /* at most 63 */
	bool after_key;
	bool one_line; /* NDJSON: json_break() breaks nothing. Set behind json_start() */
};

void json_start(struct json *j, struct out *o);
void json_end(struct json *j); /* the newline at the end of the document */

void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_break(struct json *j); /* a newline before the next value, for people and grep */

void json_key(struct json *j, const char *key); /* key is plain ASCII of ours */
void json_key_slice(struct json *j, struct slice key); /* key comes from an input */
void json_null(struct json *j);
void json_bool(struct json *j, bool v);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_double(struct json *j, double v); /* not finite: null */
void json_raw(struct json *j, struct slice number); /* digits that must stay as printed */
void json_str(struct json *j, const char *s); /* NULL: null */
void json_slice(struct json *j, struct slice s); /* NUL and bytes that are not UTF-8 become U+FFFD */
void json_addr(struct json *j, uint64_t v); /* "0x7f…" */

/* Members: key and value. */
void json_kv_null(struct json *j, const char *key);
void json_kv_bool(struct json *j, const char *key, bool v);
void json_kv_u64(struct json *j, const char *key, uint64_t v);
void json_kv_i64(struct json *j, const char *key, int64_t v);
void json_kv_double(struct json *j, const char *key, double v);
void json_kv_str(struct json *j, const char *key, const char *s);
void json_kv_slice(struct json *j, const char *key, struct slice s);
void json_kv_printed(struct json *j, const char *key, struct slice s); /* empty: was not printed, null */

#endif
