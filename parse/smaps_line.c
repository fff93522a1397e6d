/* SPDX-License-Identifier: MIT */
#include "parse/smaps_line.h"

#include <string.h>

#include "base/num.h"
#include "parse/smaps.h"

bool smaps_perms(const char p[static 4])
{
	/* Some WSL1 builds print '-' for the fourth. */
	return (p[0] == 'r' || p[0] == '-') && (p[1] == 'w' || p[1] == '-') &&
	       (p[2] == 'x' || p[2] == '-') && (p[3] == 'p' || p[3] == 's' || p[3] == '-');
}

static bool is_perms(struct slice w)
{
	return w.n >= 4 && (w.n == 4 || is_blank(w.p[4])) && smaps_perms(w.p);
}

static size_t hex_run(struct slice s)
{
	size_t n = 0;

	while (n < s.n && is_hex(s.p[n]))
		n++;
	return n;
}

/* A range of two addresses in front; *ret_rest is behind it. */
static bool is_range(struct slice line, struct slice *ret_rest, bool *ret_long)
{
	size_t a = hex_run(line);

	if (a == 0 || a == line.n || line.p[a] != '-')
		return false;
	struct slice second = slice_skip(line, a + 1);
	size_t b = hex_run(second);
	*ret_rest = slice_skip(second, b);
	/* Dates and page numbers ("1990-1995") are shorter than any address. */
	*ret_long = a >= 5 && b >= 5;
	return b > 0 && (ret_rest->n == 0 || is_blank(*ret_rest->p));
}

static bool is_key_char(char c)
{
	return is_alpha(c) || is_digit(c) || c == '_' || c == '(' || c == ')';
}

enum line_kind line_kind(struct slice line, struct slice *ret_key, struct slice *ret_value)
{
	struct slice rest;
	bool is_long;

	if (is_hex(*line.p) && is_range(line, &rest, &is_long)) {
		*ret_value = slice_ltrim(rest);
		if (is_perms(*ret_value))
			return LINE_HEADER;
		return is_long ? LINE_NO_PERMS : LINE_OTHER;
	}
	if (!is_alpha(*line.p) && *line.p != '_')
		return LINE_OTHER;
	size_t n = 0;
	while (n < line.n && is_key_char(line.p[n]))
		n++;
	if (n == line.n || line.p[n] != ':')
		return LINE_OTHER;
	*ret_key = slice_first(line, n);
	*ret_value = slice_skip(line, n + 1);
	return LINE_FIELD;
}

bool line_elides(struct slice line)
{
	static const char *const marks[] = {
		"...", "\xe2\x80\xa6", "[...", "[\xe2\x80\xa6", "(...", "<...", "[snip", "<snip", "-- snip",
		"--snip", "[cut", "<cut",
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (slice_starts(line, slice_str(marks[i])))
			return true;
	return false;
}

/* How long one mark or blank in front is; web pages write "&gt;". 0: none is there. */
static size_t front(struct slice line, bool *ret_mark)
{
	*ret_mark = true;
	if (line.n && *line.p == '>')
		return 1;
	if (slice_starts(line, SLICE("&gt;")))
		return 4;
	*ret_mark = false;
	return line.n && is_blank(*line.p);
}

bool line_unquote(struct slice *line)
{
	bool quoted = false, mark;

	for (size_t n; (n = front(*line, &mark)) != 0; *line = slice_skip(*line, n))
		quoted |= mark;
	return quoted;
}

/* ---- header ---- */

struct columns {
	struct slice rest;
	bool tabs;
};

/* Blanks between two columns; at least one is due. */
static bool gap(struct columns *c)
{
	size_t n = 0;

	while (n < c->rest.n && is_blank(c->rest.p[n])) {
		c->tabs |= c->rest.p[n] == '\t';
		n++;
	}
	c->rest = slice_skip(c->rest, n);
	return n > 0;
}

static bool expect(struct columns *c, char ch)
{
	if (c->rest.n == 0 || *c->rest.p != ch)
		return false;
	c->rest = slice_skip(c->rest, 1);
	return true;
}

static const char *hex_column(struct columns *c, uint64_t *ret, const char *missing)
{
	switch (num_take_hex(&c->rest, ret)) {
	case NUM_OK:
		return NULL;
	case NUM_OVERFLOW:
		return "this number does not fit 64 bits";
	default:
		return missing;
	}
}

static const char *range_columns(struct columns *c, struct header *h, const char **at)
{
	const char *wrong = hex_column(c, &h->start, "an address is due here");

	if (wrong)
		return wrong;
	if (!expect(c, '-'))
		return "'-' is due here";
	*at = c->rest.p;
	wrong = hex_column(c, &h->end, "an address is due here");
	if (!wrong && h->end <= h->start)
		wrong = "the end is not above the start";
	return wrong;
}

static const char *device_columns(struct columns *c, struct header *h)
{
	uint64_t major = 0, minor = 0;
	const char *wrong = hex_column(c, &major, "the device is due here");

	if (wrong)
		return wrong;
	if (!expect(c, ':'))
		return "a device like 08:01 is due here";
	wrong = hex_column(c, &minor, "a device like 08:01 is due here");
	if (!wrong && (major > UINT32_MAX || minor > UINT32_MAX))
		wrong = "this device number is too large";
	h->major = (uint32_t)major;
	h->minor = (uint32_t)minor;
	return wrong;
}

static const char *inode_column(struct columns *c, struct header *h)
{
	switch (num_take_u64(&c->rest, &h->inode)) {
	case NUM_OK:
		return c->rest.n && !is_blank(*c->rest.p) ? "this is no inode number" : NULL;
	case NUM_OVERFLOW:
		return "this inode number does not fit 64 bits";
	default:
		return "the inode number is due here";
	}
}

const char *header_parse(struct slice line, struct header *ret, const char **ret_at)
{
	struct columns c = { line, false };
	const char *wrong;

	*ret = (struct header){ 0 };
	*ret_at = line.p;
	if ((wrong = range_columns(&c, ret, ret_at)))
		return wrong;
	gap(&c);
	memcpy(ret->perms, c.rest.p, 4); /* line_kind() has seen them */
	c.rest = slice_skip(c.rest, 4);
	gap(&c);
	*ret_at = c.rest.p;
	if ((wrong = hex_column(&c, &ret->offset, "the offset is due here")))
		return wrong;
	gap(&c);
	*ret_at = c.rest.p;
	if ((wrong = device_columns(&c, ret)))
		return wrong;
	gap(&c);
	*ret_at = c.rest.p;
	if ((wrong = inode_column(&c, ret)))
		return wrong;
	gap(&c);
	ret->name = c.rest;
	ret->tabs = c.tabs;
	return NULL;
}
