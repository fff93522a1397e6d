/* SPDX-License-Identifier: MIT */
/*
 * Reading archives: the home of libarchive. Two readers stand behind each
 * other. The first only undoes compression, the second only knows tar; so
 * every unpacked byte passes through here and is counted, and the end of the
 * archive is seen, also when it is missing.
 */
#define _GNU_SOURCE
#include "source/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/dl.h"
#include "source/archive_select.h"

enum { PIECE = 256 * 1024, TAR_BLOCK = 512 };

#define ARCHIVE_CALLS(X)                                                                     \
	X(archive_read_new)                                                                  \
	X(archive_read_free)                                                                 \
	X(archive_read_append_filter)                                                        \
	X(archive_read_support_format_raw)                                                   \
	X(archive_read_support_format_tar)                                                   \
	X(archive_read_open)                                                                 \
	X(archive_read_next_header)                                                          \
	X(archive_read_data)                                                                 \
	X(archive_read_data_block)                                                           \
	X(archive_errno)                                                                     \
	X(archive_error_string)                                                              \
	X(archive_set_error)                                                                 \
	X(archive_entry_pathname)                                                            \
	X(archive_entry_filetype)                                                            \
	X(archive_entry_size)                                                                \
	X(archive_entry_hardlink)                                                            \
	X(archive_entry_symlink)                                                             \
	X(archive_entry_sparse_count)

DL_LIBRARY("libarchive.so.13", "libarchive13", ARCHIVE_CALLS)

/* The library's number of what undoes the compression; ARCHIVE_FILTER_NONE: there is none. */
static int filter_of(struct slice head)
{
	static const struct {
		struct slice magic;
		int filter;
	} known[] = {
		{ { "\x1f\x8b\x08", 3 }, ARCHIVE_FILTER_GZIP },
		{ { "\xfd" "7zXZ\0", 6 }, ARCHIVE_FILTER_XZ },
		{ { "\x28\xb5\x2f\xfd", 4 }, ARCHIVE_FILTER_ZSTD },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (slice_starts(head, known[i].magic))
			return known[i].filter;
	/* "BZh", a level, and the mark of the first block or of the end, since "BZh" alone may begin a text */
	if (slice_starts(head, SLICE("BZh")) && (slice_starts(slice_skip(head, 4), SLICE("1AY&SY")) ||
						 slice_starts(slice_skip(head, 4), SLICE("\x17rE8P\x90"))))
		return ARCHIVE_FILTER_BZIP2;
	return ARCHIVE_FILTER_NONE;
}

bool bytes_are_compressed(struct slice head)
{
	return filter_of(head) != ARCHIVE_FILTER_NONE;
}

bool bytes_are_tar(struct slice head)
{
	return slice_starts(slice_skip(head, 257), SLICE("ustar"));
}

/* ---- undoing compression ---- */

struct unpack {
	struct archive *a;
	int fd;
	struct slice head; /* bytes that were read from fd already */
	char *buf;
	int code; /* errno of a failed read of fd */
	bool begun;        /* its first bytes have been seen */
};

static int no_memory(struct err *e)
{
	return err_set(e, ERR_SYSTEM, "out of memory for libarchive");
}

/* The library's own words; they name no file. */
static int library_error(struct archive *a, struct err *e)
{
	const char *text = lib.archive_error_string(a);

	if (lib.archive_errno(a) == ENOMEM)
		return no_memory(e);
	return err_set(e, ERR_PARSE, "damaged or cut short: %s", text ? text : "unknown error");
}

static la_ssize_t read_packed(struct archive *a, void *context, const void **ret)
{
	struct unpack *u = context;

	if (u->head.n) {
		*ret = u->head.p;
		size_t n = u->head.n;

		u->head.n = 0;
		return (la_ssize_t)n;
	}
	ssize_t n = u->fd < 0 ? 0 : read_some(u->fd, u->buf, PIECE);
	*ret = u->buf;
	if (n < 0) {
		u->code = errno;
		lib.archive_set_error(a, errno, "reading failed");
	}
	return n;
}

/*
 * Where no first byte can be had the library looks for a format all the same,
 * and says of what is cut, damaged or empty that its format is unknown (EILSEQ).
 */
static int unpack_error(struct unpack *u, struct err *e)
{
	if (!u->code && !u->begun && lib.archive_errno(u->a) == EILSEQ)
		return err_set(e, ERR_PARSE, "damaged or cut short, or nothing was compressed");
	return u->code ? err_sys(e, u->code, "reading failed") : library_error(u->a, e);
}

/*
 * One filter, named: left to look for itself the library would undo what was
 * compressed 20 times over, and a few kB of that keep it busy for days without
 * a byte for the limits to count. A filter that it has no code for is left to
 * an external program and says ARCHIVE_WARN: no program is started from here.
 */
static int unpack_filter(struct unpack *u, struct err *e)
{
	if (lib.archive_read_append_filter(u->a, filter_of(u->head)) == ARCHIVE_OK &&
	    lib.archive_read_support_format_raw(u->a) == ARCHIVE_OK)
		return 0;
	return err_set(e, ERR_SYSTEM, "libarchive was built without this compression");
}

/* What tells the compression, where nothing was read before. */
static int unpack_front(struct unpack *u, struct err *e)
{
	if (u->head.n || u->fd < 0)
		return 0;
	ssize_t n = read_some(u->fd, u->buf, PIECE);
	if (n < 0)
		return err_sys(e, errno, "reading failed");
	u->head = slice_of(u->buf, (size_t)n);
	return 0;
}

int unpack_open(int fd, struct slice head, struct unpack **ret, struct err *e)
{
	struct archive_entry *entry;

	if (load(e) < 0)
		return -1;
	struct unpack *u = mem_zalloc(sizeof(*u));
	u->fd = fd;
	u->head = head;
	u->buf = mem_alloc(PIECE);
	u->a = lib.archive_read_new();
	int status = u->a ? unpack_front(u, e) : no_memory(e);
	if (status == 0)
		status = unpack_filter(u, e);
	if (status == 0 && (lib.archive_read_open(u->a, u, NULL, read_packed, NULL) != ARCHIVE_OK ||
			    lib.archive_read_next_header(u->a, &entry) != ARCHIVE_OK))
		status = unpack_error(u, e);
	if (status < 0) {
		unpack_close(u);
		return -1;
	}
	*ret = u;
	return 0;
}

int unpack_next(struct unpack *u, struct slice *ret, struct err *e)
{
	const void *p;
	size_t n = 0;
	la_int64_t offset;
	int status;

	*ret = (struct slice){ 0 };
	do
		status = lib.archive_read_data_block(u->a, &p, &n, &offset);
	while (status == ARCHIVE_OK && n == 0);
	if (status == ARCHIVE_EOF)
		return 0;
	if (status != ARCHIVE_OK)
		return unpack_error(u, e);
	if (!u->begun && bytes_are_compressed(slice_of(p, n)))
		return err_set(e, ERR_LIMIT, "is compressed more than once: unpack it by hand");
	u->begun = true;
	*ret = slice_of(p, n);
	return 0;
}

void unpack_close(struct unpack *u)
{
	if (!u)
		return;
	if (u->a)
		lib.archive_read_free(u->a);
	mem_free(u->buf);
	mem_free(u);
}

int unpack_is_tar(int fd, bool *ret, struct err *e)
{
	char head[TAR_BLOCK];
	size_t n = 0;
	struct unpack *u;
	struct slice piece;
	int status = unpack_open(fd, (struct slice){ 0 }, &u, e);

	if (status < 0)
		return status;
	while (n < sizeof(head) && (status = unpack_next(u, &piece, e)) == 0 && piece.n) {
		piece = slice_first(piece, sizeof(head) - n);
		memcpy(head + n, piece.p, piece.n);
		n += piece.n;
	}
	*ret = bytes_are_tar(slice_of(head, n));
	unpack_close(u);
	return status;
}

/* ---- reading a tar into members ---- */

struct reading {
	struct archive *tar;
	struct unpack *unpack; /* NULL: not compressed */
	int fd;
	char *buf;
	struct arena *a;
	struct err *e;         /* the first fault; filled in the callbacks too */
	bool failed;
	uint64_t packed;       /* size of the archive as it is */
	uint64_t unpacked;     /* bytes handed to the tar reader */
	uint64_t wanted;       /* bytes kept */
	char tail[TAR_BLOCK];  /* the last bytes handed on */
	bool ran_out;          /* the tar reader asked for more than there is */
	struct candidate *all;
	size_t n, cap;
};

static int next_piece(struct reading *r, struct slice *ret)
{
	if (r->unpack)
		return unpack_next(r->unpack, ret, r->e);
	ssize_t n = read_some(r->fd, r->buf, PIECE);
	if (n < 0)
		return err_sys(r->e, errno, "reading failed");
	*ret = slice_of(r->buf, (size_t)n);
	return 0;
}

static void keep_tail(struct reading *r, struct slice piece)
{
	if (piece.n >= TAR_BLOCK) {
		memcpy(r->tail, piece.p + piece.n - TAR_BLOCK, TAR_BLOCK);
		return;
	}
	if (piece.n == 0)
		return;
	memmove(r->tail, r->tail + piece.n, TAR_BLOCK - piece.n);
	memcpy(r->tail + TAR_BLOCK - piece.n, piece.p, piece.n);
}

static la_ssize_t read_tar(struct archive *a, void *context, const void **ret)
{
	struct reading *r = context;
	struct slice piece = { 0 };

	if (!r->failed && next_piece(r, &piece) < 0)
		r->failed = true;
	r->unpacked += piece.n;
	if (!r->failed && r->unpacked > ARCHIVE_STREAM_FREE && r->unpacked / ARCHIVE_RATIO_MAX > r->packed) {
		err_set(r->e, ERR_LIMIT, "unpacks to more than %d times its size", ARCHIVE_RATIO_MAX);
		r->failed = true;
	}
	if (!r->failed && r->unpacked > ARCHIVE_STREAM_MAX) {
		err_set(r->e, ERR_LIMIT, "unpacks to more than %llu GiB",
			(unsigned long long)(ARCHIVE_STREAM_MAX >> 30));
		r->failed = true;
	}
	if (r->failed) {
		lib.archive_set_error(a, EIO, "reading failed");
		return -1;
	}
	keep_tail(r, piece);
	r->ran_out |= piece.n == 0;
	*ret = piece.p;
	return (la_ssize_t)piece.n;
}

static int tar_error(struct reading *r)
{
	return r->failed ? -1 : library_error(r->tar, r->e);
}

static int over_limits(struct reading *r, uint64_t more)
{
	r->wanted += more;
	if (r->wanted > ARCHIVE_WANTED_MAX)
		return err_set(r->e, ERR_LIMIT, "holds more than %llu GiB of files to read",
			       (unsigned long long)(ARCHIVE_WANTED_MAX >> 30));
	if (r->wanted > ARCHIVE_RATIO_FREE && r->wanted / ARCHIVE_RATIO_MAX > r->packed)
		return err_set(r->e, ERR_LIMIT, "unpacks to more than %d times its size",
			       ARCHIVE_RATIO_MAX);
	return 0;
}

/* Grows with what arrives, not with what the header promises. */
static int read_member(struct reading *r, struct candidate *c)
{
	char *buf = NULL;
	size_t n = 0, cap = 0;
	la_ssize_t got;
	int status = 0;

	do {
		buf = mem_grow(buf, &cap, n + 4096, 1);
		got = lib.archive_read_data(r->tar, buf + n, cap - n);
		if (got < 0)
			status = tar_error(r);
		else if (n + (size_t)got > ARCHIVE_MEMBER_MAX)
			status = err_set(r->e, ERR_LIMIT, "member larger than %d MiB",
					 ARCHIVE_MEMBER_MAX >> 20);
		else
			status = over_limits(r, (uint64_t)got);
		n += got > 0 ? (size_t)got : 0;
	} while (status == 0 && got > 0);
	if (status == 0)
		c->data = arena_copy(r->a, slice_of(buf, n));
	mem_free(buf);
	return status;
}

/* A wanted name: a file, a link to one, or a reason to refuse the archive. */
static int read_candidate(struct reading *r, struct archive_entry *entry, struct candidate *c)
{
	const char *hard = lib.archive_entry_hardlink(entry);
	const char *soft = lib.archive_entry_symlink(entry);

	if (hard)
		return archive_link(c->raw, slice_str(hard), false, r->a, &c->link, r->e);
	if (soft)
		return archive_link(c->raw, slice_str(soft), true, r->a, &c->link, r->e);
	if (lib.archive_entry_filetype(entry) != AE_IFREG)
		return archive_refuse(c->raw, "is no regular file", r->e);
	if (lib.archive_entry_sparse_count(entry) > 0)
		return archive_refuse(c->raw, "is stored with holes, as no file of proc or sys is",
				      r->e);
	if (lib.archive_entry_size(entry) > ARCHIVE_MEMBER_MAX)
		return archive_refuse(c->raw, "is larger than a GiB", r->e);
	return read_member(r, c);
}

static int read_entry(struct reading *r, struct archive_entry *entry, size_t order)
{
	/* NULL: not to be said in this locale, so none of our names, which are ASCII. */
	const char *path = lib.archive_entry_pathname(entry);
	struct candidate c;
	struct slice name;

	if (!path)
		return 0;
	if (archive_name(slice_str(path), r->a, &name, r->e) < 0)
		return -1;
	if (lib.archive_entry_filetype(entry) == AE_IFDIR && !lib.archive_entry_hardlink(entry))
		return 0;
	if (!archive_wants(name, &c))
		return 0;
	c.order = order;
	if (read_candidate(r, entry, &c) < 0)
		return -1;
	r->all = mem_grow(r->all, &r->cap, r->n + 1, sizeof(*r->all));
	r->all[r->n++] = c;
	return 0;
}

static int read_entries(struct reading *r)
{
	struct archive_entry *entry;

	for (size_t i = 0;; i++) {
		int status = lib.archive_read_next_header(r->tar, &entry);

		if (status == ARCHIVE_EOF)
			return 0;
		if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
			return tar_error(r);
		if (i == ARCHIVE_MEMBERS_MAX)
			return err_set(r->e, ERR_LIMIT, "holds more than %d members",
				       ARCHIVE_MEMBERS_MAX);
		if (read_entry(r, entry, i) < 0)
			return -1;
	}
}

/*
 * A tar ends with blocks of zeros; one that just stops was cut, and the
 * library says nothing. What follows the end is read too, for the check sum.
 */
static int read_end(struct reading *r)
{
	static const char zeros[TAR_BLOCK];
	const void *p;

	if (r->ran_out && memcmp(r->tail, zeros, TAR_BLOCK) != 0)
		return err_set(r->e, ERR_PARSE, "cut short: the end of the archive is missing");
	while (!r->ran_out)
		if (read_tar(r->tar, r, &p) < 0)
			return -1;
	return 0;
}

static int reading_start(struct reading *r, struct slice head)
{
	if (load(r->e) < 0)
		return -1;
	if (bytes_are_compressed(head) &&
	    unpack_open(r->fd, (struct slice){ 0 }, &r->unpack, r->e) < 0)
		return -1;
	r->tar = lib.archive_read_new();
	if (!r->tar || lib.archive_read_support_format_tar(r->tar) != ARCHIVE_OK)
		return no_memory(r->e);
	if (lib.archive_read_open(r->tar, r, NULL, read_tar, NULL) != ARCHIVE_OK)
		return tar_error(r);
	return 0;
}

/* Links cost nothing in the archive, and what they lead to is read as often as it is named. */
static int count_links(struct reading *r, const struct member *members, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += members[i].data.n;
	return all > r->wanted ? over_limits(r, all - r->wanted) : 0;
}

int archive_read_tree(int fd, uint64_t size, struct slice head, struct arena *a,
		      struct member **ret, size_t *ret_n, struct err *e)
{
	struct reading r = {
		.fd = fd,
		.packed = size,
		.buf = mem_alloc(PIECE),
		.a = a,
		.e = e,
	};
	int status = reading_start(&r, head);

	if (status == 0)
		status = read_entries(&r);
	if (status == 0)
		status = read_end(&r);
	if (status == 0)
		status = archive_choose(r.all, r.n, a, ret, ret_n, e);
	if (status == 0)
		status = count_links(&r, *ret, *ret_n);
	if (r.tar)
		lib.archive_read_free(r.tar);
	unpack_close(r.unpack);
	mem_free(r.all);
	mem_free(r.buf);
	return status;
}
