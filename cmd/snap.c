/* SPDX-License-Identifier: MIT */
/* hugecov snap: saves processes and system files (source/snapshot_write.h). */
#include <limits.h>

#include "base/num.h"
#include "cmd/commands.h"
#include "cmd/diag.h"
#include "cmd/manifest.h"
#include "cmd/output.h"
#include "parse/smaps.h"
#include "source/sink.h"
#include "source/snapshot_write.h"

enum { UNREAD_SHOWN = 5 };

static bool read_pid(const char *word, int64_t *ret)
{
	uint64_t pid;

	if (slice_eq_str(slice_str(word), "self")) {
		*ret = PID_SELF;
		return true;
	}
	if (!num_u64(slice_str(word), &pid) || pid == 0 || pid > INT_MAX)
		return false;
	*ret = (int64_t)pid;
	return true;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* What was saved; a few of the files that were not, the rest counted. */
static int tell(const struct snapshot_done *d, const char *target,
		const struct common_options *common)
{
	struct output o;
	struct err e;

	if (output_open(&o, common, &e) < 0)
		return diag_print(&e);
	out_printf(&o.out, "Saved %zu process%s, %zu file%s, %llu kB in ", d->processes,
		   d->processes == 1 ? "" : "es", d->files, plural(d->files),
		   (unsigned long long)(d->bytes / 1024));
	out_safe(&o.out, slice_str(target), o.style.ascii);
	out_str(&o.out, "\n");
	if (d->kernel_threads)
		out_printf(&o.out, "%zu kernel thread%s left out: no memory of their own\n",
			   d->kernel_threads, plural(d->kernel_threads));
	for (size_t i = 0; i < d->n_unread && i < UNREAD_SHOWN; i++) {
		out_str(&o.out, "Not read: ");
		out_safe(&o.out, slice_str(d->unread[i].file), o.style.ascii);
		out_printf(&o.out, ": %s\n", d->unread[i].why);
	}
	if (d->n_unread > UNREAD_SHOWN)
		out_printf(&o.out, "%zu more not read: \"unread\" in manifest.json\n",
			   d->n_unread - UNREAD_SHOWN);
	if (!d->complete)
		out_str(&o.out, "Incomplete: a process ended while it was read\n");
	return output_close(&o, &e) < 0 ? diag_print(&e) : STATUS_DONE;
}

/* Two mappings on one range: it was taken while the process mapped and unmapped. */
static bool is_torn(struct slice text)
{
	struct smaps s = { 0 };
	struct err ignored;
	bool torn = smaps_parse(text, (struct smaps_options){ .live = true }, &s, &ignored) == 0 &&
		    s.notes[NOTE_TORN] > 0;

	smaps_free(&s);
	return torn;
}

static int save(const struct snap_options *o, struct snapshot_want *want)
{
	struct tree *t;
	struct snapshot_done done = { 0 };
	struct manifest m = { .time_ns = -1 };
	struct err e;
	int status;

	if (tree_open(o->common.root, &t, &e) < 0)
		return diag_print(&e);
	int read = tree_is_live(t) ? 0 : manifest_read(t, &done.a, &m, &e);
	want->time_ns = m.time_ns; /* what is copied is as old as it was */
	arena_free(&done.a);
	if (read < 0 || snapshot_write(t, o->target, want, &done, &e) < 0)
		status = diag_print(&e);
	else
		status = tell(&done, o->target, &o->common);
	if (sink_stayed(&e))
		diag_print(&e);
	arena_free(&done.a);
	tree_close(t);
	return status;
}

int cmd_snap(const struct call *c)
{
	const struct snap_options *o = c->options;
	int64_t *pids = mem_array(c->n_args, sizeof(*pids));
	struct snapshot_want want = {
		.pids = pids,
		.n_pids = c->n_args,
		.all_pids = o->all_pids,
		.cmdline = o->cmdline,
		.allow_partial = o->common.allow_partial,
		.force = o->force,
		.time_ns = -1,
		.torn = is_torn,
	};
	int status = STATUS_DONE;

	for (size_t i = 0; i < c->n_args && status == STATUS_DONE; i++)
		if (!read_pid(c->args[i], &pids[i]))
			status = diag_usage("snap", "'%.60s' is no process id", c->args[i]);
	if (status == STATUS_DONE && !o->target)
		status = diag_usage("snap", "-o DIR or -o FILE.tar.zst is missing");
	else if (status == STATUS_DONE && !c->n_args && !o->all_pids)
		status = diag_usage("snap", "which process? PID... or --all-pids");
	if (status == STATUS_DONE)
		status = save(o, &want);
	mem_free(pids);
	return status;
}
