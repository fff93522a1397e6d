/* SPDX-License-Identifier: MIT */
/* The table of mappings: names interned, 32-bit values, the few others beside. */
#include "parse/smaps_table.h"

#include <string.h>

#include "base/num.h"

const struct smaps_field_info smaps_fields[SMAPS_FIELDS] = {
#define KB   true
#define NONE false
#define SMAPS_FIELD(name, since, unit, meaning) { #name, since, meaning, unit },
#include "parse/smaps_fields.def"
#undef SMAPS_FIELD
#undef KB
#undef NONE
};

const struct vm_flag_info vm_flags[VM_FLAGS] = {
#define VM_FLAG(code, since, meaning) { #code, since, meaning },
#include "parse/vm_flags.def"
#undef VM_FLAG
};

uint8_t vm_flag_index[32 * 32];

static void fill_flag_index(void)
{
	for (unsigned i = 0; i < VM_FLAGS; i++)
		vm_flag_index[vm_flag_place(vm_flags[i].code[0], vm_flags[i].code[1])] = (uint8_t)(i + 1);
}

/* ---- names ---- */

static uint64_t load64(const char *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n < 8 ? n : 8);
	return v;
}

static uint64_t hash(struct slice s)
{
	uint64_t h = s.n * UINT64_C(0x9e3779b97f4a7c15);

	while (s.n >= 8) {
		h = (h ^ load64(s.p, 8)) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
		s.p += 8;
		s.n -= 8;
	}
	if (s.n)
		h = (h ^ load64(s.p, s.n)) * UINT64_C(0xff51afd7ed558ccd);
	return h ^ h >> 29;
}

static void names_rehash(struct names_index *x, const struct smaps *s)
{
	size_t cap = x->cap ? x->cap * 2 : 64;

	mem_free(x->slot);
	x->slot = mem_array(cap, sizeof(*x->slot));
	x->cap = cap;
	for (size_t i = 1; i < s->names_n; i++) {
		size_t at = hash(s->names[i]) & (cap - 1);

		while (x->slot[at])
			at = (at + 1) & (cap - 1);
		x->slot[at] = (uint32_t)i;
	}
}

static const char *const specials[NAME_FIRST_FREE] = {
	[NAME_NONE] = "",	[NAME_HEAP] = "[heap]",		[NAME_STACK] = "[stack]",
	[NAME_VDSO] = "[vdso]", [NAME_VSYSCALL] = "[vsyscall]",
};

static uint32_t name_append(struct smaps *s, struct slice name)
{
	s->names = mem_grow(s->names, &s->names_cap, s->names_n + 1, sizeof(*s->names));
	s->names[s->names_n] = name;
	return (uint32_t)s->names_n++;
}

void names_start(struct smaps *s)
{
	if (s->names_n)
		return;
	for (size_t i = 0; i < NAME_FIRST_FREE; i++)
		name_append(s, slice_str(specials[i]));
	fill_flag_index();
}

uint32_t names_intern(struct names_index *x, struct smaps *s, struct slice name)
{
	if (name.n == 0)
		return NAME_NONE;
	if (slice_eq(name, s->names[x->last]))
		return x->last;
	if (s->names_n * 2 >= x->cap)
		names_rehash(x, s);
	size_t at = hash(name) & (x->cap - 1);
	for (; x->slot[at]; at = (at + 1) & (x->cap - 1))
		if (slice_eq(s->names[x->slot[at]], name))
			return x->last = x->slot[at];
	x->last = x->slot[at] = name_append(s, arena_copy(&s->arena, name));
	return x->last;
}

uint32_t smaps_intern(struct smaps *s, struct slice name)
{
	names_start(s);
	for (size_t i = 0; i < s->names_n; i++)
		if (slice_eq(s->names[i], name))
			return (uint32_t)i;
	return name_append(s, arena_copy(&s->arena, name));
}

/* ---- mappings ---- */

enum {
	LARGE = 1024 * 1024,      /* from here on the table lies in huge pages */
	RECORD_LEAST = 600,       /* bytes of a record of 6.18; older ones are shorter, and doubling helps */
	EXPECT_MAX = 512 << 20,   /* bytes reserved at most on the word of a file's size */
};

/* Moves the table to at least so many bytes of huge pages. */
static void use_large(struct smaps *s, size_t bytes, bool may_fail)
{
	struct vma *p = mem_large(&bytes, may_fail);

	if (!p)
		return;
	if (s->n)
		memcpy(p, s->vma, s->n * sizeof(*s->vma));
	mem_free(s->vma);
	s->vma = p;
	s->cap = bytes / sizeof(*s->vma);
}

void smaps_grow(struct smaps *s)
{
	size_t cap = s->cap ? s->cap * 2 : 16, bytes = cap * sizeof(*s->vma);

	if (bytes < LARGE)
		s->vma = mem_grow(s->vma, &s->cap, cap, sizeof(*s->vma));
	else
		use_large(s, bytes, false);
}

void smaps_expect(struct smaps *s, uint64_t bytes)
{
	uint64_t need = bytes / RECORD_LEAST * sizeof(*s->vma);

	if (need > EXPECT_MAX)
		need = EXPECT_MAX;
	if (need >= LARGE && !s->n)
		use_large(s, need, true);
}

struct vma *smaps_add(struct smaps *s)
{
	names_start(s);
	if (s->n == s->cap)
		smaps_grow(s);
	struct vma *v = &s->vma[s->n++];
	memset(v, 0, sizeof(*v));
	return v;
}

/* ---- devices ---- */

/* Where it stands among the slots, or where there is room for it. There is a free slot. */
static struct dev_slot *dev_find(const struct smaps_all *all, uint32_t major, uint32_t minor)
{
	uint64_t h = ((uint64_t)major << 32 | minor) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (h ^ h >> 32) & (all->tmpfs_cap - 1);

	while (all->tmpfs[at].used && (all->tmpfs[at].major != major || all->tmpfs[at].minor != minor))
		at = (at + 1) & (all->tmpfs_cap - 1);
	return &all->tmpfs[at];
}

bool smaps_tmpfs_has(const struct smaps_all *all, const struct vma *v)
{
	return dev_find(all, v->major, v->minor)->used;
}

static void tmpfs_rehash(struct smaps_all *all)
{
	struct smaps_all old = *all;

	all->tmpfs_cap = old.tmpfs_cap ? old.tmpfs_cap * 2 : 8;
	all->tmpfs = mem_array(all->tmpfs_cap, sizeof(*all->tmpfs));
	for (size_t i = 0; i < old.tmpfs_cap; i++)
		if (old.tmpfs[i].used)
			*dev_find(all, old.tmpfs[i].major, old.tmpfs[i].minor) = old.tmpfs[i];
	mem_free(old.tmpfs);
}

static void add_tmpfs(struct smaps_all *all, const struct vma *v)
{
	if (smaps_on_tmpfs(all, v))
		return;
	if (all->tmpfs_n * 2 >= all->tmpfs_cap)
		tmpfs_rehash(all);
	*dev_find(all, v->major, v->minor) = (struct dev_slot){ v->major, v->minor, true };
	all->tmpfs_n++;
}

/* ---- what all say together ---- */

void smaps_changed(struct smaps *s)
{
	mem_free(s->all.tmpfs);
	s->all = (struct smaps_all){ 0 };
}

static void gather(struct smaps *s, size_t n)
{
	struct smaps_all all = s->all;

	for (; all.n < n; all.n++) {
		const struct vma *v = &s->vma[all.n];
		uint32_t kb = v->value[SMAPS_KernelPageSize];

		if (kb != all.page_kb && (kb == 4 || kb == 8 || kb == 16 || kb == 64) &&
		    (!all.page_kb || kb < all.page_kb))
			all.page_kb = kb;
		all.present |= v->present;
		if (all.size_kb <= UINT64_MAX / 2)
			all.size_kb += vma_size_kb(v);
		all.huge |= vma_value(s, v, SMAPS_AnonHugePages) | vma_value(s, v, SMAPS_ShmemPmdMapped) |
			    vma_value(s, v, SMAPS_FilePmdMapped);
		if (v->value[SMAPS_ShmemPmdMapped])
			add_tmpfs(&all, v);
	}
	s->all = all;
}

void smaps_gather(struct smaps *s)
{
	gather(s, s->n);
}

void smaps_gather_whole(struct smaps *s)
{
	gather(s, s->n ? s->n - 1 : 0);
}

void smaps_add_extra(struct smaps *s, struct vma *v, uint32_t key, uint64_t value)
{
	s->extra = mem_grow(s->extra, &s->extra_cap, s->extra_n + 1, sizeof(*s->extra));
	s->extra[s->extra_n++] = (struct smaps_extra){ (uint32_t)(v - s->vma), key, value };
	v->has_extra = 1;
}

void smaps_set(struct smaps *s, struct vma *v, enum smaps_field f, uint64_t kb)
{
	v->present |= PRESENT_BIT(f);
	v->value[f] = kb < SMAPS_WIDE ? (uint32_t)kb : SMAPS_WIDE;
	if (kb >= SMAPS_WIDE) {
		smaps_add_extra(s, v, f, kb);
		/* Of two numbers up to there 64 bits hold the sum. */
		if (smaps_fields[f].kb && s->wide_kb <= SMAPS_SUM_MAX)
			s->wide_kb += kb <= SMAPS_SUM_MAX ? kb : SMAPS_SUM_MAX + 1;
	}
}

const struct smaps_extra *smaps_extras(const struct smaps *s, size_t i, size_t *ret_n)
{
	size_t lo = 0, hi = s->extra_n;

	*ret_n = 0;
	if (!s->vma[i].has_extra)
		return NULL;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->extra[mid].vma < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo + *ret_n < s->extra_n && s->extra[lo + *ret_n].vma == i)
		++*ret_n;
	return s->extra + lo;
}

uint64_t smaps_wide(const struct smaps *s, const struct vma *v, enum smaps_field f)
{
	size_t n;
	const struct smaps_extra *x = smaps_extras(s, (size_t)(v - s->vma), &n);

	for (size_t i = 0; i < n; i++)
		if (x[i].key == f)
			return x[i].value;
	return v->value[f];
}

/* ---- flags and keys ---- */

unsigned vm_flag_of(char a, char b)
{
	bool letters = a >= 'a' && a <= 'z' && b >= 'a' && b <= 'z';

	return letters ? vm_flag_index[vm_flag_place(a, b)] : 0;
}

void smaps_set_flag(struct smaps *s, struct vma *v, struct slice code)
{
	unsigned i = code.n == 2 ? vm_flag_of(code.p[0], code.p[1]) : 0;

	v->present |= UINT32_C(1) << PRESENT_VMFLAGS;
	if (i) {
		v->flags |= UINT64_C(1) << (i - 1);
		return;
	}
	smaps_add_extra(s, v, EXTRA_FLAG, load64(code.p, code.n));
	s->notes[NOTE_UNKNOWN]++;
}

/* Fields of smaps_rollup only (5.10), and one that a manual page shows and no kernel seen prints. */
static bool rare_field(struct slice key)
{
	return slice_starts(key, SLICE("Pss_")) || slice_eq(key, SLICE("ShmemHugePages"));
}

/* Has this mapping, the last one that got any, a number of unknown_keys[i]? From now on it has. */
static bool key_stood(struct smaps *s, const struct vma *v, size_t i)
{
	uint32_t at = (uint32_t)(v - s->vma);
	uint64_t bit = UINT64_C(1) << i % 64;

	if (s->stood_vma != at || !v->has_extra) {
		memset(s->stood, 0, sizeof(s->stood));
		s->stood_vma = at;
	}
	bool stood = s->stood[i / 64] & bit;
	s->stood[i / 64] |= bit;
	return stood;
}

void smaps_set_unknown(struct smaps *s, struct vma *v, struct slice key, uint64_t value)
{
	size_t i = 0;

	s->notes[NOTE_UNKNOWN] += !rare_field(key);
	while (i < s->unknown_keys_n && !slice_eq(s->unknown_keys[i], key))
		i++;
	if (i == UNKNOWN_KEYS_MAX)
		return;
	if (i == s->unknown_keys_n) {
		s->unknown_keys = mem_grow(s->unknown_keys, &s->unknown_keys_cap, i + 1,
					   sizeof(*s->unknown_keys));
		s->unknown_keys[s->unknown_keys_n++] = arena_copy(&s->arena, key);
	}
	if (key_stood(s, v, i))
		return; /* a line that stands twice: the first counts */
	smaps_add_extra(s, v, EXTRA_KEY + (uint32_t)i, value);
}

/*
 * 128 places by length and two letters remember the last field found there;
 * the linear search behind them keeps it right whatever rows are added.
 */
enum smaps_field smaps_field_of(struct slice name)
{
	static uint8_t place[128]; /* 1-based */

	if (name.n == 0)
		return SMAPS_FIELDS;
	unsigned h = ((unsigned)name.n * 7 + (unsigned char)name.p[name.n - 1] * 3 +
		      (unsigned char)name.p[name.n / 2] * 5 + (unsigned char)name.p[0]) & 127;
	unsigned hit = place[h];
	if (hit && slice_eq_str(name, smaps_fields[hit - 1].name))
		return (enum smaps_field)(hit - 1);
	for (unsigned i = 0; i < SMAPS_FIELDS; i++) {
		if (slice_eq_str(name, smaps_fields[i].name)) {
			place[h] = (uint8_t)(i + 1);
			return (enum smaps_field)i;
		}
	}
	return SMAPS_FIELDS;
}

struct slice vma_device(char text[static VMA_DEVICE_BUF], const struct vma *v)
{
	char buf[NUM_BUF];
	size_t n = 0;

	for (int i = 0; i < 2; i++) {
		struct slice s = num_put_hex(buf, i ? v->minor : v->major);

		if (i)
			text[n++] = ':';
		if (s.n < 2)
			text[n++] = '0';
		memcpy(text + n, s.p, s.n);
		n += s.n;
	}
	return slice_of(text, n);
}

void smaps_free(struct smaps *s)
{
	mem_free(s->vma);
	mem_free(s->names);
	mem_free(s->extra);
	mem_free(s->unknown_keys);
	mem_free(s->all.tmpfs);
	arena_free(&s->arena);
	*s = (struct smaps){ 0 };
}
