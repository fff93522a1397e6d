/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void json_start(struct json *j, struct out *o)
{
	*j = (struct json){ .o = o };
}

void json_end(struct json *j)
{
	out_byte(j->o, '\n');
}

/* The comma before a value, where one is due. */
static void value(struct json *j)
{
	uint64_t bit = UINT64_C(1) << j->depth;

	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->comma & bit)
		out_byte(j->o, ',');
	j->comma |= bit;
}

static void push(struct json *j, char open)
{
	value(j);
	out_byte(j->o, open);
	j->depth++;
	j->comma &= ~(UINT64_C(1) << j->depth);
}

static void pop(struct json *j, char close)
{
	j->depth--;
	out_byte(j->o, close);
}

void json_object(struct json *j) { push(j, '{'); }
void json_object_end(struct json *j) { pop(j, '}'); }
void json_array(struct json *j) { push(j, '['); }
void json_array_end(struct json *j) { pop(j, ']'); }

void json_break(struct json *j)
{
	uint64_t bit = UINT64_C(1) << j->depth;

	if (j->one_line)
		return;
	if (j->comma & bit)
		out_byte(j->o, ',');
	out_byte(j->o, '\n');
	j->comma &= ~bit;
}

void json_key(struct json *j, const char *key)
{
	size_t n = strlen(key);

	value(j);
	out_reserve(j->o, n + 3);
	char *p = j->o->buf + j->o->n;
	*p++ = '"';
	memcpy(p, key, n);
	p += n;
	*p++ = '"';
	*p++ = ':';
	j->o->n += n + 3;
	j->after_key = true;
}

void json_key_slice(struct json *j, struct slice key)
{
	json_slice(j, key);
	out_byte(j->o, ':');
	j->after_key = true;
}

void json_null(struct json *j)
{
	value(j);
	out_write(j->o, "null", 4);
}

void json_bool(struct json *j, bool v)
{
	value(j);
	out_str(j->o, v ? "true" : "false");
}

void json_u64(struct json *j, uint64_t v)
{
	value(j);
	if (v < 10)
		out_byte(j->o, (char)('0' + v));
	else
		out_u64(j->o, v);
}

void json_i64(struct json *j, int64_t v)
{
	value(j);
	out_i64(j->o, v);
}

void json_double(struct json *j, double v)
{
	char buf[40];

	if (!isfinite(v)) {
		json_null(j);
		return;
	}
	value(j);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	for (char *p = buf; *p; p++) /* the locale's decimal point */
		if (*p == ',')
			*p = '.';
	if (!strpbrk(buf, ".e"))
		strcat(buf, ".0"); /* a fraction stays one: 1.0, not 1 */
	out_str(j->o, buf);
}

void json_raw(struct json *j, struct slice number)
{
	value(j);
	out_put(j->o, number);
}

void json_str(struct json *j, const char *s)
{
	if (s)
		json_slice(j, slice_str(s));
	else
		json_null(j);
}

static void escape(struct json *j, struct slice *s)
{
	unsigned char c = (unsigned char)*s->p;

	if (c == '"' || c == '\\') {
		out_byte(j->o, '\\');
		out_byte(j->o, (char)c);
	} else if (c == '\n' || c == '\t' || c == '\r') {
		out_byte(j->o, '\\');
		out_byte(j->o, c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
	} else if (c == 0) { /* many readers, ours too, refuse \u0000 */
		out_str(j->o, "\xef\xbf\xbd");
	} else if (c < 0x20 || c == 0x7f) {
		out_printf(j->o, "\\u%04x", c);
	} else if (c >= 0x80) {
		struct slice one = *s;
		int32_t cp = utf8_take(s);

		if (cp < 0)
			out_str(j->o, "\xef\xbf\xbd");
		else if (utf8_unsafe(cp) && cp < 0x10000)
			out_printf(j->o, "\\u%04x", (unsigned)cp);
		else if (utf8_unsafe(cp))
			out_printf(j->o, "\\u%04x\\u%04x", 0xd7c0 + ((unsigned)cp >> 10),
				   0xdc00 | ((unsigned)cp & 0x3ff));
		else
			out_write(j->o, one.p, (size_t)(s->p - one.p));
		return;
	} else {
		out_byte(j->o, (char)c);
	}
	*s = slice_skip(*s, 1);
}

static bool plain(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f && c != '"' && c != '\\';
}

void json_slice(struct json *j, struct slice s)
{
	value(j);
	out_byte(j->o, '"');
	while (s.n) {
		size_t n = 0;

		while (n < s.n && plain(s.p[n]))
			n++;
		out_write(j->o, s.p, n);
		s = slice_skip(s, n);
		if (s.n)
			escape(j, &s);
	}
	out_byte(j->o, '"');
}

void json_addr(struct json *j, uint64_t v)
{
	value(j);
	out_write(j->o, "\"0x", 3);
	out_hex(j->o, v);
	out_byte(j->o, '"');
}

void json_kv_null(struct json *j, const char *key)
{
	json_key(j, key);
	json_null(j);
}

void json_kv_bool(struct json *j, const char *key, bool v)
{
	json_key(j, key);
	json_bool(j, v);
}

void json_kv_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

void json_kv_i64(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	json_i64(j, v);
}

void json_kv_double(struct json *j, const char *key, double v)
{
	json_key(j, key);
	json_double(j, v);
}

void json_kv_str(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	json_str(j, s);
}

void json_kv_slice(struct json *j, const char *key, struct slice s)
{
	json_key(j, key);
	json_slice(j, s);
}

void json_kv_printed(struct json *j, const char *key, struct slice s)
{
	json_key(j, key);
	if (s.n)
		json_slice(j, s);
	else
		json_null(j);
}
