/* SPDX-License-Identifier: MIT */
#include "model/made.h"

#define MIB 1024ull

enum { BOTH = -1 };

/* One mapping. Sizes in kB; `from` counts from BASE. */
static const struct made_row {
	uint64_t from, size;
	const char *perms, *name;
	uint32_t minor;      /* of the device; 0: no file */
	uint64_t inode;
	const char *flag;    /* "hg", "nh" or NULL */
	enum smaps_field huge; /* the field that tells its huge pages */
	int only;            /* enum made, or BOTH */
	bool refused;        /* WORST: THPeligible 0 */
	bool never_huge;
} rows[] = {
	/* The same in both: huge in the one, in small pages in the other. */
	{ 0, 128 * MIB, "rw-p", "", 0, 0, "hg", SMAPS_AnonHugePages, BOTH, false, false },
	{ 256 * MIB, 64 * MIB, "rw-s", "/memfd:pool", 1, 7, "hg", SMAPS_ShmemPmdMapped, BOTH, true, false },
	{ 384 * MIB, 64 * MIB, "r--p", "/usr/lib/made.so", 8, 9, "hg", SMAPS_FilePmdMapped, BOTH, false, false },
	/* Not advised; forbidden. */
	{ 512 * MIB, 64 * MIB, "rw-p", "", 0, 0, NULL, SMAPS_AnonHugePages, MADE_WORST, true, false },
	{ 640 * MIB, 8 * MIB, "rw-p", "", 0, 0, "nh", SMAPS_AnonHugePages, MADE_WORST, true, false },
	/* A malloc block and an odd length, off their boundaries; before, the latter lay on one. */
	{ 768 * MIB + 512, 128 * MIB + 4, "rw-p", "", 0, 0, "hg", SMAPS_AnonHugePages, MADE_WORST, false, false },
	{ 1024 * MIB, 3 * MIB, "rw-p", "", 0, 0, "hg", SMAPS_AnonHugePages, MADE_BEST, false, false },
	{ 1153 * MIB - 512, 3 * MIB, "rw-p", "", 0, 0, "hg", SMAPS_AnonHugePages, MADE_WORST, false, false },
	/* Reserved pages, and what is never huge. */
	{ 1280 * MIB, 4 * MIB, "rw-s", "/dev/hugepages/made", 17, 11, "ht", SMAPS_Shared_Hugetlb, BOTH, false, true },
	{ 1408 * MIB, 2 * MIB, "r--p", "[vdso]", 0, 0, NULL, SMAPS_AnonHugePages, BOTH, true, true },
};
enum { ROWS = sizeof(rows) / sizeof(*rows), PMD_KB = 2048 };
static const uint64_t BASE = UINT64_C(0x7f0000000000);

static void add_row(struct smaps *s, const struct made_row *r, enum made which)
{
	uint64_t start = BASE + (r->from << 10), huge = which == MADE_BEST && !r->never_huge ? r->size / PMD_KB * PMD_KB : 0;
	struct slice name = slice_str(r->name);
	bool hugetlb = r->huge == SMAPS_Shared_Hugetlb;
	struct vma *v = smaps_add(s);

	v->start = start;
	v->end = start + (r->size << 10);
	memcpy(v->perms, r->perms, sizeof(v->perms));
	v->minor = r->minor;
	v->inode = r->inode;
	v->name = name.n ? smaps_intern(s, name) : 0;
	smaps_set(s, v, SMAPS_Size, r->size);
	smaps_set(s, v, SMAPS_KernelPageSize, hugetlb ? PMD_KB : 4);
	smaps_set(s, v, SMAPS_Rss, hugetlb ? 0 : r->size);
	smaps_set(s, v, SMAPS_Pss, hugetlb ? 0 : r->size);
	smaps_set(s, v, SMAPS_Anonymous, r->huge == SMAPS_AnonHugePages ? r->size : 0);
	smaps_set(s, v, SMAPS_AnonHugePages, 0);
	smaps_set(s, v, SMAPS_ShmemPmdMapped, 0);
	smaps_set(s, v, SMAPS_FilePmdMapped, 0);
	smaps_set(s, v, SMAPS_Swap, 0);
	smaps_set(s, v, r->huge, hugetlb ? r->size : huge);
	smaps_set(s, v, SMAPS_THPeligible, !r->never_huge && !(which == MADE_WORST && r->refused));
	smaps_set_flag(s, v, SLICE("rd"));
	if (r->flag)
		smaps_set_flag(s, v, slice_str(r->flag));
}

/* Huge-page faults that mostly fell back, and a setting that changed. */
static int add_system(struct snapshot *s, enum made which, struct err *e)
{
	static const struct slice vmstat[] = {
		SLICE("thp_fault_alloc 1000\nthp_fault_fallback 0\n"),
		SLICE("thp_fault_alloc 1100\nthp_fault_fallback 900\n"),
	};
	static const struct slice meminfo = SLICE("MemTotal:       16777216 kB\nAnonHugePages:    131072 kB\n");
	struct system_info *sys = &s->system;

	sys->has_thp = sys->has_vmstat = sys->has_meminfo = true;
	thp_settings_add(&sys->thp, &s->arena, SLICE("enabled"), SLICE("always [madvise] never"));
	thp_settings_add(&sys->thp, &s->arena, SLICE("shmem_enabled"), SLICE("always within_size [advise] never"));
	thp_settings_add(&sys->thp, &s->arena, SLICE("defrag"),
			 which == MADE_BEST ? SLICE("[always] never") : SLICE("always [never]"));
	thp_settings_add(&sys->thp, &s->arena, SLICE("hpage_pmd_size"), SLICE("2097152"));
	if (vmstat_parse(vmstat[which], &s->arena, true, &sys->vmstat, e))
		return -1;
	return meminfo_parse(meminfo, &s->arena, true, &sys->meminfo, e);
}

int made_snapshot(struct snapshot *ret, enum made which, struct err *e)
{
	*ret = (struct snapshot){ .source = { .kind = KIND_SNAPSHOT, .pid = -1, .time_ns = -1, .complete = true },
				  .has_smaps = true };
	ret->process.pid = -1;
	ret->process.thp_disabled = -1;
	ret->smaps.complete = true;
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].only == BOTH || rows[i].only == (int)which)
			add_row(&ret->smaps, &rows[i], which);
	return add_system(ret, which, e);
}
