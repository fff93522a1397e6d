/* SPDX-License-Identifier: MIT */
/*
 * Lines that a mailer or a terminal has broken, joined where it is sure what
 * belongs together; the rest stays a line of its own and is counted foreign.
 */
#include <string.h>

#include "base/utf8.h"
#include "parse/smaps_line.h"
#include "parse/smaps_reader.h"

static struct vma *current(struct smaps_reader *r)
{
	return &r->s->vma[r->s->n - 1];
}

/* ---- names ---- */

enum {
	TERMINAL = 80,
	NAME_LONGEST = 4 * 4096, /* of PATH_MAX bytes, each escaped */
};

/* With its quote marks or before it was quoted: it ends at the edge of a terminal. */
bool smaps_fills_terminal(struct slice raw, struct slice line)
{
	if (raw.n < TERMINAL || raw.n > 4 * TERMINAL + 64)
		return false;
	raw = slice_rtrim(raw);
	if (utf8_columns(raw) == TERMINAL)
		return true;
	return (line.p != raw.p || line.n != raw.n) && utf8_columns(line) == TERMINAL;
}

/*
 * A terminal cuts at its edge, wherever that is: the rest of the name follows,
 * without a blank between. What people write beside a dump has blanks in it.
 */
static bool fills_up(const struct smaps_reader *r, struct slice name, struct slice line)
{
	return r->name_full && (!memchr(line.p, ' ', line.n) || memchr(name.p, ' ', name.n) ||
				slice_ends(line, SLICE(" (deleted)")));
}

static bool is_deleted(struct slice line)
{
	return slice_eq(slice_trim(line), SLICE("(deleted)"));
}

/* As far as it has been read. */
static struct slice name_so_far(struct smaps_reader *r)
{
	return r->joined_n ? slice_of(r->joined, r->joined_n) : vma_name(r->s, current(r));
}

/* What the kernel names itself; what people write in brackets beside a mapping is no name. */
static bool is_kernel_name(struct slice line)
{
	static const char *const begins[] = {
		"[heap]", "[stack", "[vdso]", "[vvar", "[vsyscall]", "[vectors]", "[uprobes]", "[sigpage]", "[anon",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (slice_starts(line, slice_str(begins[i])))
			return true;
	return false;
}

/* A name that the transport put on the next line. */
static bool continues_name(struct smaps_reader *r, struct slice line)
{
	if (!r->in_record || !r->name_open)
		return false;
	struct slice name = name_so_far(r);
	if (name.n + line.n > NAME_LONGEST)
		return false;
	if (name.n == 0)
		return (*line.p == '/' && !slice_starts(line, SLICE("//"))) || is_kernel_name(line) ||
		       current(r)->inode != 0;
	return *name.p == '[' || is_deleted(line) || fills_up(r, name, line);
}

static void append(struct smaps_reader *r, struct slice text)
{
	r->joined = mem_grow(r->joined, &r->joined_cap, r->joined_n + text.n, 1);
	memcpy(r->joined + r->joined_n, text.p, text.n);
	r->joined_n += text.n;
}

/* It may go on in many lines: it is made a name of the table when it is whole. */
static void add_name(struct smaps_reader *r, struct slice line)
{
	struct slice name = name_so_far(r);
	bool cut = r->name_full && !r->blank_lost && !is_deleted(line);

	if (name.n && !r->joined_n)
		append(r, name);
	if (name.n && !cut)
		append(r, SLICE(" "));
	append(r, line);
}

static void end_name(struct smaps_reader *r)
{
	struct vma *v = current(r);

	v->name = names_intern(&r->names, r->s, slice_of(r->joined, r->joined_n));
	if (v->name && v->name < NAME_FIRST_FREE)
		smaps_remember(&r->special, &r->special_n, &r->special_cap, (uint32_t)(r->s->n - 1), r->header);
	r->joined_n = 0;
}

/* ---- flags ---- */

/* Nothing but flags that are known, behind VmFlags; the first may be the other half of one. */
static bool continues_flags(const struct smaps_reader *r, struct slice line)
{
	struct cut w = slice_cut_word(line);

	if (!r->in_record || !r->flags_open || !w.head.n)
		return false;
	if (r->half_flag) {
		if (w.head.n != 1 || !vm_flag_of(r->half_flag, *w.head.p))
			return false;
		w = slice_cut_word(w.tail);
	}
	for (; w.head.n; w = slice_cut_word(w.tail))
		if (w.head.n != 2 || !vm_flag_of(w.head.p[0], w.head.p[1]))
			return false;
	return true;
}

static void add_flags(struct smaps_reader *r, struct slice line)
{
	struct cut w = slice_cut_word(line);

	if (r->half_flag) {
		char whole[2] = { r->half_flag, *w.head.p };

		smaps_set_flag(r->s, current(r), slice_of(whole, 2));
		w = slice_cut_word(w.tail);
	}
	for (; w.head.n; w = slice_cut_word(w.tail))
		smaps_set_flag(r->s, current(r), w.head);
	r->half_flag = 0;
}

void smaps_end_joined(struct smaps_reader *r)
{
	if (r->joined_n)
		end_name(r);
	if (r->half_flag)
		smaps_set_flag(r->s, current(r), slice_of(&r->half_flag, 1));
	r->half_flag = 0;
}

bool smaps_join(struct smaps_reader *r, struct slice line, bool full)
{
	if (continues_name(r, line)) {
		add_name(r, line);
		r->name_open = r->name_full = full;
		return true;
	}
	if (!continues_flags(r, line))
		return false;
	add_flags(r, line);
	return true;
}
