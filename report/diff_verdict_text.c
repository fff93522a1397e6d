/* SPDX-License-Identifier: MIT */
/* The sentence that says whether huge pages were lost. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/num.h"
#include "report/diff_text.h"
#include "report/readings_view.h"

static uint64_t size_of(int64_t delta)
{
	return delta < 0 ? 0 - (uint64_t)delta : (uint64_t)delta;
}

/* "2,036 kB", from 10 MiB on "32.0 MiB"; with --kb always kB. */
static const char *diff_text_amount(char *buf, const struct text_style *st, uint64_t kb)
{
	struct text_style exact = *st;

	exact.kb = st->kb || kb < 10240;
	return style_size(buf, &exact, kb);
}

void diff_text_sentence(struct out *o, const struct text_style *st, enum role role,
			const char *word, const struct out *text)
{
	style_text(o, st, role, word);
	out_byte(o, ' ');
	text_wrapped(o, st, out_slice(text), (int)slice_str(word).n + 1, 0);
}

/* ---- facts ---- */

bool diff_shows(const struct diff_text *v, const struct finding *f)
{
	return v->all || (f->certainty <= LIKELY && f->severity <= SEVERITY_LOW);
}

static void add_finding(const struct diff_text *v, const struct finding *f, struct diff_facts *ret)
{
	const struct match_row *r = f->more;

	if (f->id == FINDING_SLOTS_LOST) {
		ret->chances += r->chance;
		if (!ret->slots && diff_shows(v, f))
			ret->slots = f;
	}
	if (f->id != FINDING_THP_LOSS || f->certainty > LIKELY)
		return;
	if (!ret->loss)
		ret->loss = f;
	ret->lost_rows++;
	ret->lost_kb += f->lost_kb;
	ret->lost_pages += diff_lost_pages(v->d, r);
	ret->kb_by_cause[f->state] += f->lost_kb;
}

static void add_row(const struct diff *d, const struct match_row *r, struct diff_facts *ret)
{
	uint64_t size[SIDES] = { 0 };
	struct row_side side[SIDES];
	struct diff_advised advised;

	if (!r->kept || r->kind == MATCH_POOL)
		return;
	if (!r->changed) {
		ret->unchanged++;
		return;
	}
	ret->changed++;
	if (r->loss_known && r->loss_kb >= d->pmd_kb / 2)
		return; /* told by its finding */
	if (diff_advice_set(d, r, &advised) & VM_FLAG_BIT(nh) && advised.rss >= d->pmd_kb)
		ret->nohuge_kb += advised.rss;
	for (int s = 0; s < SIDES; s++)
		for (uint32_t i = 0; i < r->n[s]; i++)
			size[s] += vma_size_kb(diff_row_vma(d, r, s, i));
	ret->gone += size[AFTER] < size[BEFORE];
	for (int s = 0; s < SIDES; s++)
		diff_row_side(d, r, s, &side[s]);
	if (side[BEFORE].known && side[AFTER].known)
		ret->freed += (int64_t)(side[BEFORE].w.rss - side[AFTER].w.rss);
}

void diff_text_facts(const struct diff_text *v, struct diff_facts *ret)
{
	const struct diff *d = v->d;
	const struct waterfall *b = &d->m[BEFORE]->totals.fall[FALL_ALL].w,
			       *a = &d->m[AFTER]->totals.fall[FALL_ALL].w;

	*ret = (struct diff_facts){ .huge = (int64_t)(a->huge - b->huge),
				    .rss = (int64_t)(a->rss - b->rss) };
	for (size_t i = 0; i < d->findings.n; i++)
		if (d->findings.at[i].id == FINDING_THP_LOSS ||
		    d->findings.at[i].id == FINDING_SLOTS_LOST)
			add_finding(v, &d->findings.at[i], ret);
	for (size_t i = 0; i < d->match.n; i++)
		add_row(d, &d->match.row[i], ret);
}

/* ---- sentences ---- */

static const char *const cause_short[CAUSES] = {
	[CAUSE_SPLIT] = "cut up",	   [CAUSE_ADVICE] = "by changed advice",
	[CAUSE_POLICY] = "not allowed any more", [CAUSE_SWAPPED] = "swapped out",
	[CAUSE_FREED_IN_PART] = "freed in part", [CAUSE_SIZE] = "in pieces too small",
	[CAUSE_ALIGNMENT] = "misplaced",   [CAUSE_DELIVERY] = "not delivered",
};

static void say_pages(struct out *o, uint64_t n)
{
	char buf[NUM_BUF];

	out_printf(o, "%.*s huge page%s", SLICE_FMT(num_put_commas(buf, (int64_t)n)),
		   n == 1 ? "" : "s");
}

static void say_loss(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	char buf[STYLE_BUF];
	const char *between = ": ";

	if (f->lost_rows == 1) {
		diff_finding_message(v->d, f->loss, o);
		return;
	}
	say_pages(o, f->lost_pages);
	out_printf(o, " lost (%s) in %zu mappings", style_kb(buf, f->lost_kb), f->lost_rows);
	for (int c = 0; c < CAUSES; c++) {
		if (!f->kb_by_cause[c])
			continue;
		out_printf(o, "%s%s %s", between, style_kb(buf, f->kb_by_cause[c]), cause_short[c]);
		between = ", ";
	}
	out_byte(o, '.');
}

/* Memory that went beside a loss is said, so that nobody takes it for one. */
static void say_freed(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	char buf[STYLE_BUF];
	struct out text;

	if (f->freed < (int64_t)v->d->pmd_kb)
		return;
	out_memory(&text);
	out_printf(&text, "%s less is resident%s.",
		   diff_text_amount(buf, v->style, size_of(f->freed)),
		   f->gone ? ", because it was unmapped" : "");
	diff_text_sentence(o, v->style, ROLE_TITLE, "No loss:", &text);
	out_close(&text);
}

static void say_rss(struct out *o, const struct diff_text *v, int64_t rss, const char *what)
{
	char buf[STYLE_BUF];

	out_printf(o, "%s %s%s is resident", diff_text_amount(buf, v->style, size_of(rss)),
		   rss < 0 ? "less" : "more", what);
}

static void say_not_needed(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	const struct waterfall *b = &v->d->m[BEFORE]->totals.fall[FALL_ALL].w;
	const struct waterfall *a = &v->d->m[AFTER]->totals.fall[FALL_ALL].w;
	uint64_t pages = size_of(f->huge) / v->d->pmd_kb;
	char buf[2][STYLE_BUF];

	if (b->huge == v->d->pmd_kb && a->huge == 0) {
		out_str(o, "the one huge page of before is not needed any more: ");
	} else if (pages) {
		say_pages(o, pages);
		out_printf(o, " of before %s not needed any more: ", pages == 1 ? "is" : "are");
	} else {
		out_printf(o, "%s less is huge: ",
			   diff_text_amount(buf[0], v->style, size_of(f->huge)));
	}
	say_rss(o, v, f->rss, "");
	struct text_style same = *v->style; /* one unit for both */

	same.kb |= b->rss < 10240 || a->rss < 10240;
	out_printf(o, " (%s -> %s).", style_amount(buf[0], &same, b->rss),
		   style_size(buf[1], &same, a->rss));
}

static bool possible_loss(const struct diff *d)
{
	for (size_t i = 0; i < d->findings.n; i++)
		if (d->findings.at[i].id == FINDING_THP_LOSS)
			return true;
	return false;
}

/* Less is huge, as much is resident, and still it is no loss to be named one. */
static void say_uncertain(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	char buf[STYLE_BUF];

	out_printf(o, "%s less is huge", diff_text_amount(buf, v->style, size_of(f->huge)));
	if (f->chances)
		out_printf(
			o,
			", by chance: %zu mapping%s that nothing places on a boundary lost a slot.",
			f->chances, f->chances == 1 ? "" : "s");
	else if (possible_loss(v->d))
		out_str(o,
			"; whether it was lost cannot be told, its mappings have no partner "
			"(--all).");
	else
		out_str(o, ", in losses of less than a huge page each.");
}

static void say_same(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	const struct waterfall *a = &v->d->m[AFTER]->totals.fall[FALL_ALL].w;
	char buf[STYLE_BUF];

	if (!f->changed)
		out_str(o, "nothing changed: ");
	if (a->huge)
		out_printf(o, "the same %s are huge", diff_text_amount(buf, v->style, a->huge));
	else
		out_str(o, "no memory is huge on either side");
	if (f->rss) {
		out_str(o, "; ");
		say_rss(o, v, f->rss, " small memory");
	}
	out_byte(o, '.');
}

static void say_gain(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	char buf[STYLE_BUF];

	say_pages(o, size_of(f->huge) / v->d->pmd_kb);
	out_printf(o, " more (%s)", style_kb(buf, size_of(f->huge)));
	if (f->rss > 0)
		out_printf(o, ": %s more is resident",
			   diff_text_amount(buf, v->style, size_of(f->rss)));
	out_byte(o, '.');
}

static void say_no_loss(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	char buf[STYLE_BUF];

	if (f->huge == 0)
		say_same(o, v, f);
	else if (f->huge > 0)
		out_printf(o, "%s more is huge.",
			   diff_text_amount(buf, v->style, size_of(f->huge)));
	else if (f->rss < 0)
		say_not_needed(o, v, f);
	else
		say_uncertain(o, v, f);
}

static void say_slots(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	struct row_side side;

	if (!f->slots)
		return;
	diff_row_side(v->d, f->slots->more, BEFORE, &side);
	out_printf(o, " But %" PRIu64 " of %" PRIu64 " slots %s gone: see below.", f->slots->number,
		   side.slots_fit, f->slots->number == 1 ? "is" : "are");
}

/* Nothing is lost yet; whoever set it will want to know what is to come. */
static void say_nohuge(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	char buf[STYLE_BUF];

	if (f->nohuge_kb)
		out_printf(o, " But MADV_NOHUGEPAGE is new on %s: see below.",
			   diff_text_amount(buf, v->style, f->nohuge_kb));
}

void diff_text_verdict(struct out *o, const struct diff_text *v, const struct diff_facts *f)
{
	struct out text;

	out_memory(&text);
	switch (v->d->verdict) {
	case VERDICT_LOSS:
		say_loss(&text, v, f);
		diff_text_sentence(o, v->style, ROLE_BAD, "LOSS:", &text);
		say_freed(o, v, f);
		break;
	case VERDICT_GAIN:
		say_gain(&text, v, f);
		say_slots(&text, v, f);
		say_nohuge(&text, v, f);
		diff_text_sentence(o, v->style, ROLE_GOOD, "GAIN:", &text);
		break;
	default:
		say_no_loss(&text, v, f);
		say_slots(&text, v, f);
		say_nohuge(&text, v, f);
		diff_text_sentence(o, v->style, ROLE_GOOD, "NO LOSS:", &text);
		break;
	}
	out_close(&text);
}
