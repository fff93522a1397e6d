/* SPDX-License-Identifier: MIT */
/*
 * The model: what each mapping could be, is, and why it is not, by the
 * definitions in docs/definitions.md. Pure: it reads a snapshot and nothing
 * else. All sizes in kB.
 *
 * Order of use: model_init (page and PMD size, classes, policy, eligibility),
 * then optionally filter_apply, then findings_make or, without findings,
 * model_totals.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/snapshot.h"

enum vma_class { CLASS_ANON, CLASS_SHMEM, CLASS_FILE, CLASS_HUGETLB, CLASS_SPECIAL, CLASS_COUNT };
enum eligible {
	ELIGIBLE_YES,        /* the kernel may use huge pages where a slot fits */
	ELIGIBLE_IF_ALIGNED, /* it would if a slot fitted */
	ELIGIBLE_SUB_PMD,    /* only sizes below PMD are possible */
	ELIGIBLE_NO,
	ELIGIBLE_UNKNOWN,
	ELIGIBLE_COUNT
};
enum policy { POLICY_UNKNOWN, POLICY_ALWAYS, POLICY_MADVISE, POLICY_NEVER, POLICY_COUNT };
enum policy_source { POLICY_FROM_NONE, POLICY_FROM_OPTION, POLICY_FROM_SYSFS, POLICY_INFERRED, POLICY_SOURCES };
enum pmd_source { PMD_OPTION, PMD_SYSFS, PMD_MTHP_DIRS, PMD_PAGE_SIZE, PMD_VALUES, PMD_ASSUMED, PMD_SOURCES };

extern const char *const class_names[CLASS_COUNT];       /* "anon" … */
extern const char *const eligible_names[ELIGIBLE_COUNT]; /* "yes" "if-aligned" … */
extern const char *const policy_names[POLICY_COUNT];
extern const char *const policy_source_names[POLICY_SOURCES];
extern const char *const pmd_source_names[PMD_SOURCES];

/* Where the resident memory of a mapping, or of many, goes. rss = sum of the other five. */
struct waterfall {
	uint64_t rss, subslot, policy_loss, alignment_loss, delivery_loss, huge;
};

/* One mapping by the definitions. */
struct thp {
	uint64_t slots_ideal, slots_fit;
	uint64_t head_kb, tail_kb; /* before the first and behind the last slot that fits */
	bool known;                /* the waterfall below is */
	struct waterfall w;
};
static inline uint64_t thp_slots_lost(const struct thp *t)
{
	return t->slots_ideal - t->slots_fit;
}
/* I, A, F of the definitions, from the waterfall. */
static inline uint64_t waterfall_ideal(const struct waterfall *w)
{
	return w->rss - w->subslot;
}
void waterfall_add(struct waterfall *to, const struct waterfall *w);
static inline uint64_t waterfall_cost(const struct waterfall *w)
{
	return w->policy_loss + w->alignment_loss + w->delivery_loss;
}

enum total {
	TOTAL_SIZE, TOTAL_RSS, TOTAL_PSS, TOTAL_ANONYMOUS, TOTAL_SWAP, TOTAL_ANON_HUGE, TOTAL_SHMEM_PMD,
	TOTAL_FILE_PMD, TOTAL_HUGE, TOTAL_HUGETLB, TOTAL_COUNT
};
extern const char *const total_names[TOTAL_COUNT]; /* "size_kb" … */

struct sum {
	uint64_t kb;
	bool known; /* some mapping said it */
};

enum { FALL_ANON, FALL_SHMEM, FALL_FILE, FALL_ALL, FALL_COUNT };
extern const char *const fall_names[FALL_COUNT]; /* "anon" "shmem" "file" "all" */

struct fall_total {
	struct waterfall w;
	bool known; /* false: there are mappings and none has a waterfall */
	size_t vmas; /* of the class */
	uint64_t usable_kb; /* size of those that are not PROT_NONE: guards and reservations do not count */
};

struct totals {
	size_t vmas;
	struct sum sum[TOTAL_COUNT];
	bool has_thp_eligible;
	/* Mappings, and slots; the last three over yes and if-aligned, perms not ---. */
	uint64_t thp_eligible, if_aligned, slots_ideal, slots_fit;
	struct fall_total fall[FALL_COUNT];
};

/* No kernel has smaller or larger huge pages of a PMD; with these no sum of pages or bytes overflows. */
#define PMD_KB_MIN 64
#define PMD_KB_MAX (UINT64_C(1) << 30)
/* Whatever says it, an option, a file, a folder or a report: can this be the size, in kB? */
static inline bool model_pmd_fits(uint64_t kb)
{
	return kb >= PMD_KB_MIN && kb <= PMD_KB_MAX && (kb & (kb - 1)) == 0;
}

struct model_options {
	uint64_t pmd_kb;    /* 0: find it */
	enum policy policy; /* POLICY_UNKNOWN: find it */
};

/* What the mappings show of the host's policy, gathered in the pass that classifies them. */
struct observed {
	/*
	 * Anon with VmFlags: without advice and with a slot, THPeligible 1 or 0;
	 * without a slot and 1; advised, slot, 1.
	 */
	bool plain_slot_1, plain_slot_0, plain_none_1, advised_1;
	struct huge_inode *inodes; /* of shmem mappings that are `yes` or PMD-mapped */
	size_t inodes_n, inodes_cap;
	uint32_t *open; /* mappings that are judged when the policy is known */
	size_t open_n;
};

struct model {
	const struct snapshot *snap;
	const struct smaps *smaps; /* the vma.class and vma.eligible in it are set by model_init */
	uint64_t page_kb;          /* 0: nothing says it, 4 is used */
	uint64_t pmd_kb;           /* a power of two */
	unsigned pmd_shift;        /* of the size in bytes */
	enum pmd_source pmd_source;
	const char *pmd_note;      /* a sentence, or NULL */
	enum policy policy;
	enum policy_source policy_source;
	bool disabled;             /* PR_SET_THP_DISABLE */
	uint32_t huge_fields;      /* PRESENT_BITs of the huge-page fields the dump has */
	size_t refusing;           /* anon hg mappings that hold a slot and have THPeligible 0 */
	struct observed seen;
	uint8_t *name_class;       /* per name: what it says about the class */
	uint8_t *keep;             /* per mapping: selected; NULL: all are */
	size_t kept;
	unsigned runtimes;         /* bits of enum runtime that the names show (model/runtime.h) */
	struct totals totals;
};

/* Writes class and eligible into snap->smaps. */
void model_init(struct model *m, struct snapshot *snap, const struct model_options *o);
/* For two dumps judged as one pair: tmpfs devices known in either are tmpfs in both. */
void model_init_pair(struct model *a, struct snapshot *before, struct model *b, struct snapshot *after,
		     const struct model_options *o);
void model_totals(struct model *m);

/* m->totals, for who walks the selected mappings anyway. */
struct tally {
	uint64_t kb[SMAPS_FIELDS]; /* of the fields that go into totals */
	uint32_t present;          /* what some mapping said */
};
void tally_start(struct tally *y, struct model *m);
void tally_add(struct tally *y, struct model *m, const struct vma *v, const struct thp *thp);
void tally_end(const struct tally *y, struct model *m);
void model_free(struct model *m);

void model_thp(const struct model *m, const struct vma *v, struct thp *ret);
/* AnonHugePages + ShmemPmdMapped + FilePmdMapped; what was not printed is 0. */
uint64_t model_huge_kb(const struct model *m, const struct vma *v);
static inline bool model_keeps(const struct model *m, size_t i)
{
	return !m->keep || m->keep[i];
}
static inline uint64_t model_page_kb(const struct model *m)
{
	return m->page_kb ? m->page_kb : 4;
}

/* Ratios of a waterfall; NAN when the divisor is 0. */
double fall_share(const struct waterfall *w);
double fall_coverage(const struct waterfall *w);
double fall_delivered(const struct waterfall *w);
/* FALL_ANON or FALL_SHMEM, whichever has more resident memory: what the headline is about. */
int model_headline(const struct model *m);

/* ---- between the files of the model ---- */

void model_find_sizes(struct model *m, struct smaps *s, const struct model_options *o);
/* A device that is tmpfs in `other` is one here too; NULL: there is no other dump. */
void model_classify(struct model *m, const struct smaps *other);
/* Mapping i, whose class is known. It is judged at once where that does not depend on others. */
void model_observe(struct model *m, size_t i);
void model_find_policy(struct model *m, const struct model_options *o);
void model_judge(struct model *m); /* eligible, of the others */
static inline bool vma_private(const struct vma *v) { return v->perms[3] != 's'; }
static inline bool vma_rw(const struct vma *v) { return v->perms[0] == 'r' && v->perms[1] == 'w'; }
static inline bool vma_none(const struct vma *v)
{
	return v->perms[0] == '-' && v->perms[1] == '-' && v->perms[2] == '-';
}
bool vma_is_heap(const struct vma *v);
bool vma_is_stack(const struct model *m, const struct vma *v); /* [stack], [stack:TID] */
uint64_t model_slots_fit(const struct model *m, const struct vma *v);

#endif
