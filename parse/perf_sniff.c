/* SPDX-License-Identifier: MIT */
#include "parse/perf_csv_row.h"
#include "parse/perf_forms.h"
#include "parse/perf_lines.h"
#include "parse/perf_mail.h"
#include "parse/perf_row.h"

enum { SNIFF_LINES = 400 };

/*
 * Events by which output without any other mark is known: before 4.1 a row is
 * just "count,event".
 */
static const char *const known_events[] = {
	"task-clock", "cpu-clock", "task-clock-msecs", "cpu-clock-msecs", "context-switches",
	"cpu-migrations", "CPU-migrations", "page-faults", "minor-faults", "major-faults",
	"cycles", "instructions", "branches", "branch-misses", "cache-references",
	"cache-misses", "dTLB-loads", "dTLB-load-misses", "iTLB-loads", "iTLB-load-misses",
	"L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses",
	"stalled-cycles-frontend", "stalled-cycles-backend", "bus-cycles", "ref-cycles",
	"alignment-faults", "emulation-faults", "duration_time",
};

static bool is_known_event(struct slice name)
{
	struct cut c = slice_cut(name, ':'); /* without a modifier */

	for (size_t i = 0; i < sizeof(known_events) / sizeof(known_events[0]); i++)
		if (slice_eq_str(c.head, known_events[i]))
			return true;
	return false;
}

/* ---- JSON ---- */

static bool is_json_line(struct slice s)
{
	static const struct slice keys[] = {
		SLICE("\"counter-value\" : "), SLICE("\"metric-value\" : "),
		SLICE("\"event-runtime\" : "), SLICE("\"metricgroup\" : "),
		SLICE("{\"unit\" : "),         SLICE("{\"interval\" : "),
	};

	if (!slice_starts(s, SLICE("{\"")))
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (slice_has(s, keys[i]))
			return true;
	/* 6.12 --metric-only: keys are names of metrics, values are numbers in quotes */
	return slice_has(s, SLICE("\" : \"")) && slice_ends(s, SLICE("\"}"));
}

/* ---- CSV ---- */

static bool is_separator(char c)
{
	if (c == '\t')
		return true;
	return (unsigned char)c > ' ' && (unsigned char)c < 0x7f && !is_digit(c) && !is_alpha(c) &&
	       !strchr(".-%<>_\"", c);
}

/* A plain cut: a sniffer must not load a library. */
static void cut_fields(struct slice line, char separator, struct perf_csv_fields *f)
{
	struct cut c = { .tail = line, .ok = true };

	f->line = line;
	f->n = 0;
	while (c.ok) {
		c = slice_cut(c.tail, separator);
		f->at = mem_grow(f->at, &f->cap, f->n + 1, sizeof(*f->at));
		f->at[f->n++] = c.head;
	}
}

struct csv_votes {
	size_t pairs; /* rows with runtime and percentage */
	size_t known; /* rows with a known event, or a count that is none */
	size_t cells; /* --metric-only: numbers only, closed by a separator */
	size_t other;
};

static bool has_letter(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (is_alpha(s.p[i]))
			return true;
	return false;
}

/* Is the row one of perf's, and by which mark? */
static void vote_row(const struct perf_csv_fields *f, char separator, struct perf_csv_row *row,
		     struct csv_votes *v)
{
	struct perf_csv_dialect d = { .separator = separator };
	size_t bad;

	perf_csv_learn(&d, f, 0);
	perf_csv_settle(&d, 0);
	if (f->n < 2 || perf_csv_row_read(f, &d, row, &bad)) {
		v->other++;
	} else if (row->kind == CSV_COUNT && d.pairs && has_letter(row->ev.event)) {
		v->pairs++;
	} else if (row->kind == CSV_COUNT && !d.pairs &&
		   (is_known_event(row->ev.event) || row->ev.state != PERF_OK)) {
		v->known++;
	} else if (row->kind == CSV_CELLS && f->at[f->n - 1].n == 0 && f->n > 1) {
		v->cells++;
	} else {
		v->other++;
	}
}

static struct csv_votes vote_lines(struct slice head, char separator)
{
	struct csv_votes v = { 0 };
	struct perf_csv_fields f = { 0 };
	struct perf_csv_row row = { 0 };
	unsigned lines = 0;

	while (head.n && lines++ < SNIFF_LINES) {
		struct cut c = slice_cut_line(head);
		struct slice s = slice_rtrim(perf_unquote(c.head));

		head = c.tail;
		if (s.n == 0 || *s.p == '#')
			continue;
		cut_fields(s, separator, &f);
		vote_row(&f, separator, &row, &v);
	}
	mem_free(f.at);
	mem_free(row.metrics.at);
	return v;
}

/* --metric-only has no mark but its shape and the line above the numbers. */
static bool is_metric_only(struct slice head, char separator, const struct csv_votes *v)
{
	/* A comma whatever the separator is. */
	static const struct slice headings[] = {
		SLICE("time,"), SLICE("socket,"), SLICE("die,"),
		SLICE("core,"), SLICE("cache,"),  SLICE("cluster,"),
		SLICE("node,"), SLICE("cpu,"),    SLICE("comm-pid,"),
	};

	if (!v->cells || v->pairs || v->other > 1)
		return false;
	struct slice first = slice_trim(slice_cut_line(head).head);
	if (first.n == 0)
		return true;
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		if (slice_starts(first, headings[i]))
			return true;
	return slice_has(first, SLICE("insn per cycle")) || slice_has(first, SLICE(" of all ")) ||
	       slice_has(first, SLICE("tma_")) || slice_has(first, SLICE("cycles idle")) ||
	       slice_eq_str(slice_cut(first, separator).head, "GHz");
}

static size_t weight(struct slice head, char separator, struct csv_votes *v)
{
	*v = vote_lines(head, separator);
	if (v->pairs)
		return 1000 * v->pairs + v->known;
	if (v->known && v->known >= v->other)
		return 10 * v->known;
	return is_metric_only(head, separator, v);
}

char perf_csv_separator(struct slice head)
{
	bool tried[256] = { false };
	size_t best = 0;
	char ret = '\0';

	head = slice_first(head, 64 * 1024);
	for (size_t i = 0; i < head.n; i++) {
		unsigned char c = (unsigned char)head.p[i];
		struct csv_votes v;

		if (tried[c] || !is_separator(head.p[i]))
			continue;
		tried[c] = true;
		size_t w = weight(head, head.p[i], &v);
		if (w > best) {
			best = w;
			ret = head.p[i];
		}
	}
	return ret;
}

/* ---- text ---- */

struct text_votes {
	bool header;
	bool interval, times; /* the heading of -I, and rows with time stamps */
	bool timed;           /* rows with time stamps that say more than a number */
	size_t rows, known;
};

static void vote_text(struct slice line, struct arena *a, struct perf_row *row, struct text_votes *v)
{
	const struct perf_layout y = { .locale = { .decimal = '.' } };
	struct slice comment = slice_ltrim(line);
	const char *at;

	v->header |= perf_header_start(line) >= 0 &&
		     (memchr(line.p, '\'', line.n) || slice_has(line, SLICE("&#")));
	if (slice_starts(comment, SLICE("#"))) {
		comment = slice_cut_word(slice_skip(comment, 1)).head;
		v->interval |= slice_eq_str(comment, "time");
		return;
	}
	if (perf_row_read(line, &y, a, row, &at))
		return;
	bool known = row->kind == ROW_COUNT && (is_known_event(row->event) || row->state != PERF_OK);
	v->times |= row->place.has_time && row->kind != ROW_NONE;
	v->timed |= row->place.has_time && (known || row->metrics.n || row->place.aggregate.n);
	v->rows += row->kind == ROW_COUNT && row->metrics.n;
	v->known += known;
}

static struct text_votes vote_texts(struct slice head)
{
	struct text_votes v = { 0 };
	struct source_info ignored = { 0 };
	struct perf_doc doc = { .form = PERF_TEXT };
	struct arena a = { 0 };
	struct perf_builder b = { .a = &a, .doc = &doc, .info = &ignored };
	struct perf_row row = { 0 };

	for (unsigned n = 0; head.n && n < SNIFF_LINES && !v.header; n++) {
		struct cut c = slice_cut_line(head);

		head = c.tail;
		vote_text(perf_line_clean(c.head, 0, &b), &a, &row, &v);
	}
	mem_free(row.metrics.at);
	arena_free(&a);
	return v;
}

/* ---- all ---- */

static bool has_json(struct slice head)
{
	for (unsigned n = 0; head.n && n < SNIFF_LINES; n++) {
		struct cut c = slice_cut_line(head);

		if (is_json_line(slice_trim(perf_unquote(c.head))))
			return true;
		head = c.tail;
	}
	return false;
}

enum perf_form perf_sniff(struct slice head)
{
	if (has_json(head))
		return PERF_JSON;
	struct text_votes v = vote_texts(head);
	if (v.header || (v.interval && v.times) || v.timed || v.rows >= 3 ||
	    (v.rows && v.known > 1))
		return PERF_TEXT;
	return perf_csv_separator(head) ? PERF_CSV : PERF_NONE;
}

bool perf_looks(struct slice head)
{
	return perf_sniff(head) != PERF_NONE;
}

const char *perf_missing(struct slice head)
{
	struct text_votes v = vote_texts(head);

	if (v.rows || v.known)
		return "like rows of perf stat, but there is no line \"Performance counter stats "
		       "for\" above them";
	if (slice_has(head, SLICE("# Overhead")) || slice_has(head, SLICE("# Samples:")))
		return "perf report's output: perf stat is what is read here";
	return NULL;
}
