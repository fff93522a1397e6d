/* SPDX-License-Identifier: MIT */
#include "model/runtime.h"

/* Names that allocators give to their memory (PR_SET_VMA_ANON_NAME, Linux 5.17). */
static const struct {
	const char *prefix;
	enum runtime runtime;
} anon_names[] = {
	{ "[anon: glibc: malloc", RUNTIME_GLIBC }, /* glibc 2.39 with decorate_maps */
	{ "[anon:jemalloc", RUNTIME_JEMALLOC },
	{ "[anon:tcmalloc", RUNTIME_TCMALLOC },
	{ "[anon:mimalloc", RUNTIME_MIMALLOC },
	{ "[anon: Go:", RUNTIME_GO }, /* Go 1.25 */
};

/* Files whose mapping tells what the process runs on, by the last part of the path. */
static const struct {
	const char *prefix;
	enum runtime runtime;
} files[] = {
	{ "libc.so.6", RUNTIME_GLIBC },		 { "libc-2.", RUNTIME_GLIBC },
	{ "libjemalloc.so", RUNTIME_JEMALLOC },	 { "libtcmalloc.so", RUNTIME_TCMALLOC },
	{ "libtcmalloc_", RUNTIME_TCMALLOC },	 { "libmimalloc", RUNTIME_MIMALLOC },
	{ "libjvm.so", RUNTIME_JVM },		 { "postgres", RUNTIME_POSTGRES },
};

#define BIT(r) (1u << RUNTIME_##r)

static struct slice last_part(struct slice path)
{
	size_t i = path.n;

	while (i > 0 && path.p[i - 1] != '/')
		i--;
	return slice_skip(path, i);
}

static unsigned of_file(struct slice path)
{
	struct slice file = last_part(path);

	if (file.n < 2 || (*file.p != 'l' && *file.p != 'p'))
		return 0;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (slice_starts(file, slice_str(files[i].prefix)) &&
		    (files[i].runtime != RUNTIME_POSTGRES || file.n == 8))
			return 1u << files[i].runtime;
	return 0;
}

unsigned runtime_find(const struct model *m)
{
	const struct smaps *s = m->smaps;
	unsigned found = 0;

	for (size_t i = 0; i < s->names_n; i++)
		if (s->names[i].n && *s->names[i].p == '/')
			found |= of_file(s->names[i]);
	if (m->snap->has_process && slice_eq(m->snap->process.comm, SLICE("postgres")))
		found |= BIT(POSTGRES);
	return found;
}

/* ---- one mapping ---- */

static enum runtime of_name(struct slice name)
{
	if (!slice_starts(name, SLICE("[anon:")))
		return RUNTIME_NONE;
	for (size_t i = 0; i < sizeof(anon_names) / sizeof(*anon_names); i++)
		if (slice_starts(name, slice_str(anon_names[i].prefix)))
			return anon_names[i].runtime;
	return RUNTIME_NONE;
}

/* 64-bit Go asks for its heap from here on, where the kernel puts nothing by itself. */
static bool go_address(const struct vma *v)
{
	return v->start >= UINT64_C(0xc000000000) && v->end <= UINT64_C(0xe000000000);
}

/* glibc's arenas: 64 MiB, on a boundary of 64 MiB, the unused end without permissions. */
static bool is_arena(const struct model *m, size_t i)
{
	const uint64_t heap_max = UINT64_C(64) << 20;
	const struct vma *v = &m->smaps->vma[i];

	if (v->start % heap_max || v->end - v->start > heap_max)
		return false;
	if (v->end - v->start == heap_max)
		return true;
	return i + 1 < m->smaps->n && v[1].start == v->end && vma_none(&v[1]) &&
	       v[1].end >= v->start + heap_max;
}

/* A block that malloc maps alone: its pages and up to four for the header and rounding. */
static bool is_block(const struct model *m, const struct vma *v)
{
	uint64_t rest = vma_size_kb(v) % m->pmd_kb;

	return vma_size_kb(v) > m->pmd_kb && rest > 0 && rest <= 4 * model_page_kb(m);
}

static enum runtime of_anon(const struct model *m, size_t i, const struct vma *v)
{
	const unsigned others = BIT(JEMALLOC) | BIT(TCMALLOC) | BIT(MIMALLOC);

	if (go_address(v))
		return RUNTIME_GO;
	if ((m->runtimes & BIT(GLIBC)) && !(m->runtimes & others) &&
	    (vma_is_heap(v) || is_arena(m, i)))
		return RUNTIME_GLIBC;
	if ((m->runtimes & BIT(TCMALLOC)) && vma_is_heap(v)) /* gperftools takes from brk first */
		return RUNTIME_TCMALLOC;
	if (v->name != NAME_NONE)
		return RUNTIME_NONE;
	if (m->runtimes & BIT(JVM))
		return RUNTIME_JVM;
	if (m->runtimes & BIT(JEMALLOC))
		return RUNTIME_JEMALLOC;
	if (m->runtimes & BIT(TCMALLOC))
		return RUNTIME_TCMALLOC;
	if (m->runtimes & BIT(MIMALLOC))
		return RUNTIME_MIMALLOC;
	return (m->runtimes & BIT(GLIBC)) && is_block(m, v) ? RUNTIME_GLIBC : RUNTIME_NONE;
}

enum runtime runtime_of(const struct model *m, size_t i)
{
	const struct vma *v = &m->smaps->vma[i];
	enum runtime r = v->name >= NAME_FIRST_FREE ? of_name(vma_name(m->smaps, v)) : RUNTIME_NONE;

	if (r != RUNTIME_NONE)
		return r;
	if (v->class == CLASS_SHMEM)
		return m->runtimes & BIT(POSTGRES) ? RUNTIME_POSTGRES : RUNTIME_NONE;
	return v->class == CLASS_ANON && vma_rw(v) && !vma_is_stack(m, v) ? of_anon(m, i, v)
									  : RUNTIME_NONE;
}

bool runtime_is_thread_stack(const struct model *m, size_t i)
{
	const struct vma *v = &m->smaps->vma[i];

	/* Memory that asks for huge pages is somebody's own, guard or not. */
	return i > 0 && v->class == CLASS_ANON && vma_rw(v) && !vma_flag(v, VM_FLAG_BIT(hg)) &&
	       v[-1].end == v->start && vma_none(&v[-1]) &&
	       v[-1].end - v[-1].start <= (UINT64_C(1) << 20);
}
