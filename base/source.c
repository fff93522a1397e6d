/* SPDX-License-Identifier: MIT */
#include "base/source.h"

const char *const source_kind_names[KIND_COUNT] = {
	[KIND_UNKNOWN] = "unknown",	      [KIND_PROCESS] = "process",
	[KIND_SNAPSHOT] = "snapshot",	      [KIND_SMAPS] = "smaps",
	[KIND_ROLLUP] = "smaps_rollup",	      [KIND_MEMINFO] = "meminfo",
	[KIND_VMSTAT] = "vmstat",	      [KIND_NODE_MEMINFO] = "node-meminfo",
	[KIND_NODE_VMSTAT] = "node-vmstat",   [KIND_PERF] = "perf-stat",
	[KIND_LKP] = "lkp",		      [KIND_LAT] = "lat_mem_rd",
	[KIND_REPORT] = "report",	      [KIND_LKP_RESULT] = "lkp-result",
};

const char *const note_names[NOTE_COUNT] = {
	[NOTE_QUOTED] = "quoted",	[NOTE_INDENTED] = "indented",
	[NOTE_CRLF] = "crlf",		[NOTE_NUL] = "nul",
	[NOTE_TABS] = "tabs",		[NOTE_NO_FINAL_NEWLINE] = "no_final_newline",
	[NOTE_WRAPPED] = "wrapped",	[NOTE_ELIDED] = "elided",
	[NOTE_CUT] = "cut",		[NOTE_FOREIGN] = "foreign",
	[NOTE_UNKNOWN] = "unknown",	[NOTE_BACKWARD] = "backward",
	[NOTE_TORN] = "torn",		[NOTE_OVERSIZE] = "oversize",
	[NOTE_DAMAGED] = "damaged",
	[NOTE_DECIMAL_COMMA] = "decimal_comma",
};
