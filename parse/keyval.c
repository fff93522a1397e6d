/* SPDX-License-Identifier: MIT */
#include "parse/keyval.h"

#include <stdlib.h>

#include <string.h>

#include "base/num.h"
#include "parse/smaps_line.h"

struct keyval_reader {
	struct keyvals *out;
	struct keyval *list;
	size_t cap;
	unsigned long line;
	const char *file; /* "meminfo", for people */
	bool strict;
	bool last;        /* this line has no newline */
};

static void add(struct keyval_reader *r, struct keyval kv)
{
	r->list = mem_grow(r->list, &r->cap, r->out->n + 1, sizeof(*r->list));
	r->list[r->out->n++] = kv;
}

/* Quote marks, blanks, CR: text that went through a mail. */
static struct slice undress(struct slice line)
{
	line_unquote(&line);
	return slice_rtrim(line);
}

/* "Node 0 " in front, the same on every line. */
static bool take_node(struct slice *line, int *ret)
{
	struct slice rest = *line;
	uint64_t node;

	if (!slice_starts(rest, SLICE("Node ")))
		return false;
	rest = slice_ltrim(slice_skip(rest, 5));
	if (num_take_u64(&rest, &node) != NUM_OK || node > INT32_MAX || !rest.n ||
	    !is_blank(*rest.p))
		return false;
	*ret = (int)node;
	*line = slice_ltrim(rest);
	return true;
}

bool keyval_is_key(struct slice key)
{
	for (size_t i = 0; i < key.n; i++)
		if (!is_alpha(key.p[i]) && !is_digit(key.p[i]) && key.p[i] != '_' &&
		    key.p[i] != '(' && key.p[i] != ')')
			return false;
	return key.n > 0 && (is_alpha(*key.p) || *key.p == '_');
}

static int note(struct keyval_reader *r, enum note n, struct slice line, struct err *e)
{
	r->out->notes[n]++;
	if (!r->strict)
		return 0;
	if (n == NOTE_FOREIGN)
		return err_at(e, r->line, line, line.p, "this line is not from %s (--strict)",
			      r->file);
	return err_at(e, r->line, line, line.p, "%s (--strict)", note_words[n]);
}

static int foreign(struct keyval_reader *r, struct slice line, struct err *e)
{
	enum note n = line_elides(line) ? NOTE_ELIDED : r->last ? NOTE_CUT : NOTE_FOREIGN;

	return note(r, n, line, e);
}

static int number(struct keyval_reader *r, struct slice line, struct slice *rest, uint64_t *ret,
		  struct err *e)
{
	const char *at = rest->p;

	switch (num_take_u64(rest, ret)) {
	case NUM_OK:
		return 0;
	case NUM_OVERFLOW:
		return err_at(e, r->line, line, at, "this number does not fit 64 bits");
	default:
		return err_at(e, r->line, line, at, "a number is due here");
	}
}

/* As fs/proc/meminfo.c and mm/hugetlb.c print them, 2.6.14 to 6.18. */
static const char *const meminfo_names[] = {
	"MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "SwapCached", "Active", "Inactive", "Unevictable",
	"Mlocked", "HighTotal", "HighFree", "LowTotal", "LowFree", "MmapCopy", "SwapTotal", "SwapFree", "Zswap",
	"Zswapped", "Dirty", "Writeback", "AnonPages", "Mapped", "Shmem", "KReclaimable", "Slab", "SReclaimable",
	"SUnreclaim", "KernelStack", "ShadowCallStack", "PageTables", "SecPageTables", "Quicklists", "NFS_Unstable",
	"Bounce", "WritebackTmp", "CommitLimit", "Committed_AS", "VmallocTotal", "VmallocUsed", "VmallocChunk",
	"Percpu", "EarlyMemtestBad", "HardwareCorrupted", "AnonHugePages", "ShmemHugePages", "ShmemPmdMapped",
	"FileHugePages", "FilePmdMapped", "CmaTotal", "CmaFree", "Unaccepted", "Balloon", "Hugepagesize", "Hugetlb",
};

/* What the kernel prints a number behind, not what stands before a colon in prose. */
static bool is_meminfo_name(struct slice key)
{
	if (slice_starts(key, SLICE("HugePages_")) || slice_starts(key, SLICE("DirectMap")) ||
	    slice_ends(key, SLICE("(anon)")) || slice_ends(key, SLICE("(file)")))
		return true;
	for (size_t i = 0; i < sizeof(meminfo_names) / sizeof(*meminfo_names); i++)
		if (slice_eq_str(key, meminfo_names[i]))
			return true;
	return false;
}

static bool is_one_word(struct slice text)
{
	struct cut w = slice_cut_word(text);
	struct slice rest = slice_trim(w.tail);

	return w.head.n && (!rest.n || slice_eq(rest, SLICE("kB")));
}

static int meminfo_line(struct keyval_reader *r, struct slice line, struct err *e)
{
	struct slice whole = line;
	int node;

	if (take_node(&line, &node)) {
		if (r->out->node >= 0 && r->out->node != node)
			return err_at(e, r->line, whole, whole.p, "lines of two nodes in one file");
		r->out->node = node;
	}
	struct cut c = slice_cut(line, ':');
	if (!c.ok || !keyval_is_key(c.head))
		return foreign(r, whole, e);
	struct slice rest = slice_ltrim(c.tail);
	/* Linux 2.4 began with a table; its header has keys without numbers. Prose has words. */
	if (rest.n && !is_digit(*rest.p) && (is_alpha(*rest.p) || slice_has(rest, SLICE(":"))) &&
	    !(is_one_word(rest) && is_meminfo_name(c.head)))
		return foreign(r, whole, e);
	struct keyval kv = { .key = c.head };
	/* The transport may have cut the number itself: most have their kB behind it. */
	if (r->last && !slice_ends(rest, SLICE("kB")) && !slice_starts(c.head, SLICE("HugePages_")))
		return note(r, NOTE_CUT, whole, e);
	if (number(r, whole, &rest, &kv.value, e))
		return -1;
	rest = slice_ltrim(rest);
	kv.kb = slice_eq(rest, SLICE("kB"));
	if (rest.n && !kv.kb)
		return err_at(e, r->line, whole, rest.p, "kB and the end of the line are due here");
	add(r, kv);
	return 0;
}

static int vmstat_line(struct keyval_reader *r, struct slice line, struct err *e)
{
	struct cut w = slice_cut_word(line);
	struct keyval kv = { .key = w.head };
	struct slice rest = slice_ltrim(w.tail);

	bool negative = rest.n > 1 && *rest.p == '-' && is_digit(rest.p[1]);
	/* "thp_fault_alloc abc": a name of the kernel's and one word, where prose has more. */
	bool broken = rest.n && is_alpha(*rest.p) && slice_has(w.head, SLICE("_")) &&
		      !slice_cut_word(rest).tail.n;

	if (!keyval_is_key(w.head) || rest.n == 0 || (!is_digit(*rest.p) && !negative && !broken))
		return foreign(r, line, e);
	if (number(r, line, &rest, &kv.value, e))
		return -1;
	if (rest.n)
		return err_at(e, r->line, line, rest.p, "the end of the line is due here");
	add(r, kv);
	return 0;
}

/* qsort has no context: keys first, then the order of the file (they point into one text). */
static int cmp_key(const void *a, const void *b)
{
	const struct keyval *x = a, *y = b;
	int c = slice_cmp(x->key, y->key);

	return c ? c : (x->key.p > y->key.p) - (x->key.p < y->key.p);
}

static int cmp_place(const void *a, const void *b)
{
	const struct keyval *x = a, *y = b;

	return (x->key.p > y->key.p) - (x->key.p < y->key.p);
}

/* A key that stands twice keeps its first value. O(n log n). */
static size_t drop_repeated(struct keyval *list, size_t n)
{
	size_t kept = 0;

	if (n == 0)
		return 0;
	qsort(list, n, sizeof(*list), cmp_key);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || !slice_eq(list[kept - 1].key, list[i].key))
			list[kept++] = list[i];
	qsort(list, kept, sizeof(*list), cmp_place);
	return kept;
}

/* Blanks for NUL and no-break space, byte for byte: places stay what they are. */
static struct slice without_odd_bytes(struct slice bytes, struct arena *a)
{
	bool odd = bytes.n && memchr(bytes.p, '\0', bytes.n);

	if (!odd && slice_find(bytes, SLICE("\xc2\xa0")) < 0)
		return bytes;
	char *p = arena_alloc(a, bytes.n);
	for (size_t i = 0; i < bytes.n; i++) {
		bool space = slice_starts(slice_skip(bytes, i), SLICE("\xc2\xa0"));

		p[i] = space || bytes.p[i] == '\0' ? ' ' : bytes.p[i];
		if (space)
			p[++i] = ' ';
	}
	return slice_of(p, bytes.n);
}

/* What a mail or a web page did to the line; `raw` is the line before without_odd_bytes(). */
static int take_dress(struct keyval_reader *r, struct slice line, struct slice raw,
		      struct slice text, struct err *e)
{
	bool quoted = line_unquote(&line), crlf = raw.n && raw.p[raw.n - 1] == '\r';
	bool tabs = (text.n && memchr(text.p, '\t', text.n)) ||
		    slice_find(raw, SLICE("\xc2\xa0")) >= 0;
	int status = 0;

	if (raw.n && memchr(raw.p, '\0', raw.n))
		status = note(r, NOTE_NUL, raw, e);
	if (!status && crlf)
		status = note(r, NOTE_CRLF, raw, e);
	if (!status && text.n && quoted)
		status = note(r, NOTE_QUOTED, raw, e);
	if (!status && text.n && !quoted && text.p != raw.p && is_blank(*raw.p))
		status = note(r, NOTE_INDENTED, raw, e);
	return status || !tabs ? status : note(r, NOTE_TABS, raw, e);
}

static int take_line(struct keyval_reader *r, struct slice line, struct slice raw,
		     int (*take)(struct keyval_reader *, struct slice, struct err *), struct err *e)
{
	struct slice text = undress(line);

	if (take_dress(r, line, raw, text, e))
		return -1;
	return text.n ? take(r, text, e) : 0;
}

static int parse(struct slice bytes, struct arena *a, struct keyval_reader r, struct keyvals *ret,
		 int (*take)(struct keyval_reader *, struct slice, struct err *), struct err *e)
{
	int status = 0;

	if (slice_starts(bytes, SLICE("\xef\xbb\xbf")))
		bytes = slice_skip(bytes, 3);
	struct slice plain = without_odd_bytes(bytes, a);
	r.out = ret;
	*ret = (struct keyvals){ .node = -1 };
	for (struct cut c = slice_cut_line(plain); !status && (c.head.n || c.ok);
	     c = slice_cut_line(c.tail)) {
		struct slice raw = slice_of(bytes.p + (c.head.p - plain.p), c.head.n);

		r.line++;
		r.last = !c.ok;
		status = take_line(&r, c.head, raw, take, e);
		if (!status && r.last)
			status = note(&r, NOTE_NO_FINAL_NEWLINE, raw, e);
	}
	ret->n = drop_repeated(r.list, ret->n);
	ret->at = arena_dup(a, r.list, ret->n, sizeof(*ret->at));
	mem_free(r.list);
	if (!status && ret->n == 0)
		status = err_set(e, ERR_KIND, "no line with a name and a number");
	return status;
}

int meminfo_parse(struct slice bytes, struct arena *a, bool strict, struct keyvals *ret,
		  struct err *e)
{
	struct keyval_reader r = { .strict = strict, .file = "meminfo" };

	return parse(bytes, a, r, ret, meminfo_line, e);
}

int vmstat_parse(struct slice bytes, struct arena *a, bool strict, struct keyvals *ret,
		 struct err *e)
{
	struct keyval_reader r = { .strict = strict, .file = "vmstat" };

	return parse(bytes, a, r, ret, vmstat_line, e);
}

bool keyvals_get(const struct keyvals *k, const char *key, uint64_t *ret)
{
	struct slice name = slice_str(key);

	for (size_t i = 0; k && i < k->n; i++)
		if (slice_eq(k->at[i].key, name)) {
			*ret = k->at[i].value;
			return true;
		}
	return false;
}

struct slice status_value(struct slice status, const char *key)
{
	for (struct cut c = slice_cut_line(status); c.head.n || c.ok; c = slice_cut_line(c.tail)) {
		struct cut k = slice_cut(undress(c.head), ':');

		if (k.ok && slice_eq_str(k.head, key))
			return slice_trim(k.tail);
	}
	return slice_of(NULL, 0);
}
