/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Directories of a tree: names, sorted as people count (node2 before node10). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "source/internal.h"

struct names {
	struct slice *all;
	size_t n, cap;
};

static void names_add(struct names *l, struct arena *a, struct slice name)
{
	l->all = mem_grow(l->all, &l->cap, l->n + 1, sizeof(l->all[0]));
	l->all[l->n++] = arena_copy(a, name);
}

static struct slice take_digits(struct slice *s)
{
	size_t n = 0;

	while (n < s->n && is_digit(s->p[n]))
		n++;
	struct slice digits = slice_first(*s, n);
	*s = slice_skip(*s, n);
	while (digits.n > 1 && digits.p[0] == '0')
		digits = slice_skip(digits, 1);
	return digits;
}

/* Runs of digits by value, the rest by bytes. */
static int natural_cmp(const void *x, const void *y)
{
	struct slice a = *(const struct slice *)x, b = *(const struct slice *)y;
	struct slice whole_a = a, whole_b = b;

	while (a.n && b.n) {
		if (is_digit(a.p[0]) && is_digit(b.p[0])) {
			struct slice da = take_digits(&a), db = take_digits(&b);

			if (da.n != db.n)
				return da.n < db.n ? -1 : 1;
			int c = slice_cmp(da, db);
			if (c)
				return c;
			continue;
		}
		if (a.p[0] != b.p[0])
			return (unsigned char)a.p[0] < (unsigned char)b.p[0] ? -1 : 1;
		a = slice_skip(a, 1);
		b = slice_skip(b, 1);
	}
	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	return slice_cmp(whole_a, whole_b);
}

/* Where the names that begin with "DIR/" stand among those sorted by bytes: before, in or behind `name`. */
static int below_cmp(struct slice name, struct slice dir)
{
	int c = slice_cmp(slice_first(name, dir.n), dir);

	if (c || name.n == dir.n)
		return c ? c : -1;
	return name.p[dir.n] == '/' ? 0 : (unsigned char)name.p[dir.n] < '/' ? -1 : 1;
}

/* The first member below a directory, or where it would stand; "" is the top. */
static size_t first_below(const struct tree *t, struct slice dir)
{
	size_t from = 0, to = dir.n ? t->n_members : 0;

	while (from < to) {
		size_t at = from + (to - from) / 2;

		if (below_cmp(t->members[at].name, dir) < 0)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

static bool is_below(const struct tree *t, size_t i, struct slice dir)
{
	return i < t->n_members && (!dir.n || below_cmp(t->members[i].name, dir) == 0);
}

/* Members are sorted by bytes, so those below one directory that share a first component touch. */
static enum got list_members(struct tree *t, const char *relative, struct arena *a,
			     struct names *l, struct err *e)
{
	struct slice dir = strcmp(relative, ".") ? slice_str(relative) : slice_of(NULL, 0), last = { 0 };
	size_t first = first_below(t, dir);

	for (size_t i = first; is_below(t, i, dir); i++) {
		struct slice name = slice_skip(t->members[i].name, dir.n ? dir.n + 1 : 0);

		name = slice_cut(name, '/').head;
		if (last.p && slice_eq(name, last))
			continue;
		names_add(l, a, name);
		last = name;
	}
	return !dir.n || is_below(t, first, dir) ? GOT_ALL : tree_failed(t, relative, ENOENT, e);
}

bool tree_is_folder(const struct tree *t, const char *relative)
{
	struct slice dir = slice_str(relative);
	struct stat s;

	if (t->fd < 0)
		return dir.n && is_below(t, first_below(t, dir), dir);
	return tree_stat(t, relative, &s) && S_ISDIR(s.st_mode);
}

static enum got list_directory(struct tree *t, const char *relative, struct arena *a,
			       struct names *l, struct err *e)
{
	int fd = open_beneath(t->fd, relative[0] ? relative : ".", O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!d) {
		int code = errno;

		if (fd >= 0)
			close(fd);
		return tree_failed(t, relative, code, e);
	}
	for (errno = 0; (entry = readdir(d)); errno = 0) {
		struct slice name = slice_str(entry->d_name);

		if (!slice_eq_str(name, ".") && !slice_eq_str(name, ".."))
			names_add(l, a, name);
	}
	int code = errno;
	closedir(d);
	return code ? tree_failed(t, relative, code, e) : GOT_ALL;
}

enum got tree_list(struct tree *t, const char *relative, struct arena *a, struct slice **ret,
		   size_t *ret_n, struct err *e)
{
	struct names l = { 0 };
	enum got got = t->fd < 0 ? list_members(t, relative, a, &l, e)
				 : list_directory(t, relative, a, &l, e);

	*ret = NULL;
	*ret_n = 0;
	if (got == GOT_ALL && l.n) {
		qsort(l.all, l.n, sizeof(l.all[0]), natural_cmp);
		*ret = arena_dup(a, l.all, l.n, sizeof(l.all[0]));
		*ret_n = l.n;
	}
	mem_free(l.all);
	return got;
}
