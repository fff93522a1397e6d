/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Links inside a saved tree: one process under many names, and a few bytes that would be read as many. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/num.h"
#include "source/internal.h"

enum { AGAIN_MAX = 64 * 1024 * 1024 }; /* bytes that come again; the same as is free in an archive */

int64_t process_link(const struct tree *t, int64_t pid)
{
	char name[24], to[24];
	uint64_t number;

	if (t->live || t->fd < 0)
		return -1;
	int proc = open_beneath(t->fd, "proc", O_PATH | O_DIRECTORY);
	if (proc < 0)
		return -1;
	snprintf(name, sizeof(name), "%lld", (long long)pid);
	ssize_t n = readlinkat(proc, name, to, sizeof(to));
	close(proc);
	/* "07" is no process' folder: what the link leads to would not be read by its own name. */
	if (n <= 0 || to[0] == '0' || !num_u64(slice_of(to, (size_t)n), &number) || number > INT32_MAX)
		return -1;
	return (int64_t)number;
}

int tree_meet(struct tree *t, const char *relative, struct err *e)
{
	struct stat s;
	bool is_new;

	if (t->live || t->fd < 0)
		return 0;
	int fd = open_beneath(t->fd, relative, O_PATH);
	if (fd < 0)
		return 0; /* whoever reads it says so */
	if (fstat(fd, &s) < 0)
		s = (struct stat){ 0 };
	close(fd);
	const char *id = arena_printf(&t->a, "%llx:%llx", (unsigned long long)s.st_dev, (unsigned long long)s.st_ino);

	strmap_at(&t->met, slice_str(id), &is_new);
	if (is_new || s.st_size <= 0)
		return 0;
	t->again += (uint64_t)s.st_size;
	if (t->again <= AGAIN_MAX)
		return 0;
	return err_set(e, ERR_LIMIT, "links in proc/ lead to the same mappings again and again, for more than %d MiB",
		       AGAIN_MAX >> 20);
}
