/* SPDX-License-Identifier: MIT */
#include "model/system_counters.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* Counters in spite of their nr_; since 7.3 also nrswpin, nrswpout, which have none. */
static const char *const nr_counters[] = {
	"nr_dirtied",		"nr_written",
	"nr_vmscan_write",	"nr_vmscan_immediate_reclaim",
	"nr_throttled_written", "nr_foll_pin_acquired",
	"nr_foll_pin_released",
};

/* Gauges that count PMD huge pages. */
static const char *const huge_gauges[] = {
	"nr_anon_transparent_hugepages", /* 2.6.38 */
	"nr_shmem_hugepages",		 /* 4.8 */
	"nr_shmem_pmdmapped",		 /* 4.8 */
	"nr_file_hugepages",		 /* 5.4 */
	"nr_file_pmdmapped",		 /* 5.4 */
};

static bool among(struct slice name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_eq_str(name, list[i]))
			return true;
	return false;
}

bool vmstat_is_gauge(struct slice name)
{
	if (slice_eq(name, SLICE("workingset_nodes")))
		return true;
	return slice_starts(name, SLICE("nr_")) && !slice_starts(name, SLICE("nr_tlb_")) &&
	       !among(name, nr_counters, COUNT(nr_counters));
}

bool thp_file_is_counter(struct slice file)
{
	return slice_eq(file, SLICE("khugepaged/pages_collapsed")) ||
	       slice_eq(file, SLICE("khugepaged/full_scans"));
}

static void add(struct counter_list *l, struct slice name, const char *unit, enum counter_kind kind,
		uint64_t value)
{
	struct counter *c = counters_add(l, name, slice_str(unit), kind);

	c->present = true;
	c->value = (struct dec){ .mantissa = value };
}

static struct slice name_in(struct arena *a, const char *group, struct slice name)
{
	return slice_str(arena_printf(a, "%s.%.*s", group, SLICE_FMT(name)));
}

static void add_meminfo(const struct keyvals *k, const char *group, struct arena *a,
			struct counter_list *ret)
{
	for (size_t i = 0; i < k->n; i++)
		add(ret, name_in(a, group, k->at[i].key), k->at[i].kb ? "kB" : "", COUNTER_GAUGE,
		    k->at[i].value);
}

static void add_vmstat(const struct keyvals *k, const char *group, struct arena *a,
		       struct counter_list *ret)
{
	for (size_t i = 0; i < k->n; i++) {
		struct slice key = k->at[i].key;
		bool huge = among(key, huge_gauges, COUNT(huge_gauges));

		add(ret, name_in(a, group, key), huge ? UNIT_HUGE_PAGES : "",
		    vmstat_is_gauge(key) ? COUNTER_GAUGE : COUNTER_COUNTER, k->at[i].value);
	}
}

static void add_node(const struct node_info *n, struct arena *a, struct counter_list *ret)
{
	const char *node = n->node >= 0 ? arena_printf(a, "node%d", n->node) : "node";

	if (n->has_meminfo)
		add_meminfo(&n->meminfo, arena_printf(a, "%s.meminfo", node), a, ret);
	if (n->has_vmstat)
		add_vmstat(&n->vmstat, arena_printf(a, "%s.vmstat", node), a, ret);
}

static void add_thp(const struct thp_settings *t, struct arena *a, struct counter_list *ret)
{
	for (size_t i = 0; i < t->n; i++)
		if (thp_file_is_counter(t->at[i].file) && t->at[i].number)
			add(ret,
			    name_in(a, "thp.khugepaged",
				    slice_skip(t->at[i].file, sizeof("khugepaged/") - 1)),
			    "", COUNTER_COUNTER, t->at[i].n);
	for (size_t i = 0; i < t->sizes_n; i++) {
		const char *group =
			arena_printf(a, "thp.hugepages-%llukB", (unsigned long long)t->sizes[i].kb);

		for (size_t k = 0; k < t->sizes[i].stats_n; k++) {
			const struct thp_setting *x = &t->sizes[i].stats[k];

			if (x->number)
				add(ret, name_in(a, group, x->file), "",
				    slice_starts(x->file, SLICE("nr_")) ? COUNTER_GAUGE
									: COUNTER_COUNTER,
				    x->n);
		}
	}
}

void system_counters(const struct system_info *s, struct arena *a, struct counter_list *ret)
{
	if (s->has_meminfo)
		add_meminfo(&s->meminfo, "meminfo", a, ret);
	if (s->has_vmstat)
		add_vmstat(&s->vmstat, "vmstat", a, ret);
	for (size_t i = 0; i < s->nodes_n; i++)
		add_node(&s->nodes[i], a, ret);
	if (s->has_thp)
		add_thp(&s->thp, a, ret);
}
