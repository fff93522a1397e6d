/* SPDX-License-Identifier: MIT */
/*
 * Findings joined for people: what one mapping suffers from one cause is one
 * thing, what one remedy mends is one cause, and mappings that are alike are
 * one row. Of one process, or of several that share memory.
 */
#ifndef MODEL_BLAME_H
#define MODEL_BLAME_H

#include "model/advice.h"
#include "model/findings.h"
#include "model/rank.h"

/* One line of advice. */
struct cause {
	uint8_t finding, state; /* enum finding_id, and its state */
	uint8_t advice;         /* enum advice */
	uint8_t severity, certainty; /* of the worst and of the surest */
	uint32_t mappings;      /* 0: the process or system itself */
	uint32_t processes;
	uint64_t lost_kb;       /* shared memory counts once */
	const struct model *m;  /* of `worst` */
	const struct finding *worst; /* the most costly one */
	uint32_t last_member;
	uint64_t worst_kb;
};

enum { ROW_CAUSES = 4, CAUSES_MAX = 255, NO_CAUSE = 255 };

struct blame_row {
	const struct model *m;
	uint32_t vma;       /* the first of them */
	uint32_t mappings;  /* in all members */
	uint32_t processes; /* that have one */
	uint32_t member, last_member; /* the first and the last */
	/* Sums; of an object that several processes map, cost, rss and huge scaled by Pss, the rest
	 * the first one's. */
	uint64_t cost_kb, size_kb, rss_kb, huge_kb, slots_fit, slots_ideal;
	bool known;         /* cost, rss and huge are */
	bool shared;        /* one object of several processes */
	uint8_t cause[ROW_CAUSES]; /* index into causes; NO_CAUSE: no more */
};

struct blame_member {
	const struct model *m;
	const struct findings *findings;
};

struct blame {
	struct cause *causes; /* most costly first */
	size_t causes_n, causes_cap;
	struct blame_row *rows; /* in no order: rank them */
	size_t rows_n, rows_cap;
	uint32_t *slots; /* hash of rows */
	size_t slots_cap;
	/* What is not shown, and of what `all` would show. */
	size_t hidden_free;     /* findings without cost, where others have one */
	size_t hidden_possible; /* possible */
	size_t hidden_info;
	int64_t hidden_vma;     /* the mapping of the only one hidden; -1 */
	size_t mappings_shown;  /* in rows */
};

struct blame_options {
	bool all; /* possible, info and what costs nothing too */
};

void blame_make(struct blame *ret, const struct blame_member *members, size_t n,
		struct blame_options o);
void blame_free(struct blame *b);

/*
 * Indices of the rows in the order asked for, as rank_pick() has it; those that
 * are equal stand by their causes. *ret is to be freed with mem_free().
 */
size_t blame_rank(const struct blame *b, enum rank_key key, size_t top, uint32_t **ret);

/*
 * The causes of each mapping of the only member, ROW_CAUSES bytes each, as in a
 * row; to be freed with mem_free(). For lists that show mappings one by one.
 */
uint8_t *blame_of_mappings(const struct blame *b, const struct blame_member *member,
			   struct blame_options o);

/* ---- between the files of the model ---- */

void blame_sort_causes(struct blame *b); /* most costly first; rows follow */

#endif
