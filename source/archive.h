/* SPDX-License-Identifier: MIT */
/*
 * Archives and compressed files, by content and not by name. Nothing here
 * loads libarchive before the first such file is met.
 */
#ifndef SOURCE_ARCHIVE_H
#define SOURCE_ARCHIVE_H

#include "source/internal.h"

/* What the first TAR_HEAD bytes of a file say: gzip, xz, zstd, bzip2; tar ("ustar" at 257). */
enum { TAR_HEAD = 512 };
bool bytes_are_compressed(struct slice head);
bool bytes_are_tar(struct slice head);

/* Bytes of one compressed file, unpacked as they are asked for. */
struct unpack;
/*
 * `head` was read from fd already and is kept by the caller; fd stays the
 * caller's. fd -1: `head` is all there is.
 */
int unpack_open(int fd, struct slice head, struct unpack **ret, struct err *e);
/* Valid until the next call; empty at the end. */
int unpack_next(struct unpack *u, struct slice *ret, struct err *e);
void unpack_close(struct unpack *u); /* NULL is fine */

/* Does the compressed file at fd hold a tar? Reads from where fd stands. */
int unpack_is_tar(int fd, bool *ret, struct err *e);

/*
 * Reads the wanted members (source/archive_select.h) of the archive at fd,
 * `size` bytes long and beginning with `head`. All of it or nothing.
 */
int archive_read_tree(int fd, uint64_t size, struct slice head, struct arena *a,
		      struct member **ret, size_t *ret_n, struct err *e);

#endif
