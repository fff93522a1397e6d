/* SPDX-License-Identifier: MIT */
#include "base/out.h"
#include "parse/perf_lines.h"
#include "parse/perf_num.h"
#include "parse/perf_row.h"

/*
 * The grammar that survives when all white space has become single blanks: a
 * count is a word of digits and separators that no '#', '+-' or bracket stands
 * in front of, and it begins a row; so does the place in front of it.
 */

struct flat {
	struct out out;
	struct slice rest, previous; /* the word before */
	size_t rows;
	bool in_row;     /* words go on the current line */
	bool has_count;  /* ... and it has its count */
	bool tail_done;  /* its (y%) is there */
	bool in_metric;  /* behind a '#' */
	bool in_trailer; /* behind "N seconds" */
	bool closed;     /* the trailer's line is complete */
};

/* Metrics without a percentage behind them whose words are known to be over. */
static const char *const unit_ends[] = {
	"utilized", "/sec",     "K/sec", "M/sec", "G/sec", "GHz",  "cycle",
	"branches", "accesses", "hits",  "idle",  "refs",  "insn", "IPC",
};

static bool ends_unit(struct slice word)
{
	for (size_t i = 0; i < sizeof(unit_ends) / sizeof(unit_ends[0]); i++)
		if (slice_eq_str(word, unit_ends[i]))
			return true;
	return false;
}

static bool is_number(struct slice word)
{
	const struct perf_locale l = { '.', false };
	struct dec d;

	if (!word.n || !is_digit(*word.p))
		return false;
	for (size_t i = 0; i < word.n; i++) /* either sign may be the decimal one */
		if (is_alpha(word.p[i]) || word.p[i] == '%' || word.p[i] == ')' || word.p[i] == ':')
			return false;
	return perf_take_number(&word, &l, &d) != NUM_NONE || is_digit(*word.p);
}

static bool is_one_of(struct slice w, const char *a, const char *b, const char *c)
{
	return slice_eq_str(w, a) || slice_eq_str(w, b) || slice_eq_str(w, c);
}

static void new_row(struct flat *f)
{
	out_byte(&f->out, '\n');
	f->rows++;
	f->in_row = true;
	f->has_count = f->tail_done = f->in_metric = f->in_trailer = false;
}

static void put_word(struct flat *f, struct slice w)
{
	out_byte(&f->out, ' ');
	out_put(&f->out, w);
}

/* Behind a finished row stands a word: an event that has lost its count. */
static bool is_countless(const struct flat *f, struct slice w)
{
	bool over = f->tail_done || (f->in_metric && ends_unit(f->previous));

	return f->has_count && over && (is_alpha(*w.p) || *w.p == '_') && !f->in_trailer &&
	       !slice_eq_str(w, "of") && !slice_eq_str(w, "per");
}

static void start_countless(struct flat *f)
{
	struct cut next = slice_cut_word(slice_cut_word(f->rest).tail);
	bool counted = slice_eq_str(next.head, "(0.00%)") || slice_eq_str(next.head, "(0,00%)");

	new_row(f);
	out_str(&f->out, counted ? "<not counted> " : "<not supported> ");
	f->has_count = true;
}

/* A time stamp of -I: nine decimals, and no trailer. */
static bool is_time(struct slice w, struct slice next)
{
	return w.n > 10 && w.p[w.n - 10] == '.' && is_number(w) && !slice_eq_str(next, "seconds");
}

/* What the word is to the row it stands in. */
enum word_kind { WORD_PLAIN, WORD_PLACE, WORD_COUNT };

static enum word_kind kind_of(const struct flat *f, struct slice w, struct slice next)
{
	bool after_place = f->in_row && !f->has_count && perf_is_topology(f->previous);

	if (is_one_of(f->previous, "#", "+-", "(") ||
	    is_one_of(f->previous, "<not", "from", "(scaled"))
		return WORD_PLAIN;
	if (after_place && is_number(w) && (is_number(next) || slice_eq_str(next, "<not")))
		return WORD_PLAIN; /* the CPUs behind an aggregate */
	if (perf_is_topology(w) || is_time(w, next))
		return WORD_PLACE;
	return slice_eq_str(w, "<not") || is_number(w) ? WORD_COUNT : WORD_PLAIN;
}

static void take_word(struct flat *f, struct slice w, struct slice next)
{
	enum word_kind kind = kind_of(f, w, next);
	bool second_place = kind == WORD_PLACE && f->in_row && !f->has_count; /* time, then S0 */

	if (f->closed)
		out_byte(&f->out, '\n'); /* what follows is not of the trailer */
	f->closed = false;
	if (kind == WORD_COUNT ? !f->in_row || f->has_count : kind == WORD_PLACE && !second_place)
		new_row(f);
	else if (kind == WORD_PLAIN && is_countless(f, w))
		start_countless(f);
	f->has_count |= kind == WORD_COUNT;
	f->in_metric |= slice_eq_str(w, "#");
	f->tail_done |= slice_ends(w, SLICE("%)")) || slice_ends(w, SLICE("%]"));
	f->in_trailer |= slice_eq_str(w, "seconds") && is_number(f->previous);
	put_word(f, w);
	if (f->in_trailer && is_one_of(w, "elapsed", "user", "sys")) {
		f->closed = true;
		f->in_row = f->has_count = f->in_trailer = false;
	}
	f->previous = w;
}

/* Copies a header with its target as it is, and begins a line behind it. */
static bool take_header(struct flat *f)
{
	struct slice line = slice_ltrim(f->rest), s = slice_skip(line, PERF_HEADER.n);
	int64_t runs;
	size_t end;

	if (!slice_starts(line, PERF_HEADER))
		return false;
	/* Only up to the next header: the quotes of two must not be taken for one target's. */
	ptrdiff_t next = perf_header_start(s);
	if (perf_header_end(next < 0 ? s : slice_first(s, (size_t)next), &runs, &end) < 0)
		return false;
	out_byte(&f->out, '\n');
	out_put(&f->out, slice_first(line, PERF_HEADER.n + end));
	out_byte(&f->out, '\n');
	f->rest = slice_skip(s, end);
	f->previous = slice_of(NULL, 0);
	f->in_row = f->has_count = false;
	f->rows++;
	return true;
}

static size_t hashes(struct slice line)
{
	size_t n = 0;

	for (size_t i = 1; i < line.n; i++)
		n += line.p[i] == '#' && is_blank(line.p[i - 1]);
	return n;
}

struct slice perf_unflatten(struct slice line, struct arena *a)
{
	struct flat f = { .rest = line };
	struct slice ret = { 0 };
	ptrdiff_t start = perf_header_start(line);
	int64_t runs;
	size_t end;

	if (start >= 0 ? perf_header_end(slice_skip(line, (size_t)start), &runs, &end) < 0
		       : hashes(line) < 2)
		return ret; /* a target of several lines, or one row */
	out_memory(&f.out);
	while (slice_ltrim(f.rest).n) {
		struct cut c = slice_cut_word(f.rest);

		if (slice_eq_str(c.head, "Performance") && take_header(&f))
			continue;
		take_word(&f, c.head, slice_cut_word(c.tail).head);
		f.rest = c.tail;
	}
	if (f.rows > 1)
		ret = arena_copy(a, out_slice(&f.out));
	out_close(&f.out);
	return ret;
}
