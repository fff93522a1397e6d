/* SPDX-License-Identifier: MIT */
/* meminfo, vmstat, status and settings; two of them, parted by a line "====", are both sides of a diff. */
#include "fuzz.h"

#include "parse/keyval.h"
#include "parse/thp_settings.h"

/* "khugepaged/defrag" TAB "1" is a file and its content. */
static void read_settings(struct slice text, struct snapshot *s)
{
	for (struct cut c = slice_cut_line(text); c.head.n || c.ok; c = slice_cut_line(c.tail)) {
		struct cut path = slice_cut(c.head, '\t');

		if (!path.head.n || memchr(path.head.p, '\0', path.head.n))
			continue; /* no file has such a name */
		thp_settings_add(&s->system.thp, &s->arena, path.head, path.tail);
	}
	s->system.has_thp = s->system.thp.n > 0 || s->system.thp.sizes_n > 0;
}

static bool read_side(struct slice text, struct snapshot *s)
{
	struct keyvals strict;
	struct err e = { 0 };

	*s = fuzz_snapshot(KIND_MEMINFO);
	s->system.has_meminfo = !meminfo_parse(text, &s->arena, false, &s->system.meminfo, &e);
	if (!s->system.has_meminfo)
		fuzz_error(&e);
	s->system.has_vmstat = !vmstat_parse(text, &s->arena, false, &s->system.vmstat, &e);
	if (!s->system.has_vmstat)
		fuzz_error(&e);
	meminfo_parse(text, &s->arena, true, &strict, &e);
	status_value(text, "THP_enabled");
	read_settings(text, s);
	s->smaps.complete = true;
	return s->system.has_meminfo || s->system.has_vmstat;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = fuzz_text(data, size), part;
	struct snapshot s[SIDES] = { 0 };
	int n = 0;

	while (n < SIDES && fuzz_part(&rest, &part) && read_side(part, &s[n]))
		fuzz_report(&s[n++]);
	if (n == SIDES)
		fuzz_diff(&s[BEFORE], &s[AFTER]);
	snapshot_free(&s[BEFORE]);
	snapshot_free(&s[AFTER]);
	return 0;
}
