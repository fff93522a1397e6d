/* SPDX-License-Identifier: MIT */
/* What one line of smaps is, without any state. Between the files of the reader only. */
#ifndef PARSE_SMAPS_LINE_H
#define PARSE_SMAPS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum line_kind {
	LINE_HEADER,   /* a range and permissions */
	LINE_NO_PERMS, /* a range and something else; value is that */
	LINE_FIELD,    /* Key: value */
	LINE_OTHER,
};

/* The line must not be empty. key and value are set for LINE_FIELD. */
enum line_kind line_kind(struct slice line, struct slice *ret_key, struct slice *ret_value);
bool line_elides(struct slice line); /* "...", "…", "[snip]": lines were left out */
/* Takes quote marks at any depth and blanks from the front; true when there were marks. */
bool line_unquote(struct slice *line);

struct header {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	char perms[4];
	struct slice name; /* trailing blanks belong to it */
	bool tabs;         /* between the columns */
};
/* NULL, or what is wrong, with *ret_at where. */
const char *header_parse(struct slice line, struct header *ret, const char **ret_at);

#endif
