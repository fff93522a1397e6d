/* SPDX-License-Identifier: MIT */
#include "report/csv.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"

static bool needs_quotes(struct slice v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] == ',' || v.p[i] == '"' || v.p[i] == '\n' || v.p[i] == '\r')
			return true;
	return false;
}

void csv_field(struct csv *c, struct slice v)
{
	if (c->n++)
		out_byte(c->o, ',');
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

void csv_str(struct csv *c, const char *v)
{
	csv_field(c, slice_str(v));
}

void csv_absent(struct csv *c)
{
	csv_field(c, (struct slice){ 0 });
}

void csv_u64(struct csv *c, uint64_t v)
{
	char buf[NUM_BUF];

	csv_field(c, num_put_u64(buf, v));
}

void csv_i64(struct csv *c, int64_t v)
{
	char buf[NUM_BUF];

	csv_field(c, num_put_i64(buf, v));
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
