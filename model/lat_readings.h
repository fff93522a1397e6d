/* SPDX-License-Identifier: MIT */
/* The readings of latency tables; rows as in model/lkp_readings.h. */
#ifndef MODEL_LAT_READINGS_H
#define MODEL_LAT_READINGS_H

#include "model/readings.h"
#include "parse/lat.h"

extern const struct reading_row lat_reading_rows[];
extern const size_t lat_reading_count;

/* Of the columns of each table against its first. */
void lat_readings(const struct lat_doc *doc, struct arena *a, struct readings *to);
/* Of the columns of two texts, paired by place: the same table and column. */
void lat_diff_readings(const struct lat_doc *before, const struct lat_doc *after, struct arena *a,
		       struct readings *to);

#endif
