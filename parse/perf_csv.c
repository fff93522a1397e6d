/* SPDX-License-Identifier: MIT */
/*
 * perf stat -x SEP. Nothing is quoted or escaped, ever, and separators occur
 * inside of event names, so libcsv splits the lines (with a quote character
 * that cannot occur, and without trimming) and the row is found in the fields:
 * the runtime and the percentage behind it stand fast, the event is what is
 * left of them. The two passes: what all rows have in common, then the rows.
 */
#include <csv.h>

#include "base/dl.h"
#include "parse/perf_csv_row.h"
#include "parse/perf_forms.h"
#include "parse/perf_lines.h"
#include "parse/perf_names.h"

enum { NO_QUOTE = 0x1f };

static int (*init)(struct csv_parser *, unsigned char);
static size_t (*parse)(struct csv_parser *, const void *, size_t, void (*)(void *, size_t, void *),
		       void (*)(int, void *), void *);
static void (*set_delim)(struct csv_parser *, unsigned char);
static void (*set_quote)(struct csv_parser *, unsigned char);
static void (*set_space)(struct csv_parser *, int (*)(unsigned char));
static int (*failure)(struct csv_parser *);
static void (*release)(struct csv_parser *);

static const struct dl_symbol symbols[] = {
	{ "csv_init", (void **)&init },
	{ "csv_parse", (void **)&parse },
	{ "csv_set_delim", (void **)&set_delim },
	{ "csv_set_quote", (void **)&set_quote },
	{ "csv_set_space_func", (void **)&set_space },
	{ "csv_error", (void **)&failure },
	{ "csv_free", (void **)&release },
};

struct reader {
	struct perf_builder *b;
	struct csv_parser csv;
	struct perf_csv_fields f;
	struct perf_csv_dialect dialect;
	struct perf_csv_row row;
	struct perf_names names; /* --metric-only: the headings */
};

/* ---- splitting ---- */

static int never_space(unsigned char c)
{
	(void)c;
	return 0;
}

/* Only lengths are kept: nothing is trimmed or unescaped, so a field is a part of the line. */
static void on_field(void *field, size_t n, void *data)
{
	struct reader *r = data;
	size_t at = r->f.n ? (size_t)(r->f.at[r->f.n - 1].p + r->f.at[r->f.n - 1].n - r->f.line.p) +
				     1
			   : 0;

	(void)field;
	r->f.at = mem_grow(r->f.at, &r->f.cap, r->f.n + 1, sizeof(*r->f.at));
	r->f.at[r->f.n++] = slice_first(slice_skip(r->f.line, at), n);
}

static void on_row(int c, void *data)
{
	(void)c, (void)data;
}

/* False for a line that libcsv would see quotes in. */
static bool split(struct reader *r, struct slice line)
{
	r->f.line = line;
	r->f.n = 0;
	if (line.n && memchr(line.p, NO_QUOTE, line.n))
		return false;
	return parse(&r->csv, line.p, line.n, on_field, on_row, r) == line.n &&
	       parse(&r->csv, "\n", 1, on_field, on_row, r) == 1;
}

static bool csv_failed(struct reader *r)
{
	int code = failure(&r->csv);

	return code == CSV_ENOMEM || code == CSV_ETOOBIG;
}

/* ---- rows ---- */

static int too_long(const struct perf_csv_fields *f, unsigned long number, size_t at, struct err *e)
{
	return err_at(e, number, f->line, f->at[at].p, "a number of more than 38 digits");
}

static void put_counter(struct perf_builder *b, const struct perf_csv_row *row)
{
	struct perf_event *ev = perf_build_event(b, &row->place);
	size_t first = ev->first_metric;

	*ev = row->ev;
	ev->place = row->place;
	ev->first_metric = first;
	perf_build_settle(b, ev);
	perf_build_metrics(b, &row->place, &row->metrics);
}

static void put_cells(struct reader *r, const struct perf_csv_row *row)
{
	for (size_t i = 0; i < row->metrics.n; i++) {
		struct perf_cell *c = perf_build_cell(r->b, &row->place);

		if (r->names.n == row->metrics.n)
			c->name = r->names.at[i];
		c->metric = row->metrics.at[i];
	}
}

static bool is_head(struct slice s)
{
	static const char *const heads[] = { "time",     "socket",  "die",  "core",
					     "cache",    "cluster", "node", "cpu",
					     "comm-pid", "cpus",    "ctrs" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (slice_eq_str(s, heads[i]))
			return true;
	return false;
}

/* What heads the place ends in a comma whatever the separator is. */
static struct cut cut_head(struct slice s, char separator)
{
	struct slice head = slice_cut(slice_first(s, 16), ',').head;

	return slice_cut(s, is_head(head) ? ',' : separator);
}

/* The line above the numbers names them; it may be empty, or hold only what heads the place. */
static bool keep_names(struct reader *r, struct slice line)
{
	char separator = r->dialect.separator;
	struct slice rest = slice_ltrim(line);
	struct cut c;

	while (c = cut_head(rest, separator), is_head(c.head))
		rest = c.tail;
	r->names.n = 0;
	while (c = slice_cut(rest, separator), c.ok) { /* each name ends in a separator */
		if (!perf_names_add(&r->names, c.head)) {
			r->names.n = 0;
			return false;
		}
		rest = c.tail;
	}
	return true;
}

static int put_line(struct reader *r, unsigned long number, struct err *e)
{
	struct perf_csv_row *row = &r->row;
	size_t bad = 0;

	if (perf_csv_row_read(&r->f, &r->dialect, row, &bad))
		return too_long(&r->f, number, bad, e);
	switch (row->kind) {
	case CSV_COUNT:
		put_counter(r->b, row);
		break;
	case CSV_GROUP:
		perf_build_group(r->b, &row->place, row->group);
		break;
	case CSV_METRICS:
		perf_build_metrics(r->b, &row->place, &row->metrics);
		break;
	case CSV_CELLS:
		put_cells(r, row);
		break;
	case CSV_NONE:
		if (r->dialect.counts || r->b->doc->n_cells || !keep_names(r, r->f.line))
			perf_build_note(r->b, NOTE_FOREIGN, number, r->f.line);
	}
	return 0;
}

static int read_line(struct reader *r, struct slice line, unsigned long number, struct err *e)
{
	if (slice_trim(line).n == 0)
		return 0;
	if (slice_starts(line, SLICE("# started on"))) {
		perf_build_break(r->b);
		return 0;
	}
	if (split(r, line))
		return put_line(r, number, e);
	if (csv_failed(r))
		return err_set(e, ERR_SYSTEM, "libcsv: out of memory");
	perf_build_note(r->b, NOTE_FOREIGN, number, line);
	return 0;
}

/* What the rows have in common is clear long before the end of a long recording. */
enum { LEARN_LINES = 20000 };

static void learn(struct reader *r, struct slice text)
{
	struct source_info ignored = { 0 };
	struct perf_builder scratch = *r->b;

	scratch.info = &ignored;
	for (int round = 0; round < 2; round++) {
		struct slice rest = text;

		for (unsigned long n = 1; rest.n && n <= LEARN_LINES; n++) {
			struct cut c = slice_cut_line(rest);

			rest = c.tail;
			if (split(r, perf_line_clean(c.head, n, &scratch)))
				perf_csv_learn(&r->dialect, &r->f, round);
		}
		perf_csv_settle(&r->dialect, round);
	}
}

static int read_lines(struct reader *r, struct slice text, struct err *e)
{
	unsigned long number = 0;
	int rc = 0;

	for (struct slice rest = text; rest.n && rc == 0;) {
		struct cut c = slice_cut_line(rest);

		rest = c.tail;
		number++;
		size_t before = r->b->doc->n_events;
		rc = read_line(r, perf_line_clean(c.head, number, r->b), number, e);
		if (r->b->doc->n_events > before && (r->dialect.split_decimals || r->dialect.decimal == ','))
			perf_build_note(r->b, NOTE_DECIMAL_COMMA, number, c.head);
	}
	perf_lines_end(text, number, r->b);
	return rc;
}

int perf_csv_read(struct slice text, struct perf_builder *b, struct err *e)
{
	struct reader r = { .b = b, .dialect = { .separator = perf_csv_separator(text) } };

	if (!r.dialect.separator)
		r.dialect.separator = ',';
	if (dl_load("libcsv.so.3", "libcsv3", symbols, sizeof(symbols) / sizeof(symbols[0]), e))
		return -1;
	if (init(&r.csv, 0))
		return err_set(e, ERR_SYSTEM, "libcsv cannot be set up");
	set_delim(&r.csv, (unsigned char)r.dialect.separator);
	set_quote(&r.csv, NO_QUOTE);
	set_space(&r.csv, never_space);
	learn(&r, text);
	int rc = read_lines(&r, text, e);
	release(&r.csv);
	mem_free(r.f.at);
	mem_free(r.row.metrics.at);
	mem_free(r.names.at);
	return rc;
}
