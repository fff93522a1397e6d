/* SPDX-License-Identifier: MIT */
/*
 * The strict reader for records just as the kernel prints them: the lines of
 * the record before are expected again. Whatever does not fit is left to the
 * tolerant reader, so a surprise costs time and never a wrong number.
 */
#include <string.h>

#include "parse/columns.h"
#include "parse/smaps_table.h"

/* Moves *p behind the digits; returns how many there were. More than 16 overflow: the caller looks. */
static inline unsigned take_hex(const char **p, uint64_t *ret)
{
	const char *q = *p;
	uint64_t v = 0;
	unsigned h;

	while ((h = hex_value[(unsigned char)*q]) != 0) {
		v = v << 4 | (h - 1);
		q++;
	}
	unsigned n = (unsigned)(q - *p);
	*p = q;
	*ret = v;
	return n;
}

/* Bytes of a header in front of the name, at the longest. */
enum { HEADER_MAX = 17 + 17 + 5 + 17 + 9 + 9 + 21 + 8 };
/* No record is longer unless its name is: names reach four times PATH_MAX when escaped. */
enum { RECORD_LONG = 2048 };

/* "08:01 1234 "; NULL when it is not that. */
static const char *fast_object(struct vma *v, const char *p)
{
	uint64_t major, minor, inode = 0;

	v->major = v->minor = 0;
	v->inode = 0;
	if (load8(p) == load8("00:00 0 ")) /* no file, as of half of all mappings */
		return p + 8;
	unsigned n = take_hex(&p, &major);
	if (n < 2 || n > 8 || *p++ != ':')
		return NULL;
	n = take_hex(&p, &minor);
	if (n < 2 || n > 8 || *p++ != ' ')
		return NULL;
	const char *digits = p;
	while (is_digit(*p) && p - digits < 20)
		inode = inode * 10 + (uint64_t)(*p++ - '0');
	if (p == digits || p - digits > 19 || *p++ != ' ')
		return NULL;
	v->major = (uint32_t)major;
	v->minor = (uint32_t)minor;
	v->inode = inode;
	return p;
}

/* "7f…-7f… rw-p 00000000 00:00 0 " up to the name; NULL when it is not just so. */
static const char *fast_numbers(struct vma *v, const char *p)
{
	unsigned n = hex16(p, &v->start);

	p += n;
	if (n < 8 || *p++ != '-')
		return NULL;
	n = hex16(p, &v->end);
	p += n;
	if (n < 8 || *p++ != ' ' || v->end <= v->start)
		return NULL;
	if ((p[0] != 'r' && p[0] != '-') || (p[1] != 'w' && p[1] != '-') ||
	    (p[2] != 'x' && p[2] != '-') || (p[3] != 'p' && p[3] != 's') || p[4] != ' ')
		return NULL;
	memcpy(v->perms, p, 4);
	p += 5;
	n = hex16(p, &v->offset);
	p += n;
	if (n < 8 || *p++ != ' ')
		return NULL;
	return fast_object(v, p);
}

static const char *fast_header(struct smaps *s, struct names_index *x, struct vma *v, const char *p,
			       const char *end)
{
	if (!(p = fast_numbers(v, p)))
		return NULL;
	if (*p == '\n') {
		v->name = NAME_NONE;
		return p + 1;
	}
	/* The kernel pads with blanks to column 73 (49 on 32-bit kernels). */
	p = skip_blanks(p, end);
	const char *eol = memchr(p, '\n', (size_t)(end - p));
	/* A CR, a NUL or a tab in front came with the transport more often than from a file system. */
	if (!eol || eol == p || *p == '\t' || eol[-1] == '\r' || memchr(p, '\0', (size_t)(eol - p)))
		return NULL;
	v->name = names_intern(x, s, slice_of(p, (size_t)(eol - p)));
	return eol + 1;
}

/* Two letters and a blank. Other bytes from 0x60 to 0x7f pass too: no flag has their place. */
static inline bool pair_of_letters(const char *p)
{
	return (load4(p) & load4("\xe0\xe0\xff")) == load4("``\x20");
}

/* "VmFlags: rd wr mr \n": NULL when it is not that, or has a code that is not known. */
static const char *fast_flags(struct vma *v, const char *p, const char *end)
{
	uint64_t flags = 0;

	if (end - p < 10 || load8(p) != load8("VmFlags:") || p[8] != ' ')
		return NULL;
	p += 9;
	for (; end - p >= 4 && pair_of_letters(p); p += 3) {
		unsigned i = vm_flag_index[vm_flag_place(p[0], p[1])];

		if (!i)
			return NULL;
		flags |= UINT64_C(1) << (i - 1);
	}
	if (p >= end || *p != '\n')
		return NULL;
	v->flags = flags;
	return p + 1;
}

static void fast_line(struct vma *v, const struct layout *l, unsigned i, const char *p, struct odd *odd)
{
	const struct layout_line *k = &l->line[i];
	uint64_t bad;

	p += k->at;
	bad = (load8(p) ^ l->key[i][0]) | (load8(p + 8) ^ l->key[i][1]);
	if (k->shape == SHAPE_KB) {
		kb_line(p, &v->value[k->field], odd);
	} else if (k->shape == SHAPE_PLAIN) {
		v->value[k->field] = columns8(p + 16, &bad);
		bad |= (uint64_t)(p[24] ^ '\n');
	} else {
		v->value[k->field] = (uint32_t)(p[16] - '0');
		bad |= is_digit(p[16]) ? (uint64_t)(p[17] ^ '\n') : 1;
	}
	odd->bits |= bad;
}

static void fast_plan(struct vma *v, const struct layout *l, const struct layout_plan *plan, const char *p,
		      struct odd *odd)
{
	for (unsigned i = 0; i < plan->fours; i++) {
		const struct layout_line *k = &l->line[plan->four[i]];
		uint32_t kb[4];

		kb_lines(p + k->at, &l->key[plan->four[i]], kb, odd);
		v->value[k[0].field] = kb[0];
		v->value[k[1].field] = kb[1];
		v->value[k[2].field] = kb[2];
		v->value[k[3].field] = kb[3];
	}
	for (unsigned i = 0; i < plan->ones; i++)
		fast_line(v, l, plan->one[i], p, odd);
}

/*
 * The lines behind the header, as learned; NULL when one is not so, or has
 * more than the whole mapping, which the tolerant reader has to judge.
 * Compares add up in `odd` and are looked at once: few branches depend on the
 * bytes, and those are foreseen. Values that are not read are 0 already.
 */
static const char *fast_lines(const struct layout *l, struct vma *v, const char *p, const char *end)
{
	struct odd odd = odd_none(vma_size_kb(v));

	if (end - p < (ptrdiff_t)l->bytes)
		return NULL;
	fast_plan(v, l, &l->busy, p, &odd);
	if (memcmp(p + l->quiet_at, l->text + l->quiet_at, l->quiet_bytes) != 0)
		fast_plan(v, l, &l->quiet, p, &odd);
	if (odd_any(&odd))
		return NULL;
	return l->flags ? fast_flags(v, p + l->bytes, end) : p + l->bytes;
}

/* Size must follow from the range; what does not is judged by the tolerant reader. */
static bool size_fits(const struct vma *v)
{
	return !vma_has(v, SMAPS_Size) || v->value[SMAPS_Size] == vma_size_kb(v);
}

/* What the header does not fill. */
static void clear_rest(const struct layout *l, struct vma *v)
{
	const size_t half = sizeof(v->value) / 2;

	v->flags = 0;
	v->present = l->present;
	v->class = v->eligible = v->has_extra = v->unused = 0;
	/* In two halves: for more bytes gcc takes an instruction that is slow to start. */
	memset(v->value, 0, half);
	memset((char *)v->value + half, 0, half);
}

void smaps_fast(const struct layout *l, struct smaps *s, struct names_index *x, const char *p,
		const char *end, struct fast_run *run)
{
	run->at = p;
	run->short_of = false;
	while (l->n) {
		if (end - p < HEADER_MAX + (ptrdiff_t)l->bytes) {
			run->short_of = true;
			return;
		}
		if (s->n == s->cap)
			smaps_grow(s);
		struct vma *v = &s->vma[s->n];
		const char *q = fast_header(s, x, v, p, end);

		clear_rest(l, v);
		if (q)
			q = fast_lines(l, v, q, end);
		if (!q || q >= end || !hex_value[(unsigned char)*q] || !size_fits(v)) {
			/* A long name or many flags may have run into the end. */
			run->short_of = end - p < RECORD_LONG;
			return;
		}
		s->n++;
		run->disordered |= v->start < run->max_end;
		if (v->end > run->max_end)
			run->max_end = v->end;
		run->lines += l->n + l->flags + 1;
		run->at = p = q;
	}
}

/* ---- one regular line, for records in an order that changes ---- */

struct padded_key {
	uint64_t key[2];
};

/* "Rss:            " of every kB field, and places by a hash of it (1-based). */
static struct padded_key padded[SMAPS_FIELDS];
static uint8_t padded_place[256];

static unsigned padded_hash(uint64_t a, uint64_t b)
{
	return (unsigned)(((a ^ b * 3) * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static void fill_padded(void)
{
	for (unsigned i = 0; i < SMAPS_FIELDS; i++) {
		char text[17];

		memset(text, ' ', sizeof(text));
		size_t n = strlen(smaps_fields[i].name);
		memcpy(text, smaps_fields[i].name, n);
		text[n] = ':';
		padded[i].key[0] = load8(text);
		padded[i].key[1] = load8(text + 8);
		if (!smaps_fields[i].kb)
			continue;
		unsigned h = padded_hash(padded[i].key[0], padded[i].key[1]);
		while (padded_place[h])
			h = (h + 1) & 255;
		padded_place[h] = (uint8_t)(i + 1);
	}
}

bool smaps_fast_field(const char *p, unsigned hint, enum smaps_field *ret_field, uint32_t *ret_value)
{
	uint64_t a = load8(p), b = load8(p + 8), bad = 0;

	if (load4(p + 24) != load4(" kB\n"))
		return false;
	if (!padded[0].key[0])
		fill_padded();
	if (hint >= SMAPS_FIELDS || padded[hint].key[0] != a || padded[hint].key[1] != b) {
		unsigned h = padded_hash(a, b), i;

		while ((i = padded_place[h]) != 0 && (padded[i - 1].key[0] != a || padded[i - 1].key[1] != b))
			h = (h + 1) & 255;
		if (!i)
			return false;
		hint = i - 1;
	}
	*ret_field = (enum smaps_field)hint;
	*ret_value = columns8(p + 16, &bad);
	return !bad && smaps_fields[hint].kb;
}

bool layout_learn(struct layout *l, struct slice line, enum smaps_field field, bool is_flags)
{
	if (l->flags || line.n < 9) /* VmFlags is the last line of a record */
		return false;
	if (is_flags) {
		l->flags = line.p[8] == ' ' && line.p[line.n - 1] == ' ';
		l->present |= UINT32_C(1) << PRESENT_VMFLAGS;
		return l->flags;
	}
	bool is_short = line.n == 17 && field == SMAPS_THPeligible;
	if (l->n == LAYOUT_MAX || (!is_short && line.n != (smaps_fields[field].kb ? KB_LINE - 1 : 24)))
		return false;
	l->present |= PRESENT_BIT(field);
	l->key[l->n][0] = load8(line.p);
	l->key[l->n][1] = load8(line.p + 8);
	memcpy(l->text + l->bytes, line.p, line.n);
	l->text[l->bytes + line.n] = '\n';
	l->line[l->n++] = (struct layout_line){
		.shape = is_short ? SHAPE_SHORT : smaps_fields[field].kb ? SHAPE_KB : SHAPE_PLAIN,
		.field = (uint8_t)field,
		.at = (uint16_t)l->bytes,
	};
	l->bytes += (unsigned)line.n + 1;
	return true;
}

/* Lines [i, end), all of kB. The last ones may be read with some in front of them once more. */
static void plan_kb(struct layout_plan *plan, unsigned i, unsigned end)
{
	if (end - i >= 4)
		for (; i < end; i += 4)
			plan->four[plan->fours++] = (uint8_t)(end - i < 4 ? end - 4 : i);
	for (; i < end; i++)
		plan->one[plan->ones++] = (uint8_t)i;
}

/* Adds lines [i, end) to a plan. */
static void plan_lines(struct layout_plan *plan, const struct layout *l, unsigned i, unsigned end)
{
	while (i < end) {
		unsigned kb = i;

		while (kb < end && l->line[kb].shape == SHAPE_KB)
			kb++;
		plan_kb(plan, i, kb);
		for (i = kb; i < end && l->line[i].shape != SHAPE_KB; i++)
			plan->one[plan->ones++] = (uint8_t)i;
	}
}

static bool was_zero(const struct layout *l, unsigned i)
{
	return l->line[i].shape == SHAPE_KB && memcmp(l->text + l->line[i].at + 16, "       0", 8) == 0;
}

void layout_ready(struct layout *l)
{
	unsigned end = l->n, from;

	while (end > 0 && l->line[end - 1].shape != SHAPE_KB)
		end--;
	for (from = end; from > 0 && was_zero(l, from - 1); from--)
		;
	l->busy.fours = l->busy.ones = l->quiet.fours = l->quiet.ones = 0;
	plan_lines(&l->busy, l, 0, from);
	plan_lines(&l->busy, l, end, l->n);
	plan_lines(&l->quiet, l, from, end);
	l->quiet_at = from < end ? l->line[from].at : 0;
	l->quiet_bytes = (end - from) * KB_LINE;
}
