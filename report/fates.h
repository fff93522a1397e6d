/* SPDX-License-Identifier: MIT */
/* The five words of a waterfall as numbers and as cells of a bar: of text, and of the live view. */
#ifndef REPORT_FATES_H
#define REPORT_FATES_H

#include "model/model.h"
#include "report/style.h"

void fates_amounts(const struct waterfall *w, uint64_t ret[FATE_COUNT]); /* kB */
/*
 * Shares `width` cells out: one at least to what is not nothing, the rest by
 * the largest remainders. `all` is their sum, not 0.
 */
void fates_cells(const uint64_t kb[FATE_COUNT], uint64_t all, int width, int cells[FATE_COUNT]);

#endif
