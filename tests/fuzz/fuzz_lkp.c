/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_counters(KIND_LKP, fuzz_text(data, size));
	return 0;
}
