/* SPDX-License-Identifier: MIT */
#include "report/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

static bool needs_quotes(struct slice v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] == ',' || v.p[i] == '"' || v.p[i] == '\n' || v.p[i] == '\r')
			return true;
	return false;
}

static inline void separate(struct csv *c)
{
	if (c->n++)
		out_byte(c->o, ',');
}

/* Digits and words of ours need no quotes: they are not looked at. */
static void put_word(struct csv *c, struct slice v)
{
	separate(c);
	out_put(c->o, v);
}

void csv_field(struct csv *c, struct slice v)
{
	separate(c);
	if (!needs_quotes(v)) {
		out_put(c->o, v);
		return;
	}
	out_byte(c->o, '"');
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] == '"')
			out_byte(c->o, '"');
		out_byte(c->o, v.p[i]);
	}
	out_byte(c->o, '"');
}

/* Letters, digits and what stands in paths, and no formula: most names. */
static bool is_harmless(struct slice v)
{
	if (v.n && !is_alpha(*v.p) && !is_digit(*v.p) && *v.p != '/' && *v.p != '[')
		return false;
	for (size_t i = 0; i < v.n; i++)
		if ((unsigned char)v.p[i] - 0x20u >= 0x5f || v.p[i] == ',' || v.p[i] == '"')
			return false;
	return true;
}

void csv_text(struct csv *c, struct slice v)
{
	struct out safe;

	if (is_harmless(v)) {
		put_word(c, v);
		return;
	}
	out_memory(&safe);
	if (v.n && strchr("=+-@\t\r", *v.p))
		out_byte(&safe, '\'');
	out_safe(&safe, v, false);
	csv_field(c, out_slice(&safe));
	out_close(&safe);
}

void csv_str(struct csv *c, const char *v)
{
	csv_field(c, slice_str(v));
}

void csv_absent(struct csv *c)
{
	separate(c);
}

void csv_u64(struct csv *c, uint64_t v)
{
	char buf[NUM_BUF];

	if (v > 9) {
		put_word(c, num_put_u64(buf, v));
		return;
	}
	separate(c);
	out_byte(c->o, (char)('0' + v));
}

void csv_hex(struct csv *c, uint64_t v)
{
	char buf[NUM_BUF];

	separate(c);
	out_write(c->o, "0x", 2);
	out_put(c->o, num_put_hex(buf, v));
}

void csv_i64(struct csv *c, int64_t v)
{
	char buf[NUM_BUF];

	put_word(c, num_put_i64(buf, v));
}

void csv_dec(struct csv *c, bool has, struct dec v)
{
	char buf[DEC_BUF];

	if (has)
		csv_field(c, dec_put(buf, v));
	else
		csv_absent(c);
}

void csv_double(struct csv *c, double v)
{
	char buf[NUM_BUF];

	if (!isfinite(v)) {
		csv_absent(c);
		return;
	}
	csv_field(c, slice_of(buf, (size_t)snprintf(buf, sizeof(buf), "%.15g", v)));
}

void csv_end(struct csv *c)
{
	out_byte(c->o, '\n');
	c->n = 0;
}

void csv_header(struct csv *c, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		csv_str(c, names[i]);
	csv_end(c);
}
