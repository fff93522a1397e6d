/* SPDX-License-Identifier: MIT */
/* Every reading of robot tables: an input that hits and one that misses; the published reports. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/num.h"
#include "model/lkp_readings.h"

struct made {
	struct arena a;
	struct lkp_doc doc;
	struct readings readings;
};

static void make(struct made *m, struct slice text)
{
	struct source_info info = { 0 };
	struct lkp_checked checked;
	struct err e;

	*m = (struct made){ 0 };
	if (lkp_parse(text, &m->a, &info, &m->doc, &e))
		fail_msg("%.*s: %s", SLICE_FMT(text), e.text);
	lkp_check(&m->doc, &m->a, &checked);
	lkp_readings(&m->doc, &checked, &m->a, &m->readings, NULL);
}

static void drop(struct made *m)
{
	readings_free(&m->readings);
	arena_free(&m->a);
}

static const struct reading *find(const struct readings *r, const char *id, size_t *count)
{
	const struct reading *found = NULL;

	*count = 0;
	for (size_t i = r->n; i; i--)
		if (strcmp(r->at[i - 1].id, id) == 0) {
			found = &r->at[i - 1];
			++*count;
		}
	return found;
}

struct sample {
	const char *id;
	const char *text;
	size_t count;         /* 0: it misses */
	const char *evidence; /* parts of the first, separated by '|' */
	const char *says;
};

#define LRU "100 -1.0% 99 proc-vmstat.nr_active_anon\n900 +1.0% 909 proc-vmstat.nr_inactive_anon\n"
#define THP_FELL "1000 -50.0% 500 proc-vmstat.thp_fault_alloc\n"

static const struct sample samples[] = {
	{ "huge-share", "300 +0.0% 600 meminfo.AnonHugePages\n1000 +0.0% 1000 meminfo.AnonPages\n",
	  1, "\"before\":0.3|\"after\":0.6",
	  "60.0 % of anonymous memory is mapped by huge pages, 30.0 % before" },
	{ "huge-share",
	  "1 +0.0% 2 numa-meminfo.node1.AnonHugePages\n10 +0.0% 10 numa-meminfo.node1.AnonPages\n",
	  1, "\"node\":1|\"before\":0.1|\"after\":0.2", "(node 1)" },
	/* of another node; of a row that is the maximum of something */
	{ "huge-share",
	  "1 +0.0% 2 numa-meminfo.node1.AnonHugePages\n10 +0.0% 10 numa-meminfo.node0.AnonPages\n"
	  "10 +0.0% 10 numa-meminfo.node1.AnonPages.max\n",
	  0, NULL, NULL },
	{ "huge-share", "300 +0.0% 600 meminfo.AnonHugePages\n0.00 +0.0% 1000 meminfo.AnonPages\n",
	  0, NULL, NULL },

	{ "huge-lost-memory-kept", "1000 -50.0% 500 meminfo.AnonHugePages\n" LRU, 1,
	  "\"huge_percent\":-50|\"memory_percent\":0.8|proc-vmstat.nr_active_anon + "
	  "proc-vmstat.nr_inactive_anon",
	  "Huge pages were lost, memory was not" },
	{ "huge-lost-memory-kept",
	  "642.60 -63.8% 232.40 proc-vmstat.nr_anon_transparent_hugepages\n1000 -10.0% 900 "
	  "meminfo.AnonPages\n",
	  1, "\"memory_metric\":\"meminfo.AnonPages\"", "anonymous memory -10.0 %" },
	{ "huge-lost-memory-kept",
	  "10 -20.0% 8 numa-meminfo.node0.AnonHugePages\n10 +0.0% 10 "
	  "numa-meminfo.node0.AnonPages\n",
	  1, "\"node\":0", "(node 0)" },
	{ "huge-lost-memory-kept", "1000 -9.9% 901 meminfo.AnonHugePages\n" LRU, 0, NULL, NULL },
	{ "huge-lost-memory-kept", "1315990 -10.0% 1184391 meminfo.AnonHugePages\n" LRU, 1,
	  "\"huge_percent\":-10", "-10.0 %" },
	{ "huge-lost-memory-kept",
	  "1000 -50.0% 500 meminfo.AnonHugePages\n1000 -13.0% 870 meminfo.AnonPages\n", 0, NULL,
	  NULL },
	/* half of the memory is not the memory */
	{ "huge-lost-memory-kept",
	  "1000 -50.0% 500 meminfo.AnonHugePages\n100 +0.0% 100 proc-vmstat.nr_active_anon\n", 0,
	  NULL, NULL },

	{ "faults-explained",
	  "0 +0.0% 51100 x.time.minor_page_faults\n200 -50.0% 100 proc-vmstat.thp_fault_alloc\n", 1,
	  "\"extra_faults\":51100|\"huge_pages_lost\":100|\"pages_per_huge_page\":512|\"assumed\":"
	  "true|\"ratio\":1,",
	  "51,100 more minor faults (x.time.minor_page_faults) are 100 % of what 100 lost huge "
	  "pages cost" },
	{ "faults-explained", "1000 +0.0% 9000000 time.minor_page_faults\n" THP_FELL, 1,
	  "\"ratio\":35.2",
	  "8,999,000 more minor faults (time.minor_page_faults) and 500 huge pages fewer, which would "
	  "be 255,500" },
	/* 64 kB pages: 512 MiB huge pages */
	{ "faults-explained",
	  "1000 +0.0% 20000 proc-vmstat.pgfault\n5242880 -10.0% 4718592 meminfo.AnonHugePages\n"
	  "10.00 -10.0% 9.00 proc-vmstat.nr_anon_transparent_hugepages\n",
	  1, "\"pages_per_huge_page\":8192|\"assumed\":false", "(x 8191)" },
	/* the test's own faults count, not those of the machine; and huge pages must have fallen */
	{ "faults-explained",
	  "10 -1.0% 9 x.time.minor_page_faults\n10 +100.0% 99999 proc-vmstat.pgfault\n" THP_FELL, 0,
	  NULL, NULL },
	{ "faults-explained",
	  "10 +0.0% 20 proc-vmstat.pgfault\n10 +100.0% 20 proc-vmstat.thp_fault_alloc\n", 0, NULL,
	  NULL },

	{ "splits-per-alloc",
	  "200 -50.0% 100 proc-vmstat.thp_fault_alloc\n801 -50.0% 399 proc-vmstat.thp_split_pmd\n",
	  1, "\"before\":4.005|\"after\":3.99|\"integer\":4",
	  "split 4 times, as if 4 processes mapped it" },
	{ "splits-per-alloc",
	  "200 -50.0% 99 proc-vmstat.thp_fault_alloc\n800 -50.0% 396 proc-vmstat.thp_split_pmd\n",
	  0, NULL, NULL },
	{ "splits-per-alloc",
	  "200 -50.0% 100 proc-vmstat.thp_fault_alloc\n800 -50.0% 300 proc-vmstat.thp_split_pmd\n",
	  0, NULL, NULL },
	{ "splits-per-alloc",
	  "200 -50.0% 100 proc-vmstat.thp_fault_alloc\n200 -50.0% 100 proc-vmstat.thp_split_pmd\n",
	  0, NULL, NULL },

	{ "demand-not-supply",
	  THP_FELL "10 +0.0% 10 proc-vmstat.thp_fault_fallback\n10 +10.0% 11 proc-vmstat.pgfault\n",
	  1, "\"alloc_before\":1000|\"fallback_after\":10|\"faults_rose\":true",
	  "places or policy were lost" },
	{ "demand-not-supply",
	  THP_FELL "10 +0.0% 9 proc-vmstat.thp_fault_fallback\n10 -10.0% 9 proc-vmstat.pgfault\n",
	  1, "\"faults_rose\":false", "less memory was touched" },
	{ "demand-not-supply", THP_FELL "10 +0.0% 9 proc-vmstat.thp_fault_fallback\n", 1,
	  "\"faults_rose\":null", "(thp_fault_fallback 10 -> 9)." },
	{ "demand-not-supply", THP_FELL, 0, NULL, NULL },
	{ "demand-not-supply", THP_FELL "10 +10.0% 11 proc-vmstat.thp_fault_fallback\n", 0, NULL,
	  NULL },
	{ "demand-not-supply",
	  THP_FELL "10 +0.0% 10 proc-vmstat.thp_fault_fallback\n1 +100.0% 500 "
		   "proc-vmstat.thp_collapse_alloc\n",
	  0, NULL, NULL },
	{ "demand-not-supply",
	  "1000 -4.0% 960 proc-vmstat.thp_fault_alloc\n10 +0.0% 10 "
	  "proc-vmstat.thp_fault_fallback\n",
	  0, NULL, NULL },

	{ "fallback-rate", THP_FELL "0.00 +0.0% 500 proc-vmstat.thp_fault_fallback\n", 1,
	  "\"before\":0,|\"after\":0.5", "50.0 % fell back to small ones, 0.0 % before" },
	{ "fallback-rate",
	  "50 +0.0% 500 proc-vmstat.thp_fault_alloc\n49 +0.0% 500 proc-vmstat.thp_fault_fallback\n",
	  1, "\"before\":null|\"after\":0.5", "unknown (below 100)" },
	{ "fallback-rate",
	  "50 +0.0% 50 proc-vmstat.thp_fault_alloc\n49 +0.0% 49 proc-vmstat.thp_fault_fallback\n",
	  0, NULL, NULL },

	{ "split-not-freed",
	  "10 +0.0% 110 proc-vmstat.thp_deferred_split_page\n10 +0.0% 50 "
	  "proc-vmstat.thp_split_page\n",
	  1, "\"pages\":60", "60 huge pages were unmapped in part" },
	{ "split-not-freed",
	  "10 +0.0% 50 proc-vmstat.thp_deferred_split_page\n10 +0.0% 110 "
	  "proc-vmstat.thp_split_page\n",
	  0, NULL, NULL },
	{ "split-not-freed", "10 +0.0% 50 proc-vmstat.thp_deferred_split_page\n", 0, NULL, NULL },

	/* clear_huge_page calls clear_page_erms: counted once */
	{ "less-clearing",
	  "50.00 -45.0 5.00 perf-profile.children.cycles-pp.clear_page_erms\n"
	  "49.00 -45.0 4.00 perf-profile.children.cycles-pp.clear_huge_page\n"
	  "49.00 -45.0 4.00 perf-profile.self.cycles-pp.clear_page_erms\n",
	  1, "\"before\":50,|\"after\":5,|\"kind\":\"children\"|\"populated\":null",
	  "fell from 50.00 to 5.00 % of the profile (-45.0 points). Nothing here shows" },
	{ "less-clearing",
	  "9.00 -8.0 1.00 perf-profile.calltrace.cycles-pp.clear_page_erms.clear_huge_page.x\n"
	  "3.00 -2.0 1.00 perf-profile.calltrace.cycles-pp.clear_page_erms.prep_new_page.x\n"
	  "1000 -50.0% 500 meminfo.AnonHugePages\n",
	  1,
	  "\"before\":12|\"after\":2|\"kind\":\"calltrace\"|\"populated\":\"meminfo."
	  "AnonHugePages\"",
	  "so the run populates less memory" },
	{ "less-clearing",
	  "9.00 -4.0 5.00 perf-profile.self.cycles-pp.clear_page_erms\n"
	  "9.00 -2.0 7.00 perf-profile.self.cycles-pp.clear_huge_page\n",
	  1, "\"before\":18|\"after\":12|\"kind\":\"self\"", "fell from 18.00 to 12.00 %" },
	{ "less-clearing", "9.00 -4.9 4.10 perf-profile.children.cycles-pp.clear_page_erms\n", 0,
	  NULL, NULL },
	/* nothing is said in numbers that are none */
	{ "less-clearing",
	  "9.00 -8.0 1.00 perf-profile.children.cycles-pp.clear_page_erms\n0 -5.0 -5 meminfo.AnonPages\n", 1,
	  "\"populated\":null", "Nothing here shows" },
	{ "less-clearing",
	  "1e+308 -8.0 -1e+308 perf-profile.children.cycles-pp.clear_page_erms\n", 0, NULL, NULL },
	{ "huge-lost-memory-kept",
	  "1000 -50.0% 500 meminfo.AnonHugePages\n1e-300 +1.0% 1e+300 meminfo.AnonPages\n", 0, NULL, NULL },
	{ "huge-share", "1e+308 -50.0% 500 meminfo.AnonHugePages\n1 +1.0% 1 meminfo.AnonPages\n", 0, NULL,
	  NULL },
	{ "less-clearing", "90.00 -89.0 1.00 perf-profile.children.cycles-pp.clear_bhb_loop\n", 0,
	  NULL, NULL },

	{ "hole",
	  "7.30 -18.4% 5.96 ± 44% perf-stat.overall.cpi\n9735 -21.3% 7658 ± 44% "
	  "perf-stat.overall.x\n",
	  2, "\"column\":1|\"missing\":1|\"runs\":6|\"value\":7.152|\"change\":-2.0",
	  "5.96 +- 44 % holds one missing run of six as zero: 7.15 without it, -2.0 % and not "
	  "-18.4 %." },
	{ "hole", "0.84 ± 70% +49.4% 1.26 perf-stat.overall.cpi\n", 1, "\"column\":0|\"change\":0",
	  "+0.0 % and not +49.4 %" },
	{ "hole", "7.30 -18.4% 5.96 ± 47% perf-stat.overall.cpi\n", 0, NULL, NULL },

	{ "disagrees", "2745 +9.2% 2492 a.b\n2745 +9.2% 2492 a.c\n", 2,
	  "\"metric\":\"a.b\"|\"printed\":9.2|\"recomputed\":-9.21",
	  "a.b prints +9.2 %, but its values give -9.217 %." },
	{ "disagrees", "60:60 85% 111:111 a.fail\n:60 105% 63:111 b.fail\n", 1,
	  "\"metric\":\"a.fail\"|\"rows\":2", "60 of 60 against 111 of 111 runs is +0.0 points" },
	{ "disagrees", "2745 -9.2% 2492 a.b\n6:6 0% 6:6 a.fail\n", 0, NULL, NULL },

	{ "unexplained",
	  "kernel test robot noticed a 9.2% regression of x.ops on:\n2745 -9.2% 2492 x.ops\n"
	  "1000 ± 20% -10.0% 900 ± 20% meminfo.AnonHugePages\n500 +1.0% 505 "
	  "proc-vmstat.thp_fault_alloc\n",
	  1,
	  "\"headline\":\"x.ops\"|\"metrics\":[\"meminfo.AnonHugePages\",\"proc-vmstat.thp_fault_"
	  "alloc\"]",
	  "Huge pages do not explain the regression of x.ops" },
	{ "unexplained",
	  "kernel test robot noticed a 9.2% regression of x.ops on:\n2745 -9.2% 2492 x.ops\n"
	  "1000 ± 20% -10.0% 900 ± 20% meminfo.AnonHugePages\n500 +3.0% 515 "
	  "proc-vmstat.thp_fault_alloc\n",
	  0, NULL, NULL },
	/* one metric is said once; what no table holds goes by its test; of many the rest is counted */
	{ "unexplained",
	  "kernel test robot noticed a 9.2% regression of x.ops on:\n"
	  "kernel test robot noticed a 7.2% regression of x.ops on:\n"
	  "kernel test robot noticed a 7.2% regression of y.ops on:\n2745 -9.2% 2492 x.ops\n"
	  "2745 -9.2% 2492 x.ops\n500 +1.0% 505 proc-vmstat.thp_fault_alloc\n",
	  1, "\"headline\":\"x.ops\"|\"rows\":1|\"more\":0", "regression of x.ops: the one row" },
	{ "unexplained",
	  "noticed a 9% regression of x.a on:\nnoticed a 9% regression of x.b on:\n"
	  "noticed a 9% regression of x.c on:\nnoticed a 9% regression of x.d on:\n"
	  "noticed a 9% regression of x.e on:\nnoticed a 9% regression of x.f on:\n"
	  "noticed a 9% regression of x.g on:\nnoticed a 9% regression of x.h on:\n"
	  "noticed a 9% regression of x.i on:\nnoticed a 9% regression of x.j on:\n"
	  "noticed a 9% improvement of x.k on:\n"
	  "=====================\ncompiler/testcase:\n  gcc/x\n\ncommit:\n  aaaaaaaaaa\n  bbbbbbbbbb\n"
	  "aaaaaaaaaa bbbbbbbbbb\n---------------- ---------------------------\n"
	  "2745 -9.2% 2492 x.j\n500 +1.0% 505 proc-vmstat.thp_fault_alloc\n",
	  8, "\"headline\":\"x.a\"|\"more\":0", "regression of x.a: the one row" },
	/* no row is no unmoved row; an improvement needs no excuse */
	{ "unexplained",
	  "kernel test robot noticed a 9.2% regression of x.ops on:\n2745 -9.2% 2492 x.ops\n", 0,
	  NULL, NULL },
	{ "unexplained",
	  "kernel test robot noticed a 9.2% improvement of x.ops on:\n2745 +9.2% 2998 x.ops\n"
	  "500 +1.0% 505 proc-vmstat.thp_fault_alloc\n",
	  0, NULL, NULL },
};
enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static void assert_parts(const struct sample *s, struct slice have, const char *parts)
{
	for (struct cut c = slice_cut(slice_str(parts), '|');; c = slice_cut(c.tail, '|')) {
		if (!slice_has(have, c.head))
			fail_msg("%s\n%s: %.*s\nlacks %.*s", s->text, s->id, SLICE_FMT(have),
				 SLICE_FMT(c.head));
		if (!c.ok)
			return;
	}
}

static void test_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct sample *s = &samples[i];
		struct made m;
		size_t count;

		make(&m, slice_str(s->text));
		const struct reading *r = find(&m.readings, s->id, &count);
		if (count != s->count)
			fail_msg("%s\n%zu of %s, not %zu", s->text, count, s->id, s->count);
		if (r) {
			assert_parts(s, r->evidence, s->evidence);
			assert_parts(s, r->text, s->says);
		}
		drop(&m);
	}
}

/* Each row has a sample that hits and one that misses, and its evidence has the keys it names. */
static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < lkp_reading_count; i++) {
		const struct reading_row *row = &lkp_reading_rows[i].row;
		bool hit = false, miss = false;

		for (size_t k = 0; k < SAMPLES; k++) {
			hit |= strcmp(samples[k].id, row->id) == 0 && samples[k].count;
			miss |= strcmp(samples[k].id, row->id) == 0 && !samples[k].count;
		}
		if (!hit || !miss)
			fail_msg("%s has no sample that %s", row->id, hit ? "misses" : "hits");
		assert_true(*row->when && *row->formula && *row->sentence && *row->evidence);
	}
	for (size_t k = 0; k < SAMPLES; k++) {
		bool known = false;

		for (size_t i = 0; i < lkp_reading_count; i++)
			known |= strcmp(samples[k].id, lkp_reading_rows[i].row.id) == 0;
		if (!known)
			fail_msg("no row has the id %s", samples[k].id);
	}
}

/* Every key of an evidence is named in its row. */
static void test_keys(void **state)
{
	(void)state;
	for (size_t k = 0; k < SAMPLES; k++) {
		struct made m;
		size_t count;
		const char *keys = "";

		for (size_t i = 0; i < lkp_reading_count; i++)
			if (strcmp(samples[k].id, lkp_reading_rows[i].row.id) == 0)
				keys = lkp_reading_rows[i].row.evidence;
		make(&m, slice_str(samples[k].text));
		const struct reading *r = find(&m.readings, samples[k].id, &count);
		for (struct slice s = r ? r->evidence : SLICE(""); s.n; s = slice_skip(s, 1)) {
			ptrdiff_t end = slice_find(slice_skip(s, 1), SLICE("\":"));

			if (*s.p != '"' || end < 0)
				continue;
			struct slice key = slice_first(slice_skip(s, 1), (size_t)end);
			if (slice_has(key, SLICE("\"")) || slice_eq_str(key, "table") ||
			    slice_eq_str(key, "column"))
				continue;
			if (!slice_has(slice_str(keys), key))
				fail_msg("%s does not name %.*s", samples[k].id, SLICE_FMT(key));
		}
		drop(&m);
	}
}

/* Each head column of three commits is read for itself. */
static void test_columns(void **state)
{
	struct made m;
	size_t count;

	(void)state;
	make(&m, SLICE("1000 -50.0% 500 -5.0% 950 meminfo.AnonHugePages\n1000 +0.0% 1000 -3.0% 970 "
		       "meminfo.AnonPages\n"));
	const struct reading *r = find(&m.readings, "huge-lost-memory-kept", &count);
	assert_int_equal(count, 1);
	assert_true(slice_has(r->evidence, SLICE("\"column\":1")));
	find(&m.readings, "huge-share", &count);
	assert_int_equal(count, 2);
	drop(&m);
}

/* ---- the published reports ---- */

static struct slice fixture(const char *name, struct arena *a)
{
	char path[512];
	static char buf[1 << 20];

	snprintf(path, sizeof(path), "%s/tests/fixtures/lkp/%s",
		 getenv("TOP") ? getenv("TOP") : ".", name);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("%s", path);
	size_t n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	return arena_copy(a, slice_of(buf, n));
}

static const struct {
	const char *file, *id;
	size_t count, all; /* of this id, of any */
	const char *says;
} published[] = {
	{ "malloc1.txt", "less-clearing", 1, 1, "fell from 89.46 to 0.20 %" },
	{ "radixsort.txt", "huge-lost-memory-kept", 1, 2,
	  "Huge pages were lost, memory was not: meminfo.AnonHugePages -63.8 %, anonymous memory "
	  "on the LRU lists +1.3 %" },
	{ "radixsort.txt", "faults-explained", 1, 2,
	  "228,814 more minor faults (stress-ng.time.minor_page_faults) are 109 % of what 410.2 "
	  "lost huge pages cost in "
	  "small ones" },
	{ "anon-cow-seq.txt", "splits-per-alloc", 1, 1,
	  "Each huge page is split 256 times, as if 256 processes mapped it, on both sides (256.00 "
	  "and 255.99): fewer "
	  "huge pages were used, not more splitting." },
	{ "seal.txt", "hole", 2, 2,
	  "perf-stat.overall.cpi 5.96 +- 44 % holds one missing run of six as zero: 7.15 without "
	  "it, -2.0 % and not "
	  "-18.4 %." },
	{ "result-root-compare.txt", "hole", 4, 4, "holds one missing run of three as zero" },
	{ "mail-quoted.txt", "huge-lost-memory-kept", 1, 3, "-63.8 %" },
};

static void test_published(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		struct arena a = { 0 };
		struct made m;
		size_t count;

		make(&m, fixture(published[i].file, &a));
		const struct reading *r = find(&m.readings, published[i].id, &count);
		if (count != published[i].count || m.readings.n != published[i].all)
			fail_msg("%s: %zu %s, %zu in all", published[i].file, count,
				 published[i].id, m.readings.n);
		if (!slice_has(r->text, slice_str(published[i].says)))
			fail_msg("%s: %.*s", published[i].file, SLICE_FMT(r->text));
		drop(&m);
		arena_free(&a);
	}
}

/* ---- two snapshots ---- */

static void add(struct counter_list *l, const char *name, enum counter_kind kind, long long v)
{
	struct counter *c = counters_add(l, slice_str(name), SLICE(""), kind);

	c->present = true;
	c->value = dec_i64(v);
}

static void test_snapshots(void **state)
{
	static const struct {
		const char *name;
		enum counter_kind kind;
		long long before, after;
	} counters[] = {
		{ "meminfo.AnonHugePages", COUNTER_GAUGE, 1000, 500 },
		{ "meminfo.AnonPages", COUNTER_GAUGE, 2000, 2000 },
		{ "node0.meminfo.AnonHugePages", COUNTER_GAUGE, 10, 10 },
		{ "node0.meminfo.AnonPages", COUNTER_GAUGE, 100, 100 },
		{ "vmstat.thp_fault_alloc", COUNTER_COUNTER, 1000, 2000 },
		{ "vmstat.thp_split_pmd", COUNTER_COUNTER, 2000, 4000 },
		{ "vmstat.thp_fault_fallback", COUNTER_COUNTER, 0, 2000 },
		{ "vmstat.thp_deferred_split_page", COUNTER_COUNTER, 5, 15 },
		{ "vmstat.thp_split_page", COUNTER_COUNTER, 9,
		  2 }, /* reset: nothing is said of it */
		{ "vmstat.pgfault", COUNTER_COUNTER, 1, 1000000 },
	};
	static const struct {
		const char *id;
		size_t count;
	} want[] = { { "huge-share", 2 },	{ "huge-lost-memory-kept", 1 },
		     { "splits-per-alloc", 1 }, { "fallback-rate", 1 },
		     { "split-not-freed", 0 },	{ "faults-explained", 0 },
		     { "demand-not-supply", 0 } };
	struct counter_list before = { 0 }, after = { 0 };
	struct counter_rows rows = { 0 };
	struct readings r = { 0 };
	struct arena a = { 0 };
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		add(&before, counters[i].name, counters[i].kind, counters[i].before);
		add(&after, counters[i].name, counters[i].kind, counters[i].after);
	}
	counters_diff(&before, &after, &a, &rows);
	snapshot_readings(&rows, &a, &r);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct reading *one = find(&r, want[i].id, &count);

		if (count != want[i].count)
			fail_msg("%zu of %s", count, want[i].id);
		if (one)
			assert_false(slice_has(one->evidence, SLICE("\"table\"")));
	}
	readings_free(&r);
	counter_rows_free(&rows);
	counters_free(&before);
	counters_free(&after);
	arena_free(&a);
}

/* Huge pages of the PMD size that exist, but are mapped in pieces. */
static void test_held(void **state)
{
	static const long long pmd_mapped[] = { 90, 100 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct counter_list l = { 0 };
		struct counter_rows rows = { 0 };
		struct readings r = { 0 };
		struct arena a = { 0 };
		size_t count;

		add(&l, "meminfo.AnonHugePages", COUNTER_GAUGE, 2048 * pmd_mapped[i]);
		add(&l, "vmstat.nr_anon_transparent_hugepages", COUNTER_GAUGE, pmd_mapped[i]);
		add(&l, "thp.hugepages-2048kB.nr_anon", COUNTER_GAUGE, 100);
		counters_diff(&l, &l, &a, &rows);
		snapshot_readings(&rows, &a, &r);
		const struct reading *one = find(&r, "split-not-freed", &count);
		assert_int_equal(count, pmd_mapped[i] < 100);
		if (one)
			assert_true(slice_has(one->evidence, SLICE("\"pages\":10")));
		readings_free(&r);
		counter_rows_free(&rows);
		counters_free(&l);
		arena_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),	  cmocka_unit_test(test_rows),
		cmocka_unit_test(test_keys),	  cmocka_unit_test(test_columns),
		cmocka_unit_test(test_published), cmocka_unit_test(test_snapshots), cmocka_unit_test(test_held),
	};

	return cmocka_run_group_tests_name("lkp_readings", tests, NULL, NULL);
}
