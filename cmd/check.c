/* SPDX-License-Identifier: MIT */
/* hugecov check: rules, sources, judgement, output. */
#include "cmd/check.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "cmd/check_judge.h"
#include "cmd/diag.h"
#include "cmd/output.h"

enum { BUDGET_MAX = 16 * 1024 * 1024 };

/* ---- output ---- */

static void render(struct output *o, const struct check *c)
{
	struct json j;

	switch ((enum format)c->o->common.format) {
	case FORMAT_JSON:
		json_start(&j, &o->out);
		check_json(&j, &c->view);
		json_end(&j);
		break;
	case FORMAT_JUNIT:
		check_junit(&o->out, &c->view);
		break;
	case FORMAT_GITHUB:
		check_github(&o->out, &c->view);
		break;
	case FORMAT_MARKDOWN:
		check_markdown(&o->out, &c->view);
		break;
	default:
		check_text(&o->out, &o->style, &c->view);
	}
}

static int show(struct check *c)
{
	struct output output;
	struct err e;

	c->view.time_ns = (int64_t)time(NULL) * 1000000000;
	if (output_open(&output, &c->o->common, &e))
		return diag_print(&e);
	render(&output, c);
	return output_close(&output, &e) ? diag_print(&e) : check_exit(&c->view);
}

/* The sentence of an error with its place, for documents. */
static const char *error_text(struct arena *a, const struct err *e)
{
	if (!e->file[0])
		return arena_str(a, slice_str(e->text));
	if (!e->line)
		return arena_printf(a, "%s: %s", e->file, e->text);
	return arena_printf(a, "%s:%lu:%lu: %s", e->file, e->line, e->column, e->text);
}

/*
 * Nothing can be judged. It is said on standard error; a document that a
 * machine waits for is written all the same, so that its absence is never
 * taken for a pass.
 */
static int stop(struct check *c, const struct err *e)
{
	diag_print(e);
	c->view.error = error_text(&c->arena, e);
	c->view.outcome = OUTCOME_COULD_NOT;
	if (c->o->common.format != FORMAT_TEXT)
		show(c);
	return STATUS_FAILED;
}

/* ---- rules ---- */

static int read_file(struct check *c, const char *path, struct slice *ret, struct err *e)
{
	struct stream *s;

	if (stream_open_path(path, &s, e))
		return -1;
	int status = stream_all(s, BUDGET_MAX, &c->arena, ret, e);
	stream_close(s);
	return status ? err_in(e, path) : 0;
}

static int read_budget(struct check *c, const char *path, struct err *e)
{
	struct slice text;

	if (read_file(c, path, &text, e))
		return -1;
	return budget_read(text, &c->arena, &c->rules, e) ? err_in(e, path) : 0;
}

static int gather_rules(struct check *c, struct err *e)
{
	for (size_t i = 0; i < c->o->require.n; i++) {
		struct rule r;

		if (rule_parse(slice_str(c->o->require.at[i]), &r, e))
			return -1;
		gate_rules_add(&c->rules, r);
	}
	if (c->o->budget)
		return read_budget(c, c->o->budget, e);
	/* Limits of a file that is there are updated; its rules stay. */
	if (!c->rules.n && c->o->update_budget && access(c->o->update_budget, F_OK) == 0)
		return read_budget(c, c->o->update_budget, e);
	return 0;
}

/* ---- sources ---- */

/* Between two samples of a live process: long enough for it to do something. */
enum { SAMPLE_GAP_MS = 200 };

static int sample_sources(struct check_groups *to, struct check *c, size_t i, void *arg,
			  struct err *e)
{
	struct check_read r;

	(void)arg;
	if (i)
		check_pause_ms(SAMPLE_GAP_MS);
	if (check_read(&r, c->call->args, c->call->n_args, c, e))
		return -1;
	int status = check_judge_read(to, c, &r, e);
	check_read_free(&r);
	return status;
}

/* The counters of the interval belong to the end; mappings are judged at both moments. */
static int judge_command(struct check_groups *to, struct check *c, struct check_run *run,
			 struct err *e)
{
	struct check_subject s;
	struct check_group peak;

	if (check_subject(&s, c, &run->end, 0, run->end.load.n, false, e))
		return -1;
	s.interval = &run->interval;
	if (!c->rules.n) {
		check_suggest(c, &s);
		check_subject_free(&s);
		return 0;
	}
	to->at = mem_grow(to->at, &to->cap, 1, sizeof(*to->at));
	check_judge_subject(&s, &to->at[to->n++]);
	check_subject_free(&s);
	if (!run->has_peak)
		return 0;
	if (check_subject(&s, c, &run->peak, 0, run->peak.load.n, false, e))
		return -1;
	s.interval = &run->interval;
	check_judge_subject(&s, &peak);
	check_subject_free(&s);
	check_join_moments(&to->at[0], &peak);
	return 0;
}

static int command_failed(const struct check_command *k, struct err *e)
{
	if (k->status < 0)
		return err_set(e, ERR_SYSTEM, "the command failed: signal %d ended it", k->signal);
	return err_set(e, ERR_SYSTEM, "the command failed: exit status %d", k->status);
}

static int sample_command(struct check_groups *to, struct check *c, size_t i, void *arg,
			  struct err *e)
{
	struct check_command *shown = arg;
	struct check_run run;

	(void)i;
	int status = check_run(&run, c, e);
	*shown = run.command;
	c->view.command = shown;
	if (!status && shown->status != 0)
		status = command_failed(shown, e);
	if (!status && !run.has_end) {
		status = err_set(e, ERR_GONE,
				 "the command ended before its mappings could be read");
		err_hint(e, "It must live for some milliseconds");
	}
	if (!status)
		status = judge_command(to, c, &run, e);
	check_run_free(&run);
	return status;
}

/* ---- options that go together ---- */

static int check_usage(const struct call *call, const struct check_options *o)
{
	if (o->self_test && (call->n_args || call->rest))
		return diag_usage("check", "--self-test reads no source: it judges made-up ones");
	if (o->self_test)
		return 0;
	if (call->n_args && call->rest)
		return diag_usage("check", "a source or a command, not both");
	if (call->rest && !call->rest[0])
		return diag_usage("check", "a command is due behind --");
	if (!call->n_args && !call->rest)
		return diag_usage("check",
				  "what shall be judged? A PID, a file, or -- and a command");
	if (o->update_budget && o->each)
		return diag_usage("check",
				  "--update-budget writes limits for one source, not --each");
	if (call->rest && strcmp(o->common.root, "/") != 0)
		return diag_usage("check", "--root is about what is read; a command runs here");
	if (call->rest && o->each)
		return diag_usage("check", "--each is about several sources, a command is one");
	if (call->rest && o->settle_ms)
		return diag_usage("check", "--settle is about a live process; a command is judged "
					   "at its peak and end");
	return 0;
}

static int needs_a_rule(struct check *c)
{
	if (!c->view.suggestions_n) {
		struct err e;

		err_set(&e, ERR_USAGE,
			"check needs a rule, and nothing here is measured to make one of");
		err_hint(&e, "hugecov check --help says more");
		return stop(c, &e);
	}
	diag_note("check needs a rule. Measured now, rules that would hold:");
	c->view.error = "check needs a rule";
	c->view.outcome = OUTCOME_COULD_NOT;
	return show(c);
}

/* ---- the command ---- */

static int judge_all(struct check *c)
{
	const struct check_options *o = c->o;
	struct check_groups groups = { 0 };
	struct check_command command = { 0 };
	struct err e = { 0 };
	int status;

	if (o->baseline) {
		if (check_read(&c->base, &o->baseline, 1, c, &e))
			return stop(c, &e);
		c->based = true;
	}
	if (judge_filter(&c->filter, &o->common, &e))
		return stop(c, &e);
	if (o->settle_ms)
		check_settle(c);
	status = check_judge_samples(&groups, c, c->call->rest ? sample_command : sample_sources,
				     &command, &e);
	c->view.groups = groups.at;
	c->view.groups_n = status ? 0 : groups.n;
	if (status)
		status = stop(c, &e);
	else if (o->update_budget)
		status = check_update_budget(c, &e) ? stop(c, &e) : STATUS_DONE;
	else if (!c->rules.n)
		status = needs_a_rule(c);
	else {
		c->view.outcome = check_outcome(&c->view);
		status = show(c);
	}
	mem_free(groups.at);
	return status;
}

int cmd_check(const struct call *call)
{
	struct check c = { .call = call, .o = call->options };
	struct err e = { 0 };
	int status = check_usage(call, c.o);

	if (status)
		return status;
	c.view.rules = &c.rules;
	if (gather_rules(&c, &e)) {
		status = stop(&c, &e);
	} else if (c.o->self_test) {
		status = check_self_test(&c, &e) ? stop(&c, &e) : show(&c);
	} else {
		status = judge_all(&c);
	}
	check_read_free(&c.base);
	filter_free(c.filter);
	gate_rules_free(&c.rules);
	arena_free(&c.arena);
	return status;
}
