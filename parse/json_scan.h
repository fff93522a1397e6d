/* SPDX-License-Identifier: MIT */
/*
 * The scan in front of cJSON: finds the tokens of a document and refuses what
 * cJSON would let pass. For json_read.c alone; others use json_read.h.
 */
#ifndef PARSE_JSON_SCAN_H
#define PARSE_JSON_SCAN_H

#include <stdarg.h>

#include "parse/json_read.h"

/* Fills d->starts with the offsets of all tokens. Brackets and commas are not checked here. */
int json_scan(struct json_doc *d, struct err *e);

/* A fault at a byte of the document, with its line and column. Both return -1. */
int json_fault_va(const struct json_doc *d, size_t at, struct err *e, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));
int json_fault_at(const struct json_doc *d, size_t at, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
