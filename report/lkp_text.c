/* SPDX-License-Identifier: MIT */
/*
 * A robot's mail for people: what it says, the readings, then the rows that
 * concern memory and huge pages; the rest is counted.
 */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "report/lkp_json.h"
#include "report/readings_view.h"

enum { ROWS_SHOWN = 24, NAME_MIN = 16 };

/* ---- which rows ---- */

/* Parts of the names of metrics that concern memory and huge pages, most telling first. */
static const char *const concerns[] = {
	"AnonHugePages",
	"nr_anon_transparent_hugepages",
	".thp_",
	"ShmemPmd",
	"FilePmd",
	"ShmemHugePages",
	"FileHugePages",
	"AnonPages",
	"nr_anon_pages",
	"minor_page_faults",
	"proc-vmstat.pgfault",
	"clear_page",
	"clear_huge",
	"huge_pte",
	"maximum_resident_set_size",
	"meminfo.PageTables",
	"TLB",
	"Active(anon)",
	"Inactive(anon)",
	"nr_active_anon",
	"nr_inactive_anon",
	"perf-stat.overall.ipc",
	"perf-stat.overall.cpi",
	"perf-stat.total.instructions",
};
enum { CONCERNS = sizeof(concerns) / sizeof(concerns[0]) };
const int LKP_RANK_OTHER = CONCERNS;

int lkp_rank(struct slice metric)
{
	for (int i = 0; i < CONCERNS; i++)
		if (slice_has(metric, slice_str(concerns[i])))
			return i;
	return CONCERNS;
}

/* The test's own result: what a report is about. */
static const struct lkp_row *result_row(const struct lkp_table *t)
{
	static const char *const ends[] = { "_per_sec", ".throughput", "process_ops", "thread_ops",
					    "Throughput_Mbps", ".ops", ".score" };

	for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]); e++)
		for (size_t i = 0; t->testcase.n && i < t->n; i++)
			if (slice_starts(t->rows[i].metric, t->testcase) &&
			    slice_ends(t->rows[i].metric, slice_str(ends[e])))
				return &t->rows[i];
	return NULL;
}

/* ---- cells ---- */

/* As printed, with commas in whole numbers: 1,315,990 and 642.60 and 1.525e+13. */
static const char *value_text(const struct lkp_cell *c, char *buf)
{
	char digits[NUM_BUF];
	struct slice s = c->value;
	int64_t v;

	if (c->runs >= 0)
		snprintf(buf, STYLE_BUF, "%lld of %lld", (long long)c->fails, (long long)c->runs);
	else if (num_i64(s, &v))
		snprintf(buf, STYLE_BUF, "%.*s", SLICE_FMT(num_put_commas(digits, v)));
	else
		snprintf(buf, STYLE_BUF, "%.*s", SLICE_FMT(s));
	return buf;
}

static const char *change_text(const struct lkp_cell *c, const struct lkp_verdict *v, char *buf)
{
	const char *sign = c->change.n && *c->change.p == '-' ? "" : "+";

	if (c->kind == LKP_REPRODUCTION && !isnan(v->recomputed))
		snprintf(buf, STYLE_BUF, "%+.1f pt",
			 v->recomputed); /* the printed one is not to be trusted */
	else if (c->kind == LKP_PERCENT && c->change_number >= 1e90)
		snprintf(buf, STYLE_BUF, "from 0");
	else if (c->change.n)
		snprintf(buf, STYLE_BUF, "%s%.*s%s", sign, SLICE_FMT(c->change),
			 c->kind == LKP_PERCENT ? " %" : "  ");
	else
		snprintf(buf, STYLE_BUF, "-");
	return buf;
}

static int put_deviation(char *buf, size_t size, int64_t pct)
{
	return pct < 0 ? snprintf(buf, size, "-") : snprintf(buf, size, "%lld", (long long)pct);
}

/* "-/3": the deviation of each side in percent; "-" is not printed, 2 or less. */
static const char *noise_text(const struct lkp_row *row, size_t column, char *buf)
{
	int n;

	buf[0] = '\0';
	if (row->section == LKP_FAILURE ||
	    (row->cells[0].stddev_pct < 0 && row->cells[column].stddev_pct < 0))
		return buf;
	n = put_deviation(buf, STYLE_BUF, row->cells[0].stddev_pct);
	n += snprintf(buf + n, STYLE_BUF - (size_t)n, "/");
	put_deviation(buf + n, STYLE_BUF - (size_t)n, row->cells[column].stddev_pct);
	return buf;
}

static const char *mark_of(const struct lkp_row *row, size_t column, const struct lkp_verdict *v)
{
	if (v[0].hole || v[column].hole)
		return " hole";
	if (v[column].agrees == LKP_NO && row->section == LKP_METRIC)
		return " !";
	return lkp_within_noise(row, column) ? " ~" : "";
}

/* ---- rows ---- */

struct marks {
	bool noise, hole, wrong;
};

/* Columns of the numbers: as wide as those shown, the name gets the rest. */
struct widths {
	int name, value[2], change, noise, mark;
};

static void widen(int *width, const char *text)
{
	int n = (int)strlen(text);

	*width = n > *width ? n : *width;
}

static void widen_for(struct widths *w, const struct lkp_row *row, size_t column,
		      const struct lkp_verdict *v)
{
	char buf[STYLE_BUF];

	widen(&w->value[0], value_text(&row->cells[0], buf));
	widen(&w->value[1], value_text(&row->cells[column], buf));
	widen(&w->change, change_text(&row->cells[column], &v[column], buf));
	widen(&w->noise, noise_text(row, column, buf));
	widen(&w->mark, mark_of(row, column, v));
}

/* A name that is too long for its column has a line of its own: its end says as much as its front.
 */
static void put_name(struct out *o, const struct text_style *st, const struct widths *w,
		     struct slice metric)
{
	struct out name;

	out_memory(&name);
	int used = out_safe_cut(&name, metric, st->width - 2, st->ascii);
	out_str(o, "  ");
	out_put(o, out_slice(&name));
	out_close(&name);
	if (used > w->name) {
		out_str(o, "\n  ");
		used = 0;
	}
	out_pad(o, ' ', w->name - used);
}

static void put_numbers(struct out *o, const struct widths *w, const struct lkp_row *row,
			size_t column, const struct lkp_verdict *v)
{
	char buf[STYLE_BUF];

	style_right(o, value_text(&row->cells[0], buf), w->value[0] + 2);
	style_right(o, value_text(&row->cells[column], buf), w->value[1] + 2);
	style_right(o, change_text(&row->cells[column], &v[column], buf), w->change + 2);
	style_right(o, noise_text(row, column, buf), w->noise + 2);
	out_str(o, mark_of(row, column, v));
}

static void put_row(struct out *o, const struct text_style *st, const struct widths *w,
		    const struct lkp_row *row, size_t column, const struct lkp_verdict *v)
{
	struct out numbers;

	put_name(o, st, w, row->metric);
	out_memory(&numbers);
	put_numbers(&numbers, w, row, column, v);
	out_put(o, slice_rtrim(out_slice(&numbers)));
	out_close(&numbers);
	out_byte(o, '\n');
}

static void put_heads(struct out *o, const struct text_style *st, const struct widths *w,
		      const struct lkp_table *t, size_t column, bool several, const char *what)
{
	int width = w->value[1] + 2;
	struct out id;

	out_str(o, "\n  ");
	style_left(o, what, w->name);
	style_right(o, "base", w->value[0] + 2);
	if (several && column < t->ncommits) { /* which of the heads */
		out_memory(&id);
		int used = out_safe_cut(&id, slice_first(t->commits[column].id, 10), width - 1,
					st->ascii);
		out_pad(o, ' ', width - used);
		out_put(o, out_slice(&id));
		out_close(&id);
	} else {
		style_right(o, "head", width);
	}
	style_right(o, "change", w->change + 2);
	style_right(o, "+- %", w->noise + 2);
	out_byte(o, '\n');
}

static size_t columns_of(const struct lkp_table *t)
{
	size_t n = 2;

	for (size_t i = 0; i < t->n; i++)
		n = t->rows[i].n > n ? t->rows[i].n : n;
	return n;
}

/* Rows to show: chosen by the order of concerns, printed in the order of the table. */
static size_t choose_rows(const struct lkp_table *t, bool all, bool *chosen)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		chosen[i] = all;
		n += all;
	}
	for (int c = 0; c < CONCERNS && !all; c++)
		for (size_t i = 0; i < t->n && n < ROWS_SHOWN; i++)
			if (!chosen[i] && slice_has(t->rows[i].metric, slice_str(concerns[c]))) {
				chosen[i] = true;
				n++;
			}
	return n;
}

static void note_mark(struct marks *met, const char *mark)
{
	met->noise |= strcmp(mark, " ~") == 0;
	met->hole |= strcmp(mark, " hole") == 0;
	met->wrong |= strcmp(mark, " !") == 0;
}

/* The chosen rows for one head column. */
static void put_block(struct out *o, const struct text_style *st, const struct lkp_view *v,
		      size_t table, size_t column, const bool *chosen, struct marks *met)
{
	const struct lkp_table *t = &v->doc->tables[table];
	struct widths w = { .value = { 4, columns_of(t) > 2 ? 10 : 4 }, .change = 6, .noise = 4 };
	const struct lkp_verdict *verdicts = v->checked->tables[table];

	for (size_t i = 0; i < t->n; i++)
		if (chosen[i] && column < t->rows[i].n)
			widen_for(&w, &t->rows[i], column, verdicts + t->rows[i].first);
	w.name = st->width - 2 - w.value[0] - w.value[1] - w.change - w.noise - 8 - w.mark;
	w.name = w.name < NAME_MIN ? NAME_MIN : w.name > 60 && !v->all ? 60 : w.name;
	put_heads(o, st, &w, t, column, columns_of(t) > 2,
		  v->all ? "metric" : "memory and huge pages");
	for (size_t i = 0; i < t->n; i++) {
		if (!chosen[i] || column >= t->rows[i].n)
			continue;
		put_row(o, st, &w, &t->rows[i], column, verdicts + t->rows[i].first);
		note_mark(met, mark_of(&t->rows[i], column, verdicts + t->rows[i].first));
	}
}

static void put_rows(struct out *o, const struct text_style *st, const struct lkp_view *v,
		     size_t table, struct marks *met)
{
	const struct lkp_table *t = &v->doc->tables[table];
	bool *chosen = mem_array(t->n, sizeof(*chosen));
	size_t n = choose_rows(t, v->all, chosen);

	for (size_t c = 1; c < columns_of(t) && n; c++)
		put_block(o, st, v, table, c, chosen, met);
	if (!n && t->n)
		out_byte(o, '\n');
	if (n < t->n)
		text_say(o, st, "%zu row%s%s: --all", t->n - n, t->n - n == 1 ? "" : "s",
			 n ? " more" : ", none of them of memory or huge pages");
	mem_free(chosen);
}

static void put_legend(struct out *o, const struct marks *met)
{
	if (met->noise)
		out_str(o, "~ within the noise: single runs differ as much\n");
	if (met->hole)
		out_str(o, "hole: runs without data count as zero in it (see above)\n");
	if (met->wrong)
		out_str(o, "! the printed change is not what the values give (see above)\n");
}

/* ---- above the rows ---- */

/* Parameters that tell tests apart; the others say how the kernel was built and run. */
static bool tells(struct slice name)
{
	static const char *const dull[] = { "compiler", "kconfig", "rootfs", "cpufreq_governor",
					    "testcase", "ucode",   "test" };

	for (size_t i = 0; i < sizeof(dull) / sizeof(dull[0]); i++)
		if (slice_eq_str(name, dull[i]))
			return false;
	return true;
}

/* "stress-ng radixsort, nr_threads=100%, testtime=60s, lkp-spr-r02" */
static void put_test(struct out *text, const struct lkp_table *t)
{
	struct slice machine = { 0 };

	out_put(text, t->testcase);
	for (size_t i = 0; i < t->nparameters; i++)
		if (slice_eq_str(t->parameters[i].name, "test"))
			out_printf(text, " %.*s", SLICE_FMT(t->parameters[i].value));
	for (size_t i = 0; i < t->nparameters; i++) {
		const struct lkp_parameter *p = &t->parameters[i];

		if (slice_eq_str(p->name, "tbox_group"))
			machine = p->value;
		else if (tells(p->name))
			out_printf(text, ", %.*s=%.*s", SLICE_FMT(p->name), SLICE_FMT(p->value));
	}
	if (machine.n)
		out_printf(text, ", %.*s", SLICE_FMT(machine));
}

static void put_line(struct out *o, const struct text_style *st, struct out *text, int indent)
{
	text_wrapped(o, st, out_slice(text), 0, indent);
	out_close(text);
}

static void put_commits(struct out *o, const struct text_style *st, const struct lkp_table *t)
{
	struct out text;

	if (!t->ncommits)
		return;
	out_memory(&text);
	for (size_t i = 0; i < t->ncommits; i++)
		out_printf(&text, "%s%.*s", i ? " -> " : "",
			   SLICE_FMT(slice_first(t->commits[i].id, 12)));
	if (t->ncommits == 2 && t->commits[1].subject.n)
		out_printf(&text, " (\"%.*s\")", SLICE_FMT(t->commits[1].subject));
	put_line(o, st, &text, 2);
	for (size_t i = 1; t->ncommits > 2 && i < t->ncommits; i++) {
		if (!t->commits[i].subject.n)
			continue;
		out_memory(&text);
		out_printf(&text, "  %.*s (\"%.*s\")", SLICE_FMT(slice_first(t->commits[i].id, 12)),
			   SLICE_FMT(t->commits[i].subject));
		put_line(o, st, &text, 4);
	}
}

static bool same_commits(const struct lkp_table *x, const struct lkp_table *y)
{
	for (size_t i = 0; i < x->ncommits && i < y->ncommits; i++)
		if (!slice_eq(x->commits[i].id, y->commits[i].id))
			return false;
	return x->ncommits == y->ncommits;
}

static void put_result(struct out *o, const struct text_style *st, const struct lkp_table *t,
		       const struct lkp_verdict *v)
{
	const struct lkp_row *row = result_row(t);
	char buf[STYLE_BUF];
	struct out text;

	if (!row)
		return;
	out_memory(&text);
	out_put(&text, row->metric);
	out_printf(&text, "  %s", value_text(&row->cells[0], buf));
	for (size_t c = 1; c < row->n; c++) {
		out_printf(&text, " -> %s", value_text(&row->cells[c], buf));
		out_printf(&text, " (%s)", change_text(&row->cells[c], v + row->first + c, buf));
	}
	put_line(o, st, &text, 2);
}

static void put_headlines(struct out *o, const struct text_style *st, const struct lkp_doc *d)
{
	bool better = false, worse_in_box = false;

	for (size_t i = 0; i < d->nheadlines; i++) {
		const struct lkp_headline *h = &d->headlines[i];
		bool box = h->where == LKP_BOX;

		out_printf(o, "%s%9.*s %% ", i ? "" : "\n", SLICE_FMT(slice_first(h->percent, 9)));
		out_pad(o, ' ', 12 - out_safe_cut(o, h->direction, 12, st->ascii));
		out_safe_cut(o, h->metric, st->width - 34, st->ascii);
		out_str(o, box ? "  in the box\n" : "  headline\n");
		better |= !box && slice_eq_str(h->direction, "improvement");
		worse_in_box |= box && slice_eq_str(h->direction, "regression");
	}
	if (better && worse_in_box)
		text_say(o, st, "A regression stands in the box below an improvement.");
}

static void put_top(struct out *o, const struct text_style *st, const struct lkp_view *v)
{
	const struct lkp_doc *d = v->doc;
	uint32_t foreign = v->source->notes[NOTE_FOREIGN];
	struct out text;

	out_memory(&text);
	if (d->n == 1) {
		out_printf(&text, "robot table, %zu row%s", d->tables[0].n,
			   d->tables[0].n == 1 ? "" : "s");
		if (d->tables[0].testcase.n) {
			out_str(&text, ": ");
			put_test(&text, &d->tables[0]);
		}
	} else {
		out_printf(&text, "robot mail, %zu tables (", d->n);
		for (size_t i = 0; i < d->n; i++)
			out_printf(&text, "%s%zu", i ? " + " : "", d->tables[i].n);
		out_str(&text, " rows)");
	}
	if (v->source->notes[NOTE_QUOTED])
		out_str(&text, ", quoted");
	if (foreign)
		out_printf(&text, "; %u other line%s skipped", foreign, foreign == 1 ? "" : "s");
	put_line(o, st, &text, 2);
}

static void put_table(struct out *o, const struct text_style *st, const struct lkp_view *v,
		      size_t i, struct marks *met)
{
	const struct lkp_table *t = &v->doc->tables[i];
	size_t from = i ? v->ends[i - 1] : 0;
	struct out text;

	if (v->doc->n > 1) {
		out_memory(&text);
		out_printf(&text, "table %zu  ", i + 1);
		put_test(&text, t);
		out_printf(&text, " (%zu row%s)", t->n, t->n == 1 ? "" : "s");
		out_byte(o, '\n');
		put_line(o, st, &text, 2);
	}
	if (i == 0 || !same_commits(t, t - 1))
		put_commits(o, st, t);
	put_result(o, st, t, v->checked->tables[i]);
	if (v->ends[i] > from)
		out_byte(o, '\n');
	text_readings(o, st, v->readings, from, v->ends[i]);
	if (v->doc->n == 1 || v->all)
		put_rows(o, st, v, i, met);
}

void lkp_text(struct out *o, const struct text_style *st, const struct lkp_view *v)
{
	struct marks met = { 0 };

	put_top(o, st, v);
	put_headlines(o, st, v->doc);
	for (size_t i = 0; i < v->doc->n; i++)
		put_table(o, st, v, i, &met);
	put_legend(o, &met);
	if (v->doc->n > 1 && !v->all)
		out_str(o, "Rows of the tables: --all\n");
}
