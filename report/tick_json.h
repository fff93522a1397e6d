/* SPDX-License-Identifier: MIT */
/*
 * A recording, and what --format json of watch writes: one document a line.
 * The first line, and one now and then, is a whole hugecov.report/1 with a
 * member `tick`; those between are hugecov.tick/1 with what changed since the
 * line before:
 *
 *   schema, tool, time, pid, tick{…}, totals{vmas,rss_kb,huge_kb,waterfall},
 *   meminfo{changed}, vmstat{changed}, vmas[changed and new], gone["0x…"]
 *
 *   tick{n, elapsed_ns, interval_ms, look, cost_us, full_cost_us, full_every,
 *        full_age, target, exec, rollup{rss_kb,huge_kb}|null}
 *
 * model/replay.h reads them back.
 */
#ifndef REPORT_TICK_JSON_H
#define REPORT_TICK_JSON_H

#include "base/json.h"
#include "model/findings.h"
#include "model/sample.h"

struct tick_view {
	const struct sample *s;
	const struct model *m;
	const struct findings *findings;
	const struct rates *rates;
	const struct model *before; /* of the line before; NULL: write all, as a report */
};

/* One line with its end. */
void tick_json(struct out *o, const struct tick_view *v);

#endif
