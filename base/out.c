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

/* ---- what is too long ---- */

static const char *dots(bool ascii)
{
	return ascii ? ".." : "\u2026";
}

/* In less room there is no place for dots; from here on also for a sign that it is a path. */
enum { CUT_LEAST = 5, CUT_ROOMY = 24 };

/* Of safe text: `head` columns, dots, and as much of the end as `width` has room for. */
static int cut_middle(struct out *o, struct slice text, int width, int columns, bool ascii)
{
	int mark = width < CUT_LEAST ? 0 : ascii ? 2 : 1;
	int head = mark ? (width - mark) / 3 : width; /* the end tells more than the start */
	int resume = mark ? columns - (width - mark - head) : columns;
	int used = 0;
	bool marked = false;

	for (int at = 0; text.n;) {
		struct slice before = text;
		int32_t c = utf8_take(&text);
		int w = c < 0 ? 1 : utf8_width(c);

		if (at + w <= head || at >= resume) {
			if (mark && at >= resume && !marked) {
				out_str(o, dots(ascii));
				used += mark;
				marked = true;
			}
			out_write(o, before.p, before.n - text.n);
			used += w;
		}
		at += w;
	}
	return used;
}

/* What may be cut, made safe: in `whole` unless it is plain. */
static struct slice made_safe(struct out *whole, struct slice s, bool ascii)
{
	out_memory(whole);
	if (is_plain(s))
		return s;
	out_safe(whole, s, ascii);
	return out_slice(whole);
}

int out_safe_cut(struct out *o, struct slice s, int width, bool ascii)
{
	struct out whole;
	struct slice text = made_safe(&whole, s, ascii);
	int columns = utf8_columns(text), used = width <= 0 ? 0 : columns;

	if (columns > width && width > 0)
		used = cut_middle(o, text, width, columns, ascii);
	else if (width > 0)
		out_put(o, text);
	out_close(&whole);
	return used;
}

/* Where the last component of a path begins, its slash included; of what is no path SIZE_MAX. */
static size_t last_component(struct slice s)
{
	size_t at = s.n;

	while (at > 0 && s.p[at - 1] != '/')
		at--;
	if (at == 0 || at == s.n || s.p[0] == '[')
		return SIZE_MAX;
	/* "stress-ng --temp-path /tmp" is a command, "/home/me/My Games/x" a path. */
	if (s.p[0] != '/' && memchr(s.p, ' ', at))
		return SIZE_MAX;
	return at - 1;
}

/* As many components before `last` as `room` columns hold: where they begin. */
static size_t first_that_fits(struct slice s, size_t last, int room)
{
	size_t from = last;

	for (size_t i = last; i-- > 0 && room > 0;) {
		if (s.p[i] != '/')
			continue;
		room -= utf8_columns(slice_of(s.p + i, from - i));
		if (room >= 0)
			from = i;
	}
	return from;
}

/* A last component for which there is no room beside the dots. */
static int put_component(struct out *o, struct slice s, int width, bool ascii)
{
	int columns = utf8_columns(s), used = 0;

	if (columns <= width) {
		out_put(o, s);
		return columns;
	}
	if (width >= CUT_ROOMY) { /* that there is more of it is told, too */
		out_printf(o, "%s/", dots(ascii));
		used = (ascii ? 2 : 1) + 1;
	}
	return used + cut_middle(o, s, width - used, columns, ascii);
}

int out_path_cut(struct out *o, struct slice s, int width, bool ascii)
{
	struct out whole;
	struct slice text = made_safe(&whole, s, ascii);
	size_t last = last_component(text);
	int used, mark = ascii ? 2 : 1;

	if (utf8_columns(text) <= width || last == SIZE_MAX || width < CUT_LEAST) {
		used = out_safe_cut(o, s, width, ascii);
	} else if (mark + utf8_columns(slice_skip(text, last)) > width) {
		used = put_component(o, slice_skip(text, last + 1), width, ascii);
	} else {
		used = mark + utf8_columns(slice_skip(text, last));
		text = slice_skip(text, first_that_fits(text, last, width - used));
		out_str(o, dots(ascii));
		out_put(o, text);
		used = mark + utf8_columns(text);
	}
	out_close(&whole);
	return used;
}

int out_path_least(struct slice s, bool ascii)
{
	struct out whole;
	struct slice text = made_safe(&whole, s, ascii);
	size_t last = last_component(text);
	int least = utf8_columns(last == SIZE_MAX ? text : slice_skip(text, last + 1));

	out_close(&whole);
	return least;
}
