/* SPDX-License-Identifier: MIT */
/* Two dumps, parted by a line "====": compared in both directions, every renderer takes it. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = fuzz_text(data, size), part[SIDES];
	struct snapshot a, b;

	if (!fuzz_part(&rest, &part[BEFORE]) || !fuzz_part(&rest, &part[AFTER]))
		return 0;
	bool ok = fuzz_smaps(part[BEFORE], &a);
	ok &= fuzz_smaps(part[AFTER], &b);
	if (ok) {
		fuzz_diff(&a, &b);
		if (fuzz_turn(3))
			fuzz_diff(&b, &a);
	}
	snapshot_free(&a);
	snapshot_free(&b);
	return 0;
}
