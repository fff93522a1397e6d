/* SPDX-License-Identifier: MIT */
/* Dumps of several processes, parted by lines "====": one set, two sets, and runs of two sides. */
#include "fuzz.h"

enum { MEMBERS_MAX = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = fuzz_text(data, size), part;
	struct snapshot snaps[MEMBERS_MAX];
	size_t n = 0;
	bool ok = true;

	while (ok && n < MEMBERS_MAX && fuzz_part(&rest, &part)) {
		ok = fuzz_smaps(part, &snaps[n]);
		snaps[n].has_process = true;
		snaps[n].process.pid = (int64_t)(n + 1);
		snaps[n].process.comm = slice_cut_line(part).head; /* some bytes of theirs */
		n++;
	}
	if (ok && n > 1) {
		fuzz_set(snaps, n);
		fuzz_sets((struct snapshot *const[SIDES]){ snaps, snaps + n / 2 },
			  (const size_t[SIDES]){ n / 2, n - n / 2 });
	}
	while (n-- > 0)
		snapshot_free(&snaps[n]);
	return 0;
}
