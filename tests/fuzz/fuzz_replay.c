/* SPDX-License-Identifier: MIT */
/*
 * A recording, line by line: each moment goes through the view at several
 * sizes, the line of a batch, the writers of recordings and of snapshots. The
 * bytes of a line that is neither are keys.
 */
#include "fuzz.h"

#include "model/replay.h"
#include "report/smaps_text.h"
#include "report/tick_json.h"
#include "report/tick_text.h"
#include "report/view.h"

struct moment {
	struct snapshot snap;
	struct judged judged;
	struct arena a;
	struct changes changes;
	bool filled;
};

enum { DRAWS_MAX = 24 }; /* of one input: lines of one key each would cost a screen each */

struct stage {
	unsigned draws;
	struct moment ring[2];
	unsigned at;
	struct sample s;
	struct rates rates;
	struct history history;
	struct view v;
	struct grid g;
	struct strip strips[8];
	struct view_frame f;
};

static void drop(struct moment *x)
{
	if (x->filled)
		judged_free(&x->judged);
	snapshot_free(&x->snap);
	arena_free(&x->a);
	*x = (struct moment){ 0 };
}

static void draw(struct stage *x)
{
	static const int sizes[][2] = { { 24, 80 }, { 10, 40 }, { 50, 200 }, { 1, 1 } };
	static struct view_strips on;
	struct moment *now = &x->ring[x->at];

	x->f = (struct view_frame){ .m = &now->judged.model,
				    .findings = &now->judged.findings,
				    .s = &x->s,
				    .changes = &now->changes,
				    .history = &x->history,
				    .rates = &x->rates,
				    .replay = true,
				    .replay_at = 1,
				    .replay_of = 2 };
	view_update(&x->v, &x->f);
	if (x->draws == DRAWS_MAX)
		return;
	x->draws++;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		if (!fuzz_turn(3))
			continue;
		view_size(&x->v, &x->f, sizes[i][0], sizes[i][1]);
		view_visible(&x->v, &x->f, &on);
		x->f.strips_n = on.n < 8 ? on.n : 8;
		for (size_t k = 0; k < x->f.strips_n; k++) {
			const struct vma *v = &now->judged.model.smaps->vma[on.row[k]];

			strip_start(&x->strips[k], &now->judged.model, v, on.cells, &now->a);
			strip_estimate(&x->strips[k], &now->judged.model, v);
		}
		x->f.strips = x->strips;
		view_draw(&x->g, &x->f, &x->v);
		looks_grid(&x->g);
	}
}

static void write_all(struct stage *x)
{
	const struct text_style style = { .width = 80, .ascii = true };
	struct moment *now = &x->ring[x->at], *before = &x->ring[1 - x->at];
	struct out o;

	out_memory(&o);
	tick_text_line(&o, &style,
		       &(struct tick_line_view){ .m = &now->judged.model,
						 .s = &x->s,
						 .changes = &now->changes,
						 .rates = &x->rates,
						 .point = history_back(&x->history, 0) });
	looks_text(out_slice(&o));
	out_reset(&o);
	tick_json(&o,
		  &(struct tick_view){ .s = &x->s,
				       .m = &now->judged.model,
				       .findings = &now->judged.findings,
				       .rates = &x->rates,
				       .before = before->filled ? &before->judged.model : NULL });
	looks_json(out_slice(&o));
	out_reset(&o);
	smaps_text(&o, &now->snap.smaps);
	out_close(&o);
}

static void moment(struct stage *x, struct slice line, bool full)
{
	static const struct common_options common = { .root = "/" };
	struct moment *now = &x->ring[x->at], *next = &x->ring[1 - x->at];
	struct err e = { 0 };

	drop(next);
	if (full ? replay_full(line, 1, &next->snap, &x->s, &x->rates, &e)
		 : !now->filled ||
			    replay_tick(line, 1, &now->snap, &next->snap, &x->s, &x->rates, &e))
		return;
	if (judge(&next->judged, &next->snap, &common, NULL, &e))
		return;
	next->filled = true;
	changes_find(now->filled ? &now->judged.model : NULL, &next->judged.model, &next->a,
		     &next->changes);
	x->at = 1 - x->at;
	history_add(&x->history, point_of(&next->judged.model, &x->s));
	draw(x);
	write_all(x);
}

static void keys(struct stage *x, struct slice line)
{
	if (!x->ring[x->at].filled)
		return;
	for (size_t i = 0; i < line.n && i < 64; i++) {
		unsigned char c = (unsigned char)line.p[i];

		view_key(&x->v, &x->f, c < 128 ? c : VIEW_KEY_UP + c % 17);
	}
	draw(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stage x;
	int64_t time_ns;

	x = (struct stage){ 0 };
	view_start(&x.v, (struct text_style){ .width = 80 }, 1000);
	for (struct cut c = slice_cut_line(fuzz_text(data, size)); c.head.n || c.ok;
	     c = slice_cut_line(c.tail)) {
		enum replay_line kind = replay_kind(slice_first(c.head, REPLAY_HEAD), &time_ns);

		if (kind == REPLAY_OTHER)
			keys(&x, c.head);
		else
			moment(&x, c.head, kind == REPLAY_FULL);
	}
	drop(&x.ring[0]);
	drop(&x.ring[1]);
	rates_free(&x.rates);
	view_free(&x.v);
	grid_free(&x.g);
	return 0;
}
