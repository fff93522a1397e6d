/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct err *e, enum err_kind kind, const char *fmt, va_list ap)
{
	*e = (struct err){ .kind = kind };
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, kind, fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, ERR_SYSTEM, fmt, ap);
	va_end(ap);
	e->code = code;
	size_t n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, "%s%s", n ? ": " : "", strerror(code));
	return -1;
}

/* Keeps the bytes around `at`: a line may be megabytes long. */
static void keep_context(struct err *e, struct slice line, size_t at)
{
	size_t room = sizeof(e->context) - 1, from = 0;

	if (at > room / 2 && line.n > room)
		from = at - room / 2;
	if (from + room > line.n && line.n > room)
		from = line.n - room;
	slice_cstr(slice_skip(line, from), e->context, sizeof(e->context));
	e->context_at = (unsigned)(at - from);
}

int err_at(struct err *e, unsigned long lineno, struct slice line, const char *at,
	   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, ERR_PARSE, fmt, ap);
	va_end(ap);
	size_t offset = at ? (size_t)(at - line.p) : 0;
	e->line = lineno;
	e->column = at ? offset + 1 : 0;
	keep_context(e, line, offset < line.n ? offset : line.n);
	return -1;
}

int err_in(struct err *e, const char *file)
{
	size_t n = strlen(file), room = sizeof(e->file) - 1;

	if (!e->file[0])
		snprintf(e->file, sizeof(e->file), "%s", n > room ? file + (n - room) : file);
	return -1;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->hint, sizeof(e->hint), fmt, ap);
	va_end(ap);
	return -1;
}
