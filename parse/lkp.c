/* SPDX-License-Identifier: MIT */
#include "parse/lkp_scan.h"

#include <math.h>

#include "base/strmap.h"

const char *const lkp_section_names[2] = { "metric", "failure" };
const char *const lkp_kind_names[4] = { NULL, "percent", "difference", "reproduction" };
const char *const lkp_where_names[3] = { "title", "text", "box" };

#define ROW_FORM "VALUE [+- N%%]  CHANGE[%%]  VALUE [+- N%%]  METRIC"

struct reader {
	struct lkp_scan scan;
	struct lkp_head head;
	struct lkp_table *tables;
	size_t n, cap;
	size_t rows_cap; /* of the last table */
	struct lkp_headline *headlines;
	size_t nheadlines, headlines_cap;
	struct strmap said; /* number, direction and metric of those of no box */
};

static struct lkp_table *last_table(const struct reader *r)
{
	return r->n ? &r->tables[r->n - 1] : NULL;
}

/* Rows grow on the heap while a table is open, and end in the arena. */
static void close_table(struct reader *r)
{
	struct lkp_table *t = last_table(r);

	if (!t)
		return;
	struct lkp_row *rows = arena_dup(r->scan.a, t->rows, t->n, sizeof(*rows));
	mem_free(t->rows);
	t->rows = rows;
	r->rows_cap = 0;
}

static void open_table(struct reader *r, size_t row)
{
	close_table(r);
	r->tables = mem_grow(r->tables, &r->cap, r->n + 1, sizeof(*r->tables));
	lkp_head_table(&r->scan, &r->head, row, &r->tables[r->n++]);
	r->head = (struct lkp_head){ 0 };
}

static void add_row(struct reader *r, size_t at, struct lkp_row *row)
{
	if (r->head.pending || !r->n)
		open_table(r, at);
	struct lkp_table *t = last_table(r);
	row->first = t->cells;
	t->cells += row->n;
	t->metrics |= row->section == LKP_METRIC;
	t->rows = mem_grow(t->rows, &r->rows_cap, t->n + 1, sizeof(*t->rows));
	t->rows[t->n++] = *row;
}

/* The title and the first sentence of a mail say the same. */
static void add_headline(struct reader *r, const struct lkp_headline *h)
{
	bool is_new = true;

	if (h->where != LKP_BOX)
		strmap_at(&r->said,
			  slice_str(arena_printf(r->scan.a, "%.17g %.*s %.*s", fabs(h->number),
						 SLICE_FMT(h->direction), SLICE_FMT(h->metric))),
			  &is_new);
	if (!is_new)
		return;
	r->headlines = mem_grow(r->headlines, &r->headlines_cap, r->nheadlines + 1,
				sizeof(*r->headlines));
	r->headlines[r->nheadlines++] = *h;
}

/* What begins at word i. Returns the words taken (1 when it is nothing), -1 on an error. */
static long take(struct reader *r, size_t i)
{
	struct lkp_table *t = last_table(r);
	struct lkp_headline headline;
	struct lkp_row row = { 0 };
	size_t n = lkp_head_take(&r->scan, i, t, &r->head);

	if (n)
		return (long)n;
	n = lkp_headline_take(&r->scan, i, &headline);
	if (n) {
		add_headline(r, &headline);
		return (long)n;
	}
	if (lkp_row_broken(&r->scan, i))
		return 1;
	bool in_table = r->head.pending || (t && t->heading);
	long taken = lkp_row_take(&r->scan, i, in_table, &row);
	if (taken > 0)
		add_row(r, i, &row);
	return taken ? taken : 1;
}

static int no_table(const struct reader *r, struct slice text, struct err *e)
{
	const char *near = lkp_missing(text);

	if (r->head.pending)
		err_set(e, ERR_KIND, "the heading of a robot table, but no row of it");
	else if (near)
		err_set(e, ERR_KIND, "%s", near);
	else if (r->nheadlines)
		err_set(e, ERR_KIND, "a mail of the test robot without its comparison table");
	else
		err_set(e, ERR_KIND, "no row of a robot table");
	return err_hint(e, "A row is: " ROW_FORM);
}

static void finish(struct reader *r, struct lkp_doc *ret)
{
	struct arena *a = r->scan.a;

	lkp_note_foreign(&r->scan);
	*ret = (struct lkp_doc){ arena_dup(a, r->tables, r->n, sizeof(*r->tables)), r->n,
				 arena_dup(a, r->headlines, r->nheadlines, sizeof(*r->headlines)),
				 r->nheadlines };
}

static int read_all(struct reader *r)
{
	for (size_t i = 0; i < r->scan.n;) {
		long n = take(r, i);

		if (n < 0)
			return -1;
		i += (size_t)n;
	}
	return 0;
}

int lkp_parse(struct slice text, struct arena *a, struct source_info *info, struct lkp_doc *ret,
	      struct err *e)
{
	struct reader r = { .scan = { .a = a, .e = e, .info = info } };
	struct lkp_text lines = { 0 };
	int status;

	lkp_text_read(text, a, info, &lines);
	r.scan.lines = lines.lines;
	r.scan.nlines = lines.n;
	lkp_words_cut(&r.scan);
	status = read_all(&r);
	close_table(&r);
	if (status == 0 && r.n == 0)
		status = no_table(&r, text, e);
	if (status == 0)
		finish(&r, ret);
	mem_free(r.scan.words);
	mem_free(r.tables);
	mem_free(r.headlines);
	strmap_free(&r.said);
	return status;
}

/* ---- is it one? ---- */

/* Where the metrics of the robot come from. */
static const char *const families[] = {
	"meminfo.",	  "numa-",	     "proc-vmstat.", "vmstat.",	     "perf-stat.",
	"perf-profile.",  "perf-sched.",     "perf-c2c.",    "sched_debug.", "mpstat.",
	"slabinfo.",	  "turbostat.",	     "iostat.",	     "interrupts.",  "softirqs.",
	"cpuidle.",	  "uptime.",	     "time.",	     "stress-ng.",   "unixbench.",
	"will-it-scale.", "vm-scalability.", "dmesg.",	     "kmsg.",	     "last_state.",
	"boot-time.",
};

static bool known_family(struct slice metric)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (slice_starts(metric, slice_str(families[i])))
			return true;
	return slice_has(metric, SLICE(".time."));
}

static bool convincing(const struct lkp_doc *d)
{
	size_t rows = 0;

	for (size_t i = 0; i < d->n; i++) {
		rows += d->tables[i].n;
		if (d->tables[i].heading || known_family(d->tables[i].rows[0].metric))
			return true;
	}
	return rows >= 2;
}

bool lkp_has_head(struct slice s)
{
	if (!s.n || !memchr(s.p, '%', s.n)) /* many times quicker than what follows */
		return false;
	return (slice_has(s, SLICE("%stddev")) && slice_has(s, SLICE("%change"))) ||
	       slice_has(s, SLICE("%reproduction"));
}

/* Without a signed number there is no row; a cheap look before a thorough one. */
static bool has_sign(struct slice s)
{
	for (size_t i = 1; i + 1 < s.n; i++)
		if ((s.p[i] == '+' || s.p[i] == '-' || s.p[i] == ':' || s.p[i] == '%') &&
		    (is_digit(s.p[i + 1]) || is_digit(s.p[i - 1])))
			return true;
	return false;
}

bool lkp_looks(struct slice head)
{
	struct source_info info = { 0 };
	struct lkp_doc doc;
	struct arena a = { 0 };
	struct err e = { 0 };

	if (lkp_has_head(head))
		return true;
	if (!has_sign(head))
		return false;
	bool yes = lkp_parse(head, &a, &info, &doc, &e) == 0 && convincing(&doc);
	arena_free(&a);
	return yes || e.kind == ERR_PARSE;
}

static const struct {
	const char *words[2]; /* both are in the text */
	const char *missing;
} near[] = {
	{ { "vs base", "±" },
	  "a benchstat table: its changes stand behind both values, a robot table's between them" },
	{ { "kernel test robot noticed", "build error" },
	  "a build report of the test robot: it has no comparison table" },
	{ { "kernel test robot noticed", "" },
	  "a mail of the test robot without its comparison table" },
};

const char *lkp_missing(struct slice head)
{
	for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++)
		if (slice_has(head, slice_str(near[i].words[0])) &&
		    slice_has(head, slice_str(near[i].words[1])))
			return near[i].missing;
	return NULL;
}

/* ---- looking a metric up ---- */

const struct lkp_row *lkp_row_find(const struct lkp_table *t, struct slice metric)
{
	for (size_t i = 0; i < t->n; i++)
		if (slice_eq(t->rows[i].metric, metric))
			return &t->rows[i];
	return NULL;
}
