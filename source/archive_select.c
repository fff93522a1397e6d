/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <stdlib.h>

#include "source/archive_select.h"

/* One component a star each: digits for '#', anything for '*', the whole rest for a last "**". */
static const char *const tree_patterns[] = {
	"proc/#/smaps",
	"proc/#/smaps_rollup",
	"proc/#/status",
	"proc/#/stat",
	"proc/#/comm",
	"proc/#/maps",
	"proc/#/cgroup",
	"proc/#/cmdline",
	"proc/meminfo",
	"proc/vmstat",
	"proc/version",
	"proc/buddyinfo",
	"proc/zoneinfo",
	"proc/sys/kernel/**",
	"proc/sys/vm/**",
	"sys/kernel/mm/transparent_hugepage/**",
	"sys/kernel/mm/hugepages/**",
	"sys/devices/system/node/*/meminfo",
	"sys/devices/system/node/*/vmstat",
};

const char *const perf_file_names[] = {
	"perf.txt", "perf.csv", "perf.tsv", "perf.json", "perf.jsonl", "perf.stat", "perf-stat.txt",
	"perf-stat.csv", "perf-stat.json", "perf-stat.jsonl", "perf_stat.txt", NULL,
};

/* Those of a flat directory: the first ones make one, the others go with them. */
static const char *const flat_names[] = {
	"smaps", "smaps_rollup", "meminfo", "vmstat",
};
static const char *const companions[] = {
	"manifest.json", "status", "stat", "comm", "maps", "cgroup", "cmdline", "version",
	"buddyinfo", "zoneinfo", "enabled", "defrag", "shmem_enabled", "hpage_pmd_size",
	"transparent_hugepage/**",
};

static bool all_digits(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]))
			return false;
	return s.n > 0;
}

static bool component_fits(struct slice name, struct slice pattern)
{
	if (slice_eq_str(pattern, "#"))
		return all_digits(name);
	return slice_eq_str(pattern, "*") || slice_eq(name, pattern);
}

static bool fits(struct slice name, struct slice pattern)
{
	for (;;) {
		struct cut p = slice_cut(pattern, '/'), n = slice_cut(name, '/');

		if (slice_eq_str(p.head, "**"))
			return name.n > 0;
		if (!component_fits(n.head, p.head) || p.ok != n.ok)
			return false;
		if (!p.ok)
			return true;
		pattern = p.tail;
		name = n.tail;
	}
}

static bool fits_any(struct slice name, const char *const *patterns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fits(name, slice_str(patterns[i])))
			return true;
	return false;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum role role_of(struct slice name)
{
	if (fits_any(name, tree_patterns, COUNT(tree_patterns)))
		return ROLE_TREE;
	if (fits_any(name, flat_names, COUNT(flat_names)))
		return ROLE_FLAT;
	bool companion = fits_any(name, companions, COUNT(companions)) ||
			 fits_any(name, perf_file_names, COUNT(perf_file_names) - 1);
	return companion ? ROLE_COMPANION : ROLE_NONE;
}

bool archive_wants(struct slice name, struct candidate *ret)
{
	struct slice rest = name;
	unsigned depth = 0;

	for (;; depth++) {
		bool last = !slice_cut(rest, '/').ok;
		enum role role = role_of(rest);

		if (role != ROLE_NONE) {
			*ret = (struct candidate){
				.raw = name,
				.prefix = name.n - rest.n,
				.depth = depth,
				.role = role,
			};
			return true;
		}
		if (last)
			return false;
		rest = slice_cut(rest, '/').tail;
	}
}

/* ---- names ---- */

int archive_refuse(struct slice name, const char *why, struct err *e)
{
	struct out o;
	char shown[128];

	out_memory(&o);
	out_safe_cut(&o, name, (int)sizeof(shown) - 1, true);
	slice_cstr(out_slice(&o), shown, sizeof(shown));
	out_close(&o);
	return err_set(e, ERR_LIMIT, "member \"%s\" %s; nothing of the archive was read", shown,
		       why);
}

/* Appends the components of `name` to `buf`. ".." goes up when allowed; false: above the top. */
static bool append(char *buf, size_t *n, struct slice name, bool may_go_up)
{
	while (name.n) {
		struct cut c = slice_cut(name, '/');

		name = c.tail;
		if (c.head.n == 0 || slice_eq_str(c.head, "."))
			continue;
		if (slice_eq_str(c.head, "..")) {
			if (!may_go_up || *n == 0)
				return false;
			while (*n > 0 && buf[*n - 1] != '/')
				--*n;
			*n -= *n > 0;
			continue;
		}
		if (*n)
			buf[(*n)++] = '/';
		memcpy(buf + *n, c.head.p, c.head.n);
		*n += c.head.n;
	}
	return true;
}

int archive_name(struct slice name, struct arena *a, struct slice *ret, struct err *e)
{
	char *buf = arena_alloc(a, name.n + 1);
	size_t n = 0;

	if (slice_starts(name, SLICE("/")))
		return archive_refuse(name, "has an absolute name", e);
	if (!append(buf, &n, name, false))
		return archive_refuse(name, "leads out of the archive by \"..\"", e);
	*ret = slice_of(buf, n);
	return 0;
}

int archive_link(struct slice from, struct slice target, bool symbolic, struct arena *a,
		 struct slice *ret, struct err *e)
{
	char *buf = arena_alloc(a, from.n + target.n + 2);
	size_t n = 0, dir = from.n;

	if (symbolic) {
		while (dir > 0 && from.p[dir - 1] != '/')
			dir--;
		append(buf, &n, slice_first(from, dir), false);
	}
	if (slice_starts(target, SLICE("/")) || !append(buf, &n, target, symbolic) || n == 0)
		return archive_refuse(from, "is a link that leads out of the archive", e);
	*ret = slice_of(buf, n);
	return 0;
}

/* ---- the choice ---- */

static int by_name(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	int c = slice_cmp(a->raw, b->raw);

	if (c)
		return c;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int name_is(const void *key, const void *candidate)
{
	return slice_cmp(*(const struct slice *)key, ((const struct candidate *)candidate)->raw);
}

/* Of those with one name the last in the archive stays: so does tar when it unpacks. */
static size_t drop_earlier(struct candidate *all, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || !slice_eq(all[i].raw, all[i + 1].raw))
			all[kept++] = all[i];
	return kept;
}

enum { LINKS_MAX = 8 };

static int resolve(struct candidate *all, size_t n, struct candidate *c, struct err *e)
{
	const struct candidate *at = c;

	for (int i = 0; at && at->link.n; i++) {
		if (i == LINKS_MAX)
			return archive_refuse(c->raw, "is a link that goes round in a circle", e);
		at = bsearch(&at->link, all, n, sizeof(*all), name_is);
	}
	if (!at)
		return archive_refuse(c->raw, "is a link to what is no file for hugecov", e);
	c->data = at->data;
	return 0;
}

static bool before(const struct candidate *a, const struct candidate *b)
{
	return a->role != b->role ? a->role < b->role : a->depth < b->depth;
}

static struct slice prefix_of(const struct candidate *c)
{
	return slice_first(c->raw, c->prefix);
}

static const struct candidate *outermost(const struct candidate *all, size_t n, struct err *e)
{
	const struct candidate *best = NULL, *rival = NULL;

	for (size_t i = 0; i < n; i++)
		if (all[i].role < ROLE_COMPANION && (!best || before(&all[i], best)))
			best = &all[i];
	if (!best) {
		err_set(e, ERR_KIND, "the archive holds neither smaps nor meminfo nor anything "
				     "else that hugecov reads");
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		if (all[i].role < ROLE_COMPANION && !before(best, &all[i]) &&
		    !slice_eq(prefix_of(&all[i]), prefix_of(best)))
			rival = &all[i];
	if (rival) {
		archive_refuse(prefix_of(rival), "is a second tree beside another one", e);
		err_hint(e, "tar -xf ARCHIVE, and name one of the directories");
		return NULL;
	}
	return best;
}

int archive_choose(struct candidate *all, size_t n, struct arena *a, struct member **ret,
		   size_t *ret_n, struct err *e)
{
	if (n)
		qsort(all, n, sizeof(*all), by_name);
	n = drop_earlier(all, n);
	const struct candidate *best = outermost(all, n, e);
	if (!best)
		return -1;
	struct slice prefix = prefix_of(best);

	*ret = arena_array(a, n, sizeof(**ret));
	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		struct candidate *c = &all[i];

		if (!slice_eq(prefix_of(c), prefix))
			continue;
		if (resolve(all, n, c, e) < 0)
			return -1;
		(*ret)[(*ret_n)++] = (struct member){ slice_skip(c->raw, prefix.n), c->data };
	}
	return 0;
}
