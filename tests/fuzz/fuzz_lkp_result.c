/* SPDX-License-Identifier: MIT */
/* matrix.json and stats.json of the robot. */
#include "fuzz.h"

#include "parse/lkp_result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_text(data, size);

	lkp_result_looks(text);
	fuzz_counters(KIND_LKP_RESULT, text);
	return 0;
}
