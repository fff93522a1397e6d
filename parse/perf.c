/* SPDX-License-Identifier: MIT */
#include "parse/perf.h"

#include "parse/notes.h"
#include "parse/perf_forms.h"

/* A form that was named by --kind but not recognised: the first bytes decide. */
static enum perf_form guess(struct slice text)
{
	enum perf_form form = perf_sniff(text);
	struct slice s = slice_trim(slice_first(text, 256));

	if (form != PERF_NONE)
		return form;
	return slice_starts(s, SLICE("{")) ? PERF_JSON : PERF_TEXT;
}

static bool is_empty(const struct perf_doc *d, const struct source_info *info)
{
	for (size_t i = 0; i < d->n_blocks; i++)
		if (d->blocks[i].has_header)
			return false; /* --null has no counter rows */
	return d->n_events == 0 && d->n_cells == 0 && info->notes[NOTE_DAMAGED] == 0;
}

static int read_form(struct slice text, struct perf_builder *b, struct err *e)
{
	switch (b->doc->form) {
	case PERF_CSV:
		return perf_csv_read(text, b, e);
	case PERF_JSON:
		return perf_json_read(text, b, e);
	default:
		return perf_text_read(text, b, e);
	}
}

int perf_parse(struct slice text, bool strict, struct arena *a, struct perf_doc *ret,
	       struct source_info *info, struct err *e)
{
	struct perf_doc d = { .form = guess(text) };
	struct perf_builder b;

	perf_build_start(&b, a, &d, info);
	int rc = read_form(text, &b, e);
	if (rc == 0 && strict && notes_refuse(info, text, e)) {
		rc = -1;
	} else if (rc == 0 && is_empty(&d, info)) {
		rc = err_set(e, ERR_KIND, "no counter of perf stat is in it");
	}
	if (rc) {
		perf_build_drop(&b);
		return -1;
	}
	perf_build_finish(&b);
	*ret = d;
	return 0;
}
