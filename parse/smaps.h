/* SPDX-License-Identifier: MIT */
/*
 * /proc/PID/smaps and smaps_rollup, of every kernel since 2.6.14 and as
 * people paste it. All sizes in kB (KiB), addresses and offsets in bytes.
 */
#ifndef PARSE_SMAPS_H
#define PARSE_SMAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/source.h"

enum smaps_field {
#define SMAPS_FIELD(name, since, unit, meaning) SMAPS_##name,
#include "parse/smaps_fields.def"
#undef SMAPS_FIELD
	SMAPS_FIELDS
};

enum vm_flag {
#define VM_FLAG(code, since, meaning) VMF_##code,
#include "parse/vm_flags.def"
#undef VM_FLAG
	VM_FLAGS
};
_Static_assert(SMAPS_FIELDS <= 31, "vma.present has a bit for each field and one for VmFlags");
_Static_assert(VM_FLAGS <= 64, "vma.flags has a bit for each flag");

struct smaps_field_info {
	const char *name, *since, *meaning;
	bool kb; /* the kernel prints " kB" behind it */
};
struct vm_flag_info {
	char code[4];
	const char *since, *meaning;
};
extern const struct smaps_field_info smaps_fields[SMAPS_FIELDS];
extern const struct vm_flag_info vm_flags[VM_FLAGS];

#define VM_FLAG_BIT(code)  (UINT64_C(1) << VMF_##code)
#define PRESENT_BIT(field) (UINT32_C(1) << (field))
enum { PRESENT_VMFLAGS = 31 };
/* A value that does not fit 32 bits stands in smaps.extra; this marks it. */
#define SMAPS_WIDE UINT32_MAX
/* No kB value is larger: it would be more than 64 bits of addresses. */
#define SMAPS_KB_MAX (UINT64_C(1) << 54)
/* No other value of a known field is: keys and answers of 0 and 1. */
#define SMAPS_PLAIN_MAX UINT32_MAX
/* Nor may the wide values of a dump together be more than this, so that no sum of them overflows. */
#define SMAPS_SUM_MAX (UINT64_C(1) << 60)

/* One mapping, 160 bytes. */
struct vma {
	uint64_t start, end, offset, inode;
	uint64_t flags;   /* bit n: vm_flags[n]; codes we do not know stand in smaps.extra */
	uint32_t major, minor;
	uint32_t name;    /* index into smaps.names; 0: none */
	uint32_t present; /* bit n: field n was printed; PRESENT_VMFLAGS: VmFlags was */
	char perms[4];
	uint8_t class;    /* enum vma_class, set by the model */
	uint8_t eligible; /* enum eligible, set by the model */
	uint8_t has_extra;
	uint8_t unused;
	uint32_t value[SMAPS_FIELDS]; /* kB; use vma_value() where it may be wide */
};

enum { EXTRA_FLAG = 62, EXTRA_KEY = 64 };
struct smaps_extra {
	uint32_t vma;
	uint32_t key; /* < SMAPS_FIELDS: a wide value; EXTRA_FLAG: an unknown flag; EXTRA_KEY + n: unknown_keys[n] */
	uint64_t value; /* the number; of a flag its letters, first one lowest */
};

struct dev_slot {
	uint32_t major, minor;
	bool used;
};

/* What all mappings say together, by smaps_gather(). */
struct smaps_all {
	size_t n;         /* mappings looked at */
	uint32_t present; /* bits that any has */
	uint32_t page_kb; /* the smallest KernelPageSize that is 4, 8, 16 or 64; 0: none is */
	uint64_t huge;    /* the bits of all that is PMD-mapped, in kB */
	uint64_t size_kb; /* sum of the sizes, which stops growing at half of what fits */
	struct dev_slot *tmpfs; /* devices on which any of it is shmem: open addressing, at most half full */
	size_t tmpfs_n, tmpfs_cap;
};

/* Names that a process has once: a second one is a second process. */
enum name_special { NAME_NONE, NAME_HEAP, NAME_STACK, NAME_VDSO, NAME_VSYSCALL, NAME_FIRST_FREE };

/* A hostile file may invent a key a line: beyond this many they are counted, not kept. */
enum { UNKNOWN_KEYS_MAX = 256 };

struct smaps {
	struct vma *vma;
	size_t n, cap;
	struct slice *names; /* distinct names, raw bytes as printed; the first ones are name_special */
	size_t names_n, names_cap;
	struct smaps_extra *extra; /* ascending by vma */
	size_t extra_n, extra_cap;
	struct slice *unknown_keys;
	size_t unknown_keys_n, unknown_keys_cap;
	uint64_t stood[UNKNOWN_KEYS_MAX / 64]; /* bit n: the mapping below has a number of unknown_keys[n] */
	uint32_t stood_vma;
	struct smaps_all all;
	uint32_t notes[NOTE_COUNT];
	uint64_t wide_kb; /* sum of all wide values, at most SMAPS_SUM_MAX and one more */
	bool complete; /* false: torn by unequal ranges, or a value is larger than its mapping */
	bool rollup;   /* one record, [rollup]; vma[0] holds the sums */
	bool again;    /* not live: its first mapping stands in it again, as no single read gives it */
	struct arena arena; /* bytes of names and keys */
};

static inline bool vma_has(const struct vma *v, enum smaps_field f)
{
	return v->present & PRESENT_BIT(f);
}
static inline bool vma_has_flags(const struct vma *v)
{
	return v->present >> PRESENT_VMFLAGS;
}
static inline bool vma_flag(const struct vma *v, uint64_t bits)
{
	return (v->flags & bits) != 0;
}
static inline uint64_t vma_size_kb(const struct vma *v)
{
	return (v->end - v->start) >> 10;
}
/* O(log n), for the rare values that do not fit 32 bits. */
uint64_t smaps_wide(const struct smaps *s, const struct vma *v, enum smaps_field f);
/* The value in kB, 0 when it was not printed. */
static inline uint64_t vma_value(const struct smaps *s, const struct vma *v, enum smaps_field f)
{
	return v->value[f] == SMAPS_WIDE ? smaps_wide(s, v, f) : v->value[f];
}
/* Entries of `extra` that belong to mapping i. */
const struct smaps_extra *smaps_extras(const struct smaps *s, size_t i, size_t *ret_n);
static inline struct slice vma_name(const struct smaps *s, const struct vma *v)
{
	return s->names[v->name];
}
enum { VMA_DEVICE_BUF = 24 };
/* Its device as the kernel writes it, "08:01": hexadecimal, two digits or more each. */
struct slice vma_device(char text[static VMA_DEVICE_BUF], const struct vma *v);

/* ---- reading ---- */

struct smaps_options {
	bool strict; /* every note but `unknown` is an error */
	bool live;   /* of one process by construction: no test for a second one */
	bool split;  /* a second dump of the same process is one too: stop at it */
	bool slow;   /* only the tolerant reader, for the test that both agree */
};

struct smaps_reader;

/* `into` must be zeroed; it is filled by the calls below and freed by smaps_free() in any case. */
struct smaps_reader *smaps_reader_new(struct smaps *into, struct smaps_options o);
/* Any number of bytes; records and lines may be cut anywhere. */
int smaps_feed(struct smaps_reader *r, struct slice bytes, struct err *e);
/*
 * The end of the input: repairs what is torn and looks for a second process.
 * With ERR_LIMIT as kind, two dumps are in one input and the second begins
 * at line e->line.
 */
int smaps_finish(struct smaps_reader *r, struct err *e);
void smaps_reader_free(struct smaps_reader *r); /* not what it filled */

int smaps_parse(struct slice bytes, struct smaps_options o, struct smaps *ret, struct err *e);
void smaps_free(struct smaps *s);

/* Makes room for an input of so many bytes, when that is known. Never fails. */
void smaps_expect(struct smaps *s, uint64_t bytes);

/*
 * Brings s->all up to the last mapping, which must be whole. The reader does
 * most of it while records are still in the cache; whoever needs s->all calls it.
 */
void smaps_gather(struct smaps *s);
/* Mappings that may have been gathered were changed or taken out: the next smaps_gather() begins anew. */
void smaps_changed(struct smaps *s);
bool smaps_tmpfs_has(const struct smaps_all *all, const struct vma *v); /* tmpfs_n is not 0 */
/* Its device is known to be a tmpfs: huge shared memory is mapped from it. O(1). */
static inline bool smaps_on_tmpfs(const struct smaps_all *all, const struct vma *v)
{
	return all->tmpfs_n && smaps_tmpfs_has(all, v);
}

/* ---- building a table by hand (report JSON, tests) ---- */

/* Appends a zeroed mapping. The pointer is valid until the next call. */
struct vma *smaps_add(struct smaps *s);
uint32_t smaps_intern(struct smaps *s, struct slice name);
void smaps_set(struct smaps *s, struct vma *v, enum smaps_field f, uint64_t kb);
/* A flag by its code; unknown ones are kept too. */
void smaps_set_flag(struct smaps *s, struct vma *v, struct slice code);
void smaps_set_unknown(struct smaps *s, struct vma *v, struct slice key, uint64_t value);
/* Are they permissions, "rw-p"? */
bool smaps_perms(const char p[static 4]);
/* Field by name, or SMAPS_FIELDS. */
enum smaps_field smaps_field_of(struct slice name);

#endif
