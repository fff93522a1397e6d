/* SPDX-License-Identifier: MIT */
/* Between the files of the smaps reader only. */
#ifndef PARSE_SMAPS_TABLE_H
#define PARSE_SMAPS_TABLE_H

#include "parse/smaps.h"

void names_start(struct smaps *s); /* what every table begins with: special names, and those of flags */

/* smaps_gather() of all but the last mapping, to which more lines may belong. */
void smaps_gather_whole(struct smaps *s);
void smaps_grow(struct smaps *s); /* makes room behind the last mapping */

/* Finds a name's index: open addressing, at most half full. Zero-initialise. */
struct names_index {
	uint32_t *slot;
	size_t cap;
	uint32_t last; /* neighbours often have the same name */
};
uint32_t names_intern(struct names_index *x, struct smaps *s, struct slice name);
void smaps_add_extra(struct smaps *s, struct vma *v, uint32_t key, uint64_t value);
/* By vm_flag_place() of two lower-case letters: 1-based index into vm_flags, 0: no flag has that code. */
extern uint8_t vm_flag_index[32 * 32]; /* filled by names_start() */
static inline unsigned vm_flag_place(char a, char b)
{
	return ((unsigned char)a & 31u) << 5 | ((unsigned char)b & 31u);
}
unsigned vm_flag_of(char a, char b); /* the same of any two bytes */

/*
 * What the kernel is expected to print after a header: learned from one
 * regular record, then compared 16 bytes at a time.
 */
enum line_shape {
	SHAPE_KB,      /* 16 bytes of key, 8 of number, " kB\n" */
	SHAPE_PLAIN,   /* 16 bytes of key, 8 of number, "\n" */
	SHAPE_SHORT,   /* "THPeligible:    0\n": up to 6.1 */
};
struct layout_line {
	uint8_t shape;
	uint8_t field;   /* enum smaps_field */
	uint16_t at;     /* where it begins, from the end of the header */
};
enum { LAYOUT_MAX = SMAPS_FIELDS };
/* Indices of lines that are read four at a time (the first of the four) and one by one. */
struct layout_plan {
	uint8_t four[LAYOUT_MAX], one[LAYOUT_MAX];
	unsigned fours, ones;
};
struct layout {
	_Alignas(16) uint64_t key[LAYOUT_MAX][2]; /* the first 16 bytes of each line */
	struct layout_line line[LAYOUT_MAX];
	unsigned n;        /* 0: nothing learned */
	unsigned bytes;    /* of all lines */
	bool flags;        /* a VmFlags line ends the record */
	uint32_t present;  /* bits that such a record has */
	/*
	 * The last lines of kB were 0 and mostly will be, at least those from KSM to Locked:
	 * they are compared as a whole and read only when they differ. By layout_ready().
	 */
	struct layout_plan busy, quiet;
	unsigned quiet_at, quiet_bytes; /* as text: from there on, so many */
	char text[LAYOUT_MAX * 28];     /* of all lines */
};

/* Notes one line of a record; false when its shape is not one of the above. */
bool layout_learn(struct layout *l, struct slice line, enum smaps_field field, bool is_flags);
/* All lines are noted: records may be read by it. */
void layout_ready(struct layout *l);

struct fast_run {
	const char *at;         /* behind the last whole record */
	unsigned long lines;    /* consumed */
	bool disordered;        /* a start below an earlier end was seen */
	bool short_of;          /* stopped because the bytes may just not be there yet */
	uint64_t max_end;
};
/*
 * Reads as many whole regular records as stand between p and end. A record
 * counts as whole only when the first byte of the next is there too.
 */
void smaps_fast(const struct layout *l, struct smaps *s, struct names_index *x, const char *p,
		const char *end, struct fast_run *run);

/*
 * One line of 28 bytes just as the kernel prints a kB field, "Rss:…  12 kB\n".
 * `hint` is the field to try first. False: it is not that.
 */
bool smaps_fast_field(const char *p, unsigned hint, enum smaps_field *ret_field, uint32_t *ret_value);

/*
 * smaps is not atomic: drops the earlier of two overlapping records, counts
 * it, sorts what is left. Returns where each record went (UINT32_MAX: it was
 * dropped), to be freed. O(n log n).
 */
uint32_t *smaps_repair(struct smaps *s);

#endif
