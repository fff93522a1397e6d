/* SPDX-License-Identifier: MIT */
/* Two dumps, parted by a line "====": compared in both directions, every renderer takes it. */
#include "fuzz.h"

#include "parse/smaps.h"

static bool read_side(struct snapshot *s, struct slice text)
{
	struct err e = { 0 };

	*s = (struct snapshot){ .source = { .kind = KIND_SMAPS, .path = "x", .pid = -1, .time_ns = -1, .complete = true } };
	s->has_smaps = true;
	return !smaps_parse(text, (struct smaps_options){ 0 }, &s->smaps, &e);
}

static void render(const struct diff *d)
{
	const struct text_style style = { .width = 80, .ascii = true };
	struct out o;
	struct json j;

	out_memory(&o);
	json_start(&j, &o);
	diff_json(&j, &(struct diff_view){ .d = d });
	json_end(&j);
	fuzz_json(&o);
	out_reset(&o);
	diff_text(&o, &(struct diff_text){ .d = d, .style = &style, .all = true, .status = -1 });
	fuzz_plain(&o);
	out_close(&o);
}

static void pair(struct snapshot *a, struct snapshot *b)
{
	static const struct common_options common = { .root = "/" };
	struct judged_pair p;
	struct err e = { 0 };

	if (judge_pair(&p, a, b, &common, MATCH_AUTO, NULL, &e))
		return;
	render(&p.diff);
	judged_pair_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_text(data, size), mark = SLICE("\n====\n");
	ptrdiff_t at = slice_find(text, mark);
	struct snapshot a, b;

	if (at < 0)
		return 0;
	bool ok = read_side(&a, slice_first(text, (size_t)at + 1));
	ok &= read_side(&b, slice_skip(text, (size_t)at + mark.n));
	if (ok) {
		pair(&a, &b);
		pair(&b, &a);
	}
	snapshot_free(&a);
	snapshot_free(&b);
	return 0;
}
