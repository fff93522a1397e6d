/* SPDX-License-Identifier: MIT */
#include "parse/mail.h"

#include "parse/binary.h"
#include "parse/mail_body.h"

enum { DEPTH_MAX = 8 }; /* a forwarded mail in a forwarded mail ... */

/* ---- lines ---- */

static struct slice without_cr(struct slice line)
{
	return slice_ends(line, SLICE("\r")) ? slice_first(line, line.n - 1) : line;
}

static unsigned long lines_of(struct slice s)
{
	unsigned long n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

static bool same_word(struct slice a, const char *lower)
{
	size_t n = strlen(lower);

	if (a.n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = a.p[i];

		if ((c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c) != lower[i])
			return false;
	}
	return true;
}

/* "Name" of "Name: value", empty when the line is none. */
static struct slice header_name(struct slice line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] > ' ' && line.p[n] < 0x7f && line.p[n] != ':')
		n++;
	return n < line.n && line.p[n] == ':' ? slice_first(line, n) : slice_of(NULL, 0);
}

/* mbox: "From someone@somewhere Thu Jan  1 00:00:00 1970" between mails. */
static bool is_separator(struct slice line)
{
	line = slice_rtrim(line);
	if (!slice_starts(line, SLICE("From ")) || line.n < 20)
		return false;
	struct slice year = slice_skip(line, line.n - 5);

	return year.p[0] == ' ' && is_digit(year.p[1]) && is_digit(year.p[2]) && is_digit(year.p[3]) &&
	       is_digit(year.p[4]) && slice_has(line, SLICE(":"));
}

/* ---- headers ---- */

enum encoding { AS_IS, QUOTED_PRINTABLE, BASE64 };

struct part {
	struct slice type;     /* "text/plain"; empty: not said, which is that */
	struct slice boundary; /* of a multipart */
	enum encoding encoding;
	bool attached;
	unsigned known;        /* headers that every mail has */
};

/* The value of NAME=VALUE, quoted or not, in a header that is unfolded. */
static struct slice parameter(struct slice value, const char *name)
{
	for (struct cut c = slice_cut(value, ';'); c.ok;) {
		c = slice_cut(c.tail, ';');
		struct cut kv = slice_cut(c.head, '=');
		struct slice v = slice_trim(kv.tail);

		if (!kv.ok || !same_word(slice_trim(kv.head), name))
			continue;
		if (v.n && *v.p == '"') { /* which may hold a ';' */
			v.n = (size_t)(value.p + value.n - v.p);
			return slice_cut(slice_skip(v, 1), '"').head;
		}
		return slice_cut_word(v).head;
	}
	return slice_of(NULL, 0);
}

static void take_type(struct part *p, struct slice value)
{
	p->type = slice_trim(slice_cut(value, ';').head);
	p->boundary = parameter(value, "boundary");
}

static void take_encoding(struct part *p, struct slice value)
{
	value = slice_trim(value);
	p->encoding = same_word(value, "quoted-printable") ? QUOTED_PRINTABLE :
		      same_word(value, "base64")	   ? BASE64 :
							     AS_IS;
}

static void take_disposition(struct part *p, struct slice value)
{
	p->attached = same_word(slice_trim(slice_cut(value, ';').head), "attachment");
}

static void take_known(struct part *p, struct slice value)
{
	(void)value;
	p->known++;
}

/* To read another header: a row. */
static const struct header_row {
	const char *name; /* lower case */
	void (*take)(struct part *p, struct slice value);
} header_rows[] = {
	{ "content-type", take_type },
	{ "content-transfer-encoding", take_encoding },
	{ "content-disposition", take_disposition },
	{ "from", take_known },
	{ "to", take_known },
	{ "date", take_known },
	{ "subject", take_known },
	{ "message-id", take_known },
	{ "mime-version", take_known },
	{ "received", take_known },
	{ "return-path", take_known },
};

static void take_header(struct part *p, struct slice name, struct slice value)
{
	for (size_t i = 0; i < sizeof(header_rows) / sizeof(*header_rows); i++)
		if (same_word(name, header_rows[i].name))
			header_rows[i].take(p, value);
}

/* The lines that go on, a blank in front, are one with it. */
static struct slice unfold(struct slice value, struct slice *rest, struct arena *a)
{
	struct out o;

	if (!rest->n || !is_blank(*rest->p))
		return value;
	out_memory(&o);
	out_put(&o, value);
	while (rest->n && is_blank(*rest->p)) {
		struct cut c = slice_cut_line(*rest);

		out_byte(&o, ' ');
		out_put(&o, slice_trim(c.head));
		*rest = c.tail;
	}
	struct slice joined = arena_copy(a, out_slice(&o));
	out_close(&o);
	return joined;
}

/* Headers up to the empty line; returns where the body begins. */
static struct slice read_headers(struct slice text, struct part *ret, struct arena *a)
{
	*ret = (struct part){ 0 };
	if (is_separator(slice_cut_line(text).head))
		text = slice_cut_line(text).tail;
	while (text.n) {
		struct cut c = slice_cut_line(text);
		struct slice line = without_cr(c.head), name = header_name(line);

		if (!line.n)
			return c.tail;
		if (!name.n)
			return text;
		text = c.tail;
		struct slice value = unfold(slice_skip(line, name.n + 1), &text, a);

		take_header(ret, name, value);
	}
	return text;
}

/* ---- bodies ---- */

struct decoder {
	struct slice all; /* the input, for places */
	bool attachments;
	struct arena *a;
	struct out o;
	struct err *e;
};

static void put_blanks(struct decoder *d, struct slice skipped)
{
	out_pad(&d->o, '\n', (int)lines_of(skipped));
}

static int bad_base64(struct decoder *d, const char *at, const char *why)
{
	struct slice before = slice_of(d->all.p, (size_t)(at - d->all.p));
	size_t begin = before.n;

	while (begin && before.p[begin - 1] != '\n')
		begin--;
	err_at(d->e, lines_of(before) + 1, slice_cut_line(slice_skip(d->all, begin)).head, at, "%s", why);
	return err_hint(d->e, "Save the text of the mail as a file of its own, and give that");
}

static int put_base64(struct decoder *d, struct slice body)
{
	unsigned long lines = lines_of(body);
	size_t begin = d->o.n;
	const char *at, *why = mail_base64(&d->o, body, &at);

	if (why)
		return bad_base64(d, at, why);
	if (d->o.n && d->o.buf[d->o.n - 1] != '\n')
		out_byte(&d->o, '\n');
	unsigned long made = lines_of(slice_skip(out_slice(&d->o), begin));
	if (made < lines)
		out_pad(&d->o, '\n', (int)(lines - made));
	return 0;
}

static int put_body(struct decoder *d, const struct part *p, struct slice body)
{
	if (p->encoding == BASE64)
		return put_base64(d, body);
	if (p->encoding == QUOTED_PRINTABLE)
		mail_qp(&d->o, body);
	else
		out_put(&d->o, body);
	return 0;
}

/* What a mail program knows no type of, such as a file called smaps: shown when it is text. */
static int put_untyped(struct decoder *d, const struct part *p, struct slice body)
{
	size_t begin = d->o.n;
	struct err ignored;

	if (put_body(d, p, body))
		return -1;
	if (binary_refuse(slice_skip(out_slice(&d->o), begin), &ignored)) {
		d->o.n = begin;
		put_blanks(d, body);
	}
	return 0;
}

/* ---- parts ---- */

static int put_part(struct decoder *d, struct slice text, bool whole, unsigned depth);

static bool has_type(const struct part *p, const char *type)
{
	return same_word(slice_first(p->type, strlen(type)), type);
}

/* A line "--boundary" or, at the end of all parts, "--boundary--". */
static bool is_boundary(struct slice line, struct slice boundary, bool *ret_last)
{
	line = slice_rtrim(line);
	*ret_last = slice_ends(line, SLICE("--")) && line.n == boundary.n + 4;
	return slice_starts(line, SLICE("--")) && line.n == boundary.n + (*ret_last ? 4 : 2) &&
	       slice_starts(slice_skip(line, 2), boundary);
}

/* The next part of *rest, and what stands before it; false: there is none. */
static bool next_part(struct slice *rest, struct slice boundary, struct slice *ret_before, struct slice *ret)
{
	struct slice text = *rest;
	const char *begin = NULL;
	bool last;

	*ret_before = text;
	while (text.n) {
		struct cut c = slice_cut_line(text);

		if (!is_boundary(c.head, boundary, &last)) {
			text = c.tail;
			continue;
		}
		if (begin) { /* it stays: it may begin another one */
			*ret = slice_of(begin, (size_t)(text.p - begin));
			*rest = text;
			return true;
		}
		if (last)
			return false;
		begin = c.tail.p;
		*ret_before = slice_of(rest->p, (size_t)(begin - rest->p));
		text = c.tail;
	}
	if (!begin)
		return false;
	*ret = slice_of(begin, (size_t)(text.p - begin)); /* the end was cut */
	*rest = text;
	return true;
}

/* Which of several forms of one text: the first plain one, else the first that is text. */
static size_t best_of(struct decoder *d, struct slice body, struct slice boundary)
{
	struct slice before, one;
	size_t text = SIZE_MAX;

	for (size_t i = 0; next_part(&body, boundary, &before, &one); i++) {
		struct part p;

		read_headers(one, &p, d->a);
		if (!p.type.n || has_type(&p, "text/plain"))
			return i;
		if (text == SIZE_MAX && (has_type(&p, "text/") || has_type(&p, "multipart/")))
			text = i;
	}
	return text;
}

static int put_parts(struct decoder *d, const struct part *p, struct slice body, unsigned depth)
{
	bool choose = has_type(p, "multipart/alternative");
	size_t best = choose ? best_of(d, body, p->boundary) : 0;
	struct slice before, one;
	int status = 0;
	size_t i = 0;

	for (; !status && next_part(&body, p->boundary, &before, &one); i++) {
		put_blanks(d, before);
		if (choose && i != best)
			put_blanks(d, one);
		else
			status = put_part(d, one, false, depth + 1);
	}
	if (i)
		put_blanks(d, body);
	else /* no part of it: the boundary was lost on the way */
		out_put(&d->o, body);
	return status;
}

/* `whole`: a mail of its own, whose headers are shown: the subject tells what it is about. */
static int put_part(struct decoder *d, struct slice text, bool whole, unsigned depth)
{
	struct part p;
	struct slice body = read_headers(text, &p, d->a);
	struct slice headers = slice_of(text.p, (size_t)(body.p - text.p));

	if (whole)
		out_put(&d->o, headers);
	else
		put_blanks(d, headers);
	if (depth < DEPTH_MAX && has_type(&p, "multipart/") && p.boundary.n)
		return put_parts(d, &p, body, depth);
	if (depth < DEPTH_MAX && has_type(&p, "message/rfc822") && (!p.attached || d->attachments))
		return put_part(d, body, true, depth + 1);
	if (d->attachments && same_word(p.type, "application/octet-stream"))
		return put_untyped(d, &p, body);
	if ((p.type.n && !has_type(&p, "text")) || (p.attached && !d->attachments)) {
		put_blanks(d, body);
		return 0;
	}
	return put_body(d, &p, body);
}

/* ---- mails ---- */

/* Up to the next one of an mbox: a separator behind an empty line. */
static struct slice one_mail(struct slice text)
{
	struct slice rest = slice_cut_line(text).tail;
	bool empty = false;

	while (rest.n) {
		struct cut c = slice_cut_line(rest);

		/* A sentence may begin like one; a header follows only a separator. */
		if (empty && is_separator(c.head) && header_name(slice_cut_line(c.tail).head).n)
			break;
		empty = !without_cr(c.head).n;
		rest = c.tail;
	}
	return slice_first(text, (size_t)(rest.p - text.p));
}

int mail_decode(struct slice bytes, bool attachments, struct arena *a, struct slice *ret, struct err *e)
{
	struct decoder d = { .all = bytes, .attachments = attachments, .a = a, .e = e };
	int status = 0;

	out_memory(&d.o);
	for (struct slice rest = bytes; rest.n && !status;) {
		struct slice mail = is_separator(slice_cut_line(rest).head) ? one_mail(rest) : rest;

		status = put_part(&d, mail, true, 0);
		rest = slice_skip(rest, mail.n);
	}
	*ret = status ? slice_of(NULL, 0) : arena_copy(a, out_slice(&d.o));
	out_close(&d.o);
	return status;
}

struct slice mail_decode_quoted_printable(struct slice bytes, struct arena *a)
{
	struct out o;

	out_memory(&o);
	mail_qp(&o, bytes);
	struct slice text = arena_copy(a, out_slice(&o));
	out_close(&o);
	return text;
}

/* ---- is it one? ---- */

/* Encoded lines are broken at 76 characters at most: no escape that did not fit is longer than three. */
enum { KNOWN_LEAST = 2, QP_LINE = 76, QP_BROKEN = QP_LINE - 3 };

bool mail_looks(struct slice head)
{
	struct arena a = { 0 };
	struct part p;
	bool mbox = is_separator(slice_cut_line(head).head);

	if (!mbox && !header_name(slice_cut_line(head).head).n)
		return false;
	read_headers(head, &p, &a);
	/* What is plain text as it is needs no help. Later mails of an mbox may not be. */
	bool coded = mbox || p.encoding != AS_IS || (p.type.n && !has_type(&p, "text/plain"));
	bool yes = p.known >= KNOWN_LEAST && coded;
	arena_free(&a);
	return yes;
}

bool mail_looks_encoded(struct slice head)
{
	unsigned ends = 0, blanks = 0;

	while (head.n) {
		struct cut c = slice_cut_line(head);
		struct slice line = without_cr(c.head);

		if (line.n > QP_LINE + 2)
			return false;
		ends += slice_ends(line, SLICE("=20")) || (line.n >= QP_BROKEN && mail_qp_breaks(line));
		blanks += slice_ends(line, SLICE(" ")); /* which would be =20 */
		head = c.ok ? c.tail : slice_of(NULL, 0);
	}
	return ends >= 2 && ends > blanks;
}

bool mail_looks_base64(struct slice head)
{
	size_t lines = 0, length = 0;

	for (struct cut c = slice_cut_line(head); c.ok && lines < 3; c = slice_cut_line(c.tail), lines++) {
		struct slice line = without_cr(c.head);

		if (line.n < 60 || line.n > QP_LINE || (lines && line.n != length))
			return false;
		for (size_t i = 0; i < line.n; i++)
			if (mail_base64_digit(line.p[i]) < 0)
				return false;
		length = line.n;
	}
	return lines == 3;
}
