/* SPDX-License-Identifier: MIT */
/*
 * A check as GitHub workflow commands, one a line. Every line starts with a
 * command of ours, and what strangers named is escaped twice: made safe, then
 * %, CR and LF (in properties also : and ,) as the runner decodes them. So no
 * name can end a command and begin another.
 */
#include "report/check_view.h"

static const struct text_style plain = { .width = 80 };

static void put_escaped(struct out *o, struct slice text, bool property)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
			out_printf(o, "%%%02X", c);
		else
			out_byte(o, (char)c);
	}
}

static void put_command(struct out *o, const char *command, struct slice title,
			struct slice message)
{
	out_printf(o, "::%s title=", command);
	put_escaped(o, title, true);
	out_str(o, "::");
	put_escaped(o, message, false);
	out_byte(o, '\n');
}

/* Text of ours and of strangers, line by line made safe. */
static void put_safe_lines(struct out *o, struct slice text)
{
	for (struct cut c = { .tail = text, .ok = true }; c.ok && c.tail.n;) {
		c = slice_cut_line(c.tail);
		out_safe(o, c.head, false);
		if (c.ok && c.tail.n)
			out_byte(o, '\n');
	}
}

static void put_blame(struct out *o, const struct check_result *r)
{
	for (size_t i = 0; i < r->blame_n; i++) {
		const struct check_blame *b = &r->blame[i];

		out_byte(o, '\n');
		check_put_place(o, b);
		out_safe(o, b->name, false);
		out_printf(o, " %s: ", finding_rules[b->id].id);
		out_safe(o, b->advice.n ? b->advice : b->message, false);
	}
	if (r->blame_more)
		out_printf(o, "\n%zu more", r->blame_more);
}

static void put_title(struct out *o, const struct gate_rule *g)
{
	out_str(o, "hugecov ");
	out_safe(o, g->name, false);
}

static void put_result(struct out *o, const struct check_group *g, const struct check_result *r)
{
	static const char *const commands[] = {
		[MARK_PASS] = "notice",
		[MARK_FAIL] = "error",
		[MARK_WARN] = "warning",
		[MARK_COULD_NOT] = "error",
	};
	struct out title, message;

	out_memory(&title);
	out_memory(&message);
	put_title(&title, r->g);
	put_safe_lines(&message, slice_str(g->title));
	out_str(&message, ": ");
	check_put_rule(&message, &plain, &r->g->rule);
	out_byte(&message, ' ');
	check_put_sentence(&message, &plain, r);
	out_printf(&message, " [%s%s], %s", nature_names[r->g->rule.nature],
		   check_may_vary(r) ? ": may change from run to run" : "",
		   outcome_names[r->outcome]);
	put_blame(&message, r);
	put_command(o, commands[check_mark(r)], out_slice(&title), out_slice(&message));
	out_close(&title);
	out_close(&message);
}

static void put_sum(struct out *o, const struct check_group *g)
{
	struct out message;

	out_memory(&message);
	put_safe_lines(&message, slice_str(g->title));
	out_str(&message, ": ");
	check_put_summary(&message, g);
	put_command(o, "notice", SLICE("hugecov check"), out_slice(&message));
	out_close(&message);
}

static void put_text(struct out *o, const char *command, const char *title, const char *text)
{
	struct out message;

	out_memory(&message);
	put_safe_lines(&message, slice_str(text));
	put_command(o, command, slice_str(title), out_slice(&message));
	out_close(&message);
}

static void put_trial(struct out *o, const struct check_trial *t)
{
	bool good = t->can_pass && t->can_fail;
	struct out title;

	out_memory(&title);
	put_title(&title, t->g);
	put_text(o, good ? "notice" : "error", check_cstr(&title),
		 good	       ? "self-test: can fail and can pass" :
		 t->why	       ? t->why :
		 t->can_pass ? "self-test: can never fail" :
			       "self-test: can never pass");
	out_close(&title);
}

void check_github(struct out *o, const struct check_view *v)
{
	if (v->error)
		put_text(o, "error", "hugecov check could not judge", v->error);
	for (size_t i = 0; i < v->trials_n; i++)
		put_trial(o, &v->trials[i]);
	for (size_t i = 0; i < v->groups_n; i++) {
		put_sum(o, &v->groups[i]);
		for (size_t k = 0; k < v->groups[i].n; k++)
			put_result(o, &v->groups[i], &v->groups[i].results[k]);
		for (size_t k = 0; k < v->groups[i].notes_n; k++)
			put_text(o, "notice", "hugecov note", v->groups[i].notes[k]);
	}
	for (size_t i = 0; i < v->suggestions_n; i++)
		put_text(o, "notice", "a rule that holds now", v->suggestions[i].rule);
}
