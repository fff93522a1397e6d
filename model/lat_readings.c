/* SPDX-License-Identifier: MIT */
#include "model/lat_readings.h"

#include <math.h>

#include "model/say.h"

enum { APART_PERCENT = 5, NEIGHBOURS = 2 };

const struct reading_row lat_reading_rows[] = {
	{ "latency-steps",
	  "two or more neighbouring sizes of a latency table part by more than 5 % with one sign, "
	  "the first column (or the earlier table) being the base; one for each pair of columns",
	  "100 (latency / base latency - 1), runs of sizes where it is above 5 or below -5",
	  "So many ranges part by more than 5 %: each with its sizes and its smallest and largest "
	  "difference.",
	  "ranges base head" },
};
const size_t lat_reading_count = sizeof(lat_reading_rows) / sizeof(lat_reading_rows[0]);

/* One size on both sides; NAN where a side has none. */
struct step {
	double mib, percent;
};

struct range {
	double from, to, min, max;
	size_t n;
};

static int sign_apart(double percent)
{
	const double limit = APART_PERCENT + 1e-9; /* 1.05 over 1.00 is not more than 5 % */

	return percent > limit ? 1 : percent < -limit ? -1 : 0;
}

/* The run of steps of one sign from i on. */
static struct range range_from(const struct step *s, size_t n, size_t i)
{
	struct range r = { s[i].mib, s[i].mib, s[i].percent, s[i].percent, 0 };
	int sign = sign_apart(s[i].percent);

	for (; sign && i < n && sign_apart(s[i].percent) == sign; i++, r.n++) {
		r.to = s[i].mib;
		r.min = fmin(r.min, s[i].percent);
		r.max = fmax(r.max, s[i].percent);
	}
	return r;
}

static size_t find_ranges(const struct step *s, size_t n, struct range *ret)
{
	size_t found = 0;

	for (size_t i = 0; i < n;) {
		struct range r = range_from(s, n, i);

		if (r.n >= NEIGHBOURS)
			ret[found++] = r;
		i += r.n ? r.n : 1;
	}
	return found;
}

static void put_ranges(struct say *say, const struct range *r, size_t n)
{
	json_key(&say->json, "ranges");
	json_array(&say->json);
	for (size_t i = 0; i < n; i++) {
		json_object(&say->json);
		say_number(say, "from_mib", r[i].from);
		say_number(say, "to_mib", r[i].to);
		say_number(say, "min_pct", r[i].min);
		say_number(say, "max_pct", r[i].max);
		json_object_end(&say->json);
	}
	json_array_end(&say->json);
}

static void put_name(struct say *say, const char *key, struct slice name)
{
	json_key(&say->json, key);
	if (name.n)
		json_slice(&say->json, name);
	else
		json_null(&say->json);
}

static void say_ranges(struct say *say, const struct range *r, size_t n)
{
	static const char *const words[] = { "", "One range parts", "Two ranges part",
					     "Three ranges part", "Four ranges part" };

	if (n < sizeof(words) / sizeof(words[0]))
		say_f(say, "%s by more than %d %%:", words[n], APART_PERCENT);
	else
		say_f(say, "%zu ranges part by more than %d %%:", n, APART_PERCENT);
	for (size_t i = 0; i < n; i++)
		say_f(say, "%s %.10g to %.10g MiB by %+.1f to %+.1f %%", i ? "," : "", r[i].from,
		      r[i].to, fabs(r[i].min) < fabs(r[i].max) ? r[i].min : r[i].max,
		      fabs(r[i].min) < fabs(r[i].max) ? r[i].max : r[i].min);
}

static void read_steps(const struct step *s, size_t n, struct slice base, struct slice head,
		       struct arena *a, struct readings *to)
{
	struct range *ranges = arena_array(a, n, sizeof(*ranges));
	size_t found = find_ranges(s, n, ranges);
	struct say say;

	if (!found)
		return;
	say_begin(&say, to, a, "latency-steps");
	put_ranges(&say, ranges, found);
	put_name(&say, "base", base);
	put_name(&say, "head", head);
	say_ranges(&say, ranges, found);
	if (base.n && head.n && !slice_eq(base, head)) {
		say_f(&say, " (");
		say_slice(&say, head);
		say_f(&say, " against ");
		say_slice(&say, base);
		say_f(&say, ")");
	}
	say_f(&say, ".");
	say_end(&say);
}

static struct step step_of(const struct lat_row *row, const struct lat_value *base,
			   const struct lat_value *head)
{
	bool known = !isnan(base->ns) && !isnan(head->ns) && base->ns > 0;

	return (struct step){ row->mib, known ? 100 * (head->ns / base->ns - 1) : NAN };
}

static void read_columns(const struct lat_table *t, size_t head, struct arena *a,
			 struct readings *to)
{
	struct step *s = arena_array(a, t->n, sizeof(*s));

	for (size_t i = 0; i < t->n; i++)
		s[i] = step_of(&t->rows[i], &t->rows[i].values[0], &t->rows[i].values[head]);
	read_steps(s, t->n, t->columns[0], t->columns[head], a, to);
}

void lat_readings(const struct lat_doc *doc, struct arena *a, struct readings *to)
{
	for (size_t i = 0; i < doc->n; i++)
		for (size_t c = 1; c < doc->tables[i].ncolumns; c++)
			read_columns(&doc->tables[i], c, a, to);
}

/* Sizes of both, in order; those that one has alone part no neighbours. */
static void read_pair(const struct lat_table *x, const struct lat_table *y, size_t column,
		      struct arena *a, struct readings *to)
{
	struct step *s = arena_array(a, x->n, sizeof(*s));
	size_t n = 0;

	for (size_t i = 0, k = 0; i < x->n && k < y->n;) {
		if (x->rows[i].mib < y->rows[k].mib)
			i++;
		else if (x->rows[i].mib > y->rows[k].mib)
			k++;
		else {
			s[n++] = step_of(&x->rows[i], &x->rows[i].values[column],
					 &y->rows[k].values[column]);
			i++;
			k++;
		}
	}
	read_steps(s, n, x->columns[column], y->columns[column], a, to);
}

void lat_diff_readings(const struct lat_doc *before, const struct lat_doc *after, struct arena *a,
		       struct readings *to)
{
	for (size_t i = 0; i < before->n && i < after->n; i++)
		for (size_t c = 0; c < before->tables[i].ncolumns && c < after->tables[i].ncolumns;
		     c++)
			read_pair(&before->tables[i], &after->tables[i], c, a, to);
}
