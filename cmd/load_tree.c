/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Processes and system files below a root: live, a snapshot, an archive, a flat directory. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cmd/load_internal.h"
#include "parse/sniff.h"

enum { PATH_ROOM = 1024 }; /* none of the names below is longer; what is cut is not found */

/* A path below the prefix; buf has PATH_ROOM bytes. */
static const char *path_in(char *buf, const char *prefix, const char *rest)
{
	snprintf(buf, PATH_ROOM, "%s%s", prefix, rest);
	return buf;
}

/* All of it or nothing: of half a file the last number may be cut, and be taken for a smaller one. */
static struct slice read_small(struct load *l, struct tree *t, const char *path)
{
	struct slice text;
	struct err e;
	enum got got = tree_read(t, path, SYSTEM_FILE_MAX, &l->arena, &text, &e);

	return got == GOT_ALL ? text : slice_of(NULL, 0);
}

static struct slice read_line(struct load *l, struct tree *t, const char *path)
{
	return slice_trim(slice_cut_line(read_small(l, t, path)).head);
}

/* ---- system files ---- */

static struct slice read_below(struct load *l, struct tree *t, const char *base, const char *rel)
{
	char path[2 * PATH_ROOM];

	snprintf(path, sizeof(path), "%s/%s", base, rel);
	return read_small(l, t, path);
}

static void read_thp_files(struct load *l, struct tree *t, const char *base, const char *sub, int depth)
{
	char path[2 * PATH_ROOM], rel[256];
	struct slice *names;
	size_t n;
	struct err e;

	snprintf(path, sizeof(path), "%s%s%s", base, *sub ? "/" : "", sub);
	if (tree_list(t, path, &l->arena, &names, &n, &e) != GOT_ALL)
		return;
	for (size_t i = 0; i < n; i++) {
		int len = snprintf(rel, sizeof(rel), "%s%s%.*s", sub, *sub ? "/" : "", SLICE_FMT(names[i]));
		if (len < 0 || (size_t)len >= sizeof(rel))
			continue; /* the kernel has no such names */
		struct slice text = read_below(l, t, base, rel);
		if (text.n)
			thp_settings_add(&l->system.thp, &l->arena, slice_str(rel), text);
		else if (depth < 2)
			read_thp_files(l, t, base, rel, depth + 1);
	}
}

/* What a text report needs, without 150 files of statistics. */
static void read_thp_few(struct load *l, struct tree *t, const char *base)
{
	static const char *const files[] = {
		"enabled", "defrag", "shmem_enabled", "hpage_pmd_size", "use_zero_page", "khugepaged/defrag",
		"khugepaged/max_ptes_none",
	};
	char rel[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct slice text = read_below(l, t, base, files[i]);
		if (text.n)
			thp_settings_add(&l->system.thp, &l->arena, slice_str(files[i]), text);
	}
	uint64_t bytes;
	if (!num_u64(thp_setting(&l->system.thp, "hpage_pmd_size"), &bytes))
		return;
	for (int shmem = 0; shmem < 2; shmem++) {
		snprintf(rel, sizeof(rel), "hugepages-%llukB/%senabled", (unsigned long long)(bytes >> 10),
			 shmem ? "shmem_" : "");
		struct slice text = read_below(l, t, base, rel);
		if (text.n)
			thp_settings_add(&l->system.thp, &l->arena, slice_str(rel), text);
	}
}

static void read_nodes(struct load *l, struct tree *t, const char *prefix)
{
	char base[PATH_ROOM], rel[64];
	struct slice *names;
	size_t n;
	uint64_t node;
	struct err e;

	path_in(base, prefix, "sys/devices/system/node");
	if (tree_list(t, base, &l->arena, &names, &n, &e) != GOT_ALL)
		return;
	l->system.nodes = arena_array(&l->arena, n, sizeof(*l->system.nodes));
	for (size_t i = 0; i < n; i++) {
		if (!slice_starts(names[i], SLICE("node")) || !num_u64(slice_skip(names[i], 4), &node) ||
		    node > INT32_MAX)
			continue;
		struct node_info *x = &l->system.nodes[l->system.nodes_n];
		*x = (struct node_info){ .node = (int)node };
		snprintf(rel, sizeof(rel), "node%d/meminfo", (int)node);
		struct slice text = read_below(l, t, base, rel);
		x->has_meminfo = text.n && !meminfo_parse(text, &l->arena, false, &x->meminfo, &e);
		snprintf(rel, sizeof(rel), "node%d/vmstat", (int)node);
		text = read_below(l, t, base, rel);
		x->has_vmstat = text.n && !vmstat_parse(text, &l->arena, false, &x->vmstat, &e);
		if (x->has_meminfo || x->has_vmstat)
			l->system.nodes_n++;
	}
}

/* "Linux version 6.18.44 (…": the third word. */
static struct slice kernel_of_version(struct slice line)
{
	struct cut w = slice_cut_word(line);

	if (!slice_eq(w.head, SLICE("Linux")))
		return slice_of(NULL, 0);
	w = slice_cut_word(w.tail);
	return slice_eq(w.head, SLICE("version")) ? slice_cut_word(w.tail).head : slice_of(NULL, 0);
}

void load_system(struct load *l, struct tree *t, const char *prefix, bool all_files)
{
	struct system_info *s = &l->system;
	char buf[PATH_ROOM];
	struct err e;

	struct slice text = read_small(l, t, path_in(buf, prefix, "proc/meminfo"));
	s->has_meminfo = text.n && !meminfo_parse(text, &l->arena, false, &s->meminfo, &e);
	text = read_small(l, t, path_in(buf, prefix, "proc/vmstat"));
	s->has_vmstat = text.n && !vmstat_parse(text, &l->arena, false, &s->vmstat, &e);
	s->kernel = read_line(l, t, path_in(buf, prefix, "proc/sys/kernel/osrelease"));
	if (!s->kernel.n)
		s->kernel = kernel_of_version(read_line(l, t, path_in(buf, prefix, "proc/version")));
	s->arch = read_line(l, t, path_in(buf, prefix, "proc/sys/kernel/arch")); /* since 6.1 */
	s->boot_id = read_line(l, t, path_in(buf, prefix, "proc/sys/kernel/random/boot_id"));
	path_in(buf, prefix, "sys/kernel/mm/transparent_hugepage");
	if (all_files)
		read_thp_files(l, t, buf, "", 0);
	else
		read_thp_few(l, t, buf);
	s->has_thp = s->thp.n > 0 || s->thp.sizes_n > 0;
	if (all_files)
		read_nodes(l, t, prefix);
}

/* ---- a process ---- */

static int feed_process(struct snapshot *s, struct stream *in, const struct common_options *c, struct err *e)
{
	struct smaps_reader *r =
		smaps_reader_new(&s->smaps, (struct smaps_options){ .strict = c->strict, .live = true });
	struct slice piece;
	int status;

	while ((status = stream_next(in, &piece, e)) == 0 && piece.n)
		if ((status = smaps_feed(r, piece, e)))
			break;
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

static void read_status(struct load *l, struct snapshot *s, struct tree *t, const char *path)
{
	struct slice text = read_small(l, t, path);
	struct slice thp = status_value(text, "THP_enabled"), comm = status_value(text, "Name");
	uint64_t pid;

	if (!text.n)
		return;
	s->has_process = true;
	if (thp.n)
		s->process.thp_disabled = slice_eq(thp, SLICE("0")); /* only the complete form shows as 0 */
	if (!s->process.comm.n)
		s->process.comm = comm;
	if (s->process.pid < 0 && num_u64(status_value(text, "Pid"), &pid))
		s->process.pid = (int64_t)pid;
	struct slice state = status_value(text, "State");
	if (state.n)
		s->process.state = *state.p;
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
	struct err ignored;

	if (!tree_is_live(t))
		return 0;
	enum got got = process_stat(t, before->pid, &after, &ignored);
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
	if (got == GOT_FAILED || (got != GOT_ALL && tree_is_live(t))) {
		if (tree_is_live(t))
			process_explain(t, pid, got, "stat", e);
		return -1;
	}
	if (got != GOT_ALL)
		id = (struct process_id){ .pid = pid };
	struct snapshot *s = load_add(l);
	s->source.kind = KIND_PROCESS;
	s->source.pid = pid;
	s->source.time_ns = tree_is_live(t) ? load_now_ns() : l->manifest.time_ns;
	s->source.complete = tree_is_live(t) || manifest_is_complete(&l->manifest, pid);
	s->has_process = true;
	s->process.pid = pid;
	s->process.comm = arena_copy(&l->arena, slice_of(id.comm, id.comm_n));
	s->process.start_ticks = id.start_ticks;
	s->process.state = id.state;
	s->process.kernel_thread = id.kernel_thread;
	snprintf(path, sizeof(path), "proc/%lld/comm", (long long)pid);
	if (!s->process.comm.n && !tree_is_live(t)) /* taken along without stat */
		s->process.comm = read_line(l, t, path);
	snprintf(path, sizeof(path), "proc/%lld/status", (long long)pid);
	read_status(l, s, t, path);
	if (o.all_files) {
		snprintf(path, sizeof(path), "proc/%lld/cgroup", (long long)pid);
		s->process.cgroup = cgroup_path(read_small(l, t, path));
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

static bool has_file(struct tree *t, const char *path)
{
	struct stream *in;
	struct err e;

	if (stream_open(t, path, 0, &in, &e) != GOT_ALL)
		return false;
	stream_close(in);
	return true;
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

/* proc/PID/… of a snapshot or a support tool's tree. */
static int load_saved_processes(struct load *l, struct tree *t, const char *path, const struct common_options *c,
				struct load_options o, struct err *e)
{
	struct slice *names;
	size_t n, found = 0;
	uint64_t pid;
	char file[64];

	if (tree_list(t, "proc", &l->arena, &names, &n, e) != GOT_ALL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!num_u64(names[i], &pid) || pid > INT32_MAX || !wanted(c, (int64_t)pid))
			continue;
		snprintf(file, sizeof(file), "proc/%llu/smaps%s", (unsigned long long)pid, c->rollup ? "_rollup" : "");
		struct stream *in;
		enum got got = stream_open(t, file, 0, &in, e);
		if (got == GOT_ABSENT)
			continue; /* listed, but not taken along */
		if (got != GOT_ALL)
			return err_in(e, path);
		stream_close(in);
		if (load_process(l, t, (int64_t)pid, c, o, e))
			return err_in(e, path);
		l->snaps[l->n - 1].source.kind = KIND_SNAPSHOT;
		l->snaps[l->n - 1].source.path = path;
		found++;
	}
	struct common_options rollup = *c; /* totals are better than nothing */
	rollup.rollup = true;
	if (!found && !c->rollup && any_file(t, names, n, "smaps_rollup"))
		return load_saved_processes(l, t, path, &rollup, o, e);
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
	struct err ignored;

	struct slice text = read_small(l, t, "meminfo");
	sys->has_meminfo = text.n && !meminfo_parse(text, &l->arena, false, &sys->meminfo, &ignored);
	text = read_small(l, t, "vmstat");
	sys->has_vmstat = text.n && !vmstat_parse(text, &l->arena, false, &sys->vmstat, &ignored);
	sys->kernel = kernel_of_version(read_line(l, t, "version"));
	read_thp_files(l, t, "transparent_hugepage", "", 0);
	static const char *const settings[] = { "enabled", "defrag", "shmem_enabled", "hpage_pmd_size" };
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if ((text = read_small(l, t, settings[i])).n && !thp_setting(&sys->thp, settings[i]).n)
			thp_settings_add(&sys->thp, &l->arena, slice_str(settings[i]), text);
	sys->has_thp = sys->thp.n > 0 || sys->thp.sizes_n > 0;

	struct snapshot *s = load_add(l);
	s->source.path = path;
	read_status(l, s, t, "status");
	text = read_line(l, t, "comm");
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
	(void)o;
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
	struct err ignored;

	path = arena_str(&l->arena, slice_str(path));
	if (tree_open(path, &t, e))
		return -1;
	int status = load_perf_files(l, t, path, e);
	if (!status)
		status = load_result_files(l, t, path, e);
	if (status)
		goto out;
	l->manifest = manifest_read(t, &l->arena);
	if (tree_list(t, "proc", &l->arena, &names, &n, &ignored) == GOT_ALL) {
		load_system(l, t, "", true);
		status = load_saved_processes(l, t, path, c, o, e);
	} else {
		status = load_flat_or_perf(l, t, path, c, o, e);
	}
out:
	tree_close(t);
	return status;
}
