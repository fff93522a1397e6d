/* SPDX-License-Identifier: MIT */
#include "cmd/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cmd/as_root.h"
#include "cmd/output.h"

enum { DIAG_WIDTH = 80 };

/* Blanks of one column each for what would move the caret. */
static struct slice plain_blanks(const char *line, char *buf, size_t size)
{
	struct slice s = slice_first(slice_str(line), size - 1);

	for (size_t i = 0; i < s.n; i++)
		buf[i] = line[i] == '\t' || line[i] == '\r' || line[i] == '\n' ? ' ' : line[i];
	return slice_rtrim(slice_of(buf, s.n));
}

static int columns_of(struct slice s, bool ascii)
{
	struct out m;

	out_memory(&m);
	out_safe(&m, s, ascii);
	int n = utf8_columns(out_slice(&m));
	out_close(&m);
	return n;
}

/* The bytes of one character at the front of s. */
static struct slice one_char(struct slice s)
{
	struct slice rest = s;

	if (!s.n)
		return s;
	utf8_take(&rest);
	return slice_of(s.p, s.n - rest.n);
}

/* The line around the column, at most 80 columns, and the caret under it. */
static void write_context(struct out *o, const struct err *e, bool ascii)
{
	char buf[sizeof(e->context)];
	struct slice line = plain_blanks(e->context, buf, sizeof(buf));
	struct slice left = slice_first(line, e->context_at);
	struct slice right = slice_skip(line, e->context_at);
	int used;

	if (!line.n)
		return;
	/* Keep at least a third of the width behind the column. */
	while (columns_of(left, ascii) > DIAG_WIDTH * 2 / 3)
		left = slice_skip(left, one_char(left).n);
	used = columns_of(left, ascii);
	out_safe(o, left, ascii);
	int room = DIAG_WIDTH - used;
	while (right.n) {
		struct slice c = one_char(right);
		int w = columns_of(c, ascii);

		if (w > room)
			break;
		out_safe(o, c, ascii);
		room -= w;
		right = slice_skip(right, c.n);
	}
	out_byte(o, '\n');
	if (e->column) {
		out_pad(o, ' ', used);
		out_str(o, "^\n");
	}
}

/* Text of ours that may quote strangers: line ends stay, the rest is made safe. */
static void write_lines(struct out *o, const char *text, bool ascii)
{
	for (struct cut c = { .tail = slice_str(text), .ok = true }; c.ok && c.tail.n;) {
		c = slice_cut_line(c.tail);
		out_safe(o, c.head, ascii);
		out_byte(o, '\n');
	}
}

void diag_write(struct out *o, const struct err *e, bool ascii)
{
	out_str(o, "hugecov: ");
	if (e->file[0]) {
		out_safe(o, slice_str(e->file), ascii);
		out_byte(o, ':');
		if (e->line)
			out_printf(o, "%lu:", e->line);
		if (e->line && e->column)
			out_printf(o, "%lu:", e->column);
		out_byte(o, ' ');
	}
	write_lines(o, e->text, ascii);
	if (e->line)
		write_context(o, e, ascii);
	write_lines(o, e->hint, ascii);
	if (e->as_root)
		as_root_hint(o, ascii);
}

/* In one write(), so that messages of several programs do not mix. */
static void to_stderr(struct out *o)
{
	struct slice s = out_slice(o);
	ssize_t n = write(STDERR_FILENO, s.p, s.n);

	(void)n; /* nobody is left to be told */
	out_close(o);
}

int diag_print(const struct err *e)
{
	struct out o;

	out_memory(&o);
	diag_write(&o, e, !output_utf8());
	to_stderr(&o);
	return 2;
}

void diag_note(const char *fmt, ...)
{
	char text[1024];
	struct out o;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	out_memory(&o);
	out_str(&o, "hugecov: ");
	write_lines(&o, text, !output_utf8());
	to_stderr(&o);
}

int diag_usage(const char *command, const char *fmt, ...)
{
	struct err e;
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(&e, ERR_USAGE, "%s: %s", command, text);
	err_hint(&e, "hugecov %s --help says more", command);
	return diag_print(&e);
}
