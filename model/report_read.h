/* SPDX-License-Identifier: MIT */
/*
 * A hugecov.report/1 document read back as the snapshot it was made of: a
 * baseline that is kept. What the model said then is not read but found again,
 * so an old baseline is judged by the rules of today. Unknown members are
 * passed over; another major version, a wrong type or a mapping without its
 * range is an error with its place.
 */
#ifndef MODEL_REPORT_READ_H
#define MODEL_REPORT_READ_H

#include "model/snapshot.h"

/*
 * `ret` is zeroed by the caller and freed with snapshot_free() in any case.
 * All text is copied into its arena: the bytes may go. A report written
 * without its mappings sets `bare`.
 */
int report_read(struct slice text, struct snapshot *ret, struct err *e);

/* ---- between report_read.c and report_read_vma.c ---- */

struct json_doc;
struct json_value;
int report_read_vmas(const struct json_doc *d, const struct json_value *list, struct smaps *ret,
		     struct err *e);

#endif
