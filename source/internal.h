/* SPDX-License-Identifier: MIT */
/* What the files of this layer share; nobody else includes it. */
#ifndef SOURCE_INTERNAL_H
#define SOURCE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/strmap.h"
#include "source/source.h"

/* A regular file of an archive, held in memory. */
struct member {
	struct slice name, data;
};

/* Either a directory (fd >= 0) or the members of an archive (fd is -1). */
struct tree {
	int fd;
	bool live;
	char *path; /* as the user gave it, for messages */
	struct arena a;
	struct member *members; /* sorted by name */
	size_t n_members;
	struct strmap met; /* files that tree_meet() was asked about, by device and inode */
	uint64_t again;    /* bytes of those that came again */
};

/*
 * Opens `relative` so that neither a link nor ".." leads out of `dirfd`.
 * Links that stay inside are followed. -1 with errno: EXDEV led out, ELOOP
 * was one of the kernel's magic links (proc/PID/fd, cwd, root, exe).
 */
int open_beneath(int dirfd, const char *relative, int flags);
/* openat2() is missing (before Linux 5.6) or filtered: set when it fails so, or by a test. */
extern bool open_without_openat2;

/* read() with EINTR retried and EAGAIN waited for. */
ssize_t read_some(int fd, void *buf, size_t n);
/* The front of a regular file, which is then read from there all the same. */
ssize_t read_head(int fd, void *buf, size_t n);

/* Fills `e` for a failed look-up in a tree and says which kind of failure it was. */
enum got tree_failed(const struct tree *t, const char *relative, int code, struct err *e);
/* The path of a file of the tree, as it stands in messages. */
char *tree_name(const struct tree *t, const char *relative, char *buf, size_t size);
/* Opens a regular file of a directory tree. */
enum got tree_open_file(struct tree *t, const char *relative, int *ret_fd, struct err *e);
/* A member of an archive, or NULL. */
const struct member *tree_member(const struct tree *t, const char *relative);
/* lstat of a file or directory of the tree; false where there is none, or in an archive. */
bool tree_stat(const struct tree *t, const char *relative, struct stat *ret);

/* Why something the user named is not read, as the rest of a sentence; NULL when it is. */
const char *file_refusal(const struct stat *s);
/* Opens a file, FIFO, terminal or inherited socket named by the user. */
int file_open(const char *path, int *ret_fd, struct stat *ret, struct err *e);

#endif
