/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* hugecov watch: what is watched, its moments, and one line a tick. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/shell.h"
#include "cmd/commands.h"
#include "cmd/diag.h"
#include "cmd/watch.h"
#include "parse/sniff.h"
#include "report/tick_text.h"

/* ---- moments ---- */

struct moment *moment_new(struct watching *w)
{
	for (int i = 0; i < MOMENTS; i++) {
		struct moment *x = &w->ring[i];

		if (x != w->now && x != w->before && x != w->shown) {
			moment_drop(x);
			return x;
		}
	}
	return NULL; /* three are in use at most */
}

void moment_drop(struct moment *x)
{
	judged_free(&x->judged);
	snapshot_free(&x->snap);
	load_free(&x->load);
	arena_free(&x->arena);
	*x = (struct moment){ 0 };
}

int moment_take(struct watching *w, struct moment *x, struct err *e)
{
	if (judge(&x->judged, &x->snap, &w->o->common, w->filter, e)) {
		moment_drop(x);
		return -1;
	}
	changes_find(w->now && !w->sample.exec ? &w->now->judged.model : NULL, &x->judged.model,
		     &x->arena, &x->changes);
	w->before = w->now;
	w->now = x;
	w->fresh = true;
	return 0;
}

void watching_note(struct watching *w)
{
	history_add(&w->history, point_of(&w->now->judged.model, &w->sample));
}

void watching_forget(struct watching *w)
{
	w->now = w->before = NULL; /* what is shown stays until the next one is there */
}

static void watching_free(struct watching *w)
{
	for (int i = 0; i < MOMENTS; i++)
		moment_drop(&w->ring[i]);
	rates_free(&w->rates);
	filter_free(w->filter);
	recorder_close(w->recorder);
}

/* ---- words ---- */

void watch_why(const struct watching *w, char *buf, size_t size)
{
	static const char *const words[TARGET_STATES] = {
		[TARGET_RUNS] = "runs",
		[TARGET_ZOMBIE] = "has ended (a zombie)",
		[TARGET_ENDED] = "has ended",
		[TARGET_DENIED] = "may not be read any more",
	};
	char name[64 * 4] = "";
	struct out safe;

	if (w->now) {
		out_memory(&safe);
		out_safe(&safe, w->now->snap.process.comm, true);
		slice_cstr(out_slice(&safe), name, sizeof(name));
		out_close(&safe);
	}
	snprintf(buf, size, "process %lld%s%s%s %s",
		 (long long)(w->replaying && w->now ? w->now->snap.process.pid : w->live.pid),
		 w->now ? " (" : "", name, w->now ? ")" : "", words[w->sample.target]);
}

/* ---- batch: one line a tick ---- */

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

/* What ends the watching between two ticks, so that what was written is whole. */
static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

static void catch_signals(sigset_t *ret_during)
{
	struct sigaction sa = { .sa_handler = on_signal }, old;
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++) {
		sigaction(ending[i], NULL, &old);
		if (old.sa_handler == SIG_IGN) /* nohup */
			continue;
		sigaction(ending[i], &sa, NULL);
		sigaddset(&block, ending[i]);
	}
	sigprocmask(SIG_BLOCK, &block, ret_during);
}

void watch_raise(int sig)
{
	sigset_t set;

	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Until then, or until a signal. */
static void wait_until(int64_t due_ns, const sigset_t *during)
{
	for (;;) {
		int64_t left = due_ns - monotonic_ns();
		struct timespec t = { .tv_sec = left / 1000000000, .tv_nsec = left % 1000000000 };

		if (left <= 0)
			t = (struct timespec){ 0 }; /* a signal that waits already is taken */
		int status = ppoll(NULL, 0, &t, during);

		if (left <= 0 || caught || (status < 0 && errno != EINTR))
			return;
	}
}

int32_t utc_offset(int64_t time_ns)
{
	time_t t = (time_t)(time_ns / 1000000000);
	struct tm tm;

	return time_ns >= 0 && localtime_r(&t, &tm) ? (int32_t)tm.tm_gmtoff : 0;
}

static void write_text(struct output *o, const struct watching *w)
{
	tick_text_line(&o->out, &o->style,
		       &(struct tick_line_view){
			       .m = &w->now->judged.model,
			       .s = &w->sample,
			       .rates = &w->rates,
			       .changes = w->fresh ? &w->now->changes : NULL,
			       .point = history_back(&w->history, 0),
			       .utc_offset_s = utc_offset(w->sample.time_ns),
		       });
}

struct batch {
	struct output output;
	struct tick_lines lines;
	bool json;
	sigset_t during;
	int64_t due_ns;
};

static void write_tick(struct batch *b, struct watching *w)
{
	if (b->json)
		out_put(&b->output.out, tick_line(&b->lines, w));
	else
		write_text(&b->output, w);
	out_flush(&b->output.out);
	recorder_tick(w->recorder, w);
}

static enum tick next_tick(struct watching *w, struct batch *b, struct err *e)
{
	w->want_all =
		(b->json && tick_full_due(&b->lines, w)) || recorder_wants_full(w->recorder, w);
	return w->replaying ? replay_next(w, e) : live_tick(w, e);
}

static bool enough(const struct watching *w, const struct batch *b)
{
	return caught || b->output.out.error || (w->o->iterations && w->ticks >= w->o->iterations);
}

static enum tick run_batch(struct watching *w, struct batch *b, struct err *e)
{
	enum tick t;

	b->due_ns = monotonic_ns();
	while ((t = next_tick(w, b, e)) == TICK_MADE) {
		write_tick(b, w);
		if (enough(w, b))
			break;
		if (w->replaying)
			continue;
		int64_t now = monotonic_ns();
		do /* ticks that were missed are not made up for */
			b->due_ns += w->sample.interval_ns;
		while (b->due_ns <= now);
		wait_until(b->due_ns, &b->during);
		if (caught)
			break;
	}
	if (t == TICK_END && !w->replaying && w->now)
		write_tick(b, w);
	return t;
}

/* The last state was shown; what is left is to say why no more comes. */
static int say_end(struct watching *w, enum tick t, struct err *e)
{
	char why[400];

	if (w->recorder && recorder_stopped(w->recorder))
		diag_note("%s", recorder_stopped(w->recorder));
	if (t == TICK_FAILED)
		return diag_print(e);
	if (t == TICK_END && !w->replaying) {
		watch_why(w, why, sizeof(why));
		diag_note("%s%s", why, w->now ? "; its last state is shown" : "");
		return STATUS_ENDED;
	}
	if (w->replaying && w->replay.cut)
		diag_note("the last line of the recording is cut, and left out");
	return w->recorder && recorder_failed(w->recorder) ? STATUS_FAILED : STATUS_DONE;
}

/* Lines or NDJSON on the output. Returns the exit status. */
static int watch_batch(struct watching *w)
{
	struct batch b = { .json = w->o->common.format == FORMAT_JSON };
	struct err e = { 0 };

	catch_signals(&b.during);
	if (output_open(&b.output, &w->o->common, &e))
		return diag_print(&e);
	if (!b.json)
		tick_text_header(&b.output.out, &b.output.style);
	enum tick t = run_batch(w, &b, &e);
	tick_lines_free(&b.lines);
	w->ended_by = caught;
	if (!w->now) { /* not even a header is written for what cannot be read */
		output_drop(&b.output);
		return t == TICK_FAILED ? diag_print(&e) : say_end(w, t, &e);
	}
	struct err disk;
	if (output_close(&b.output, &disk))
		return diag_print(&disk);
	return say_end(w, t, &e);
}

/* ---- the argument ---- */

/* "before.txt is a saved smaps file. watch takes …" */
static int not_watched(const char *path, const char *what, struct err *e)
{
	char word[200];

	err_set(e, ERR_USAGE, "%s is %s. watch takes a PID or a recording made\nwith --record. "
			      "To look at it: hugecov report %s", path, what,
		shell_quote(path, word, sizeof(word)));
	return -1;
}

static int refuse_file(const char *path, struct err *e)
{
	static const char *const kinds[KIND_COUNT] = {
		[KIND_SMAPS] = "a saved smaps file",
		[KIND_ROLLUP] = "a saved smaps_rollup file",
		[KIND_MEMINFO] = "a saved meminfo file",
		[KIND_VMSTAT] = "a saved vmstat file",
		[KIND_NODE_MEMINFO] = "a saved meminfo file",
		[KIND_NODE_VMSTAT] = "a saved vmstat file",
		[KIND_PERF] = "output of perf stat",
		[KIND_LKP] = "a kernel test robot table",
		[KIND_LAT] = "a memory latency table",
		[KIND_REPORT] = "a saved report",
	};
	struct stream *in;
	struct slice head;
	struct err ignored;

	if (stream_open_path(path, &in, e))
		return -1;
	int status = stream_next(in, &head, e);
	enum source_kind kind = status ? KIND_UNKNOWN : sniff(head, &ignored);
	stream_close(in);
	if (status)
		return err_in(e, path);
	if (kinds[kind])
		return not_watched(path, kinds[kind], e);
	err_set(e, ERR_USAGE, "%s is no recording made with --record", path);
	return err_hint(e, "watch takes a PID or a recording");
}

static int start_replay(struct watching *w, struct err *e)
{
	w->replaying = true;
	if (!replay_start(w, e))
		return 0;
	/* Something else: in words what it is, if that can be told. */
	return e->kind == ERR_KIND ? refuse_file(w->argument, e) : -1;
}

static int start(struct watching *w, struct err *e)
{
	enum source_form form;
	int64_t pid;

	if (source_form(w->argument, &form, &pid, e))
		return -1;
	switch (form) {
	case FORM_PID:
		return live_start(w, pid, e);
	case FORM_SELF:
		return live_start(w, PID_SELF, e);
	case FORM_FILE:
		return start_replay(w, e);
	case FORM_DIRECTORY:
		return not_watched(w->argument, "a directory", e);
	case FORM_ARCHIVE:
		return not_watched(w->argument, "a saved snapshot", e);
	default:
		err_set(e, ERR_USAGE,
			"watch reads no standard input: it takes a PID or a recording");
		return -1;
	}
}

static int check_options(const struct watch_options *o, const struct watching *w)
{
	if (o->max_cpu <= 0)
		return diag_usage("watch",
				  "--max-cpu must be above 0: without looking nothing is seen");
	if (o->record_limit_kb && !o->record)
		return diag_usage("watch", "--record-limit goes with --record");
	if (o->record && w->replaying)
		return diag_usage("watch",
				  "--record keeps a live target; %s is a recording already",
				  w->argument);
	return 0;
}

static int watch(struct watching *w)
{
	const struct common_options *c = &w->o->common;
	bool screen = !w->o->batch && c->format == FORMAT_TEXT && !c->output;
	int status = STATUS_DONE;

	if (screen)
		status = watch_screen(w, &screen);
	return screen ? status : watch_batch(w);
}

int cmd_watch(const struct call *call)
{
	const struct watch_options *o = call->options;
	struct watching *w;
	struct err e = { 0 };
	int status;

	if (call->n_args == 0)
		return diag_usage("watch", "what shall be watched? A PID, or a recording");
	w = mem_zalloc(sizeof(*w));
	w->o = o;
	w->argument = call->args[0];
	w->sample.interval_ns = (int64_t)o->interval_ms * 1000000;
	if (judge_filter(&w->filter, &o->common, &e) || start(w, &e))
		status = diag_print(&e);
	else if (!(status = check_options(o, w)))
		status = o->record && recorder_open(&w->recorder, o->record, o->record_limit_kb, &e)
				 ? diag_print(&e)
				 : watch(w);
	live_end(w);
	replay_end(w);
	watching_free(w);
	int sig = w->ended_by;
	mem_free(w);
	if (sig)
		watch_raise(sig);
	return status;
}
