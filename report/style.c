/* SPDX-License-Identifier: MIT */
#include "report/style.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

const struct fate_row fate_rows[FATE_COUNT] = {
	[FATE_HUGE] = { '#', "huge", "huge_kb", "In huge pages", ROLE_HUGE },
	[FATE_NOT_ALLOWED] = { 'x', "not allowed", "policy_loss_kb",
			       "Large enough, but the THP policy or an advice bars it",
			       ROLE_NOT_ALLOWED },
	[FATE_MISPLACED] = { '/', "misplaced", "alignment_loss_kb",
			     "Large enough, but no aligned slot fits where it lies",
			     ROLE_MISPLACED },
	[FATE_TOO_SMALL] = { '.', "too small", "subslot_kb",
			     "Less than one huge page, or the rest behind the last one",
			     ROLE_TOO_SMALL },
	[FATE_NOT_DELIVERED] = { ':', "not delivered", "delivery_loss_kb",
				 "It could be huge; the kernel has not made it so",
				 ROLE_NOT_DELIVERED },
};

static const char *const sgr[ROLE_COUNT] = {
	[ROLE_PLAIN] = "",	    [ROLE_TITLE] = "1",		[ROLE_DIM] = "2",
	[ROLE_GOOD] = "32",	    [ROLE_BAD] = "1;31",	[ROLE_HIGH] = "1;31",
	[ROLE_MEDIUM] = "33",	    [ROLE_LOW] = "36",		[ROLE_HUGE] = "32",
	[ROLE_NOT_DELIVERED] = "33", [ROLE_NOT_ALLOWED] = "31", [ROLE_MISPLACED] = "35",
	[ROLE_TOO_SMALL] = "2",
};

const char *style_glyph(const struct text_style *st, enum fate fate)
{
	static const char *const ascii[FATE_COUNT] = { "#", "x", "/", ".", ":" };

	return fate == FATE_HUGE && !st->ascii ? "\xe2\x96\x88" : ascii[fate];
}

void style_on(struct out *o, const struct text_style *st, enum role role)
{
	if (st->color && role != ROLE_PLAIN)
		out_printf(o, "\033[%sm", sgr[role]);
}

void style_off(struct out *o, const struct text_style *st, enum role role)
{
	if (st->color && role != ROLE_PLAIN)
		out_str(o, "\033[0m");
}

void style_text(struct out *o, const struct text_style *st, enum role role, const char *text)
{
	style_on(o, st, role);
	out_str(o, text);
	style_off(o, st, role);
}

/* These run for each mapping of a list, so that they do without printf. */
static const char *around(char *buf, const char *before, struct slice s, const char *behind)
{
	size_t n = strlen(before);

	memcpy(buf, before, n);
	memcpy(buf + n, s.p, s.n);
	strcpy(buf + n + s.n, behind);
	return buf;
}

const char *style_count(char *buf, uint64_t v)
{
	char digits[NUM_BUF];

	return around(buf, "", num_put_commas_u64(digits, v), "");
}

const char *style_amount(char *buf, const struct text_style *st, uint64_t kb)
{
	if (st->kb)
		return style_count(buf, kb);
	uint64_t whole = kb / 1024, tenths = (kb % 1024 * 10 + 512) / 1024;
	char digits[NUM_BUF];
	struct slice s = num_put_u64(digits, whole + tenths / 10);

	memcpy(buf, s.p, s.n);
	buf[s.n] = '.';
	buf[s.n + 1] = (char)('0' + tenths % 10);
	buf[s.n + 2] = '\0';
	return buf;
}

const char *style_size(char *buf, const struct text_style *st, uint64_t kb)
{
	style_amount(buf, st, kb);
	return strcat(buf, st->kb ? " kB" : " MiB");
}

const char *style_kb(char *buf, uint64_t kb)
{
	style_count(buf, kb);
	return strcat(buf, " kB");
}

const char *style_change(char *buf, int64_t v)
{
	char digits[NUM_BUF];

	return around(buf, v > 0 ? "+" : "", num_put_commas(digits, v), "");
}

const char *style_percent(char *buf, double fraction)
{
	double tenths = round(fraction * 1000);

	if (fraction < 1 && tenths >= 1000)
		tenths = 999;
	snprintf(buf, STYLE_BUF, "%.1f %%", tenths / 10);
	return buf;
}

void style_right(struct out *o, const char *text, int width)
{
	out_pad(o, ' ', width - (int)strlen(text));
	out_str(o, text);
}

void style_left(struct out *o, const char *text, int width)
{
	out_str(o, text);
	out_pad(o, ' ', width - (int)strlen(text));
}
