/* SPDX-License-Identifier: MIT */
#include "parse/perf_repair.h"

#include "parse/perf_num.h"

static char next_char(struct slice s)
{
	s = slice_ltrim(s);
	return s.n ? *s.p : '\0';
}

/* Is the quote at the front of s the end of a string, not a part of a name? */
static bool closes(struct slice s)
{
	struct slice rest = slice_ltrim(slice_skip(s, 1));

	if (!rest.n || *rest.p == '}' || *rest.p == ':')
		return true;
	if (*rest.p != ',')
		return false;
	char next = next_char(slice_skip(rest, 1));
	return next == '"' || next == '}' || next == '{' || next == '\0';
}

/* "counter-value" : directly behind a string: the comma is missing. */
static bool starts_member(struct slice s)
{
	size_t i = 1;

	if (!s.n || *s.p != '"')
		return false;
	while (i < s.n && (is_alpha(s.p[i]) || s.p[i] == '-'))
		i++;
	return i > 1 && i < s.n && s.p[i] == '"' && next_char(slice_skip(s, i + 1)) == ':';
}

/* Copies the string at the front of s. Returns its length. */
static size_t copy_string(struct slice s, struct out *o)
{
	size_t i = 1;

	out_byte(o, '"');
	for (; i < s.n; i++) {
		char c = s.p[i];

		if (c == '"' && closes(slice_skip(s, i))) {
			out_byte(o, '"');
			return i + 1;
		}
		if (c == '"' && starts_member(slice_skip(s, i + 1))) {
			out_str(o, "\",");
			return i + 1;
		}
		if (c == '\\' && i + 1 < s.n && (s.p[i + 1] == '"' || s.p[i + 1] == '\\'))
			out_byte(o, s.p[i++]); /* escaped after all */
		else if (c == '"' || c == '\\')
			out_byte(o, '\\');
		out_byte(o, (unsigned char)s.p[i] < 0x20 ? ' ' : s.p[i]);
	}
	return i;
}

static void copy_brace(struct slice rest, struct out *o)
{
	char next = next_char(rest);

	if (next == '"')
		out_byte(o, ',');
	else
		out_str(o, next == '{' ? "}," : "}");
}

/* True for a decimal comma. */
static bool copy_comma(struct slice line, size_t i, struct out *o)
{
	struct slice rest = slice_skip(line, i + 1);
	char next = next_char(rest);

	if (i > 0 && is_digit(line.p[i - 1]) && rest.n && is_digit(*rest.p)) {
		out_byte(o, '.');
		return true;
	}
	if (next == '{')
		out_str(o, "},");
	else if (next != '}')
		out_byte(o, ',');
	return false;
}

bool perf_repair(struct slice line, struct out *o)
{
	bool comma = false;
	size_t i = 0;

	out_reset(o);
	out_byte(o, '[');
	while (i < line.n) {
		struct slice s = slice_skip(line, i), word = s;

		if (*s.p == '"') {
			i += copy_string(s, o);
		} else if (perf_take_nan(&word)) {
			out_str(o, "null");
			i = line.n - word.n;
		} else {
			if (*s.p == '}')
				copy_brace(slice_skip(s, 1), o);
			else if (*s.p == ',')
				comma |= copy_comma(line, i, o);
			else
				out_byte(o, *s.p);
			i++;
		}
	}
	out_byte(o, ']');
	return comma;
}
