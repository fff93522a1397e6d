/* SPDX-License-Identifier: MIT */
/* A check for people: the sum, then a line a rule, what is to blame below it. */
#define _GNU_SOURCE
#include <string.h>

#include "base/utf8.h"
#include "report/check_view.h"

enum {
	MARK_WIDTH = 6,
	RULE_WIDTH = 26,
	GAP = 2,
	BLAME_INDENT = 8,
	COST_WIDTH = 9,
	NAME_WIDTH = 30,
	NARROW = 60,
	NOT_MEASURED = 22
};

static const struct {
	const char *word;
	enum role role;
} marks[] = {
	[MARK_PASS] = { "pass", ROLE_GOOD },
	[MARK_FAIL] = { "FAIL", ROLE_BAD },
	[MARK_WARN] = { "warn", ROLE_MEDIUM },
	[MARK_COULD_NOT] = { "????", ROLE_BAD },
};

/* Words of `text` from column `at` on, wrapped; later lines begin behind `indent` blanks. */
static void put_wrapped(struct out *o, const struct text_style *st, struct slice text, int indent,
			int at)
{
	bool first = true;

	for (struct cut w = slice_cut_word(text); w.head.n;
	     w = slice_cut_word(w.tail), first = false) {
		int n = utf8_columns(w.head);

		if (!first && at + 1 + n > st->width) {
			out_byte(o, '\n');
			out_pad(o, ' ', indent);
			at = indent;
		} else if (!first) {
			out_byte(o, ' ');
			at++;
		}
		out_put(o, w.head);
		at += n;
	}
	out_byte(o, '\n');
}

static void put_safe_wrapped(struct out *o, const struct text_style *st, const char *text,
			     int indent, int at)
{
	struct out safe;

	out_memory(&safe);
	out_safe(&safe, slice_str(text), st->ascii);
	put_wrapped(o, st, out_slice(&safe), indent, at);
	out_close(&safe);
}

/* ---- what is to blame ---- */

static void put_one_blame(struct out *o, const struct text_style *st, const struct check_blame *b)
{
	char size[STYLE_BUF];
	struct out words;

	out_pad(o, ' ', BLAME_INDENT);
	style_right(o, b->lost_known ? style_size(size, st, b->lost_kb) : "-", COST_WIDTH);
	out_str(o, "  ");
	out_memory(&words);
	if (b->has_start)
		out_printf(&words, "%012llx ", (unsigned long long)b->start);
	if (b->name.n)
		out_path_cut(&words, b->name, NAME_WIDTH, st->ascii);
	out_printf(&words, " %s: ", finding_rules[b->id].id);
	out_safe(&words, b->advice.n ? b->advice : b->message, st->ascii);
	put_wrapped(o, st, out_slice(&words), st->width < NARROW ? BLAME_INDENT + 4 : BLAME_INDENT + COST_WIDTH + 4,
		    BLAME_INDENT + COST_WIDTH + 2);
	out_close(&words);
}

static void put_blame(struct out *o, const struct text_style *st, const struct check_result *r)
{
	for (size_t i = 0; i < r->blame_n; i++)
		put_one_blame(o, st, &r->blame[i]);
	if (r->blame_more)
		out_printf(o, "%*s%zu more: hugecov report\n", BLAME_INDENT, "", r->blame_more);
}

/* ---- columns, as wide as what stands in them ---- */

struct columns {
	int rule; /* with its gap; 0: there is no room for one, values stand below */
	int value, distance, nature; /* the first two with their gaps */
};

static int columns_of(const struct out *text)
{
	return utf8_columns(out_slice(text));
}

static int rule_columns(const struct text_style *st, const struct rule *r)
{
	struct out text;

	out_memory(&text);
	check_put_rule(&text, st, r);
	int n = columns_of(&text);
	out_close(&text);
	return n;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* The widest of what stands behind the rules. */
static void widen(struct columns *c, const struct text_style *st, const struct check_result *r)
{
	struct out text;

	c->nature = larger(c->nature, (int)strlen(nature_names[r->g->rule.nature]) + 2);
	if (!r->value.known)
		return;
	out_memory(&text);
	out_str(&text, "is ");
	check_put_measured(&text, st, r);
	c->value = larger(c->value, columns_of(&text) + GAP);
	out_reset(&text);
	check_put_distance(&text, st, r);
	if (text.n)
		c->distance = larger(c->distance, columns_of(&text) + GAP);
	out_close(&text);
}

/* The widest rule beside which all of the others find room; a wider one has its values below. */
static void widen_rule(struct columns *c, const struct text_style *st, int rule)
{
	if (rule > c->rule && MARK_WIDTH + rule + c->value + c->distance + c->nature <= st->width)
		c->rule = rule;
}

static struct columns columns_for(const struct text_style *st, const struct check_view *v)
{
	struct columns c = { 0 };

	for (size_t i = 0; i < v->groups_n; i++)
		for (size_t k = 0; k < v->groups[i].n; k++)
			widen(&c, st, &v->groups[i].results[k]);
	widen_rule(&c, st, RULE_WIDTH);
	for (size_t i = 0; i < v->groups_n; i++)
		for (size_t k = 0; k < v->groups[i].n; k++)
			for (int gap = 1; gap <= GAP; gap++)
				widen_rule(&c, st, rule_columns(st, &v->groups[i].results[k].g->rule) + gap);
	return c;
}

/* ---- a rule ---- */

static void put_moments(struct out *o, const struct text_style *st, const struct check_result *r)
{
	if (r->moments_n < 2)
		return;
	out_pad(o, ' ', BLAME_INDENT);
	for (size_t i = 0; i < r->moments_n; i++) {
		out_printf(o, "%sat the %s ", i ? ", " : "", r->moments[i].name);
		check_put_value(o, st, &r->moments[i].value);
	}
	out_byte(o, '\n');
}

static void put_spread(struct out *o, const struct text_style *st, const struct check_result *r)
{
	struct measure low, high;

	if (!r->sampled)
		return;
	low = measure_double(r->value.unit, r->spread.min);
	high = measure_double(r->value.unit, r->spread.max);
	out_printf(o, "%*smedian of %zu, from ", BLAME_INDENT, "", r->spread.n);
	check_put_value(o, st, &low);
	out_str(o, " to ");
	check_put_value(o, st, &high);
	out_byte(o, '\n');
}

static void put_lines(struct out *o, const struct text_style *st, const char *text)
{
	for (struct cut c = { .tail = slice_str(text), .ok = true }; c.ok && c.tail.n;) {
		c = slice_cut_line(c.tail);
		out_pad(o, ' ', BLAME_INDENT);
		out_safe(o, c.head, st->ascii);
		out_byte(o, '\n');
	}
}

static void put_about(struct out *o, const struct text_style *st, const struct check_result *r)
{
	struct out s;

	out_memory(&s);
	if (!slice_eq(r->g->name, r->g->rule.text)) {
		out_str(&s, "rule ");
		out_put(&s, r->g->name);
	}
	if (selector_of_mappings(&r->g->select) || r->g->select.table.n) {
		out_str(&s, s.n ? ": " : "");
		check_put_selector(&s, &r->g->select);
		if (r->value.mappings)
			out_printf(&s, " (%zu mapping%s)", r->value.mappings,
				   r->value.mappings == 1 ? "" : "s");
	}
	if (s.n)
		put_lines(o, st, check_cstr(&s));
	out_close(&s);
}

/* "is 66.7 %     short by 23.3 points  [delivery]", from column `at` on. */
static void put_known(struct out *o, const struct text_style *st, const struct check_result *r,
		      const struct columns *c, int at)
{
	const char *nature = nature_names[r->g->rule.nature];
	int end = at + c->value + c->distance;
	struct out line;

	out_memory(&line);
	out_str(&line, "is ");
	check_put_measured(&line, st, r);
	out_pad(&line, ' ', c->value - columns_of(&line));
	check_put_distance(&line, st, r);
	if (end + (int)strlen(nature) + 2 <= st->width) {
		out_pad(&line, ' ', end - at - columns_of(&line));
	} else {
		line.n = slice_rtrim(out_slice(&line)).n;
		out_byte(&line, '\n');
		out_pad(&line, ' ', at);
	}
	out_printf(&line, "[%s]\n", nature);
	out_put(o, out_slice(&line));
	out_close(&line);
}

/* On one line where it fits. */
static void put_unknown(struct out *o, const struct text_style *st, const struct check_result *r, int at)
{
	static const char text[] = "could not be measured:";
	const char *why = r->why ? r->why : "nothing says it";
	struct out safe;

	out_memory(&safe);
	out_safe(&safe, slice_str(why), st->ascii);
	out_str(o, text);
	if (at + (int)sizeof(text) + columns_of(&safe) <= st->width) {
		out_byte(o, ' ');
		out_put(o, out_slice(&safe));
		out_byte(o, '\n');
	} else {
		out_byte(o, '\n');
		out_pad(o, ' ', BLAME_INDENT);
		put_wrapped(o, st, out_slice(&safe), BLAME_INDENT, BLAME_INDENT);
	}
	out_close(&safe);
}

/* Returns the column behind it, where the values begin. */
static int put_rule(struct out *o, const struct text_style *st, const struct check_result *r,
		    const struct columns *c)
{
	enum check_mark m = check_mark(r);
	int at = c->rule ? MARK_WIDTH + c->rule : BLAME_INDENT;
	struct out rule;

	out_memory(&rule);
	check_put_rule(&rule, st, &r->g->rule);
	int end = MARK_WIDTH + columns_of(&rule);
	style_text(o, st, marks[m].role, marks[m].word);
	out_str(o, "  ");
	out_put(o, out_slice(&rule));
	out_close(&rule);
	bool room = r->value.known || at + NOT_MEASURED <= st->width;

	if (end >= at || !room) {
		out_byte(o, '\n');
		end = 0;
		at = r->value.known ? at : BLAME_INDENT; /* a sentence needs the line */
	}
	out_pad(o, ' ', at - end);
	return at;
}

static void put_result(struct out *o, const struct text_style *st, const struct check_result *r,
		       const struct columns *c)
{
	int at = put_rule(o, st, r, c);

	if (r->value.known) {
		put_known(o, st, r, c, at);
		if (r->why)
			put_lines(o, st, r->why);
	} else {
		put_unknown(o, st, r, at);
	}
	put_about(o, st, r);
	put_moments(o, st, r);
	put_spread(o, st, r);
	if (r->detail)
		put_lines(o, st, r->detail);
	put_blame(o, st, r);
}

/* ---- the whole ---- */

/* The sum goes to a line of its own where the names are long. */
static void put_title(struct out *o, const struct text_style *st, const struct check_group *g)
{
	struct out safe, sum;

	out_memory(&safe);
	out_memory(&sum);
	out_safe(&safe, slice_str(g->title), st->ascii);
	check_put_summary(&sum, g);
	style_on(o, st, ROLE_TITLE);
	if (columns_of(&safe) + 2 + columns_of(&sum) <= st->width) {
		out_put(o, out_slice(&safe));
		style_off(o, st, ROLE_TITLE);
		out_str(o, ": ");
		out_put(o, out_slice(&sum));
		out_byte(o, '\n');
	} else {
		put_wrapped(o, st, out_slice(&safe), 0, 0);
		style_off(o, st, ROLE_TITLE);
		put_wrapped(o, st, out_slice(&sum), 0, 0);
	}
	out_byte(o, '\n');
	out_close(&safe);
	out_close(&sum);
}

static void put_group(struct out *o, const struct text_style *st, const struct check_group *g,
		      const struct columns *c)
{
	put_title(o, st, g);
	for (size_t i = 0; i < g->n; i++)
		put_result(o, st, &g->results[i], c);
	for (size_t i = 0; i < g->notes_n; i++) {
		out_str(o, "note  ");
		put_safe_wrapped(o, st, g->notes[i], 6, 6);
	}
	out_byte(o, '\n');
}

static bool any_may_vary(const struct check_view *v)
{
	for (size_t i = 0; i < v->groups_n; i++)
		for (size_t k = 0; k < v->groups[i].n; k++)
			if (check_may_vary(&v->groups[i].results[k]))
				return true;
	return false;
}

static void put_command(struct out *o, const struct text_style *st, const struct check_command *c)
{
	out_str(o, "command ");
	out_path_cut(o, slice_str(c->argv[0]), 40, st->ascii);
	if (!c->ran) {
		out_str(o, ": did not run\n");
	} else if (c->status < 0) {
		out_printf(o, ": ended by signal %d (%s) after %.1f s\n", c->signal,
			   strsignal(c->signal), c->seconds);
	} else {
		out_printf(o, ": exit status %d after %.1f s, looked at ", c->status, c->seconds);
		if (c->samples == 1)
			out_str(o, "once\n");
		else
			out_printf(o, "%zu times\n", c->samples);
	}
}

static void put_suggestion(struct out *o, const struct text_style *st, const struct check_suggestion *s, int width)
{
	int n = (int)strlen(s->rule);

	out_printf(o, "  --require '%s'", s->rule);
	if (13 + width + 3 + (int)strlen(s->says) <= st->width)
		out_pad(o, ' ', width - n + 1);
	else
		out_str(o, "\n      ");
	out_printf(o, "# %s\n", s->says);
}

static void put_suggestions(struct out *o, const struct text_style *st, const struct check_view *v)
{
	int width = RULE_WIDTH;

	for (size_t i = 0; i < v->suggestions_n; i++)
		width = larger(width, (int)strlen(v->suggestions[i].rule));
	for (size_t i = 0; i < v->suggestions_n; i++)
		put_suggestion(o, st, &v->suggestions[i], width);
	if (!v->suggestions_n)
		return;
	struct out line;

	out_memory(&line);
	out_str(&line, "hugecov check --update-budget hugecov.json ");
	out_safe(&line, slice_str(v->update_with), st->ascii);
	out_str(o, "or write them to a file:");
	out_str(o, 26 + columns_of(&line) <= st->width ? "  " : "\n  ");
	out_put(o, out_slice(&line));
	out_byte(o, '\n');
	out_close(&line);
}

static void say_trial(struct out *o, const struct text_style *st, const struct check_trial *t)
{
	bool good = t->can_pass && t->can_fail;

	if (t->why)
		out_safe(o, slice_str(t->why), st->ascii);
	else if (!good)
		out_str(o, t->can_pass ? "can never fail" : "can never pass");
	if (t->pass.known) {
		out_str(o, t->why || !good ? ": passes at " : "passes at ");
		check_put_value(o, st, &t->pass);
	}
	if (t->fail.known) {
		out_str(o, t->pass.known   ? ", fails at " :
			   t->why || !good ? ": fails at " :
					     "fails at ");
		check_put_value(o, st, &t->fail);
	}
}

static void put_trial(struct out *o, const struct text_style *st, const struct check_trial *t, int width)
{
	bool good = t->can_pass && t->can_fail;
	struct out text;

	out_memory(&text);
	check_put_rule(&text, st, &t->g->rule);
	int end = MARK_WIDTH + columns_of(&text);
	style_text(o, st, good ? ROLE_GOOD : ROLE_BAD, good ? "good  " : "BAD   ");
	out_put(o, out_slice(&text));
	out_reset(&text);
	say_trial(&text, st, t);
	if (MARK_WIDTH + width + columns_of(&text) <= st->width) {
		out_pad(o, ' ', MARK_WIDTH + width - end);
		put_wrapped(o, st, out_slice(&text), MARK_WIDTH + width, MARK_WIDTH + width);
	} else {
		out_byte(o, '\n');
		out_pad(o, ' ', BLAME_INDENT);
		put_wrapped(o, st, out_slice(&text), BLAME_INDENT, BLAME_INDENT);
	}
	out_close(&text);
}

static void put_trials(struct out *o, const struct text_style *st, const struct check_view *v)
{
	size_t bad = 0;
	int width = RULE_WIDTH;

	for (size_t i = 0; i < v->trials_n; i++)
		width = larger(width, rule_columns(st, &v->trials[i].g->rule) + 1);
	for (size_t i = 0; i < v->trials_n; i++)
		bad += !v->trials[i].can_pass || !v->trials[i].can_fail;
	out_printf(o, "self-test: %zu rule%s, ", v->trials_n, v->trials_n == 1 ? "" : "s");
	if (bad)
		out_printf(o, "%zu prove%s nothing\n\n", bad, bad == 1 ? "s" : "");
	else
		out_str(o, "each can fail and can pass\n\n");
	for (size_t i = 0; i < v->trials_n; i++)
		put_trial(o, st, &v->trials[i], width);
	out_byte(o, '\n');
}

void check_text(struct out *o, const struct text_style *st, const struct check_view *v)
{
	struct columns c = columns_for(st, v);

	if (v->trials_n)
		put_trials(o, st, v);
	for (size_t i = 0; i < v->groups_n; i++)
		put_group(o, st, &v->groups[i], &c);
	if (v->command)
		put_command(o, st, v->command);
	put_suggestions(o, st, v);
	if (any_may_vary(v))
		put_wrapped(o, st,
			    SLICE("Rules of nature [delivery] and [placement] may change from run "
				  "to run of one program; [layout] does not."),
			    0, 0);
}
