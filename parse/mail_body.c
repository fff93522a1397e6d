/* SPDX-License-Identifier: MIT */
#include "parse/mail_body.h"

bool mail_qp_breaks(struct slice line)
{
	return slice_ends(line, SLICE("=")) && !slice_ends(line, SLICE("=="));
}

/* One line; true when it goes on in the next. What is no escape stays as it is. */
static bool put_qp_line(struct out *o, struct slice line)
{
	bool cr = slice_ends(line, SLICE("\r"));
	struct slice s = slice_rtrim(line); /* blanks at the end were added on the way */
	bool soft = mail_qp_breaks(s);

	if (soft)
		s.n--;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '=' || i + 2 >= s.n || !is_hex(s.p[i + 1]) || !is_hex(s.p[i + 2])) {
			out_byte(o, s.p[i]);
			continue;
		}
		char c = hex_byte(s.p + i + 1);
		i += 2;
		if (c != '\n' && c != '\r') /* a line more would move all places */
			out_byte(o, c);
	}
	if (!soft && cr)
		out_byte(o, '\r');
	return soft;
}

void mail_qp(struct out *o, struct slice body)
{
	unsigned long owed = 0; /* lines that became one with the one before */

	while (body.n) {
		struct cut c = slice_cut_line(body);

		body = c.tail;
		if (put_qp_line(o, c.head) && body.n) {
			owed++;
			continue;
		}
		if (c.ok)
			out_byte(o, '\n');
		out_pad(o, '\n', (int)owed);
		owed = 0;
	}
}

int mail_base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (is_digit(c))
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

const char *mail_base64(struct out *o, struct slice body, const char **ret_at)
{
	uint32_t bits = 0;
	unsigned n = 0, padding = 0;

	for (size_t i = 0; i < body.n; i++) {
		char c = body.p[i];
		int digit = mail_base64_digit(c);

		*ret_at = body.p + i;
		if (c == '\n' || c == '\r' || is_blank(c))
			continue;
		padding += c == '=';
		if (digit < 0 && c != '=')
			return "this is not base64, which the mail says it is";
		if (digit < 0)
			continue;
		if (padding)
			return "base64 goes on behind its end";
		bits = bits << 6 | (uint32_t)digit;
		if (++n % 4 == 0)
			out_write(o, (char[]){ (char)(bits >> 16), (char)(bits >> 8), (char)bits }, 3);
	}
	*ret_at = body.p + slice_rtrim(body).n;
	if (n % 4 == 1 || (n % 4 && !padding))
		return "the base64 of the mail is cut here";
	if (n % 4 == 2)
		out_byte(o, (char)(bits >> 4));
	if (n % 4 == 3)
		out_write(o, (char[]){ (char)(bits >> 10), (char)(bits >> 2) }, 2);
	return NULL;
}
