/* SPDX-License-Identifier: MIT */
/*
 * Counter sources that were given together with a snapshot (report smaps
 * perf.csv; a directory that holds smaps and perf.txt): shown and compared
 * beside its mappings.
 */
#ifndef CMD_BESIDE_H
#define CMD_BESIDE_H

#include "base/json.h"
#include "cmd/counters.h"

struct beside {
	struct counters_doc *docs;
	size_t n;
	struct counter_list list; /* of all that can be compared; filled by beside_diff() */
};

/* All counter sources of a load. -1: nothing to free. */
int beside_read(struct beside *ret, const struct load *l, const struct common_options *c,
		struct err *e);
void beside_free(struct beside *b); /* also of a zeroed one */
/*
 * The member `counters` of a report: an array of hugecov.counters/1. Nothing
 * when there are none.
 */
void beside_json(struct json *j, const void *beside);
/* As text or CSV, each behind an empty line. */
void beside_show(const struct beside *b, const struct common_options *c, struct output *o);

/* Both sides of a diff. */
struct beside_pair {
	struct beside side[2];
	struct arena arena;
	struct readings readings;
};

/*
 * Reads the counter sources of both loads and appends their differences to
 * rows, which must not outlive *ret. -1: nothing to free.
 */
int beside_diff(struct beside_pair *ret, const struct load *before, const struct load *after,
		const struct common_options *c, struct counter_rows *rows, struct err *e);
void beside_pair_free(struct beside_pair *p);

#endif
