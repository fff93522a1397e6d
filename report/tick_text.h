/* SPDX-License-Identifier: MIT */
/* One line a tick: what watch prints without a screen. */
#ifndef REPORT_TICK_TEXT_H
#define REPORT_TICK_TEXT_H

#include "model/sample.h"
#include "report/style.h"

struct tick_line_view {
	const struct model *m;
	const struct sample *s;
	const struct changes *changes; /* NULL: none */
	const struct rates *rates;
	const struct point *point;     /* of this tick */
	int32_t utc_offset_s;
};

void tick_text_header(struct out *o, const struct text_style *st);
void tick_text_line(struct out *o, const struct text_style *st, const struct tick_line_view *v);

#endif
