/* SPDX-License-Identifier: MIT */
#include "model/made.h"

#define MIB 1024ull

enum { BOTH = -1, REFUSED = 1, NEVER_HUGE = 2 };
/* The field that tells a mapping's huge pages. */
enum { ANON = SMAPS_AnonHugePages, SHMEM = SMAPS_ShmemPmdMapped, FILES = SMAPS_FilePmdMapped,
       HUGETLB = SMAPS_Shared_Hugetlb };

/* One mapping. Sizes in kB; `from` counts from BASE. */
static const struct made_row {
	uint64_t from, size;
	const char *perms, *name;
	uint32_t minor; /* of the device; 0: no file */
	uint64_t inode;
	const char *flag; /* "hg", "nh" or NULL */
	int huge;         /* enum smaps_field */
	int only;         /* enum made, or BOTH */
	unsigned how;     /* REFUSED: THPeligible is 0 in WORST */
} rows[] = {
	/* The same in both: huge in the one, in small pages in the other. */
	{ 0, 128 * MIB, "rw-p", "", 0, 0, "hg", ANON, BOTH, 0 },
	{ 256 * MIB, 64 * MIB, "rw-s", "/memfd:pool", 1, 7, "hg", SHMEM, BOTH, REFUSED },
	{ 384 * MIB, 64 * MIB, "r--p", "/usr/lib/made.so", 8, 9, "hg", FILES, BOTH, 0 },
	/* Not advised; forbidden. */
	{ 512 * MIB, 64 * MIB, "rw-p", "", 0, 0, NULL, ANON, MADE_WORST, REFUSED },
	{ 640 * MIB, 8 * MIB, "rw-p", "", 0, 0, "nh", ANON, MADE_WORST, REFUSED },
	/* A malloc block and an odd length, off their boundaries; before, the latter lay on one. */
	{ 768 * MIB + 512, 128 * MIB + 4, "rw-p", "", 0, 0, "hg", ANON, MADE_WORST, 0 },
	{ 1024 * MIB, 3 * MIB, "rw-p", "", 0, 0, "hg", ANON, MADE_BEST, 0 },
	{ 1153 * MIB - 512, 3 * MIB, "rw-p", "", 0, 0, "hg", ANON, MADE_WORST, 0 },
	/* Reserved pages, and what is never huge. */
	{ 1280 * MIB, 4 * MIB, "rw-s", "/dev/hugepages/x", 17, 11, "ht", HUGETLB, BOTH,
	  NEVER_HUGE },
	{ 1408 * MIB, 2 * MIB, "r--p", "[vdso]", 0, 0, NULL, ANON, BOTH, NEVER_HUGE | REFUSED },
};
enum { ROWS = sizeof(rows) / sizeof(*rows), PMD_KB = 2048 };
static const uint64_t BASE = UINT64_C(0x7f0000000000);

static void add_row(struct smaps *s, const struct made_row *r, enum made which)
{
	bool hugetlb = r->huge == HUGETLB, possible = !(r->how & NEVER_HUGE);
	uint64_t start = BASE + (r->from << 10);
	uint64_t huge = which == MADE_BEST && possible ? r->size / PMD_KB * PMD_KB : 0;
	struct slice name = slice_str(r->name);
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
	smaps_set(s, v, SMAPS_Anonymous, r->huge == ANON ? r->size : 0);
	smaps_set(s, v, SMAPS_AnonHugePages, 0);
	smaps_set(s, v, SMAPS_ShmemPmdMapped, 0);
	smaps_set(s, v, SMAPS_FilePmdMapped, 0);
	smaps_set(s, v, SMAPS_Swap, 0);
	smaps_set(s, v, (enum smaps_field)r->huge, hugetlb ? r->size : huge);
	smaps_set(s, v, SMAPS_THPeligible,
		  possible && !(which == MADE_WORST && (r->how & REFUSED)));
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
	static const struct slice meminfo = SLICE(
		"MemTotal:       16777216 kB\nAnonHugePages:    131072 kB\n");
	struct system_info *sys = &s->system;

	sys->has_thp = sys->has_vmstat = sys->has_meminfo = true;
	thp_settings_add(&sys->thp, &s->arena, SLICE("enabled"), SLICE("always [madvise] never"));
	thp_settings_add(&sys->thp, &s->arena, SLICE("shmem_enabled"),
			 SLICE("always within_size [advise] never"));
	thp_settings_add(&sys->thp, &s->arena, SLICE("defrag"),
			 which == MADE_BEST ? SLICE("[always] never") : SLICE("always [never]"));
	thp_settings_add(&sys->thp, &s->arena, SLICE("hpage_pmd_size"), SLICE("2097152"));
	if (vmstat_parse(vmstat[which], &s->arena, true, &sys->vmstat, e))
		return -1;
	return meminfo_parse(meminfo, &s->arena, true, &sys->meminfo, e);
}

int made_snapshot(struct snapshot *ret, enum made which, struct err *e)
{
	*ret = (struct snapshot){
		.source = { .kind = KIND_SNAPSHOT, .pid = -1, .time_ns = -1, .complete = true },
		.has_smaps = true
	};
	ret->process.pid = -1;
	ret->process.thp_disabled = -1;
	ret->smaps.complete = true;
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].only == BOTH || rows[i].only == (int)which)
			add_row(&ret->smaps, &rows[i], which);
	return add_system(ret, which, e);
}
