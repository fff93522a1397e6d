/* SPDX-License-Identifier: MIT */
/* A report read back, as a baseline is. */
#include "fuzz.h"

#include "model/report_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot s = { 0 };
	struct err e = { 0 };

	if (!report_read(fuzz_text(data, size), &s, &e))
		fuzz_render(&s, NULL);
	snapshot_free(&s);
	return 0;
}
