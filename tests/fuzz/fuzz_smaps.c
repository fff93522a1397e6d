/* SPDX-License-Identifier: MIT */
/* smaps in any dress: both readers agree, and every renderer takes what they read. */
#include "fuzz.h"

#include "parse/smaps.h"

static bool same_vma(const struct smaps *a, const struct smaps *b, size_t i)
{
	struct vma x = a->vma[i], y = b->vma[i];

	if (!slice_eq(vma_name(a, &x), vma_name(b, &y)))
		return false;
	x.name = y.name = 0;
	return !memcmp(&x, &y, sizeof(x));
}

static bool same(const struct smaps *a, const struct smaps *b)
{
	if (a->n != b->n || a->extra_n != b->extra_n || a->again != b->again || a->complete != b->complete ||
	    a->rollup != b->rollup || memcmp(a->notes, b->notes, sizeof(a->notes)))
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_vma(a, b, i))
			return false;
	return true;
}

static bool same_error(const struct err *a, const struct err *b)
{
	return a->line == b->line && a->column == b->column && !strcmp(a->text, b->text);
}

static void both_agree(struct slice text, struct smaps_options o, struct smaps *fast)
{
	struct smaps slow = { 0 };
	struct err e1 = { 0 }, e2 = { 0 };
	int s1 = smaps_parse(text, o, fast, &e1);

	o.slow = true;
	int s2 = smaps_parse(text, o, &slow, &e2);
	if (s1 != s2 || (s1 ? !same_error(&e1, &e2) : !same(fast, &slow)))
		looks_bad("the two readers do not agree", text, 0);
	if (s1)
		fuzz_error(&e1);
	smaps_free(&slow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_text(data, size);
	struct snapshot s = fuzz_snapshot(KIND_SMAPS);
	struct smaps strict = { 0 };

	if (fuzz_turn(4))
		both_agree(text, (struct smaps_options){ .strict = true, .split = true }, &strict);
	both_agree(text, (struct smaps_options){ 0 }, &s.smaps);
	if (s.smaps.n) {
		s.has_smaps = true;
		fuzz_report(&s);
	}
	smaps_free(&strict);
	snapshot_free(&s);
	return 0;
}
