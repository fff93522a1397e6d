/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* The looks at a live target, from the dearest to the cheapest. */
#include <stdio.h>
#include <time.h>

#include "cmd/watch.h"
#include "model/carry.h"

int64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static const char *file_of(char *buf, size_t size, const struct watching *w, const char *name)
{
	snprintf(buf, size, "proc/%lld/%s", (long long)w->live.pid, name);
	return buf;
}

/* ---- everything ---- */

int look_full(struct watching *w, struct moment *x, struct err *e)
{
	struct load_options o = { .once = true, .all_files = w->want_all };

	load_system(&x->load, w->live.tree, "", o.all_files);
	int64_t begin = cpu_ns();
	if (load_process(&x->load, w->live.tree, w->live.pid, &w->o->common, o, e))
		return -1;
	w->sample.cost_ns =
		cpu_ns() - begin; /* of the target only: the system files hold up nobody */
	x->snap = x->load.snaps[0];
	x->load.n = 0; /* it is the moment's now */
	x->snap.source.time_ns = w->sample.time_ns;
	return 0;
}

/* ---- the page tables ---- */

static int read_maps(struct watching *w, struct smaps *ret, struct err *e)
{
	struct stream *in;
	char path[64];

	if (stream_open(w->live.tree, file_of(path, sizeof(path), w, "maps"), 0, &in, e) != GOT_ALL)
		return -1;
	struct smaps_reader *r = smaps_reader_new(ret, (struct smaps_options){ .live = true });
	int status = load_feed(r, in, e);
	if (!status)
		status = smaps_finish(r, e);
	smaps_reader_free(r);
	stream_close(in);
	return status;
}

static bool is_same(const struct smaps *a, const struct vma *v, const struct smaps *b,
		    const struct vma *w)
{
	return v->start == w->start && v->end == w->end && v->offset == w->offset &&
	       v->inode == w->inode && !memcmp(v->perms, w->perms, 4) &&
	       slice_eq(vma_name(a, v), vma_name(b, w));
}

/*
 * A mapping that is still there keeps what the last full look said of it: the
 * page tables tell only how much of it is resident and huge by now.
 */
static void make_table(const struct smaps *maps, const struct smaps *old, struct smaps *ret)
{
	struct carry c = { .to = ret };
	size_t o = 0;

	names_start(ret);
	for (size_t i = 0; i < maps->n; i++) {
		const struct vma *m = &maps->vma[i];

		while (o < old->n && old->vma[o].start < m->start)
			o++;
		if (o < old->n && is_same(maps, m, old, &old->vma[o]))
			carry_vma(&c, old, o);
		else
			smaps_set(ret, carry_vma(&c, maps, i), SMAPS_Size, vma_size_kb(m));
	}
	carry_end(&c);
	ret->complete = maps->complete;
}

/* Pages of each mapping, in bytes. */
struct count {
	uint64_t present, anon, huge_anon, huge_file;
};

struct counting {
	const struct smaps *s;
	struct count *count;
	size_t at; /* no run lies below this mapping any more */
};

static void count_run(void *ctx, const struct page_run *run)
{
	struct counting *x = ctx;

	if (!(run->is & PAGE_PRESENT) || run->is & PAGE_ZERO)
		return; /* the zero page is in no Rss */
	while (x->at < x->s->n && x->s->vma[x->at].end <= run->start)
		x->at++;
	for (size_t i = x->at; i < x->s->n && x->s->vma[i].start < run->end; i++) {
		const struct vma *v = &x->s->vma[i];
		uint64_t from = run->start > v->start ? run->start : v->start;
		uint64_t n = (run->end < v->end ? run->end : v->end) - from;

		x->count[i].present += n;
		if (!(run->is & PAGE_FILE))
			x->count[i].anon += n;
		if (run->is & PAGE_HUGE)
			*(run->is & PAGE_FILE ? &x->count[i].huge_file : &x->count[i].huge_anon) +=
				n;
	}
}

enum { GAP = 64 * 1024 * 1024 };
static const uint64_t KERNEL_HALF = UINT64_C(1) << 63; /* [vsyscall] lies there */

/* Mappings with little between them are one call. false: not all could be looked at. */
static bool count_all(struct pagemap *p, struct counting *x, int64_t deadline_ns)
{
	const struct smaps *s = x->s;

	for (size_t i = 0; i < s->n && s->vma[i].start < KERNEL_HALF;) {
		size_t n = i + 1;

		while (n < s->n && s->vma[n].start < KERNEL_HALF &&
		       s->vma[n].start - s->vma[n - 1].end <= GAP)
			n++;
		uint64_t end = s->vma[n - 1].end;
		if (pagemap_scan(p, s->vma[i].start, end, deadline_ns, count_run, x) < end)
			return false;
		i = n;
	}
	return true;
}

/* 4 TiB of one mapping and more would not fit: they stay as they were. */
static void set_now(struct vma *v, enum smaps_field f, uint64_t bytes)
{
	if (bytes >> 10 >= SMAPS_WIDE || (vma_has(v, f) && v->value[f] == SMAPS_WIDE))
		return;
	v->present |= PRESENT_BIT(f);
	v->value[f] = (uint32_t)(bytes >> 10);
}

static void set_counts(struct smaps *s, const struct count *count)
{
	/* These are in no Rss, or were not asked for. */
	const uint64_t uncounted = VM_FLAG_BIT(ht) | VM_FLAG_BIT(io) | VM_FLAG_BIT(pf);

	for (size_t i = 0; i < s->n; i++) {
		struct vma *v = &s->vma[i];
		bool shmem = v->class == CLASS_SHMEM;

		if (vma_flag(v, uncounted) || v->start >= KERNEL_HALF)
			continue;
		set_now(v, SMAPS_Rss, count[i].present);
		set_now(v, SMAPS_Anonymous, count[i].anon);
		set_now(v, SMAPS_AnonHugePages, count[i].huge_anon);
		set_now(v, SMAPS_ShmemPmdMapped, shmem ? count[i].huge_file : 0);
		set_now(v, SMAPS_FilePmdMapped, shmem ? 0 : count[i].huge_file);
	}
	smaps_changed(s);
}

static int count_pages(struct watching *w, struct moment *x, struct err *e)
{
	struct smaps *s = &x->snap.smaps;
	struct counting c = { .s = s, .count = mem_array(s->n, sizeof(*c.count)) };
	int64_t room = 2 * w->live.pace.cost_ns[LOOK_FULL] + 1000000;
	struct pagemap *p;
	int status = -1;

	if (pagemap_open(w->live.tree, w->live.pid, &p, e) == GOT_ALL) {
		status = count_all(p, &c, monotonic_ns() + room) ? 0 : -1;
		if (status)
			err_set(e, ERR_LIMIT, "the page tables could not be looked at in time");
		else
			set_counts(s, c.count);
		pagemap_close(p);
	}
	mem_free(c.count);
	return status;
}

int look_scan(struct watching *w, struct moment *x, struct err *e)
{
	const struct snapshot *old = &w->now->snap;
	struct smaps maps = { 0 };
	int status = read_maps(w, &maps, e);

	if (!status) {
		carry_snapshot(&x->snap, old);
		make_table(&maps, &old->smaps, &x->snap.smaps);
		x->snap.source.time_ns = w->sample.time_ns;
		/* The class of shared memory is needed before its pages have a name. */
		struct model m;
		struct model_options o;

		load_model_options(&o, &w->o->common);
		model_init(&m, &x->snap, &o);
		status = count_pages(w, x, e);
		model_free(&m);
	}
	smaps_free(&maps);
	return status;
}

/* ---- sums ---- */

int look_rollup(struct watching *w, struct err *e)
{
	struct arena a = { 0 };
	struct slice text;
	struct smaps s = { 0 };
	char path[64];
	int status = -1;

	file_of(path, sizeof(path), w, "smaps_rollup");
	if (tree_read(w->live.tree, path, SYSTEM_FILE_MAX, &a, &text, e) == GOT_ALL && text.n)
		status = smaps_parse(text, (struct smaps_options){ .live = true }, &s, e);
	if (!status && s.n == 1) {
		w->sample.rollup_known = true;
		w->sample.rollup_rss_kb = vma_value(&s, s.vma, SMAPS_Rss);
		w->sample.rollup_huge_kb = vma_value(&s, s.vma, SMAPS_AnonHugePages) +
					   vma_value(&s, s.vma, SMAPS_ShmemPmdMapped) +
					   vma_value(&s, s.vma, SMAPS_FilePmdMapped);
	}
	smaps_free(&s);
	arena_free(&a);
	return status;
}

void look_counters(struct watching *w)
{
	struct system_info s = { 0 };
	struct arena a = { 0 };
	struct slice text;
	struct err ignored;

	if (tree_read(w->live.tree, "proc/meminfo", SYSTEM_FILE_MAX, &a, &text, &ignored) ==
	    GOT_ALL)
		s.has_meminfo = !meminfo_parse(text, &a, false, &s.meminfo, &ignored);
	if (tree_read(w->live.tree, "proc/vmstat", SYSTEM_FILE_MAX, &a, &text, &ignored) == GOT_ALL)
		s.has_vmstat = !vmstat_parse(text, &a, false, &s.vmstat, &ignored);
	rates_system(&w->rates, &s);
	arena_free(&a);
}

/* ---- slots ---- */

static void strip_run(void *ctx, const struct page_run *run)
{
	enum slot_state s = SLOT_SWAPPED;

	if (run->is & PAGE_ZERO)
		s = SLOT_ZERO;
	else if (run->is & PAGE_PRESENT)
		s = run->is & PAGE_HUGE ? SLOT_HUGE : SLOT_SMALL;
	strip_add(ctx, run->start, run->end, s);
}

void look_strip(struct pagemap *p, const struct model *m, uint32_t i, size_t cells,
		int64_t deadline_ns, struct arena *a, struct strip *ret)
{
	const struct vma *v = &m->smaps->vma[i];
	uint64_t known = v->start;

	strip_start(ret, m, v, cells, a);
	if (p && ret->slots && monotonic_ns() < deadline_ns)
		known = pagemap_scan(p, v->start, v->end, deadline_ns, strip_run, ret);
	if (known > v->start || !ret->slots)
		strip_finish(ret, ret->slots ? known : v->end);
	else
		strip_estimate(ret, m, v);
}
