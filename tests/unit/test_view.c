/* SPDX-License-Identifier: MIT */
/*
 * Screens of the live view, driven by keys over fixtures, against
 * tests/golden/screens/NAME.screen (UPDATE=1 rewrites them: read the
 * difference). Nothing in them depends on the machine.
 */
#include <stdlib.h>

#include "report/view.h"
#include "test.h"

enum { MB = 1 << 20, STRIPS_MAX = 64 };

/* ---- what is watched ---- */

struct moment {
	struct snapshot snap;
	struct model m;
	struct findings findings;
};

static void judge(struct moment *x, const char *policy)
{
	thp_settings_add(&x->snap.system.thp, &x->snap.arena, SLICE("enabled"), slice_str(policy));
	x->snap.system.has_thp = true;
	x->snap.has_smaps = x->snap.has_process = true;
	x->snap.process.thp_disabled = 0;
	model_init(&x->m, &x->snap, &(struct model_options){ 0 });
	findings_make(&x->m, &x->findings);
}

static void from_fixture(struct moment *x, const char *path)
{
	struct err e;

	*x = (struct moment){ 0 };
	assert_int_equal(
		smaps_parse(test_file(&x->snap.arena, path), (struct smaps_options){ 0 }, &x->snap.smaps, &e), 0);
	x->snap.process.pid = 4711;
	x->snap.process.comm = SLICE("thpcase");
	judge(x, "always [madvise] never");
}

static void map(struct moment *x, uint64_t start, uint64_t kb, uint64_t rss_kb, uint64_t huge_kb,
		bool advised)
{
	struct vma *v = smaps_add(&x->snap.smaps);
	const char *const flags[] = { "rd", "wr", "mr", "mw", "me", "ac", "hg" };

	v->start = start;
	v->end = start + (kb << 10);
	memcpy(v->perms, "rw-p", 4);
	smaps_set(&x->snap.smaps, v, SMAPS_KernelPageSize, 4);
	smaps_set(&x->snap.smaps, v, SMAPS_Rss, rss_kb);
	smaps_set(&x->snap.smaps, v, SMAPS_Anonymous, rss_kb);
	smaps_set(&x->snap.smaps, v, SMAPS_AnonHugePages, huge_kb);
	smaps_set(&x->snap.smaps, v, SMAPS_THPeligible, advised && kb > 3072);
	for (int i = 0; i < 6 + advised; i++)
		smaps_set_flag(&x->snap.smaps, v, slice_str(flags[i]));
}

/* The demo program: memory without advice, around a boundary, shifted, of malloc, and good. */
static void demo(struct moment *x)
{
	*x = (struct moment){ 0 };
	for (unsigned i = 0; i < 30; i++)
		map(x, 0x55d000000000 + i * 8192, 4, 4, 0, false);
	map(x, 0x7f3b3ce00000, 65536, 65536, 0, false);
	map(x, 0x7f3b412ff000, 131076, 131076, 129024, true);
	map(x, 0x7f3b49680000, 3072, 3072, 0, true);
	map(x, 0x7f3b49e01000, 8192, 8192, 6144, true);
	map(x, 0x7f3b4ac00000, 8192, 8192, 8192, true);
	x->snap.process.pid = 18749;
	x->snap.process.comm = SLICE("demo");
	judge(x, "always [madvise] never");
}

static void drop(struct moment *x)
{
	findings_free(&x->findings);
	model_free(&x->m);
	snapshot_free(&x->snap);
}

/* ---- the stage ---- */

struct stage {
	struct moment before, now;
	bool has_before;
	struct view v;
	struct view_frame f;
	struct sample s;
	struct history history;
	struct rates rates;
	struct changes changes;
	struct strip strips[STRIPS_MAX], wide;
	struct arena a;
	bool paged; /* strips as from the page tables */
	bool mixed; /* and a cell is huge in part */
	struct grid g;
};

static void start(struct stage *x, bool ascii)
{
	x->s = (struct sample){ .n = 60,
				.time_ns = INT64_C(1767268841) * 1000000000,
				.elapsed_ns = INT64_C(59000000000),
				.interval_ns = 1000000000,
				.cost_ns = 310000,
				.full_cost_ns = 310000,
				.full_every = 1 };
	for (int i = 0; i < 60; i++) {
		struct sample s = { .elapsed_ns = i * INT64_C(1000000000) };
		struct point p = point_of(&x->now.m, &s);

		if (i < 14)
			p.coverage *= i / 14.0; /* a start-up */
		history_add(&x->history, p);
	}
	for (int i = 0; i < 2; i++) {
		rates_begin(&x->rates, i * INT64_C(1000000000));
		rates_note(&x->rates, "vmstat", SLICE("nr_anon_transparent_hugepages"), 70, false);
		rates_note(&x->rates, "vmstat", SLICE("thp_fault_alloc"), 1000 + 3 * (uint64_t)i,
			   false);
		rates_note(&x->rates, "vmstat", SLICE("thp_fault_fallback"), 12, false);
		rates_note(&x->rates, "vmstat", SLICE("thp_collapse_alloc"), 8, false);
		rates_note(&x->rates, "vmstat", SLICE("thp_split_pmd"), 5, false);
		rates_note(&x->rates, "vmstat", SLICE("thp_swpout"), 0, false);
		rates_note(&x->rates, "vmstat", SLICE("pgfault"), 1234567 + 250 * (uint64_t)i,
			   false);
		rates_note(&x->rates, "meminfo", SLICE("AnonHugePages"), 143360, true);
		rates_end(&x->rates, false);
	}
	x->f = (struct view_frame){ .m = &x->now.m,
				    .findings = &x->now.findings,
				    .s = &x->s,
				    .history = &x->history,
				    .rates = &x->rates };
	if (x->has_before) {
		changes_find(&x->before.m, &x->now.m, &x->a, &x->changes);
		x->f.changes = &x->changes;
	}
	view_start(&x->v, (struct text_style){ .width = 80, .ascii = ascii }, 1000);
}

static void end(struct stage *x)
{
	view_free(&x->v);
	grid_free(&x->g);
	rates_free(&x->rates);
	arena_free(&x->a);
	drop(&x->now);
	if (x->has_before)
		drop(&x->before);
}

/* As page tables would say: huge first, then small pages, a zero page, a swapped one. */
static void make_strip(struct stage *x, struct strip *s, uint32_t i, size_t cells)
{
	const struct vma *v = &x->now.m.smaps->vma[i];

	strip_start(s, &x->now.m, v, cells, &x->a);
	if (!x->paged) {
		strip_estimate(s, &x->now.m, v);
		return;
	}
	uint64_t at = s->first, huge = model_huge_kb(&x->now.m, v) << 10;

	if (x->mixed && huge > s->pmd) { /* one of them is in small pages after all */
		strip_add(s, at, at + s->pmd, SLOT_SMALL);
		at += s->pmd;
		huge -= s->pmd;
	}
	strip_add(s, at, at + huge, SLOT_HUGE);
	at += huge;
	strip_add(s, at, at + 3 * s->pmd, SLOT_SMALL);
	strip_add(s, at + 3 * s->pmd, at + 4 * s->pmd, SLOT_ZERO);
	strip_add(s, at + 4 * s->pmd, at + 5 * s->pmd, SLOT_SWAPPED);
	strip_finish(s, v->end);
}

static void draw(struct stage *x)
{
	static struct view_strips on;

	view_update(&x->v, &x->f);
	view_visible(&x->v, &x->f, &on);
	assert_in_range(on.n, 0, STRIPS_MAX);
	for (size_t i = 0; i < on.n; i++)
		make_strip(x, &x->strips[i], on.row[i], on.cells);
	x->f.strips = x->strips;
	x->f.strips_n = on.n;
	x->f.wide = NULL;
	if (on.wide_cells) {
		make_strip(x, &x->wide, on.wide, on.wide_cells);
		x->f.wide = &x->wide;
	}
	view_draw(&x->g, &x->f, &x->v);
}

/* "jj<Enter>/heap<Enter>" */
static void press(struct stage *x, const char *keys)
{
	static const struct {
		const char *name;
		int32_t key;
	} names[] = {
		{ "<Down>", VIEW_KEY_DOWN },	  { "<Up>", VIEW_KEY_UP },
		{ "<PgDn>", VIEW_KEY_PAGE_DOWN }, { "<PgUp>", VIEW_KEY_PAGE_UP },
		{ "<Home>", VIEW_KEY_HOME },	  { "<End>", VIEW_KEY_END },
		{ "<Enter>", VIEW_KEY_ENTER },	  { "<Esc>", VIEW_KEY_ESC },
		{ "<Tab>", VIEW_KEY_TAB },	  { "<BTab>", VIEW_KEY_BACK_TAB },
		{ "<BS>", VIEW_KEY_BACKSPACE },	  { "<Left>", VIEW_KEY_LEFT },
		{ "<Right>", VIEW_KEY_RIGHT },	  { "<F1>", VIEW_KEY_F1 },
	};

	while (*keys) {
		int32_t key = (unsigned char)*keys;
		size_t n = 1;

		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			if (!strncmp(keys, names[i].name, strlen(names[i].name))) {
				key = names[i].key;
				n = strlen(names[i].name);
			}
		}
		keys += n;
		view_key(&x->v, &x->f, key);
		draw(x); /* as the loop does; it must never matter */
	}
}

static void dump(const struct stage *x, bool roles, struct out *o)
{
	grid_dump(&x->g, o);
	if (roles) {
		out_str(o, "---- roles\n");
		grid_dump_roles(&x->g, view_role_letters, o);
	}
}

static void same_as_golden(const struct stage *x, const char *name, bool roles)
{
	char path[256];
	const char *update = getenv("UPDATE");
	struct out o;

	snprintf(path, sizeof(path), "tests/golden/screens/%s.screen", name);
	out_memory(&o);
	dump(x, roles, &o);
	out_byte(&o, '\0');
	if (update && *update) {
		FILE *f = fopen(path, "wb");

		assert_non_null(f);
		fwrite(o.buf, 1, o.n - 1, f);
		fclose(f);
	}
	struct arena a = { 0 };
	struct slice want = test_file(&a, path);
	if (!slice_eq(want, slice_of(o.buf, o.n - 1)))
		print_error("%s: expected\n%.*s\ngot\n%s\n", path, SLICE_FMT(want), o.buf);
	assert_true(slice_eq(want, slice_of(o.buf, o.n - 1)));
	arena_free(&a);
	out_close(&o);
}

/* ---- golden screens ---- */

static const struct scene {
	const char *name;
	int rows, cols;
	const char *before, *now; /* fixtures below tests/fixtures/; now NULL: the demo program */
	const char *keys;
	enum {
		ASCII = 1,
		ROLES = 2,
		PAGED = 4,
		KB = 8,
		REPLAY = 16,
		ENDED = 32,
		RECORD = 64,
		ROLLUP = 128,
		MIXED = 256
	} flags;
} scenes[] = {
	{ "demo-80x24", 24, 80, NULL, NULL, "", ASCII | PAGED },
	{ "demo-80x24-utf8-roles", 24, 80, NULL, NULL, "j", PAGED | ROLES },
	{ "demo-estimated", 24, 80, NULL, NULL, "", ASCII },
	{ "demo-40x10", 10, 40, NULL, NULL, "", ASCII | PAGED },
	{ "demo-200x50", 50, 200, NULL, NULL, "", ASCII | PAGED },
	{ "demo-1x1", 1, 1, NULL, NULL, "", ASCII },
	{ "demo-39x10", 10, 39, NULL, NULL, "", ASCII },
	{ "demo-8x30", 8, 30, NULL, NULL, "", ASCII },
	{ "demo-mixed", 24, 80, NULL, NULL, "", ASCII | PAGED | MIXED },
	{ "demo-9x60", 9, 60, NULL, NULL, "", ASCII },
	{ "demo-60x16", 16, 60, NULL, NULL, "", ASCII | PAGED },
	{ "demo-kb", 24, 100, NULL, NULL, "", ASCII | KB },
	{ "demo-all-by-address", 24, 80, NULL, NULL, "a>jjj", ASCII | PAGED },
	{ "demo-reversed", 24, 80, NULL, NULL, "r", ASCII | PAGED },
	{ "demo-paused-end", 24, 80, NULL, NULL, "p<End>", ASCII | PAGED },
	{ "demo-detail", 24, 80, NULL, NULL, "jjj<Enter>", ASCII | PAGED },
	{ "demo-detail-scrolled", 24, 80, NULL, NULL, "jjj<Enter><PgDn>jj", ASCII | PAGED },
	{ "demo-detail-estimated-200x50", 50, 200, NULL, NULL, "<Enter>", ASCII },
	{ "demo-findings", 24, 80, NULL, NULL, "<Tab>j", ASCII },
	{ "demo-findings-all-40x10", 10, 40, NULL, NULL, "<Tab>a", ASCII },
	{ "demo-counters", 24, 80, NULL, NULL, "<Tab><Tab>j", ASCII },
	{ "demo-counters-all", 24, 80, NULL, NULL, "<BTab>a<End>", ASCII },
	{ "demo-counters-40x10", 10, 40, NULL, NULL, "<BTab>", ASCII },
	{ "demo-help", 24, 80, NULL, NULL, "?", ASCII },
	{ "demo-help-end", 24, 80, NULL, NULL, "h<End>", ASCII },
	{ "demo-help-replay-40x10", 10, 40, NULL, NULL, "<F1><PgDn><PgDn><PgDn>", ASCII | REPLAY },
	{ "demo-replay", 24, 80, NULL, NULL, "++", ASCII | REPLAY },
	{ "demo-replay-go-to", 24, 80, NULL, NULL, "g12:00:3", ASCII | REPLAY },
	{ "demo-replay-no-time", 24, 80, NULL, NULL, "gnoon<Enter>", ASCII | REPLAY },
	{ "demo-ended", 24, 80, NULL, NULL, "", ASCII | PAGED | ENDED },
	{ "demo-recording", 24, 80, NULL, NULL, "", ASCII | PAGED | RECORD },
	{ "demo-rollup", 24, 80, NULL, NULL, "", ASCII | PAGED | ROLLUP },
	{ "demo-find", 24, 80, NULL, NULL, "/4968<Enter>", ASCII | PAGED },
	{ "demo-find-not", 24, 80, NULL, NULL, "/nowhere<Enter>", ASCII | PAGED },
	{ "demo-filter-typing", 24, 80, NULL, NULL, "fhe[ap<BS>", ASCII | PAGED },
	{ "names-200x50", 50, 200, NULL, "kernel-6.18/08-odd-file-names.smaps", "a>>>>>>", 0 },
	{ "names-filtered", 24, 100, NULL, "kernel-6.18/08-odd-file-names.smaps",
	  "aflib.*so<Enter>", ASCII },
	{ "names-filter-bad", 24, 80, NULL, "kernel-6.18/08-odd-file-names.smaps",
	  "aflibc<Enter>f(<Enter>", ASCII },
	{ "names-filter-dropped", 24, 80, NULL, "kernel-6.18/08-odd-file-names.smaps",
	  "aflibc<Enter><Esc>", ASCII },
	{ "loss-80x24", 24, 80, "kernel-6.18/16-loss-before.smaps",
	  "kernel-6.18/16-loss-after.smaps", "", ASCII | ROLES },
	{ "disabled", 24, 80, NULL, "kernel-6.18/12-prctl-thp-disabled.smaps", "<Tab>", ASCII },
	{ "shmem", 24, 80, NULL, "kernel-6.18/06-shmem-memfd-sysv-devzero.smaps", ">>>>>", ASCII },
};

static void open_scene(struct stage *x, const struct scene *s)
{
	char path[128];

	*x = (struct stage){ .paged = s->flags & PAGED, .mixed = s->flags & MIXED };
	if (s->before) {
		snprintf(path, sizeof(path), "tests/fixtures/%s", s->before);
		from_fixture(&x->before, path);
		x->has_before = true;
	}
	if (s->now) {
		snprintf(path, sizeof(path), "tests/fixtures/%s", s->now);
		from_fixture(&x->now, path);
	} else {
		demo(&x->now);
	}
	start(x, s->flags & ASCII);
	x->v.style.kb = s->flags & KB;
	if (s->flags & REPLAY) {
		x->f.replay = true;
		x->f.replay_at = 60;
		x->f.replay_of = 300;
	}
	if (s->flags & ENDED) {
		x->s.target = TARGET_ENDED;
		x->f.notice =
			"Process 18749 has ended at 12:00:41: this is its last state. q quits";
	}
	if (s->flags & RECORD) {
		x->f.recording = true;
		x->f.recorded = 1300000;
	}
	if (s->flags & ROLLUP) {
		x->s.look = LOOK_ROLLUP;
		x->s.rollup_known = true;
		x->s.rollup_huge_kb = 141312;
		x->s.full_every = 9;
		x->s.full_cost_ns = 82000000;
		history_add(&x->history, point_of(&x->now.m, &x->s));
	}
	view_update(&x->v, &x->f);
	view_size(&x->v, &x->f, s->rows, s->cols);
	draw(x);
}

static void test_golden(void **state)
{
	(void)state;
	int bad = 0;

	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++) {
		struct stage x;

		open_scene(&x, &scenes[i]);
		press(&x, scenes[i].keys);
		same_as_golden(&x, scenes[i].name, scenes[i].flags & ROLES);
		end(&x);
	}
	assert_int_equal(bad, 0);
}

/* Wide and combining characters in names: columns stay columns. */
static void test_wide_names(void **state)
{
	(void)state;
	static const char *const names[] = {
		"/srv/\xe5\xad\x97\xe5\xba\x93/\xe7\xbc\x93\xe5\xad\x98.db", /* wide */
		"/srv/cafe\xcc\x81/re\xcc\x81sume\xcc\x81",		     /* combining */
		"/srv/\xf0\x9f\x98\x80\xf0\x9f\x98\x80", /* beyond the first plane */
		("/srv/\xe2\x80\xae"
		 "gpj.exe"),	 /* turns the text around: escaped */
		"/srv/\xff\xfe", /* no UTF-8 */
	};
	struct stage x;

	open_scene(&x, &(struct scene){ "", 24, 112, NULL, NULL, "", 0 });
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		x.now.snap.smaps.vma[30 + i].name =
			smaps_intern(&x.now.snap.smaps, slice_str(names[i]));
	draw(&x);
	same_as_golden(&x, "wide-names", false);
	press(&x, "j<Enter>");
	same_as_golden(&x, "wide-names-detail", false);
	end(&x);
}

/* ---- what holds at any size, for any keys ---- */

/* Every key, also those of no meaning, at sizes from 1x1 up: nothing may leave the grid or loop. */
static void test_any_key_at_any_size(void **state)
{
	(void)state;
	static const int sizes[][2] = { { 1, 1 },   { 2, 200 }, { 10, 40 }, { 11, 41 },
					{ 17, 77 }, { 24, 80 }, { 50, 200 } };
	uint32_t random = 1;

	for (size_t n = 0; n < sizeof(sizes) / sizeof(*sizes); n++) {
		struct stage x;

		open_scene(&x, &(struct scene){ "", sizes[n][0], sizes[n][1], NULL, NULL, "",
						n % 2 ? REPLAY : PAGED });
		for (int i = 0; i < 3000; i++) {
			random = random * 1664525 + 1013904223;
			int32_t key = (int32_t)(random >> 8) % 160;

			view_key(&x.v, &x.f, key < 128 ? key : VIEW_KEY_UP + (key - 128) % 17);
			x.v.asks = 0;
			if (i % 50 == 0) {
				size_t m = (random >> 16) % (sizeof(sizes) / sizeof(*sizes));

				view_size(&x.v, &x.f, sizes[m][0], sizes[m][1]);
			}
			if (i % 7 == 0)
				draw(&x);
			assert_true(x.v.rows == 0 || x.v.list[x.v.tab].at < x.v.rows);
		}
		end(&x);
	}
}

static const struct vma *chosen(const struct stage *x)
{
	return &x->now.m.smaps->vma[x->v.row[x->v.list[TAB_MAPPINGS].at].i];
}

/* What is chosen stays chosen when rows move, and when it goes the place stays. */
static void test_choice_stays(void **state)
{
	(void)state;
	struct stage x;

	open_scene(&x, &scenes[0]);
	press(&x, "jj");
	uint64_t start = chosen(&x)->start;
	press(&x, "r");
	assert_true(chosen(&x)->start == start);
	press(&x, ">>a");
	assert_true(chosen(&x)->start == start);
	press(&x, "<Tab><Tab><Tab>");
	assert_true(chosen(&x)->start == start);
	end(&x);
}

/* --top: the first so many in the order of the moment; the others are counted. */
static void test_top(void **state)
{
	(void)state;
	struct stage x;

	open_scene(&x, &scenes[0]);
	x.v.top = 2;
	draw(&x);
	assert_int_equal(x.v.rows, 2);
	assert_int_equal(x.v.filtered, 3);
	press(&x, "<End>a");
	assert_int_equal(x.v.rows, 2);
	end(&x);
}

static void test_prompts(void **state)
{
	(void)state;
	struct stage x;

	open_scene(&x, &scenes[0]);
	press(&x, "q");
	assert_int_equal(x.v.asks & ASK_QUIT, ASK_QUIT);
	x.v.asks = 0;
	press(&x, "/q"); /* a q in a word quits nothing */
	assert_int_equal(x.v.asks & ASK_QUIT, 0);
	assert_string_equal(x.v.input, "q");
	press(&x, "<BS><BS>"); /* nothing left to rub out: the prompt goes */
	assert_int_equal(x.v.prompt, PROMPT_NONE);
	press(&x, "f");
	view_key(&x.v, &x.f, 0xe9); /* e with an accent: two bytes, one key */
	assert_int_equal(x.v.input_n, 2);
	press(&x, "<BS>");
	assert_int_equal(x.v.input_n, 0);
	for (int i = 0; i < 1000; i++)
		view_key(&x.v, &x.f, 0x1f600);
	assert_true(x.v.input_n < sizeof(x.v.input));
	press(&x, "<Esc>");
	assert_int_equal(x.v.prompt, PROMPT_NONE);
	end(&x);
}

static void test_filter_keeps_the_old(void **state)
{
	(void)state;
	struct stage x;
	const struct scene s = {
		"", 24, 80, NULL, "kernel-6.18/08-odd-file-names.smaps", "", ASCII
	};

	open_scene(&x, &s);
	press(&x, "aflibc<Enter>");
	size_t rows = x.v.rows;
	assert_true(rows > 0 && x.v.filtered > 0);
	press(&x, "f((<Enter>"); /* "libc((" */
	assert_int_equal(x.v.rows, rows);
	assert_string_equal(x.v.filter_text, "libc");
	assert_true(slice_has(slice_str(x.v.said), SLICE("Not a pattern")));
	press(&x, "f");
	view_key(&x.v, &x.f, VIEW_KEY_DELETE_LINE);
	press(&x, "<Enter>"); /* empty: all */
	assert_int_equal(x.v.filtered, 0);
	end(&x);
}

static void test_interval_and_pause(void **state)
{
	(void)state;
	struct stage x;

	open_scene(&x, &scenes[0]);
	press(&x, "-");
	assert_int_equal(x.v.interval_ms, 500);
	for (int i = 0; i < 20; i++)
		press(&x, "-");
	assert_int_equal(x.v.interval_ms, 50);
	for (int i = 0; i < 20; i++)
		press(&x, "+");
	assert_int_equal(x.v.interval_ms, 3600000);
	x.v.interval_ms = 1500; /* between two steps */
	press(&x, "+");
	assert_int_equal(x.v.interval_ms, 2000);
	press(&x, " ");
	assert_true(x.v.paused);
	press(&x, "jj<Enter><Esc><Tab>/x<Enter>s"); /* everything else still works */
	assert_true(x.v.paused);
	assert_int_equal(x.v.asks & ASK_SAVE, ASK_SAVE);
	press(&x, "p");
	assert_false(x.v.paused);
	end(&x);
}

static void test_replay_keys(void **state)
{
	(void)state;
	struct stage x;

	open_scene(&x, &(struct scene){ "", 24, 80, NULL, NULL, "", ASCII | REPLAY });
	press(&x, "<Right><Right><Left>");
	assert_int_equal(x.v.step, 1);
	assert_true(x.v.paused && x.v.asks & ASK_STEP);
	press(&x, "g12:30<Enter>");
	assert_true(x.v.asks & ASK_JUMP && x.v.jump_kind == JUMP_CLOCK && x.v.jump == 45000);
	press(&x, "g-5m<Enter>");
	assert_true(x.v.jump_kind == JUMP_BY && x.v.jump == -300);
	press(&x, "g+1h<Enter>");
	assert_true(x.v.jump_kind == JUMP_BY && x.v.jump == 3600);
	press(&x, "g50%<Enter>");
	assert_true(x.v.jump_kind == JUMP_PERCENT && x.v.jump == 50);
	static const char *const bad[] = { "g25:00<Enter>", "g101%<Enter>",
					   "g5<Enter>",	    "g1:2:3:4<Enter>",
					   "g+5x<Enter>",   "g99999999999999999999<Enter>" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		x.v.asks = 0;
		press(&x, bad[i]);
		assert_int_equal(x.v.asks & ASK_JUMP, 0);
		assert_true(x.v.said[0]);
	}
	press(&x, "++-");
	assert_int_equal(x.v.speed, 1);
	end(&x);
}

/* Nothing of a name reaches the grid raw. */
static void test_names_are_safe(void **state)
{
	(void)state;
	struct stage x;

	open_scene(&x, &(struct scene){ "", 24, 200, NULL, "kernel-6.18/08-odd-file-names.smaps",
					"", 0 });
	press(&x, "a");
	x.now.snap.process.comm = SLICE("a\033[31mb\xff\xe2\x80\xae" "c");
	draw(&x);
	for (int row = 0; row < x.g.rows; row++)
		for (int col = 0; col < x.g.cols; col++)
			assert_true(grid_at(&x.g, row, col)->ch == 0 ||
				    grid_at(&x.g, row, col)->ch >= 0x20);
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_wide_names),
		cmocka_unit_test(test_any_key_at_any_size),
		cmocka_unit_test(test_choice_stays),
		cmocka_unit_test(test_top),
		cmocka_unit_test(test_prompts),
		cmocka_unit_test(test_filter_keeps_the_old),
		cmocka_unit_test(test_interval_and_pause),
		cmocka_unit_test(test_replay_keys),
		cmocka_unit_test(test_names_are_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
