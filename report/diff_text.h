/* SPDX-License-Identifier: MIT */
/*
 * A diff for people: what was read, the verdict as a sentence, what changed;
 * the rest is counted.
 */
#ifndef REPORT_DIFF_TEXT_H
#define REPORT_DIFF_TEXT_H

#include "model/diff.h"
#include "report/style.h"

struct diff_text {
	const struct diff *d;
	const struct text_style *style;
	bool all;     /* every mapping and counter that changed, findings that are only possible */
	uint64_t top; /* mappings at most; 0: as many as fit a screen */
	int status;   /* what --exit-code makes of it; -1: it cannot tell */
};

void diff_text(struct out *o, const struct diff_text *v);

/* ---- between the files of the diff's text ---- */

struct diff_facts {
	int64_t huge, rss;   /* differences over anon, shmem and file */
	uint64_t lost_kb, lost_pages; /* of losses that are likely or certain */
	size_t lost_rows;
	uint64_t kb_by_cause[CAUSES];
	const struct finding *loss; /* the largest */
	const struct finding *slots; /* a slots-lost that is shown */
	size_t chances; /* rows that lost a slot by chance */
	size_t gone;    /* mappings removed, or smaller than before */
	uint64_t nohuge_kb; /* resident where MADV_NOHUGEPAGE is new, without a loss: rows of a huge page or more */
	int64_t freed;  /* less resident in what changed without a loss */
	size_t changed, unchanged;
};
void diff_text_facts(const struct diff_text *v, struct diff_facts *ret);
bool diff_shows(const struct diff_text *v, const struct finding *f);

void diff_text_verdict(struct out *o, const struct diff_text *v, const struct diff_facts *f);
void diff_text_rows(struct out *o, const struct diff_text *v, const struct diff_facts *f);
void diff_text_counters(struct out *o, const struct diff_text *v);
/* A sentence with a coloured word in front, wrapped. */
void diff_text_sentence(struct out *o, const struct text_style *st, enum role role,
			const char *word, const struct out *text);

#endif
