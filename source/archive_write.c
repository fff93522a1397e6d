/* SPDX-License-Identifier: MIT */
/* Writing archives: the other home of libarchive. */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/dl.h"
#include "base/mem.h"
#include "source/sink.h"

#define ARCHIVE_CALLS(X)                                                                     \
	X(archive_write_new)                                                                 \
	X(archive_write_free)                                                                \
	X(archive_write_close)                                                               \
	X(archive_write_open)                                                                \
	X(archive_write_header)                                                              \
	X(archive_write_data)                                                                \
	X(archive_write_set_format_pax_restricted)                                           \
	X(archive_write_set_bytes_in_last_block)                                             \
	X(archive_write_add_filter_none)                                                     \
	X(archive_write_add_filter_gzip)                                                     \
	X(archive_write_add_filter_xz)                                                       \
	X(archive_write_add_filter_zstd)                                                     \
	X(archive_error_string)                                                              \
	X(archive_entry_new)                                                                 \
	X(archive_entry_free)                                                                \
	X(archive_entry_set_pathname)                                                        \
	X(archive_entry_set_size)                                                            \
	X(archive_entry_set_filetype)                                                        \
	X(archive_entry_set_perm)                                                            \
	X(archive_entry_set_mtime)

DL_LIBRARY("libarchive.so.13", "libarchive13", ARCHIVE_CALLS)

struct tar_writer {
	struct archive *a;
	struct archive_entry *entry;
	int fd;
	int64_t time_ns;
	int code; /* errno of a failed write */
};

static int writer_error(const struct tar_writer *w, struct err *e)
{
	const char *text = w->a ? lib.archive_error_string(w->a) : NULL;

	if (w->code)
		return err_sys(e, w->code, "writing failed");
	return err_set(e, ERR_SYSTEM, "libarchive: %s", text ? text : "out of memory");
}

/*
 * A failure is kept, and asked for after each call; the library is not told,
 * since it leaks its buffers (3.6.2) when writing fails.
 */
static la_ssize_t write_packed(struct archive *a, void *context, const void *p, size_t n)
{
	struct tar_writer *w = context;

	(void)a;
	if (!w->code && write_all(w->fd, slice_of(p, n)) < 0)
		w->code = errno;
	return (la_ssize_t)n;
}

/* A compression that the library would leave to an external program says ARCHIVE_WARN. */
static bool add_filter(struct archive *a, enum packing packing)
{
	int (*const add[])(struct archive *) = {
		[PACK_NONE] = lib.archive_write_add_filter_none,
		[PACK_GZIP] = lib.archive_write_add_filter_gzip,
		[PACK_XZ] = lib.archive_write_add_filter_xz,
		[PACK_ZSTD] = lib.archive_write_add_filter_zstd,
	};

	return add[packing](a) == ARCHIVE_OK;
}

static int writer_start(struct tar_writer *w, enum packing packing, struct err *e)
{
	w->a = lib.archive_write_new();
	w->entry = lib.archive_entry_new();
	if (!w->a || !w->entry)
		return writer_error(w, e);
	if (!add_filter(w->a, packing))
		return err_set(e, ERR_SYSTEM, "libarchive was built without this compression");
	if (lib.archive_write_set_format_pax_restricted(w->a) != ARCHIVE_OK ||
	    lib.archive_write_set_bytes_in_last_block(w->a, 1) != ARCHIVE_OK ||
	    lib.archive_write_open(w->a, w, NULL, write_packed, NULL) != ARCHIVE_OK)
		return writer_error(w, e);
	lib.archive_entry_set_filetype(w->entry, AE_IFREG);
	lib.archive_entry_set_perm(w->entry, S_IRUSR | S_IWUSR);
	lib.archive_entry_set_mtime(w->entry, (time_t)(w->time_ns / 1000000000), 0);
	return 0;
}

int tar_writer_new(int fd, enum packing packing, int64_t time_ns, struct tar_writer **ret,
		   struct err *e)
{
	if (load(e) < 0)
		return -1;
	struct tar_writer *w = mem_zalloc(sizeof(*w));
	w->fd = fd;
	w->time_ns = time_ns;
	if (writer_start(w, packing, e) < 0) {
		tar_writer_drop(w);
		return -1;
	}
	*ret = w;
	return 0;
}

int tar_writer_file(struct tar_writer *w, const char *name, struct slice bytes, struct err *e)
{
	lib.archive_entry_set_pathname(w->entry, name);
	lib.archive_entry_set_size(w->entry, (la_int64_t)bytes.n);
	if (lib.archive_write_header(w->a, w->entry) != ARCHIVE_OK)
		return writer_error(w, e);
	while (bytes.n) {
		la_ssize_t n = lib.archive_write_data(w->a, bytes.p, bytes.n);

		if (n <= 0)
			return writer_error(w, e);
		bytes = slice_skip(bytes, (size_t)n);
	}
	return w->code ? writer_error(w, e) : 0;
}

int tar_writer_end(struct tar_writer *w, struct err *e)
{
	int status = 0;

	if (lib.archive_write_close(w->a) != ARCHIVE_OK || w->code)
		status = writer_error(w, e);
	tar_writer_drop(w);
	return status;
}

void tar_writer_drop(struct tar_writer *w)
{
	if (!w)
		return;
	if (w->entry)
		lib.archive_entry_free(w->entry);
	if (w->a)
		lib.archive_write_free(w->a);
	mem_free(w);
}
