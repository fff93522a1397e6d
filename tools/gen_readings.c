/* SPDX-License-Identifier: MIT */
/* docs/readings.md from the tables of readings. */
#include "model/lat_readings.h"
#include "model/lkp_readings.h"
#include "model/lkp_runs.h"
#include "model/perf_readings.h"
#include "tools/gendocs.h"

static const char top[] =
	"# Readings\n"
	"\n"
	"Made from the tables of readings by `make docs`. A reading is the sentence an expert "
	"would add to a set of counters. None is made when a number it needs is not there, "
	"and none names a cause that its input does not show: a row that is missing from a "
	"robot table was filtered, which does not mean that it did not move.\n"
	"\n"
	"In documents each is `{id, message, evidence}`. Readings of robot tables have "
	"`table` and `column` in their evidence as well: the number of the table in the mail, "
	"and of the head column it is about.\n";

static void gen_row(struct out *o, const struct reading_row *r, const char *of)
{
	out_printf(o, "\n## `%s`\n\n", r->id);
	out_printf(o, "- *Of*: %s\n", of);
	out_printf(o, "- *When*: %s\n", r->when);
	out_printf(o, "- *Formula*: %s\n", r->formula);
	out_printf(o, "- *Says*: %s\n", r->sentence);
	out_str(o, "- *Evidence*:");
	struct cut c = slice_cut_word(slice_str(r->evidence));
	for (; c.head.n; c = slice_cut_word(c.tail))
		out_printf(o, " `%.*s`", SLICE_FMT(c.head));
	out_byte(o, '\n');
}

static const char *const of_words[] = {
	[0] = "robot tables",
	[OF_RESULTS] = "robot tables; two raw results of the robot",
	[OF_RESULTS | OF_SNAPSHOTS] = "robot tables; two raw results of the robot; two snapshots "
				      "of meminfo and vmstat",
};

void gen_readings(struct out *o)
{
	out_str(o, top);
	for (size_t i = 0; i < lkp_reading_count; i++)
		gen_row(o, &lkp_reading_rows[i].row, of_words[lkp_reading_rows[i].of]);
	for (size_t i = 0; i < lkp_run_reading_count; i++)
		gen_row(o, &lkp_run_reading_rows[i], "raw results of the robot");
	for (size_t i = 0; i < lat_reading_count; i++)
		gen_row(o, &lat_reading_rows[i], "latency tables");
	for (size_t i = 0; i < perf_reading_count; i++)
		gen_row(o, &perf_reading_rows[i], i ? "outputs of perf stat" : "two outputs of perf stat");
}
