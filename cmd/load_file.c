/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memrchr */
/* A saved file, standard input or a pipe: its kind from its content. */
#include <string.h>

#include "base/shell.h"
#include "cmd/load_internal.h"
#include "model/report_read.h"
#include "parse/binary.h"
#include "parse/mail.h"
#include "parse/sniff.h"

/* Counter sources are text that people keep: none is larger. */
enum { COUNTERS_MAX = 512 * 1024 * 1024 };

void load_add_counters(struct load *l, enum source_kind kind, const char *path, struct slice bytes)
{
	l->counters = mem_grow(l->counters, &l->counters_cap, l->counters_n + 1, sizeof(*l->counters));
	l->counters[l->counters_n++] = (struct load_counters){
		.info = { .kind = kind, .path = path, .pid = -1, .time_ns = -1, .complete = true },
		.bytes = bytes,
	};
}

/* ---- smaps ---- */

int load_feed(struct smaps_reader *r, struct stream *in, struct err *e)
{
	struct slice piece;
	int status;

	while ((status = stream_next(in, &piece, e)) == 0 && piece.n)
		if ((status = smaps_feed(r, piece, e)))
			break;
	return status;
}

static void take_notes(struct snapshot *s)
{
	memcpy(s->source.notes, s->smaps.notes, sizeof(s->source.notes));
	s->source.complete &= s->smaps.complete;
}

static int read_smaps(struct smaps *into, struct stream *in, bool strict, struct err *e)
{
	smaps_expect(into, stream_size(in));
	struct smaps_reader *r = smaps_reader_new(into, (struct smaps_options){ .strict = strict });
	int status = load_feed(r, in, e);

	if (!status)
		status = smaps_finish(r, e);
	smaps_reader_free(r);
	return status;
}

static struct slice lines_until(struct slice text, unsigned long line)
{
	struct slice rest = text;

	for (unsigned long i = 1; i < line && rest.n; i++)
		rest = slice_cut_line(rest).tail;
	return slice_first(text, (size_t)(rest.p - text.p));
}

/* The lines that end within the first n bytes, at least one; all when there are no more. */
static struct slice lines_within(struct slice text, size_t n)
{
	if (n >= text.n)
		return text;
	const char *eol = memrchr(text.p, '\n', n);
	if (!eol)
		eol = memchr(text.p + n, '\n', text.n - n);
	return eol ? slice_first(text, (size_t)(eol - text.p) + 1) : text;
}

/* The first dump in a text; *ret_lines as many as it has when another follows. */
static int first_dump(struct slice text, struct smaps_options o, struct smaps *ret, struct slice *ret_part,
		      unsigned long *ret_lines, struct err *e)
{
	struct slice part = text;

	*ret_lines = 0;
	while (smaps_parse(part, o, ret, e)) {
		if (e->kind != ERR_LIMIT || e->line < 2)
			return -1;
		smaps_free(ret);
		*ret_lines = e->line - 1;
		part = lines_until(part, e->line);
	}
	*ret_part = part;
	return 0;
}

enum { SPLIT_FIRST = 4096 };

/*
 * The next dump, which is looked for in ever longer fronts of the text: all of
 * it for each of many dumps would take time by the square. A front in which
 * nothing starts again, or that is wrong somewhere, tells nothing.
 */
static int next_dump(struct slice text, struct smaps_options o, struct smaps *ret, struct slice *ret_part,
		     unsigned long *ret_lines, struct err *e)
{
	for (size_t n = SPLIT_FIRST; n < text.n; n *= 2) {
		struct err ignored = { 0 };

		if (!first_dump(lines_within(text, n), o, ret, ret_part, ret_lines, &ignored) && *ret_lines)
			return 0;
		smaps_free(ret);
	}
	return first_dump(text, o, ret, ret_part, ret_lines, e);
}

/* Several dumps in one input: each from where addresses start again. */
static int split_smaps(struct load *l, struct slice text, const char *name, bool strict, struct err *e)
{
	unsigned long before = 0;

	while (text.n) {
		struct snapshot *s = load_add(l);
		struct smaps_options o = { .strict = strict, .split = true };
		struct slice part;
		unsigned long lines;

		if (next_dump(text, o, &s->smaps, &part, &lines, e)) {
			e->line += e->line ? before : 0;
			return err_in(e, name);
		}
		before += lines;
		s->has_smaps = true;
		s->source.kind = KIND_SMAPS;
		s->source.path = name;
		take_notes(s);
		text = slice_skip(text, part.n);
	}
	return 0;
}

/* Smaps from a stream into s; --split may add more snapshots, so s may move. */
static int load_smaps(struct load *l, struct stream *in, const char *name,
		      const struct common_options *c, struct load_options o, bool rollup,
		      struct err *e)
{
	struct slice text;
	char word[400];

	if (o.split && !rollup) {
		if (stream_all(in, (size_t)4 << 30, &l->arena, &text, e))
			return err_in(e, name);
		return split_smaps(l, text, name, c->strict, e);
	}
	struct snapshot *s = load_add(l);
	s->source.kind = rollup ? KIND_ROLLUP : KIND_SMAPS;
	s->source.path = name;
	s->has_smaps = true;
	if (read_smaps(&s->smaps, in, c->strict, e)) {
		if (e->kind == ERR_LIMIT && e->line)
			err_hint(e, "Report them one by one: hugecov report --split %s",
				 strcmp(name, "standard input") ? shell_quote(name, word, sizeof(word)) : "-");
		return err_in(e, name);
	}
	take_notes(s);
	/* A zombie's file is empty; what has other lines only is no smaps, whatever --kind says. */
	if (s->smaps.n == 0 && (s->smaps.notes[NOTE_CUT] || s->smaps.notes[NOTE_FOREIGN])) {
		err_set(e, ERR_KIND, "there is no mapping line in it (7f…-7f… rw-p …)");
		return err_in(e, name);
	}
	if (rollup && s->smaps.n > 1) {
		err_set(e, ERR_KIND, "this is smaps: a rollup has one mapping line, called [rollup]");
		return err_in(e, name);
	}
	if (s->smaps.again)
		load_remark(l, s, "its first mapping stands in it again, as in two dumps of one process: "
				  "report --split shows each");
	return 0;
}

/* ---- system files ---- */

static int refuse_mappings(struct slice text, const char *name, struct err *e)
{
	struct err ignored;
	enum source_kind kind = sniff(text, &ignored);

	if (kind != KIND_SMAPS && kind != KIND_ROLLUP)
		return 0;
	err_set(e, ERR_KIND, "this is smaps: it has mapping lines");
	return err_in(e, name);
}

static struct node_info *node_of(struct load *l, int node)
{
	for (size_t i = 0; i < l->system.nodes_n; i++)
		if (l->system.nodes[i].node == node)
			return &l->system.nodes[i];
	struct node_info *list = arena_array(&l->arena, l->system.nodes_n + 1, sizeof(*list));
	if (l->system.nodes_n)
		memcpy(list, l->system.nodes, l->system.nodes_n * sizeof(*list));
	l->system.nodes = list;
	list[l->system.nodes_n] = (struct node_info){ .node = node };
	return &list[l->system.nodes_n++];
}

static int system_file(struct load *l, enum source_kind kind, struct slice text, const char *name, bool strict,
		       struct err *e)
{
	bool mem = kind == KIND_MEMINFO || kind == KIND_NODE_MEMINFO;
	struct keyvals k;

	if (mem ? meminfo_parse(text, &l->arena, strict, &k, e) : vmstat_parse(text, &l->arena, strict, &k, e))
		return err_in(e, name);
	if (kind == KIND_MEMINFO) {
		l->system.meminfo = k;
		l->system.has_meminfo = true;
	} else if (kind == KIND_VMSTAT) {
		l->system.vmstat = k;
		l->system.has_vmstat = true;
	} else {
		struct node_info *n = node_of(l, k.node);

		if (mem) {
			n->meminfo = k;
			n->has_meminfo = true;
		} else {
			n->vmstat = k;
			n->has_vmstat = true;
		}
	}
	struct snapshot *s = load_add(l);
	s->source.kind = kind;
	s->source.path = name;
	memcpy(s->source.notes, k.notes, sizeof(s->source.notes));
	return 0;
}

/* ---- any file ---- */

/* Enough of the front to tell the kind: pipes give a little at a time. */
static int read_head(struct stream *in, struct arena *a, struct slice *ret, struct err *e)
{
	struct out head;
	struct slice piece;
	int status;

	out_memory(&head);
	while ((status = stream_next(in, &piece, e)) == 0 && piece.n) {
		out_put(&head, piece);
		if (head.n >= SNIFF_BYTES)
			break;
	}
	*ret = arena_copy(a, out_slice(&head));
	out_close(&head);
	return status;
}

/* A report that was kept, as the snapshot it was made of. */
static int load_report(struct load *l, struct stream *in, const char *name, struct err *e)
{
	struct snapshot *s = load_add(l);
	struct arena bytes = { 0 };
	struct slice text;
	char word[400];

	*s = (struct snapshot){ 0 };
	int status = stream_all(in, COUNTERS_MAX, &bytes, &text, e);
	if (!status)
		status = report_read(text, s, e);
	s->source.path = name;
	if (status && e->line == 2 && slice_has(slice_first(slice_cut_line(text).tail, 64), SLICE("\"hugecov.tick/")))
		err_hint(e, "It is a recording: hugecov watch %s replays it", shell_quote(name, word, sizeof(word)));
	arena_free(&bytes);
	return status ? err_in(e, name) : 0;
}

static int by_kind(struct load *l, enum source_kind kind, struct stream *in, const char *name,
		   const struct common_options *c, struct load_options o, struct err *e)
{
	struct slice text;

	switch (kind) {
	case KIND_SMAPS:
	case KIND_ROLLUP:
		return load_smaps(l, in, name, c, o, kind == KIND_ROLLUP, e);
	case KIND_MEMINFO:
	case KIND_VMSTAT:
	case KIND_NODE_MEMINFO:
	case KIND_NODE_VMSTAT:
		if (stream_all(in, SYSTEM_FILE_MAX, &l->arena, &text, e))
			return err_in(e, name);
		if (refuse_mappings(text, name, e)) /* --kind may have said so */
			return -1;
		return system_file(l, kind, text, name, c->strict, e);
	case KIND_REPORT:
		return load_report(l, in, name, e);
	default:
		if (stream_all(in, COUNTERS_MAX, &l->arena, &text, e))
			return err_in(e, name);
		load_add_counters(l, kind, name, text);
		return 0;
	}
}

/* ---- mails ---- */

enum { MAIL_MAX = 64 * 1024 * 1024 };

/* Kinds whose readers do not undo quoted-printable themselves. */
static bool needs_decoding(enum source_kind kind)
{
	return kind != KIND_PERF && kind != KIND_LKP && kind != KIND_LAT && kind != KIND_UNKNOWN;
}

/*
 * What a mail program saved, and what was pasted in its encoding, becomes plain
 * text before anybody looks at it. What is attached is looked at only when
 * nothing is read here in the text itself.
 */
static int open_mail(struct load *l, struct stream **in, struct slice *head, enum source_kind given, struct err *e)
{
	bool mail = mail_looks(*head);
	struct slice bytes, text;
	struct err ignored;

	if (!mail && !(mail_looks_encoded(*head) && needs_decoding(given ? given : sniff(*head, &ignored))))
		return 0;
	stream_unread(*in, *head);
	if (stream_all(*in, MAIL_MAX, &l->arena, &bytes, e))
		return err_hint(e, "Save the text of the mail as a file of its own, and give that");
	if (!mail)
		text = mail_decode_quoted_printable(bytes, &l->arena);
	else if (mail_decode(bytes, false, &l->arena, &text, e))
		return -1;
	enum source_kind found = mail ? sniff(text, &ignored) : given;
	if (mail && (found == KIND_UNKNOWN || (given && found != given)) &&
	    mail_decode(bytes, true, &l->arena, &text, e))
		return -1;
	stream_close(*in);
	*in = stream_memory(text);
	*head = slice_first(text, SNIFF_BYTES);
	return 0;
}

int load_file(struct load *l, const char *path, const struct common_options *c, struct load_options o, struct err *e)
{
	struct stream *in;
	struct slice head;
	const char *name = arena_str(&l->arena, slice_str(path));
	enum source_kind kind = (enum source_kind)c->kind;
	size_t counters = l->counters_n, snaps = l->n;
	int status = -1;

	if (stream_open_path(path, &in, e))
		return -1;
	const char *shown = strcmp(path, "-") ? name : "standard input";
	if (read_head(in, &l->arena, &head, e) || open_mail(l, &in, &head, kind, e)) {
		err_in(e, shown);
		goto out;
	}
	if (kind == KIND_UNKNOWN) {
		kind = sniff(head, e);
	} else if (binary_refuse(head, e)) { /* no --kind makes text of it */
		err_in(e, shown);
		goto out;
	}
	if (kind == KIND_UNKNOWN) {
		err_in(e, shown);
		goto out;
	}
	stream_unread(in, head);
	status = by_kind(l, kind, in, shown, c, o, e);
	/* In documents standard input keeps its name on the command line. */
	for (size_t i = counters; !status && i < l->counters_n; i++)
		l->counters[i].info.path = name;
	for (size_t i = snaps; !status && i < l->n; i++)
		l->snaps[i].source.path = name;
out:
	stream_close(in);
	return status;
}
