/* SPDX-License-Identifier: MIT */
/* Numbers, distances and sums of a check in words, the same in every format. */
#include <math.h>

#include "base/num.h"
#include "report/check_view.h"

const char *check_cstr(struct out *o)
{
	out_byte(o, '\0');
	o->n--;
	return o->buf;
}

/* ---- numbers ---- */

/* As many decimals as `apart` needs to show at all: 89.96 % is no "90.0 %" that fails. */
static int decimals(double apart)
{
	int n = 1;

	for (double step = 0.05; n < 9 && apart != 0 && fabs(apart) < step; step /= 10)
		n++;
	return n;
}

static void put_percent(struct out *o, double percent, double apart, const char *unit)
{
	out_printf(o, "%.*f%s", decimals(apart), percent == 0 ? 0.0 : percent, unit);
}

static const double GIB = 1024 * 1024;

/* MiB or GiB where that hides nothing, else kB. `apart`: what must not be rounded away. */
static void put_kb(struct out *o, const struct text_style *st, double kb, double apart)
{
	char buf[STYLE_BUF];
	double v = fabs(kb);
	bool small = v < 10240 && fmod(v, 1024) != 0, hidden = apart != 0 && fabs(apart) < 103;

	if (kb < 0)
		out_byte(o, '-');
	if (v != floor(v) || v > 1e15)
		out_printf(o, "%.1f kB", v);
	else if (v == 0)
		out_str(o, st->kb ? "0 kB" : "0");
	else if (small || hidden || st->kb)
		out_str(o, style_kb(buf, (uint64_t)v));
	else if (v >= 100 * GIB && (apart == 0 || fabs(apart) > GIB))
		out_printf(o, "%.1f GiB", v / GIB);
	else
		out_str(o, style_size(buf, st, (uint64_t)v));
}

static void put_number(struct out *o, const struct measure *m)
{
	char buf[DEC_BUF];

	if (m->exact && m->dec.scale == 0 && fabs(m->v) < 9e18)
		out_put(o, num_put_commas(buf, (int64_t)m->dec.mantissa));
	else if (m->exact)
		out_put(o, dec_put(buf, m->dec));
	else
		out_printf(o, "%.10g", m->v);
}

static void put_at(struct out *o, const struct text_style *st, const struct measure *m,
		   double apart)
{
	if (!m->known) {
		out_byte(o, '-');
		return;
	}
	switch (m->unit) {
	case UNIT_FRACTION:
		put_percent(o, m->v * 100, apart * 100, " %");
		break;
	case UNIT_POINTS:
		put_percent(o, m->v * 100, apart * 100, " points");
		break;
	case UNIT_PERCENT:
		put_percent(o, m->v, apart, " %");
		break;
	case UNIT_KB:
		put_kb(o, st, m->v, apart);
		break;
	default:
		put_number(o, m);
	}
}

void check_put_value(struct out *o, const struct text_style *st, const struct measure *m)
{
	put_at(o, st, m, 0);
}

void check_put_measured(struct out *o, const struct text_style *st, const struct check_result *r)
{
	put_at(o, st, &r->value, r->distance.known ? r->distance.v : 0);
}

/* The limit keeps the digits it was written with: 66.65 %. */
static void put_limit(struct out *o, const struct text_style *st, const struct rule *r)
{
	struct measure m = measure_dec(r->unit, r->limit);
	char buf[DEC_BUF];

	if (r->unit == UNIT_FRACTION || r->unit == UNIT_POINTS) {
		struct dec d = r->limit;

		d.scale -= 2; /* rule_parse() has put two digits there */
		out_put(o, dec_put(buf, dec_trim(d)));
		out_str(o, " %");
	} else if (r->unit == UNIT_PERCENT) {
		out_put(o, dec_put(buf, r->limit));
		out_str(o, " %");
	} else if (m.v == 0) {
		out_byte(o, '0');
	} else {
		put_at(o, st, &m, r->unit == UNIT_KB && fmod(fabs(m.v), 1024) != 0 ? 1 : 0);
	}
}

void check_put_rule(struct out *o, const struct text_style *st, const struct rule *r)
{
	out_safe(o, r->metric, st->ascii);
	out_printf(o, " %s ", rule_ops[r->op]);
	put_limit(o, st, r);
}

/* ---- distances ---- */

static void put_apart(struct out *o, const struct text_style *st, const struct measure *distance)
{
	struct measure d = *distance;

	d.v = fabs(d.v);
	if (d.exact && d.dec.mantissa < 0)
		d.dec.mantissa = -d.dec.mantissa;
	if (d.unit == UNIT_FRACTION || d.unit == UNIT_POINTS)
		put_percent(o, d.v * 100, d.v * 100, " points");
	else if (d.unit == UNIT_PERCENT)
		put_percent(o, d.v, d.v, " points");
	else
		put_at(o, st, &d, d.v);
}

static bool is_loss(const struct rule *r)
{
	return (r->form == RULE_FINDING && r->id == FINDING_THP_LOSS) ||
	       (r->form == RULE_METRIC && r->id == METRIC_THP_LOSS);
}

static void put_broken(struct out *o, const struct text_style *st, const struct check_result *r)
{
	bool things = r->value.unit == UNIT_COUNT || r->value.unit == UNIT_NUMBER;
	double d = r->distance.v;

	if (d == 0) {
		out_str(o, "just at the limit");
		return;
	}
	if (!things)
		out_str(o, d < 0 ? "short by " : "over by ");
	put_apart(o, st, &r->distance);
	if (things)
		out_str(o, d < 0 ? " too few" : " too many");
}

void check_put_distance(struct out *o, const struct text_style *st, const struct check_result *r)
{
	enum rule_op op = r->g->rule.op;

	if (!r->distance.known)
		return;
	if (judge_rule(&r->g->rule, &r->value) == OUTCOME_FAIL) {
		put_broken(o, st, r);
	} else if (is_loss(&r->g->rule) && r->value.v == 0) {
		out_str(o, "no huge page was lost");
	} else if (op != OP_EQ && op != OP_NE && r->distance.v != 0) {
		put_apart(o, st, &r->distance);
		out_str(o, " to spare");
	}
}

void check_put_sentence(struct out *o, const struct text_style *st, const struct check_result *r)
{
	size_t before;

	if (!r->value.known) {
		out_str(o, "could not be measured: ");
		out_safe(o, slice_str(r->why ? r->why : "nothing says it"), st->ascii);
		return;
	}
	out_str(o, "is ");
	check_put_measured(o, st, r);
	out_str(o, ", ");
	before = o->n;
	check_put_distance(o, st, r);
	if (o->n == before)
		o->n -= 2;
	if (r->why) {
		out_str(o, "; ");
		out_safe(o, slice_str(r->why), st->ascii);
	}
}

/* ---- sums ---- */

enum check_mark check_mark(const struct check_result *r)
{
	if (r->outcome == OUTCOME_COULD_NOT)
		return MARK_COULD_NOT;
	if (r->outcome == OUTCOME_PASS)
		return MARK_PASS;
	return r->g->warn ? MARK_WARN : MARK_FAIL;
}

static void count_group(struct check_counts *c, const struct check_group *g)
{
	c->mappings += g->mappings;
	c->rows += g->rows;
	for (size_t i = 0; i < g->n; i++) {
		size_t *const by_mark[] = { &c->pass, &c->fail, &c->warn, &c->could_not };

		++*by_mark[check_mark(&g->results[i])];
		c->rules++;
	}
}

struct check_counts check_count(const struct check_view *v)
{
	struct check_counts c = { 0 };

	for (size_t i = 0; i < v->groups_n; i++)
		count_group(&c, &v->groups[i]);
	return c;
}

static void put_count(struct out *o, size_t n, const char *thing)
{
	char buf[NUM_BUF];

	out_put(o, num_put_commas(buf, (int64_t)n));
	out_printf(o, " %s%s", thing, n == 1 ? "" : "s");
}

void check_put_summary(struct out *o, const struct check_group *g)
{
	struct check_counts c = { 0 };
	const char *comma = "";

	count_group(&c, g);
	put_count(o, c.rules, "rule");
	if (c.mappings) {
		out_str(o, " over ");
		put_count(o, c.mappings, "mapping");
	}
	if (c.rows) {
		out_str(o, c.mappings ? " and " : " over ");
		put_count(o, c.rows, "row");
	}
	out_str(o, ", ");
	if (c.fail && (comma = ", "))
		out_printf(o, "%zu broken", c.fail);
	if (c.could_not)
		out_printf(o, "%s%zu could not be measured", comma, c.could_not), comma = ", ";
	if (c.warn)
		out_printf(o, "%s%zu warned of", comma, c.warn), comma = ", ";
	if (!*comma)
		out_str(o, c.rules == 1 ? "it holds" : "all hold");
}

void check_put_place(struct out *o, const struct check_blame *b)
{
	if (b->lost_known)
		out_printf(o, "%llu kB ", (unsigned long long)b->lost_kb);
	if (b->has_start)
		out_printf(o, "%012llx ", (unsigned long long)b->start);
}

void check_put_selector(struct out *o, const struct selector *s)
{
	const char *comma = "";

	if (s->match)
		out_printf(o, "match %s", s->match), comma = ", ";
	if (s->classes) {
		out_printf(o, "%sclass", comma);
		for (int i = 0, first = 1; i < CLASS_COUNT; i++)
			if (s->classes >> i & 1)
				out_printf(o, "%s%s", first ? " " : ",", class_names[i]), first = 0;
		comma = ", ";
	}
	if (s->min_size_kb)
		out_printf(o, "%sfrom %llu kB", comma, (unsigned long long)s->min_size_kb),
			comma = ", ";
	if (s->table.n)
		out_printf(o, "%stable %.*s", comma, SLICE_FMT(s->table));
}
