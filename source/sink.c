/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "source/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/mem.h"

enum { TRIES = 100, TEMPORARY = 64 };

struct sink {
	int folder;                /* the directory that holds the target */
	char *path;                /* the target as given, for messages */
	char name[NAME_MAX + 1];   /* its name in the folder */
	char temporary[TEMPORARY]; /* the name it grows under; "" when nothing is there */
	bool force;
	bool is_archive;
	int fd;                    /* of the archive or of the directory */
	struct tar_writer *tar;
	char *made;                /* the directory that was made last */
};

/* ---- signals: noticed here, obeyed when everything is cleaned up ---- */

static const int fatal_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
enum { FATAL_COUNT = sizeof(fatal_signals) / sizeof(fatal_signals[0]) };
static struct sigaction previous[FATAL_COUNT];
static volatile sig_atomic_t caught;
static struct sink *open_sink; /* for sink_emergency() */
static struct err stayed;      /* of the sink that was closed last */

static void on_fatal_signal(int sig)
{
	caught = sig;
}

static void guard_signals(void)
{
	struct sigaction sa = { .sa_handler = on_fatal_signal };

	caught = 0;
	for (int i = 0; i < FATAL_COUNT; i++) {
		sigaction(fatal_signals[i], NULL, &previous[i]);
		if (previous[i].sa_handler != SIG_IGN) /* nohup stays nohup */
			sigaction(fatal_signals[i], &sa, NULL);
	}
}

static void release_signals(void)
{
	for (int i = 0; i < FATAL_COUNT; i++)
		sigaction(fatal_signals[i], &previous[i], NULL);
	if (caught)
		raise(caught);
}

/* ---- the target ---- */

static const struct {
	const char *ending;
	bool written; /* false: an archive of a kind that is not written */
	enum packing packing;
} endings[] = {
	{ ".tar", true, PACK_NONE },	{ ".tar.gz", true, PACK_GZIP },
	{ ".tgz", true, PACK_GZIP },	{ ".tar.xz", true, PACK_XZ },
	{ ".txz", true, PACK_XZ },	{ ".tar.zst", true, PACK_ZSTD },
	{ ".tzst", true, PACK_ZSTD },	{ ".gz", false, 0 },
	{ ".xz", false, 0 },		{ ".zst", false, 0 },
	{ ".bz2", false, 0 },		{ ".zip", false, 0 },
	{ ".7z", false, 0 },
};

static int failed(const struct sink *s, int code, const char *what, struct err *e)
{
	err_sys(e, code, "%s", what);
	return err_in(e, s->path);
}

static int find_kind(struct sink *s, enum packing *ret, struct err *e)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (!slice_ends(slice_str(s->name), slice_str(endings[i].ending)))
			continue;
		s->is_archive = true;
		*ret = endings[i].packing;
		if (endings[i].written)
			return 0;
		err_set(e, ERR_USAGE, "is no name for a snapshot: a directory, .tar, .tar.gz, "
				      ".tar.xz or .tar.zst");
		return err_in(e, s->path);
	}
	return 0;
}

static int find_folder(struct sink *s, struct err *e)
{
	struct slice path = slice_str(s->path), name;
	char folder[PATH_MAX] = ".";

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	size_t at = path.n;
	while (at > 0 && path.p[at - 1] != '/')
		at--;
	name = slice_skip(path, at);
	if (!name.n || slice_eq_str(name, ".") || slice_eq_str(name, ".."))
		return failed(s, EEXIST, "is no name for a snapshot", e);
	if (name.n > NAME_MAX || at >= sizeof(folder))
		return failed(s, ENAMETOOLONG, "is no name for a snapshot", e);
	slice_cstr(name, s->name, sizeof(s->name));
	if (at)
		slice_cstr(slice_first(path, at), folder, sizeof(folder));
	s->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return s->folder < 0 ? failed(s, errno, "its folder cannot be opened", e) : 0;
}

/* A directory may be replaced when it is empty or a snapshot and nothing else. */
static bool may_replace(const struct sink *s)
{
	static const char *const parts[] = { "manifest.json", "proc", "sys" };
	char text[4096];
	int dir = openat(s->folder, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return false;
	bool ok = directory_holds_only(dir, parts, sizeof(parts) / sizeof(parts[0]));
	int fd = openat(dir, "manifest.json", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0) {
		ssize_t n = read(fd, text, sizeof(text));

		ok &= n > 0 && slice_has(slice_of(text, (size_t)n), SLICE("hugecov.snapshot/"));
		close(fd);
	} else {
		ok &= directory_holds_only(dir, NULL, 0);
	}
	close(dir);
	return ok;
}

static int check_target(const struct sink *s, struct err *e)
{
	struct stat st;

	if (fstatat(s->folder, s->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : failed(s, errno, "cannot be made", e);
	if (!s->force) {
		failed(s, EEXIST, "not written", e);
		return err_hint(e, "--force to replace it");
	}
	if (s->is_archive ? !S_ISREG(st.st_mode) : !S_ISDIR(st.st_mode))
		return failed(s, EEXIST, s->is_archive ? "is no regular file, and not replaced"
						       : "is no directory, and not replaced", e);
	if (!s->is_archive && !may_replace(s))
		return failed(s, EEXIST, "is no snapshot, or holds other files too: not replaced", e);
	return 0;
}

/* ---- the temporary ---- */

static int make_one(struct sink *s)
{
	if (fault(FAULT_OPEN)) {
		errno = EACCES;
		return -1;
	}
	if (s->is_archive)
		return openat(s->folder, s->temporary,
			      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (mkdirat(s->folder, s->temporary, 0700) < 0)
		return -1;
	return openat(s->folder, s->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int make_temporary(struct sink *s, struct err *e)
{
	for (int i = 0; i < TRIES; i++) {
		snprintf(s->temporary, sizeof(s->temporary), ".hugecov-%ld-%d.tmp",
			 (long)getpid(), i);
		s->fd = make_one(s);
		if (s->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	s->temporary[0] = '\0';
	return failed(s, errno, "cannot be made", e);
}

static void sink_free(struct sink *s)
{
	tar_writer_drop(s->tar);
	if (s->fd >= 0)
		close(s->fd);
	if (s->folder >= 0)
		close(s->folder);
	mem_free(s->path);
	mem_free(s->made);
	mem_free(s);
}

/* Beside the target, which is named as it was given. */
static void note_stayed(const struct sink *s, int code)
{
	struct slice path = slice_str(s->path);

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	while (path.n > 0 && path.p[path.n - 1] != '/')
		path.n--;
	err_sys(&stayed, code, "could not be removed altogether");
	snprintf(stayed.file, sizeof(stayed.file), "%.*s%s", SLICE_FMT(path), s->temporary);
}

static void forget_temporary(struct sink *s)
{
	if (s->temporary[0] && remove_tree(s->folder, s->temporary) < 0 && errno != ENOENT)
		note_stayed(s, errno);
	s->temporary[0] = '\0';
}

bool sink_stayed(struct err *ret)
{
	*ret = stayed;
	return stayed.kind != ERR_NONE;
}

void sink_emergency(void)
{
	if (open_sink)
		forget_temporary(open_sink);
}

/* Closes; the program may end here by the signal that came meanwhile. */
static void sink_close(struct sink *s)
{
	forget_temporary(s);
	open_sink = NULL;
	sink_free(s);
	release_signals();
}

void sink_drop(struct sink *s)
{
	if (s)
		sink_close(s);
}

int sink_open(const char *target, bool force, int64_t time_ns, struct sink **ret, struct err *e)
{
	struct sink *s = mem_zalloc(sizeof(*s));
	size_t n = strlen(target) + 1;
	enum packing packing = PACK_NONE;

	stayed = (struct err){ 0 };
	s->path = memcpy(mem_alloc(n), target, n);
	s->folder = s->fd = -1;
	s->force = force;
	if (find_folder(s, e) < 0 || find_kind(s, &packing, e) < 0 || check_target(s, e) < 0) {
		sink_free(s);
		return -1;
	}
	guard_signals();
	open_sink = s;
	if (make_temporary(s, e) < 0 ||
	    (s->is_archive && tar_writer_new(s->fd, packing, time_ns, &s->tar, e) < 0)) {
		err_in(e, s->path);
		sink_close(s);
		return -1;
	}
	*ret = s;
	return 0;
}

/* ---- files ---- */

/* Makes the directories of `name`, those of the last file being there already. */
static int make_folders(struct sink *s, const char *name)
{
	const char *last = strrchr(name, '/');
	char path[PATH_MAX];

	if (!last || (s->made && strncmp(s->made, name, (size_t)(last - name)) == 0 &&
		      s->made[last - name] == '\0'))
		return 0;
	for (const char *at = strchr(name, '/'); at; at = strchr(at + 1, '/')) {
		slice_cstr(slice_of(name, (size_t)(at - name)), path, sizeof(path));
		if (mkdirat(s->fd, path, 0700) < 0 && errno != EEXIST)
			return -1;
	}
	mem_free(s->made);
	size_t n = (size_t)(last - name);
	s->made = mem_alloc(n + 1);
	slice_cstr(slice_of(name, n), s->made, n + 1);
	return 0;
}

static int directory_file(struct sink *s, const char *name, struct slice bytes, struct err *e)
{
	if (make_folders(s, name) < 0)
		return failed(s, errno, "writing failed", e);
	int fd = fault(FAULT_OPEN) ? (errno = ENOSPC, -1) :
		openat(s->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed(s, errno, "writing failed", e);
	int status = write_all(fd, bytes);
	int code = errno;
	if (close(fd) < 0 && status == 0) { /* a network file system tells a full disk here */
		status = -1;
		code = errno;
	}
	return status < 0 ? failed(s, code, "writing failed", e) : 0;
}

int sink_file(struct sink *s, const char *name, struct slice bytes, struct err *e)
{
	if (!slice_stays_below(slice_str(name)))
		return failed(s, EINVAL, "not written", e);
	if (caught)
		return failed(s, EINTR, "not written", e);
	if (!s->is_archive)
		return directory_file(s, name, bytes, e);
	if (tar_writer_file(s->tar, name, bytes, e) < 0)
		return err_in(e, s->path);
	return 0;
}

/* ---- the end ---- */

static bool unsupported(int code)
{
	return code == EINVAL || code == ENOSYS || code == ENOTSUP;
}

/* Where the file system knows no RENAME_NOREPLACE: a link refuses what exists, too. */
static int rename_new(const struct sink *s)
{
	if (renameat2(s->folder, s->temporary, s->folder, s->name, RENAME_NOREPLACE) == 0)
		return 0;
	if (!unsupported(errno))
		return -1;
	if (!s->is_archive) /* refuses a file, and a directory that is not empty */
		return renameat(s->folder, s->temporary, s->folder, s->name);
	if (linkat(s->folder, s->temporary, s->folder, s->name, 0) < 0)
		return -1;
	return unlinkat(s->folder, s->temporary, 0);
}

/* With --force. The old directory gets the temporary's name, and goes with it. */
static int rename_over(struct sink *s, struct err *e)
{
	struct stat st;

	if (check_target(s, e) < 0) /* it may be another one by now */
		return -1;
	if (s->is_archive || fstatat(s->folder, s->name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (renameat(s->folder, s->temporary, s->folder, s->name) < 0)
			return failed(s, errno, "cannot be made", e);
		s->temporary[0] = '\0';
		return 0;
	}
	if (renameat2(s->folder, s->temporary, s->folder, s->name, RENAME_EXCHANGE) == 0)
		return 0;
	if (!unsupported(errno) || remove_tree(s->folder, s->name) < 0 || rename_new(s) < 0)
		return failed(s, errno, "cannot be replaced", e);
	s->temporary[0] = '\0';
	return 0;
}

static int finish(struct sink *s, struct err *e)
{
	if (s->tar) {
		int status = tar_writer_end(s->tar, e);

		s->tar = NULL;
		if (status < 0)
			return err_in(e, s->path);
	}
	int fd = s->fd;
	s->fd = -1;
	if (close(fd) < 0)
		return failed(s, errno, "writing failed", e);
	if (caught)
		return failed(s, EINTR, "not written", e);
	if (s->force)
		return rename_over(s, e);
	if (rename_new(s) < 0)
		return failed(s, errno, "not written", e);
	s->temporary[0] = '\0';
	return 0;
}

int sink_commit(struct sink *s, struct err *e)
{
	int status = finish(s, e);

	if (status == 0)
		caught = 0; /* it came too late to matter: the snapshot is there */
	sink_close(s);
	return status;
}
