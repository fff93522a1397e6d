/* SPDX-License-Identifier: MIT */
/* smaps in any dress: both readers agree, and every renderer takes what they read. */
#include "fuzz.h"

#include "parse/smaps.h"
#include "parse/sniff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_text(data, size);
	struct snapshot s = { .source = { .kind = KIND_SMAPS, .path = "x", .pid = -1, .time_ns = -1, .complete = true } };
	struct smaps slow = { 0 };
	struct err e1 = { 0 }, e2 = { 0 };

	sniff(text, &e1);
	int fast = smaps_parse(text, (struct smaps_options){ 0 }, &s.smaps, &e1);
	int tolerant = smaps_parse(text, (struct smaps_options){ .slow = true }, &slow, &e2);
	if (fast != tolerant || (!fast && s.smaps.n != slow.n) || (fast && e1.line != e2.line))
		abort();
	if (!fast) {
		s.has_smaps = true;
		fuzz_render(&s, NULL);
	}
	smaps_free(&slow);
	snapshot_free(&s);
	return 0;
}
