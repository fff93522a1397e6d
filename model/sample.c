/* SPDX-License-Identifier: MIT */
#include "model/sample.h"

#include <math.h>
#include <stdio.h>

const char *const target_names[TARGET_STATES] = { "runs", "zombie", "ended", "denied" };

/* ---- history ---- */

void history_add(struct history *h, struct point p)
{
	h->at[h->next] = p;
	h->next = (h->next + 1) % HISTORY_MAX;
	if (h->n < HISTORY_MAX)
		h->n++;
}

const struct point *history_back(const struct history *h, size_t back)
{
	if (back >= h->n)
		return NULL;
	return &h->at[(h->next + HISTORY_MAX - 1 - back) % HISTORY_MAX];
}

struct point point_of(const struct model *m, const struct sample *s)
{
	const struct fall_total *f = &m->totals.fall[model_headline(m)];
	struct point p = {
		.elapsed_ns = s->elapsed_ns,
		.coverage = f->known ? fall_coverage(&f->w) : NAN,
		.rss_kb = f->w.rss,
		.huge_kb = f->w.huge,
		.estimated = s->look != LOOK_FULL,
	};
	uint64_t ideal = waterfall_ideal(&f->w), all = m->totals.fall[FALL_ALL].w.huge;

	/* The sums of a rollup know no classes: what changed is taken to be of this one. */
	if (s->rollup_known && f->known && ideal) {
		uint64_t others = all - f->w.huge, huge = s->rollup_huge_kb;

		huge = huge > others ? huge - others : 0;
		p.huge_kb = huge;
		p.coverage = huge >= ideal ? 1 : (double)huge / (double)ideal;
	}
	return p;
}

/* ---- counters of the host ---- */

/* What tells of huge pages, or of the lack of them. */
static const char *const interest[] = {
	"vmstat.thp_",
	"vmstat.compact_",
	"vmstat.nr_anon_transparent_hugepages",
	"vmstat.nr_shmem_hugepages",
	"vmstat.nr_shmem_pmdmapped",
	"vmstat.nr_file_hugepages",
	"vmstat.nr_file_pmdmapped",
	"vmstat.nr_free_pages_blocks",
	"vmstat.pgfault",
	"vmstat.pgmajfault",
	"vmstat.pswp",
	"vmstat.pgmigrate_",
	"vmstat.allocstall",
	"vmstat.numa_huge_pte_updates",
	"meminfo.AnonHugePages",
	"meminfo.ShmemHugePages",
	"meminfo.ShmemPmdMapped",
	"meminfo.FileHugePages",
	"meminfo.FilePmdMapped",
	"meminfo.AnonPages",
	"meminfo.MemFree",
	"meminfo.MemAvailable",
	"meminfo.SwapFree",
};

static bool interesting(const char *name)
{
	for (size_t i = 0; i < sizeof(interest) / sizeof(*interest); i++)
		if (slice_starts(slice_str(name), slice_str(interest[i])))
			return true;
	return false;
}

void rates_begin(struct rates *r, int64_t elapsed_ns)
{
	r->step_ns = r->started ? elapsed_ns - r->elapsed_ns : 0;
	r->elapsed_ns = elapsed_ns;
	for (size_t i = 0; i < r->n; i++) {
		r->at[i].present = false;
		r->at[i].reset = false;
		r->at[i].changed = false;
		r->at[i].per_s = NAN;
	}
}

static void add(struct rates *r, struct rate x)
{
	r->at = mem_grow(r->at, &r->cap, r->n + 1, sizeof(*r->at));
	x.name = arena_str(&r->names, slice_str(x.name));
	*strmap_at(&r->index, slice_str(x.name), NULL) = r->n;
	r->at[r->n++] = x;
}

static struct rate first_seen(const char *name, uint64_t value, bool kb)
{
	return (struct rate){ .name = name,
			      .gauge = slice_starts(slice_str(name), SLICE("vmstat.nr_")) ||
				       slice_starts(slice_str(name), SLICE("meminfo.")),
			      .kb = kb,
			      .present = true,
			      .value = value,
			      .first = value,
			      .per_s = NAN,
			      .changed = true };
}

enum { NAME_BUF = 48 }; /* longer than the name of any counter */

/* false: the kernel has none of that name. */
static bool full_name(char buf[static NAME_BUF], const char *family, struct slice key)
{
	int n = snprintf(buf, NAME_BUF, "%s.%.*s", family, SLICE_FMT(key));

	return n >= 0 && n < NAME_BUF;
}

static double per_second(const struct rates *r, double difference)
{
	return r->step_ns > 0 ? difference / ((double)r->step_ns / 1e9) : NAN;
}

void rates_note(struct rates *r, const char *family, struct slice key, uint64_t value, bool kb)
{
	char name[NAME_BUF];

	if (!full_name(name, family, key) || !interesting(name))
		return;
	struct rate *x = (struct rate *)(uintptr_t)rates_find(r, name);
	if (!x) {
		add(r, first_seen(name, value, kb));
		return;
	}
	x->present = true;
	x->changed = value != x->value;
	if (!x->gauge && value < x->value) {
		x->reset = true;
		x->first = value;
	} else {
		x->per_s = per_second(r, (double)value - (double)x->value);
	}
	x->value = value;
}

void rates_system(struct rates *r, const struct system_info *s)
{
	for (size_t i = 0; s->has_vmstat && i < s->vmstat.n; i++)
		rates_note(r, "vmstat", s->vmstat.at[i].key, s->vmstat.at[i].value, false);
	for (size_t i = 0; s->has_meminfo && i < s->meminfo.n; i++)
		rates_note(r, "meminfo", s->meminfo.at[i].key, s->meminfo.at[i].value,
			   s->meminfo.at[i].kb);
}

void rates_end(struct rates *r, bool others_stay)
{
	for (size_t i = 0; others_stay && i < r->n; i++) {
		struct rate *x = &r->at[i];

		if (!x->present) {
			x->present = true;
			x->per_s = r->started ? per_second(r, 0) : NAN;
		}
	}
	r->started = true;
}

const struct rate *rates_find(const struct rates *r, const char *name)
{
	const size_t *at = strmap_find(&r->index, slice_str(name));

	return at ? &r->at[*at] : NULL;
}

const struct rate *rates_of(const struct rates *r, const char *family, struct slice key)
{
	char name[NAME_BUF];

	return full_name(name, family, key) ? rates_find(r, name) : NULL;
}

void rates_copy(struct rates *to, const struct rates *from)
{
	*to = (struct rates){ .elapsed_ns = from->elapsed_ns,
			      .step_ns = from->step_ns,
			      .started = from->started };
	for (size_t i = 0; i < from->n; i++)
		add(to, from->at[i]);
}

void rates_free(struct rates *r)
{
	mem_free(r->at);
	strmap_free(&r->index);
	arena_free(&r->names);
	*r = (struct rates){ 0 };
}

/* ---- changes ---- */

static int64_t rss_of(const struct smaps *s, size_t i)
{
	return (int64_t)vma_value(s, &s->vma[i], SMAPS_Rss);
}

static int64_t huge_of(const struct model *m, size_t i)
{
	return (int64_t)model_huge_kb(m, &m->smaps->vma[i]);
}

/* Mappings of `now` from i on that lie within the old mapping o; at least one. */
static size_t pieces(const struct smaps *now, size_t i, const struct vma *o)
{
	size_t n = 1;

	while (i + n < now->n && now->vma[i + n].start < o->end)
		n++;
	return n;
}

static void compare(const struct model *before, size_t b, const struct model *now, size_t from,
		    size_t n, struct change *c)
{
	c->huge_kb = -huge_of(before, b);
	c->rss_kb = -rss_of(before->smaps, b);
	for (size_t i = from; i < from + n; i++) {
		c->huge_kb += huge_of(now, i);
		c->rss_kb += rss_of(now->smaps, i);
	}
}

static void add_change(struct changes *to, const struct change *c)
{
	to->huge_kb += c->huge_kb;
	to->rss_kb += c->rss_kb;
	to->any |= c->huge_kb || c->rss_kb;
}

static void gone(const struct model *before, size_t b, struct changes *ret)
{
	ret->gone++;
	ret->any = true;
	ret->huge_kb -= huge_of(before, b);
	ret->rss_kb -= rss_of(before->smaps, b);
}

static void appeared(const struct model *now, size_t i, struct changes *ret)
{
	struct change *c = &ret->at[i];

	*c = (struct change){ .huge_kb = huge_of(now, i),
			      .rss_kb = rss_of(now->smaps, i),
			      .appeared = true };
	ret->appeared++;
	ret->any = true;
	add_change(ret, c);
}

void changes_find(const struct model *before, const struct model *now, struct arena *a,
		  struct changes *ret)
{
	size_t b = 0, i = 0, nb = before ? before->smaps->n : 0, nn = now->smaps->n;

	*ret = (struct changes){ .at = arena_array(a, nn, sizeof(*ret->at)) };
	while (before && (b < nb || i < nn)) {
		const struct vma *o = b < nb ? &before->smaps->vma[b] : NULL,
				 *v = i < nn ? &now->smaps->vma[i] : NULL;

		if (!v || (o && o->end <= v->start)) {
			gone(before, b++, ret);
		} else if (!o || v->end <= o->start) {
			appeared(now, i++, ret);
		} else { /* one mapping, perhaps in pieces or merged */
			size_t n = pieces(now->smaps, i, o);

			compare(before, b, now, i, n, &ret->at[i]);
			uint64_t end = now->smaps->vma[i + n - 1].end;
			for (b++; b < nb && before->smaps->vma[b].start < end; b++) {
				ret->at[i].huge_kb -= huge_of(before, b);
				ret->at[i].rss_kb -= rss_of(before->smaps, b);
				ret->any = true;
			}
			ret->any |= n > 1;
			add_change(ret, &ret->at[i]);
			i += n;
		}
	}
}
