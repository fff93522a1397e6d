/* SPDX-License-Identifier: MIT */
/*
 * The strict reader for records just as the kernel prints them: the lines of
 * the record before are expected again. Whatever does not fit is left to the
 * tolerant reader, so a surprise costs time and never a wrong number.
 */
#include <string.h>

#include "parse/smaps_table.h"

static inline uint64_t load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t load4(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/*
 * Eight columns, right-aligned: blanks, then at least one digit. Sets bits in
 * *bad when they are anything else. Blanks (0x20) lack the bit 0x10 that
 * digits (0x30 to 0x39) have. Three multiplications make the value.
 */
static inline uint32_t columns8(const char *p, uint64_t *bad)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t v = load8(p);
	uint64_t digits = v & ones * 0x10;
	/* No digit at all: a shift of 56 leaves the last byte, a blank, to be found bad. */
	unsigned shift = digits ? (unsigned)__builtin_ctzll(digits) & ~7u : 56;
	uint64_t blanks = (UINT64_C(1) << shift) - 1; /* mask of the leading bytes */

	*bad |= (v ^ ones * 0x20) & blanks;
	v |= ones * 0x10 & blanks; /* blanks become '0' */
	uint64_t d = v ^ ones * 0x30;
	*bad |= (d | (d + ones * 6)) & ones * 0xf0;
	d = d * 10 + (d >> 8);
	d &= UINT64_C(0x00ff00ff00ff00ff);
	d = d * 100 + (d >> 16);
	d &= UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(d * 10000 + (d >> 32));
}
#else
static inline uint32_t columns8(const char *p, uint64_t *bad)
{
	uint32_t v = 0;
	int i = 0;

	while (i < 7 && p[i] == ' ')
		i++;
	for (; i < 8; i++) {
		*bad |= !is_digit(p[i]);
		v = v * 10 + (uint32_t)(p[i] - '0');
	}
	return v;
}
#endif

/* Value of a lower-case hex digit plus 1; 0: it is none. */
static const uint8_t hex_value[256] = {
	['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

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

/* "7f…-7f… rw-p 00000000 00:00 0 " up to the name; NULL when it is not just so. */
static const char *fast_numbers(struct vma *v, const char *p)
{
	uint64_t major, minor, inode = 0;
	unsigned n = take_hex(&p, &v->start);

	if (n < 8 || n > 16 || *p++ != '-')
		return NULL;
	n = take_hex(&p, &v->end);
	if (n < 8 || n > 16 || *p++ != ' ' || v->end <= v->start)
		return NULL;
	if ((p[0] != 'r' && p[0] != '-') || (p[1] != 'w' && p[1] != '-') ||
	    (p[2] != 'x' && p[2] != '-') || (p[3] != 'p' && p[3] != 's') || p[4] != ' ')
		return NULL;
	memcpy(v->perms, p, 4);
	p += 5;
	n = take_hex(&p, &v->offset);
	if (n < 8 || n > 16 || *p++ != ' ')
		return NULL;
	n = take_hex(&p, &major);
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
	while (*p == ' ' && p < end - 1)
		p++;
	const char *eol = memchr(p, '\n', (size_t)(end - p));
	/* A CR, a NUL or a tab in front came with the transport more often than from a file system. */
	if (!eol || eol == p || *p == '\t' || eol[-1] == '\r' || memchr(p, '\0', (size_t)(eol - p)))
		return NULL;
	v->name = names_intern(x, s, slice_of(p, (size_t)(eol - p)));
	return eol + 1;
}

/* "VmFlags: rd wr mr \n": NULL when it is not that, or has a code that is not known. */
static const char *fast_flags(struct vma *v, const char *p, const char *end)
{
	uint64_t flags = 0;

	if (end - p < 10 || load8(p) != load8("VmFlags:") || p[8] != ' ')
		return NULL;
	for (p += 9; end - p > 3 && *p != '\n'; p += 3) {
		unsigned i = vm_flag_of(p[0], p[1]);

		if (!i || p[2] != ' ')
			return NULL;
		flags |= UINT64_C(1) << (i - 1);
	}
	if (p >= end || *p != '\n')
		return NULL;
	v->flags = flags;
	return p + 1;
}

/*
 * The lines behind the header, as learned; NULL at the first that is not so.
 * Compares add up in `bad` and are looked at once: a regular record, that is
 * nearly every one, takes no branch that depends on its bytes.
 */
static const char *fast_lines(const struct layout *l, struct vma *v, const char *p, const char *end)
{
	const struct layout_line *k = l->line, *last = k + l->n;
	const uint32_t kb_tail = load4(" kB\n");
	const uint64_t zero = load8("       0");
	uint64_t bad = 0;
	uint32_t most = 0;

	if (end - p < (ptrdiff_t)l->n * 28)
		return NULL;
	for (; k < last; k++) {
		bad |= (load8(p) ^ k->key[0]) | (load8(p + 8) ^ k->key[1]);
		if (k->shape == SHAPE_KB) {
			/* Half of all values are 0, mostly of the same fields: the branch is foreseen. */
			uint32_t kb = load8(p + 16) == zero ? 0 : columns8(p + 16, &bad);

			v->value[k->field] = kb;
			most = kb > most ? kb : most;
			bad |= load4(p + 24) ^ kb_tail;
			p += 28;
		} else if (k->shape == SHAPE_PLAIN) {
			v->value[k->field] = columns8(p + 16, &bad);
			bad |= (uint64_t)(p[24] ^ '\n');
			p += 25;
		} else {
			v->value[k->field] = (uint32_t)(p[16] - '0');
			bad |= is_digit(p[16]) ? (uint64_t)(p[17] ^ '\n') : 1;
			p += 18;
		}
	}
	if (bad || most > vma_size_kb(v)) /* Size, or what the tolerant reader has to judge */
		return NULL;
	return l->flags ? fast_flags(v, p, end) : p;
}

/* Size must follow from the range; what does not is judged by the tolerant reader. */
static bool size_fits(const struct vma *v)
{
	return !vma_has(v, SMAPS_Size) || v->value[SMAPS_Size] == vma_size_kb(v);
}

void smaps_fast(const struct layout *l, struct smaps *s, struct names_index *x, const char *p,
		const char *end, struct fast_run *run)
{
	run->at = p;
	run->short_of = false;
	while (l->n) {
		if (end - p < HEADER_MAX + (ptrdiff_t)l->n * 28) {
			run->short_of = true;
			return;
		}
		struct vma *v = smaps_add(s);
		const char *q = fast_header(s, x, v, p, end);

		v->present = l->present;
		if (q)
			q = fast_lines(l, v, q, end);
		if (!q || q >= end || !hex_value[(unsigned char)*q] || !size_fits(v)) {
			/* A long name or many flags may have run into the end. */
			run->short_of = end - p < RECORD_LONG;
			s->n--;
			return;
		}
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
	if (l->n == LAYOUT_MAX || (!is_short && line.n != (smaps_fields[field].kb ? 27 : 24)))
		return false;
	l->present |= PRESENT_BIT(field);
	l->line[l->n++] = (struct layout_line){
		.key = { load8(line.p), load8(line.p + 8) },
		.shape = is_short ? SHAPE_SHORT : smaps_fields[field].kb ? SHAPE_KB : SHAPE_PLAIN,
		.field = (uint8_t)field,
	};
	return true;
}
