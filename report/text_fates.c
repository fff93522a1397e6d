/* SPDX-License-Identifier: MIT */
/* Where resident memory goes: the sentence, the bar, the rows. */
#include <stdio.h>

#include "base/num.h"
#include "report/fates.h"
#include "report/report_text.h"

static const char *const text_fall_names[] = {
	[FALL_ANON] = "anonymous memory",
	[FALL_SHMEM] = "shared memory",
	[FALL_FILE] = "mapped file memory",
	[FALL_ALL] = "memory",
};

/* ---- the sentence ---- */

/* "12 kB" where MiB would say 0.0. */
static void put_amount(struct out *text, const struct text_style *st, uint64_t kb)
{
	char buf[STYLE_BUF];

	out_str(text, kb < 1024 ? style_kb(buf, kb) : style_size(buf, st, kb));
}

static void put_coverage(struct out *text, const struct text_style *st, const struct waterfall *w)
{
	char buf[STYLE_BUF];

	if (w->huge == waterfall_ideal(w))
		out_str(text, ", all that could be: coverage ");
	else
		out_printf(text, ", %s could be: coverage ",
			   style_amount(buf, st, waterfall_ideal(w)));
	out_printf(text, "%s.", style_percent(buf, fall_coverage(w)));
}

static void put_share(struct out *text, const struct text_style *st, int fall,
		      const struct waterfall *w)
{
	char huge[STYLE_BUF], rss[STYLE_BUF];

	if (w->huge)
		out_printf(text, "%s of %s %s is huge", style_amount(huge, st, w->huge),
			   style_size(rss, st, w->rss), text_fall_names[fall]);
	else
		out_printf(text, "None of %s %s is huge", style_size(rss, st, w->rss),
			   text_fall_names[fall]);
	put_coverage(text, st, w);
}

static void put_none_could(struct out *text, const struct text_style *st, const struct model *m,
			   int fall, const struct waterfall *w)
{
	out_printf(text, "No %s is huge, and none could be: ", text_fall_names[fall]);
	put_amount(text, st, w->rss);
	out_str(text, " is resident");
	if (w->rss >= m->pmd_kb) {
		out_str(text, ", in pieces below ");
		say_size(text, m->pmd_kb);
	}
	out_byte(text, '.');
}

static void put_untouched(struct out *text, const struct text_style *st, uint64_t more,
			  uint64_t pmd_kb, const struct waterfall *w)
{
	if (waterfall_cost(w) || more < pmd_kb || more < w->rss)
		return;
	out_byte(text, ' ');
	put_amount(text, st, more);
	out_str(text, " more is mapped, not resident.");
}

/* Numbers of a class in a sentence: "140.0 of 211.1 MiB anonymous memory is huge, …". */
static void text_verdict(struct out *o, const struct text_style *st, const struct text_falls *t, int fall)
{
	const struct fall_total *f = &t->fall[fall];
	const struct waterfall *w = &f->w;
	struct out text;

	out_memory(&text);
	if (!f->known)
		out_printf(&text, "How much %s is resident or huge, the input does not say.",
			   text_fall_names[fall]);
	else if (w->rss == 0)
		out_printf(&text, "No %s is resident.", text_fall_names[fall]);
	else if (waterfall_ideal(w) == 0)
		put_none_could(&text, st, t->m, fall, w);
	else
		put_share(&text, st, fall, w);
	if (f->known)
		put_untouched(&text, st, t->untouched_kb[fall], t->m->pmd_kb, w);
	text_paragraph(o, st, &text);
	out_close(&text);
}

/* ---- the bar and its rows ---- */

static void put_bar(struct out *o, const struct text_style *st, const uint64_t kb[FATE_COUNT],
		    uint64_t all)
{
	int cells[FATE_COUNT], width = (st->width < PROSE_MAX ? st->width : PROSE_MAX) - 4;

	fates_cells(kb, all, width, cells);
	out_str(o, "  ");
	for (int i = 0; i < FATE_COUNT; i++) {
		if (!cells[i])
			continue;
		style_on(o, st, fate_rows[i].role);
		for (int k = 0; k < cells[i]; k++)
			out_str(o, style_glyph(st, (enum fate)i));
		style_off(o, st, fate_rows[i].role);
	}
	out_byte(o, '\n');
}

/* The bar and its five rows. `why` says of each fate what stands behind it; NULL: nothing. */
static void text_fates(struct out *o, const struct text_style *st, const struct waterfall *w,
		       const char *const why[FATE_COUNT])
{
	uint64_t kb[FATE_COUNT];
	char amount[STYLE_BUF], percent[STYLE_BUF];
	int widest = 0;

	fates_amounts(w, kb);
	put_bar(o, st, kb, w->rss);
	for (int i = 0; i < FATE_COUNT; i++) {
		int n = (int)strlen(style_size(amount, st, kb[i]));

		widest = n > widest ? n : widest;
	}
	for (int i = 0; i < FATE_COUNT; i++) {
		out_str(o, "  ");
		style_on(o, st, fate_rows[i].role);
		out_str(o, style_glyph(st, (enum fate)i));
		style_off(o, st, fate_rows[i].role);
		out_str(o, "  ");
		style_left(o, fate_rows[i].name, 13);
		style_right(o, style_size(amount, st, kb[i]), widest + 2);
		style_right(o, style_percent(percent, (double)kb[i] / (double)w->rss), 9);
		int used = 2 + 1 + 2 + 13 + widest + 2 + 9;
		if (why[i] && kb[i] && used + 3 + (int)strlen(why[i]) <= st->width)
			out_printf(o, "   %s", why[i]);
		out_byte(o, '\n');
	}
}

/* ---- reasons ---- */

static const char *anon_bar(const struct model *m)
{
	static const char *const by_policy[POLICY_COUNT] = {
		[POLICY_UNKNOWN] = "the kernel refuses it",
		[POLICY_ALWAYS] = "advice or the kernel forbids it",
		[POLICY_MADVISE] = "THP is madvise, memory is not advised",
		[POLICY_NEVER] = "THP is never",
	};

	return m->disabled ? "PR_SET_THP_DISABLE is set" : by_policy[m->policy];
}

/* What keeps memory of this class from being huge, in a few words for each row. */
static void text_reasons(const struct model *m, int fall, const char *why[FATE_COUNT], char *buf,
			 size_t size)
{
	struct slice shmem = thp_setting(&m->snap->system.thp, "shmem_enabled");
	struct out p;
	size_t half = size / 2;

	for (int i = 0; i < FATE_COUNT; i++)
		why[i] = NULL;
	out_memory(&p);
	say_size(&p, m->pmd_kb);
	snprintf(buf, half, "no aligned %.*s where the mapping lies", SLICE_FMT(out_slice(&p)));
	why[FATE_MISPLACED] = buf;
	snprintf(buf + half, size - half, "rests below %.*s", SLICE_FMT(out_slice(&p)));
	why[FATE_TOO_SMALL] = buf + half;
	out_close(&p);
	why[FATE_NOT_DELIVERED] = fall == FALL_ANON && m->policy == POLICY_UNKNOWN ?
		"in place, yet small; THP policy unknown" : "allowed and in place, yet small";
	if (fall == FALL_ANON)
		why[FATE_NOT_ALLOWED] = anon_bar(m);
	else if (fall == FALL_SHMEM)
		why[FATE_NOT_ALLOWED] = slice_eq_str(shmem, "never") ? "shmem_enabled is never"
								     : "shmem_enabled or its mount";
	else
		why[FATE_NOT_ALLOWED] = "not for these files";
}

/* ---- all classes ---- */

static bool has_fates(const struct fall_total *f, bool all)
{
	const struct waterfall *w = &f->w;

	return f->known && w->rss > 0 && (waterfall_cost(w) > 0 || (all && waterfall_ideal(w) > 0));
}

static void text_class(struct out *o, const struct text_style *st, const struct text_falls *t,
		       int fall)
{
	const char *why[FATE_COUNT];
	char buf[160];

	text_verdict(o, st, t, fall);
	if (!has_fates(&t->fall[fall], t->all))
		return;
	text_reasons(t->m, fall, why, buf, sizeof(buf));
	out_byte(o, '\n');
	text_fates(o, st, &t->fall[fall].w, why);
}

/* The class of the headline is spoken of in any case, unless it was not selected at all. */
static bool speaks_of(const struct text_falls *t, int fall, bool headline)
{
	const struct fall_total *f = &t->fall[fall];
	bool only = f->vmas == t->fall[FALL_ALL].vmas;

	if (f->vmas == 0)
		return headline && only;
	if (headline || only || t->all || f->w.huge)
		return true;
	return fall != FALL_FILE && f->w.rss >= t->m->pmd_kb;
}

void text_classes(struct out *o, const struct text_style *st, const struct text_falls *t)
{
	const struct fall_total *f = t->fall;
	const int order[3] = { t->head, t->head == FALL_ANON ? FALL_SHMEM : FALL_ANON, FALL_FILE };
	char buf[STYLE_BUF];
	bool rows_above = false;

	for (int i = 0; i < 3; i++) {
		const struct fall_total *one = &f[order[i]];

		if (!speaks_of(t, order[i], i == 0))
			continue;
		if (rows_above)
			out_byte(o, '\n');
		text_class(o, st, t, order[i]);
		rows_above = has_fates(one, t->all);
	}
	if (t->hugetlb_kb)
		out_printf(o, "hugetlb pages, outside these numbers: %s\n",
			   style_size(buf, st, t->hugetlb_kb));
}
