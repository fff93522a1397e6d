/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "source/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "source/internal.h"

enum { BLOCK = 256 * 1024 };

struct lines {
	int fd;
	char *path;
	uint64_t *at; /* where each line begins; at[n] is the end of the last */
	size_t n, cap;
	bool cut;
	char *buf;
	size_t buf_cap;
};

/* What is known of the line under way. */
struct indexing {
	struct lines *l;
	char *head;
	size_t head_n, head_max;
	uint64_t begin, at; /* of the line; of the next byte */
	bool (*tell)(void *ctx, size_t i, struct slice bytes);
	void *ctx;
};

static bool end_line(struct indexing *x, uint64_t next)
{
	struct lines *l = x->l;

	if (!x->tell(x->ctx, l->n, slice_rtrim(slice_of(x->head, x->head_n))))
		return false;
	l->at = mem_grow(l->at, &l->cap, l->n + 2, sizeof(*l->at));
	l->at[l->n++] = x->begin;
	l->at[l->n] = next;
	x->begin = next;
	x->head_n = 0;
	return true;
}

static bool index_block(struct indexing *x, struct slice block)
{
	while (block.n) {
		const char *nl = memchr(block.p, '\n', block.n);
		size_t n = nl ? (size_t)(nl - block.p) : block.n, take = x->head_max - x->head_n;

		take = take < n ? take : n;
		memcpy(x->head + x->head_n, block.p, take);
		x->head_n += take;
		x->at += n + (nl != NULL);
		if (nl && !end_line(x, x->at))
			return false;
		block = slice_skip(block, n + (nl != NULL));
	}
	return true;
}

/* 0, or -1 with errno. */
static int index_file(struct indexing *x)
{
	char *block = mem_alloc(BLOCK);
	bool going = true;
	ssize_t n;

	while (going && (n = read_some(x->l->fd, block, BLOCK)) > 0)
		going = index_block(x, slice_of(block, (size_t)n));
	int code = errno;
	mem_free(block);
	if (going && n < 0) {
		errno = code;
		return -1;
	}
	/* Bytes behind the last newline are a line too, cut or not. */
	if (going && x->at > x->begin)
		x->l->cut = end_line(x, x->at);
	return 0;
}

int lines_open(const char *path, size_t head_max,
	       bool (*head)(void *ctx, size_t i, struct slice bytes), void *ctx, struct lines **ret,
	       struct err *e)
{
	struct stat st;
	int fd;

	if (file_open(path, &fd, &st, e) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		err_set(e, ERR_USAGE, "a recording is read back and forth: it must be a file");
		return err_in(e, path);
	}
	struct lines *l = mem_zalloc(sizeof(*l));
	struct indexing x = {
		.l = l, .head = mem_alloc(head_max), .head_max = head_max, .tell = head, .ctx = ctx
	};

	l->fd = fd;
	l->path = mem_alloc(strlen(path) + 1);
	strcpy(l->path, path);
	int status = index_file(&x), code = errno;
	mem_free(x.head);
	if (status) {
		lines_close(l);
		err_sys(e, code, "cannot be read");
		return err_in(e, path);
	}
	*ret = l;
	return 0;
}

void lines_close(struct lines *l)
{
	if (!l)
		return;
	close(l->fd);
	mem_free(l->path);
	mem_free(l->at);
	mem_free(l->buf);
	mem_free(l);
}

bool lines_cut(const struct lines *l)
{
	return l->cut;
}

int lines_read(struct lines *l, size_t i, struct slice *ret, struct err *e)
{
	uint64_t size = l->at[i + 1] - l->at[i];
	size_t n = 0;

	if (size > LINE_MAX_BYTES) {
		err_set(e, ERR_LIMIT, "line %zu is longer than 1 GiB", i + 1);
		return err_in(e, l->path);
	}
	l->buf = mem_grow(l->buf, &l->buf_cap, (size_t)size + 1, 1);
	while (n < size) {
		ssize_t got = fault(FAULT_READ) ? (errno = EIO, -1) :
			pread(l->fd, l->buf + n, (size_t)size - n, (off_t)(l->at[i] + n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got < 0)
				err_sys(e, errno, "cannot be read");
			else
				err_set(e, ERR_SYSTEM, "has become shorter while it was read");
			return err_in(e, l->path);
		}
		n += (size_t)got;
	}
	*ret = slice_rtrim(slice_of(l->buf, n));
	return 0;
}
