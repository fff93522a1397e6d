/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* What a SOURCE argument is: by its form first, then by what stands under that name. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/num.h"
#include "source/archive.h"
#include "source/internal.h"

static bool all_digits(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]))
			return false;
	return s.n > 0;
}

static int form_of_pid(struct slice s, enum source_form *ret, int64_t *ret_pid, struct err *e)
{
	uint64_t pid;

	if (!num_u64(s, &pid) || pid == 0 || pid > INT_MAX) {
		err_set(e, ERR_USAGE, "%.*s is no process id", SLICE_FMT(slice_first(s, 64)));
		return err_hint(e, "./%.*s for a file of that name", SLICE_FMT(slice_first(s, 64)));
	}
	*ret = FORM_PID;
	*ret_pid = (int64_t)pid;
	return 0;
}

/* A file with a tar in it, compressed or not, is an archive. */
static int form_of_content(const char *name, enum source_form *ret, struct err *e)
{
	char head[TAR_HEAD];
	struct stat s;
	bool tar;
	int fd, status = 0;

	if (file_open(name, &fd, &s, e) < 0)
		return -1;
	ssize_t n = read_head(fd, head, sizeof(head));
	struct slice start = slice_of(head, n > 0 ? (size_t)n : 0);
	tar = bytes_are_tar(start);
	if (bytes_are_compressed(start))
		status = unpack_is_tar(fd, &tar, e);
	close(fd);
	if (status < 0)
		return err_in(e, name);
	if (tar)
		*ret = FORM_ARCHIVE;
	return 0;
}

static int form_of_name(const char *name, enum source_form *ret, struct err *e)
{
	struct stat s;

	if (stat(name, &s) < 0) {
		err_sys(e, errno, "cannot be read");
		return err_in(e, name);
	}
	if (S_ISDIR(s.st_mode)) {
		*ret = FORM_DIRECTORY;
		return 0;
	}
	const char *why = file_refusal(&s);
	if (why) {
		err_set(e, ERR_KIND, "%s", why);
		return err_in(e, name);
	}
	*ret = FORM_FILE;
	return S_ISREG(s.st_mode) ? form_of_content(name, ret, e) : 0;
}

int source_form(const char *argument, enum source_form *ret, int64_t *ret_pid, struct err *e)
{
	struct slice s = slice_str(argument);

	*ret_pid = -1;
	if (s.n == 0) /* "$PID" that was never set, $(pidof …) in quotes that found none */
		return err_set(e, ERR_USAGE, "an empty argument: a PID or a file is due there");
	if (slice_eq_str(s, "-") || slice_eq_str(s, "self")) {
		*ret = s.n == 1 ? FORM_STDIN : FORM_SELF;
		return 0;
	}
	if (all_digits(s))
		return form_of_pid(s, ret, ret_pid, e);
	return form_of_name(argument, ret, e);
}
