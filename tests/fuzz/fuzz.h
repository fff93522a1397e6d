/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share: bytes go through a parser, what parses goes
 * through every renderer, and the JSON is read back. A target is one function
 * of libFuzzer; `make fuzz` builds and runs them, tests/fuzz/found keeps what
 * once broke.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdint.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/out.h"
#include "cmd/counters.h"
#include "cmd/judge.h"
#include "parse/json_read.h"
#include "report/diff_json.h"
#include "report/diff_text.h"
#include "report/report_json.h"
#include "report/report_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline struct slice fuzz_text(const uint8_t *data, size_t size)
{
	return slice_of((const char *)data, size);
}

/* What we write, we can read. */
static inline void fuzz_json(const struct out *o)
{
	struct json_doc d;
	struct err e;

	if (json_read(out_slice(o), 1, &d, &e)) {
		__builtin_printf("our JSON cannot be read: %s\n", e.text);
		abort();
	}
	json_doc_free(&d);
}

/* No control byte but the newline reaches a terminal. */
static inline void fuzz_plain(const struct out *o)
{
	for (size_t i = 0; i < o->n; i++)
		if ((unsigned char)o->buf[i] < 0x20 && o->buf[i] != '\n')
			abort();
}

static inline void fuzz_check_waterfall(const struct model *m)
{
	for (int f = 0; f < FALL_COUNT; f++) {
		const struct waterfall *w = &m->totals.fall[f].w;

		if (w->subslot + w->policy_loss + w->alignment_loss + w->delivery_loss + w->huge != w->rss)
			abort();
	}
}

static inline void fuzz_render(struct snapshot *s, const struct filter *filter)
{
	static const struct common_options common = { .root = "/" };
	struct text_style style = { .width = 80 };
	struct judged x;
	struct err e = { 0 };
	struct out o;
	struct json j;

	if (judge(&x, s, &common, filter, &e))
		return;
	fuzz_check_waterfall(&x.model);
	out_memory(&o);
	json_start(&j, &o);
	report_json(&j, &(struct report_view){ .m = &x.model, .findings = &x.findings });
	json_end(&j);
	fuzz_json(&o);
	for (int all = 0; all < 2; all++) {
		out_reset(&o);
		style.ascii = style.kb = all;
		report_text(&o, &style, &(struct text_view){ .m = &x.model, .findings = &x.findings, .all = all });
		fuzz_plain(&o);
	}
	out_close(&o);
	judged_free(&x);
}

static inline void fuzz_counters(enum source_kind kind, struct slice text)
{
	static const struct common_options common = { .root = "/" };
	struct load_counters source = {
		.info = { .kind = kind, .path = "x", .pid = -1, .time_ns = -1, .complete = true }, .bytes = text,
	};
	const struct text_style style = { .width = 80, .ascii = true };
	struct counters_doc d = { 0 };
	struct err e = { 0 };
	struct out o;

	if (counters_read(&d, &source, &common, &e)) {
		counters_doc_free(&d);
		return;
	}
	out_memory(&o);
	const struct counters_show show = { .out = &o, .style = &style, .all = true };
	d.kind->json(&d, &show);
	fuzz_json(&o);
	out_reset(&o);
	d.kind->text(&d, &show);
	fuzz_plain(&o);
	out_reset(&o);
	d.kind->csv(&d, &show);
	out_close(&o);
	counters_doc_free(&d);
}

#endif
