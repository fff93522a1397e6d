/* SPDX-License-Identifier: MIT */
/*
 * The reader: bytes in any pieces go to the strict reader where records are
 * regular, and line by line to the tolerant one where they are not.
 */
#include <string.h>

#include "parse/smaps_reader.h"

struct smaps_reader *smaps_reader_new(struct smaps *into, struct smaps_options o)
{
	struct smaps_reader *r = mem_zalloc(sizeof(*r));

	names_start(into);
	into->complete = true;
	r->s = into;
	r->o = o;
	return r;
}

void smaps_reader_free(struct smaps_reader *r)
{
	if (!r)
		return;
	mem_free(r->names.slot);
	mem_free(r->carry);
	mem_free(r->special);
	mem_free(r->back);
	mem_free(r->scratch);
	mem_free(r->joined);
	mem_free(r);
}

/* ---- pieces ---- */

/* Where the strict reader may start: at a header, when the layout is known. */
static bool try_fast(struct smaps_reader *r, const char **p, const char *end)
{
	size_t first = r->s->n;

	r->run.lines = 0;
	r->run.short_of = false;
	smaps_fast(&r->layout, r->s, &r->names, *p, end, &r->run);
	if (r->run.at != *p) {
		/* Rare records are looked at again for the line they stand in. */
		unsigned long line = r->line + 1, per = r->layout.n + r->layout.flags + 1;

		for (size_t i = first; i < r->s->n; i++, line += per) {
			const struct vma *v = &r->s->vma[i];

			if (v->name && v->name < NAME_FIRST_FREE)
				smaps_remember(&r->special, &r->special_n, &r->special_cap, (uint32_t)i, line);
			if (r->run.disordered && i && v->start < r->s->vma[i - 1].end)
				smaps_remember(&r->back, &r->back_n, &r->back_cap, (uint32_t)i, line);
		}
		smaps_gather_whole(r->s);
		r->line += r->run.lines;
		r->in_record = true;
		r->name_open = r->elided = false;
		r->flags_open = r->layout.flags;
		r->hint = SMAPS_FIELDS;
		r->learning = false;
		*p = r->run.at;
	}
	return r->run.short_of;
}

/* Reads what is whole between p and end; returns where it stopped, NULL on error. */
static const char *consume(struct smaps_reader *r, const char *p, const char *end, struct err *e)
{
	while (p < end) {
		/* What may go on in this line is not over yet: "ac " is no header. */
		bool open = r->half_flag || r->joined_n;

		if (r->layout.n && !r->o.slow && !open && *p != '\n' && (is_digit(*p) || (*p >= 'a' && *p <= 'f')))
			if (try_fast(r, &p, end))
				return p;
		int quick = smaps_quick_field(r, p, end, e);
		if (quick < 0)
			return NULL;
		if (quick) {
			p += 28;
			continue;
		}
		const char *eol = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
		if (!eol)
			return p;
		if (smaps_take_line(r, slice_of(p, (size_t)(eol - p)), false, e))
			return NULL;
		p = eol + 1;
	}
	return p;
}

static void carry_append(struct smaps_reader *r, struct slice bytes)
{
	r->carry = mem_grow(r->carry, &r->carry_cap, r->carry_n + bytes.n, 1);
	if (bytes.n)
		memcpy(r->carry + r->carry_n, bytes.p, bytes.n);
	r->carry_n += bytes.n;
}

enum { JOIN_MIN = 8192 };

/* Joins what is left over with the front of the new piece, by doubling: O(n) for any line. */
static int feed_carry(struct smaps_reader *r, struct slice *bytes, struct err *e)
{
	while (r->carry_n && bytes->n) {
		size_t old = r->carry_n, more = old > JOIN_MIN ? old : JOIN_MIN;
		struct slice front = slice_first(*bytes, more);

		carry_append(r, front);
		const char *stop = consume(r, r->carry, r->carry + r->carry_n, e);
		if (!stop)
			return -1;
		size_t used = (size_t)(stop - r->carry);
		if (used < old) { /* still inside the old part: go on joining */
			memmove(r->carry, stop, r->carry_n - used);
			r->carry_n -= used;
			*bytes = slice_skip(*bytes, front.n);
		} else {
			*bytes = slice_skip(*bytes, used - old);
			r->carry_n = 0;
		}
	}
	return 0;
}

int smaps_feed(struct smaps_reader *r, struct slice bytes, struct err *e)
{
	if (feed_carry(r, &bytes, e))
		return -1;
	if (bytes.n == 0)
		return 0;
	const char *stop = consume(r, bytes.p, bytes.p + bytes.n, e);
	if (!stop)
		return -1;
	carry_append(r, slice_of(stop, (size_t)(bytes.p + bytes.n - stop)));
	return 0;
}

/* ---- the end ---- */

/* At the line where addresses went back, or else of the name itself. */
static int second_process(struct smaps_reader *r, const struct special *x, uint32_t name, struct err *e)
{
	for (size_t i = r->back_n; i-- > 0;) {
		if (r->back[i].vma <= x->vma) {
			err_set(e, ERR_LIMIT, "addresses start again: 2 dumps in one file");
			e->line = r->back[i].line;
			return -1;
		}
	}
	err_set(e, ERR_LIMIT, "a second %.*s: 2 dumps in one file", SLICE_FMT(r->s->names[name]));
	e->line = x->line;
	return -1;
}

/*
 * A torn read goes on behind what it has shown, if with a mapping that starts
 * before. One that shows the first mapping again and nothing behind the last
 * is another dump: of the same process, so its heap and stack lie the same.
 */
static int begins_again(struct smaps_reader *r, struct err *e)
{
	const struct vma *v = r->s->vma;
	uint64_t max_end = 0;
	size_t known = 0; /* records before this one are in max_end */

	for (size_t k = 0; k < r->back_n; k++) {
		size_t i = r->back[k].vma, end = k + 1 < r->back_n ? r->back[k + 1].vma : r->s->n;

		for (; known < i; known++)
			if (v[known].end > max_end)
				max_end = v[known].end;
		while (i < end && v[i].end <= v->start) /* mapped since, below the first */
			i++;
		if (i == end || v[i].start > v->start || v[i].end > max_end)
			continue;
		r->s->again = true;
		if (!r->o.split)
			return 0;
		err_set(e, ERR_LIMIT, "addresses start again: 2 dumps in one file");
		e->line = r->back[k].line;
		return -1;
	}
	return 0;
}

/*
 * A process has one heap, stack, vdso, vsyscall; parts of it touch (a page
 * that was mprotected cuts the heap in three of that name). `place` tells
 * where the repair put a record, or is NULL.
 */
static int one_process(struct smaps_reader *r, const uint32_t *place, struct err *e)
{
	const struct vma *seen[NAME_FIRST_FREE] = { 0 };

	for (size_t i = 0; i < r->special_n; i++) {
		const struct special *x = &r->special[i];

		if (place && place[x->vma] == UINT32_MAX)
			continue;
		const struct vma *v = &r->s->vma[place ? place[x->vma] : x->vma];
		if (seen[v->name] && seen[v->name]->end != v->start)
			return second_process(r, x, v->name, e);
		seen[v->name] = v;
	}
	return 0;
}

int smaps_finish(struct smaps_reader *r, struct err *e)
{
	uint32_t *place = NULL;
	struct smaps *s = r->s;

	if (r->carry_n) {
		/* The strict reader waits for a next record that will not come. */
		r->o.slow = true;
		const char *stop = consume(r, r->carry, r->carry + r->carry_n, e);
		if (!stop)
			return -1;
		struct slice last = slice_of(stop, (size_t)(r->carry + r->carry_n - stop));
		if (last.n && (smaps_take_line(r, last, true, e) ||
			       smaps_note(r, NOTE_NO_FINAL_NEWLINE, last, last.p + last.n, e)))
			return -1;
	}
	smaps_end_joined(r);
	/* The repair moves records: what is wrong is found first, and told when it is not another dump. */
	struct err disorder = { 0 };
	if (r->run.disordered) {
		if (!r->o.live && !s->rollup && begins_again(r, e))
			return -1;
		if (r->o.strict)
			smaps_disorder(r, &disorder);
		place = smaps_repair(s);
	}
	int status = r->o.live || s->rollup ? 0 : one_process(r, place, e);
	if (!status && disorder.kind) {
		*e = disorder;
		status = -1;
	}
	mem_free(place);
	return status;
}

int smaps_parse(struct slice bytes, struct smaps_options o, struct smaps *ret, struct err *e)
{
	struct smaps_reader *r = smaps_reader_new(ret, o);
	int status = smaps_feed(r, bytes, e);

	if (!status)
		status = smaps_finish(r, e);
	smaps_reader_free(r);
	return status;
}
