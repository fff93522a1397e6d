/* SPDX-License-Identifier: MIT */
/*
 * Which mapping of one dump is which of another. By address for one process at
 * two times: what overlaps, one sweep over both tables, O(n); an empty
 * reservation (anonymous, ---) only with another, unless the bounds are equal.
 * By identity for two runs: equal name (without what changes from run to run),
 * permissions and kind, equal sizes first, then in the order of addresses;
 * hashed, O(n).
 */
#ifndef MODEL_MATCH_H
#define MODEL_MATCH_H

#include "base/mem.h"
#include "model/model.h"

enum { BEFORE, AFTER, SIDES };

enum match_kind {
	MATCH_SAME,    /* by address: equal bounds; by identity: equal size */
	MATCH_RESIZED,
	MATCH_MOVED,   /* one process: what overlaps nothing, paired by identity */
	MATCH_SPLIT,   /* more mappings after than before */
	MATCH_MERGED,
	MATCH_ADDED,
	MATCH_REMOVED,
	MATCH_POOL,    /* all that is added or removed, of one group */
	MATCH_KINDS
};
extern const char *const match_kind_names[MATCH_KINDS]; /* "same" … */

/* Why they are paired as they are. */
enum match_basis {
	BASIS_ASKED,   /* by what was asked for */
	BASIS_PROCESS, /* one process: pid, start ticks and boot id: by address */
	BASIS_RANGES,  /* more than half of the longer table's ranges are equal: by address */
	BASIS_EXEC,    /* one process that runs another program now, elsewhere: by identity */
	BASIS_OTHERS,  /* two processes, or nothing says that it is one: by identity */
	BASES
};
extern const char *const match_basis_names[BASES]; /* "asked" "process" … */

enum match_by { MATCH_AUTO, MATCH_ADDRESS, MATCH_IDENTITY };

/* Mappings are only compared with those of their group: shmem and file are one. */
enum match_group { GROUP_ANON, GROUP_SHARED, GROUP_HUGETLB, GROUP_SPECIAL, MATCH_GROUPS };
extern const uint8_t match_group_of[CLASS_COUNT];

/* One row: the mappings of each side are order[side][first[side]] and the n[side] - 1 behind it. */
struct match_row {
	uint32_t first[SIDES], n[SIDES];
	uint8_t kind;     /* enum match_kind */
	uint8_t group;    /* enum match_group */
	bool identity;    /* paired by identity, not by address */
	/* What the diff says of it (model/diff.c): */
	bool kept;        /* selected */
	bool changed;     /* anything that counts differs */
	bool loss_known;
	bool chance;      /* a slot was lost by chance: taken off the loss */
	uint64_t loss_kb; /* huge memory that became small and stayed */
};

struct match {
	bool by_address;
	enum match_basis basis;
	bool exec;     /* one process by its ids, and its program was changed between the two */
	bool other;    /* known to be two processes, though their number may be one */
	struct match_row *row;
	size_t n, cap;
	uint32_t *order[SIDES]; /* indexes into the tables of mappings */
	size_t order_n[SIDES], order_cap[SIDES];
};

/*
 * Pairs the mappings of two models whose classes are known. MATCH_AUTO: by
 * address when it is one process (pid, start ticks and boot id), or more than
 * half of the longer table's ranges are equal. Of a process that has become
 * another program (exec) the addresses of before say nothing: only equal
 * ranges do. Tables are sorted and without
 * overlap, as the readers leave them. Makes no pools.
 */
void match_make(const struct model *before, const struct model *after, enum match_by by,
		struct match *ret);
void match_free(struct match *m);

/* Appends the indexes to order[side] as one run; returns its first place. */
uint32_t match_append(struct match *m, int side, const uint32_t *at, size_t n);
static inline uint32_t match_append_one(struct match *m, int side, uint32_t i)
{
	if (m->order_n[side] == m->order_cap[side])
		return match_append(m, side, &i, 1);
	m->order[side][m->order_n[side]] = i;
	return (uint32_t)m->order_n[side]++;
}
struct match_row *match_add_row(struct match *m);

static inline uint32_t match_member(const struct match *m, const struct match_row *r, int side,
				    uint32_t i)
{
	return m->order[side][r->first[side] + i];
}

/* ---- between match.c and match_identity.c ---- */

struct match_list { /* indexes of mappings, ascending */
	uint32_t *at;
	size_t n, cap;
};
void match_list_add(struct match_list *l, uint32_t i);
/*
 * Pairs what stands in the two lists and makes rows of it, `moved` ones or
 * `same` and `resized`; then the rest, removed and added.
 */
void match_identity(struct match *ret, const struct smaps *const side[SIDES],
		    const struct match_list list[SIDES], bool moved);
/*
 * The name without digits, hexadecimal runs of 8 and more, " (deleted)"; buf has
 * name.n bytes. What match_identity() compares; here for its tests.
 */
struct slice match_plain_name(struct slice name, char *buf);

#endif
