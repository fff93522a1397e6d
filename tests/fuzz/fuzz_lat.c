/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "parse/sniff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };

	sniff(fuzz_text(data, size), &e);
	fuzz_counters(KIND_LAT, fuzz_text(data, size));
	return 0;
}
