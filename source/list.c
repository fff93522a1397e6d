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

/* Members are sorted by bytes, so those below one directory that share a first component touch. */
static enum got list_members(struct tree *t, const char *relative, struct arena *a,
			     struct names *l, struct err *e)
{
	struct slice dir = slice_str(relative), last = { 0 };
	bool root = dir.n == 0 || slice_eq_str(dir, ".");
	bool found = root;

	for (size_t i = 0; i < t->n_members; i++) {
		struct slice name = t->members[i].name;

		if (!root) {
			if (!slice_starts(name, dir) || name.n == dir.n || name.p[dir.n] != '/')
				continue;
			name = slice_skip(name, dir.n + 1);
		}
		found = true;
		name = slice_cut(name, '/').head;
		if (last.p && slice_eq(name, last))
			continue;
		names_add(l, a, name);
		last = name;
	}
	return found ? GOT_ALL : tree_failed(t, relative, ENOENT, e);
}

bool tree_is_folder(const struct tree *t, const char *relative)
{
	struct slice dir = slice_str(relative);
	struct stat s;

	for (size_t i = 0; t->fd < 0 && i < t->n_members; i++) {
		struct slice name = t->members[i].name;

		if (slice_starts(name, dir) && name.n > dir.n && name.p[dir.n] == '/')
			return true;
	}
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
