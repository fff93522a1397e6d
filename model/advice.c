/* SPDX-License-Identifier: MIT */
#include "model/advice.h"

#include <string.h>

#include "base/num.h"
#include "model/runtime.h"

const struct advice_rule advice_rules[ADVICE_IDS] = {
	[ADVICE_NONE] = {
		.id = "none",
		.text = "Nothing to change.",
	},
	[ADVICE_ALIGN_START] = {
		.id = "align-start",
		.text = "Align the start to %P: aligned_alloc(%P, size), or map %P more and "
			"use the aligned part.",
	},
	[ADVICE_ROUND_LENGTH] = {
		.id = "round-length",
		.text = "Map a multiple of %P (%L), which Linux 6.7 and later put on a "
			"boundary; or align the start.",
		.many = "Map multiples of %P, which Linux 6.7 and later put on a boundary; or "
			"align the start.",
	},
	[ADVICE_FEWER_BYTES] = {
		.id = "fewer-bytes",
		.text = "Ask malloc for 24 bytes less (%B), or use aligned_alloc(%P, size).",
		.many = "Ask malloc for 24 bytes less than a multiple of %P, or use "
			"aligned_alloc(%P, size).",
	},
	[ADVICE_FEWER_BYTES_EACH] = {
		.id = "fewer-bytes-each",
		.text = "Ask malloc for 24 bytes less than a multiple of %P each time, or use "
			"aligned_alloc(%P, size).",
	},
	[ADVICE_SPARSE_BLOCK] = {
		.id = "sparse-block",
		.text = "Nothing, if it will be used; else MADV_NOHUGEPAGE before the first "
			"touch.",
	},
	[ADVICE_SAME_OFFSET] = {
		.id = "same-offset",
		.text = "Map it where the address and the file offset agree modulo %P.",
	},
	[ADVICE_HEAP_START] = {
		.id = "heap-start",
		.text = "Nothing: no program places this, and it costs one huge page at most.",
	},
	[ADVICE_ONE_PERMISSION] = {
		.id = "one-permission",
		.text = "Give the whole range the same permissions: the kernel joins it again; "
			"then MADV_COLLAPSE (Linux 6.1).",
	},
	[ADVICE_ONE_ADVICE] = {
		.id = "one-advice",
		.text = "Give the whole range the same advice, before the first touch: parts "
			"touched apart stay apart.",
	},
	[ADVICE_MADVISE] = {
		.id = "madvise",
		.text = "madvise(MADV_HUGEPAGE) before the first touch; MADV_COLLAPSE (Linux "
			"6.1) for what is there.",
	},
	[ADVICE_GLIBC] = {
		.id = "glibc",
		.text = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 (glibc 2.35); for blocks below "
			"%P also :glibc.malloc.mmap_threshold=1073741824.",
	},
	[ADVICE_JEMALLOC] = {
		.id = "jemalloc",
		.text = "jemalloc advises all its memory with MALLOC_CONF=thp:always.",
	},
	[ADVICE_TCMALLOC] = {
		.id = "tcmalloc",
		.text = "gperftools' tcmalloc advises nothing: THP = always, or MADV_COLLAPSE "
			"(Linux 6.1) when warm, also from outside by process_madvise().",
	},
	[ADVICE_MIMALLOC] = {
		.id = "mimalloc",
		.text = "mimalloc advises its memory with MIMALLOC_LARGE_OS_PAGES=1 "
			"(MIMALLOC_ALLOW_LARGE_OS_PAGES since 2.1).",
	},
	[ADVICE_GO] = {
		.id = "go",
		.text = "Go advises no heap: THP = always, or MADV_COLLAPSE (Linux 6.1) when "
			"warm, also from outside by process_madvise().",
	},
	[ADVICE_JVM] = {
		.id = "jvm",
		.text = "java -XX:+UseTransparentHugePages advises the heap.",
	},
	[ADVICE_STACK] = {
		.id = "stack",
		.text = "Nothing, for most; a stack that shall be huge: "
			"pthread_attr_setstack() on aligned memory with MADV_HUGEPAGE.",
	},
	[ADVICE_NOHUGEPAGE] = {
		.id = "nohugepage",
		.text = "Drop MADV_NOHUGEPAGE (or MAP_STACK); now: MADV_HUGEPAGE, then "
			"MADV_COLLAPSE (Linux 6.1).",
	},
	[ADVICE_PRCTL] = {
		.id = "prctl",
		.text = "Do not set PR_SET_THP_DISABLE, here or in what starts it: children "
			"and exec keep it.",
	},
	[ADVICE_REFUSED] = {
		.id = "refused",
		.text = "Look for PR_SET_THP_DISABLE in the process and what started it, and "
			"for never in transparent_hugepage/hugepages-*/enabled.",
	},
	[ADVICE_ENABLE] = {
		.id = "enable",
		.text = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, and "
			"MADV_HUGEPAGE where it pays; or always.",
	},
	[ADVICE_SHMEM] = {
		.id = "shmem",
		.text = "MADV_COLLAPSE (Linux 6.1) when filled, whatever the setting; or "
			"shmem_enabled = advise (a tmpfs: mount -o huge=advise) and "
			"MADV_HUGEPAGE.",
	},
	[ADVICE_POSTGRES] = {
		.id = "postgres",
		.text = "huge_pages = on and %N huge pages for it: sysctl vm.nr_hugepages "
			"(postgres -C shared_memory_size_in_huge_pages).",
		.many = "huge_pages = on and vm.nr_hugepages as postgres -C "
			"shared_memory_size_in_huge_pages says.",
	},
	[ADVICE_LATE] = {
		.id = "late",
		.text = "The pages are older than the advice: madvise before the first touch; "
			"now MADV_COLLAPSE (Linux 6.1).",
	},
	[ADVICE_COLLAPSE] = {
		.id = "collapse",
		.text = "MADV_COLLAPSE (Linux 6.1) makes it huge now; khugepaged does in its "
			"own time.",
	},
	[ADVICE_GUARDS] = {
		.id = "guards",
		.text = "Keep guard pages (MADV_GUARD_INSTALL) out of what shall be huge; "
			"after removal MADV_COLLAPSE works.",
	},
};

/* ---- which ---- */

static const enum advice of_runtime[RUNTIME_COUNT] = {
	[RUNTIME_NONE] = ADVICE_MADVISE,      [RUNTIME_GLIBC] = ADVICE_GLIBC,
	[RUNTIME_JEMALLOC] = ADVICE_JEMALLOC, [RUNTIME_TCMALLOC] = ADVICE_TCMALLOC,
	[RUNTIME_MIMALLOC] = ADVICE_MIMALLOC, [RUNTIME_GO] = ADVICE_GO,
	[RUNTIME_JVM] = ADVICE_JVM,	      [RUNTIME_POSTGRES] = ADVICE_MADVISE,
};

static enum advice of_place(const struct model *m, size_t i, const struct vma *v)
{
	if (v->class != CLASS_ANON)
		return ADVICE_SAME_OFFSET;
	if (vma_is_heap(v) || vma_is_stack(m, v))
		return ADVICE_HEAP_START;
	if (runtime_is_thread_stack(m, i))
		return ADVICE_STACK;
	return vma_size_kb(v) % m->pmd_kb ? ADVICE_ROUND_LENGTH : ADVICE_ALIGN_START;
}

static const enum advice of_header[] = {
	[HEADER_FIRST_TOUCH] = ADVICE_SPARSE_BLOCK,
	[HEADER_BLOCKS] = ADVICE_FEWER_BYTES_EACH,
	[HEADER_UNPLACED] = ADVICE_FEWER_BYTES,
	[HEADER_PLACED] = ADVICE_NONE,
};

static const enum advice of_opted[] = {
	[OPTED_NOHUGEPAGE] = ADVICE_NOHUGEPAGE,
	[OPTED_REFUSED] = ADVICE_REFUSED,
	[OPTED_PROCESS] = ADVICE_PRCTL,
	[OPTED_STACK] = ADVICE_STACK,
};

static enum advice of_delivery(const struct model *m, const struct vma *v)
{
	struct thp t;

	if (vma_flag(v, VM_FLAG_BIT(gu)))
		return ADVICE_GUARDS;
	model_thp(m, v, &t);
	return undelivered_is_late(v, &t, m->pmd_kb) ? ADVICE_LATE : ADVICE_COLLAPSE;
}

static enum advice of_shmem(const struct model *m)
{
	for (size_t i = 0; i < m->smaps->n && (m->runtimes >> RUNTIME_POSTGRES & 1); i++)
		if (m->smaps->vma[i].class == CLASS_SHMEM)
			return runtime_of(m, i) == RUNTIME_POSTGRES ? ADVICE_POSTGRES
								    : ADVICE_SHMEM;
	return ADVICE_SHMEM;
}

enum advice advice_of(const struct model *m, const struct finding *f)
{
	size_t i = f->vma < 0 ? 0 : (size_t)f->vma;
	const struct vma *v = f->vma < 0 ? NULL : &m->smaps->vma[i];

	switch ((enum finding_id)f->id) {
	case FINDING_MISALIGNED:
		return of_place(m, i, v);
	case FINDING_HEADER_PAGE:
		return of_header[f->state];
	case FINDING_ODD_LENGTH:
		return ADVICE_ROUND_LENGTH;
	case FINDING_SPLIT_MAPPING:
		return f->state & DIFFERS_ADVICE ? ADVICE_ONE_ADVICE : ADVICE_ONE_PERMISSION;
	case FINDING_NEEDS_ADVICE:
		return of_runtime[runtime_of(m, i)];
	case FINDING_OPTED_OUT:
		return of_opted[f->state];
	case FINDING_POLICY_OFF:
		return ADVICE_ENABLE;
	case FINDING_SHMEM_POLICY:
		return of_shmem(m);
	case FINDING_UNDELIVERED:
		return of_delivery(m, v);
	default:
		return ADVICE_NONE;
	}
}

/* ---- in words ---- */

void say_size(struct out *o, uint64_t kb)
{
	char buf[NUM_BUF];

	if (kb >= 1024 && kb % 512 == 0) {
		out_put(o, num_put_commas(buf, (int64_t)(kb >> 10)));
		out_str(o, kb % 1024 ? ".5 MiB" : " MiB");
	} else {
		out_put(o, num_put_commas(buf, (int64_t)kb));
		out_str(o, " kB");
	}
}

/* glibc: a block of x bytes takes x + 8 rounded up to 16, + 8, in whole pages: 24 bytes less fit.
 */
enum { MALLOC_HEADER = 24 };

static void say_value(char which, const struct model *m, const struct vma *v, struct out *o)
{
	uint64_t p = m->pmd_kb, size = v ? vma_size_kb(v) : 0;
	char buf[NUM_BUF];

	switch (which) {
	case 'P':
		say_size(o, p);
		break;
	case 'B':
		out_put(o, num_put_commas(buf, (int64_t)((size / p * p) << 10) - MALLOC_HEADER));
		break;
	case 'L':
		say_size(o, (size + p - 1) / p * p);
		break;
	case 'N':
		out_put(o, num_put_commas(buf, (int64_t)((size + p - 1) / p)));
		break;
	}
}

void advice_say(enum advice a, const struct model *m, const struct vma *v, struct out *o)
{
	const char *text = !v && advice_rules[a].many ? advice_rules[a].many : advice_rules[a].text;

	for (const char *at; (at = strchr(text, '%')); text = at + 2) {
		out_write(o, text, (size_t)(at - text));
		say_value(at[1], m, v, o);
	}
	out_str(o, text);
}
