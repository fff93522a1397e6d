/* SPDX-License-Identifier: MIT */
/*
 * What stands above the rows of a table:
 *
 *   ***** (99)            HOST: its description, when a mail has several machines
 *   ===== (89)
 *   axis/axis/testcase:   value/value/value
 *   commit:               ID ("subject") for each column
 *   ID16 ID27…            the columns
 *   ----- (16) ----- (27)…
 *   %stddev %change %stddev, or fail:runs %reproduction fail:runs
 *
 * Any of it may be missing; the dashes or a line of column heads are enough.
 */
#include "parse/lkp_scan.h"

#include <stdlib.h>

#include "base/mem.h"

enum { TITLE_WORDS = 40, ID_MIN = 7 };
enum { BASE_DASHES = 16, COLUMN_DASHES = 27, COLUMN_DASHES_OLD = 26 };

/* ---- recognising ---- */

static size_t parts(struct slice s)
{
	size_t n = 1;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '/';
	return n;
}

/* "compiler/kconfig/testcase:" */
static bool is_axes(struct slice w)
{
	if (!slice_ends(w, SLICE(":")))
		return false;
	w.n--;
	for (struct cut c = slice_cut(w, '/');; c = slice_cut(c.tail, '/')) {
		if (slice_eq_str(c.head, "testcase") || slice_eq_str(c.head, "tbox_group"))
			return parts(w) > 1;
		if (!c.ok)
			return false;
	}
}

/* Words of "---------------- ---------------------------…" from i on; 0: something else. */
static size_t dash_groups(const struct lkp_scan *s, size_t i)
{
	size_t n = 0;

	for (; lkp_is_rule(lkp_word(s, i + n), '-', 1); n++) {
		size_t dashes = lkp_word(s, i + n).n;
		bool column = dashes == COLUMN_DASHES || dashes == COLUMN_DASHES_OLD;

		if (n ? !column : dashes != BASE_DASHES)
			return 0;
	}
	return n >= 2 && i >= n ? n : 0;
}

static const struct {
	const char *word, *next[2];
	enum lkp_section section;
} heads[] = {
	{ "%stddev", { "%change", "change" }, LKP_METRIC },
	{ "fail:runs", { "%reproduction", "reproduction" }, LKP_FAILURE },
};

/* Column heads that begin at i: the section, or -1. */
static int section_head(const struct lkp_scan *s, size_t i)
{
	struct slice next = lkp_word(s, i + 1);

	for (size_t h = 0; h < sizeof(heads) / sizeof(heads[0]); h++)
		if (slice_eq_str(lkp_word(s, i), heads[h].word) &&
		    (slice_eq_str(next, heads[h].next[0]) || slice_eq_str(next, heads[h].next[1])))
			return (int)heads[h].section;
	return -1;
}

/* ---- taking ---- */

static size_t take_title(struct lkp_scan *s, size_t i, struct lkp_head *h)
{
	size_t end = i + 1;

	while (end < s->n && end < i + TITLE_WORDS && !lkp_is_rule(lkp_word(s, end), '=', 20) &&
	       !is_axes(lkp_word(s, end)))
		end++;
	if (end == i + 1 || end >= s->n || end == i + TITLE_WORDS)
		return 1;
	*h = (struct lkp_head){ .title = lkp_join(s, i + 1, end) };
	lkp_mark(s, i, end);
	return end - i;
}

static size_t take_axes(struct lkp_scan *s, size_t i, struct lkp_head *h)
{
	struct slice w = lkp_word(s, i), next = lkp_word(s, i + 1);

	*h = (struct lkp_head){ .pending = true,
				.title = h->pending ? (struct slice){ 0 } : h->title };
	h->axes = slice_first(w, w.n - 1);
	h->axes_at = i;
	if (slice_eq_str(next, "commit:") || lkp_is_rule(next, '-', 1)) {
		lkp_mark(s, i, i + 1);
		return 1;
	}
	h->values = next;
	lkp_mark(s, i, i + 2);
	return 2;
}

static size_t take_dashes(struct lkp_scan *s, size_t i, size_t n, struct lkp_head *h)
{
	h->pending = true;
	h->ids = i - n;
	h->nids = n;
	lkp_mark(s, i - n, i + n);
	return n;
}

static bool has_section(const struct lkp_table *t, enum lkp_section section)
{
	return section == LKP_METRIC ? t->metrics : t->n > 0;
}

/* Heads of a section the open table has already belong to the next one. */
static size_t take_section(struct lkp_scan *s, size_t i, int section, const struct lkp_table *open,
			   struct lkp_head *h)
{
	size_t n = 1;

	if (!h->pending && (!open || has_section(open, (enum lkp_section)section)))
		*h = (struct lkp_head){ .pending = true };
	if (h->pending && !h->heads)
		h->heads = i;
	while (n < 2 * 64 && (slice_starts(lkp_word(s, i + n), SLICE("%")) ||
			      slice_eq_str(lkp_word(s, i + n), "change") ||
			      slice_eq_str(lkp_word(s, i + n), "fail:runs")))
		n++;
	lkp_mark(s, i, i + n);
	return n;
}

size_t lkp_head_take(struct lkp_scan *s, size_t i, const struct lkp_table *open, struct lkp_head *h)
{
	struct slice w = lkp_word(s, i);
	int section = section_head(s, i);
	size_t n = dash_groups(s, i);

	if (n)
		return take_dashes(s, i, n, h);
	if (section >= 0)
		return take_section(s, i, section, open, h);
	if (is_axes(w))
		return take_axes(s, i, h);
	if (lkp_is_rule(w, '*', 20))
		return take_title(s, i, h);
	if (!slice_eq_str(w, "commit:"))
		return 0;
	h->commits = i + 1;
	return 1;
}

/* ---- a table from it ---- */

/* A name that stands twice would have two values: then they do not pair. */
static bool names_repeat(const struct lkp_parameter *p, size_t n)
{
	struct slice *names = mem_array(n, sizeof(*names));
	bool repeat = false;

	for (size_t i = 0; i < n; i++)
		names[i] = p[i].name;
	qsort(names, n, sizeof(*names), slice_order);
	for (size_t i = 1; i < n; i++)
		repeat |= slice_eq(names[i - 1], names[i]);
	mem_free(names);
	return repeat;
}

/* False: they do not pair, and the table is without parameters. */
static bool pair_parameters(struct arena *a, struct slice axes, struct slice values,
			    struct lkp_table *t)
{
	size_t n = parts(axes);

	if (n != parts(values))
		return false;
	t->parameters = arena_array(a, n, sizeof(*t->parameters));
	for (; t->nparameters < n; t->nparameters++) {
		struct cut axis = slice_cut(axes, '/'), value = slice_cut(values, '/');

		t->parameters[t->nparameters] = (struct lkp_parameter){ axis.head, value.head };
		axes = axis.tail;
		values = value.tail;
	}
	if (names_repeat(t->parameters, n)) {
		t->nparameters = 0;
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if (slice_eq_str(t->parameters[i].name, "testcase"))
			t->testcase = t->parameters[i].value;
	return true;
}

/* The words of a commit list, and where it ends. */
struct list {
	const struct lkp_scan *s;
	size_t from, to;
	bool flat; /* on one line: "first on its line" tells nothing */
};

static bool same_commit(struct slice a, struct slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;

	return slice_eq(a, b) || (n >= ID_MIN && slice_eq(slice_first(a, n), slice_first(b, n)));
}

static bool may_be_label(const struct list *l, size_t i)
{
	return lkp_first_on_line(l->s, i) && *lkp_word(l->s, i).p != '(' &&
	       (i == l->from || slice_ends(lkp_word(l->s, i - 1), SLICE(")")));
}

/* Where column `id` stands in the list from `at` on; l->to when it is not there. */
static size_t find_entry(const struct list *l, struct slice id, size_t at)
{
	const struct lkp_scan *s = l->s;

	for (size_t i = at; id.n && i < l->to; i++)
		if (same_commit(lkp_word(s, i), id))
			return i;
	for (size_t i = at; i < l->to; i++)
		if (lkp_is_hex(lkp_word(s, i), ID_MIN) && (l->flat || lkp_first_on_line(s, i)))
			return i;
	for (size_t i = at; i < l->to; i++)
		if (!l->flat && may_be_label(l, i))
			return i;
	return l->to;
}

static struct slice without_quotes(struct slice w)
{
	static const char *const pairs[][2] = { { "\"", "\"" },
						{ "\xe2\x80\x9c", "\xe2\x80\x9d" } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct slice open = slice_str(pairs[i][0]), close = slice_str(pairs[i][1]);

		if (w.n >= open.n + close.n && slice_starts(w, open) && slice_ends(w, close))
			return slice_first(slice_skip(w, open.n), w.n - open.n - close.n);
	}
	return w;
}

/* The subject of `("subject")` at words [from, to); what follows an arrow is a note. */
static struct slice subject(struct lkp_scan *s, size_t from, size_t to)
{
	size_t end = 0;

	if (from >= to || *lkp_word(s, from).p != '(')
		return (struct slice){ 0 };
	for (size_t i = from; i < to; i++) {
		if (!slice_ends(lkp_word(s, i), SLICE(")")))
			continue;
		end = i + 1;
		if (lkp_last_on_line(s, i))
			break;
	}
	if (!end)
		return (struct slice){ 0 };
	lkp_mark(s, from, end);
	struct slice all = lkp_join(s, from, end);
	return without_quotes(slice_of(all.p + 1, all.n - 2));
}

/* Places of the entries for the columns `ids`; l->to for a column that has none. */
static void find_entries(const struct list *l, const struct slice *ids, size_t n, size_t *place)
{
	size_t at = l->from;

	for (size_t k = 0; k < n; k++) {
		place[k] = find_entry(l, ids[k], at);
		if (place[k] < l->to)
			at = place[k] + 1;
	}
}

static void read_commits(struct lkp_scan *s, const struct list *l, const struct slice *ids,
			 size_t n, struct lkp_table *t)
{
	size_t *place = arena_array(s->a, n + 1, sizeof(*place));

	find_entries(l, ids, n, place);
	place[n] = l->to;
	t->commits = arena_array(s->a, n, sizeof(*t->commits));
	for (size_t k = 0; k < n; k++) {
		struct lkp_commit *c = &t->commits[t->ncommits];
		size_t next = k + 1;

		if (place[k] == l->to) {
			c->id = ids[k];
			t->ncommits += c->id.n != 0;
			continue;
		}
		while (next < n && place[next] == l->to)
			next++;
		c->id = lkp_word(s, place[k]);
		c->subject = subject(s, place[k] + 1, place[next]);
		t->ncommits++;
		lkp_mark(s, place[k], place[k] + 1);
	}
}

/* A list that does not name the first column belongs to something else, as in "commit: ID" of a
 * mail. */
static bool list_fits(const struct list *l, struct slice id)
{
	for (size_t i = l->from; i < l->to; i++)
		if (same_commit(lkp_word(l->s, i), id))
			return true;
	return false;
}

enum { COMMITS_MAX = 64 };

void lkp_head_table(struct lkp_scan *s, const struct lkp_head *h, size_t row, struct lkp_table *ret)
{
	struct slice ids[COMMITS_MAX] = { 0 };
	size_t n = h->nids < COMMITS_MAX ? h->nids : COMMITS_MAX;
	struct list l = { s, h->commits, h->nids ? h->ids : h->heads ? h->heads : row, false };

	*ret = (struct lkp_table){ .heading = h->pending, .title = h->title };
	if (h->axes.n && h->values.n && !pair_parameters(s->a, h->axes, h->values, ret))
		lkp_note(s, NOTE_FOREIGN, h->axes_at);
	for (size_t k = 0; k < n; k++)
		ids[k] = lkp_word(s, h->ids + k);
	if (!l.from || l.from > l.to || (n && !list_fits(&l, ids[0])))
		l.from = l.to;
	l.flat = l.from < l.to && s->words[l.from].line == s->words[l.to - 1].line;
	if (!n && l.from < l.to && h->axes.n)
		n = 2; /* no columns are named: a base and a head at least */
	read_commits(s, &l, ids, n, ret);
	lkp_mark(s, l.from ? l.from - 1 : 0, l.from < l.to ? l.from : 0);
}
