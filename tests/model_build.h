/* SPDX-License-Identifier: MIT */
/* Snapshots made by hand, for tests of the model. */
#ifndef TESTS_MODEL_BUILD_H
#define TESTS_MODEL_BUILD_H

#include "model/findings.h"
#include "model/model.h"

struct mapping {
	uint64_t start, kb;
	const char *perms, *name, *flags; /* flags NULL: no VmFlags line */
	uint32_t rss, huge;
	int eligible;   /* -1: no THPeligible */
	uint64_t offset, inode;
	uint32_t anonymous, shmem, file, page;
};

static inline void build_add(struct snapshot *s, struct mapping m)
{
	uint32_t name = smaps_intern(&s->smaps, slice_str(m.name ? m.name : ""));
	struct vma *v = smaps_add(&s->smaps);

	v->start = m.start;
	v->end = m.start + (m.kb << 10);
	memcpy(v->perms, m.perms ? m.perms : "rw-p", 4);
	v->offset = m.offset;
	v->inode = m.inode;
	v->name = name;
	smaps_set(&s->smaps, v, SMAPS_Size, m.kb);
	smaps_set(&s->smaps, v, SMAPS_KernelPageSize, m.page ? m.page : 4);
	smaps_set(&s->smaps, v, SMAPS_Rss, m.rss);
	smaps_set(&s->smaps, v, SMAPS_Pss, m.rss);
	smaps_set(&s->smaps, v, SMAPS_Anonymous, m.anonymous ? m.anonymous : m.inode ? 0 : m.rss);
	smaps_set(&s->smaps, v, SMAPS_AnonHugePages, m.huge);
	smaps_set(&s->smaps, v, SMAPS_ShmemPmdMapped, m.shmem);
	smaps_set(&s->smaps, v, SMAPS_FilePmdMapped, m.file);
	smaps_set(&s->smaps, v, SMAPS_Swap, 0);
	if (m.eligible >= 0)
		smaps_set(&s->smaps, v, SMAPS_THPeligible, (uint64_t)m.eligible);
	if (m.flags)
		for (struct cut w = slice_cut_word(slice_str(m.flags)); w.ok; w = slice_cut_word(w.tail))
			smaps_set_flag(&s->smaps, v, w.head);
	s->has_smaps = true;
	s->smaps.complete = s->source.complete = true;
}

static inline void build_policy(struct snapshot *s, const char *enabled, const char *shmem)
{
	s->system.has_thp = true;
	thp_settings_add(&s->system.thp, &s->arena, SLICE("enabled"), slice_str(enabled));
	thp_settings_add(&s->system.thp, &s->arena, SLICE("shmem_enabled"), slice_str(shmem));
	thp_settings_add(&s->system.thp, &s->arena, SLICE("hpage_pmd_size"), SLICE("2097152\n"));
}

#define MADVISE_HOST "always [madvise] never\n"
#define ALWAYS_HOST "[always] madvise never\n"
#define NEVER_HOST "always madvise [never]\n"
#define SHMEM_NEVER "always within_size advise [never] deny force\n"
#define SHMEM_ALWAYS "[always] within_size advise never deny force\n"
#define PLAIN "rd wr mr mw me ac"
#define ADVISED "rd wr mr mw me ac hg"
#define NOHUGE "rd wr mr mw me ac nh"
/* An address on a 2 MiB boundary. */
#define AT(mib) (UINT64_C(0x7f0000000000) + ((uint64_t)(mib) << 20))

#endif
