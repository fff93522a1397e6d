/* SPDX-License-Identifier: MIT */
/*
 * What holds of any mappings: printed in whatever dress people paste them in,
 * they read as the same table; cut by permissions and merged again, no huge
 * page is lost.
 */
#include "test.h"

#include "base/out.h"
#include "model/carry.h"
#include "model/diff.h"
#include "model_build.h"
#include "report/smaps_text.h"

enum { DRESSES = 1500, CUTS = 800, LINES = 64 };

/* ---- random tables ---- */

static void random_one(struct snapshot *s, uint64_t *seed, uint64_t start, uint64_t kb)
{
	static const char *const names[] = { "", "", "[heap]", "[anon:a b]", "/memfd:x", "/a b",
					     "/lib/x.so (deleted)" };
	static const char *const flags[] = { ADVISED, PLAIN, NOHUGE, "rd zz hg", NULL };
	struct mapping m = { .start = start, .kb = kb, .name = names[test_below(seed, 7)],
			     .perms = test_below(seed, 3) ? "rw-p" : "r--p",
			     .flags = flags[test_below(seed, 5)],
			     .eligible = (int)test_below(seed, 3) - 1 };

	m.rss = (uint32_t)(4 * test_below(seed, kb / 4 + 1));
	if (*m.name == '/') {
		m.inode = 1 + test_below(seed, 1u << 20);
		m.offset = 4096 * test_below(seed, 1u << 20);
	} else {
		m.huge = m.rss / 2048 * 2048;
	}
	build_add(s, m);
}

static void random_snapshot(struct snapshot *s, uint64_t *seed)
{
	uint64_t at = AT(0), n = 1 + test_below(seed, 8);
	bool heap = false;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t kb = 4 + 4 * test_below(seed, 2000);

		random_one(s, seed, at, kb);
		if (slice_eq_str(vma_name(&s->smaps, &s->smaps.vma[i]), "[heap]")) {
			if (heap) /* a process has one */
				s->smaps.vma[i].name = smaps_intern(&s->smaps, SLICE(""));
			heap = true;
		}
		at += (kb << 10) + 4096 * test_below(seed, 100);
	}
}

/* ---- dress ---- */

struct dress {
	const char *prefix, *end;
	bool shuffled, tabs, trimmed, head, open_end;
};

static struct dress random_dress(uint64_t *seed)
{
	static const char *const prefixes[] = { "", "", "> ", ">> ", "> > ", "    ", "\t" };
	static const char *const ends[] = { "\n", "\n", "\r\n" };

	return (struct dress){ prefixes[test_below(seed, 7)], ends[test_below(seed, 3)],
			       test_below(seed, 2), test_below(seed, 4) == 0,
			       test_below(seed, 4) == 0, test_below(seed, 3) == 0,
			       test_below(seed, 3) == 0 };
}

static void put_line(struct out *o, const struct dress *d, struct slice line)
{
	out_str(o, d->prefix);
	if (d->trimmed)
		line = slice_rtrim(line);
	for (size_t i = 0; i < line.n; i++) { /* a run of blanks behind the colon is a tab */
		bool run = d->tabs && i && line.p[i - 1] == ':' && line.p[i] == ' ';

		if (run) {
			while (i + 1 < line.n && line.p[i + 1] == ' ')
				i++;
			out_byte(o, '\t');
		} else {
			out_byte(o, line.p[i]);
		}
	}
	out_str(o, d->end);
}

static bool is_field(struct slice line)
{
	return line.n && line.p[0] >= 'A' && line.p[0] <= 'Z';
}

static void put_fields(struct out *o, const struct dress *d, struct slice *line, size_t n,
		       uint64_t *seed)
{
	for (size_t i = n; d->shuffled && i > 1; i--) {
		size_t k = (size_t)test_below(seed, i);
		struct slice other = line[i - 1];

		line[i - 1] = line[k];
		line[k] = other;
	}
	for (size_t i = 0; i < n; i++)
		put_line(o, d, line[i]);
}

/* Fields of a mapping that was cut off in front, as a copy from a terminal begins. */
static void put_head(struct out *o, const struct dress *d)
{
	put_line(o, d, SLICE("Rss:                1234 kB"));
	put_line(o, d, SLICE("AnonHugePages:      2048 kB"));
}

static void dress(struct out *o, struct slice text, const struct dress *d, uint64_t *seed)
{
	struct slice fields[LINES];
	size_t n = 0;

	out_reset(o);
	if (d->head)
		put_head(o, d);
	for (struct cut c = slice_cut_line(text); c.head.n || c.ok; c = slice_cut_line(c.tail)) {
		if (is_field(c.head) && n < LINES) {
			fields[n++] = c.head;
			continue;
		}
		put_fields(o, d, fields, n, seed);
		n = 0;
		if (c.head.n)
			put_line(o, d, c.head);
	}
	put_fields(o, d, fields, n, seed);
	if (d->open_end)
		o->n -= strlen(d->end);
}

static void any_dress(void **state)
{
	uint64_t seed = 7;
	struct out plain, dressed;

	(void)state;
	out_memory(&plain);
	out_memory(&dressed);
	for (int i = 0; i < DRESSES; i++) {
		struct snapshot s = { 0 };
		struct smaps back = { 0 };
		struct dress d = random_dress(&seed);
		struct err e = { 0 };

		random_snapshot(&s, &seed);
		out_reset(&plain);
		smaps_text(&plain, &s.smaps);
		dress(&dressed, out_slice(&plain), &d, &seed);
		if (smaps_parse(out_slice(&dressed), (struct smaps_options){ 0 }, &back, &e))
			fail_msg("%s in\n%.*s", e.text, SLICE_FMT(out_slice(&dressed)));
		assert_int_equal(back.n, s.smaps.n);
		for (size_t k = 0; k < back.n; k++)
			if (!same_vma(&s.smaps, k, &back, k))
				fail_msg("mapping %zu of\n%.*s", k, SLICE_FMT(out_slice(&dressed)));
		smaps_free(&back);
		snapshot_free(&s);
	}
	out_close(&plain);
	out_close(&dressed);
}

/* Cut at any byte: the mappings before the last one that is begun are as they were. */
static void any_cut(void **state)
{
	uint64_t seed = 8;
	struct out text;

	(void)state;
	out_memory(&text);
	for (int i = 0; i < CUTS; i++) {
		struct snapshot s = { 0 };
		struct smaps back = { 0 };
		struct err e;

		random_snapshot(&s, &seed);
		out_reset(&text);
		smaps_text(&text, &s.smaps);
		struct slice cut = slice_first(out_slice(&text), (size_t)test_below(&seed, text.n + 1));
		if (!smaps_parse(cut, (struct smaps_options){ 0 }, &back, &e)) {
			assert_true(back.n <= s.smaps.n);
			for (size_t k = 0; k + 1 < back.n; k++)
				assert_true(same_vma(&s.smaps, k, &back, k));
		} else {
			assert_int_not_equal(e.text[0], '\0');
		}
		smaps_free(&back);
		snapshot_free(&s);
	}
	out_close(&text);
}

/* ---- cut by permissions, and merged ---- */

/* One mapping on a boundary in 2 MiB slots, so many of which are huge, in one piece or more. */
struct whole {
	uint64_t slots, huge, small_kb; /* behind the huge ones, in small pages */
};

static void put_pieces(struct snapshot *s, struct whole w, uint64_t pieces)
{
	uint64_t each = w.slots / pieces, at = 0;

	for (uint64_t i = 0; i < pieces; i++) {
		uint64_t slots = i + 1 == pieces ? w.slots - at : each;
		uint64_t huge = w.huge > at ? w.huge - at : 0;
		uint64_t rest = at + slots > w.huge && at <= w.huge ? w.small_kb : 0;

		huge = huge < slots ? huge : slots;
		build_add(s, (struct mapping){ AT(2 * at), 2048 * slots, i % 2 ? "r--p" : "rw-p",
					       .flags = ADVISED, .eligible = 1,
					       .rss = (uint32_t)(2048 * huge + rest),
					       .huge = (uint32_t)(2048 * huge) });
		at += slots;
	}
	build_policy(s, MADVISE_HOST, SHMEM_NEVER);
}

static void no_loss(struct snapshot *before, struct snapshot *after)
{
	struct model m[SIDES];
	struct diff d;
	struct err e;

	model_init_pair(&m[BEFORE], before, &m[AFTER], after, &(struct model_options){ 0 });
	assert_int_equal(diff_start(&d, &m[BEFORE], &m[AFTER], MATCH_ADDRESS, &e), 0);
	diff_judge(&d);
	assert_true(d.loss_known);
	assert_int_equal(d.loss_kb, 0);
	assert_int_equal(d.verdict, VERDICT_NO_LOSS);
	assert_int_equal(m[BEFORE].totals.fall[FALL_ANON].w.huge, m[AFTER].totals.fall[FALL_ANON].w.huge);
	diff_free(&d);
	model_free(&m[BEFORE]);
	model_free(&m[AFTER]);
}

static void cut_and_merged(void **state)
{
	uint64_t seed = 9;

	(void)state;
	for (int i = 0; i < CUTS; i++) {
		struct whole w = { .slots = 2 + test_below(&seed, 40) };
		struct snapshot one = { 0 }, cut = { 0 };

		w.huge = test_below(&seed, w.slots);
		w.small_kb = 4 * test_below(&seed, 512);
		put_pieces(&one, w, 1);
		put_pieces(&cut, w, 2 + test_below(&seed, w.slots - 1));
		no_loss(&one, &cut);
		no_loss(&cut, &one);
		no_loss(&one, &one);
		snapshot_free(&one);
		snapshot_free(&cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_dress),
		cmocka_unit_test(any_cut),
		cmocka_unit_test(cut_and_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
