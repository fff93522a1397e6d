/* SPDX-License-Identifier: MIT */
/*
 * A check as a Markdown table, for a job summary or a comment. What strangers
 * named stands in <code> with every letter that Markdown, HTML or a forge may
 * read (| * _ ` [ < @ # ...) as a numeric entity: it ends no cell, makes no
 * link and mentions nobody.
 */
#include "base/utf8.h"
#include "report/check_view.h"

static const struct text_style plain = { .width = 80 };

static void put_entities(struct out *o, struct slice text)
{
	for (struct slice s = text; s.n;) {
		struct slice rest = s;
		int32_t c = utf8_take(&rest);
		bool as_is = c >= 0x80 || c == ' ' || c == '.' || c == ',' || c == '/' ||
			     c == '%' || c == '=' || c == '-' ||
			     (c > 0 && (is_alpha((char)c) || is_digit((char)c)));

		if (as_is)
			out_put(o, slice_first(s, s.n - rest.n));
		else
			out_printf(o, "&#%d;", c < 0 ? 0xfffd : (int)c);
		s = rest;
	}
}

/* Line ends become <br>: a row is one line. */
static void put_cell_text(struct out *o, struct slice text)
{
	for (struct cut c = { .tail = text, .ok = true }; c.ok;) {
		struct out safe;

		c = slice_cut_line(c.tail);
		out_memory(&safe);
		out_safe(&safe, c.head, false);
		put_entities(o, out_slice(&safe));
		out_close(&safe);
		if (c.ok)
			out_str(o, "<br>");
	}
}

static void put_code(struct out *o, struct slice text)
{
	out_str(o, "<code>");
	put_cell_text(o, text);
	out_str(o, "</code>");
}

static void put_rule(struct out *o, const struct gate_rule *g)
{
	struct out rule;

	out_memory(&rule);
	check_put_rule(&rule, &plain, &g->rule);
	put_code(o, out_slice(&rule));
	if (!slice_eq(g->name, g->rule.text)) {
		out_str(o, "<br>");
		put_code(o, g->name);
	}
	if (selector_of_mappings(&g->select) || g->select.table.n) {
		out_reset(&rule);
		check_put_selector(&rule, &g->select);
		out_str(o, "<br>");
		put_code(o, out_slice(&rule));
	}
	out_close(&rule);
}

static void put_blame(struct out *o, const struct check_result *r)
{
	for (size_t i = 0; i < r->blame_n; i++) {
		const struct check_blame *b = &r->blame[i];

		out_str(o, i ? "<br>" : "");
		check_put_place(o, b);
		if (b->name.n)
			put_code(o, b->name);
		out_printf(o, " %s&#58; ", finding_rules[b->id].id);
		put_cell_text(o, b->advice.n ? b->advice : b->message);
	}
	if (r->blame_more)
		out_printf(o, "<br>%zu more", r->blame_more);
	if (!r->blame_n && r->detail)
		put_code(o, slice_str(r->detail));
}

static void put_result(struct out *o, const struct check_result *r)
{
	static const char *const words[] = {
		[MARK_PASS] = "pass",
		[MARK_FAIL] = "**FAIL**",
		[MARK_WARN] = "warn",
		[MARK_COULD_NOT] = "**could not**",
	};
	struct out cell;

	out_printf(o, "| %s | ", words[check_mark(r)]);
	put_rule(o, r->g);
	out_str(o, " | ");
	out_memory(&cell);
	if (r->value.known)
		check_put_measured(&cell, &plain, r);
	else
		out_str(&cell, r->why ? r->why : "nothing says it");
	put_cell_text(o, out_slice(&cell));
	out_reset(&cell);
	check_put_distance(&cell, &plain, r);
	out_str(o, " | ");
	put_cell_text(o, out_slice(&cell));
	out_close(&cell);
	if (r->value.known && r->why) {
		out_str(o, "<br>");
		put_cell_text(o, slice_str(r->why));
	}
	out_printf(o, " | %s%s | ", nature_names[r->g->rule.nature],
		   check_may_vary(r) ? " &#42;" : "");
	put_blame(o, r);
	out_str(o, " |\n");
}

static bool varies(const struct check_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (check_may_vary(&g->results[i]))
			return true;
	return false;
}

static void put_group(struct out *o, const struct check_group *g)
{
	struct out sum;

	out_str(o, "**");
	put_code(o, slice_str(g->title));
	out_str(o, "**: ");
	out_memory(&sum);
	check_put_summary(&sum, g);
	put_cell_text(o, out_slice(&sum));
	out_close(&sum);
	out_str(o, "\n\n");
	if (g->n)
		out_str(o, "| verdict | rule | value | distance | nature | to blame |\n"
			   "|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < g->n; i++)
		put_result(o, &g->results[i]);
	out_byte(o, '\n');
	if (varies(g))
		out_str(o, "&#42; may change from run to run of one program.\n\n");
	for (size_t i = 0; i < g->notes_n; i++) {
		put_cell_text(o, slice_str(g->notes[i]));
		out_str(o, "\n\n");
	}
}

static void put_trials(struct out *o, const struct check_view *v)
{
	out_str(o, "| self-test | rule | passes at | fails at |\n|---|---|---|---|\n");
	for (size_t i = 0; i < v->trials_n; i++) {
		const struct check_trial *t = &v->trials[i];

		out_printf(o, "| %s | ",
			   t->can_pass && t->can_fail ? "good" : "**proves nothing**");
		put_rule(o, t->g);
		if (t->why) {
			out_str(o, "<br>");
			put_cell_text(o, slice_str(t->why));
		}
		out_str(o, " | ");
		check_put_value(o, &plain, &t->pass);
		out_str(o, " | ");
		check_put_value(o, &plain, &t->fail);
		out_str(o, " |\n");
	}
	out_byte(o, '\n');
}

void check_markdown(struct out *o, const struct check_view *v)
{
	static const char *const heads[OUTCOMES] = { "all rules hold", "a rule is broken",
						     "could not judge" };

	out_printf(o, "### hugecov check: %s\n\n",
		   v->trials_n ? v->outcome ? "a rule proves nothing" :
					      "each rule can fail and can pass" :
				 heads[v->outcome]);
	if (v->error) {
		put_cell_text(o, slice_str(v->error));
		out_str(o, "\n\n");
	}
	if (v->trials_n)
		put_trials(o, v);
	for (size_t i = 0; i < v->groups_n; i++)
		put_group(o, &v->groups[i]);
	for (size_t i = 0; i < v->suggestions_n; i++) {
		out_str(o, "- ");
		put_code(o, slice_str(v->suggestions[i].rule));
		out_byte(o, '\n');
	}
}
