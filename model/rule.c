/* SPDX-License-Identifier: MIT */
#include "model/rule.h"

const char *const rule_ops[OPS] = { "<", "<=", "==", "!=", ">=", ">" };

/* ---- the operator ---- */

static bool starts_pair(char c)
{
	return c == '<' || c == '>' || c == '=' || c == '!';
}

/* The last operator: names of counters may hold '<' or '='. */
static bool find_op(struct slice s, struct slice *ret)
{
	for (size_t i = s.n; i-- > 0;) {
		if (s.p[i] == '=' && i > 0 && starts_pair(s.p[i - 1])) {
			*ret = slice_of(s.p + i - 1, 2);
			return true;
		}
		if (s.p[i] == '<' || s.p[i] == '>') {
			*ret = slice_of(s.p + i, 1);
			return true;
		}
	}
	return false;
}

static int no_operator(struct slice text, struct err *e)
{
	ptrdiff_t at = slice_find(text, SLICE("="));

	if (at >= 0)
		err_at(e, 1, text, text.p + at, "'=' is no operator: write ==");
	else
		err_at(e, 1, text, text.p + text.n, "no operator: one of < <= == != >= > is due");
	return err_hint(e, "A rule is 'METRIC OP VALUE', for instance 'coverage >= 90%%'");
}

static enum rule_op op_of(struct slice s)
{
	int i = 0;

	while (!slice_eq_str(s, rule_ops[i]))
		i++;
	return (enum rule_op)i;
}

/* ---- the metric ---- */

static bool ends_in_side(struct slice s, const char *const words[4], struct slice *ret_name,
			 enum rule_side *ret)
{
	size_t dot = s.n;

	while (dot > 0 && s.p[dot - 1] != '.')
		dot--;
	if (dot < 2)
		return false;
	for (int i = 0; i < 4; i++) {
		if (words[i] && slice_eq_str(slice_skip(s, dot), words[i])) {
			*ret_name = slice_first(s, dot - 1);
			*ret = (enum rule_side)i;
			return true;
		}
	}
	return false;
}

/* counters[NAME].SIDE; NAME ends at the last ']'. */
static int counter_metric(struct rule *r, struct err *e)
{
	static const char *const sides[4] = { "before", "after", "delta", "percent" };
	struct slice s = slice_skip(r->metric, strlen("counters["));
	size_t end = s.n;
	struct slice name;

	while (end > 0 && s.p[end - 1] != ']')
		end--;
	if (end < 2)
		return err_at(e, 1, r->text, s.p,
			      "counters[NAME].before, .after, .delta or .percent is due");
	if (!ends_in_side(s, sides, &name, &r->side) || name.n != end)
		return err_at(e, 1, r->text, s.p + end,
			      ".before, .after, .delta or .percent is due here");
	r->form = RULE_COUNTER;
	r->name = slice_first(s, end - 1);
	r->unit = r->side == SIDE_PERCENT ? UNIT_PERCENT : UNIT_NUMBER;
	r->nature = NATURE_DELIVERY;
	return 0;
}

static bool cell_metric(struct rule *r)
{
	static const char *const sides[4] = { "base", "head", NULL, "percent" };

	if (!ends_in_side(r->metric, sides, &r->name, &r->side))
		return false;
	r->form = RULE_CELL;
	r->unit = r->side == SIDE_PERCENT ? UNIT_PERCENT : UNIT_NUMBER;
	r->nature = NATURE_DELIVERY;
	return true;
}

static const char *const report_members[] = {
	"system", "process", "totals", "source", "processes", "shared", "vmas", "findings",
};

/* The nature of a number of the report is that of the metric with the same name. */
static bool path_metric(struct rule *r)
{
	struct cut first = slice_cut(r->metric, '.');
	struct slice last = r->metric;
	bool known = false;

	for (size_t i = 0; i < sizeof(report_members) / sizeof(*report_members); i++)
		known |= slice_eq_str(first.head, report_members[i]);
	if (!known || !first.tail.n)
		return false;
	for (struct cut c = first; c.ok; c = slice_cut(c.tail, '.'))
		last = c.tail;
	enum metric_id id = metric_id_of(last);
	r->form = RULE_PATH;
	r->name = r->metric;
	r->unit = id < METRICS			 ? metrics[id].unit :
		  slice_ends(last, SLICE("_kb")) ? UNIT_KB :
						   UNIT_NUMBER;
	r->nature = id < METRICS ? metrics[id].nature : NATURE_DELIVERY;
	return true;
}

static bool short_metric(struct rule *r)
{
	enum metric_id id = metric_id_of(r->metric);

	if (id == METRICS)
		return false;
	r->form = RULE_METRIC;
	r->id = (int)id;
	r->unit = metrics[id].unit;
	r->nature = metrics[id].nature;
	return true;
}

static bool finding_metric(struct rule *r)
{
	enum finding_id id = finding_id_of(r->metric);

	if (id == FINDING_IDS)
		return false;
	r->form = RULE_FINDING;
	r->id = (int)id;
	r->unit = UNIT_COUNT;
	r->nature = finding_rule_nature(id);
	return true;
}

static bool delta_metric(struct rule *r)
{
	for (int i = 0; i < METRIC_DELTAS; i++) {
		if (!slice_eq_str(r->metric, metric_deltas[i]))
			continue;
		r->form = RULE_DELTA;
		r->id = i;
		r->unit = metrics[i].unit == UNIT_FRACTION ? UNIT_POINTS : metrics[i].unit;
		r->nature = metrics[i].nature;
		return true;
	}
	return false;
}

static int unknown_metric(const struct rule *r, struct err *e)
{
	struct nearest near;
	int n = r->metric.n > 80 ? 80 : (int)r->metric.n;

	nearest_start(&near, r->metric);
	metric_nearest(&near);
	if (near.best)
		return err_at(e, 1, r->text, r->metric.p,
			      "unknown metric '%.*s' (did you mean %s?)", n, r->metric.p,
			      near.best);
	err_at(e, 1, r->text, r->metric.p, "unknown metric '%.*s'", n, r->metric.p);
	return err_hint(e, "Names: coverage, share, huge_kb …, a finding's id, delta.NAME, "
			   "counters[NAME].delta, METRIC.percent of a robot table, totals.rss_kb");
}

static int take_metric(struct rule *r, struct err *e)
{
	if (!r->metric.n)
		return err_at(e, 1, r->text, r->text.p, "a metric is due in front of the operator");
	if (short_metric(r) || finding_metric(r) || delta_metric(r))
		return 0;
	if (slice_starts(r->metric, SLICE("counters[")))
		return counter_metric(r, e);
	if (cell_metric(r) || path_metric(r))
		return 0;
	return unknown_metric(r, e);
}

/* ---- the value ---- */

enum written { BARE, PERCENT, SIZE };

static const struct {
	const char *name;
	enum written kind;
	unsigned shift; /* kB << shift */
} suffixes[] = {
	{ "", BARE, 0 },     { "%", PERCENT, 0 },  { "kB", SIZE, 0 },	{ "KiB", SIZE, 0 },
	{ "MiB", SIZE, 10 }, { "GiB", SIZE, 20 }, { "TiB", SIZE, 30 },
};
enum { SUFFIXES = sizeof(suffixes) / sizeof(*suffixes) };

/* The part of s that can be a number: sign, digits, point, exponent. */
static struct slice number_part(struct slice s)
{
	size_t i = s.n && (*s.p == '-' || *s.p == '+');

	while (i < s.n && (is_digit(s.p[i]) || s.p[i] == '.'))
		i++;
	if (i + 1 < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		size_t k = i + 1 + (s.p[i + 1] == '-' || s.p[i + 1] == '+');

		if (k < s.n && is_digit(s.p[k])) {
			while (k < s.n && is_digit(s.p[k]))
				k++;
			i = k;
		}
	}
	return slice_first(s, i);
}

static bool dec_shift_left(struct dec *d, unsigned bits)
{
	__extension__ __int128 v;

	if (__builtin_mul_overflow(d->mantissa, (__int128)1 << bits, &v))
		return false;
	d->mantissa = v;
	return true;
}

/* MB and gb are usually meant to be MiB and GiB. */
static const char *binary_unit(char c)
{
	static const struct { const char *letters, *unit; } near[] = {
		{ "kK", "kB" }, { "mM", "MiB" }, { "gG", "GiB" }, { "tT", "TiB" },
	};

	for (size_t i = 0; i < sizeof(near) / sizeof(*near); i++)
		if (c == near[i].letters[0] || c == near[i].letters[1])
			return near[i].unit;
	return NULL;
}

static int take_suffix(const struct rule *r, struct slice s, int *ret, struct err *e)
{
	for (int i = 0; i < SUFFIXES; i++) {
		if (slice_eq_str(s, suffixes[i].name)) {
			*ret = i;
			return 0;
		}
	}
	if (is_digit(*s.p) || *s.p == '.' || *s.p == ',')
		return err_at(e, 1, r->text, s.p,
			      "a number has digits and one point, without commas");
	err_at(e, 1, r->text, s.p, "unknown unit '%.*s'", s.n > 20 ? 20 : (int)s.n, s.p);
	const char *meant = binary_unit(*s.p);
	return err_hint(e, "Units are %%, kB, MiB and GiB%s%s", meant ? "; did you mean " : "",
			meant ? meant : "");
}

/* Is the way the value is written right for the unit of the metric? */
static int fit_unit(struct rule *r, enum written w, struct err *e)
{
	const char *at = r->value.p, *metric = r->metric.p;
	int n = r->metric.n > 60 ? 60 : (int)r->metric.n;

	switch (r->unit) {
	case UNIT_FRACTION:
	case UNIT_POINTS:
		if (w == PERCENT)
			return 0;
		err_at(e, 1, r->text, at, "%.*s is a fraction: its value needs a %%", n, metric);
		return err_hint(e, "For instance 90%%");
	case UNIT_PERCENT:
		if (w != SIZE)
			return 0;
		return err_at(e, 1, r->text, at, "%.*s is in percent, not a size", n, metric);
	case UNIT_KB:
	case UNIT_COUNT:
		if (w == PERCENT && r->form == RULE_DELTA) {
			r->relative = true;
			r->unit = UNIT_PERCENT;
			return 0;
		}
		if (w == PERCENT)
			return err_at(e, 1, r->text, at,
				      "%.*s is no fraction: no %% here (delta.%.*s knows percent)",
				      n, metric, r->form == RULE_METRIC ? n : 4,
				      r->form == RULE_METRIC ? metric : "NAME");
		if (w == SIZE && r->unit == UNIT_COUNT)
			return err_at(e, 1, r->text, at, "%.*s is a number of things, not a size",
				      n, metric);
		return 0;
	case UNIT_NUMBER:
		if (w == PERCENT)
			return err_at(e, 1, r->text, at,
				      "%.*s is no fraction: no %% here (.percent is one)", n,
				      metric);
		r->size = w == SIZE;
		return 0;
	case UNITS:
		break;
	}
	return 0;
}

static bool to_fraction(struct dec *d)
{
	*d = dec_trim(*d);
	if (d->scale > 28)
		return false;
	d->scale += 2;
	return true;
}

static int take_value(struct rule *r, struct err *e)
{
	struct slice number = number_part(r->value),
		     suffix = slice_trim(slice_skip(r->value, number.n));
	int i = 0;

	if (!r->value.n)
		return err_at(e, 1, r->text, r->text.p + r->text.n,
			      "a value is due behind the operator");
	if (!number.n || (number.n == 1 && !is_digit(*number.p)))
		return err_at(e, 1, r->text, r->value.p, "a number is due here");
	if (take_suffix(r, suffix, &i, e) || fit_unit(r, suffixes[i].kind, e))
		return -1;
	if (!dec_parse(number, &r->limit) || !dec_shift_left(&r->limit, suffixes[i].shift))
		return err_at(e, 1, r->text, r->value.p, "no number, or one that is too large");
	r->limit = dec_trim(r->limit);
	if ((r->unit == UNIT_FRACTION || r->unit == UNIT_POINTS) && !to_fraction(&r->limit))
		return err_at(e, 1, r->text, r->value.p, "more digits than can be compared");
	return 0;
}

int rule_parse(struct slice text, struct rule *ret, struct err *e)
{
	struct rule r = { .text = slice_trim(text) };
	struct slice op;

	if (!r.text.n)
		return err_at(e, 1, text, text.p, "an empty rule");
	if (!find_op(r.text, &op))
		return no_operator(r.text, e);
	r.op = op_of(op);
	r.metric = slice_trim(slice_of(r.text.p, (size_t)(op.p - r.text.p)));
	r.value = slice_trim(slice_skip(r.text, (size_t)(op.p - r.text.p) + op.n));
	if (take_metric(&r, e) || take_value(&r, e))
		return -1;
	*ret = r;
	return 0;
}

/* ---- what it needs ---- */

static bool of_diff(enum finding_id id)
{
	return id >= FINDING_THP_LOSS;
}

bool rule_needs_baseline(const struct rule *r)
{
	switch (r->form) {
	case RULE_METRIC:
		return r->id == METRIC_THP_LOSS;
	case RULE_FINDING:
		return of_diff((enum finding_id)r->id);
	case RULE_DELTA:
	case RULE_COUNTER:
		return true;
	case RULE_CELL:
	case RULE_PATH:
		break;
	}
	return false;
}

bool rule_needs_mappings(const struct rule *r)
{
	return r->form == RULE_METRIC || r->form == RULE_FINDING || r->form == RULE_DELTA;
}

/* ---- writing ---- */

void rule_write(struct out *o, const struct rule *r, struct dec limit)
{
	bool percent = r->unit == UNIT_FRACTION || r->unit == UNIT_POINTS;
	char buf[DEC_BUF];

	if (percent && limit.scale < 2) {
		limit.mantissa *= limit.scale ? 10 : 100;
		limit.scale = 0;
	} else if (percent) {
		limit.scale -= 2;
	}
	out_put(o, r->metric);
	out_printf(o, " %s ", rule_ops[r->op]);
	out_put(o, dec_put(buf, dec_trim(limit)));
	if (percent || r->relative)
		out_byte(o, '%');
}
