/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* The moment on screen as a snapshot that report, diff and check read. */
#include <stdio.h>
#include <time.h>

#include "base/json.h"
#include "base/version.h"
#include "cmd/watch.h"
#include "report/report_json.h"
#include "report/smaps_text.h"
#include "source/sink.h"

struct saving {
	struct sink *sink;
	const struct snapshot *s;
	struct out text;
	struct err *e;
	int status;
};

/* What is in x->text becomes a file; an empty one is none. */
static void put(struct saving *x, const char *name)
{
	if (!x->status && x->text.n)
		x->status = sink_file(x->sink, name, out_slice(&x->text), x->e);
	out_reset(&x->text);
}

static void put_process(struct saving *x, const char *file)
{
	char name[64];

	snprintf(name, sizeof(name), "proc/%lld/%s", (long long)x->s->process.pid, file);
	put(x, name);
}

static char state_of(const struct process_info *p)
{
	return p->state ? p->state : 'S';
}

/* As the kernel writes it there: one line, whatever a process calls itself. */
static void put_comm(struct out *o, struct slice comm)
{
	for (size_t i = 0; i < comm.n; i++) {
		char c = comm.p[i];

		if (c == '\n' || c == '\\')
			out_byte(o, '\\');
		out_byte(o, c == '\n' ? 'n' : c);
	}
}

static void save_names(struct saving *x)
{
	const struct process_info *p = &x->s->process;
	char state = state_of(p);

	out_put(&x->text, p->comm);
	out_byte(&x->text, '\n');
	put_process(x, "comm");
	/* Field 22 is what tells one process from a later one with its number. */
	out_printf(&x->text, "%lld (", (long long)p->pid);
	put_comm(&x->text, p->comm);
	out_printf(&x->text, ") %c", state);
	for (int field = 4; field < 22; field++)
		out_str(&x->text, " 0");
	out_printf(&x->text, " %llu\n", (unsigned long long)p->start_ticks);
	put_process(x, "stat");
	out_str(&x->text, "Name:\t");
	put_comm(&x->text, p->comm);
	out_printf(&x->text, "\nState:\t%c\nPid:\t%lld\n", state, (long long)p->pid);
	if (p->thp_disabled >= 0)
		out_printf(&x->text, "THP_enabled:\t%d\n", !p->thp_disabled);
	put_process(x, "status");
}

static void save_process(struct saving *x)
{
	struct slice cgroup = x->s->process.cgroup;

	smaps_text(&x->text, &x->s->smaps);
	put_process(x, "smaps");
	save_names(x);
	/* The kernel lets no group have a newline in its name, so that the file keeps its lines. */
	if (cgroup.n && !slice_has(cgroup, SLICE("\n"))) {
		out_printf(&x->text, "0::%.*s\n", SLICE_FMT(cgroup));
		put_process(x, "cgroup");
	}
}

static void put_line(struct saving *x, const char *name, struct slice line)
{
	if (!line.n)
		return;
	out_put(&x->text, line);
	out_byte(&x->text, '\n');
	put(x, name);
}

static void save_settings(struct saving *x, const char *folder, const struct thp_setting *list,
			  size_t n)
{
	char name[256];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "sys/kernel/mm/transparent_hugepage/%s%.*s", folder,
			 SLICE_FMT(list[i].file));
		put_line(x, name, list[i].value);
	}
}

static void save_sizes(struct saving *x, const struct thp_settings *t)
{
	char folder[64];

	for (size_t i = 0; i < t->sizes_n; i++) {
		const struct thp_size *size = &t->sizes[i];
		const struct thp_setting own[] = {
			{ .file = SLICE("enabled"), .value = size->enabled },
			{ .file = SLICE("shmem_enabled"), .value = size->shmem_enabled }
		};

		snprintf(folder, sizeof(folder), "hugepages-%llukB/", (unsigned long long)size->kb);
		save_settings(x, folder, own, 2);
		snprintf(folder, sizeof(folder), "hugepages-%llukB/stats/",
			 (unsigned long long)size->kb);
		save_settings(x, folder, size->stats, size->stats_n);
	}
}

static void save_keyvals(struct saving *x, const char *name, const struct keyvals *k, bool colon)
{
	for (size_t i = 0; i < k->n; i++)
		out_printf(&x->text, "%.*s%s %llu%s\n", SLICE_FMT(k->at[i].key), colon ? ":" : "",
			   (unsigned long long)k->at[i].value, k->at[i].kb ? " kB" : "");
	put(x, name);
}

static void save_system(struct saving *x)
{
	const struct system_info *s = &x->s->system;

	if (s->has_meminfo)
		save_keyvals(x, "proc/meminfo", &s->meminfo, true);
	if (s->has_vmstat)
		save_keyvals(x, "proc/vmstat", &s->vmstat, false);
	put_line(x, "proc/sys/kernel/osrelease", s->kernel);
	put_line(x, "proc/sys/kernel/arch", s->arch);
	put_line(x, "proc/sys/kernel/random/boot_id", s->boot_id);
	save_settings(x, "", s->thp.at, s->thp.n);
	save_sizes(x, &s->thp);
}

static void json_process_saved(struct json *j, const struct snapshot *s)
{
	const char state[2] = { state_of(&s->process), '\0' };

	json_object(j);
	json_kv_i64(j, "pid", s->process.pid);
	json_kv_printed(j, "comm", s->process.comm);
	json_kv_str(j, "state", state);
	json_kv_u64(j, "start_ticks", s->process.start_ticks);
	json_kv_bool(j, "complete", s->source.complete);
	json_object_end(j);
}

static void save_manifest(struct saving *x)
{
	const struct snapshot *s = x->s;
	struct json j;

	json_start(&j, &x->text);
	json_object(&j);
	json_schema(&j, "hugecov.snapshot/1");
	json_time(&j, "time", s->source.time_ns);
	json_kv_bool(&j, "complete", s->source.complete);
	json_kv_printed(&j, "kernel", s->system.kernel);
	json_kv_printed(&j, "arch", s->system.arch);
	json_kv_printed(&j, "boot_id", s->system.boot_id);
	json_key(&j, "processes");
	json_array(&j);
	json_process_saved(&j, s);
	json_array_end(&j);
	json_key(&j, "unread");
	json_array(&j);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
	put(x, "manifest.json");
}

static int save(const struct snapshot *s, const char *target, struct err *e)
{
	struct saving x = { .s = s, .e = e };

	if (sink_open(target, false, s->source.time_ns, &x.sink, e))
		return -1;
	out_memory(&x.text);
	save_process(&x);
	save_system(&x);
	save_manifest(&x);
	out_close(&x.text);
	if (!x.status)
		return sink_commit(x.sink, e);
	sink_drop(x.sink);
	return -1;
}

void watch_save(const struct watching *w, const struct moment *x, char *said, size_t size)
{
	time_t t = (time_t)(x->snap.source.time_ns / 1000000000);
	char target[64], stamp[32] = "";
	struct err e;
	struct tm tm;

	if (x->snap.source.time_ns >= 0 && localtime_r(&t, &tm))
		strftime(stamp, sizeof(stamp), "-%Y%m%d-%H%M%S", &tm);
	snprintf(target, sizeof(target), "hugecov-%lld%s", (long long)x->snap.process.pid, stamp);
	if (save(&x->snap, target, &e))
		snprintf(said, size, "Not saved: %.200s", e.text);
	else
		snprintf(said, size, "Saved: hugecov report %s", target);
	(void)w;
}
