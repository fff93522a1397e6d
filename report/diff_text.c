/* SPDX-License-Identifier: MIT */
#include "report/diff_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "model/image.h"
#include "report/readings_view.h"
#include "report/report_json.h"

/* ---- what was read ---- */

static void put_label(struct out *o, const struct snapshot *s)
{
	if (s->has_process && s->process.pid >= 0)
		out_printf(o, "%.*s (%" PRId64 ")", SLICE_FMT(s->process.comm), s->process.pid);
	else
		out_str(o, s->source.path ? s->source.path : "?");
}

static void put_apart(struct out *o, double seconds)
{
	if (seconds <= 0)
		return;
	if (seconds < 120)
		out_printf(o, ", %.1f s apart", seconds);
	else if (seconds < 7200)
		out_printf(o, ", %.0f minutes apart", seconds / 60);
	else if (seconds < 2 * 86400)
		out_printf(o, ", %.1f hours apart", seconds / 3600);
	else
		out_printf(o, ", %.0f days apart", seconds / 86400);
}

/* Of one process: most likely the two were swapped on the command line. */
static bool is_backwards(const struct diff *d)
{
	int64_t b = d->m[BEFORE]->snap->source.time_ns, a = d->m[AFTER]->snap->source.time_ns;

	return d->match.by_address && a >= 0 && b > a;
}

static void put_names(struct out *o, const struct diff_text *v)
{
	const struct diff *d = v->d;
	struct out label[SIDES];

	for (int s = 0; s < SIDES; s++) {
		out_memory(&label[s]);
		put_label(&label[s], d->m[s]->snap);
		out_byte(&label[s], '\0');
	}
	bool one = !strcmp(label[BEFORE].buf, label[AFTER].buf);
	if (one)
		out_path_cut(o, slice_str(label[BEFORE].buf), v->style->width, v->style->ascii);
	else
		text_pair(o, v->style, label[BEFORE].buf, label[AFTER].buf);
	if (one || d->scope == DIFF_COUNTERS || d->match.exec)
		put_apart(o, diff_seconds(d));
	if (one && is_backwards(d))
		out_str(o, ", BEFORE was taken later");
	out_close(&label[BEFORE]);
	out_close(&label[AFTER]);
}

static bool same_pid(const struct diff *d)
{
	return d->m[BEFORE]->snap->process.pid == d->m[AFTER]->snap->process.pid;
}

/* One process, two of one number, or two runs. */
static const char *whose(const struct match *m, bool same_pid)
{
	if (m->exec)
		return "same process after an exec";
	if (m->basis == BASIS_PROCESS || (m->basis == BASIS_RANGES && !m->other))
		return "same process";
	if (m->basis == BASIS_RANGES)
		return "another process at the same addresses";
	return m->other && same_pid ? "another process of this number" : NULL;
}

static void put_how(struct out *o, const struct diff *d)
{
	size_t b = d->m[BEFORE]->totals.vmas, a = d->m[AFTER]->totals.vmas;
	const char *who = whose(&d->match, same_pid(d));

	if (d->scope == DIFF_TOTALS) {
		out_str(o, "sums only (smaps_rollup)");
		return;
	}
	if (d->scope == DIFF_COUNTERS) {
		out_str(o, "system files only");
		return;
	}
	if (who)
		out_str(o, who);
	else if (b == a)
		out_printf(o, "%zu mapping%s", b, b == 1 ? " each" : "s each");
	else
		out_printf(o, "%zu -> %zu mappings", b, a);
	out_printf(o, ",%s paired by %s", who ? " mappings" : "",
		   d->match.by_address ? "address" : "kind, size and order");
}

/* Two parts on one line when they fit. */
static void put_head(struct out *o, const struct diff_text *v)
{
	struct out part[2];

	for (int i = 0; i < 2; i++)
		out_memory(&part[i]);
	put_names(&part[0], v);
	put_how(&part[1], v->d);
	out_put(o, out_slice(&part[0]));
	int end = utf8_columns(out_slice(&part[0])) + 3;
	bool fits = end + (int)part[1].n <= v->style->width;
	out_str(o, fits ? "   " : "\n");
	text_wrapped(o, v->style, out_slice(&part[1]), fits ? end : 0, 0);
	out_close(&part[0]);
	out_close(&part[1]);
}

/* What an exec replaced by what; of one file it says that it began anew. */
static void put_program(struct out *o, const struct diff_text *v)
{
	const struct smaps *s[SIDES] = { v->d->m[BEFORE]->smaps, v->d->m[AFTER]->smaps };
	const struct vma *b = image_program(s[BEFORE]), *a = image_program(s[AFTER]);
	struct out text;

	if (!v->d->match.exec || !b || !a)
		return;
	out_memory(&text);
	out_safe(&text, vma_name(s[BEFORE], b), v->style->ascii);
	if (slice_eq(vma_name(s[BEFORE], b), vma_name(s[AFTER], a))) {
		out_str(&text, " began anew: its memory of before is gone.");
	} else {
		out_str(&text, " -> ");
		out_safe(&text, vma_name(s[AFTER], a), v->style->ascii);
	}
	diff_text_sentence(o, v->style, ROLE_TITLE, "PROGRAM:", &text);
	out_close(&text);
}

/* ---- at the very top: what makes the two unlike ---- */

static void put_unlike(struct out *o, const struct diff_text *v)
{
	const struct model *b = v->d->m[BEFORE], *a = v->d->m[AFTER];

	for (size_t i = 0; i < v->d->unlike_n; i++) {
		struct slice name = slice_str(v->d->unlike[i]);
		struct out text;

		out_memory(&text);
		if (slice_eq(name, SLICE("page_kb")))
			out_printf(&text, "page size %" PRIu64 " -> %" PRIu64 " kB.", b->page_kb,
				   a->page_kb);
		else if (slice_eq(name, SLICE("pmd_kb")))
			out_printf(&text, "huge page size %" PRIu64 " -> %" PRIu64 " kB.",
				   b->pmd_kb, a->pmd_kb);
		else
			out_printf(&text, "THP policy %s -> %s.", policy_names[b->policy],
				   policy_names[a->policy]);
		diff_text_sentence(o, v->style, ROLE_BAD, "UNLIKE:", &text);
		out_close(&text);
	}
}

static void put_settings(struct out *o, const struct diff_text *v)
{
	struct out text;

	out_memory(&text);
	for (size_t i = 0; i < v->d->findings.n; i++) {
		if (v->d->findings.at[i].id != FINDING_SETTING_CHANGED)
			continue;
		out_reset(&text);
		diff_finding_message(v->d, &v->d->findings.at[i], &text);
		diff_text_sentence(o, v->style, ROLE_BAD, "SETTING:", &text);
	}
	out_close(&text);
}

/* ---- where the resident memory of a class goes, before and after ---- */

enum { LABEL_WIDTH = 18, NUMBER_LEAST = 11 };

/* Columns of numbers, wide enough for the largest with a sign and a blank. */
static int number_width(uint64_t largest)
{
	char buf[NUM_BUF];
	int width = (int)num_put_commas(buf, (int64_t)largest).n + 2;

	return width > NUMBER_LEAST ? width : NUMBER_LEAST;
}

static void put_columns(struct out *o, const char *label, int width)
{
	out_str(o, "\n  ");
	style_left(o, label, LABEL_WIDTH - 2);
	out_printf(o, "%*s%*s%*s\n", width, "before", width, "after", width, "change");
}

static void put_numbers(struct out *o, uint64_t b, uint64_t a, int width)
{
	char buf[NUM_BUF], change[STYLE_BUF];
	const uint64_t v[SIDES] = { b, a };

	for (int s = 0; s < SIDES; s++) {
		struct slice n = num_put_commas(buf, (int64_t)v[s]);

		out_pad(o, ' ', width - (int)n.n);
		out_put(o, n);
	}
	style_right(o, style_change(change, (int64_t)(a - b)), width);
	out_byte(o, '\n');
}

/* In tenths of a percent, as style_percent() shows it. */
static double tenths(double fraction)
{
	double t = round(1000 * fraction);

	return fraction < 1 && t >= 1000 ? 999 : t;
}

static void put_ratio(struct out *o, const char *name, double b, double a, int width)
{
	double points = (tenths(a) - tenths(b)) / 10;
	char buf[STYLE_BUF];

	if (isnan(b) && isnan(a))
		return;
	out_str(o, "  ");
	style_left(o, name, LABEL_WIDTH - 2);
	style_right(o, isnan(b) ? "-" : style_percent(buf, b), width);
	style_right(o, isnan(a) ? "-" : style_percent(buf, a), width);
	if (isnan(points) || points == 0)
		style_right(o, isnan(points) ? "-" : "0", width);
	else
		out_printf(o, "%+*.1f points", width, points);
	out_byte(o, '\n');
}

static void put_fall(struct out *o, const struct diff_text *v, int fall, const char *name)
{
	static const int member[FATE_COUNT] = {
		[FATE_HUGE] = 5, [FATE_NOT_ALLOWED] = 2, [FATE_MISPLACED] = 3, [FATE_TOO_SMALL] = 1,
		[FATE_NOT_DELIVERED] = 4,
	};
	const struct waterfall *b = &v->d->m[BEFORE]->totals.fall[fall].w,
			       *a = &v->d->m[AFTER]->totals.fall[fall].w;
	int width = number_width(b->rss > a->rss ? b->rss : a->rss);
	char label[STYLE_BUF];

	snprintf(label, sizeof(label), "%s, kB", name);
	put_columns(o, label, width);
	out_str(o, "  ");
	style_left(o, "resident", LABEL_WIDTH - 2);
	put_numbers(o, b->rss, a->rss, width);
	for (int f = 0; f < FATE_COUNT; f++) {
		uint64_t before = fall_member(b, member[f]), after = fall_member(a, member[f]);

		if (!before && !after)
			continue;
		snprintf(label, sizeof(label), "%c %s", fate_rows[f].glyph, fate_rows[f].name);
		out_str(o, "  ");
		style_on(o, v->style, fate_rows[f].role);
		style_left(o, label, LABEL_WIDTH - 2);
		style_off(o, v->style, fate_rows[f].role);
		put_numbers(o, before, after, width);
	}
	put_ratio(o, "share", fall_share(b), fall_share(a), width);
	put_ratio(o, "coverage", fall_coverage(b), fall_coverage(a), width);
}

static const char *const fall_words[FALL_ALL] = { "anonymous", "shared", "file" };

/* Only what moved by something that matters; the headline's class when anything did. */
static bool shows_fall(const struct diff_text *v, const struct diff_facts *f, int fall)
{
	const struct fall_total *b = &v->d->m[BEFORE]->totals.fall[fall],
				*a = &v->d->m[AFTER]->totals.fall[fall];
	bool moved = b->w.huge != a->w.huge;

	if (!b->known || !a->known || (!b->vmas && !a->vmas))
		return false;
	if (v->all)
		return f->changed > 0;
	for (int i = 2; i < 5; i++) /* the three losses */
		moved |= llabs((long long)(fall_member(&a->w, i) - fall_member(&b->w, i))) >=
			 (long long)v->d->pmd_kb;
	return moved || (fall == model_headline(v->d->m[AFTER]) && (f->huge || f->lost_rows));
}

static void put_falls(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	for (int fall = 0; fall < FALL_ALL; fall++)
		if (shows_fall(v, f, fall))
			put_fall(o, v, fall, fall_words[fall]);
}

/* ---- sums of rollups ---- */

static void put_sums(struct out *o, const struct diff_text *v)
{
	const struct totals *b = &v->d->m[BEFORE]->totals, *a = &v->d->m[AFTER]->totals;
	uint64_t largest = 0;

	for (int i = TOTAL_RSS; i < TOTAL_COUNT; i++) {
		largest = b->sum[i].kb > largest ? b->sum[i].kb : largest;
		largest = a->sum[i].kb > largest ? a->sum[i].kb : largest;
	}
	int width = number_width(largest);
	text_say(o, v->style, "A loss cannot be told from sums: it takes the mappings of both.");
	put_columns(o, "kB", width);
	for (int i = TOTAL_RSS; i < TOTAL_COUNT; i++) {
		if (!b->sum[i].known || !a->sum[i].known || (!b->sum[i].kb && !a->sum[i].kb))
			continue;
		struct slice name = slice_str(total_names[i]);
		char label[STYLE_BUF];

		out_str(o, "  ");
		style_left(o, slice_cstr(slice_first(name, name.n - 3), label, sizeof(label)),
			   LABEL_WIDTH - 2);
		put_numbers(o, b->sum[i].kb, a->sum[i].kb, width);
	}
}

/* ---- all of it ---- */

static void put_fallback(struct out *o, const struct diff_text *v)
{
	struct out text;

	out_memory(&text);
	for (size_t i = 0; i < v->d->findings.n; i++) {
		if (v->d->findings.at[i].id != FINDING_FALLBACK)
			continue;
		diff_finding_message(v->d, &v->d->findings.at[i], &text);
		diff_text_sentence(o, v->style, ROLE_MEDIUM, "FALLBACK:", &text);
	}
	out_close(&text);
}

static void put_mappings(struct out *o, const struct diff_text *v)
{
	struct diff_facts f;

	diff_text_facts(v, &f);
	if (v->d->verdict)
		diff_text_verdict(o, v, &f);
	else
		text_say(o, v->style, "No mapping says how much of it is huge: nothing can be told.");
	put_fallback(o, v);
	put_falls(o, v, &f);
	diff_text_rows(o, v, &f);
	if (!v->d->match.by_address)
		text_say(o, v->style, STYLE_ONE_RUN);
}

void diff_text(struct out *o, const struct diff_text *v)
{
	put_unlike(o, v);
	put_settings(o, v);
	put_head(o, v);
	put_program(o, v);
	if (v->d->scope == DIFF_MAPPINGS)
		put_mappings(o, v);
	else if (v->d->scope == DIFF_TOTALS)
		put_sums(o, v);
	if (v->d->scope == DIFF_MAPPINGS && !v->all)
		return;
	if (v->d->readings.n)
		out_byte(o, '\n');
	text_readings(o, v->style, &v->d->readings, 0, v->d->readings.n);
	diff_text_counters(o, v);
}
