/* SPDX-License-Identifier: MIT */
/* Between the files of the diff only. */
#ifndef MODEL_DIFF_INTERNAL_H
#define MODEL_DIFF_INTERNAL_H

#include "model/diff.h"

/* What vmstat and the mapping itself say about how it came to a loss. */
enum { SIGNS_MAX = 8 };
size_t diff_signs(const struct diff *d, const struct match_row *r, const char *ret[static SIGNS_MAX]);

/* The start, of shmem and file the start - offset, is a multiple of the PMD size. */
bool diff_on_boundary(const struct model *m, const struct vma *v);

#endif
