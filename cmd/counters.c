/* SPDX-License-Identifier: MIT */
#include "cmd/counters.h"

#include "cmd/report.h"
#include "parse/notes.h"

static const struct counters_kind counters_kinds[] = {
	{ KIND_PERF, counters_read_perf, counters_json_perf, counters_csv_perf, counters_text_perf,
	  counters_list_perf, counters_compare_perf, counters_diff_text_perf },
	{ KIND_LKP, counters_read_lkp, counters_json_lkp, counters_csv_lkp, counters_text_lkp, NULL, NULL, NULL },
	{ KIND_LAT, counters_read_lat, counters_json_lat, counters_csv_lat, counters_text_lat,
	  counters_list_lat, counters_compare_lat, counters_diff_text_lat },
	{ KIND_LKP_RESULT, counters_read_result, counters_json_result, counters_csv_result, counters_text_result,
	  counters_list_result, counters_compare_result, counters_diff_text_result },
};

static const struct counters_kind *find_kind(enum source_kind kind)
{
	for (size_t i = 0; i < sizeof(counters_kinds) / sizeof(counters_kinds[0]); i++)
		if (counters_kinds[i].kind == kind)
			return &counters_kinds[i];
	return NULL;
}

int counters_read(struct counters_doc *ret, const struct load_counters *source,
		  const struct common_options *common, struct err *e)
{
	*ret = (struct counters_doc){ .kind = find_kind(source->info.kind), .info = source->info,
				      .strict = common->strict };
	if (!ret->kind)
		return err_set(e, ERR_KIND, "%s cannot be shown", source_kind_names[source->info.kind]);
	if (ret->kind->read(ret, source->bytes, e) || (common->strict && notes_refuse(&ret->info, source->bytes, e))) {
		counters_doc_free(ret);
		return err_in(e, strcmp(source->info.path, "-") ? source->info.path : "standard input");
	}
	return 0;
}

void counters_show(const struct counters_doc *d, const struct common_options *common, struct output *o)
{
	struct counters_show s = { &o->out, &o->style, common->all };

	if (common->format == FORMAT_JSON)
		d->kind->json(d, &s);
	else if (common->format == FORMAT_CSV)
		d->kind->csv(d, &s);
	else
		d->kind->text(d, &s);
}

void counters_doc_free(struct counters_doc *d)
{
	readings_free(&d->readings);
	arena_free(&d->arena);
	*d = (struct counters_doc){ 0 };
}

int report_counters(struct output *o, const struct load_counters *c, const struct report_options *r,
		    struct err *e)
{
	struct counters_doc d;

	if (counters_read(&d, c, &r->common, e))
		return -1;
	counters_show(&d, &r->common, o);
	counters_doc_free(&d);
	return 0;
}
