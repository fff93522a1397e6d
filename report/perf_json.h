/* SPDX-License-Identifier: MIT */
/*
 * hugecov.counters/1 of perf stat's output, streamed. Numbers keep the digits
 * they were printed with.
 */
#ifndef REPORT_PERF_JSON_H
#define REPORT_PERF_JSON_H

#include "base/json.h"
#include "base/source.h"
#include "model/readings.h"
#include "parse/perf.h"

/* A whole document; `j` has been started. */
void perf_json(struct json *j, const struct perf_doc *d, const struct source_info *source,
	       const struct readings *readings);
/* A decimal number; absent: null. Key included. */
void json_kv_dec(struct json *j, const char *key, bool present, struct dec v);

#endif
