/* SPDX-License-Identifier: MIT */
/* Readings of a robot table's rows as such: the sentences are in lkp_readings.c's table. */
#include <math.h>
#include <stdio.h>

#include "model/lkp_readings.h"
#include "model/say.h"

static void begin(struct say *say, const struct reading_scope *s, size_t column, const char *id)
{
	say_begin(say, s->to, s->a, id);
	json_kv_u64(&say->json, "table", s->number);
	json_kv_u64(&say->json, "column", column);
}

/* ---- less-clearing ---- */

/* Rows of one kind say the same time once; the first kind that shows the fall is taken. */
static const char *const profiles[] = { "children", "self", "calltrace" };

/* "perf-profile.children.cycles-pp.clear_page_erms" of kind children: "clear_page_erms…". */
static struct slice profile_symbol(struct slice metric, const char *kind)
{
	struct cut c = slice_cut(metric, '.');

	if (!c.ok || !slice_eq_str(c.head, "perf-profile"))
		return (struct slice){ 0 };
	c = slice_cut(c.tail, '.');
	if (!c.ok || !slice_eq_str(c.head, kind))
		return (struct slice){ 0 };
	return slice_cut(c.tail, '.').tail;
}

struct clearing {
	double before, after;
	size_t rows;
	const struct lkp_row *only; /* the row, when it is one: its digits are shown as printed */
};

static void add_clearing(const struct reading_scope *s, const char *kind, const char *symbol,
			 struct clearing *sum)
{

	for (size_t i = 0; i < s->table->n; i++) {
		const struct lkp_row *row = &s->table->rows[i];
		struct slice name = profile_symbol(row->metric, kind);

		if (row->n <= s->column || !slice_starts(name, slice_str(symbol)))
			continue;
		sum->before += row->cells[0].number;
		sum->after += row->cells[s->column].number;
		sum->only = row;
		sum->rows++;
	}
}

static bool find_clearing(const struct reading_scope *s, struct clearing *ret, const char **kind)
{
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
		*kind = profiles[i];
		*ret = (struct clearing){ 0 };
		add_clearing(s, *kind, "clear_page", ret);
		/* Time with children counts clear_page in clear_huge_page, which calls it. */
		if (i != 0 || !ret->rows)
			add_clearing(s, *kind, "clear_huge", ret);
		if (ret->rows && ret->before - ret->after >= 5)
			return true;
	}
	return false;
}

/* A row that shows less memory in use: huge pages, or the resident set. */
static bool find_populated(const struct reading_scope *s, struct metric_pair *ret)
{
	static const char *const names[] = { "meminfo.AnonHugePages", "meminfo.AnonPages",
					     "time.maximum_resident_set_size" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (scope_find(s, names[i], ret) && ret->percent < 0)
			return true;
	return (scope_find_end(s, ".time.maximum_resident_set_size", ret) ||
		scope_find_end(s, ".Rss", ret)) && ret->percent < 0;
}

static void say_clearing(struct say *say, const struct clearing *c, size_t column)
{
	say_need(say, c->after - c->before);
	say_f(say, "The share of time spent clearing memory (clear_page) fell from ");
	if (c->rows == 1) {
		say_slice(say, c->only->cells[0].value);
		say_f(say, " to ");
		say_slice(say, c->only->cells[column].value);
	} else {
		say_f(say, "%.2f to %.2f", c->before, c->after);
	}
	say_f(say, " %% of the profile (%+.1f points)", c->after - c->before);
}

void read_less_clearing(const struct reading_scope *s)
{
	struct clearing c;
	struct metric_pair populated;
	const char *kind;
	struct say say;

	if (!find_clearing(s, &c, &kind))
		return;
	begin(&say, s, s->column, "less-clearing");
	say_number(&say, "before", c.before);
	say_number(&say, "after", c.after);
	json_kv_str(&say.json, "kind", kind);
	say_clearing(&say, &c, s->column);
	if (find_populated(s, &populated)) {
		json_kv_slice(&say.json, "populated", populated.name);
		say_f(&say, ", and ");
		say_slice(&say, populated.name);
		say_f(&say, " with it (");
		say_percent(&say, populated.percent);
		say_f(&say, "): so the run populates less memory.");
	} else {
		json_kv_null(&say.json, "populated");
		say_f(&say, ". Nothing here shows whether that memory was ever used.");
	}
	say_end(&say);
}

/* ---- hole ---- */

static const char *small_number(unsigned n, char *buf, size_t size)
{
	static const char *const words[] = { "no", "one", "two", "three", "four", "five", "six",
					     "seven", "eight", "nine" };

	if (n < sizeof(words) / sizeof(words[0]))
		return words[n];
	snprintf(buf, size, "%u", n);
	return buf;
}

/* The change that is left without the zeros, and the one printed; NAN: it is none. */
static void change_without(const struct reading_scope *s, const struct lkp_row *row, size_t column,
			   double *left, double *printed)
{
	const struct lkp_verdict *v = s->verdicts + row->first;
	size_t head = column ? column : v[0].other;
	double base = v[0].hole ? v[0].whole : row->cells[0].number;
	double value = v[head].hole ? v[head].whole : row->cells[head].number;

	*left = row->cells[head].kind == LKP_DIFFERENCE ? value - base :
		base == 0 ? NAN : 100 * (value - base) / base;
	*printed = row->cells[head].change_number;
}

static void say_change(struct say *say, const struct lkp_row *row, size_t head, double v)
{
	say_need(say, v);
	if (row->cells[head].kind == LKP_DIFFERENCE)
		say_f(say, "%+.1f", v);
	else
		say_percent(say, v);
}

/* With the decimals the value was printed with. */
static void say_like(struct say *say, struct slice printed, double v)
{
	say_need(say, v);
	if (slice_has(printed, SLICE("e")))
		say_f(say, "%.4g", v);
	else if (slice_has(printed, SLICE(".")))
		say_f(say, "%.2f", v);
	else
		say_count(say, rint(v));
}

static void read_hole(const struct reading_scope *s, const struct lkp_row *row, size_t column)
{
	const struct lkp_verdict *v = &s->verdicts[row->first + column];
	const struct lkp_cell *c = &row->cells[column];
	size_t head = column ? column : v->other;
	double left, printed;
	char buf[2][16];
	struct say say;

	change_without(s, row, column, &left, &printed);
	begin(&say, s, column, "hole");
	json_kv_slice(&say.json, "metric", row->metric);
	json_kv_u64(&say.json, "missing", v->missing);
	json_kv_u64(&say.json, "runs", v->runs);
	say_number(&say, "value", v->whole);
	say_number(&say, "change", left);
	say_number(&say, "printed", printed);
	say_slice(&say, row->metric);
	say_f(&say, " ");
	say_like(&say, c->value, c->number);
	say_f(&say, " +- %lld %% holds %s missing run%s of %s as zero: ", (long long)c->stddev_pct,
	      small_number(v->missing, buf[0], sizeof(buf[0])), v->missing == 1 ? "" : "s",
	      small_number(v->runs, buf[1], sizeof(buf[1])));
	say_like(&say, c->value, v->whole);
	say_f(&say, " without %s", v->missing == 1 ? "it" : "them");
	if (isfinite(left) && !isnan(printed)) {
		say_f(&say, ", ");
		say_change(&say, row, head, left);
		say_f(&say, " and not ");
		say_change(&say, row, head, printed);
	}
	say_f(&say, ".");
	say_end(&say);
}

void read_holes(const struct reading_scope *s)
{
	for (size_t i = 0; i < s->table->n; i++)
		for (size_t c = 0; c < s->table->rows[i].n; c++)
			if (s->verdicts[s->table->rows[i].first + c].hole)
				read_hole(s, &s->table->rows[i], c);
}

/* ---- disagrees ---- */

static bool disagrees(const struct reading_scope *s, const struct lkp_row *row, size_t column)
{
	return s->verdicts[row->first + column].agrees == LKP_NO;
}

static void read_wrong_change(const struct reading_scope *s, const struct lkp_row *row,
			      size_t column)
{
	double recomputed = s->verdicts[row->first + column].recomputed;
	const struct lkp_cell *c = &row->cells[column];
	const char *unit = c->kind == LKP_PERCENT ? " %" : "";
	struct say say;

	begin(&say, s, column, "disagrees");
	json_kv_slice(&say.json, "metric", row->metric);
	say_number(&say, "printed", c->change_number);
	say_number(&say, "recomputed", recomputed);
	say_need(&say, recomputed);
	say_slice(&say, row->metric);
	say_f(&say, " prints %+.4g%s, but its values give %+.4g%s.", c->change_number, unit,
	      recomputed, unit);
	say_end(&say);
}

/* Failure rows: the robot divides both counts by one column's number of runs. */
static void read_wrong_failures(const struct reading_scope *s)
{
	const struct lkp_row *worst = NULL;
	size_t rows = 0, at = 0;
	double most = -1;
	struct say say;

	for (size_t i = 0; i < s->table->n; i++) {
		const struct lkp_row *row = &s->table->rows[i];

		for (size_t c = 1; row->section == LKP_FAILURE && c < row->n; c++) {
			double off = fabs(s->verdicts[row->first + c].recomputed -
					  row->cells[c].change_number);

			if (!disagrees(s, row, c))
				continue;
			rows++;
			if (off > most) {
				most = off;
				worst = row;
				at = c;
			}
		}
	}
	if (!worst)
		return;
	const struct lkp_cell *c = &worst->cells[at];
	double recomputed = s->verdicts[worst->first + at].recomputed;
	begin(&say, s, at, "disagrees");
	json_kv_slice(&say.json, "metric", worst->metric);
	say_number(&say, "printed", c->change_number);
	say_number(&say, "recomputed", recomputed);
	json_kv_u64(&say.json, "rows", rows);
	say_f(&say,
	      "The printed %%reproduction of %zu failure figure%s is wrong, because the columns "
	      "have different numbers of runs: ",
	      rows, rows == 1 ? "" : "s");
	say_slice(&say, worst->metric);
	say_f(&say, " prints %+.0f %%, %lld of %lld against %lld of %lld runs is %+.1f points.",
	      c->change_number, (long long)worst->cells[0].fails, (long long)worst->cells[0].runs,
	      (long long)c->fails, (long long)c->runs, recomputed);
	say_end(&say);
}

void read_disagrees(const struct reading_scope *s)
{
	for (size_t i = 0; i < s->table->n; i++)
		for (size_t c = 1; c < s->table->rows[i].n; c++)
			if (s->table->rows[i].section == LKP_METRIC &&
			    disagrees(s, &s->table->rows[i], c))
				read_wrong_change(s, &s->table->rows[i], c);
	read_wrong_failures(s);
}

/* ---- unexplained ---- */

static bool is_thp(struct slice metric)
{
	static const char *const parts[] = { "AnonHugePages", "nr_anon_transparent_hugepages",
					     ".thp_" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (slice_has(metric, slice_str(parts[i])))
			return true;
	return false;
}

/* Within the deviations; where none is printed each is at most 2 %. */
static bool unmoved(const struct lkp_row *row, size_t column)
{
	const struct lkp_cell *base = &row->cells[0], *head = &row->cells[column];

	if (base->stddev_pct >= 0 || head->stddev_pct >= 0)
		return lkp_within_noise(row, column);
	return fabs(head->number - base->number) <= 0.02 * fabs(base->number);
}

/* Rows that are named: those of a usual table all. The names of one reading are a line or a page. */
enum { NAMED_ROWS = 32, NAMED_BYTES = 4096 };

struct thp_rows {
	struct slice named[NAMED_ROWS];
	size_t nnamed, bytes, n; /* n: all of them */
};

static void name_row(struct thp_rows *r, struct slice metric)
{
	r->n++;
	if (r->nnamed == NAMED_ROWS || r->bytes + metric.n > NAMED_BYTES)
		return;
	r->named[r->nnamed++] = metric;
	r->bytes += metric.n;
}

static bool thp_unmoved(const struct reading_scope *s, struct thp_rows *ret)
{
	*ret = (struct thp_rows){ 0 };
	for (size_t i = 0; i < s->table->n; i++) {
		const struct lkp_row *row = &s->table->rows[i];

		if (row->section != LKP_METRIC || row->n <= s->column || !is_thp(row->metric))
			continue;
		if (!unmoved(row, s->column))
			return false;
		name_row(ret, row->metric);
	}
	return ret->n > 0;
}

static void put_rows(struct json *j, const struct thp_rows *rows)
{
	json_key(j, "metrics");
	json_array(j);
	for (size_t i = 0; i < rows->nnamed; i++)
		json_slice(j, rows->named[i]);
	json_array_end(j);
	json_kv_u64(j, "rows", rows->n);
}

/* `more`: headlines that have no reading of their own. */
static void read_unexplained_one(const struct reading_scope *s, const struct lkp_headline *h,
				 const struct thp_rows *rows, size_t more)
{
	struct say say;

	begin(&say, s, s->column, "unexplained");
	json_kv_slice(&say.json, "headline", h->metric);
	put_rows(&say.json, rows);
	json_kv_u64(&say.json, "more", more);
	say_f(&say, "Huge pages do not explain the regression of ");
	say_slice(&say, h->metric);
	if (more)
		say_f(&say, " and of %zu metric%s more", more, more == 1 ? "" : "s");
	say_f(&say, ": %s row%s of them %s in the table and within the noise.",
	      rows->n == 1 ? "the one" : "all", rows->n == 1 ? "" : "s", rows->n == 1 ? "is" : "are");
	say_end(&say);
}

void read_unexplained(const struct reading_scope *s)
{
	struct lkp_headlines about;
	struct thp_rows rows;

	if (!s->doc->nheadlines || !thp_unmoved(s, &rows))
		return;
	lkp_about_table(s->about, s->table, &about);
	for (size_t i = 0; i < about.n && i < ABOUT_MAX; i++)
		read_unexplained_one(s, about.at[i], &rows,
				     i + 1 == ABOUT_MAX ? about.n - ABOUT_MAX : 0);
}
