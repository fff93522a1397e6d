/* SPDX-License-Identifier: MIT */
#include "report/smaps_text.h"

#include <string.h>

enum { NAME_COLUMN = 73, KEY_WIDTH = 16 };

/* The kernel's own escapes are still in it; a newline comes from a report, and is written as the kernel does. */
static void one_line(struct out *o, struct slice s)
{
	for (struct cut c = slice_cut_line(s); c.head.n || c.ok; c = slice_cut_line(c.tail)) {
		out_put(o, c.head);
		if (c.ok)
			out_str(o, "\\012");
	}
}

static void header(struct out *o, const struct smaps *s, const struct vma *v)
{
	size_t start = o->n;

	out_printf(o, "%08llx-%08llx %.4s %08llx %02x:%02x %llu ", (unsigned long long)v->start,
		   (unsigned long long)v->end, v->perms, (unsigned long long)v->offset, v->major,
		   v->minor, (unsigned long long)v->inode);
	if (v->name != NAME_NONE) {
		out_pad(o, ' ', NAME_COLUMN - (int)(o->n - start));
		one_line(o, vma_name(s, v));
	}
	out_byte(o, '\n');
}

static void field(struct out *o, struct slice key, uint64_t value, bool kb)
{
	out_put(o, key);
	out_byte(o, ':');
	out_pad(o, ' ', KEY_WIDTH - 1 - (int)key.n);
	out_printf(o, "%8llu%s\n", (unsigned long long)value, kb ? " kB" : "");
}

static void unknown_fields(struct out *o, const struct smaps *s, size_t i)
{
	size_t n;
	const struct smaps_extra *x = smaps_extras(s, i, &n);

	for (size_t k = 0; k < n; k++)
		if (x[k].key >= EXTRA_KEY)
			field(o, s->unknown_keys[x[k].key - EXTRA_KEY], x[k].value, true);
}

static void flags(struct out *o, const struct smaps *s, size_t i)
{
	const struct vma *v = &s->vma[i];
	size_t n;
	const struct smaps_extra *x = smaps_extras(s, i, &n);

	out_str(o, "VmFlags: ");
	for (uint64_t left = v->flags; left; left &= left - 1)
		out_printf(o, "%.2s ", vm_flags[__builtin_ctzll(left)].code);
	for (size_t k = 0; k < n; k++) {
		char code[sizeof(x->value) + 1] = "";

		if (x[k].key == EXTRA_FLAG) {
			memcpy(code, &x[k].value, sizeof(x->value));
			one_line(o, slice_str(code));
			out_byte(o, ' ');
		}
	}
	out_byte(o, '\n');
}

void smaps_text(struct out *o, const struct smaps *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct vma *v = &s->vma[i];

		header(o, s, v);
		for (int f = 0; f < SMAPS_FIELDS; f++)
			if (vma_has(v, (enum smaps_field)f))
				field(o, slice_str(smaps_fields[f].name),
				      vma_value(s, v, (enum smaps_field)f), smaps_fields[f].kb);
		unknown_fields(o, s, i);
		if (vma_has_flags(v))
			flags(o, s, i);
	}
}
