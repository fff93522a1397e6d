/* SPDX-License-Identifier: MIT */
/* hugecov diff of two counter sources of one kind. */
#include <malloc.h>

#include "base/shell.h"
#include "cmd/counters.h"
#include "report/counters_csv.h"
#include "report/counters_diff_json.h"
#include "report/counters_text.h"
#include "report/readings_view.h"

struct pair {
	struct counters_doc before, after;
	struct counter_list lists[2];
	struct counter_rows rows;
	struct readings readings;
	struct arena arena;
};

static void pair_free(struct pair *p)
{
	counters_free(&p->lists[0]);
	counters_free(&p->lists[1]);
	counter_rows_free(&p->rows);
	readings_free(&p->readings);
	arena_free(&p->arena);
	counters_doc_free(&p->before);
	counters_doc_free(&p->after);
}

static int read_pair(struct pair *p, const struct load_counters *before,
		     const struct load_counters *after, const struct common_options *c,
		     struct err *e)
{
	char word[400];

	if (counters_read(&p->before, before, c, e) || counters_read(&p->after, after, c, e))
		return -1;
	const struct counters_kind *kind = p->before.kind;
	if (!kind->list) {
		err_set(e, ERR_KIND, "%s is a comparison by itself: there is no diff of two",
			source_kind_names[kind->kind]);
		return err_hint(e, "hugecov report %s", shell_quote(before->info.path, word, sizeof(word)));
	}
	kind->list(&p->before, &p->lists[0]);
	kind->list(&p->after, &p->lists[1]);
	counters_diff(&p->lists[0], &p->lists[1], &p->arena, &p->rows);
	if (kind->compare)
		kind->compare(&p->before, &p->after, &p->rows, &p->arena, &p->readings);
	return 0;
}

/* ---- output ---- */

static void show_json(const struct pair *p, struct out *o)
{
	struct json j;

	json_start(&j, o);
	counters_diff_json(&j, &(struct counters_diff_view){ &p->before.info, &p->after.info,
							     &p->rows, &p->readings });
	json_end(&j);
}

/* Without a text of its own a kind has a table of all its counters. */
static int same_rank(struct slice name)
{
	(void)name;
	return 0;
}

static void show_table(const struct pair *p, const struct counters_show *s)
{
	out_path_cut(s->out, slice_str(p->before.info.path), s->style->width / 2 - 4,
		     s->style->ascii);
	out_str(s->out, " -> ");
	out_path_cut(s->out, slice_str(p->after.info.path), s->style->width / 2 - 4,
		     s->style->ascii);
	out_str(s->out, "\n\n");
	counters_text(s->out, s->style,
		      &(struct counters_text){ .rows = &p->rows,
					       .title = "counter",
					       .prefix = "",
					       .rank = same_rank,
					       .rank_other = 1,
					       .all = s->all });
	if (p->readings.n)
		out_byte(s->out, '\n');
	text_readings(s->out, s->style, &p->readings, 0, p->readings.n);
}

static void show(const struct pair *p, const struct common_options *c, struct output *output)
{
	struct counters_show s = { &output->out, &output->style, c->all };

	if (c->format == FORMAT_JSON)
		show_json(p, &output->out);
	else if (c->format == FORMAT_CSV)
		counters_csv(&output->out, &p->rows);
	else if (p->before.kind->diff_text)
		p->before.kind->diff_text(&p->before, &p->after, &p->rows, &p->readings, &s);
	else
		show_table(p, &s);
}

int counters_diff_run(const struct load_counters *before, const struct load_counters *after,
		      const struct diff_options *o, struct err *e)
{
	struct pair p = { 0 };
	struct output output;

	/* Tables of either side are made, filled and freed: malloc would keep up to 32 MiB of each. */
	mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
	int rc = read_pair(&p, before, after, &o->common, e);

	if (rc == 0 && o->exit_code)
		rc = err_set(e, ERR_KIND,
			     "--exit-code: counters have no mappings, so a loss cannot be told");
	if (rc == 0)
		rc = output_open(&output, &o->common, e);
	if (rc == 0) {
		show(&p, &o->common, &output);
		rc = output_close(&output, e);
	}
	pair_free(&p);
	return rc;
}
