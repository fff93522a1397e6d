/* SPDX-License-Identifier: MIT */
/* The three readers behind perf_parse(), and what the sniffer needs of them. */
#ifndef PARSE_PERF_FORMS_H
#define PARSE_PERF_FORMS_H

#include "parse/perf_build.h"

/* Each: 0, or -1 for a number that is too long or a library that cannot be loaded. */
int perf_text_read(struct slice text, struct perf_builder *b, struct err *e);
int perf_csv_read(struct slice text, struct perf_builder *b, struct err *e);
int perf_json_read(struct slice text, struct perf_builder *b, struct err *e);

enum perf_form perf_sniff(struct slice head);
/* The separator of -x, or '\0' when no row of perf's is there. */
char perf_csv_separator(struct slice head);

#endif
