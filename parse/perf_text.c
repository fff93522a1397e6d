/* SPDX-License-Identifier: MIT */
#include "base/out.h"
#include "parse/perf_forms.h"
#include "parse/perf_lines.h"
#include "parse/perf_names.h"
#include "parse/perf_row.h"

struct reader {
	struct perf_builder *b;
	struct perf_lines lines;
	size_t at;
	struct perf_layout layout;
	struct perf_row row;
	bool open;        /* rows without time stamps are counters here */
	bool headerless;  /* no header anywhere, no time stamps: rows were pasted alone */
	bool counted;     /* the block has rows with counts: no --metric-only */
	struct slice names; /* a line that may be the headings of --metric-only, and what it is then */
	struct perf_names headings;
	unsigned long names_line;
	bool names_used;    /* numbers stood under it */
};

/* ---- what kind of block the next lines are ---- */

static bool is_started(struct slice s)
{
	return slice_starts(slice_ltrim(s), SLICE("# started on"));
}

static bool ends_block(struct slice s)
{
	return perf_header_start(s) >= 0 || is_started(s);
}

/* The locale and the layout of the lines from `from` to the next header. */
static struct perf_layout scan_layout(struct reader *r, size_t from)
{
	const struct perf_lines *l = &r->lines;
	struct perf_row *row = &r->row;
	struct perf_layout y = { .locale = { .decimal = '.' } };
	unsigned votes[2] = { 0, 0 };
	const char *at;
	size_t to = from;

	for (; to < l->n && !ends_block(l->at[to].s); to++)
		perf_num_votes(l->at[to].s, votes);
	if (votes[1] > votes[0])
		y.locale = (struct perf_locale){ ',', true };
	bool padded = false, cgroups = false;
	for (size_t i = from; i < to; i++) {
		if (perf_row_read(l->at[i].s, &y, r->b->a, row, &at) || row->kind != ROW_COUNT)
			continue;
		padded |= row->blanks > 1;
		cgroups |= row->gap > 1;
	}
	y.padded = padded;
	y.cgroups = cgroups;
	return y;
}

/* ---- foreign lines, and headings that look like them ---- */

static void drop_names(struct reader *r)
{
	if (r->names.n && !r->names_used)
		perf_build_note(r->b, NOTE_FOREIGN, r->names_line, r->names);
	r->names = slice_of(NULL, 0);
	r->headings.n = 0;
	r->names_used = false;
}

static void keep_as_names(struct reader *r, const struct perf_line *line)
{
	drop_names(r);
	r->names = line->s;
	perf_names_split(r->names, &r->headings);
	r->names_line = line->number;
}

/* ---- header ---- */

static const struct {
	const char *before, *inside; /* what stands before and behind the opening quote */
	enum perf_target kind;
} targets[] = {
	{ "process id ", "", PERF_PID },	{ "thread id ", "", PERF_TID },
	{ "", "system wide", PERF_SYSTEM },	{ "", "CPU(s) ", PERF_CPUS },
	{ "", "BPF program(s) ", PERF_TARGET_NONE }, { "", "", PERF_COMMAND },
};

static enum perf_target target_kind(struct slice before, struct slice target)
{
	size_t i = 0;

	while (!slice_starts(before, slice_str(targets[i].before)) ||
	       !slice_starts(target, slice_str(targets[i].inside)))
		i++; /* the last one fits all */
	if (targets[i].kind == PERF_SYSTEM && target.n != strlen("system wide"))
		return PERF_COMMAND;
	return targets[i].kind;
}

/* A target may span lines: joins them up to the one that closes the quote, which no line's end parts. */
static bool join_header(struct reader *r, struct slice first, struct slice *ret, int64_t *runs)
{
	struct slice part = first;
	size_t end, i = r->at;
	ptrdiff_t quote;
	struct out o;

	out_memory(&o);
	while ((quote = perf_header_end(part, runs, &end)) < 0) {
		if (++i == r->lines.n || ends_block(r->lines.at[i].s))
			break;
		out_put(&o, part);
		out_byte(&o, '\n');
		part = r->lines.at[i].s;
	}
	if (quote >= 0) {
		r->at = i;
		out_put(&o, slice_first(part, (size_t)quote));
		*ret = arena_copy(r->b->a, out_slice(&o));
	}
	out_close(&o);
	return quote >= 0;
}

/* True when the line is a header. */
static bool read_header(struct reader *r)
{
	struct slice line = r->lines.at[r->at].s, s;
	ptrdiff_t start = perf_header_start(line);
	int64_t runs = 1;

	if (start < 0)
		return false;
	s = slice_skip(line, (size_t)start);
	struct cut c = slice_cut(s, '\'');
	if (!c.ok || !join_header(r, c.tail, &s, &runs))
		return false;
	struct perf_block *k = perf_build_header(r->b);
	k->target = s;
	k->target_kind = target_kind(c.head, s);
	k->runs = runs;
	r->open = true;
	r->counted = false;
	r->layout = scan_layout(r, r->at + 1);
	return true;
}

/* ---- trailer ---- */

static bool read_trailer(struct reader *r, struct slice line)
{
	static const struct slice elapsed = SLICE("seconds time elapsed");
	struct perf_row row = { 0 };
	struct perf_block *k;
	struct dec d, ignored;
	const char *at;
	struct slice s = slice_trim(line);

	if (!r->b->doc->n_blocks || perf_row_tail(&s, &r->layout.locale, &row, &at) ||
	    perf_take_number(&s, &r->layout.locale, &d) != NUM_OK)
		return false;
	s = slice_trim(s);
	if (slice_starts(s, SLICE("+- "))) {
		s = slice_skip(s, 3);
		perf_take_number(&s, &r->layout.locale, &ignored);
		s = slice_ltrim(s);
	}
	if (slice_eq(s, elapsed)) {
		if (!r->open)
			return false;
		perf_build_elapsed(r->b, d);
		k = perf_build_block(r->b);
		k->has_elapsed_variance = row.has_variance;
		k->elapsed_variance_pct = row.variance_pct;
		r->open = r->headerless;
		return true;
	}
	k = perf_build_block(r->b);
	if (slice_eq_str(s, "seconds user")) {
		k->has_user = true;
		k->user_s = d;
		return true;
	}
	if (slice_eq_str(s, "seconds sys")) {
		k->has_sys = true;
		k->sys_s = d;
		return true;
	}
	return false;
}

/* --table: "0.0100909 (-0.0000265) #" is one run of -r, no counter. */
static bool is_table_row(struct slice line, const struct perf_locale *l)
{
	struct slice s = slice_trim(line);
	struct dec d;

	if (perf_take_number(&s, l, &d) != NUM_OK || !slice_starts(s, SLICE(" (")))
		return false;
	s = slice_skip(s, 2);
	if (!s.n || (*s.p != '+' && *s.p != '-'))
		return false;
	s = slice_skip(s, 1);
	return perf_take_number(&s, l, &d) == NUM_OK && slice_starts(s, SLICE(") #"));
}

/* "# started on", the headings of -I, those of --table. */
static bool read_comment(struct reader *r, const struct perf_line *line)
{
	struct slice s = slice_ltrim(line->s);

	if (!slice_starts(s, SLICE("#")))
		return false;
	if (is_started(s)) {
		perf_build_break(r->b);
		r->open = r->headerless;
		r->layout = scan_layout(r, r->at + 1);
		return true;
	}
	struct slice text = slice_ltrim(slice_skip(s, 1));
	if (slice_starts(text, SLICE("Table of individual")) ||
	    slice_starts(text, SLICE("Final result")))
		return true;
	if (!slice_eq_str(slice_cut_word(text).head, "time"))
		return false;
	drop_names(r);
	if (!slice_has(text, SLICE(" events"))) { /* --metric-only */
		r->names = perf_names_of_interval(text);
		perf_names_split(r->names, &r->headings);
		r->names_line = line->number;
		r->names_used = true;
	}
	return true;
}

/* ---- rows ---- */

static void put_tail(struct perf_builder *b, const struct perf_row *row)
{
	if (!b->doc->n_events || b->last_is_group)
		return; /* a group's share has no counter to stand at */
	struct perf_event *ev = &b->doc->events[b->doc->n_events - 1];
	if (row->has_variance) {
		ev->has_variance = true;
		ev->variance_pct = row->variance_pct;
	}
	if (row->has_running) {
		ev->has_running = true;
		ev->running_pct = row->running_pct;
	}
}

static void put_counter(struct reader *r, const struct perf_row *row)
{
	struct perf_event *ev = perf_build_event(r->b, &row->place);

	ev->event = row->event;
	ev->unit = row->unit;
	ev->cgroup = row->cgroup;
	ev->state = row->state;
	ev->value = row->value;
	perf_build_settle(r->b, ev);
	perf_build_metrics(r->b, &row->place, &row->metrics);
	put_tail(r->b, row);
	r->counted = true;
}

static void put_cells(struct reader *r, const struct perf_row *row)
{
	r->names_used |= r->headings.n > 0;
	for (size_t i = 0; i < row->metrics.n; i++) {
		struct perf_cell *c = perf_build_cell(r->b, &row->place);

		/* An unsupported event leaves a blank: then no name can be told. */
		if (r->headings.n == row->metrics.n)
			c->name = r->headings.at[i];
		c->metric = row->metrics.at[i];
	}
}

static bool put_row(struct reader *r, const struct perf_row *row)
{
	bool group = row->kind == ROW_GROUP;

	switch (row->kind) {
	case ROW_COUNT:
		drop_names(r);
		put_counter(r, row);
		return true;
	case ROW_GROUP:
	case ROW_CONTINUATION:
		if (group)
			perf_build_group(r->b, &row->place, row->event);
		perf_build_metrics(r->b, &row->place, &row->metrics);
		put_tail(r->b, row);
		return true;
	case ROW_TAIL:
		put_tail(r->b, row);
		return r->counted;
	case ROW_CELLS:
		if (r->counted)
			return false;
		put_cells(r, row);
		return true;
	case ROW_NONE:
		break;
	}
	return false;
}

static int read_row(struct reader *r, const struct perf_line *line, struct err *e)
{
	const char *at = NULL;

	if (perf_row_read(line->s, &r->layout, r->b->a, &r->row, &at)) {
		if (!r->open)
			return 0;
		return err_at(e, line->number, line->s, at, "a number of more than 38 digits");
	}
	if ((r->open || r->row.place.has_time) && put_row(r, &r->row))
		return 0;
	keep_as_names(r, line);
	return 0;
}

static int read_line(struct reader *r, struct err *e)
{
	const struct perf_line *line = &r->lines.at[r->at];

	if (slice_trim(line->s).n == 0 || read_comment(r, line) || read_header(r) ||
	    read_trailer(r, line->s) || is_table_row(line->s, &r->layout.locale))
		return 0;
	return read_row(r, line, e);
}

/* Neither a header nor a time stamp anywhere. */
static bool is_headerless(const struct perf_lines *l)
{
	const struct perf_layout y = { .locale = { .decimal = '.' } };
	struct arena scratch = { 0 };
	struct perf_row row = { 0 };
	const char *at;
	bool found = false;

	for (size_t i = 0; i < l->n && !found; i++)
		found = perf_header_start(l->at[i].s) >= 0 ||
			(perf_row_read(l->at[i].s, &y, &scratch, &row, &at) == 0 &&
			 row.place.has_time);
	mem_free(row.metrics.at);
	arena_free(&scratch);
	return !found;
}

int perf_text_read(struct slice text, struct perf_builder *b, struct err *e)
{
	struct reader r = { .b = b };
	int rc = 0;

	perf_lines_read(text, b, &r.lines);
	r.headerless = r.open = is_headerless(&r.lines);
	r.layout = scan_layout(&r, 0);
	for (; r.at < r.lines.n && rc == 0; r.at++)
		rc = read_line(&r, e);
	drop_names(&r);
	mem_free(r.headings.at);
	mem_free(r.row.metrics.at);
	perf_lines_free(&r.lines);
	return rc;
}
