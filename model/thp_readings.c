/* SPDX-License-Identifier: MIT */
/* Readings of the huge-page counters: the sentences are in lkp_readings.c's table. */
#include <math.h>
#include <stdio.h>

#include "model/lkp_readings.h"
#include "model/say.h"

/* Where it was read: for tables of a mail, which one and which column. */
static void begin(struct say *say, const struct reading_scope *s, const char *id)
{
	say_begin(say, s->to, s->a, id);
	if (!s->table)
		return;
	json_kv_u64(&say->json, "table", s->number);
	json_kv_u64(&say->json, "column", s->column);
}

/* A name of the whole machine (node -1) or of one node. */
static bool find(const struct reading_scope *s, int node, const char *file, const char *key,
		 struct metric_pair *ret)
{
	bool vmstat = strcmp(file, "vmstat") == 0;
	char name[128];

	if (node >= 0)
		snprintf(name, sizeof(name), "numa-%s.node%d.%s", file, node, key);
	else
		snprintf(name, sizeof(name), "%s%s.%s", vmstat ? "proc-" : "", file, key);
	return scope_find(s, name, ret);
}

static void say_node(struct say *say, int node)
{
	if (node < 0)
		return;
	say_f(say, " (node %d)", node);
	json_kv_i64(&say->json, "node", node);
}

/* ---- huge-share ---- */

static void share_of(const struct reading_scope *s, int node)
{
	struct metric_pair huge, anon;
	struct say say;

	if (!find(s, node, "meminfo", "AnonHugePages", &huge) ||
	    !find(s, node, "meminfo", "AnonPages", &anon) || anon.before <= 0 || anon.after <= 0)
		return;
	double before = huge.before / anon.before, after = huge.after / anon.after;
	begin(&say, s, "huge-share");
	say_number(&say, "before", before);
	say_number(&say, "after", after);
	say_need(&say, 100 * before);
	say_need(&say, 100 * after);
	say_f(&say, "%.1f %% of anonymous memory is mapped by huge pages, %.1f %% before",
	      100 * after, 100 * before);
	say_node(&say, node);
	say_f(&say, ".");
	say_end(&say);
}

void read_huge_share(const struct reading_scope *s)
{
	for (int node = -1; node < SCOPE_NODES; node++)
		share_of(s, node);
}

/* ---- huge-lost-memory-kept ---- */

static const struct {
	const char *file, *key[2]; /* the second is added */
	const char *words, *unit;
} memories[] = {
	{ "meminfo", { "AnonPages", NULL }, "anonymous memory", "kB" },
	{ "vmstat", { "nr_anon_pages", NULL }, "anonymous memory", "pages" },
	{ "meminfo",
	  { "Active(anon)", "Inactive(anon)" },
	  "anonymous memory on the LRU lists",
	  "kB" },
	{ "vmstat",
	  { "nr_active_anon", "nr_inactive_anon" },
	  "anonymous memory on the LRU lists",
	  "pages" },
	{ "vmstat",
	  { "nr_zone_active_anon", "nr_zone_inactive_anon" },
	  "anonymous memory on the LRU lists",
	  "pages" },
};
enum { MEMORIES = sizeof(memories) / sizeof(memories[0]) };

/* Anonymous memory by the first of these that is there. Its place in the table, or -1. */
static int find_memory(const struct reading_scope *s, int node, struct metric_pair *ret,
		       struct metric_pair *second)
{
	for (int i = 0; i < MEMORIES; i++) {
		if (!find(s, node, memories[i].file, memories[i].key[0], ret))
			continue;
		if (!memories[i].key[1])
			return i;
		if (!find(s, node, memories[i].file, memories[i].key[1], second))
			continue;
		ret->before += second->before;
		ret->after += second->after;
		ret->percent = ret->before == 0 ? NAN : 100 * (ret->after - ret->before) / ret->before;
		return i;
	}
	return -1;
}

static void put_memory_metric(struct say *say, int which, const struct metric_pair *first,
			      const struct metric_pair *second)
{
	char name[256];

	if (memories[which].key[1])
		snprintf(name, sizeof(name), "%.*s + %.*s", SLICE_FMT(first->name),
			 SLICE_FMT(second->name));
	else
		snprintf(name, sizeof(name), "%.*s", SLICE_FMT(first->name));
	json_kv_str(&say->json, "memory_metric", name);
}

/* Whether an allocation failed is shown by fallback counters alone. */
static void say_no_fallback(struct say *say, const struct reading_scope *s)
{
	struct metric_pair p;

	if ((s->table || s->results) && !scope_find(s, "proc-vmstat.thp_fault_fallback", &p))
		say_f(say, " There is no fallback counter, so nothing says that an allocation "
			   "failed.");
}

static bool lost_of(const struct reading_scope *s, int node)
{
	struct metric_pair huge, memory, second = { 0 };
	struct say say;

	if (!find(s, node, "meminfo", "AnonHugePages", &huge) &&
	    !find(s, node, "vmstat", "nr_anon_transparent_hugepages", &huge))
		return false;
	int which = find_memory(s, node, &memory, &second);
	if (which < 0 || !(huge.percent <= -10) || !(memory.percent > huge.percent / 4))
		return false;
	begin(&say, s, "huge-lost-memory-kept");
	say_number(&say, "huge_percent", huge.percent);
	say_number(&say, "memory_percent", memory.percent);
	put_memory_metric(&say, which, &memory, &second);
	json_kv_slice(&say.json, "huge_metric", huge.name);
	say_f(&say, "Huge pages were lost, memory was not: ");
	say_slice(&say, huge.name);
	say_f(&say, " ");
	say_percent(&say, huge.percent);
	say_f(&say, ", %s ", memories[which].words);
	say_percent(&say, memory.percent);
	say_f(&say, " (");
	say_count(&say, memory.before);
	say_f(&say, " -> ");
	say_count(&say, memory.after);
	say_f(&say, " %s)", memories[which].unit);
	say_node(&say, node);
	say_f(&say, ".");
	say_no_fallback(&say, s);
	say_end(&say);
	return true;
}

void read_huge_lost(const struct reading_scope *s)
{
	if (lost_of(s, -1))
		return; /* the nodes would say it again */
	for (int node = 0; node < SCOPE_NODES; node++)
		lost_of(s, node);
}

/* ---- faults-explained ---- */

static bool find_faults(const struct reading_scope *s, struct metric_pair *ret)
{
	return scope_find(s, "time.minor_page_faults", ret) ||
	       scope_find_end(s, ".time.minor_page_faults", ret) ||
	       scope_find(s, "proc-vmstat.pgfault", ret);
}

/* kB of a PMD huge page, and pages of the base size it belongs to (4, 8, 16 and 64 kB). */
static const struct {
	double kb;
	unsigned pages;
} huge_sizes[] = {
	{ 2048, 512 }, { 8192, 1024 }, { 32768, 2048 }, { 524288, 8192 }, { 1024, 256 }
};

/*
 * Small pages in a huge page: AnonHugePages over the number of huge pages is
 * its size. 512 (x86, and arm64 with 4 kB pages) where the table does not tell.
 */
static unsigned pages_per_huge(const struct reading_scope *s, bool *assumed)
{
	struct metric_pair kb, pages;

	*assumed = true;
	if (!scope_find(s, "meminfo.AnonHugePages", &kb) ||
	    !scope_find(s, "proc-vmstat.nr_anon_transparent_hugepages", &pages) ||
	    pages.before <= 0)
		return huge_sizes[0].pages;
	for (size_t i = 0; i < sizeof(huge_sizes) / sizeof(huge_sizes[0]); i++)
		if (fabs(kb.before / pages.before / huge_sizes[i].kb - 1) < 0.05) {
			*assumed = false;
			return huge_sizes[i].pages;
		}
	return huge_sizes[0].pages;
}

static void say_faults(struct say *say, const struct metric_pair *faults, double extra, double lost,
		       double ratio, unsigned pages)
{
	say_count(say, extra);
	say_f(say, " more minor faults (");
	say_slice(say, faults->name);
	if (ratio >= 0.5 && ratio <= 1.5) {
		say_f(say, ") are %.0f %% of what ", 100 * ratio);
		say_count(say, lost);
		say_f(say, " lost huge pages cost in small ones (x %u).", pages - 1);
		return;
	}
	say_f(say, ") and ");
	say_count(say, lost);
	say_f(say, " huge pages fewer, which would be ");
	say_count(say, lost * (pages - 1));
	say_f(say, " faults in small ones (x %u).", pages - 1);
}

void read_faults_explained(const struct reading_scope *s)
{
	struct metric_pair faults, huge;
	struct say say;
	bool assumed;

	if (!find_faults(s, &faults) || faults.after <= faults.before)
		return;
	if (!scope_find(s, "proc-vmstat.thp_fault_alloc", &huge) &&
	    !scope_find(s, "proc-vmstat.nr_anon_transparent_hugepages", &huge))
		return;
	if (huge.after >= huge.before)
		return;
	unsigned pages = pages_per_huge(s, &assumed);
	double extra = faults.after - faults.before, lost = huge.before - huge.after;
	double ratio = extra / (lost * (pages - 1));

	begin(&say, s, "faults-explained");
	say_number(&say, "extra_faults", extra);
	say_number(&say, "huge_pages_lost", lost);
	json_kv_u64(&say.json, "pages_per_huge_page", pages);
	json_kv_bool(&say.json, "assumed", assumed);
	say_number(&say, "ratio", ratio);
	json_kv_slice(&say.json, "metric", faults.name);
	json_kv_slice(&say.json, "huge_metric", huge.name);
	say_faults(&say, &faults, extra, lost, ratio, pages);
	say_end(&say);
}

/* ---- splits-per-alloc ---- */

void read_splits(const struct reading_scope *s)
{
	struct metric_pair split, alloc;
	struct say say;

	if (!scope_find(s, "proc-vmstat.thp_split_pmd", &split) ||
	    !scope_find(s, "proc-vmstat.thp_fault_alloc", &alloc) || alloc.before < 100 ||
	    alloc.after < 100)
		return;
	double before = split.before / alloc.before, after = split.after / alloc.after;
	double n = rint(before);
	if (n < 2 || fabs(before - n) > 0.05 || fabs(after - n) > 0.05)
		return;
	begin(&say, s, "splits-per-alloc");
	say_number(&say, "before", before);
	say_number(&say, "after", after);
	say_number(&say, "integer", n);
	say_f(&say, "Each huge page is split ");
	say_count(&say, n);
	say_f(&say, " times, as if ");
	say_count(&say, n);
	say_f(&say,
	      " processes mapped it, on both sides (%.2f and %.2f): fewer huge pages were used, "
	      "not more splitting.",
	      before, after);
	if (alloc.after >= alloc.before) { /* then nothing fell that had to be explained */
		out_reset(&say.text);
		say_f(&say,
		      "Each huge page is split %.0f times on both sides, as if %.0f processes "
		      "mapped it.",
		      n, n);
	}
	say_end(&say);
}

/* ---- demand-not-supply ---- */

static void say_demand(struct say *say, const struct metric_pair *alloc,
		       const struct metric_pair *fallback, bool known, bool rose)
{
	say_f(say, "Fewer faults asked for a huge page (thp_fault_alloc ");
	say_count(say, alloc->before);
	say_f(say, " -> ");
	say_count(say, alloc->after);
	say_f(say, ") and no more of them failed (thp_fault_fallback ");
	say_count(say, fallback->before);
	say_f(say, " -> ");
	say_count(say, fallback->after);
	say_f(say, ")%s", !known ? "." :
			  rose ? "; minor faults rose, so places or policy were lost." :
				 "; minor faults did not rise, so less memory was touched.");
}

void read_demand(const struct reading_scope *s)
{
	struct metric_pair alloc, fallback, collapse, faults = { 0 };
	struct say say;

	if (!scope_find(s, "proc-vmstat.thp_fault_alloc", &alloc) ||
	    !scope_find(s, "proc-vmstat.thp_fault_fallback", &fallback))
		return;
	if (!(alloc.percent <= -5) || fallback.after > fallback.before ||
	    (scope_find(s, "proc-vmstat.thp_collapse_alloc", &collapse) &&
	     collapse.after > collapse.before))
		return;
	bool known = find_faults(s, &faults), rose = known && faults.after > faults.before;

	begin(&say, s, "demand-not-supply");
	say_number(&say, "alloc_before", alloc.before);
	say_number(&say, "alloc_after", alloc.after);
	say_number(&say, "fallback_before", fallback.before);
	say_number(&say, "fallback_after", fallback.after);
	if (known)
		json_kv_bool(&say.json, "faults_rose", rose);
	else
		json_kv_null(&say.json, "faults_rose");
	say_demand(&say, &alloc, &fallback, known, rose);
	say_end(&say);
}

/* ---- fallback-rate ---- */

static double fallback_share(double alloc, double fallback)
{
	return alloc + fallback < 100 ? NAN : fallback / (alloc + fallback);
}

static void say_share(struct say *say, double share)
{
	if (isnan(share)) {
		say_f(say, "unknown (below 100)");
		return;
	}
	say_need(say, 100 * share);
	say_f(say, "%.1f %%", 100 * share);
}

void read_fallback_rate(const struct reading_scope *s)
{
	struct metric_pair alloc, fallback;
	struct say say;

	if (!scope_find(s, "proc-vmstat.thp_fault_alloc", &alloc) ||
	    !scope_find(s, "proc-vmstat.thp_fault_fallback", &fallback))
		return;
	double before = fallback_share(alloc.before, fallback.before);
	double after = fallback_share(alloc.after, fallback.after);
	if (isnan(before) && isnan(after))
		return;
	begin(&say, s, "fallback-rate");
	say_number(&say, "before", before);
	say_number(&say, "after", after);
	say_f(&say, "Of the faults that asked for a huge page ");
	say_share(&say, after);
	say_f(&say, " fell back to small ones, ");
	say_share(&say, before);
	say_f(&say, " before.");
	say_end(&say);
}

/* ---- split-not-freed ---- */

/* Huge pages that exist but are not mapped as such, after; NAN when the input does not say. */
static double held(const struct reading_scope *s)
{
	struct metric_pair pmd, kb, mapped;
	char name[64];

	if (!scope_find(s, "proc-vmstat.nr_anon_transparent_hugepages", &mapped))
		return NAN;
	if (!scope_find(s, "meminfo.AnonHugePages", &kb) || mapped.after <= 0)
		return NAN;
	for (size_t i = 0; i < sizeof(huge_sizes) / sizeof(huge_sizes[0]); i++) {
		if (fabs(kb.after / mapped.after / huge_sizes[i].kb - 1) >= 0.05)
			continue;
		snprintf(name, sizeof(name), "thp.hugepages-%.0fkB.nr_anon", huge_sizes[i].kb);
		return scope_find(s, name, &pmd) ? pmd.after - mapped.after : NAN;
	}
	return NAN;
}

void read_split_not_freed(const struct reading_scope *s)
{
	struct metric_pair deferred, split;
	double pages = NAN;
	struct say say;

	if (scope_find(s, "proc-vmstat.thp_deferred_split_page", &deferred) &&
	    scope_find(s, "proc-vmstat.thp_split_page", &split) && deferred.after > deferred.before)
		pages = deferred.after - deferred.before - (split.after - split.before);
	if (!(pages > 0))
		pages = held(s);
	if (!(pages > 0))
		return;
	begin(&say, s, "split-not-freed");
	say_number(&say, "pages", pages);
	say_count(&say, pages);
	say_f(&say,
	      " huge pages were unmapped in part and not split: unless freed since, all their "
	      "memory is held.");
	say_end(&say);
}
