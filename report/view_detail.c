/* SPDX-License-Identifier: MIT */
/* What there is to say of one mapping, one finding, one counter. */
#include <string.h>

#include "report/fates.h"
#include "report/view_internal.h"

/* What a rise of a counter means; the first prefix that fits. */
static const struct {
	const char *name, *means;
} counter_words[] = {
	{ "vmstat.thp_fault_alloc", "An anonymous page fault got a huge page at once." },
	{ "vmstat.thp_fault_fallback_charge",
	  "Of the faults that fell back: the memory cgroup refused the huge page." },
	{ "vmstat.thp_fault_fallback",
	  "A huge page was due and the fault got a small one: none was free, or the cgroup "
	  "refused. A slot that does not fit into its mapping is never counted here." },
	{ "vmstat.thp_collapse_alloc_failed",
	  "khugepaged or MADV_COLLAPSE found no free huge page." },
	{ "vmstat.thp_collapse_alloc",
	  "khugepaged or MADV_COLLAPSE got a page to collapse small ones into." },
	{ "vmstat.thp_file_alloc",
	  "A huge page of shared memory (tmpfs) was allocated, in spite of the name." },
	{ "vmstat.thp_file_fallback", "Shared memory was due a huge page and got small ones." },
	{ "vmstat.thp_file_mapped",
	  "A huge page of a file or of shared memory was mapped as a whole." },
	{ "vmstat.thp_split_page_failed",
	  "A huge page should have been broken up and was in use." },
	{ "vmstat.thp_split_page",
	  "A huge page was broken into small ones: reclaim, KSM, truncation, poison, shrinker." },
	{ "vmstat.thp_split_pmd",
	  "The mapping of a huge page was cut into small ones: mprotect, munmap, madvise or mlock "
	  "of a part of it, or a fork and a write." },
	{ "vmstat.thp_deferred_split_page",
	  "A huge page is partly unmapped; its dead part is held until memory is short." },
	{ "vmstat.thp_underused_split_page",
	  "The shrinker broke up a huge page that was mostly zeros (6.12 and later)." },
	{ "vmstat.thp_zero_page", "The huge zero page of the host was made (or could not be)." },
	{ "vmstat.thp_swpout_fallback",
	  "A huge page had to be broken up before it was swapped out." },
	{ "vmstat.thp_swpout", "A huge page was swapped out as a whole." },
	{ "vmstat.thp_migration",
	  "A huge page was moved to another place, failed to, or was split for it." },
	{ "vmstat.thp_scan_exceed",
	  "khugepaged left a range alone because of max_ptes_none, _swap or _shared." },
	{ "vmstat.compact_stall", "A thread waited while memory was compacted." },
	{ "vmstat.nr_anon_transparent_hugepages",
	  "Anonymous huge pages of the host, in huge pages." },
	{ "vmstat.nr_free_pages_blocks",
	  "Free pages in wholly free blocks: from these huge pages are made." },
	{ "meminfo.AnonHugePages", "Anonymous memory of the host in huge pages." },
	{ "meminfo.FileHugePages", "Page cache of the host in huge pages." },
	{ "meminfo.ShmemHugePages", "Shared memory of the host in huge pages." },
};

static const char *const eligible_words[ELIGIBLE_COUNT] = {
	[ELIGIBLE_YES] = "The kernel may use huge pages here.",
	[ELIGIBLE_IF_ALIGNED] = "The kernel would use huge pages if a slot fitted.",
	[ELIGIBLE_SUB_PMD] = "Only huge pages of smaller sizes are possible here.",
	[ELIGIBLE_NO] = "The kernel uses no huge pages here.",
	[ELIGIBLE_UNKNOWN] = "Whether the kernel may use huge pages here is not known.",
};

/* ---- findings ---- */

static void add_finding(struct view_text *t, const struct view_frame *f, const struct finding *x,
			unsigned number)
{
	struct out text;

	out_memory(&text);
	finding_message(f->m, x, &text);
	view_text_add(t, ROLE_PLAIN, 8, "%u %s  %s: %.*s", number, severity_names[x->severity],
		      finding_rules[x->id].id, SLICE_FMT(out_slice(&text)));
	out_reset(&text);
	finding_advice(f->m, x, &text);
	view_text_add(t, ROLE_PLAIN, 8, "        %.*s", SLICE_FMT(out_slice(&text)));
	out_close(&text);
}

static void add_findings(struct view_text *t, const struct view_frame *f, const struct vma *m,
			 const struct finding *first)
{
	unsigned number = 0;

	if (first)
		add_finding(t, f, first, ++number);
	for (size_t i = 0; m && i < f->findings->n; i++) {
		const struct finding *x = &f->findings->at[i];

		if (x != first && x->vma == m - f->m->smaps->vma)
			add_finding(t, f, x, ++number);
	}
	if (m && !number)
		view_text_add(t, ROLE_PLAIN, 0, "No finding.");
}

/* ---- a mapping ---- */

static void add_title(struct view_text *t, const struct view_frame *f, const struct view *v,
		      const struct vma *m)
{
	char rss[STYLE_BUF];
	struct thp thp;

	model_thp(f->m, m, &thp);
	style_size(rss, &v->style, vma_value(f->m->smaps, m, SMAPS_Rss));
	view_text_add(t, ROLE_TITLE, 2,
		      "%08llx-%08llx %.4s %s, %s resident, %llu of %llu slots huge",
		      (unsigned long long)m->start, (unsigned long long)m->end, m->perms,
		      class_names[m->class], vma_has(m, SMAPS_Rss) ? rss : "unknown",
		      (unsigned long long)(model_huge_kb(f->m, m) / f->m->pmd_kb),
		      (unsigned long long)thp.slots_fit);
}

static void add_name(struct view_text *t, const struct view_frame *f, const struct view *v,
		     const struct vma *m)
{
	struct out safe;

	if (!vma_name(f->m->smaps, m).n)
		return;
	out_memory(&safe);
	out_safe(&safe, vma_name(f->m->smaps, m), v->style.ascii);
	view_text_add(t, ROLE_PLAIN, 2, "%.*s", SLICE_FMT(out_slice(&safe)));
	out_close(&safe);
}

static void add_slots(struct view_text *t, const struct view_frame *f, const struct vma *m)
{
	const struct strip *s = f->wide;

	if (!s || s->start != m->start || !s->slots)
		return;
	view_text_add(t, ROLE_PLAIN, 0, " ");
	view_text_add(t, ROLE_DIM, 2, "slots, %llu a cell, %s", (unsigned long long)s->per_cell,
		      s->estimated ? "estimated from smaps: how many, not where"
				   : "as the page tables say");
	view_text_strip(t, s);
	view_text_add(t, ROLE_DIM, 2,
		      "# huge  + part huge  - small pages  . empty  s swapped  z zero page%s",
		      memchr(s->cell, SLOT_UNKNOWN, s->n) ? "  ? not looked at" : "");
}

static void add_fates(struct view_text *t, const struct view_frame *f, const struct view *v,
		      const struct vma *m)
{
	char size[STYLE_BUF];
	uint64_t kb[FATE_COUNT];
	struct thp thp;

	model_thp(f->m, m, &thp);
	if (!thp.known)
		return;
	fates_amounts(&thp.w, kb);
	view_text_add(t, ROLE_PLAIN, 0, " ");
	for (int i = 0; i < FATE_COUNT; i++)
		view_text_add(t, kb[i] ? fate_rows[i].role : ROLE_DIM, 33, "%c %-14s %14s  %s",
			      fate_rows[i].glyph, fate_rows[i].name,
			      style_size(size, &v->style, kb[i]), fate_rows[i].meaning);
	view_text_add(t, ROLE_PLAIN, 2,
		      "%s %llu kB lie before the first slot, %llu kB behind the last.",
		      eligible_words[m->eligible], (unsigned long long)thp.head_kb,
		      (unsigned long long)thp.tail_kb);
}

static void add_flags(struct view_text *t, const struct vma *m)
{
	view_text_add(t, ROLE_PLAIN, 0, " ");
	if (!vma_has_flags(m))
		view_text_add(t, ROLE_PLAIN, 0, "Its flags are not known.");
	for (uint64_t left = m->flags; left; left &= left - 1) {
		const struct vm_flag_info *i = &vm_flags[__builtin_ctzll(left)];

		view_text_add(t, ROLE_PLAIN, 6, "  %s  %s", i->code, i->meaning);
	}
}

static void add_fields(struct view_text *t, const struct view_frame *f, const struct vma *m)
{
	view_text_add(t, ROLE_PLAIN, 0, " ");
	if (f->s->look == LOOK_SCAN)
		view_text_add(t, ROLE_DIM, 0,
			      "Rss, Anonymous and huge are of now, the others of %llu tick%s ago:",
			      (unsigned long long)f->s->full_age, f->s->full_age == 1 ? "" : "s");
	for (int i = 0; i < SMAPS_FIELDS; i++)
		if (vma_has(m, (enum smaps_field)i))
			view_text_add(t, ROLE_PLAIN, 0, "  %-16s %12llu%s", smaps_fields[i].name,
				      (unsigned long long)vma_value(f->m->smaps, m,
								    (enum smaps_field)i),
				      smaps_fields[i].kb ? " kB" : "");
}

static void add_mapping(struct view_text *t, const struct view_frame *f, const struct view *v,
			const struct vma *m, const struct finding *first, bool all)
{
	add_title(t, f, v, m);
	if (all)
		add_name(t, f, v, m);
	add_findings(t, f, m, first);
	if (!all) {
		add_name(t, f, v, m);
		return;
	}
	add_slots(t, f, m);
	add_fates(t, f, v, m);
	add_flags(t, m);
	add_fields(t, f, m);
}

/* ---- a counter ---- */

static void add_counter(struct view_text *t, const struct rate *r)
{
	view_text_add(t, ROLE_TITLE, 2, "%s, %s of the host", r->name,
		      r->gauge ? "a gauge" : "a counter");
	for (size_t i = 0; i < sizeof(counter_words) / sizeof(*counter_words); i++) {
		if (slice_starts(slice_str(r->name), slice_str(counter_words[i].name))) {
			view_text_add(t, ROLE_PLAIN, 0, "%s", counter_words[i].means);
			return;
		}
	}
}

void view_detail(struct view_text *t, const struct view_frame *f, const struct view *v, bool all)
{
	const struct view_row *r = v->rows ? &v->row[v->list[v->tab].at] : NULL;
	const struct vma *m = view_chosen(v, f);
	const struct finding *x = r && v->tab == TAB_FINDINGS ? &f->findings->at[r->i] : NULL;

	if (m)
		add_mapping(t, f, v, m, x, all);
	else if (x)
		add_findings(t, f, NULL, x);
	else if (r && v->tab == TAB_COUNTERS)
		add_counter(t, &f->rates->at[r->i]);
	else if (all)
		view_text_add(t, ROLE_PLAIN, 0, "Nothing is chosen.");
}
