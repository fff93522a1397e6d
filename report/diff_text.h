/* SPDX-License-Identifier: MIT */
/* A diff for people: what was read, the verdict as a sentence, what changed; the rest is counted. */
#ifndef REPORT_DIFF_TEXT_H
#define REPORT_DIFF_TEXT_H

#include "model/diff.h"
#include "report/style.h"

struct diff_text {
	const struct diff *d;
	const struct text_style *style;
	bool all;     /* unchanged mappings, possible findings, every counter */
	uint64_t top; /* rows at most; 0: as many as there are */
};

void diff_text(struct out *o, const struct diff_text *v);

#endif
