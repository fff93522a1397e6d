/* SPDX-License-Identifier: MIT */
/* The system files of a tree: meminfo, vmstat, THP settings, nodes, which kernel. */
#include <stdio.h>

#include "base/num.h"
#include "cmd/load_internal.h"

enum { THP_DEPTH_MAX = 2 };
enum { PATH_ROOM = 1024 }; /* none of the names below is longer; what is cut is not found */

/* A path below the prefix; buf has PATH_ROOM bytes. */
static const char *path_in(char *buf, const char *prefix, const char *rest)
{
	snprintf(buf, PATH_ROOM, "%s%s", prefix, rest);
	return buf;
}

/* Notes a failure in l->unread, unless the file is just not there, not ours to read, or of a process that has ended. */
static void note_unread(struct load *l, enum got got, const struct err *e)
{
	if (got != GOT_FAILED && (got != GOT_PARTIAL || e->kind == ERR_GONE))
		return;
	if (!l->unread_n++)
		l->unread = *e;
}

/* All of it or nothing: of half a file the last number may be cut, and be taken for a smaller one. */
struct slice load_read_into(struct arena *a, struct load *l, struct tree *t, const char *path)
{
	struct slice text;
	struct err e;
	enum got got = tree_read(t, path, SYSTEM_FILE_MAX, a, &text, &e);

	note_unread(l, got, &e);
	return got == GOT_ALL ? text : slice_of(NULL, 0);
}

struct slice load_read_small(struct load *l, struct tree *t, const char *path)
{
	return load_read_into(&l->arena, l, t, path);
}

struct slice load_read_line(struct load *l, struct tree *t, const char *path)
{
	return slice_trim(slice_cut_line(load_read_small(l, t, path)).head);
}

static struct slice read_below(struct load *l, struct tree *t, const char *base, const char *rel)
{
	char path[2 * PATH_ROOM];

	snprintf(path, sizeof(path), "%s/%s", base, rel);
	return load_read_small(l, t, path);
}

static void read_thp_files(struct load *l, struct tree *t, const char *base, const char *sub, int depth);

/* A setting, or a folder of them: that is known when it cannot be read. */
static void read_thp_entry(struct load *l, struct tree *t, const char *base, const char *rel, int depth)
{
	char path[2 * PATH_ROOM];
	struct slice text;
	struct err e;

	snprintf(path, sizeof(path), "%s/%s", base, rel);
	enum got got = tree_read(t, path, SYSTEM_FILE_MAX, &l->arena, &text, &e);
	if (got == GOT_ALL && text.n)
		thp_settings_add(&l->system.thp, &l->arena, slice_str(rel), text);
	else if (got != GOT_ALL && depth < THP_DEPTH_MAX && tree_is_folder(t, path))
		read_thp_files(l, t, base, rel, depth + 1);
	else
		note_unread(l, got, &e);
}

static void read_thp_files(struct load *l, struct tree *t, const char *base, const char *sub, int depth)
{
	char path[2 * PATH_ROOM], rel[256];
	struct slice *names;
	size_t n;
	struct err e;

	snprintf(path, sizeof(path), "%s%s%s", base, *sub ? "/" : "", sub);
	note_unread(l, tree_list(t, path, &l->arena, &names, &n, &e), &e);
	for (size_t i = 0; i < n; i++) {
		int len = snprintf(rel, sizeof(rel), "%s%s%.*s", sub, *sub ? "/" : "", SLICE_FMT(names[i]));
		if (len >= 0 && (size_t)len < sizeof(rel)) /* the kernel has no longer names */
			read_thp_entry(l, t, base, rel, depth);
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
	note_unread(l, tree_list(t, base, &l->arena, &names, &n, &e), &e);
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

	struct slice text = load_read_small(l, t, path_in(buf, prefix, "proc/meminfo"));
	s->has_meminfo = text.n && !meminfo_parse(text, &l->arena, false, &s->meminfo, &e);
	text = load_read_small(l, t, path_in(buf, prefix, "proc/vmstat"));
	s->has_vmstat = text.n && !vmstat_parse(text, &l->arena, false, &s->vmstat, &e);
	s->kernel = load_read_line(l, t, path_in(buf, prefix, "proc/sys/kernel/osrelease"));
	if (!s->kernel.n)
		s->kernel = kernel_of_version(load_read_line(l, t, path_in(buf, prefix, "proc/version")));
	s->arch = load_read_line(l, t, path_in(buf, prefix, "proc/sys/kernel/arch")); /* since 6.1 */
	s->boot_id = load_read_line(l, t, path_in(buf, prefix, "proc/sys/kernel/random/boot_id"));
	path_in(buf, prefix, "sys/kernel/mm/transparent_hugepage");
	if (all_files)
		read_thp_files(l, t, buf, "", 0);
	else
		read_thp_few(l, t, buf);
	s->has_thp = s->thp.n > 0 || s->thp.sizes_n > 0;
	if (all_files)
		read_nodes(l, t, prefix);
}

/* Files that somebody copied into one folder have lost their path: "enabled" is taken for that of THP. */
void load_flat_system(struct load *l, struct tree *t)
{
	static const char *const settings[] = { "enabled", "defrag", "shmem_enabled", "hpage_pmd_size" };
	struct system_info *sys = &l->system;
	struct err ignored;

	struct slice text = load_read_small(l, t, "meminfo");
	sys->has_meminfo = text.n && !meminfo_parse(text, &l->arena, false, &sys->meminfo, &ignored);
	text = load_read_small(l, t, "vmstat");
	sys->has_vmstat = text.n && !vmstat_parse(text, &l->arena, false, &sys->vmstat, &ignored);
	sys->kernel = kernel_of_version(load_read_line(l, t, "version"));
	read_thp_files(l, t, "transparent_hugepage", "", 0);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if ((text = load_read_small(l, t, settings[i])).n && !thp_setting(&sys->thp, settings[i]).n)
			thp_settings_add(&sys->thp, &l->arena, slice_str(settings[i]), text);
	sys->has_thp = sys->thp.n > 0 || sys->thp.sizes_n > 0;
}
