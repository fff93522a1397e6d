/* SPDX-License-Identifier: MIT */
#include "parse/perf_csv_row.h"

#include "parse/perf_num.h"
#include "parse/perf_row.h"

/* ---- fields ---- */

static struct slice field(const struct perf_csv_fields *f, size_t i)
{
	return i < f->n ? slice_trim(f->at[i]) : slice_of(NULL, 0);
}

/* From field a to before field b, with the separators between them. */
static struct slice span(const struct perf_csv_fields *f, size_t a, size_t b)
{
	const char *end = f->at[b - 1].p + f->at[b - 1].n;

	return slice_trim(slice_of(f->at[a].p, (size_t)(end - f->at[a].p)));
}

static bool all_digits(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]))
			return false;
	return s.n > 0;
}

static bool is_count(struct slice s)
{
	const struct perf_locale l = { '.', false };
	struct dec d;

	if (slice_eq_str(s, "<not counted>") || slice_eq_str(s, "<not supported>"))
		return true;
	return s.n && perf_take_number(&s, &l, &d) != NUM_NONE && s.n == 0;
}

/* "24.00" or "24,00": two decimals, at most three digits before them. */
static bool is_percentage(struct slice s)
{
	return s.n >= 4 && s.n <= 6 && (s.p[s.n - 3] == '.' || s.p[s.n - 3] == ',') &&
	       all_digits(slice_first(s, s.n - 3)) && all_digits(slice_skip(s, s.n - 2));
}

/* "0.33%", any number of digits before the sign. */
static bool is_variance(struct slice s)
{
	if (s.n < 5 || s.p[s.n - 1] != '%' || (s.p[s.n - 4] != '.' && s.p[s.n - 4] != ','))
		return false;
	return all_digits(slice_first(s, s.n - 4)) && all_digits(slice_of(s.p + s.n - 3, 2));
}

/* ---- the place in front ---- */

static bool is_time(struct slice s)
{
	return s.n > 10 && s.p[s.n - 10] == '.' && all_digits(slice_first(s, s.n - 10)) &&
	       all_digits(slice_skip(s, s.n - 9));
}

static bool ends_like_thread(struct slice s)
{
	size_t digits = 0;

	while (digits < s.n && is_digit(s.p[s.n - 1 - digits]))
		digits++;
	return digits > 0 && digits + 1 < s.n && s.p[s.n - 1 - digits] == '-';
}

/* "comm-pid": up to here it is one, though the comm may hold separators. 0: it is none. */
static size_t thread_fields(const struct perf_csv_fields *f, size_t i)
{
	if (is_count(field(f, i)) || field(f, i).n == 0)
		return 0;
	for (size_t k = i; k < f->n && k < i + 4; k++)
		if (ends_like_thread(field(f, k)) &&
		    (is_count(field(f, k + 1)) || field(f, k + 1).n == 0) &&
		    span(f, i, k + 1).n <= PERF_ID_MAX)
			return k + 1 - i;
	return 0;
}

/*
 * Is field i the number of CPUs? Not when it is the count: an event under
 * -A with the modifier /percore/ has its core, but no number.
 */
static bool is_cpus(const struct perf_csv_fields *f, size_t i)
{
	struct slice next = field(f, i + 1), after = field(f, i + 2);

	if (!all_digits(field(f, i)) || i + 1 >= f->n)
		return false;
	if (next.n)
		return is_count(next);
	return after.n == 0 || is_count(after) || is_variance(after);
}

static size_t take_place(const struct perf_csv_fields *f, struct perf_place *p)
{
	size_t i = 0, n;

	*p = (struct perf_place){ .cpus = -1 };
	if (is_time(field(f, i)) && dec_parse(field(f, i), &p->time)) {
		p->has_time = true;
		i++;
		if (field(f, i).n == 0 && perf_is_topology(field(f, i + 1)))
			i++; /* 4.6 to 4.9 in rows that hold only a metric */
	} else if (slice_eq_str(field(f, i), "summary")) {
		i++;
	}
	if (perf_is_topology(field(f, i))) {
		p->aggregate = field(f, i++);
		if (*p->aggregate.p != 'C' && is_cpus(f, i)) {
			uint64_t v;

			if (num_u64(field(f, i++), &v) && v <= INT32_MAX)
				p->cpus = (int64_t)v;
		}
	} else if ((n = thread_fields(f, i))) {
		p->aggregate = span(f, i, i + n);
		i += n;
	}
	return i;
}

/* ---- the fast points of a row ---- */

struct points {
	size_t count;       /* its first field */
	size_t event;       /* first field of the event */
	size_t event_end;   /* behind event and cgroup */
	size_t variance;    /* its first field; 0: none */
	size_t runtime;     /* 0: none (before 4.1) */
	size_t metrics;     /* first field behind running % */
};

/*
 * The runtime's field, and how many fields its percentage has behind it: 1, or 2
 * when it is split.
 */
static size_t find_pair(const struct perf_csv_fields *f, size_t from, bool split,
			size_t *ret_fields)
{
	for (size_t i = from; i + 1 < f->n; i++) {
		if (!all_digits(field(f, i)))
			continue;
		if (!split && is_percentage(field(f, i + 1))) {
			*ret_fields = 1;
			return i;
		}
		if (split && all_digits(field(f, i + 1)) && field(f, i + 1).n <= 3 &&
		    i + 2 < f->n && all_digits(field(f, i + 2)) && field(f, i + 2).n == 2) {
			*ret_fields = 2;
			return i;
		}
	}
	return 0;
}

static bool is_split_count(const struct perf_csv_fields *f, size_t i)
{
	return all_digits(field(f, i)) && all_digits(field(f, i + 1)) && field(f, i + 1).n == 2;
}

/* False: the row has no such pair, or nothing is left for the event. */
static bool find_points(const struct perf_csv_fields *f, const struct perf_csv_dialect *d, size_t i,
			struct points *ret)
{
	size_t fields;

	*ret = (struct points){ .count = i, .event = i + 2 };
	if (d->split_decimals && is_split_count(f, i))
		ret->event++;
	ret->runtime = find_pair(f, ret->event + 1, d->split_decimals, &fields);
	if (!ret->runtime)
		return false;
	ret->metrics = ret->runtime + 1 + fields;
	ret->event_end = ret->runtime;
	struct slice last = field(f, ret->event_end - 1);
	size_t room = ret->event_end - ret->event; /* the event keeps one */
	if (room > 1 && is_variance(last))
		ret->variance = ret->event_end - 1;
	else if (room > 2 && d->split_decimals && last.n == 3 && last.p[2] == '%' &&
		 all_digits(slice_first(last, 2)))
		ret->variance = ret->event_end - 2;
	return true;
}

/* Before 4.1: count[,unit],event[,cgroup][,x%]. The unit's field came with 3.14. */
static bool find_old_points(const struct perf_csv_fields *f, size_t i, struct points *ret)
{
	bool unit = f->n > i + 2 && (field(f, i + 1).n == 0 || perf_is_unit(field(f, i + 1)));

	*ret = (struct points){
		.count = i, .event = i + 1 + unit, .event_end = f->n, .metrics = f->n
	};
	while (ret->event_end > ret->event && field(f, ret->event_end - 1).n == 0)
		ret->event_end--;
	if (ret->event_end > ret->event + 1 && is_variance(field(f, ret->event_end - 1)))
		ret->variance = --ret->event_end;
	return ret->event_end > ret->event;
}

/* cpu/event=0x3c,umask=0x1/ is one event: a cgroup stands behind an even number of slashes. */
static bool may_be_cgroup(const struct perf_csv_fields *f, const struct points *p, size_t end)
{
	unsigned slashes = 0;

	if (end < p->event + 2)
		return false;
	struct slice s = span(f, p->event, end - 1);
	for (size_t i = 0; i < s.n; i++)
		slashes += s.p[i] == '/';
	return s.n > 0 && slashes % 2 == 0;
}

/* ---- learning ---- */

void perf_csv_learn(struct perf_csv_dialect *d, const struct perf_csv_fields *f, int round)
{
	struct perf_place place;
	struct points p;
	size_t fields, i = take_place(f, &place), at;

	if (!is_count(field(f, i)) || f->n < i + 2)
		return;
	if (round == 0) {
		at = find_pair(f, i + 2, false, &fields);
		d->plain_pairs += at != 0;
		d->comma_pairs += at && memchr(field(f, at + 1).p, ',', field(f, at + 1).n);
		d->split_pairs += d->separator == ',' && find_pair(f, i + 2, true, &fields);
		struct slice name = field(f, f->n - 1);
		d->counts |= at || (name.n && !is_count(name));
		return;
	}
	if (!(d->pairs ? find_points(f, d, i, &p) : find_old_points(f, i, &p)))
		return;
	d->rows++;
	d->with_variance += p.variance != 0;
	d->with_cgroup += may_be_cgroup(f, &p, p.variance && d->pairs ? p.variance : p.event_end);
}

void perf_csv_settle(struct perf_csv_dialect *d, int round)
{
	if (round == 0) {
		d->split_decimals = !d->plain_pairs && d->split_pairs;
		d->pairs = d->plain_pairs || d->split_pairs;
		d->counts |= d->pairs;
		d->decimal = d->comma_pairs ? ',' : '.';
		return;
	}
	/* What stands in the same place of every row is a column, not a part of the names. */
	d->variance = d->rows && d->with_variance == d->rows;
	/* Tracepoints have a colon in every name. */
	d->cgroups = d->rows && d->with_cgroup == d->rows && d->separator != ':';
}

/* ---- values ---- */

/* 1: a number, 0: none, -1: too long. */
static int number(struct slice s, const struct perf_csv_dialect *d, struct dec *ret)
{
	const struct perf_locale l = { d->decimal, false };

	if (s.n && *s.p == '-' && s.n > 1 && is_alpha(s.p[1]))
		return 0;
	enum num_status st = perf_take_number(&s, &l, ret);
	if (st == NUM_OVERFLOW)
		return -1;
	return st == NUM_OK && s.n == 0;
}

/* "12345" "68": the same number with a point. */
static int split_number(struct slice whole, struct slice rest, struct dec *ret)
{
	char buf[64];

	if (whole.n + rest.n + 2 > sizeof(buf))
		return -1;
	memcpy(buf, whole.p, whole.n);
	buf[whole.n] = '.';
	memcpy(buf + whole.n + 1, rest.p, rest.n);
	return dec_parse(slice_of(buf, whole.n + 1 + rest.n), ret) ? 1 : -1;
}

/* A metric that is negative or nan is an empty field; its unit still stands there. */
static int add_metric(struct perf_csv_row *row, const struct perf_csv_dialect *d,
		      struct slice value, struct slice unit)
{
	struct perf_metric m = { .unit = unit };
	int got = number(value, d, &m.value);

	if (got < 0)
		return -1;
	m.present = got;
	perf_metrics_add(&row->metrics, m);
	return 0;
}

/* Behind the percentage: value, unit, value, unit; trailing empty fields are noise. */
static int read_pairs(const struct perf_csv_fields *f, const struct perf_csv_dialect *d, size_t i,
		      struct perf_csv_row *row, size_t *bad)
{
	for (; i < f->n; i += 2) {
		*bad = i;
		if ((field(f, i).n || field(f, i + 1).n) &&
		    add_metric(row, d, field(f, i), field(f, i + 1)))
			return -1;
	}
	return 0;
}

/* A row without a count: how many empty fields stand in front is different in each version. */
static int read_loose(const struct perf_csv_fields *f, const struct perf_csv_dialect *d, size_t i,
		      struct perf_csv_row *row, size_t *bad)
{
	while (i < f->n) {
		struct slice s = field(f, i);

		*bad = i++;
		if (s.n == 0)
			continue;
		bool value = is_count(s);
		if (add_metric(row, d, value ? s : slice_of(NULL, 0), value ? field(f, i) : s))
			return -1;
		i += value;
	}
	return 0;
}

/* ---- rows ---- */

static int read_value(const struct perf_csv_fields *f, const struct perf_csv_dialect *d,
		      const struct points *p, struct perf_event *ev)
{
	struct slice s = field(f, p->count);
	bool split = d->split_decimals && d->pairs && is_split_count(f, p->count);

	if (slice_eq_str(s, "<not counted>"))
		ev->state = PERF_NOT_COUNTED;
	else if (slice_eq_str(s, "<not supported>"))
		ev->state = PERF_NOT_SUPPORTED;
	else
		return split ? split_number(s, field(f, p->count + 1), &ev->value)
			     : number(s, d, &ev->value);
	return 1;
}

static void read_variance(const struct perf_csv_fields *f, const struct perf_csv_dialect *d,
			  size_t i, struct perf_event *ev)
{
	struct slice last = field(f, i);
	int got = is_variance(last)
			  ? number(slice_first(last, last.n - 1), d, &ev->variance_pct)
			  : split_number(last, slice_first(field(f, i + 1), 2), &ev->variance_pct);

	ev->has_variance = got == 1;
}

static void read_runtime(const struct perf_csv_fields *f, const struct perf_csv_dialect *d,
			 const struct points *p, struct perf_event *ev)
{
	struct slice percent = field(f, p->runtime + 1);
	int got = d->split_decimals
			  ? split_number(percent, field(f, p->runtime + 2), &ev->running_pct)
			  : number(percent, d, &ev->running_pct);

	ev->has_runtime = num_u64(field(f, p->runtime), &ev->runtime_ns);
	ev->has_running = got == 1;
}

static int read_counter(const struct perf_csv_fields *f, const struct perf_csv_dialect *d, size_t i,
			struct perf_csv_row *row, size_t *bad)
{
	struct points p;
	struct perf_event *ev = &row->ev;

	*bad = i;
	if (!(d->pairs ? find_points(f, d, i, &p) : find_old_points(f, i, &p)))
		return 0;
	int got = read_value(f, d, &p, ev);
	if (got <= 0)
		return got;
	size_t end = p.event_end;
	if (p.variance && (d->variance || !d->pairs)) {
		read_variance(f, d, p.variance, ev);
		end = p.variance;
	}
	if (d->cgroups && end > p.event + 1)
		ev->cgroup = field(f, --end);
	ev->event = span(f, p.event, end);
	if (p.event > i + 1)
		ev->unit = field(f, p.event - 1);
	if (p.runtime)
		read_runtime(f, d, &p, ev);
	row->kind = ev->event.n ? CSV_COUNT : CSV_NONE;
	return read_pairs(f, d, p.metrics, row, bad);
}

/* An empty count: a metric of the row above; or, with a runtime, a metric group (6.5). */
static int read_countless(const struct perf_csv_fields *f, const struct perf_csv_dialect *d,
			  size_t i, struct perf_csv_row *row, size_t *bad)
{
	size_t fields = 0, at = find_pair(f, i + 1, d->split_decimals, &fields), k, n = 0, last = 0;

	row->kind = CSV_METRICS;
	if (!at || at > i + 3)
		return read_loose(f, d, i, row, bad);
	for (k = at + 1 + fields; k < f->n; k++)
		if (field(f, k).n) {
			n++;
			last = k;
		}
	if (n != 1 || is_count(field(f, last)) || field(f, last).n > PERF_ID_MAX)
		return read_loose(f, d, at + 1 + fields, row, bad);
	row->kind = CSV_GROUP;
	row->group = field(f, last);
	return 0;
}

/* --metric-only: numbers and empty fields; the last separator closes the row. */
static int read_cells(const struct perf_csv_fields *f, const struct perf_csv_dialect *d, size_t i,
		      struct perf_csv_row *row, size_t *bad)
{
	size_t end = f->n && field(f, f->n - 1).n == 0 ? f->n - 1 : f->n;

	for (size_t k = i; k < end; k++)
		if (field(f, k).n && (!is_count(field(f, k)) || *field(f, k).p == '<'))
			return 0;
	for (; i < end; i++) {
		*bad = i;
		if (add_metric(row, d, field(f, i), slice_of(NULL, 0)))
			return -1;
	}
	row->kind = row->metrics.n ? CSV_CELLS : CSV_NONE;
	return 0;
}

int perf_csv_row_read(const struct perf_csv_fields *f, const struct perf_csv_dialect *d,
		      struct perf_csv_row *ret, size_t *bad)
{
	ret->kind = CSV_NONE;
	ret->ev = (struct perf_event){ 0 };
	ret->metrics.n = 0;
	size_t i = take_place(f, &ret->place);
	if (i >= f->n)
		return 0;
	if (!d->counts)
		return read_cells(f, d, i, ret, bad);
	if (field(f, i).n == 0)
		return read_countless(f, d, i, ret, bad);
	return is_count(field(f, i)) ? read_counter(f, d, i, ret, bad) : 0;
}
