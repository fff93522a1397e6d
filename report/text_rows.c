/* SPDX-License-Identifier: MIT */
/* Mappings as a table. */
#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "report/report_text.h"

/* One line of the table, as bytes in a buffer that all lines share. */
struct cells {
	const struct model *m;
	uint32_t vma, mappings, processes;
	uint64_t cost, size, rss, huge, fit, ideal;
	bool known;
	bool brief; /* of several causes only the first by its name */
	const uint8_t *cause;
};

enum column {
	COL_COST,
	COL_MAPPING,
	COL_SIZE,
	COL_RSS,
	COL_SLOTS,
	COL_MAPPED_BY,
	COL_WHY,
	COLUMNS
};
static const char *const headers[COLUMNS] = {
	"cost", "mapping", "size", "resident", "huge/fit/max", "mapped by", "why",
};

struct table {
	const struct text_style *st;
	const struct blame *b;
	bool on[COLUMNS];
	int width[COLUMNS];
};

/* ---- what stands in a cell ---- */

static void put_cost(struct out *o, const struct table *t, const struct cells *c)
{
	char buf[STYLE_BUF];

	out_str(o, c->known ? style_size(buf, t->st, c->cost) : "-");
}

/* Small mappings are many and would all be "0.0 MiB". */
static const char *small_size(char *buf, const struct table *t, uint64_t kb)
{
	return kb < 1024 && !t->st->kb ? style_kb(buf, kb) : style_size(buf, t->st, kb);
}

static void put_size(struct out *o, const struct table *t, const struct cells *c)
{
	char buf[STYLE_BUF];

	if (c->mappings > 1 && c->processes == 1)
		out_printf(o, "%" PRIu32 " x ", c->mappings);
	out_str(o, small_size(buf, t, c->processes > 1 ? c->size : c->size / c->mappings));
}

static void put_rss(struct out *o, const struct table *t, const struct cells *c)
{
	char buf[STYLE_BUF];

	out_str(o, c->known ? small_size(buf, t, c->rss) : "-");
}

static void put_slots(struct out *o, const struct table *t, const struct cells *c)
{
	(void)t;
	if (c->m->smaps->vma[c->vma].class > CLASS_FILE) {
		out_byte(o, '-');
		return;
	}
	if (c->known)
		out_u64(o, c->huge / c->m->pmd_kb);
	else
		out_byte(o, '-');
	out_byte(o, '/');
	out_u64(o, c->fit);
	out_byte(o, '/');
	out_u64(o, c->ideal);
}

static void put_mapped_by(struct out *o, const struct table *t, const struct cells *c)
{
	const struct process_info *p = &c->m->snap->process;

	if (c->processes > 1) {
		out_printf(o, "%" PRIu32 " processes", c->processes);
	} else {
		out_safe_cut(o, p->comm, 12, t->st->ascii);
		out_printf(o, " %" PRId64, p->pid);
	}
}

static void put_why(struct out *o, const struct table *t, const struct cells *c)
{
	for (int i = 0; i < ROW_CAUSES && c->cause[i] != NO_CAUSE; i++) {
		if (i)
			out_str(o, ", ");
		out_u64(o, c->cause[i] + 1u);
		/* The numbered line tells the name, too. */
		if (i && c->brief)
			continue;
		out_byte(o, ' ');
		out_str(o, finding_rules[t->b->causes[c->cause[i]].finding].id);
	}
}

static void (*const put_cell[COLUMNS])(struct out *, const struct table *, const struct cells *) = {
	[COL_COST] = put_cost,	 [COL_SIZE] = put_size,		   [COL_RSS] = put_rss,
	[COL_SLOTS] = put_slots, [COL_MAPPED_BY] = put_mapped_by, [COL_WHY] = put_why,
};

/* The kernel's own tmpfs has only deleted files: it tells nothing there. */
static struct slice shown_name(const struct cells *c)
{
	const struct vma *v = &c->m->smaps->vma[c->vma];
	struct slice name = vma_name(c->m->smaps, v), suffix = SLICE(" (deleted)");

	if (v->class == CLASS_SHMEM && slice_ends(name, suffix) &&
	    (slice_starts(name, SLICE("/dev/zero")) || slice_starts(name, SLICE("/memfd:")) ||
	     slice_starts(name, SLICE("/SYSV"))))
		name.n -= suffix.n;
	return name;
}

/* Of a path its last component; of another name some of it will do. */
static int name_least(struct slice name, bool ascii)
{
	enum { SOME = 16 };
	int least = out_path_least(name, ascii);

	return slice_starts(name, SLICE("/")) || least < SOME ? least : SOME;
}

/*
 * Address and permissions, then the name; where there is no room for all, the
 * name goes before the permissions, and of several processes before the address.
 */
static int put_mapping(struct out *o, const struct table *t, const struct cells *c, int width)
{
	const struct vma *v = &c->m->smaps->vma[c->vma];
	struct slice name = shown_name(c);
	char hex[NUM_BUF];
	struct slice address = num_put_hex(hex, v->start);
	int used = 0;

	if (name.n && (width < (int)address.n + 1 + 8 || c->processes > 1))
		return out_path_cut(o, name, width, t->st->ascii);
	out_put(o, address);
	used = (int)address.n;
	if (!name.n || width >= used + 1 + 4 + 1 + name_least(name, t->st->ascii)) {
		if (width < used + 5)
			return used;
		out_byte(o, ' ');
		out_write(o, v->perms, 4);
		used += 5;
	}
	if (!name.n)
		return used;
	out_byte(o, ' ');
	return used + 1 + out_path_cut(o, name, width - used - 1, t->st->ascii);
}

/* ---- widths ---- */

static bool left_aligned(int column)
{
	return column == COL_MAPPING || column == COL_MAPPED_BY || column == COL_WHY;
}

/* What put_mapping() would like to have. */
static int mapping_width(const struct cells *c)
{
	struct slice name = shown_name(c);
	char hex[NUM_BUF];
	int address = (int)num_put_hex(hex, c->m->smaps->vma[c->vma].start).n;

	if (c->processes > 1)
		return (int)name.n;
	return name.n ? address + 1 + 4 + 1 + (int)(name.n < 4096 ? name.n : 4096) : address + 5;
}

static void widen(struct table *t, struct out *text, const struct cells *c)
{
	for (int i = 0; i < COLUMNS; i++) {
		if (!t->on[i] || !put_cell[i])
			continue;
		out_reset(text);
		put_cell[i](text, t, c);
		int columns = utf8_columns(out_slice(text));

		if (columns > t->width[i])
			t->width[i] = columns;
	}
}

static int used_width(const struct table *t)
{
	int used = 2;

	for (int i = 0; i < COLUMNS; i++)
		if (t->on[i] && i != COL_MAPPING)
			used += t->width[i] + (i == COL_WHY ? 2 : 1);
	return used;
}

/* Columns go, least wanted first, until the mapping has room; it takes what is left. */
static void fit(struct table *t)
{
	static const uint8_t dispensable[] = { COL_RSS, COL_SIZE, COL_SLOTS, COL_MAPPED_BY };
	enum { MAPPING_MIN = 12, MAPPING_GOOD = 17 };

	for (int i = 0; i < COLUMNS; i++)
		if (t->on[i] && t->width[i] < (int)strlen(headers[i]))
			t->width[i] = (int)strlen(headers[i]);
	if (t->st->width - used_width(t) < MAPPING_GOOD && t->width[COL_WHY] > 20)
		t->width[COL_WHY] = 20; /* the rest of it runs over */
	for (size_t i = 0; i < sizeof(dispensable); i++)
		if (t->st->width - used_width(t) < MAPPING_MIN)
			t->on[dispensable[i]] = false;
	int room = t->st->width - used_width(t);
	if (room < MAPPING_MIN)
		room = MAPPING_MIN;
	if (t->width[COL_MAPPING] > room)
		t->width[COL_MAPPING] = room;
}

/* ---- lines ---- */

static void put_header(struct out *o, const struct table *t)
{
	style_on(o, t->st, ROLE_DIM);
	out_str(o, "  ");
	for (int i = 0; i < COLUMNS; i++) {
		if (!t->on[i])
			continue;
		if (i > 0)
			out_str(o, i == COL_WHY ? "  " : " ");
		if (i == COL_WHY)
			out_str(o, headers[i]);
		else if (left_aligned(i))
			style_left(o, headers[i], t->width[i]);
		else
			style_right(o, headers[i], t->width[i]);
	}
	style_off(o, t->st, ROLE_DIM);
	out_byte(o, '\n');
}

static void put_line(struct out *o, const struct table *t, struct cells *c, struct out *text)
{
	out_str(o, "  ");
	for (int i = 0; i < COLUMNS; i++) {
		if (!t->on[i])
			continue;
		if (i > 0)
			out_str(o, i == COL_WHY ? "  " : " ");
		if (i == COL_MAPPING) {
			int used = put_mapping(o, t, c, t->width[i]);

			out_pad(o, ' ', t->width[i] - used);
			continue;
		}
		out_reset(text);
		put_cell[i](text, t, c);
		if (i == COL_WHY && (int)text->n > t->width[i]) {
			out_reset(text);
			c->brief = true;
			put_why(text, t, c);
		}
		if (!left_aligned(i))
			out_pad(o, ' ', t->width[i] - (int)text->n);
		out_put(o, out_slice(text));
		if (left_aligned(i) && i != COL_WHY)
			out_pad(o, ' ', t->width[i] - utf8_columns(out_slice(text)));
	}
	/* Nothing behind the last word. */
	while (o->n && o->buf[o->n - 1] == ' ')
		o->n--;
	out_byte(o, '\n');
}

/* ---- rows as blame has joined them ---- */

static struct cells cells_of_row(const struct blame_row *r)
{
	return (struct cells){
		.m = r->m,
		.vma = r->vma,
		.mappings = r->mappings,
		.processes = r->processes,
		.cost = r->cost_kb,
		.size = r->size_kb,
		.rss = r->rss_kb,
		.huge = r->huge_kb,
		.fit = r->slots_fit,
		.ideal = r->slots_ideal,
		.known = r->known,
		.cause = r->cause,
	};
}

static void put_rest(struct out *o, const struct text_style *st, const struct blame *b,
		     const uint32_t *shown, size_t n)
{
	uint64_t mappings = b->mappings_shown, cost = 0;
	char buf[STYLE_BUF];

	if (n == b->rows_n)
		return;
	for (size_t i = 0; i < b->rows_n; i++)
		cost += b->rows[i].cost_kb;
	for (size_t i = 0; i < n; i++) {
		mappings -= b->rows[shown[i]].mappings;
		cost -= b->rows[shown[i]].cost_kb;
	}
	out_printf(o, "  %s in %" PRIu64 " mapping%s more (--top %zu)\n", style_size(buf, st, cost),
		   mappings, mappings == 1 ? "" : "s", b->rows_n);
}

void text_blame_rows(struct out *o, const struct text_style *st, const struct text_row_list *l)
{
	struct table t = { .st = st,
			   .b = l->blame,
			   .on = { [COL_COST] = true,
				   [COL_MAPPING] = true,
				   [COL_SIZE] = true,
				   [COL_SLOTS] = true,
				   [COL_WHY] = true,
				   [COL_MAPPED_BY] = l->several } };
	struct out text;
	uint32_t *order;
	size_t n;

	if (l->blame->rows_n == 0)
		return;
	n = blame_rank(l->blame, l->sort, l->top ? l->top : TEXT_ROWS, &order);
	out_memory(&text);
	for (size_t i = 0; i < n; i++) {
		struct cells c = cells_of_row(&l->blame->rows[order[i]]);
		int wanted = mapping_width(&c);

		if (wanted > t.width[COL_MAPPING])
			t.width[COL_MAPPING] = wanted;
		widen(&t, &text, &c);
	}
	fit(&t);
	put_header(o, &t);
	for (size_t i = 0; i < n; i++) {
		struct cells c = cells_of_row(&l->blame->rows[order[i]]);

		put_line(o, &t, &c, &text);
	}
	put_rest(o, st, l->blame, order, n);
	out_close(&text);
	mem_free(order);
}

/* ---- rows one by one ---- */

static struct cells cells_of_mapping(const struct model *m, uint32_t i, const uint8_t *causes)
{
	const struct vma *v = &m->smaps->vma[i];
	struct thp t;

	model_thp(m, v, &t);
	return (struct cells){
		.m = m,
		.vma = i,
		.mappings = 1,
		.processes = 1,
		.cost = waterfall_cost(&t.w),
		.size = vma_size_kb(v),
		.rss = vma_value(m->smaps, v, SMAPS_Rss),
		.huge = t.w.huge,
		.fit = t.slots_fit,
		.ideal = t.slots_ideal,
		.known = t.known || (v->class > CLASS_FILE && vma_has(v, SMAPS_Rss)),
		.cause = causes + (size_t)i * ROW_CAUSES,
	};
}

/*
 * Widths of a list that may have 65,000 lines: numbers are as wide as the
 * largest, so that it alone is written out.
 */
static void widen_list(struct table *t, struct out *text, const struct model *m,
		       const uint32_t *order, size_t n, const uint8_t *causes)
{
	static const uint8_t none[ROW_CAUSES] = { NO_CAUSE, NO_CAUSE, NO_CAUSE, NO_CAUSE };
	struct cells most = { .m = m, .mappings = 1, .processes = 1, .known = true, .cause = none };
	uint8_t seen[ROW_CAUSES];

	memcpy(seen, none, sizeof(seen));
	for (size_t i = 0; i < n; i++) {
		struct cells c = cells_of_mapping(m, order[i], causes);
		int wanted = mapping_width(&c);

		if (wanted > t->width[COL_MAPPING])
			t->width[COL_MAPPING] = wanted;
		most.cost = c.cost > most.cost ? c.cost : most.cost;
		most.size = c.size > most.size ? c.size : most.size;
		most.rss = c.rss > most.rss ? c.rss : most.rss;
		most.huge = c.huge > most.huge ? c.huge : most.huge;
		most.fit = c.fit > most.fit ? c.fit : most.fit;
		most.ideal = c.ideal > most.ideal ? c.ideal : most.ideal;
		if (memcmp(c.cause, seen, sizeof(seen)) == 0)
			continue;
		memcpy(seen, c.cause, sizeof(seen));
		most.cause = c.cause;
		widen(t, text, &most);
	}
	widen(t, text, &most);
	/* "1,023 kB" is wider than the "1.0 MiB" that may be the largest. */
	for (int i = 0; i < COLUMNS && n; i++)
		if ((i == COL_SIZE || i == COL_RSS) && t->on[i] && t->width[i] < 8)
			t->width[i] = 8;
}

void text_mapping_rows(struct out *o, const struct text_style *st, const struct model *m,
		       const uint32_t *order, size_t n, const uint8_t *causes,
		       const struct blame *b, bool resident)
{
	struct table t = { .st = st,
			   .b = b,
			   .on = { [COL_COST] = true,
				   [COL_MAPPING] = true,
				   [COL_SIZE] = true,
				   [COL_RSS] = resident || st->width >= 100,
				   [COL_SLOTS] = true,
				   [COL_WHY] = b->causes_n > 0 } };
	struct out text;

	out_memory(&text);
	widen_list(&t, &text, m, order, n, causes);
	fit(&t);
	put_header(o, &t);
	for (size_t i = 0; i < n; i++) {
		struct cells c = cells_of_mapping(m, order[i], causes);

		put_line(o, &t, &c, &text);
	}
	out_close(&text);
}
