/* SPDX-License-Identifier: MIT */
/* meminfo, vmstat, status and settings. */
#include "fuzz.h"

#include "parse/keyval.h"
#include "parse/sniff.h"
#include "parse/thp_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_text(data, size);
	struct snapshot s = { .source = { .kind = KIND_MEMINFO, .path = "x", .pid = -1, .time_ns = -1, .complete = true } };
	struct err e = { 0 };

	sniff(text, &e);
	s.system.has_meminfo = !meminfo_parse(text, &s.arena, false, &s.system.meminfo, &e);
	s.system.has_vmstat = !vmstat_parse(text, &s.arena, false, &s.system.vmstat, &e);
	status_value(text, "THP_enabled");
	for (struct cut c = slice_cut_line(text); c.head.n || c.ok; c = slice_cut_line(c.tail)) {
		struct cut path = slice_cut(c.head, '\t');

		if (!path.head.n || memchr(path.head.p, '\0', path.head.n))
			continue; /* no file has such a name */
		thp_settings_add(&s.system.thp, &s.arena, path.head, path.tail);
	}
	s.system.has_thp = s.system.thp.n > 0;
	if (s.system.has_meminfo || s.system.has_vmstat)
		fuzz_render(&s, NULL);
	snapshot_free(&s);
	return 0;
}
