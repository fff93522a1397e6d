/* SPDX-License-Identifier: MIT */
/* Processes below a root, live, of a snapshot or an archive, and the files of a flat directory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/rfc3339.h"
#include "cmd/load_internal.h"
#include "parse/sniff.h"

/* ---- a process ---- */

static int feed_process(struct snapshot *s, struct stream *in, const struct common_options *c, struct err *e)
{
	struct smaps_reader *r =
		smaps_reader_new(&s->smaps, (struct smaps_options){ .strict = c->strict, .live = true });
	int status = load_feed(r, in, e);

	/* What was read until the process ended is kept for --allow-partial. */
	if (!status || e->kind == ERR_GONE) {
		struct err ignored;
		int end = smaps_finish(r, status ? &ignored : e);

		status = status ? status : end;
	}
	smaps_reader_free(r);
	return status;
}

enum { TORN_RETRIES = 3 };

/* Reads until it is not torn, up to three times more: the target maps and unmaps meanwhile. */
static int read_mappings(struct snapshot *s, struct tree *t, const char *path, const struct common_options *c,
			 struct load_options o, struct err *e)
{
	for (int tries = o.once ? TORN_RETRIES : 0;; tries++) {
		struct stream *in;
		enum got got = stream_open(t, path, tree_is_live(t) ? SMAPS_PIECE : 0, &in, e);

		if (got != GOT_ALL) {
			if (s->process.pid >= 0)
				process_explain(t, s->process.pid, got, strrchr(path, '/') + 1, e);
			return -1;
		}
		int status = feed_process(s, in, c, e);
		stream_close(in);
		if (status) {
			err_in(e, path);
			return -1;
		}
		if (!s->smaps.notes[NOTE_TORN] || !tree_is_live(t) || tries == TORN_RETRIES)
			break;
		smaps_free(&s->smaps);
	}
	memcpy(s->source.notes, s->smaps.notes, sizeof(s->source.notes));
	s->source.complete &= s->smaps.complete;
	s->has_smaps = true;
	return 0;
}

/* No kernel's are longer. Of many processes nothing else is kept of the files that they stand in. */
enum { COMM_MAX = 256, CGROUP_MAX = 4096 };

static void take_status(struct load *l, struct snapshot *s, struct slice text)
{
	struct slice thp = status_value(text, "THP_enabled"), comm = status_value(text, "Name");
	uint64_t pid;

	if (!text.n)
		return;
	s->has_process = true;
	if (thp.n)
		s->process.thp_disabled = slice_eq(thp, SLICE("0")); /* only the complete form shows as 0 */
	if (!s->process.comm.n) {
		char plain[COMM_MAX];

		s->process.comm = arena_copy(&l->arena, slice_of(plain, comm_unescaped(comm, plain, sizeof(plain))));
	}
	if (s->process.pid < 0 && num_u64(status_value(text, "Pid"), &pid))
		s->process.pid = (int64_t)pid;
	struct slice state = status_value(text, "State");
	if (state.n)
		s->process.state = *state.p;
}

static void read_status(struct load *l, struct snapshot *s, struct tree *t, const char *path)
{
	struct arena a = { 0 };

	take_status(l, s, load_read_into(&a, l, t, path));
	arena_free(&a);
}

static struct slice read_comm(struct load *l, struct tree *t, const char *path)
{
	struct arena a = { 0 };
	struct slice line = slice_trim(slice_cut_line(load_read_into(&a, l, t, path)).head);
	struct slice ret = arena_copy(&l->arena, slice_first(line, COMM_MAX));

	arena_free(&a);
	return ret;
}

/* The path behind "0::" (unified) or of the memory hierarchy. */
static struct slice cgroup_path(struct slice text)
{
	struct slice found = { 0 };

	for (struct cut c = slice_cut_line(text); c.head.n || c.ok; c = slice_cut_line(c.tail)) {
		struct cut id = slice_cut(c.head, ':'), names = slice_cut(id.tail, ':');

		if (names.ok && (slice_eq(names.head, SLICE("memory")) || (names.head.n == 0 && !found.n)))
			found = names.tail;
	}
	return found;
}

static struct slice read_cgroup(struct load *l, struct tree *t, const char *path)
{
	struct arena a = { 0 };
	struct slice found = cgroup_path(load_read_into(&a, l, t, path));
	struct slice ret = arena_copy(&l->arena, slice_first(found, CGROUP_MAX));

	arena_free(&a);
	return ret;
}

static int gone(struct snapshot *s, const struct common_options *c, struct err *e)
{
	s->source.complete = false;
	if (c->allow_partial)
		return 0;
	err_set(e, ERR_GONE, "process %lld ended while it was read: %zu mappings until then",
		(long long)s->process.pid, s->smaps.n);
	return err_hint(e, "--allow-partial shows them");
}

/* Did it exit or exec under the read? smaps then just ends, without an error. */
static int still_there(struct snapshot *s, struct tree *t, const struct process_id *before,
		       const struct common_options *c, struct err *e)
{
	struct process_id after;

	if (!tree_is_live(t))
		return 0;
	enum got got = process_stat(t, before->pid, &after, e);
	if (got == GOT_FAILED)
		return -1;
	if (got != GOT_ALL || !process_is_same(before, &after) || after.state == 'Z' || after.state == 'X')
		return gone(s, c, e);
	return 0;
}

static const char *no_mappings(const struct process_id *id, struct tree *t)
{
	if (id->kernel_thread)
		return "a kernel thread: it has no address space";
	if (id->state == 'Z' || id->state == 'X')
		return "a zombie: it has ended and waits for its parent";
	return tree_is_live(t) ? "it has no mappings"
			       : "its smaps is empty, as tar makes it of a live /proc; hugecov snap "
				 "and cp save it whole";
}

int load_process(struct load *l, struct tree *t, int64_t pid, const struct common_options *c, struct load_options o,
		 struct err *e)
{
	struct process_id id;
	char path[64];

	enum got got = process_stat(t, pid, &id, e);
	if (got == GOT_FAILED || got == GOT_PARTIAL || (got != GOT_ALL && tree_is_live(t))) {
		if (tree_is_live(t))
			process_explain(t, pid, got, "stat", e);
		return -1;
	}
	if (got != GOT_ALL)
		id = (struct process_id){ .pid = pid };
	struct snapshot *s = load_add(l);
	s->source.kind = KIND_PROCESS;
	s->source.pid = pid;
	s->source.time_ns = tree_is_live(t) ? time_now_ns() : l->manifest.time_ns;
	s->source.complete = tree_is_live(t) || manifest_is_complete(&l->manifest, pid);
	s->has_process = true;
	s->process.pid = pid;
	s->process.comm = arena_copy(&l->arena, slice_of(id.comm, id.comm_n));
	s->process.start_ticks = id.start_ticks;
	s->process.state = id.state;
	s->process.kernel_thread = id.kernel_thread;
	snprintf(path, sizeof(path), "proc/%lld/comm", (long long)pid);
	if (!s->process.comm.n && !tree_is_live(t)) /* taken along without stat */
		s->process.comm = read_comm(l, t, path);
	snprintf(path, sizeof(path), "proc/%lld/status", (long long)pid);
	read_status(l, s, t, path);
	if (o.all_files) {
		snprintf(path, sizeof(path), "proc/%lld/cgroup", (long long)pid);
		s->process.cgroup = read_cgroup(l, t, path);
	}
	const char *none = no_mappings(&id, t);
	bool empty = id.kernel_thread || id.state == 'Z' || id.state == 'X';
	if (empty && c->rollup) { /* smaps_rollup refuses to open; smaps is empty */
		s->has_smaps = true;
		s->smaps.complete = true;
		load_remark(l, s, none);
		return 0;
	}
	snprintf(path, sizeof(path), "proc/%lld/smaps%s", (long long)pid, c->rollup ? "_rollup" : "");
	int status = read_mappings(s, t, path, c, o, e);
	if (status && e->kind == ERR_GONE)
		status = gone(s, c, e);
	else if (!status && !empty)
		status = still_there(s, t, &id, c, e);
	if (status) {
		snapshot_free(s);
		l->n--;
		return -1;
	}
	s->has_smaps = true;
	if (s->smaps.n == 0 && none)
		load_remark(l, s, none);
	return 0;
}

/* ---- a tree ---- */

static bool wanted(const struct common_options *c, int64_t pid)
{
	for (size_t i = 0; i < c->pids.n; i++)
		if (c->pids.at[i] == (uint64_t)pid)
			return true;
	return c->pids.n == 0;
}

/* One that cannot be opened is there: whoever reads it will say why. */
static bool has_file(struct tree *t, const char *path)
{
	struct stream *in;
	struct err e;
	enum got got = stream_open(t, path, 0, &in, &e);

	if (got == GOT_ALL)
		stream_close(in);
	return got != GOT_ABSENT;
}

/* Does any of the processes have this file? */
static bool any_file(struct tree *t, const struct slice *names, size_t n, const char *file)
{
	char path[64];
	uint64_t pid;

	for (size_t i = 0; i < n; i++) {
		if (!num_u64(names[i], &pid) || pid > INT32_MAX)
			continue;
		snprintf(path, sizeof(path), "proc/%llu/%s", (unsigned long long)pid, file);
		if (has_file(t, path))
			return true;
	}
	return false;
}

/*
 * Of all processes of a tree those that may not be read are left out, and
 * counted; one that was asked for by its number is not.
 */
static bool leave_out(struct load *l, struct tree *t, const struct common_options *c, const struct err *e)
{
	if (c->pids.n || c->strict)
		return false;
	if (e->code == EACCES || e->code == EPERM)
		l->left_out++;
	else if (e->kind == ERR_GONE && tree_is_live(t))
		l->ended++;
	else
		return false;
	return true;
}

/* *ret_found is false for one that was not taken along, or is left out: `e` says why. */
static int load_saved(struct load *l, struct tree *t, const char *path, int64_t pid, const struct common_options *c,
		      struct load_options o, bool *ret_found, struct err *e)
{
	struct stream *in;
	char file[64];

	*ret_found = false;
	snprintf(file, sizeof(file), "proc/%lld/smaps%s", (long long)pid, c->rollup ? "_rollup" : "");
	enum got got = stream_open(t, file, 0, &in, e);
	if (got == GOT_ABSENT || (got == GOT_VANISHED && tree_is_live(t))) /* smaps_rollup of a kernel thread */
		return 0;
	if (got == GOT_ALL) {
		stream_close(in);
		if (!c->pids.n && process_link(t, pid) >= 0) {
			l->linked++; /* the other one is read by its own name */
			return 0;
		}
		if (!c->pids.n && tree_meet(t, file, e))
			return err_in(e, path);
		*ret_found = load_process(l, t, pid, c, o, e) == 0;
	}
	if (!*ret_found)
		return leave_out(l, t, c, e) ? 0 : err_in(e, path);
	if (tree_is_live(t) && !c->pids.n && l->snaps[l->n - 1].process.kernel_thread) {
		snapshot_free(&l->snaps[--l->n]); /* it has no memory of its own */
		*ret_found = false;
		return 0;
	}
	l->snaps[l->n - 1].source.kind = KIND_SNAPSHOT;
	l->snaps[l->n - 1].source.path = path;
	return 0;
}

static void tell_left_out(struct load *l, size_t found)
{
	struct snapshot *s = &l->snaps[l->n - found];

	if (l->left_out)
		load_remark(l, s, arena_printf(&l->arena, "%zu of the %zu processes may not be read: left out",
					       l->left_out, l->left_out + l->ended + found));
	if (l->ended)
		load_remark(l, s, arena_printf(&l->arena, "%zu of the %zu processes had ended: left out", l->ended,
					       l->left_out + l->ended + found));
	if (l->linked)
		load_remark(l, s, l->linked == 1
					  ? "1 name in proc/ is a link to another process: counted once"
					  : arena_printf(&l->arena, "%zu names in proc/ are links to other processes: "
								    "each is counted once", l->linked));
}

/* proc/PID/… of a snapshot or a support tool's tree. */
static int load_saved_processes(struct load *l, struct tree *t, const char *path, const struct common_options *c,
				struct load_options o, struct err *e)
{
	struct slice *names;
	size_t n, found = 0;
	uint64_t pid;
	struct err why;
	bool is_read;

	l->left_out = l->ended = l->linked = 0;
	if (tree_list(t, "proc", &l->arena, &names, &n, e) != GOT_ALL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		size_t left = l->left_out;

		if (!num_u64(names[i], &pid) || pid > INT32_MAX || !wanted(c, (int64_t)pid))
			continue;
		if (load_saved(l, t, path, (int64_t)pid, c, o, &is_read, e))
			return -1;
		found += is_read;
		if (!left && l->left_out)
			why = *e;
	}
	if (found)
		tell_left_out(l, found);
	struct common_options rollup = *c; /* totals are better than nothing */
	rollup.rollup = true;
	if (!found && !c->rollup && any_file(t, names, n, "smaps_rollup"))
		return load_saved_processes(l, t, path, &rollup, o, e);
	if (l->left_out && !found) {
		*e = why;
		return err_hint(e, "None of its %zu processes may be read", l->left_out);
	}
	if (c->pids.n && !found)
		return err_set(e, ERR_USAGE, "%s: no process %llu in it", path, (unsigned long long)c->pids.at[0]);
	if (c->rollup && !found)
		return err_set(e, ERR_KIND, "%s: no proc/PID/smaps_rollup in it", path);
	if (!found) { /* system files only */
		struct snapshot *s = load_add(l);

		s->source.path = path;
		s->source.time_ns = l->manifest.time_ns;
	}
	return 0;
}

/* A directory with files called smaps, meminfo, vmstat, status … */
static int load_flat(struct load *l, struct tree *t, const char *path, const struct common_options *c,
		     struct load_options o, struct err *e)
{
	bool rollup = c->rollup || !has_file(t, "smaps");
	const char *file = rollup ? "smaps_rollup" : "smaps";
	struct system_info *sys = &l->system;
	struct slice text;

	load_flat_system(l, t);
	struct snapshot *s = load_add(l);
	s->source.path = path;
	read_status(l, s, t, "status");
	text = load_read_line(l, t, "comm");
	if (text.n) {
		s->has_process = true;
		s->process.comm = text;
	}
	if (has_file(t, file)) {
		if (read_mappings(s, t, file, c, o, e))
			return err_in(e, path);
	} else if (!sys->has_meminfo && !sys->has_vmstat) {
		return err_set(e, ERR_KIND,
			       "%s: no proc/ in this directory, and no file called smaps, meminfo or vmstat",
			       path);
	}
	return 0;
}

/* A folder may hold perf.txt and nothing else that is known here. */
static int load_flat_or_perf(struct load *l, struct tree *t, const char *path, const struct common_options *c,
			     struct load_options o, struct err *e)
{
	size_t n = l->n;

	if (load_flat(l, t, path, c, o, e) == 0)
		return 0;
	if (e->kind != ERR_KIND || !l->counters_n)
		return -1;
	while (l->n > n)
		snapshot_free(&l->snaps[--l->n]);
	*e = (struct err){ 0 };
	return 0;
}

int load_tree(struct load *l, const char *path, const struct common_options *c, struct load_options o, struct err *e)
{
	struct slice *names;
	struct tree *t;
	size_t n;

	path = arena_str(&l->arena, slice_str(path));
	if (tree_open(path, &t, e))
		return -1;
	int status = load_perf_files(l, t, path, e);
	if (!status)
		status = load_result_files(l, t, path, e);
	if (!status)
		status = manifest_read(t, &l->arena, &l->manifest, e);
	enum got got = status ? GOT_FAILED : tree_list(t, "proc", &l->arena, &names, &n, e);
	if (got == GOT_ALL) {
		load_system(l, t, "", true);
		status = load_saved_processes(l, t, path, c, o, e);
	} else if (got == GOT_ABSENT) {
		status = load_flat_or_perf(l, t, path, c, o, e);
	} else {
		status = -1;
	}
	tree_close(t);
	return status;
}
