/* SPDX-License-Identifier: MIT */
#include "base/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"

enum { OUT_ROOM = 64 * 1024 };

void out_fd(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd, .cap = OUT_ROOM };
	o->buf = mem_alloc(o->cap);
}

void out_memory(struct out *o)
{
	*o = (struct out){ .fd = -1, .cap = 256 };
	o->buf = mem_alloc(o->cap);
}

struct slice out_slice(const struct out *o)
{
	return slice_of(o->buf, o->n);
}

void out_reset(struct out *o)
{
	o->n = 0;
}

int out_flush(struct out *o)
{
	const char *p = o->buf;
	size_t left = o->n;

	if (o->fd < 0)
		return 0;
	while (left && !o->error) {
		ssize_t k = fault(FAULT_WRITE) ? (errno = ENOSPC, -1) : write(o->fd, p, left);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			o->error = errno;
			break;
		}
		p += k;
		left -= (size_t)k;
		o->written += (uint64_t)k;
	}
	o->n = 0;
	return o->error ? -1 : 0;
}

int out_close(struct out *o)
{
	int status = out_flush(o);

	mem_free(o->buf);
	o->buf = NULL;
	o->n = o->cap = 0;
	return status;
}

void out_reserve(struct out *o, size_t n)
{
	if (o->cap - o->n >= n)
		return;
	if (o->fd >= 0)
		out_flush(o);
	if (o->cap - o->n < n)
		o->buf = mem_grow(o->buf, &o->cap, o->n + n, 1);
}

void out_write(struct out *o, const char *p, size_t n)
{
	while (o->fd >= 0 && n > OUT_ROOM / 2) { /* long text in pieces: the buffer stays small */
		out_write(o, p, OUT_ROOM / 2);
		p += OUT_ROOM / 2;
		n -= OUT_ROOM / 2;
	}
	out_reserve(o, n);
	if (n)
		memcpy(o->buf + o->n, p, n);
	o->n += n;
}

void out_str(struct out *o, const char *s)
{
	out_write(o, s, strlen(s));
}

void out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap;

	out_reserve(o, 256);
	va_start(ap, fmt);
	int n = vsnprintf(o->buf + o->n, o->cap - o->n, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= o->cap - o->n) {
		out_reserve(o, (size_t)n + 1);
		va_start(ap, fmt);
		vsnprintf(o->buf + o->n, o->cap - o->n, fmt, ap);
		va_end(ap);
	}
	o->n += (size_t)n;
}

void out_u64(struct out *o, uint64_t v)
{
	char buf[NUM_BUF];

	out_put(o, num_put_u64(buf, v));
}

void out_i64(struct out *o, int64_t v)
{
	char buf[NUM_BUF];

	out_put(o, num_put_i64(buf, v));
}

void out_hex(struct out *o, uint64_t v)
{
	char buf[NUM_BUF];

	out_put(o, num_put_hex(buf, v));
}

void out_pad(struct out *o, char c, int n)
{
	while (n-- > 0)
		out_byte(o, c);
}

/* One character of stranger's text: its safe form in buf, its columns returned. */
static int safe_char(struct slice *s, bool ascii, char *buf, size_t *ret_n)
{
	unsigned char byte = (unsigned char)*s->p;
	int32_t c = utf8_take(s);

	if (c < 0 || c < 0x20 || c == 0x7f) {
		*ret_n = (size_t)sprintf(buf, "\\x%02x", byte);
		return 4;
	}
	if (utf8_unsafe(c) || (ascii && c > 0x7e)) {
		*ret_n = (size_t)sprintf(buf, "\\u{%x}", (unsigned)c);
		return (int)*ret_n;
	}
	*ret_n = utf8_put(buf, c);
	return utf8_width(c);
}

/* Nothing but printable ASCII: a column a byte, nothing to escape. Nearly all names. */
static bool is_plain(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] - 0x20u >= 0x5f)
			return false;
	return true;
}

void out_safe(struct out *o, struct slice s, bool ascii)
{
	char buf[16];
	size_t n;

	if (is_plain(s)) {
		out_put(o, s);
		return;
	}
	while (s.n) {
		safe_char(&s, ascii, buf, &n);
		out_write(o, buf, n);
	}
}

static int cut_plain(struct out *o, struct slice s, size_t width)
{
	if (s.n <= width || width < 5) {
		out_put(o, slice_first(s, width));
		return (int)(s.n < width ? s.n : width);
	}
	size_t head = (width - 2) / 3, tail = width - 2 - head;

	out_write(o, s.p, head);
	out_write(o, "..", 2);
	out_write(o, s.p + s.n - tail, tail);
	return (int)width;
}

int out_safe_cut(struct out *o, struct slice s, int width, bool ascii)
{
	struct out whole;
	char buf[16];
	size_t n;
	int columns = 0, used = 0;

	if (width <= 0)
		return 0;
	if (is_plain(s))
		return cut_plain(o, s, (size_t)width);
	out_memory(&whole);
	for (struct slice rest = s; rest.n;) {
		columns += safe_char(&rest, ascii, buf, &n);
		out_write(&whole, buf, n);
	}
	struct slice text = out_slice(&whole);
	/* The end of a path tells more than its start: it gets the larger half. */
	int skip_from = columns <= width ? columns : width < 5 ? width : (width - 2) / 3;
	int resume = columns <= width || width < 5 ? columns : columns - (width - 2 - skip_from);
	bool dots = columns > width && width >= 5;

	for (int at = 0; text.n;) {
		struct slice before = text;
		int32_t c = utf8_take(&text);
		int w = c < 0 ? 1 : utf8_width(c);
		struct slice one = slice_of(before.p, (size_t)(text.p - before.p));

		if (at + w <= skip_from || at >= resume) {
			if (dots && at >= resume) {
				out_str(o, "..");
				used += 2;
				dots = false;
			}
			out_put(o, one);
			used += w;
		}
		at += w;
	}
	out_close(&whole);
	return used;
}
