/* SPDX-License-Identifier: MIT */
/* A report read back, as a baseline is; with a second one behind a line "====" as both sides of a diff. */
#include "fuzz.h"

#include "model/report_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = fuzz_text(data, size), part;
	struct snapshot s[SIDES] = { 0 };
	struct err e = { 0 };
	int n = 0;

	while (n < SIDES && fuzz_part(&rest, &part)) {
		if (report_read(part, &s[n], &e)) {
			fuzz_error(&e);
			break;
		}
		s[n].source.path = "x";
		fuzz_report(&s[n++]);
	}
	if (n == SIDES)
		fuzz_diff(&s[BEFORE], &s[AFTER]);
	snapshot_free(&s[BEFORE]);
	snapshot_free(&s[AFTER]);
	return 0;
}
