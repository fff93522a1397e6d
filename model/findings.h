/* SPDX-License-Identifier: MIT */
/*
 * Findings: what is wrong with the huge pages of a process, how much it
 * costs, and what to change. One row of finding_rules each.
 *
 * To add one: an id here (the order is the order of the table and decides
 * same_as), a row in finding_rules, its functions, a fixture that hits and
 * one that misses in tests/unit/test_findings.c (which walks the table), and
 * `make docs`.
 */
#ifndef MODEL_FINDINGS_H
#define MODEL_FINDINGS_H

#include "base/json.h"
#include "base/mem.h"
#include "model/model.h"

enum severity { SEVERITY_HIGH, SEVERITY_MEDIUM, SEVERITY_LOW, SEVERITY_INFO, SEVERITIES };
enum certainty { CERTAIN, LIKELY, POSSIBLE, CERTAINTIES };
/*
 * layout: sizes, advice, policy: the same on every run. placement: addresses,
 * by chance from run to run where the length is no multiple of the PMD size.
 * delivery: what the kernel happened to do.
 */
enum nature { NATURE_LAYOUT, NATURE_PLACEMENT, NATURE_DELIVERY, NATURES };
extern const char *const severity_names[SEVERITIES];
extern const char *const certainty_names[CERTAINTIES];
extern const char *const nature_names[NATURES];

enum finding_id {
	FINDING_MISALIGNED,
	FINDING_HEADER_PAGE,
	FINDING_ODD_LENGTH,
	FINDING_SPLIT_MAPPING,
	FINDING_NEEDS_ADVICE,
	FINDING_OPTED_OUT,
	FINDING_POLICY_OFF,
	FINDING_SHMEM_POLICY,
	FINDING_UNDELIVERED,
	FINDING_THP_LOSS, /* from here on: of a diff */
	FINDING_SLOTS_LOST,
	FINDING_SETTING_CHANGED,
	FINDING_FALLBACK,
	FINDING_IDS
};

/* Which loss of the waterfall lost_kb is: two findings of one mapping with the same one are one cause. */
enum loss { LOSS_NONE, LOSS_POLICY, LOSS_ALIGNMENT, LOSS_DELIVERY, LOSS_OWN };

enum header_state { HEADER_FIRST_TOUCH, HEADER_BLOCKS, HEADER_UNPLACED, HEADER_PLACED };
enum { DIFFERS_PERMS = 1, DIFFERS_ADVICE = 2, DIFFERS_FLAGS = 4 }; /* split-mapping */
enum opted { OPTED_NOHUGEPAGE, OPTED_REFUSED, OPTED_PROCESS, OPTED_STACK };

struct finding {
	uint8_t id, severity, certainty, nature;
	uint8_t loss;      /* enum loss */
	uint8_t state;     /* header_state, opted, DIFFERS_ bits, or what the rule keeps here */
	int8_t same_as;    /* finding_id that counts this loss already, or -1 */
	bool lost_known;   /* false: lost_kb is null */
	int64_t vma;       /* index of the mapping; -1: the process or system */
	uint64_t lost_kb;  /* resident memory it costs now */
	uint64_t number;   /* blocks of header-page; mappings of split-mapping */
	const void *more;  /* of a diff finding: the row */
};

struct findings {
	struct finding *at;
	size_t n, cap;
	/* By findings_make(): the selected mappings that have a finding or a cost, ascending; few of all. */
	uint32_t *vmas;
	size_t vmas_n, vmas_cap;
};

struct finding_rule {
	const char *id;        /* "misaligned" */
	const char *when;      /* condition, for the documentation */
	const char *severity;  /* in words */
	const char *certainty; /* in words */
	const char *nature;    /* in words */
	const char *lost;      /* what lost_kb is */
	const char *advice;    /* in general; finding_advice() is for the case at hand */
};
extern const struct finding_rule finding_rules[FINDING_IDS];
/* By its name, FINDING_IDS when there is none. */
enum finding_id finding_id_of(struct slice name);

/* All findings of one snapshot, most costly first, and m->totals in the same pass. */
void findings_make(struct model *m, struct findings *ret);
void findings_sort(struct findings *f); /* by severity, cost, table, address */
void findings_free(struct findings *f);
struct finding *findings_add(struct findings *f, struct finding x);

/* Texts are made when they are shown. One sentence with the numbers; what to change. */
void finding_message(const struct model *m, const struct finding *f, struct out *o);
/* The same of several findings of one kind and state, without the numbers in which they differ. */
void finding_message_many(const struct model *m, const struct finding *f, struct out *o);
void finding_advice(const struct model *m, const struct finding *f, struct out *o);
void finding_evidence(const struct model *m, const struct finding *f, struct json *j); /* one object */

/* ---- between the files of the model ---- */

struct finder {
	const struct model *m;
	struct findings *out;
	uint64_t shmem_policy_loss; /* of mappings without nh */
	uint64_t anon_policy_loss;
};
/* By cost: high from P and half of R, medium from P, low when slots are lost or less than P is. */
enum severity severity_by_cost(const struct model *m, const struct thp *t, bool known, uint64_t lost);
void find_layout(struct finder *x, size_t i, const struct vma *v, const struct thp *t);
void find_policy(struct finder *x, size_t i, const struct vma *v, const struct thp *t);
void find_delivery(struct finder *x, size_t i, const struct vma *v, const struct thp *t);
/* Judges the run of touching neighbours that begins at i; returns where the next one begins. */
size_t find_split(struct finder *x, size_t i);
void find_process(struct finder *x);
/* All of it resident and nothing huge: the pages are older than the advice. */
bool undelivered_is_late(const struct vma *v, const struct thp *t, uint64_t pmd_kb);
const char *const *undelivered_suspects(const struct model *m, const struct vma *v, const struct thp *t,
					const char *buf[static 16], size_t *ret_n);

#endif
