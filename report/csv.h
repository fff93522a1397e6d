/* SPDX-License-Identifier: MIT */
/* CSV as of RFC 4180, but with "\n": quoted only where needed, an absent value is empty. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include <stdint.h>

#include "base/dec.h"
#include "base/out.h"

struct csv {
	struct out *o;
	unsigned n; /* fields of this line so far */
};

void csv_field(struct csv *c, struct slice v); /* numbers, words of ours */
/*
 * Text from strangers. Control characters and bytes that are not UTF-8 are
 * escaped; what a spreadsheet would take for a formula (= + - @ in front) gets
 * a quote before it.
 */
void csv_text(struct csv *c, struct slice v);
void csv_str(struct csv *c, const char *v); /* NULL: absent */
void csv_absent(struct csv *c);
void csv_u64(struct csv *c, uint64_t v);
void csv_hex(struct csv *c, uint64_t v); /* 0x7f… */
void csv_i64(struct csv *c, int64_t v);
void csv_dec(struct csv *c, bool has, struct dec v); /* all its digits; !has: absent */
void csv_double(struct csv *c, double v); /* 15 digits; not finite: absent */
void csv_end(struct csv *c);
/* A line of n names. */
void csv_header(struct csv *c, const char *const *names, size_t n);

#endif
