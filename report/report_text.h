/* SPDX-License-Identifier: MIT */
/*
 * The report for people: what was read, the verdict as a sentence, where the
 * resident memory goes as a bar and as rows that add up, mappings by cost,
 * what to change, and what is not shown.
 */
#ifndef REPORT_REPORT_TEXT_H
#define REPORT_REPORT_TEXT_H

#include "model/blame.h"
#include "model/rank.h"
#include "report/style.h"
#include "report/wrap.h"

struct text_view {
	const struct model *m;
	const struct findings *findings;
	enum rank_key sort;
	uint64_t top; /* rows of mappings; 0: as many as are worth it */
	bool all;     /* every mapping, every finding */
};

/* A process, a snapshot with mappings, a rollup, or system files alone. */
void report_text(struct out *o, const struct text_style *st, const struct text_view *v);

/* ---- between the files of the text report ---- */

enum { TEXT_ROWS = 12, PROSE_MAX = 100 }; /* rows without --top; columns of a sentence */

static inline int text_prose_width(const struct text_style *st)
{
	return st->width < PROSE_MAX ? st->width : PROSE_MAX;
}
/* One paragraph from what `text` holds, which is emptied. */
void text_paragraph(struct out *o, const struct text_style *st, struct out *text);

/* The line of what was read: `who` (safe for a terminal), the system, `tail` when not NULL. */
void text_head(struct out *o, const struct text_style *st, const struct model *m, struct slice who,
	       uint64_t shmem_rss_kb, const char *tail);

/* The classes of memory that a report speaks of, the one with most resident first. */
struct text_falls {
	const struct model *m; /* one that tells the system's settings */
	const struct fall_total *fall; /* FALL_COUNT of them */
	int head;              /* FALL_ANON or FALL_SHMEM */
	uint64_t hugetlb_kb;
	uint64_t untouched_kb[FALL_COUNT]; /* mapped for use and not resident; 0: not told */
	bool all;
};
/* For each its sentence, and where it costs something its bar and rows. */
void text_classes(struct out *o, const struct text_style *st, const struct text_falls *t);
/* "Not shown: …", or nothing; appended to `text`. m may be NULL. */
void text_hidden(struct out *text, const struct text_style *st, const struct model *m,
		 const struct blame *b, size_t mappings);

/* Mappings as blame has joined them, most costly first. Returns the mappings that are not in it. */
struct text_row_list {
	const struct blame *blame;
	enum rank_key sort;
	uint64_t top;
	bool several; /* processes: says how many map it */
};
void text_blame_rows(struct out *o, const struct text_style *st, const struct text_row_list *l);
/* Mappings one by one, in the order of `order`; causes as blame_of_mappings() gives them. */
void text_mapping_rows(struct out *o, const struct text_style *st, const struct model *m,
		       const uint32_t *order, size_t n, const uint8_t *causes,
		       const struct blame *b, bool resident);
/* The numbered lines: what to change. */
void text_causes(struct out *o, const struct text_style *st, const struct blame *b, bool several);

void text_system(struct out *o, const struct text_style *st, const struct snapshot *s);
void text_rollup(struct out *o, const struct text_style *st, const struct model *m);
/* Notes of tolerance, incomplete reads, remarks: one line each, none when all is well. */
void text_notes(struct out *o, const struct text_style *st, const struct snapshot *s,
		const struct model *m);

#endif
