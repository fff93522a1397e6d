/* SPDX-License-Identifier: MIT */
/* Text of what has no mappings: meminfo, vmstat, node files, and a rollup's totals. */
#include <inttypes.h>

#include "report/readings_view.h"
#include "report/report_text.h"

/* ---- a rollup ---- */

struct rollup_row {
	const char *what;
	uint64_t kb, huge_kb;
	bool known, has_huge;
};

static void put_rollup_row(struct out *o, const struct text_style *st, const struct rollup_row *r)
{
	char buf[STYLE_BUF];

	if (!r->known)
		return;
	out_str(o, "  ");
	style_left(o, r->what, 22);
	style_right(o, style_size(buf, st, r->kb), 16);
	if (r->has_huge) {
		style_right(o, style_size(buf, st, r->huge_kb), 16);
		out_str(o, " huge");
		if (r->kb)
			style_right(o, style_percent(buf, (double)r->huge_kb / (double)r->kb), 9);
	}
	out_byte(o, '\n');
}

static struct rollup_row sum_row(const struct model *m, const char *what, enum total of)
{
	const struct sum *s = &m->totals.sum[of];

	return (struct rollup_row){ .what = what, .kb = s->kb, .known = s->known };
}

void text_rollup(struct out *o, const struct text_style *st, const struct model *m)
{
	const struct sum *sum = m->totals.sum;
	const struct sum *rss = &sum[TOTAL_RSS], *huge = &sum[TOTAL_HUGE];
	struct rollup_row anonymous = sum_row(m, "anonymous", TOTAL_ANONYMOUS), one;
	struct out text;
	char a[STYLE_BUF], b[STYLE_BUF], c[STYLE_BUF];

	out_memory(&text);
	if (rss->known && huge->known && rss->kb)
		out_printf(&text, "%s of %s resident memory is huge: %s.",
			   style_amount(a, st, huge->kb), style_size(b, st, rss->kb),
			   style_percent(c, (double)huge->kb / (double)rss->kb));
	out_str(&text, " A rollup holds totals only: what could be huge, and why it is not, only "
		       "smaps says.");
	text_paragraph(o, st, &text);
	out_close(&text);
	out_byte(o, '\n');
	one = sum_row(m, "resident", TOTAL_RSS);
	one.has_huge = huge->known;
	one.huge_kb = huge->kb;
	put_rollup_row(o, st, &one);
	one = sum_row(m, "its share of it (Pss)", TOTAL_PSS);
	put_rollup_row(o, st, &one);
	anonymous.has_huge = sum[TOTAL_ANON_HUGE].known;
	anonymous.huge_kb = sum[TOTAL_ANON_HUGE].kb;
	put_rollup_row(o, st, &anonymous);
	one = sum_row(m, "shared memory, huge", TOTAL_SHMEM_PMD);
	put_rollup_row(o, st, &one);
	one = sum_row(m, "files, huge", TOTAL_FILE_PMD);
	put_rollup_row(o, st, &one);
	one = sum_row(m, "hugetlb", TOTAL_HUGETLB);
	put_rollup_row(o, st, &one);
	one = sum_row(m, "swapped out", TOTAL_SWAP);
	put_rollup_row(o, st, &one);
}

/* ---- meminfo ---- */

static bool get(const struct keyvals *k, const char *key, uint64_t *ret)
{
	return key && keyvals_get(k, key, ret);
}

/* What there is of each kind of memory, and how much of it is in huge pages. */
static const struct {
	const char *what, *all, *huge, *mapped;
} kinds[] = {
	{ "anonymous", "AnonPages", "AnonHugePages", NULL },
	{ "shared memory", "Shmem", "ShmemHugePages", "ShmemPmdMapped" },
	{ "page cache", "Cached", "FileHugePages", "FilePmdMapped" },
};

static void put_kind(struct out *o, const struct text_style *st, const struct keyvals *k, size_t i)
{
	uint64_t all = 0, huge = 0, mapped = 0;
	char buf[STYLE_BUF];

	if (!get(k, kinds[i].huge, &huge))
		return;
	out_str(o, "  ");
	style_left(o, kinds[i].what, 16);
	style_right(o, style_size(buf, st, huge), 14);
	out_str(o, " huge");
	if (get(k, kinds[i].all, &all) || (i == 2 && get(k, "FilePages", &all))) {
		out_printf(o, " of ");
		style_right(o, style_size(buf, st, all), 14);
		if (all)
			style_right(o, style_percent(buf, (double)huge / (double)all), 9);
	}
	if (get(k, kinds[i].mapped, &mapped) && huge && st->width >= 76)
		out_printf(o, "  %s mapped", style_amount(buf, st, mapped));
	out_byte(o, '\n');
}

static void put_hugetlb(struct out *o, const struct text_style *st, const struct keyvals *k)
{
	uint64_t total, unused = 0, size;
	char buf[STYLE_BUF];

	if (!get(k, "HugePages_Total", &total) || !total)
		return;
	get(k, "HugePages_Free", &unused);
	out_str(o, "  ");
	style_left(o, "hugetlb pool", 16);
	if (get(k, "Hugepagesize", &size) && !__builtin_mul_overflow(total, size, &size))
		style_right(o, style_size(buf, st, size), 14);
	out_printf(o, "  %" PRIu64 " pages, %" PRIu64 " free\n", total, unused);
}

static void text_meminfo(struct out *o, const struct text_style *st, const struct keyvals *k)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		put_kind(o, st, k, i);
	put_hugetlb(o, st, k);
}

/* ---- vmstat ---- */

static const struct {
	const char *key, *what;
} counters[] = {
	{ "thp_fault_alloc", "huge pages given at a fault" },
	{ "thp_fault_fallback", "faults that fell back to small pages" },
	{ "thp_fault_fallback_charge", "of these, refused by a memory cgroup" },
	{ "thp_collapse_alloc", "huge pages made of small ones" },
	{ "thp_collapse_alloc_failed", "of these, without a page to be had" },
	{ "thp_file_alloc", "huge pages of shared memory" },
	{ "thp_split_page", "huge pages split up" },
	{ "thp_split_pmd", "mappings of huge pages split" },
	{ "thp_deferred_split_page", "huge pages partly unmapped" },
	{ "thp_swpout", "huge pages swapped out whole" },
	{ "compact_stall", "waits for compaction" },
	{ "compact_fail", "of these, in vain" },
};

static void text_vmstat(struct out *o, const struct text_style *st, const struct keyvals *k)
{
	uint64_t alloc = 0, fallback = 0, v;
	char buf[STYLE_BUF];
	bool rate = get(k, "thp_fault_alloc", &alloc) && get(k, "thp_fault_fallback", &fallback) &&
		    (alloc || fallback);

	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		if (!get(k, counters[i].key, &v))
			continue;
		out_str(o, "  ");
		style_left(o, counters[i].key, 26);
		style_right(o, style_count(buf, v), st->width < 76 ? 12 : 14);
		if (st->width >= 76)
			out_printf(o, "  %s", counters[i].what);
		out_byte(o, '\n');
	}
	if (rate)
		text_say(o, st, "Of all faults that asked for a huge page since the boot %s fell back.",
			 style_percent(buf, (double)fallback / ((double)alloc + (double)fallback)));
}

static void text_nodes(struct out *o, const struct text_style *st, const struct system_info *s)
{
	for (size_t i = 0; i < s->nodes_n; i++) {
		if (!s->nodes[i].has_meminfo)
			continue;
		if (s->nodes[i].node >= 0)
			out_printf(o, "\nnode %d\n", s->nodes[i].node);
		else
			out_str(o, "\nnode\n");
		text_meminfo(o, st, &s->nodes[i].meminfo);
	}
}

void text_system(struct out *o, const struct text_style *st, const struct snapshot *s)
{
	const struct system_info *sys = &s->system;
	static const char *const names[] = { "meminfo", "vmstat", "NUMA nodes" };
	const bool held[] = { sys->has_meminfo, sys->has_vmstat, sys->nodes_n > 0 };
	struct slice enabled = thp_setting(&sys->thp, "enabled");
	struct wrap w;
	struct out text;

	out_memory(&text);
	wrap_start(&w, o, st->width, 0, 2);
	out_path_cut(&text, slice_str(s->source.path ? s->source.path : "system"), st->width,
		     st->ascii);
	wrap_piece(&w, out_slice(&text), 3);
	out_reset(&text);
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++)
		if (held[i])
			wrap_piece(&w, slice_str(names[i]), 3);
	if (enabled.n) {
		out_str(&text, "THP ");
		out_safe_cut(&text, enabled, 24, st->ascii);
		wrap_piece(&w, out_slice(&text), 3);
	}
	wrap_end(&w);
	out_close(&text);
	text_notes(o, st, s, NULL);
	if (sys->has_meminfo)
		text_meminfo(o, st, &sys->meminfo);
	if (sys->has_meminfo && sys->has_vmstat)
		out_byte(o, '\n');
	if (sys->has_vmstat)
		text_vmstat(o, st, &sys->vmstat);
	text_nodes(o, st, sys);
}
