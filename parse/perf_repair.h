/* SPDX-License-Identifier: MIT */
/*
 * A line of perf stat -j made JSON. perf prints it by hand, so in real output:
 *   - a second metric goes on behind the closed object (6.1):      } "metric-value" : …
 *   - several objects stand on a line (6.1 --metric-only):         {…}{…}   …, {…}
 *   - a comma stands before the closing brace (6.13, 6.14):        , }
 *   - no comma stands behind the core (/percore/ under -A):         "S0-D0-C0""…"
 *   - numbers have the locale's decimal comma:                     100,00
 *   - numbers are nan or inf
 *   - a quote or a backslash in a name is not escaped
 * What cannot be made JSON so is damaged (6.1 --metric-only -M dies in mid-line).
 */
#ifndef PARSE_PERF_REPAIR_H
#define PARSE_PERF_REPAIR_H

#include "base/out.h"
#include "base/slice.h"

/* Writes an array of the line's objects to `o`. True when there was a decimal comma. */
bool perf_repair(struct slice line, struct out *o);

#endif
