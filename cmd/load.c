/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmd/load.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/diag.h"
#include "cmd/load_internal.h"
#include "model/model.h"
#include "parse/sniff.h"

struct snapshot *load_add(struct load *l)
{
	l->snaps = mem_grow(l->snaps, &l->cap, l->n + 1, sizeof(*l->snaps));
	struct snapshot *s = &l->snaps[l->n++];

	*s = (struct snapshot){ .source = { .kind = KIND_SNAPSHOT, .pid = -1, .time_ns = -1, .complete = true } };
	s->process.pid = -1;
	s->process.thp_disabled = -1;
	s->system = l->system;
	return s;
}

void load_free(struct load *l)
{
	for (size_t i = 0; i < l->n; i++)
		snapshot_free(&l->snaps[i]);
	mem_free(l->snaps);
	mem_free(l->counters);
	arena_free(&l->arena);
	*l = (struct load){ 0 };
}

void load_model_options(struct model_options *ret, const struct common_options *c)
{
	static const enum policy policies[] = { POLICY_UNKNOWN, POLICY_ALWAYS, POLICY_MADVISE, POLICY_NEVER };

	*ret = (struct model_options){ .pmd_kb = c->pmd_size_kb, .policy = policies[c->policy] };
}

void load_remark(struct load *l, struct snapshot *s, const char *text)
{
	const char **list = arena_array(&l->arena, s->remarks_n + 1, sizeof(*list));

	if (s->remarks_n)
		memcpy(list, s->remarks, s->remarks_n * sizeof(*list));
	list[s->remarks_n++] = text;
	s->remarks = list;
}

void load_tell_unread(const struct load *l)
{
	if (l->unread_n == 1)
		diag_note("%s: %s: what it says is missing", l->unread.file, l->unread.text);
	else if (l->unread_n)
		diag_note("%zu files could not be read, what they say is missing; the first: %s: %s",
			  l->unread_n, l->unread.file, l->unread.text);
}

/* The system was found after the first snapshots were made: all have the same. */
static void spread_system(struct load *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->snaps[i].source.kind != KIND_REPORT) /* which holds its own */
			l->snaps[i].system = l->system;
}

/* ---- one argument ---- */

static int load_live(struct load *l, int64_t pid, const struct common_options *c, struct load_options o, struct err *e)
{
	struct tree *t;
	int64_t self;

	if (tree_open(c->root, &t, e))
		return -1;
	bool seen = process_self(t, &self);
	if (pid == PID_SELF && !seen) {
		tree_close(t);
		return err_set(e, ERR_SYSTEM, "self: this process does not stand in proc/ of %s", c->root);
	}
	if (!l->system.kernel.n && !l->system.has_thp && !l->system.has_meminfo)
		load_system(l, t, "", o.all_files);
	int status = tree_is_live(t) ? 0 : manifest_read(t, &l->arena, &l->manifest, e);
	if (!status)
		status = load_process(l, t, pid == PID_SELF ? self : pid, c, o, e);
	if (!status && pid != PID_SELF && seen && tree_is_live(t) && self != getpid())
		load_remark(l, &l->snaps[l->n - 1],
			    "/proc is that of another pid namespace: process numbers are the ones that it shows");
	tree_close(t);
	return status;
}

static int load_argument(struct load *l, const char *arg, const struct common_options *c,
			 struct load_options o, struct err *e)
{
	enum source_form form;
	int64_t pid = 0;

	if (source_form(arg, &form, &pid, e))
		return -1;
	switch (form) {
	case FORM_PID:
		return load_live(l, pid, c, o, e);
	case FORM_SELF:
		return load_live(l, PID_SELF, c, o, e);
	case FORM_DIRECTORY:
	case FORM_ARCHIVE:
		return load_tree(l, arg, c, o, e);
	case FORM_STDIN:
	case FORM_FILE:
		return load_file(l, arg, c, o, e);
	}
	return err_set(e, ERR_USAGE, "%s: no such source", arg);
}

/* ---- files that together are one snapshot ---- */

static bool is_file_snapshot(const struct snapshot *s)
{
	return s->source.pid < 0 && s->source.kind != KIND_SNAPSHOT && s->source.kind != KIND_REPORT;
}

/*
 * `report smaps meminfo vmstat`: system files belong to the mappings beside
 * them, so the snapshots without mappings go when there is one with.
 */
static int join_files(struct load *l, struct load_options o, struct err *e)
{
	size_t with = 0, kept = 0;

	for (size_t i = 0; i < l->n; i++)
		with += l->snaps[i].has_smaps && is_file_snapshot(&l->snaps[i]);
	if (with > 1 && !o.each && !o.split && !o.together) {
		err_set(e, ERR_USAGE, "%zu files with mappings are %zu snapshots, not one", with, with);
		return err_hint(e, "hugecov diff compares two; --each reports one after the other");
	}
	bool any = false;
	for (size_t i = 0; i < l->n; i++)
		any |= l->snaps[i].has_smaps;
	for (size_t i = 0; i < l->n; i++) {
		bool beside = !l->snaps[i].has_smaps && is_file_snapshot(&l->snaps[i]) && !l->snaps[i].has_process;

		if (beside && (any || kept)) {
			if (kept && !any)
				l->snaps[0].source.kind = KIND_SNAPSHOT; /* several system files */
			snapshot_free(&l->snaps[i]);
			continue;
		}
		l->snaps[kept++] = l->snaps[i];
	}
	l->n = kept;
	return 0;
}

/* What was asked for and is not there must not look like what was asked for. */
static int find_every_pid(const struct load *l, const struct common_options *c, struct err *e)
{
	for (size_t i = 0; i < c->pids.n; i++) {
		bool found = false, saved = false; /* --pid selects in what is saved only */

		for (size_t k = 0; k < l->n && !found; k++) {
			saved |= l->snaps[k].source.kind == KIND_SNAPSHOT;
			found = l->snaps[k].source.pid >= 0 && (uint64_t)l->snaps[k].source.pid == c->pids.at[i];
		}
		if (saved && !found)
			return err_set(e, ERR_USAGE, "no process %llu in what is saved",
				       (unsigned long long)c->pids.at[i]);
	}
	return 0;
}

/* Sizes and values of all snapshots together: no sum that is made of them may pass 63 bits. */
static int check_sums(const struct load *l, struct err *e)
{
	const uint64_t most = UINT64_C(1) << 62;
	uint64_t sum = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct smaps *s = &l->snaps[i].smaps;

		smaps_gather(s);
		sum += s->wide_kb + s->all.size_kb;
		if (sum > most)
			return err_set(e, ERR_LIMIT,
				       "the sizes of these %zu sources together are larger than any machine's",
				       l->n);
	}
	return 0;
}

/* What is judged or compared without some of it may hide just what was asked for. */
static int find_left_out(const struct load *l, const struct common_options *c, struct err *e)
{
	if (!l->left_out || c->allow_partial)
		return 0;
	err_set(e, ERR_SYSTEM, "%zu of the processes may not be read", l->left_out);
	return err_hint(e, "--allow-partial takes the others; --pid chooses one");
}

int load_sources(struct load *ret, const char *const *args, size_t n, const struct common_options *common,
		 struct load_options o, struct err *e)
{
	size_t gone = 0;

	*ret = (struct load){ 0 };
	for (size_t i = 0; i < n; i++) {
		struct load_options one = o;

		one.vanished_ok |= n > 1;
		if (load_argument(ret, args[i], common, one, e)) {
			/* One of many processes that ended is no reason to show none. */
			if (e->kind == ERR_GONE && one.vanished_ok && n > 1) {
				gone++;
				continue;
			}
			load_free(ret);
			return -1;
		}
	}
	if (gone && ret->n)
		load_remark(ret, &ret->snaps[0],
			    arena_printf(&ret->arena, "%zu of the %zu processes had ended: left out",
					 gone, n));
	spread_system(ret);
	if ((o.every_pid && find_every_pid(ret, common, e)) || join_files(ret, o, e) || check_sums(ret, e) ||
	    (o.judged && find_left_out(ret, common, e))) {
		load_free(ret);
		return -1;
	}
	if (ret->n == 0 && ret->counters_n == 0) {
		load_free(ret);
		return e->kind ? -1 : err_set(e, ERR_USAGE, "nothing to read");
	}
	load_tell_unread(ret);
	return 0;
}
