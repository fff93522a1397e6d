/* SPDX-License-Identifier: MIT */
/*
 * Between the files that read a robot's text: normalise, cut into words, then
 * find headings, headlines and rows among the words. Layout is never used:
 * the row grammar holds on text with all white space made single blanks, so
 * wrapped, collapsed and flattened text need nothing of their own.
 */
#ifndef PARSE_LKP_SCAN_H
#define PARSE_LKP_SCAN_H

#include "parse/lkp.h"

/* ---- lkp_text.c: bytes to lines of clean UTF-8 ---- */

struct lkp_line {
	struct slice text;    /* without the quoting */
	unsigned long number; /* in the input, from 1 */
};

struct lkp_text {
	struct lkp_line *lines;
	size_t n;
};

/*
 * Quoted-printable, Latin-1, entities, mojibake, ANSI colours, odd blanks and
 * every spelling of the plus-minus sign are undone ("±" then stands between
 * blanks); quoting is taken off. Counts notes.
 */
void lkp_text_read(struct slice bytes, struct arena *a, struct source_info *info, struct lkp_text *ret);

/* ---- lkp_words.c: lines to words ---- */

struct lkp_word {
	struct slice s;
	uint32_t line; /* place in lines */
};

struct lkp_scan {
	struct arena *a;
	struct err *e;
	struct source_info *info; /* for its notes */
	const struct lkp_line *lines;
	size_t nlines;
	struct lkp_word *words;
	size_t n;
	bool *used; /* by line: something was read from it */
};

void lkp_words_cut(struct lkp_scan *s);
/* A word, empty beyond the end. */
static inline struct slice lkp_word(const struct lkp_scan *s, size_t i)
{
	return i < s->n ? s->words[i].s : (struct slice){ 0 };
}
bool lkp_first_on_line(const struct lkp_scan *s, size_t i);
bool lkp_last_on_line(const struct lkp_scan *s, size_t i);
/* Words [from, to) as one slice, single blanks where lines meet. */
struct slice lkp_join(const struct lkp_scan *s, size_t from, size_t to);
void lkp_mark(struct lkp_scan *s, size_t from, size_t to); /* their lines are used */
/* Counts a note in the line of word i. */
void lkp_note(const struct lkp_scan *s, enum note n, size_t i);
/* Counts the lines with words that nothing was read from. */
void lkp_note_foreign(const struct lkp_scan *s);

bool lkp_is_number(struct slice w);             /* 12, -6172, 1.235e+08: JSON's grammar */
bool lkp_is_signed(struct slice w);             /* a number with its sign, % or not */
bool lkp_is_rule(struct slice w, char c, size_t min); /* only that character */
bool lkp_is_pm(struct slice w);
bool lkp_is_hex(struct slice w, size_t min);    /* lower case */

/* ---- lkp_row.c ---- */

/*
 * A row that starts at word i. Returns the words taken, 0 when there is none;
 * -1 when a number of it overflows. `in_table`: names without a dot are fine.
 */
long lkp_row_take(struct lkp_scan *s, size_t i, bool in_table, struct lkp_row *ret);
/* Words between which a row cannot start: it would be the rest of a broken one. */
bool lkp_row_broken(const struct lkp_scan *s, size_t i);

/* ---- lkp_head.c: what stands above the rows ---- */

struct lkp_head {
	bool pending;     /* a heading was read, and no row since */
	struct slice title;
	struct slice axes, values;
	size_t axes_at;   /* the word, meaningful when there are axes */
	size_t commits;   /* first word of the list; 0: none (it cannot be the first word) */
	size_t ids, nids; /* words that head the columns */
	size_t heads;     /* the line of column heads; 0: not yet */
};

/* Words of a heading that start at word i: taken into `h`. 0: none. */
size_t lkp_head_take(struct lkp_scan *s, size_t i, const struct lkp_table *open,
		     struct lkp_head *h);
/* A table from what was read. */
void lkp_head_table(struct lkp_scan *s, const struct lkp_head *h, size_t row,
		    struct lkp_table *ret);

/* ---- lkp_mail.c: headlines and the box ---- */

/* A headline whose words start at or around word i. 0: none, else the words to go on. */
size_t lkp_headline_take(struct lkp_scan *s, size_t i, struct lkp_headline *ret);

#endif
