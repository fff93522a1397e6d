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

const char *const note_words[NOTE_COUNT] = {
	[NOTE_QUOTED] = "a quoted line",
	[NOTE_INDENTED] = "an indented line",
	[NOTE_CRLF] = "a line that ends in CR LF",
	[NOTE_NUL] = "a NUL byte",
	[NOTE_TABS] = "a tab where blanks are due",
	[NOTE_NO_FINAL_NEWLINE] = "the last line has no newline",
	[NOTE_WRAPPED] = "lines were broken or joined here",
	[NOTE_ELIDED] = "lines were left out here",
	[NOTE_CUT] = "the text is cut here",
	[NOTE_FOREIGN] = "nothing is read from this line",
	[NOTE_UNKNOWN] = "this is not known",
	[NOTE_BACKWARD] = "addresses go back here",
	[NOTE_TORN] = "this overlaps a mapping before it",
	[NOTE_OVERSIZE] = "more than the whole mapping has",
	[NOTE_DAMAGED] = "this line cannot be read",
	[NOTE_DECIMAL_COMMA] = "a decimal comma",
};

void source_note(struct source_info *s, enum note n, unsigned long line)
{
	s->notes[n]++;
	if (n == NOTE_UNKNOWN || (s->note_line && s->note_line <= line))
		return;
	s->note_line = line;
	s->note = n;
}
