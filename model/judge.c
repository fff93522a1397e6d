/* SPDX-License-Identifier: MIT */
#include "model/judge.h"

#include <math.h>

const char *const outcome_names[OUTCOMES] = { "pass", "fail", "could-not" };

struct measure measure_unknown(enum unit unit, const char *why)
{
	return (struct measure){ .unit = unit, .why = why, .v = NAN };
}

struct measure measure_dec(enum unit unit, struct dec v)
{
	return (struct measure){
		.known = true, .unit = unit, .exact = true, .dec = v, .v = dec_double(v)
	};
}

struct measure measure_whole(enum unit unit, int64_t v)
{
	return measure_dec(unit, dec_i64(v));
}

struct measure measure_double(enum unit unit, double v)
{
	return (struct measure){ .known = isfinite(v), .unit = unit, .v = v };
}

struct measure measure_ratio(uint64_t part, uint64_t of, const char *why)
{
	if (!of)
		return measure_unknown(UNIT_FRACTION, why);
	return measure_double(UNIT_FRACTION, (double)part / (double)of);
}

struct measure measure_points(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	__extension__ typedef __int128 i128;

	if (!b || !d)
		return measure_unknown(UNIT_POINTS, "nothing could be huge on one side");
	/* Sums of kB below 2^54 each: the products fit. */
	i128 top = (i128)a * d - (i128)c * b, bottom = (i128)b * d;
	return measure_double(UNIT_POINTS, (double)((long double)top / (long double)bottom));
}

struct measure measure_delta(const struct measure *before, const struct measure *after,
			     bool relative)
{
	struct measure d = { .known = true, .unit = relative ? UNIT_PERCENT : after->unit };

	if (!before->known || !after->known)
		return measure_unknown(d.unit, before->known ? after->why : before->why);
	if (relative && before->v == 0)
		return measure_unknown(UNIT_PERCENT,
				       "it was 0 before: there is no percentage of that");
	d.exact = before->exact && after->exact && dec_sub(after->dec, before->dec, &d.dec);
	d.v = d.exact ? dec_double(d.dec) : after->v - before->v;
	d.mappings = after->mappings;
	if (relative) {
		d.v = (double)((long double)d.v * 100 / (long double)before->v);
		d.exact = false;
	}
	return d;
}

/* cmp: value against limit, -1 0 1 */
static bool judge_holds(enum rule_op op, int cmp)
{
	static const bool holds[OPS][3] = {
		[OP_LT] = { true, false, false }, [OP_LE] = { true, true, false },
		[OP_EQ] = { false, true, false }, [OP_NE] = { true, false, true },
		[OP_GE] = { false, true, true },  [OP_GT] = { false, false, true },
	};

	return holds[op][cmp + 1];
}

enum outcome judge_rule(const struct rule *r, const struct measure *m)
{
	int cmp;

	if (!m->known)
		return OUTCOME_COULD_NOT;
	if (m->exact) {
		cmp = dec_cmp(m->dec, r->limit);
	} else {
		double limit = dec_double(r->limit);

		cmp = (m->v > limit) - (m->v < limit);
	}
	return judge_holds(r->op, cmp) ? OUTCOME_PASS : OUTCOME_FAIL;
}

struct measure judge_distance(const struct rule *r, const struct measure *m)
{
	struct measure limit = measure_dec(m->unit, r->limit);

	return measure_delta(&limit, m, false);
}
