/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "source/snapshot_write.h"

#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "base/num.h"
#include "base/rfc3339.h"
#include "source/internal.h"
#include "source/sink.h"

enum { NAME = 512, DEPTH_MAX = 6, READS_MAX = 3 };

struct saved {
	struct process_id id;
	bool complete;
};

struct writing {
	struct tree *from;
	const struct snapshot_want *want;
	struct snapshot_done *done;
	struct sink *sink;
	int64_t time_ns;
	struct saved *saved;
	size_t n_saved, cap_saved;
	struct strmap pids; /* of those */
	struct arena texts; /* of the keys of that */
	struct snapshot_unread *unread;
	size_t cap_unread;
	char kernel[128], arch[64], boot_id[64];
};

/* ---- one file ---- */

static void note_unread(struct writing *w, const char *file, const char *why)
{
	struct snapshot_done *d = w->done;

	w->unread = mem_grow(w->unread, &w->cap_unread, d->n_unread + 1, sizeof(*w->unread));
	w->unread[d->n_unread++] = (struct snapshot_unread){
		.file = arena_str(&d->a, slice_str(file)),
		.why = arena_str(&d->a, slice_str(why)),
	};
}

static int put(struct writing *w, const char *name, struct slice bytes, struct err *e)
{
	if (sink_file(w->sink, name, bytes, e) < 0)
		return -1;
	w->done->files++;
	w->done->bytes += bytes.n;
	return 0;
}

/* Not being there is nothing to tell; anything else is listed. */
static bool readable(struct writing *w, const char *name, enum got got, const struct err *e)
{
	if (got == GOT_ALL)
		return true;
	if (got != GOT_ABSENT)
		note_unread(w, name, e->text);
	return false;
}

static int copy(struct writing *w, const char *name, struct err *e)
{
	struct arena a = { 0 };
	struct slice text;
	struct err why;
	int status = 0;

	if (readable(w, name, tree_read(w->from, name, SYSTEM_FILE_MAX, &a, &text, &why), &why))
		status = put(w, name, text, e);
	arena_free(&a);
	return status;
}

/* ---- the system ---- */

static const char *const system_files[] = {
	"proc/meminfo",
	"proc/vmstat",
	"proc/version",
	"proc/sys/kernel/osrelease",
	"proc/sys/kernel/arch", /* since Linux 6.1 */
	"proc/sys/kernel/random/boot_id",
};

static const char *const node_files[] = { "meminfo", "vmstat" };

static const char thp_folder[] = "sys/kernel/mm/transparent_hugepage";
static const char node_folder[] = "sys/devices/system/node";

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* All files below a directory. A name that is too long to be one of the kernel's is passed over. */
static int copy_below(struct writing *w, const char *folder, unsigned depth, struct err *e)
{
	struct arena a = { 0 };
	struct slice *names;
	size_t n;
	struct err why;
	char name[NAME];
	int status = 0;

	readable(w, folder, tree_list(w->from, folder, &a, &names, &n, &why), &why);
	for (size_t i = 0; i < n && status == 0; i++) {
		if (snprintf(name, sizeof(name), "%s/%.*s", folder, SLICE_FMT(names[i])) >= NAME)
			continue;
		if (!tree_is_folder(w->from, name))
			status = copy(w, name, e);
		else if (depth < DEPTH_MAX)
			status = copy_below(w, name, depth + 1, e);
	}
	arena_free(&a);
	return status;
}

static int copy_nodes(struct writing *w, struct err *e)
{
	struct arena a = { 0 };
	struct slice *names;
	size_t n;
	struct err why;
	char name[NAME];
	int status = 0;

	readable(w, node_folder, tree_list(w->from, node_folder, &a, &names, &n, &why), &why);
	for (size_t i = 0; i < n * COUNT(node_files) && status == 0; i++) {
		struct slice node = names[i / COUNT(node_files)];

		if (slice_starts(node, SLICE("node")) && node.n < NAME / 2) {
			snprintf(name, sizeof(name), "%s/%.*s/%s", node_folder, SLICE_FMT(node),
				 node_files[i % COUNT(node_files)]);
			status = copy(w, name, e);
		}
	}
	arena_free(&a);
	return status;
}

/* One line of a file, for the manifest. */
static void read_line(struct tree *t, const char *name, char *buf, size_t size)
{
	struct arena a = { 0 };
	struct slice text;
	struct err ignored;

	buf[0] = '\0';
	if (tree_read(t, name, SYSTEM_FILE_MAX, &a, &text, &ignored) == GOT_ALL)
		slice_cstr(slice_rtrim(slice_cut_line(text).head), buf, size);
	arena_free(&a);
}

static int copy_system(struct writing *w, struct err *e)
{
	for (size_t i = 0; i < COUNT(system_files); i++)
		if (copy(w, system_files[i], e) < 0)
			return -1;
	read_line(w->from, "proc/sys/kernel/osrelease", w->kernel, sizeof(w->kernel));
	read_line(w->from, "proc/sys/kernel/arch", w->arch, sizeof(w->arch));
	read_line(w->from, "proc/sys/kernel/random/boot_id", w->boot_id, sizeof(w->boot_id));
	if (copy_below(w, thp_folder, 0, e) < 0)
		return -1;
	return copy_nodes(w, e);
}

/* ---- a process ---- */

enum process_file { SMAPS, ROLLUP, STATUS, COMM, CGROUP, CMDLINE, STAT, PROCESS_FILES };

/* smaps first: the others are cheap, and tell whether it was still the same process. */
static const char *const process_files[PROCESS_FILES] = {
	[SMAPS] = "smaps", [ROLLUP] = "smaps_rollup", [STATUS] = "status", [COMM] = "comm",
	[CGROUP] = "cgroup", [CMDLINE] = "cmdline", [STAT] = "stat",
};

/* What was read of a process before any of it is written. */
struct process {
	struct arena a;
	struct process_id id;
	bool present[PROCESS_FILES];
	struct slice text[PROCESS_FILES];
	bool complete;
};

static char *process_name(char *buf, size_t size, int64_t pid, const char *file)
{
	if (pid == PID_SELF)
		snprintf(buf, size, "proc/self/%s", file);
	else
		snprintf(buf, size, "proc/%lld/%s", (long long)pid, file);
	return buf;
}

static enum got read_smaps_once(struct writing *w, const char *name, struct process *p,
				struct err *e)
{
	struct stream *s;
	enum got got = stream_open(w->from, name, w->from->live ? SMAPS_PIECE : 0, &s, e);

	if (got != GOT_ALL)
		return got;
	if (stream_all(s, SNAPSHOT_FILE_MAX, &p->a, &p->text[SMAPS], e) < 0)
		got = e->kind == ERR_GONE ? GOT_VANISHED : GOT_FAILED;
	stream_close(s);
	return got;
}

static enum got read_smaps(struct writing *w, int64_t pid, struct process *p, struct err *e)
{
	char name[NAME];
	enum got got = GOT_ALL;

	process_name(name, sizeof(name), pid, "smaps");
	for (int i = 0; i < READS_MAX && got == GOT_ALL; i++) {
		arena_free(&p->a);
		got = read_smaps_once(w, name, p, e);
		if (got != GOT_ALL || !w->from->live || !w->want->torn ||
		    !w->want->torn(p->text[SMAPS]))
			break;
	}
	p->present[SMAPS] = got == GOT_ALL;
	return got;
}

/* The files beside smaps. A process that ends now is still worth what was read. */
static void read_others(struct writing *w, int64_t pid, struct process *p)
{
	char name[NAME];
	struct err why;

	for (int i = ROLLUP; i < PROCESS_FILES; i++) {
		if (i == CMDLINE && !w->want->cmdline)
			continue;
		process_name(name, sizeof(name), pid, process_files[i]);
		enum got got = tree_read(w->from, name, SYSTEM_FILE_MAX, &p->a, &p->text[i], &why);
		p->present[i] = got == GOT_ALL;
		/* A zombie has no rollup; one that has ended meanwhile is incomplete anyway. */
		if (got != GOT_VANISHED)
			readable(w, name, got, &why);
	}
}

static bool is_alive(const struct process_id *p)
{
	return p->state != 'Z' && p->state != 'X';
}

/* A process that ends or calls exec leaves an empty or a short smaps, without an error. */
static bool still_the_same(const struct writing *w, const struct process *p)
{
	struct process_id after;
	struct err gone;

	return process_stat(w->from, p->id.pid, &after, &gone) == GOT_ALL &&
	       process_is_same(&p->id, &after) && is_alive(&after) == is_alive(&p->id);
}

static enum got read_process(struct writing *w, int64_t pid, struct process *p, struct err *e)
{
	enum got got = process_stat(w->from, pid, &p->id, e);

	/* A saved tree may hold smaps alone. */
	if (got != GOT_ALL && (w->from->live || got != GOT_ABSENT))
		return got;
	got = read_smaps(w, pid, p, e);
	if (got != GOT_ALL)
		return got;
	if (pid == PID_SELF)
		pid = p->id.pid;
	read_others(w, pid, p);
	p->complete = !w->from->live || still_the_same(w, p);
	return GOT_ALL;
}

static int put_process(struct writing *w, const struct process *p, struct err *e)
{
	char name[NAME];

	for (int i = 0; i < PROCESS_FILES; i++) {
		process_name(name, sizeof(name), p->id.pid, process_files[i]);
		if (p->present[i] && put(w, name, p->text[i], e) < 0)
			return -1;
	}
	w->saved = mem_grow(w->saved, &w->cap_saved, w->n_saved + 1, sizeof(*w->saved));
	w->saved[w->n_saved++] = (struct saved){ p->id, p->complete };
	strmap_at(&w->pids, slice_str(arena_printf(&w->texts, "%lld", (long long)p->id.pid)), NULL);
	w->done->processes++;
	w->done->complete &= p->complete;
	return 0;
}

static bool is_saved(const struct writing *w, int64_t pid)
{
	char text[24];

	return strmap_find(&w->pids, slice_of(text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)pid)));
}

/* A process that the user has named: what stands in the way is an error. */
static int save_named(struct writing *w, int64_t pid, struct err *e)
{
	struct process p = { 0 };
	enum got got;
	int status = -1;

	if (is_saved(w, pid))
		return 0;
	got = read_process(w, pid, &p, e);
	if (got != GOT_ALL)
		process_explain(w->from, pid, got, "smaps", e);
	else if (!p.complete && !w->want->allow_partial)
		err_set(e, ERR_GONE, "process %lld ended while it was read", (long long)p.id.pid);
	else
		status = put_process(w, &p, e);
	arena_free(&p.a);
	return status;
}

/* One of all: what cannot be read is listed, what ends meanwhile was never there. */
static int save_found(struct writing *w, int64_t pid, struct err *e)
{
	struct process p = { 0 };
	struct err why;
	char name[NAME];
	int status = 0;

	if (process_link(w->from, pid) >= 0) {
		snprintf(name, sizeof(name), "proc/%lld", (long long)pid);
		note_unread(w, name, "a link to another process, which is saved once");
		return 0;
	}
	if (tree_meet(w->from, process_name(name, sizeof(name), pid, "smaps"), e) < 0)
		return -1;
	if (process_stat(w->from, pid, &p.id, &why) == GOT_ALL && p.id.kernel_thread) {
		w->done->kernel_threads++; /* it has no memory of its own */
		return 0;
	}
	enum got got = read_process(w, pid, &p, &why);
	if (got == GOT_ALL && p.complete)
		status = put_process(w, &p, e);
	else if (got == GOT_DENIED || got == GOT_FAILED || (got == GOT_PARTIAL && why.kind != ERR_GONE))
		note_unread(w, process_name(name, sizeof(name), pid, "smaps"), why.text);
	arena_free(&p.a);
	return status;
}

static int save_all(struct writing *w, struct err *e)
{
	struct arena a = { 0 };
	struct slice *names;
	size_t n;
	uint64_t pid;
	int64_t self = -1;
	int status = 0;

	if (w->from->live)
		process_self(w->from, &self);
	if (tree_list(w->from, "proc", &a, &names, &n, e) != GOT_ALL)
		status = -1;
	for (size_t i = 0; i < n && status == 0; i++)
		if (num_u64(names[i], &pid) && pid <= INT32_MAX && !is_saved(w, (int64_t)pid) &&
		    (int64_t)pid != self)
			status = save_found(w, (int64_t)pid, e);
	arena_free(&a);
	return status;
}

/* ---- the manifest ---- */

static void put_or_null(struct json *j, const char *key, const char *s)
{
	json_kv_str(j, key, s[0] ? s : NULL);
}

static void write_processes(const struct writing *w, struct json *j)
{
	char state[2] = { 0 };

	json_key(j, "processes");
	json_array(j);
	for (size_t i = 0; i < w->n_saved; i++) {
		const struct process_id *p = &w->saved[i].id;

		json_break(j);
		json_object(j);
		json_kv_i64(j, "pid", p->pid);
		json_kv_slice(j, "comm", slice_of(p->comm, p->comm_n));
		state[0] = p->state;
		put_or_null(j, "state", state);
		json_kv_u64(j, "start_ticks", p->start_ticks);
		json_kv_bool(j, "complete", w->saved[i].complete);
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_unread(const struct writing *w, struct json *j)
{
	json_key(j, "unread");
	json_array(j);
	for (size_t i = 0; i < w->done->n_unread; i++) {
		json_break(j);
		json_object(j);
		json_kv_str(j, "file", w->unread[i].file);
		json_kv_str(j, "why", w->unread[i].why);
		json_object_end(j);
	}
	json_array_end(j);
}

static int put_manifest(struct writing *w, struct err *e)
{
	char time[RFC3339_BUF];
	struct out o;
	struct json j;

	out_memory(&o);
	json_start(&j, &o);
	json_object(&j);
	json_kv_str(&j, "schema", "hugecov.snapshot/1");
	json_key(&j, "tool");
	json_object(&j);
	json_kv_str(&j, "name", "hugecov");
	json_kv_str(&j, "version", HUGECOV_VERSION);
	json_object_end(&j);
	json_kv_slice(&j, "time", rfc3339_put(time, w->time_ns));
	json_kv_bool(&j, "complete", w->done->complete);
	put_or_null(&j, "kernel", w->kernel);
	put_or_null(&j, "arch", w->arch);
	put_or_null(&j, "boot_id", w->boot_id);
	write_processes(w, &j);
	write_unread(w, &j);
	json_object_end(&j);
	json_end(&j);
	int status = put(w, "manifest.json", out_slice(&o), e);
	out_close(&o);
	return status;
}

static int write_all_parts(struct writing *w, struct err *e)
{
	for (size_t i = 0; i < w->want->n_pids; i++)
		if (save_named(w, w->want->pids[i], e) < 0)
			return -1;
	if (w->want->all_pids && save_all(w, e) < 0)
		return -1;
	if (copy_system(w, e) < 0)
		return -1;
	if (w->done->files == 0)
		return err_set(e, ERR_SYSTEM, "nothing of %s could be read", w->from->path);
	return put_manifest(w, e);
}

int snapshot_write(struct tree *from, const char *target, const struct snapshot_want *want,
		   struct snapshot_done *ret, struct err *e)
{
	struct writing w = {
		.from = from,
		.want = want,
		.done = ret,
		.time_ns = want->time_ns >= 0 ? want->time_ns : time_now_ns(),
	};

	*ret = (struct snapshot_done){ .complete = true };
	if (sink_open(target, want->force, w.time_ns, &w.sink, e) < 0)
		return -1;
	int status = write_all_parts(&w, e);
	if (status == 0)
		status = sink_commit(w.sink, e);
	else
		sink_drop(w.sink);
	ret->unread = arena_dup(&ret->a, w.unread, ret->n_unread, sizeof(*ret->unread));
	strmap_free(&w.pids);
	arena_free(&w.texts);
	mem_free(w.unread);
	mem_free(w.saved);
	return status;
}
