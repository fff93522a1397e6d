/* SPDX-License-Identifier: MIT */
#include "model/blame.h"

#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"

/* One member while its mappings are walked. */
struct walk {
	struct blame *b;
	const struct model *m;
	const struct findings *f;
	struct blame_options o;
	uint32_t member;
	bool several;    /* members */
	bool any_cost;   /* some finding that is shown costs something */
	uint32_t *first; /* per mapping: its first finding + 1; 0: none */
	uint32_t *next;  /* per finding: the next one of the mapping + 1 */
	uint8_t process_cause[FINDING_IDS]; /* of findings about the process; NO_CAUSE: none */
	const struct finding *process_finding[FINDING_IDS]; /* the same; NULL: none */
};

/* ---- what is shown ---- */

static bool worth_showing(const struct finding *f)
{
	return f->certainty != POSSIBLE && f->severity != SEVERITY_INFO;
}

static bool shown(const struct walk *w, const struct finding *f)
{
	if (w->o.all)
		return true;
	return worth_showing(f) && (!w->any_cost || !f->lost_known || f->lost_kb > 0);
}

static void count_hidden(struct walk *w, const struct finding *f)
{
	struct blame *b = w->b;
	size_t before = b->hidden_free + b->hidden_possible + b->hidden_info;

	if (f->severity == SEVERITY_INFO)
		b->hidden_info++;
	else if (f->certainty == POSSIBLE)
		b->hidden_possible++;
	else
		b->hidden_free++;
	b->hidden_vma = before == 0 ? f->vma : -1;
}

/* ---- causes ---- */

static uint8_t cause_of(struct walk *w, const struct finding *f)
{
	struct blame *b = w->b;
	uint8_t advice = (uint8_t)advice_of(w->m, f);
	size_t i = 0;

	while (i < b->causes_n && (b->causes[i].finding != f->id ||
				   b->causes[i].state != f->state || b->causes[i].advice != advice))
		i++;
	if (i < b->causes_n)
		return (uint8_t)i;
	if (i == CAUSES_MAX)
		return NO_CAUSE;
	b->causes = mem_grow(b->causes, &b->causes_cap, i + 1, sizeof(*b->causes));
	b->causes[b->causes_n++] = (struct cause){
		.finding = f->id,
		.state = f->state,
		.advice = advice,
		.severity = f->severity,
		.certainty = f->certainty,
		.m = w->m,
		.worst = f,
		.last_member = UINT32_MAX,
	};
	return (uint8_t)i;
}

static void cause_add(struct walk *w, uint8_t index, const struct finding *f, uint64_t lost_kb)
{
	struct cause *c = &w->b->causes[index];

	if (f->severity < c->severity)
		c->severity = f->severity;
	if (f->certainty < c->certainty)
		c->certainty = f->certainty;
	if (f->lost_kb > c->worst_kb) {
		c->worst = f;
		c->worst_kb = f->lost_kb;
		c->m = w->m;
	}
	c->lost_kb += lost_kb;
	c->mappings += f->vma >= 0;
	c->processes += c->last_member != w->member;
	c->last_member = w->member;
}

/* Of findings that count one loss, the one that says why: a header page is the reason to be
 * misaligned. */
static bool says_more(const struct finding *f, const struct finding *than)
{
	return f->id == FINDING_HEADER_PAGE && than->id != FINDING_HEADER_PAGE;
}

/* The findings of mapping i that are shown, one for each loss. Returns how many. */
static size_t join(const struct walk *w, size_t i, const struct finding *ret[ROW_CAUSES])
{
	size_t n = 0;

	for (uint32_t k = w->first[i]; k; k = w->next[k - 1]) {
		const struct finding *f = &w->f->at[k - 1];
		size_t at = 0;

		if (!shown(w, f))
			continue;
		while (at < n && (f->loss == LOSS_OWN || ret[at]->loss != f->loss))
			at++;
		if (at < n ? says_more(f, ret[at]) : at < ROW_CAUSES)
			ret[at] = f;
		n += at == n && n < ROW_CAUSES;
	}
	return n;
}

/* A loss that the policy takes from all mappings is one finding of the process: which. */
static enum finding_id of_process(const struct walk *w, const struct vma *v, const struct thp *t)
{
	bool nh = vma_flag(v, VM_FLAG_BIT(nh));

	if (!t->known || t->w.policy_loss == 0 || v->class > CLASS_SHMEM)
		return FINDING_IDS;
	if (v->class == CLASS_ANON && w->process_finding[FINDING_OPTED_OUT])
		return FINDING_OPTED_OUT;
	enum finding_id id = v->class == CLASS_SHMEM ? FINDING_SHMEM_POLICY : FINDING_POLICY_OFF;
	return nh || !w->process_finding[id] ? FINDING_IDS : id;
}

/* ---- rows ---- */

/* Of an object that others map too, this process's part. */
static uint64_t part(const struct walk *w, const struct vma *v, uint64_t kb)
{
	uint64_t rss = vma_value(w->m->smaps, v, SMAPS_Rss),
		 pss = vma_value(w->m->smaps, v, SMAPS_Pss);

	if (!w->several || v->class == CLASS_ANON || rss == 0 || !vma_has(v, SMAPS_Pss))
		return kb;
	__extension__ unsigned __int128 product = (unsigned __int128)kb * pss;
	return (uint64_t)((product + rss / 2) / rss);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash_row(const struct blame_row *r)
{
	const struct vma *v = &r->m->smaps->vma[r->vma];
	uint64_t h = mix(v->class, r->shared);

	if (r->shared)
		return mix(mix(mix(h, v->inode), (uint64_t)v->major << 32 | v->minor),
			   strmap_hash(vma_name(r->m->smaps, v)));
	uint32_t causes;
	memcpy(&causes, r->cause, sizeof(causes));
	return mix(mix(mix(h, r->size_kb), r->slots_fit), causes);
}

static bool same_object(const struct blame_row *a, const struct blame_row *b)
{
	const struct vma *x = &a->m->smaps->vma[a->vma], *y = &b->m->smaps->vma[b->vma];

	return x->class == y->class && x->inode == y->inode && x->major == y->major &&
	       x->minor == y->minor && slice_eq(vma_name(a->m->smaps, x), vma_name(b->m->smaps, y));
}

/* `a` is a row of one mapping, `b` may have grown. */
static bool alike(const struct blame_row *a, const struct blame_row *b)
{
	const struct vma *x = &a->m->smaps->vma[a->vma], *y = &b->m->smaps->vma[b->vma];

	if (a->shared != b->shared)
		return false;
	if (a->shared)
		return same_object(a, b);
	return x->class == y->class && a->size_kb * b->mappings == b->size_kb &&
	       a->slots_fit * b->mappings == b->slots_fit && a->known == b->known &&
	       memcmp(a->cause, b->cause, ROW_CAUSES) == 0;
}

static void row_merge(struct blame_row *to, const struct blame_row *r)
{
	to->cost_kb += r->cost_kb;
	to->rss_kb += r->rss_kb;
	to->huge_kb += r->huge_kb;
	to->known |= r->known;
	/* Of a shared object the size is what one process maps. */
	if (!to->shared || to->member == r->member) {
		to->size_kb += r->size_kb;
		to->slots_fit += r->slots_fit;
		to->slots_ideal += r->slots_ideal;
	}
	to->mappings++;
	to->processes += to->last_member != r->member;
	to->last_member = r->member;
	if (to->shared && to->cause[0] == NO_CAUSE)
		memcpy(to->cause, r->cause, ROW_CAUSES);
}

static void rehash(struct blame *b)
{
	size_t cap = b->slots_cap ? 2 * b->slots_cap : 64;

	mem_free(b->slots);
	b->slots = mem_array(cap, sizeof(*b->slots));
	b->slots_cap = cap;
	for (size_t i = 0; i < b->rows_n; i++) {
		/* A row of several hashes as each of them did. */
		struct blame_row one = b->rows[i];

		if (!one.shared) {
			one.size_kb /= one.mappings;
			one.slots_fit /= one.mappings;
		}
		size_t at = hash_row(&one) & (cap - 1);
		while (b->slots[at])
			at = (at + 1) & (cap - 1);
		b->slots[at] = (uint32_t)i + 1;
	}
}

static void row_add(struct blame *b, const struct blame_row *r)
{
	if (2 * (b->rows_n + 1) > b->slots_cap)
		rehash(b);
	size_t at = hash_row(r) & (b->slots_cap - 1);

	b->mappings_shown++;
	for (; b->slots[at]; at = (at + 1) & (b->slots_cap - 1)) {
		struct blame_row *other = &b->rows[b->slots[at] - 1];

		if (alike(r, other)) {
			row_merge(other, r);
			return;
		}
	}
	b->rows = mem_grow(b->rows, &b->rows_cap, b->rows_n + 1, sizeof(*b->rows));
	b->rows[b->rows_n++] = *r;
	b->slots[at] = (uint32_t)b->rows_n;
}

/* ---- one member ---- */

static void chain(struct walk *w)
{
	w->first = mem_array(w->m->smaps->n, sizeof(*w->first));
	w->next = mem_array(w->f->n, sizeof(*w->next));
	/* From the back, so that each chain is in the order of the list. */
	for (size_t i = w->f->n; i-- > 0;) {
		int64_t v = w->f->at[i].vma;

		if (v < 0)
			continue;
		w->next[i] = w->first[v];
		w->first[v] = (uint32_t)i + 1;
	}
}

static void find_process_causes(struct walk *w)
{
	memset(w->process_cause, NO_CAUSE, sizeof(w->process_cause));
	for (size_t i = 0; i < w->f->n; i++) {
		const struct finding *f = &w->f->at[i];

		if (f->vma >= 0 || !shown(w, f))
			continue;
		w->process_cause[f->id] = cause_of(w, f);
		w->process_finding[f->id] = f;
	}
}

/* The causes of mapping i into `cause`; when `add`, they are counted. */
static void causes_of(struct walk *w, size_t i, const struct thp *t, uint8_t cause[ROW_CAUSES],
		      bool add)
{
	const struct vma *v = &w->m->smaps->vma[i];
	const struct finding *found[ROW_CAUSES];
	size_t n = join(w, i, found);
	bool policy = false;

	memset(cause, NO_CAUSE, ROW_CAUSES);
	for (size_t k = 0; k < n; k++) {
		cause[k] = cause_of(w, found[k]);
		policy |= found[k]->loss == LOSS_POLICY;
		if (add && cause[k] != NO_CAUSE)
			cause_add(w, cause[k], found[k], part(w, v, found[k]->lost_kb));
	}
	enum finding_id id = policy || n == ROW_CAUSES ? FINDING_IDS : of_process(w, v, t);
	if (id == FINDING_IDS || w->process_cause[id] == NO_CAUSE)
		return;
	cause[n] = w->process_cause[id];
	if (add)
		cause_add(w, cause[n], w->process_finding[id], part(w, v, t->w.policy_loss));
}

static bool has_row(const struct walk *w, const struct vma *v, const struct thp *t,
		    const uint8_t *cause)
{
	/* Who else maps an object is to be told, also of those to whom it costs nothing. */
	if (cause[0] != NO_CAUSE || (w->several && v->class != CLASS_ANON))
		return true;
	return t->known && waterfall_cost(&t->w) > 0 && (v->class <= CLASS_SHMEM || w->o.all);
}

/* Files count where a finding or the reader asks for them. */
static bool may_have_row(const struct walk *w, size_t i)
{
	unsigned class = w->m->smaps->vma[i].class;

	if (class > CLASS_FILE || !model_keeps(w->m, i))
		return false;
	return class != CLASS_FILE || w->first[i] || w->o.all;
}

/* Rows without a cause go again, when they cost nothing or are of files that nobody asked for. */
static void drop_idle_rows(struct blame *b, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->rows_n; i++) {
		const struct blame_row *r = &b->rows[i];
		bool file = r->m->smaps->vma[r->vma].class == CLASS_FILE;

		if (r->cause[0] == NO_CAUSE && (r->cost_kb == 0 || (file && !all)))
			b->mappings_shown -= b->rows[i].mappings;
		else
			b->rows[kept++] = b->rows[i];
	}
	b->rows_n = kept;
}

static void add_mapping(struct walk *w, size_t i, const struct thp *t, const uint8_t cause[ROW_CAUSES])
{
	const struct vma *v = &w->m->smaps->vma[i];
	struct blame_row r = {
		.m = w->m,
		.vma = (uint32_t)i,
		.mappings = 1,
		.processes = 1,
		.member = w->member,
		.last_member = w->member,
		.shared = w->several && v->class != CLASS_ANON,
		.known = t->known,
		.size_kb = vma_size_kb(v),
		.slots_fit = t->slots_fit,
		.slots_ideal = t->slots_ideal,
		.cost_kb = part(w, v, waterfall_cost(&t->w)),
		.rss_kb = part(w, v, t->w.rss),
		.huge_kb = part(w, v, t->w.huge),
	};

	memcpy(r.cause, cause, ROW_CAUSES);
	row_add(w->b, &r);
}

static void walk_mapping(struct walk *w, size_t i)
{
	const struct vma *v = &w->m->smaps->vma[i];
	uint8_t cause[ROW_CAUSES];
	struct thp t;

	if (!may_have_row(w, i))
		return;
	model_thp(w->m, v, &t);
	causes_of(w, i, &t, cause, true);
	if (has_row(w, v, &t, cause))
		add_mapping(w, i, &t, cause);
}

/* Of one process only what has a finding or a cost; who else maps an object is told in any case. */
static void walk_mappings(struct walk *w)
{
	size_t n = w->several ? w->m->smaps->n : w->f->vmas_n;

	for (size_t k = 0; k < n; k++)
		walk_mapping(w, w->several ? k : w->f->vmas[k]);
}

static void walk_end(struct walk *w)
{
	mem_free(w->first);
	mem_free(w->next);
}

static bool any_cost(const struct blame_member *members, size_t n)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < members[k].findings->n; i++) {
			const struct finding *f = &members[k].findings->at[i];

			if (worth_showing(f) && f->lost_kb > 0)
				return true;
		}
	return false;
}

/* ---- all of them ---- */

void blame_make(struct blame *ret, const struct blame_member *members, size_t n,
		struct blame_options o)
{
	bool cost = any_cost(members, n);

	*ret = (struct blame){ .hidden_vma = -1 };
	for (size_t k = 0; k < n; k++) {
		struct walk w = {
			.b = ret,
			.m = members[k].m,
			.f = members[k].findings,
			.o = o,
			.member = (uint32_t)k,
			.several = n > 1,
			.any_cost = cost,
		};

		for (size_t i = 0; i < w.f->n; i++)
			if (!shown(&w, &w.f->at[i]))
				count_hidden(&w, &w.f->at[i]);
		chain(&w);
		find_process_causes(&w);
		walk_mappings(&w);
		walk_end(&w);
	}
	drop_idle_rows(ret, o.all);
	blame_sort_causes(ret);
}

uint8_t *blame_of_mappings(const struct blame *b, const struct blame_member *member,
			   struct blame_options o)
{
	/* The causes are all there already, so that cause_of() finds and never adds. */
	struct blame found = *b;
	struct walk w = { .b = &found,
			  .m = member->m,
			  .f = member->findings,
			  .o = o,
			  .any_cost = any_cost(member, 1) };
	uint8_t *ret = mem_array(w.m->smaps->n, ROW_CAUSES);
	struct thp t;

	chain(&w);
	find_process_causes(&w);
	for (size_t i = 0; i < w.m->smaps->n; i++) {
		const struct vma *v = &w.m->smaps->vma[i];

		if (v->class > CLASS_FILE || !model_keeps(w.m, i)) {
			memset(ret + i * ROW_CAUSES, NO_CAUSE, ROW_CAUSES);
			continue;
		}
		model_thp(w.m, v, &t);
		causes_of(&w, i, &t, ret + i * ROW_CAUSES, false);
	}
	walk_end(&w);
	return ret;
}

void blame_free(struct blame *b)
{
	mem_free(b->causes);
	mem_free(b->rows);
	mem_free(b->slots);
	*b = (struct blame){ 0 };
}
