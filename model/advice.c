/* SPDX-License-Identifier: MIT */
#include "model/advice.h"

#include "base/num.h"

/* glibc: a block of x bytes maps x + 8 rounded up to 16, + 8, rounded up to a page: 24 bytes less fit. */
enum { MALLOC_HEADER = 24 };

static void header(const struct model *m, const struct finding *f, const struct thp *t, struct out *o)
{
	char buf[NUM_BUF];
	uint64_t bytes = t->slots_ideal * (m->pmd_kb << 10);

	if (f->state == HEADER_PLACED) {
		out_str(o, "Nothing to change.");
		return;
	}
	if (f->state == HEADER_BLOCKS) {
		out_str(o, "Ask malloc for 24 bytes less than a multiple of 2 MiB, or use aligned_alloc(2 MiB, size).");
		return;
	}
	out_printf(o, "Ask malloc for %d bytes less (%.*s), or use aligned_alloc(2 MiB, size).", MALLOC_HEADER,
		   SLICE_FMT(num_put_commas(buf, (int64_t)bytes - MALLOC_HEADER)));
}

static void misaligned(const struct model *m, const struct vma *v, const struct thp *t, struct out *o)
{
	if (v->class != CLASS_ANON)
		out_str(o, "Map it where start and offset agree modulo the PMD size.");
	else if (vma_size_kb(v) % m->pmd_kb)
		out_str(o, "Map a multiple of 2 MiB, or align the start.");
	else
		out_str(o, "Align the start to 2 MiB.");
	(void)t;
}

void advice_for(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
		struct out *o)
{
	switch ((enum finding_id)f->id) {
	case FINDING_MISALIGNED:
		misaligned(m, v, t, o);
		break;
	case FINDING_HEADER_PAGE:
		header(m, f, t, o);
		break;
	default:
		out_str(o, finding_rules[f->id].advice);
		break;
	}
}
