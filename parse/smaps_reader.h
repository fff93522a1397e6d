/* SPDX-License-Identifier: MIT */
/* The state of a reader, between its files only: bytes in pieces (smaps_read.c), lines (smaps_record.c). */
#ifndef PARSE_SMAPS_READER_H
#define PARSE_SMAPS_READER_H

#include "parse/smaps_table.h"

struct smaps_reader {
	struct smaps *s;
	struct smaps_options o;
	struct names_index names;
	struct layout layout; /* expected now */
	struct layout learned; /* of the record being read line by line */
	bool learning;
	struct fast_run run;
	unsigned long line; /* number of the current line */
	unsigned long header; /* of the line that the current record begins with */
	char *carry;        /* what the last piece left over */
	size_t carry_n, carry_cap;
	/* The record that lines go to. */
	bool in_record;
	bool name_open;     /* its name may go on in the next line */
	bool name_full;     /* its line fills a terminal to the edge: the name may be cut anywhere */
	bool blank_lost;    /* a blank in front of this line was taken away */
	bool flags_open;    /* its VmFlags may go on in the next line */
	char half_flag;     /* the first letter of a flag that was cut; 0: none */
	char *joined;       /* its name, as far as lines were joined; joined_n 0: none were */
	size_t joined_n, joined_cap;
	bool elided;        /* lines of it were left out */
	unsigned hint;      /* field expected next */
	struct special { uint32_t vma, line; } *special;
	size_t special_n, special_cap;
	struct special *back; /* records that start below the end of the one before */
	size_t back_n, back_cap;
	char *scratch;
	size_t scratch_cap;
};

/* One line, without its newline; `final` when the input ends in it and has none. */
int smaps_take_line(struct smaps_reader *r, struct slice line, bool final, struct err *e);
/* A regular line of 28 bytes of the current record. 1: taken; 0: it is not that; -1: an error. */
int smaps_quick_field(struct smaps_reader *r, const char *p, const char *end, struct err *e);
/* Counts a departure from what the kernel prints; with --strict it is an error. */
int smaps_note(struct smaps_reader *r, enum note n, struct slice line, const char *at, struct err *e);
/* Where addresses first went back, with the mapping's line. -1, or 0: they never did. Before the repair. */
int smaps_disorder(const struct smaps_reader *r, struct err *e);
void smaps_remember(struct special **list, size_t *n, size_t *cap, uint32_t vma, unsigned long line);

/* ---- parse/smaps_wrap.c ---- */

/* With its quote marks or before it was quoted: it ends at the edge of a terminal, 80 columns. */
bool smaps_fills_terminal(struct slice raw, struct slice line);
/* Joins a line with the one before, if it surely goes on there; `full` as above. false: it does not. */
bool smaps_join(struct smaps_reader *r, struct slice line, bool full);
/* No more lines are joined: the name is whole, and a letter that was no half of a flag is one that is not known. */
void smaps_end_joined(struct smaps_reader *r);

#endif
