/* SPDX-License-Identifier: MIT */
/* hugecov.report/1, streamed. The parts are used by the other documents too. */
#ifndef REPORT_REPORT_JSON_H
#define REPORT_REPORT_JSON_H

#include "base/json.h"
#include "model/findings.h"
#include "model/model.h"

enum vmas_shown { SHOW_VMAS_ALL, SHOW_VMAS_FINDINGS, SHOW_VMAS_NONE };

struct report_view {
	const struct model *m;
	const struct findings *findings;
	enum vmas_shown vmas;
	const uint32_t *order; /* mappings in another order than by address, or only some; NULL: all */
	size_t order_n;
	bool without_system; /* inside a set */
	/* Further members at the end of the document; NULL: none. */
	void (*more)(struct json *j, const void *arg);
	const void *more_arg;
};

/* A whole document; in a set one element. `j` has been started. */
void report_json(struct json *j, const struct report_view *v);

/* Members, each with its key in front. */
void json_schema(struct json *j, const char *schema); /* schema and tool */
void json_source(struct json *j, const char *key, const struct source_info *s); /* key NULL: an element */
void json_system(struct json *j, const struct system_info *s, const struct model *m); /* m may be NULL */
void json_process(struct json *j, const struct snapshot *s);
void json_waterfall(struct json *j, const struct fall_total falls[FALL_COUNT]);

/* The members of a waterfall, in the order of the documents. */
enum { FALL_MEMBERS = 6 };
extern const char *const fall_member_names[FALL_MEMBERS]; /* "rss_kb" … "huge_kb" */
uint64_t fall_member(const struct waterfall *w, int i);
/* The members up to `advice`, of an object that is open already; at: its mapping, or NULL. */
void json_finding_members(struct json *j, const struct finding *f, const struct vma *at, struct slice message,
			  struct slice advice);
/* One mapping with all its members; in the order of the table. */
void json_vma(struct json *j, const struct model *m, const struct vma *v);
void json_name(struct json *j, struct slice name); /* name and name_hex */
void json_time(struct json *j, const char *key, int64_t ns); /* RFC 3339 UTC; null when negative */

#endif
