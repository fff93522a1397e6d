/* SPDX-License-Identifier: MIT */
/*
 * How text looks: width, colour, ASCII, units. Pure data plus small helpers;
 * cmd/output.c finds out what the user's terminal and locale allow. Colour
 * never carries meaning alone.
 */
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

struct text_style {
	int width;  /* columns, 40 to 1000 */
	bool color; /* SGR sequences may be written */
	bool ascii; /* nothing above 0x7e */
	bool kb;    /* exact kB with commas, not MiB */
};

enum role {
	ROLE_PLAIN,
	ROLE_TITLE, /* bold */
	ROLE_DIM,
	ROLE_GOOD,
	ROLE_BAD,
	ROLE_HIGH, /* severities */
	ROLE_MEDIUM,
	ROLE_LOW,
	ROLE_HUGE, /* the five words */
	ROLE_NOT_DELIVERED,
	ROLE_NOT_ALLOWED,
	ROLE_MISPLACED,
	ROLE_TOO_SMALL,
	ROLE_COUNT
};

/* The five words for where resident memory goes; one glyph each, everywhere the same. */
enum fate {
	FATE_HUGE,
	FATE_NOT_ALLOWED,
	FATE_MISPLACED,
	FATE_TOO_SMALL,
	FATE_NOT_DELIVERED,
	FATE_COUNT
};

struct fate_row {
	char glyph;
	const char *name;     /* "not allowed" */
	const char *json_key; /* "policy_loss_kb" */
	const char *meaning;  /* a sentence without its final stop */
	enum role role;
};
extern const struct fate_row fate_rows[FATE_COUNT]; /* in the order of the report's rows */

/* The glyph in a bar: a block for '#' when the style is not ASCII. */
const char *style_glyph(const struct text_style *st, enum fate fate);

void style_on(struct out *o, const struct text_style *st, enum role role);
void style_off(struct out *o, const struct text_style *st, enum role role);
void style_text(struct out *o, const struct text_style *st, enum role role, const char *text);

enum { STYLE_BUF = 64 };
/* "140.0 MiB", or "143,360 kB" with st->kb. Half of a tenth is rounded up. */
const char *style_size(char *buf, const struct text_style *st, uint64_t kb);
/* "140.0", or "143,360": for columns whose header names the unit. */
const char *style_amount(char *buf, const struct text_style *st, uint64_t kb);
/* "2,048 kB" and "+2,048" whatever the style. */
const char *style_kb(char *buf, uint64_t kb);
const char *style_count(char *buf, uint64_t v); /* "32,768" */
const char *style_change(char *buf, int64_t v); /* "+2,048", "-32,768", "0" */
/* "66.3 %" of a fraction. What is less than all never rounds to "100.0 %". */
const char *style_percent(char *buf, double fraction);

/* The last line of a diff of two runs: several a side would tell (hugecov diff --before A...). */
#define STYLE_ONE_RUN "One run a side: by how much runs differ anyway is not known."

/* `text` at the right or left of `width` columns; text is plain ASCII of ours. */
void style_right(struct out *o, const char *text, int width);
void style_left(struct out *o, const char *text, int width);

#endif
