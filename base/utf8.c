/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

static int32_t continuation(struct slice s, size_t n, int32_t c, int32_t min)
{
	if (s.n <= n)
		return -1;
	for (size_t i = 1; i <= n; i++) {
		unsigned char b = (unsigned char)s.p[i];

		if ((b & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (b & 0x3f);
	}
	if (c < min || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return -1;
	return c;
}

int32_t utf8_take(struct slice *s)
{
	unsigned char b = (unsigned char)*s->p;
	int32_t c = -1;
	size_t n = 0;

	if (b < 0x80)
		c = b;
	else if (b >= 0xc2 && b < 0xe0)
		c = continuation(*s, n = 1, b & 0x1f, 0x80);
	else if (b >= 0xe0 && b < 0xf0)
		c = continuation(*s, n = 2, b & 0x0f, 0x800);
	else if (b >= 0xf0 && b < 0xf5)
		c = continuation(*s, n = 3, b & 0x07, 0x10000);
	*s = slice_skip(*s, c < 0 ? 1 : n + 1);
	return c;
}

bool utf8_valid(struct slice s)
{
	while (s.n)
		if (utf8_take(&s) < 0)
			return false;
	return true;
}

struct range {
	int32_t from, to;
};

/* Coarse on purpose: the blocks that occur in file names. Unicode 15. */
static const struct range zero_width[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e },
	{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f }, { 0x202a, 0x202e },
	{ 0x2060, 0x2064 }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
	{ 0xfeff, 0xfeff }, { 0xe0100, 0xe01ef },
};
static const struct range wide[] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },
	{ 0x2e80, 0x303e },   { 0x3041, 0x33ff },   { 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },
	{ 0xa000, 0xa4cf },   { 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f },
	{ 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static bool in(const struct range *r, size_t n, int32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].from && c <= r[i].to)
			return true;
	return false;
}

int utf8_width(int32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return 0;
	if (c < 0x300)
		return 1;
	if (in(zero_width, sizeof(zero_width) / sizeof(*zero_width), c))
		return 0;
	return in(wide, sizeof(wide) / sizeof(*wide), c) ? 2 : 1;
}

int utf8_columns(struct slice s)
{
	int n = 0;

	while (s.n) {
		if (*s.p >= ' ' && *s.p < 0x7f) { /* as most is */
			s = slice_skip(s, 1);
			n++;
			continue;
		}
		int32_t c = utf8_take(&s);

		n += c < 0 ? 1 : utf8_width(c);
	}
	return n;
}

size_t utf8_put(char *buf, int32_t c)
{
	if (c < 0x80) {
		buf[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		buf[0] = (char)(0xc0 | c >> 6);
		buf[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		buf[0] = (char)(0xe0 | c >> 12);
		buf[1] = (char)(0x80 | (c >> 6 & 0x3f));
		buf[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	buf[0] = (char)(0xf0 | c >> 18);
	buf[1] = (char)(0x80 | (c >> 12 & 0x3f));
	buf[2] = (char)(0x80 | (c >> 6 & 0x3f));
	buf[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* What draws nothing, or turns round what follows. Joiners of emoji (U+FE0F) and accents are not among them. */
static const struct range invisible[] = {
	{ 0x00ad, 0x00ad },   { 0x034f, 0x034f },   { 0x061c, 0x061c },	  { 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f },   { 0x200b, 0x200f },	  { 0x2028, 0x202e },
	{ 0x2060, 0x206f },   { 0x3164, 0x3164 },   { 0xfeff, 0xfeff },	  { 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb },   { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe007f },
};

bool utf8_unsafe(int32_t c)
{
	if (c < 0xad)
		return c < 0x20 || (c >= 0x7f && c < 0xa0);
	return in(invisible, sizeof(invisible) / sizeof(*invisible), c);
}
