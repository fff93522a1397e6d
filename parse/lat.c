/* SPDX-License-Identifier: MIT */
#include "parse/lat.h"

#include <math.h>

#include "base/num.h"
#include "parse/lkp_scan.h"

enum { VALUES_MAX = 32, ROWS_MIN = 2, ROWS_SURE = 8, HEADS_BACK = 60 };

/* What stands above the rows of the next table. */
struct above {
	struct slice title, stride;
	size_t heads, nheads; /* words of the line of column heads */
	bool any;
};

struct reader {
	struct lkp_scan scan;
	struct above above;
	struct lat_table *tables;
	size_t n, cap, rows_cap;
	bool open; /* the last table still grows, on the heap */
};

/* ---- words ---- */

/* A size or a latency: no sign. */
static bool is_number(struct slice w)
{
	return lkp_is_number(w) && *w.p != '-' && !slice_has(w, SLICE("e"));
}

static bool is_missing(struct slice w)
{
	return slice_eq_str(w, "-") || slice_eq_str(w, "n/a") || slice_eq_str(w, "N/A");
}

static bool is_unit(struct slice w)
{
	static const char *const units[] = { "MiB",	 "MB",	      "M",	   "Size",
					     "size",	 "SIZE",      "MiB:",	   "size/MiB",
					     "size_mib", "Size(MiB)", "size(MiB)", "Size(MB)",
					     "size(MB)" };

	while (w.n && *w.p == '#')
		w = slice_skip(w, 1);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_eq_str(w, units[i]))
			return true;
	return false;
}

/* The digits of "stride=64 (lmbench writes the quote, and no second one). */
static struct slice stride_of(struct slice w)
{
	ptrdiff_t at = slice_find(w, SLICE("stride="));

	if (at < 0 || at > 1)
		return (struct slice){ 0 };
	w = slice_skip(w, (size_t)at + 7);
	size_t n = 0;
	while (n < w.n && is_digit(w.p[n]))
		n++;
	w = slice_first(w, n);
	while (w.n > 1 && *w.p == '0')
		w = slice_skip(w, 1);
	return w;
}

static struct slice without_zeros(struct slice w)
{
	if (!slice_has(w, SLICE(".")))
		return w;
	while (w.p[w.n - 1] == '0')
		w.n--;
	w.n -= w.p[w.n - 1] == '.';
	return w;
}

/*
 * lat_mem_rd walks sizes of 2^e and 1.5 2^e, other versions in quarters; they
 * are printed in MiB with five decimals.
 */
static bool on_ladder(double mib)
{
	int e;
	double m = frexp(mib, &e) * 8; /* 4 to 8 */

	return mib > 0 && fabs(rint(m) * ldexp(1, e - 3) - mib) <= fmax(5.1e-6, 1e-6 * mib);
}

/* ---- tables ---- */

static struct lat_table *open_one(const struct reader *r)
{
	return r->open ? &r->tables[r->n - 1] : NULL;
}

/* Ends a table: rows go to the arena; too few are no table. */
static void close_table(struct reader *r)
{
	struct lat_table *t = open_one(r);

	if (!t)
		return;
	struct lat_row *rows = arena_dup(r->scan.a, t->rows, t->n, sizeof(*rows));
	mem_free(t->rows);
	t->rows = rows;
	r->rows_cap = 0;
	r->open = false;
	if (t->n < ROWS_MIN)
		r->n--;
}

/* Parts of a line that two blanks or more separate, into `ret` (max places). Returns how many. */
static size_t wide_parts(struct slice line, struct slice *ret, size_t max)
{
	size_t n = 0;

	for (line = slice_trim(line); line.n && n < max; line = slice_ltrim(line)) {
		ptrdiff_t at = slice_find(line, SLICE("  "));

		ret[n++] = at < 0 ? line : slice_first(line, (size_t)at);
		line = slice_skip(line, ret[n - 1].n);
	}
	return line.n ? max + 1 : n;
}

/* Names of `columns` columns from the line of heads; a name may hold single blanks. */
static bool find_names(const struct reader *r, size_t columns, struct slice *ret)
{
	struct slice parts[VALUES_MAX + 1];

	if (!r->above.nheads)
		return false;
	if (r->above.nheads == columns) {
		for (size_t i = 0; i < columns; i++)
			ret[i] = lkp_word(&r->scan, r->above.heads + i);
		return true;
	}
	uint32_t line = r->scan.words[r->above.heads].line;
	if (wide_parts(r->scan.lines[line].text, parts, VALUES_MAX + 1) != columns + 1)
		return false;
	memcpy(ret, parts + 1, columns * sizeof(*ret));
	return true;
}

/*
 * A line that began like heads is talk when it does not fit the row below, or
 * when that row goes on with the table above.
 */
static void drop_unfit_heads(struct reader *r, double mib, size_t columns)
{
	const struct lat_table *t = open_one(r);
	struct slice names[VALUES_MAX];
	bool goes_on = t && t->ncolumns == columns && mib > t->rows[t->n - 1].mib;

	if (!r->above.nheads || (find_names(r, columns, names) && !goes_on))
		return;
	r->above.nheads = 0;
	r->above.any = r->above.stride.n != 0;
}

static struct lat_table *open_table(struct reader *r, size_t columns)
{
	close_table(r);
	r->tables = mem_grow(r->tables, &r->cap, r->n + 1, sizeof(*r->tables));
	struct lat_table *t = &r->tables[r->n++];
	*t = (struct lat_table){ .title = r->above.title, .stride = r->above.stride,
				 .ncolumns = columns, .heading = r->above.any };
	t->columns = arena_array(r->scan.a, columns, sizeof(*t->columns));
	find_names(r, columns, t->columns);
	r->above = (struct above){ 0 };
	r->open = true;
	return t;
}

/* Does the row go on with the open table? */
static bool continues(const struct reader *r, const struct lat_row *row, size_t columns)
{
	const struct lat_table *t = open_one(r);

	return t && !r->above.any && t->ncolumns == columns && row->mib > t->rows[t->n - 1].mib;
}

static int too_large(const struct reader *r, size_t word)
{
	const struct lkp_line *line = &r->scan.lines[r->scan.words[word].line];

	return err_at(r->scan.e, line->number, line->text, r->scan.words[word].s.p,
		      "this number is too large");
}

static int read_value(const struct reader *r, size_t word, struct lat_value *ret)
{
	struct slice w = lkp_word(&r->scan, word);

	*ret = (struct lat_value){ .ns = NAN };
	if (is_missing(w))
		return 0;
	ret->text = w;
	return num_double(w, &ret->ns) ? 0 : too_large(r, word);
}

/* Is the row behind this one of the same form, and its size larger? */
static bool is_followed(const struct lkp_scan *s, size_t at, size_t columns, double mib)
{
	size_t i = at + 1 + columns;
	double next;

	while (i < s->n && !is_number(lkp_word(s, i)) && !lkp_first_on_line(s, i))
		i++; /* a comment */
	if (!is_number(lkp_word(s, i)) || !num_double(lkp_word(s, i), &next) || next <= mib)
		return false;
	for (size_t c = 1; c <= columns; c++)
		if (!is_number(lkp_word(s, i + c)) && !is_missing(lkp_word(s, i + c)))
			return false;
	return true;
}

/* May a table begin with this row? Numbers in talk do not end the table they stand in. */
static bool may_begin(const struct reader *r, size_t at, size_t columns, double mib)
{
	return r->above.any ||
	       (on_ladder(mib) && (!r->open || is_followed(&r->scan, at, columns, mib)));
}

/* Words [at, at + 1 + columns) as a row. 1: taken, 0: not one after all, -1. */
static int take_row(struct reader *r, size_t at, size_t columns)
{
	struct lat_row row = { .size = without_zeros(lkp_word(&r->scan, at)),
			       .line = r->scan.lines[r->scan.words[at].line].number };

	if (!num_double(row.size, &row.mib))
		return too_large(r, at);
	if (!(row.mib > 0)) /* heads wait for a row that may be theirs */
		return 0;
	drop_unfit_heads(r, row.mib, columns);
	bool more = continues(r, &row, columns);
	if (more ? !on_ladder(row.mib) && !open_one(r)->heading
		 : !may_begin(r, at, columns, row.mib))
		return 0;
	row.values = arena_array(r->scan.a, columns, sizeof(*row.values));
	for (size_t i = 0; i < columns; i++)
		if (read_value(r, at + 1 + i, &row.values[i]) < 0)
			return -1;
	struct lat_table *t = more ? open_one(r) : open_table(r, columns);
	t->rows = mem_grow(t->rows, &r->rows_cap, t->n + 1, sizeof(*t->rows));
	t->rows[t->n++] = row;
	lkp_mark(&r->scan, at, at + 1 + columns);
	return 1;
}

/* ---- by lines ---- */

/* Values of a line that is a row: all numbers, but for a comment at its end. 0: no row. */
static size_t row_values(const struct lkp_scan *s, size_t from, size_t to)
{
	size_t n = 1;
	bool any = false;

	if (!is_number(lkp_word(s, from)))
		return 0;
	for (; from + n < to; n++) {
		struct slice w = lkp_word(s, from + n);

		if (*w.p == '#')
			break;
		if (!is_number(w) && !is_missing(w))
			return 0;
		any |= is_number(w);
	}
	return any && n <= VALUES_MAX ? n - 1 : 0;
}

static bool names_latency(struct slice line)
{
	return slice_has(line, SLICE("latency")) || slice_has(line, SLICE("Latency")) ||
	       slice_has(line, SLICE("lat_mem_rd"));
}

/* A line that is no row may be what stands above one. */
static void look_above(struct reader *r, size_t from, size_t to)
{
	struct slice first = lkp_word(&r->scan, from), stride = stride_of(first);

	if (stride.n) {
		r->above.stride = stride;
		r->above.any = true;
	} else if (is_unit(first) && to - from >= 2) {
		r->above.heads = from + 1;
		r->above.nheads = to - from - 1;
		r->above.any = true;
	} else if (names_latency(r->scan.lines[r->scan.words[from].line].text)) {
		r->above.title = slice_trim(r->scan.lines[r->scan.words[from].line].text);
	} else {
		return;
	}
	lkp_mark(&r->scan, from, to);
}

static int read_lines(struct reader *r)
{
	for (size_t from = 0, to; from < r->scan.n; from = to) {
		for (to = from + 1; to < r->scan.n && !lkp_first_on_line(&r->scan, to);)
			to++;
		size_t values = row_values(&r->scan, from, to);

		if (!values)
			look_above(r, from, to);
		else if (take_row(r, from, values) < 0)
			return -1;
	}
	return 0;
}

/* ---- on one line ---- */

/* Rows of `width` words that the numbers from `at` on make, sizes rising on the ladder. */
static size_t rows_of_width(const struct lkp_scan *s, size_t at, size_t n, size_t width)
{
	double before = 0, mib;
	size_t rows = 0;

	for (; (rows + 1) * width <= n; rows++) {
		if (!num_double(lkp_word(s, at + rows * width), &mib) || mib <= before ||
		    !on_ladder(mib))
			break;
		before = mib;
	}
	return rows;
}

/* The width that uses up all numbers of a run, at least `min` rows of it; 0: none does. */
static size_t find_width(const struct lkp_scan *s, size_t at, size_t n, size_t min)
{
	for (size_t width = 2; width <= VALUES_MAX && width * min <= n; width++)
		if (n % width == 0 && rows_of_width(s, at, n, width) == n / width)
			return width;
	return 0;
}

/* Names of columns are versions and the like: with a digit, or right in front of the numbers. */
static bool are_names(const struct lkp_scan *s, size_t from, size_t to, size_t at)
{
	for (size_t i = from; i < to && to != at; i++) {
		struct slice w = lkp_word(s, i);
		bool digit = false;

		for (size_t k = 0; k < w.n; k++)
			digit |= is_digit(w.p[k]);
		if (!digit)
			return false;
	}
	return to <= at;
}

/* The heads of `width` columns in front of the run at word `at`; a reply may stand between. */
static void look_before(struct reader *r, size_t at, size_t width)
{
	for (size_t back = 1; back <= HEADS_BACK && back <= at; back++) {
		size_t i = at - back;

		if (stride_of(lkp_word(&r->scan, i)).n)
			look_above(r, i, i + 1);
		else if (is_unit(lkp_word(&r->scan, i)) &&
			 are_names(&r->scan, i + 1, i + width, at))
			look_above(r, i, i + width);
		else
			continue;
		return;
	}
}

/* A run of numbers between words: a piece of the table when its width fits. */
static int take_run(struct reader *r, size_t at, size_t n)
{
	const struct lat_table *t = open_one(r);
	size_t width = find_width(&r->scan, at, n, ROWS_MIN + 1);

	if (t && n && n % (t->ncolumns + 1) == 0 &&
	    rows_of_width(&r->scan, at, n, t->ncolumns + 1) == n / (t->ncolumns + 1))
		width = t->ncolumns + 1;
	if (!width)
		return 0;
	if (!r->open)
		look_before(r, at, width);
	for (size_t i = 0; i < n; i += width)
		if (take_row(r, at + i, width - 1) < 0)
			return -1;
	return 0;
}

static int read_flat(struct reader *r)
{
	for (size_t at = 0, n; at < r->scan.n; at += n + 1) {
		for (n = 0; is_number(lkp_word(&r->scan, at + n));)
			n++;
		if (take_run(r, at, n) < 0)
			return -1;
	}
	return 0;
}

/* ---- all ---- */

static void end_tables(struct reader *r)
{
	close_table(r);
	r->above = (struct above){ 0 };
}

static void finish(struct reader *r, struct lat_doc *ret)
{
	ret->tables = arena_dup(r->scan.a, r->tables, r->n, sizeof(*ret->tables));
	ret->n = r->n;
	lkp_note_foreign(&r->scan);
}

static int no_table(struct slice text, struct err *e)
{
	const char *near = lat_missing(text);

	err_set(e, ERR_KIND, "%s", near ? near : "no table of lat_mem_rd");
	return err_hint(e, "A row is: SIZE in MiB, then LATENCY in ns once or more; sizes rise");
}

int lat_parse(struct slice text, struct arena *a, struct source_info *info, struct lat_doc *ret,
	      struct err *e)
{
	struct reader r = { .scan = { .a = a, .e = e, .info = info } };
	struct lkp_text lines = { 0 };
	int status;

	lkp_text_read(text, a, info, &lines);
	r.scan.lines = lines.lines;
	r.scan.nlines = lines.n;
	lkp_words_cut(&r.scan);
	status = read_lines(&r);
	end_tables(&r);
	if (status == 0 && r.n == 0) {
		status = read_flat(&r);
		end_tables(&r);
	}
	if (status == 0 && r.n == 0)
		status = no_table(text, e);
	if (status == 0)
		finish(&r, ret);
	mem_free(r.scan.words);
	mem_free(r.tables);
	return status;
}

/* Sizes below 1 MiB and latencies with decimals: no table of threads against seconds. */
static bool convincing(const struct lat_table *t)
{
	bool fraction = false;

	if (t->heading && t->n > ROWS_MIN)
		return true;
	for (size_t i = 0; i < t->n; i++) {
		fraction |= t->rows[i].mib != rint(t->rows[i].mib);
		for (size_t c = 0; c < t->ncolumns; c++)
			if (!isnan(t->rows[i].values[c].ns) &&
			    !slice_has(t->rows[i].values[c].text, SLICE(".")))
				return false;
	}
	return fraction && t->n >= ROWS_SURE;
}

bool lat_looks(struct slice head)
{
	struct source_info info = { 0 };
	struct lat_doc doc;
	struct arena a = { 0 };
	struct err e = { 0 };
	bool yes = false;

	if (lat_parse(head, &a, &info, &doc, &e) == 0)
		for (size_t i = 0; i < doc.n; i++)
			yes |= convincing(&doc.tables[i]);
	arena_free(&a);
	return yes;
}

const char *lat_missing(struct slice head)
{
	if (slice_has(head, SLICE("\"stride=")) || slice_has(head, SLICE("memory latency(smaller")))
		return "the heading of a latency table, but no rows: rising sizes in MiB, "
		       "latencies in ns";
	return NULL;
}
