/* SPDX-License-Identifier: MIT */
/*
 * The tolerant reader: one line at a time, in the dress that mailers, web
 * pages and editors give it; each departure is counted, what cannot be is an
 * error with its place.
 */
#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "base/out.h"
#include "parse/smaps_line.h"
#include "parse/smaps_reader.h"

static struct vma *current(struct smaps_reader *r)
{
	return &r->s->vma[r->s->n - 1];
}

int smaps_note(struct smaps_reader *r, enum note n, struct slice line, const char *at, struct err *e)
{
	r->s->notes[n]++;
	r->learning = false;
	if (!r->o.strict || n == NOTE_UNKNOWN)
		return 0;
	if (smaps_disorder(r, e)) /* which came before, and is told at the end only */
		return -1;
	return err_at(e, r->line, line, at, "%s (--strict)",
		      n == NOTE_FOREIGN ? "this line is not from smaps" : note_words[n]);
}

void smaps_remember(struct special **list, size_t *n, size_t *cap, uint32_t vma, unsigned long line)
{
	*list = mem_grow(*list, cap, *n + 1, sizeof(**list));
	(*list)[(*n)++] = (struct special){ vma, (uint32_t)line };
}

/* As the kernel prints it: a strict reader has accepted nothing else. */
static struct slice header_text(const struct smaps *s, const struct vma *v, struct out *o)
{
	char device[VMA_DEVICE_BUF];
	struct slice name = vma_name(s, v);

	out_printf(o, "%08" PRIx64 "-%08" PRIx64 " %.4s %08" PRIx64 " %.*s %" PRIu64 " ", v->start, v->end, v->perms,
		   v->offset, SLICE_FMT(vma_device(device, v)), v->inode);
	out_pad(o, ' ', name.n ? 73 - (int)o->n : 0);
	out_put(o, name);
	return out_slice(o);
}

int smaps_disorder(const struct smaps_reader *r, struct err *e)
{
	struct out o;

	if (!r->back_n)
		return 0;
	const struct vma *v = &r->s->vma[r->back[0].vma];
	out_memory(&o);
	struct slice line = header_text(r->s, v, &o);
	err_at(e, r->back[0].line, line, line.p, "%s (--strict)",
	       note_words[v->start < v[-1].start ? NOTE_BACKWARD : NOTE_TORN]);
	out_close(&o);
	return -1;
}

/* ---- one header ---- */

static int take_header(struct smaps_reader *r, struct slice line, bool final, struct err *e)
{
	struct header h;
	const char *at = line.p;
	const char *wrong = header_parse(line, &h, &at);

	if (wrong && final) /* the transport cut it, not the kernel */
		return smaps_note(r, NOTE_CUT, line, line.p, e);
	if (wrong)
		return err_at(e, r->line, line, at, "%s", wrong);
	if (h.tabs && smaps_note(r, NOTE_TABS, line, line.p, e))
		return -1;
	struct vma *v = smaps_add(r->s);
	v->start = h.start;
	v->end = h.end;
	memcpy(v->perms, h.perms, 4);
	v->offset = h.offset;
	v->major = h.major;
	v->minor = h.minor;
	v->inode = h.inode;
	v->name = names_intern(&r->names, r->s, h.name);
	if (slice_eq(h.name, SLICE("[rollup]")))
		r->s->rollup = true;
	if (v->name && v->name < NAME_FIRST_FREE)
		smaps_remember(&r->special, &r->special_n, &r->special_cap, (uint32_t)(r->s->n - 1), r->line);
	r->run.disordered |= v->start < r->run.max_end;
	if (r->s->n > 1 && v->start < v[-1].end)
		smaps_remember(&r->back, &r->back_n, &r->back_cap, (uint32_t)(r->s->n - 1), r->line);
	if (v->end > r->run.max_end)
		r->run.max_end = v->end;
	r->header = r->line;
	r->in_record = true;
	r->elided = false;
	r->hint = 0;
	r->flags_open = false;
	r->name_open = h.name.n == 0 || (*h.name.p == '[' && h.name.p[h.name.n - 1] != ']') ||
		       *h.name.p == '/';
	return 0;
}

/* ---- one field ---- */

/*
 * The printed size of a stack left out its guard page until 4.x: one page may
 * differ. The mapping before says what a page is; without one any may be meant
 * on whose boundaries the mapping lies.
 */
static bool size_agrees(const struct smaps *s, const struct vma *v, uint64_t kb)
{
	uint64_t range = vma_size_kb(v), diff = kb > range ? kb - range : range - kb;
	uint32_t page = s->n > 1 ? v[-1].value[SMAPS_KernelPageSize] : 0;

	if (diff == 0)
		return true;
	if (!slice_eq(vma_name(s, v), SLICE("[stack]")))
		return false;
	if (page == 4 || page == 8 || page == 16 || page == 64)
		return diff == page;
	return (diff == 4 || diff == 8 || diff == 16 || diff == 64) && (v->start | v->end) % (diff << 10) == 0;
}

static int take_flags(struct smaps_reader *r, struct slice line, struct slice value, bool final, struct err *e)
{
	struct vma *v = current(r);

	if (vma_has_flags(v)) {
		if (r->elided)
			return smaps_note(r, NOTE_CUT, line, line.p, e);
		return err_at(e, r->line, line, line.p, "VmFlags again: a mapping line is missing before it");
	}
	struct slice trimmed = slice_rtrim(value);
	if (final && !trimmed.n) /* "VmFlags:" is where the input was cut, not a mapping without any */
		return smaps_note(r, NOTE_CUT, line, line.p, e);
	const char *end = trimmed.p + trimmed.n;

	v->present |= UINT32_C(1) << PRESENT_VMFLAGS;
	r->flags_open = true;
	for (struct cut w = slice_cut_word(value); w.ok; w = slice_cut_word(w.tail)) {
		if (w.head.n == 1 && w.tail.p >= end) {
			r->half_flag = *w.head.p;
			r->learning = false;
			return 0;
		}
		if (w.head.n > 8 || slice_find(w.head, SLICE(":")) >= 0)
			return err_at(e, r->line, line, w.head.p, "'%.*s' is no flag: are two lines run together?",
				      SLICE_FMT(slice_first(w.head, 20)));
		smaps_set_flag(r->s, v, w.head);
	}
	if (r->learning && (line.n < 9 || v->has_extra || !layout_learn(&r->learned, line, 0, true)))
		r->learning = false;
	return 0;
}

/* People who retype it write KB. */
static bool is_kb(struct slice unit)
{
	return unit.n == 2 && (unit.p[0] | 0x20) == 'k' && (unit.p[1] | 0x20) == 'b';
}

/* Number of a field; *ret_cut when the last line of the input ends in it. */
static int field_number(struct smaps_reader *r, struct slice line, struct slice value, bool kb, bool final,
			uint64_t *ret, bool *ret_cut, struct err *e)
{
	struct slice rest = slice_trim(value);
	const char *at = rest.p;

	*ret_cut = false;
	enum num_status st = num_take_u64(&rest, ret);
	bool whole = st != NUM_NONE && (!kb || is_kb(slice_trim(rest)));
	if (final && !whole && slice_starts(SLICE(" kB"), rest)) {
		*ret_cut = true;
		return 0;
	}
	if (st == NUM_NONE)
		return err_at(e, r->line, line, at, value.n ? "a number is due here" : "a number is missing");
	if (st == NUM_OVERFLOW || (kb && *ret > SMAPS_KB_MAX))
		return err_at(e, r->line, line, at, "this number is larger than any address space");
	if (!kb && *ret > SMAPS_PLAIN_MAX)
		return err_at(e, r->line, line, at, "no kernel prints so large a number here");
	if (rest.n && !is_blank(*rest.p))
		return err_at(e, r->line, line, rest.p, "this is no number");
	rest = slice_ltrim(rest);
	if (rest.n && (!kb || !is_kb(rest)))
		return err_at(e, r->line, line, rest.p, kb ? "kB and the end of the line are due here"
							   : "the end of the line is due here");
	return 0;
}

/*
 * No counter of a record is larger than its mapping: one look of the kernel
 * gives both. The swapped pages of a shared object may be, where some lie
 * behind its end; sizes of pages count nothing.
 */
static bool is_oversize(const struct smaps *s, const struct vma *v, enum smaps_field f, uint64_t kb)
{
	return smaps_fields[f].kb && kb > vma_size_kb(v) && f != SMAPS_Size && f != SMAPS_KernelPageSize &&
	       f != SMAPS_MMUPageSize && !s->rollup && !(v->inode && (f == SMAPS_Swap || f == SMAPS_SwapPss));
}

static int set_field(struct smaps_reader *r, struct slice line, enum smaps_field f, uint64_t value,
		     const char *at, struct err *e)
{
	struct vma *v = current(r);

	if (vma_has(v, f)) {
		if (r->elided)
			return smaps_note(r, NOTE_CUT, line, line.p, e);
		return err_at(e, r->line, line, line.p, "%s again: a mapping line is missing before it",
			      smaps_fields[f].name);
	}
	while (is_blank(*at))
		at++;
	if (f == SMAPS_Size && !r->s->rollup && !size_agrees(r->s, v, value))
		return err_at(e, r->line, line, at, "Size contradicts the range of the mapping, which is %llu kB",
			      (unsigned long long)vma_size_kb(v));
	if (is_oversize(r->s, v, f, value)) {
		if (r->elided) /* of a mapping whose own line was left out */
			return smaps_note(r, NOTE_CUT, line, line.p, e);
		r->s->complete = false;
		if (smaps_note(r, NOTE_OVERSIZE, line, at, e))
			return -1;
	}
	smaps_set(r->s, v, f, value);
	if (r->s->wide_kb > SMAPS_SUM_MAX)
		return err_at(e, r->line, line, at,
			      "with those before it this number is larger than any address space");
	r->hint = f + 1;
	if (r->learning && (v->has_extra || !layout_learn(&r->learned, line, f, false)))
		r->learning = false;
	return 0;
}

static enum smaps_field find_field(const struct smaps_reader *r, struct slice key)
{
	if (r->hint < SMAPS_FIELDS && slice_eq_str(key, smaps_fields[r->hint].name))
		return (enum smaps_field)r->hint;
	return smaps_field_of(key);
}

/* A key we do not know: kept when its value is a number, else it may be anything. */
static int take_unknown(struct smaps_reader *r, struct slice line, struct slice key, struct slice value,
			struct err *e)
{
	uint64_t number;
	struct slice rest = slice_trim(value);

	r->learning = false;
	if (slice_eq(key, SLICE("Name"))) { /* Android before 5.17 */
		if (r->in_record && !current(r)->name)
			current(r)->name = names_intern(&r->names, r->s, rest);
		return 0;
	}
	if (num_take_u64(&rest, &number) == NUM_OK && slice_ltrim(rest).n <= 2 && r->in_record) {
		smaps_set_unknown(r->s, current(r), key, number);
		return 0;
	}
	return smaps_note(r, NOTE_FOREIGN, line, line.p, e);
}

static int take_field(struct smaps_reader *r, struct slice line, struct slice key, struct slice value,
		      bool final, struct err *e)
{
	enum smaps_field f = find_field(r, key);
	bool is_flags = f == SMAPS_FIELDS && slice_eq(key, SLICE("VmFlags"));
	uint64_t number;
	bool cut;

	r->name_open = r->flags_open = false;
	if (f == SMAPS_FIELDS && !is_flags)
		return take_unknown(r, line, key, value, e);
	if (!r->in_record)
		return smaps_note(r, NOTE_CUT, line, line.p, e);
	if (value.n && memchr(value.p, '\t', value.n) && smaps_note(r, NOTE_TABS, line, value.p, e))
		return -1;
	if (is_flags)
		return take_flags(r, line, value, final, e);
	if (field_number(r, line, value, smaps_fields[f].kb, final, &number, &cut, e))
		return -1;
	if (cut)
		return smaps_note(r, NOTE_CUT, line, line.p, e);
	return set_field(r, line, f, number, slice_ltrim(value).p, e);
}

/* ---- other lines ---- */

static int take_other(struct smaps_reader *r, struct slice line, bool full, bool final, struct err *e)
{
	if (line_elides(line)) {
		r->elided = true;
		r->name_open = false;
		return smaps_note(r, NOTE_ELIDED, line, line.p, e);
	}
	if (smaps_join(r, line, full))
		return smaps_note(r, NOTE_WRAPPED, line, line.p, e);
	r->flags_open = false;
	return smaps_note(r, final && line.n < 16 ? NOTE_CUT : NOTE_FOREIGN, line, line.p, e);
}

/* ---- one line ---- */

/* NUL bytes (a crashed disk, UTF-16) are taken out. */
static struct slice without_nul(struct smaps_reader *r, struct slice line)
{
	size_t n = 0;

	r->scratch = mem_grow(r->scratch, &r->scratch_cap, line.n, 1);
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i])
			r->scratch[n++] = line.p[i];
	return slice_of(r->scratch, n);
}

/* No-break spaces of a web page become blanks; a byte order mark goes. */
static struct slice without_web(struct smaps_reader *r, struct slice line)
{
	size_t n = 0;

	r->scratch = mem_grow(r->scratch, &r->scratch_cap, line.n, 1);
	for (size_t i = 0; i < line.n; i++) {
		if (line.n - i >= 2 && line.p[i] == '\xc2' && line.p[i + 1] == '\xa0') {
			r->scratch[n++] = ' ';
			i++;
		} else {
			r->scratch[n++] = line.p[i];
		}
	}
	return slice_of(r->scratch, n);
}

/* Only in front of a name: a name may hold one itself. */
static bool has_no_break(struct slice line)
{
	struct slice front = slice_first(line, 80);
	ptrdiff_t at = slice_find(front, SLICE("\xc2\xa0")), slash = slice_find(front, SLICE("/"));

	return at >= 0 && (slash < 0 || at < slash);
}

static int clean(struct smaps_reader *r, struct slice *line, struct err *e)
{
	struct slice raw = *line;

	if (r->line == 1 && slice_starts(*line, SLICE("\xef\xbb\xbf")))
		*line = raw = slice_skip(raw, 3);
	if (has_no_break(*line)) {
		if (smaps_note(r, NOTE_TABS, raw, raw.p, e))
			return -1;
		*line = raw = without_web(r, raw);
	}
	if (raw.n && memchr(raw.p, '\0', raw.n)) {
		*line = without_nul(r, raw);
		if (smaps_note(r, NOTE_NUL, raw, memchr(raw.p, '\0', raw.n), e))
			return -1;
	}
	if (line->n && line->p[line->n - 1] == '\r') {
		line->n--;
		if (smaps_note(r, NOTE_CRLF, raw, raw.p + raw.n - 1, e))
			return -1;
	}
	if (line->n && (*line->p == '>' || *line->p == '&' || is_blank(*line->p))) {
		const char *front = line->p;
		bool quoted = line_unquote(line);

		r->blank_lost = !quoted && line->p > front;
		if (line->n && line->p != front &&
		    smaps_note(r, quoted ? NOTE_QUOTED : NOTE_INDENTED, raw, raw.p, e))
			return -1;
	}
	return 0;
}

int smaps_take_line(struct smaps_reader *r, struct slice line, bool final, struct err *e)
{
	struct slice key, value, raw = line;

	r->line++;
	r->blank_lost = false;
	if (line.n == 0 || *line.p < 'A' || *line.p > 'Z' || line.p[line.n - 1] == '\r' ||
	    memchr(line.p, '\0', line.n) || memchr(line.p, '\xa0', line.n))
		if (clean(r, &line, e))
			return -1;
	if (line.n == 0)
		return 0;
	bool full = smaps_fills_terminal(raw, line);

	switch (line_kind(line, &key, &value)) {
	case LINE_HEADER:
		/* The record before is whole: what it looked like is expected again. */
		if (r->in_record && r->learning && r->learned.n) {
			layout_ready(&r->learned);
			r->layout = r->learned;
		}
		r->learned.n = r->learned.bytes = r->learned.present = 0;
		r->learned.flags = false;
		r->learning = !r->o.slow;
		smaps_end_joined(r);
		r->name_full = full;
		return take_header(r, line, final, e);
	case LINE_FIELD:
		smaps_end_joined(r);
		return take_field(r, line, key, value, final, e);
	case LINE_NO_PERMS:
		if (final)
			return smaps_note(r, NOTE_CUT, line, line.p, e);
		return err_at(e, r->line, line, value.p, "permissions like rw-p are due here");
	case LINE_OTHER:
		break;
	}
	return take_other(r, line, full, final, e);
}

/* A regular line of the current record, without the detour through slices. 1: taken. */
int smaps_quick_field(struct smaps_reader *r, const char *p, const char *end, struct err *e)
{
	enum smaps_field f;
	uint32_t value;

	if (!r->in_record || r->o.slow || r->half_flag || r->joined_n || end - p < 28 || *p < 'A' || *p > 'Z')
		return 0;
	if (!smaps_fast_field(p, r->hint, &f, &value))
		return 0;
	r->line++;
	r->name_open = r->flags_open = false;
	return set_field(r, slice_of(p, 27), f, value, p + 16, e) ? -1 : 1;
}
