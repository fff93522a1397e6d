/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <glob.h>

#include "base/out.h"
#include "parse/smaps.h"

#define HEAD "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n"
#define BODY "Size:               2048 kB\nKernelPageSize:        4 kB\nRss:                2048 kB\n" \
	     "AnonHugePages:      2048 kB\nTHPeligible:           1\nVmFlags: rd wr mr mw me ac hg \n"

static struct smaps parsed;

static int parse(const char *text, struct smaps_options o, struct err *e)
{
	smaps_free(&parsed);
	return smaps_parse(slice_str(text), o, &parsed, e);
}

static void good(const char *text)
{
	struct err e = { 0 };

	if (parse(text, (struct smaps_options){ 0 }, &e))
		fail_msg("%lu:%lu: %s", e.line, e.column, e.text);
}

static void bad(const char *text, unsigned long line, unsigned long column, const char *says)
{
	struct err e = { 0 };

	assert_int_equal(parse(text, (struct smaps_options){ 0 }, &e), -1);
	if (e.line != line || e.column != column || !strstr(e.text, says))
		fail_msg("%lu:%lu: %s, not %lu:%lu: %s", e.line, e.column, e.text, line, column, says);
}

static void one_record(void **state)
{
	(void)state;
	good(HEAD BODY);
	assert_int_equal(parsed.n, 1);
	const struct vma *v = &parsed.vma[0];
	assert_int_equal(v->start, UINT64_C(0x7f0000000000));
	assert_int_equal(v->end, UINT64_C(0x7f0000200000));
	assert_memory_equal(v->perms, "rw-p", 4);
	assert_int_equal(vma_value(&parsed, v, SMAPS_AnonHugePages), 2048);
	assert_true(vma_has(v, SMAPS_Rss));
	assert_false(vma_has(v, SMAPS_Pss)); /* absent is not zero */
	assert_true(vma_flag(v, VM_FLAG_BIT(hg)));
	assert_false(vma_flag(v, VM_FLAG_BIT(nh)));
	for (int i = 0; i < NOTE_COUNT; i++)
		assert_int_equal(parsed.notes[i], 0);
}

static void fields_are_found_by_name(void **state)
{
	(void)state;
	for (int i = 0; i < SMAPS_FIELDS; i++)
		assert_int_equal(smaps_field_of(slice_str(smaps_fields[i].name)), i);
	assert_int_equal(smaps_field_of(SLICE("RSS")), SMAPS_FIELDS);
	assert_int_equal(smaps_field_of(SLICE("")), SMAPS_FIELDS);
	for (int i = 0; i < VM_FLAGS; i++)
		assert_int_equal(strlen(vm_flags[i].code), 2);
}

static void unknown_things_pass(void **state)
{
	size_t n;

	(void)state;
	good(HEAD "Rss:   4 kB\nNewField:   7 kB\nOther:  3\nVmFlags: rd zz ?? ?? wr \n");
	assert_int_equal(parsed.notes[NOTE_UNKNOWN], 5);
	const struct smaps_extra *x = smaps_extras(&parsed, 0, &n);
	assert_int_equal(n, 5);
	assert_slice(parsed.unknown_keys[x[0].key - EXTRA_KEY], "NewField");
	assert_int_equal(x[0].value, 7);
	assert_true(vma_flag(&parsed.vma[0], VM_FLAG_BIT(wr)));
}

static void wide_values(void **state)
{
	(void)state;
	good("100000000000-5000000000000 ---p 00000000 00:00 0 \nSize:           1357209665536 kB\n"
	     "Rss:   4294967295 kB\nPss:  4294967294 kB\n");
	assert_int_equal(vma_value(&parsed, parsed.vma, SMAPS_Size), UINT64_C(1357209665536));
	assert_int_equal(vma_value(&parsed, parsed.vma, SMAPS_Rss), UINT64_C(4294967295));
	assert_int_equal(vma_value(&parsed, parsed.vma, SMAPS_Pss), UINT64_C(4294967294));
}

static void names_are_bytes(void **state)
{
	(void)state;
	good("08048000-080f6000 r-xp 00000000 ca:00 809        /usr/sbin/x (deleted) (deleted)\nRss:  4 kB\n"
	     "180f6000-180f7000 r--p 00000000 ca:00 809        AnonHugePages:   2048 kB\nRss: 4 kB\n"
	     "280f6000-280f7000 r--p 00000000 ca:00 809         lead and trail  \nRss: 4 kB\n"
	     "380f6000-380f7000 r--p 00000000 ca:00 809        /a\tb\x1b\xff\nRss: 4 kB\n");
	assert_int_equal(parsed.n, 4);
	assert_slice(vma_name(&parsed, &parsed.vma[0]), "/usr/sbin/x (deleted) (deleted)");
	assert_slice(vma_name(&parsed, &parsed.vma[1]), "AnonHugePages:   2048 kB");
	assert_slice(vma_name(&parsed, &parsed.vma[2]), "lead and trail  ");
	assert_slice(vma_name(&parsed, &parsed.vma[3]), "/a\tb\x1b\xff");
	assert_false(vma_has(&parsed.vma[1], SMAPS_AnonHugePages));
}

/* How pasted text departs from the kernel's, and under which name that is counted. */
static const struct {
	enum note note;
	uint32_t times;
	const char *text;
} forgiven[] = {
	{ NOTE_QUOTED, 3, "> " HEAD "> Rss:                2048 kB\n>> Pss:  4 kB\n" },
	{ NOTE_QUOTED, 3, "&gt; " HEAD "&gt; Rss:                2048 kB\n&gt;&gt; Pss:  4 kB\n" },
	{ NOTE_INDENTED, 2, "  " HEAD "\tRss:                2048 kB\n" },
	{ NOTE_CRLF, 2, "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \r\nRss:   2048 kB\r\n" },
	{ NOTE_TABS, 1, HEAD "Rss:\t2048 kB\n" },
	{ NOTE_TABS, 2, "7f0000000000-7f0000200000\xc2\xa0rw-p 00000000 00:00 0 \nRss:\xc2\xa0\xc2\xa0""2048 kB\n" },
	{ NOTE_UNKNOWN, 1, "\xef\xbb\xbf" HEAD "Rss:  2048 KB\nFoo:  1\n" },
	{ NOTE_NO_FINAL_NEWLINE, 1, HEAD "Rss:                2048 kB" },
	{ NOTE_WRAPPED, 1, "7f0000000000-7f0000200000 r--p 00000000 00:1e 199856\n/usr/lib/x.so\nRss:   2048 kB\n" },
	{ NOTE_WRAPPED, 1, "7f0000000000-7f0000200000 r--p 00000000 00:1e 199856 /usr/lib/x.so\n(deleted)\nRss:   2048 kB\n" },
	{ NOTE_ELIDED, 2, HEAD "...\nRss:   2048 kB\n\xe2\x80\xa6\n" },
	{ NOTE_CUT, 2, "Rss:   8 kB\nPss:   8 kB\n" HEAD "Rss:   2048 kB\n" },
	{ NOTE_CUT, 1, HEAD "Rss:   2048 kB\nPss:" },
	{ NOTE_CUT, 1, HEAD "Rss:   2048 kB\nPss:      10" },
	{ NOTE_CUT, 1, HEAD "Rss:   2048 kB\n7f0000200000-7f00004" },
	{ NOTE_FOREIGN, 2, "Hello,\n" HEAD "Rss:   2048 kB\nNote: see below\n" },
	{ NOTE_UNKNOWN, 1, HEAD "Rss:   2048 kB\nFoo:   2048 kB\n" },
};

static void forgiven_and_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forgiven) / sizeof(*forgiven); i++) {
		struct err e = { 0 };
		bool strict = true;

		good(forgiven[i].text);
		if (parsed.notes[forgiven[i].note] != forgiven[i].times)
			fail_msg("case %zu: %s is %u, not %u", i, note_names[forgiven[i].note],
				 parsed.notes[forgiven[i].note], forgiven[i].times);
		assert_int_equal(parsed.n, 1);
		assert_int_equal(vma_value(&parsed, parsed.vma, SMAPS_Rss), 2048);
		int status = parse(forgiven[i].text, (struct smaps_options){ .strict = strict }, &e);
		assert_int_equal(status, forgiven[i].note == NOTE_UNKNOWN ? 0 : -1);
		if (status)
			assert_true(e.line > 0);
	}
}

#define FILE_HEAD "7f0000000000-7f0000200000 r--p 00000000 00:1e 199856                     "
#define ANON_HEAD "7f0000000000-7f0000200000 rw-p 00000000 00:00 0                          "

/* What a terminal of 80 columns or a mailer has broken is joined where it is sure how, else it is foreign. */
static void broken_lines(void **state)
{
	static const struct {
		const char *text, *name, *flags; /* those that are set */
		uint32_t wrapped, foreign;
	} rows[] = {
		{ FILE_HEAD "/usr/li\nb/x86_64/x.so\nRss: 4 kB\n", "/usr/lib/x86_64/x.so", "", 1, 0 },
		{ FILE_HEAD "/usr/li\nb/x.so (deleted)\nRss: 4 kB\n", "/usr/lib/x.so (deleted)", "", 1, 0 },
		{ FILE_HEAD "/lib/xy\n(deleted)\nRss: 4 kB\n", "/lib/xy (deleted)", "", 1, 0 },
		{ FILE_HEAD "/lib/xy\n (deleted)\nRss: 4 kB\n", "/lib/xy (deleted)", "", 1, 0 },
		{ FILE_HEAD "/opt/My\n Games/a b\nRss: 4 kB\n", "/opt/My", "", 0, 1 },
		{ FILE_HEAD "/a b/My\n Games/x\nRss: 4 kB\n", "/a b/My Games/x", "", 1, 0 },
		{ FILE_HEAD "/lib/xy\n<- look at this one\nRss: 4 kB\n", "/lib/xy", "", 0, 1 },
		{ FILE_HEAD "/lib/x\nyz\nRss: 4 kB\n", "/lib/x", "", 0, 1 }, /* 79 columns */
		{ "> " FILE_HEAD "/usr/li\n> b/x.so\n> Rss: 4 kB\n", "/usr/lib/x.so", "", 1, 0 },
		{ "> " FILE_HEAD "/usr/\nlib/x.so\n> Rss: 4 kB\n", "/usr/lib/x.so", "", 1, 0 },
		{ FILE_HEAD "\n/0123456789012345678901234567890123456789012345678901234567890123456789012345678\n"
		  "9/x.so\nRss: 4 kB\n",
		  "/01234567890123456789012345678901234567890123456789012345678901234567890123456789/x.so", "", 2, 0 },
		{ ANON_HEAD "[anon:a\nb c]\nRss: 4 kB\n", "[anon:ab c]", "", 1, 0 },
		{ ANON_HEAD "[anon:a\n b]\nRss: 4 kB\n", "[anon:a b]", "", 1, 0 },
		{ ANON_HEAD "[anon:\nb c]\nRss: 4 kB\n", "[anon: b c]", "", 1, 0 },
		{ ANON_HEAD "\n[this is ours]\nRss: 4 kB\n", "", "", 0, 1 }, /* what people write */
		{ ANON_HEAD "\n// heap\nRss: 4 kB\n", "", "", 0, 1 },
		{ ANON_HEAD "\n[heap]\nRss: 4 kB\n", "[heap]", "", 1, 0 },
		{ HEAD "Rss: 4 kB\nVmFlags: rd wr\nac hg\n", "", "rd wr ac hg", 1, 0 },
		{ HEAD "Rss: 4 kB\nVmFlags: rd wr\nac\nhg\n", "", "rd wr ac hg", 2, 0 },
		{ HEAD "Rss: 4 kB\nVmFlags:\nrd wr\n", "", "rd wr", 1, 0 },
		{ HEAD "Rss: 4 kB\nVmFlags: rd wr a\nc hg \n", "", "rd wr ac hg", 1, 0 },
		{ HEAD "Rss: 4 kB\nVmFlags: rd wr\nto be\n", "", "rd wr", 0, 1 },
		{ HEAD "Rss: 4 kB\nVmFlags: rd wr\nhello\nhg\n", "", "rd wr", 0, 2 },
		{ HEAD "VmFlags: rd wr\nRss: 4 kB\nhg\n", "", "rd wr", 0, 1 },
		{ HEAD "VmFlags: rd wr a\nRss: 4 kB\n", "", "rd wr a", 0, 0 },
		{ HEAD "Rss: 4 kB\nVmFlags: rd wr a\n", "", "rd wr a", 0, 0 },
		{ "hg\n" HEAD "Rss: 4 kB\n", "", "", 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t flags = 0;
		bool half = false;

		good(rows[i].text);
		assert_int_equal(parsed.n, 1);
		assert_int_equal(vma_value(&parsed, parsed.vma, SMAPS_Rss), 4);
		assert_slice(vma_name(&parsed, parsed.vma), rows[i].name);
		for (struct cut w = slice_cut_word(slice_str(rows[i].flags)); w.head.n; w = slice_cut_word(w.tail)) {
			half |= w.head.n == 1;
			for (unsigned f = 0; f < VM_FLAGS; f++)
				if (slice_eq_str(w.head, vm_flags[f].code))
					flags |= UINT64_C(1) << f;
		}
		if (parsed.vma->flags != flags || parsed.notes[NOTE_UNKNOWN] != half ||
		    parsed.notes[NOTE_WRAPPED] != rows[i].wrapped || parsed.notes[NOTE_FOREIGN] != rows[i].foreign)
			fail_msg("case %zu: flags %llx, unknown %u, wrapped %u, foreign %u", i,
				 (unsigned long long)parsed.vma->flags, parsed.notes[NOTE_UNKNOWN],
				 parsed.notes[NOTE_WRAPPED], parsed.notes[NOTE_FOREIGN]);
	}
}

static void nul_bytes(void **state)
{
	static const char text[] = HEAD "Rss:   20\0""48 kB\n";
	struct err e = { 0 };

	(void)state;
	smaps_free(&parsed);
	assert_int_equal(smaps_parse(slice_of(text, sizeof(text) - 1), (struct smaps_options){ 0 }, &parsed, &e), 0);
	assert_int_equal(parsed.notes[NOTE_NUL], 1);
	assert_int_equal(vma_value(&parsed, parsed.vma, SMAPS_Rss), 2048);
}

static void always_an_error(void **state)
{
	(void)state;
	bad(HEAD "Rss:   abc kB\n", 2, 8, "a number is due here");
	bad(HEAD "Rss:   99999999999999999999 kB\n", 2, 8, "larger than any address space");
	bad(HEAD "Rss:   99999999999999999 kB\n", 2, 8, "larger than any address space");
	bad(HEAD "THPeligible:    4294967296\nRss: 4 kB\n", 2, 17, "no kernel prints so large a number");
	bad(HEAD "ProtectionKey: 18446744073709551615\nRss: 4 kB\n", 2, 16, "no kernel prints so large a number");
	bad("7f0000200000-7f0000200000 rw-p 00000000 00:00 0 \n" BODY, 1, 14, "the end is not above the start");
	bad("7f0000200000-7f0000100000 rw-p 00000000 00:00 0 \n" BODY, 1, 14, "the end is not above the start");
	bad("17f0000000000000000-7f0000200000 rw-p 00000000 00:00 0 \n" BODY, 1, 1, "does not fit 64 bits");
	bad(HEAD "Size:               1024 kB\nRss: 4 kB\n", 2, 21, "Size contradicts");
	bad("7f0000000000-7f0000200000\n" BODY, 1, 26, "permissions");
	bad(HEAD "Size: 2048 kB Rss: 4 kB\nPss: 4 kB\n", 2, 12, "kB and the end of the line");
	bad(HEAD "Rss:   4 MB\nPss: 4 kB\n", 2, 10, "kB and the end of the line");
	bad(HEAD "Rss:   4 kB\nRss:   8 kB\n", 3, 1, "Rss again");
	bad(HEAD "Rss:\nPss:  4 kB\n", 2, 5, "a number is missing");
	bad("7f0000000000-7f0000200000 rw-p 00000000 0000 0 \n" BODY, 1, 41, "device");
}

static void stack_may_differ_by_a_page(void **state)
{
	(void)state;
	good("7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0   [stack]\nSize:   136 kB\nRss: 4 kB\n");
	good("7ffe00000000-7ffe00020000 rw-p 00000000 00:00 0   [stack]\nSize:   192 kB\nRss: 4 kB\n"); /* 64K pages */
	/* A thread's stack is an ordinary mapping: it does not grow, so no guard page was left out. */
	bad("7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0   [stack:17]\nSize:   136 kB\nRss: 4 kB\n", 2, 9,
	    "Size contradicts");
	/* 132 kB are no multiple of an 8 kB page. */
	bad("7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0   [stack]\nSize:   140 kB\nRss: 4 kB\n", 2, 9,
	    "Size contradicts");
	bad("7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0   [heap]\nSize:   136 kB\nRss: 4 kB\n", 2, 9, "Size contradicts");
	/* Two pages are not one, once it is known what a page is. */
	bad("7f0000000000-7f0000001000 rw-p 00000000 00:00 0\nKernelPageSize: 4 kB\n"
	    "7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0   [stack]\nSize:   124 kB\n", 4, 9, "Size contradicts");
}

/* "VmFlags:" at the end of the input is cut, not a mapping without flags. */
static void flags_may_be_cut(void **state)
{
	(void)state;
	good(HEAD "Rss: 4 kB\nVmFlags:");
	assert_int_equal(parsed.notes[NOTE_CUT], 1);
	assert_false(vma_has_flags(&parsed.vma[0]));
	good(HEAD "Rss: 4 kB\nVmFlags: \n");
	assert_true(vma_has_flags(&parsed.vma[0]));
}

#define MAPPING(a, b, name) a "-" b " rw-p 00000000 00:00 0    " name "\nRss:   4 kB\n"

static void torn_dumps(void **state)
{
	(void)state;
	/* Of equal ranges the later is kept: nothing is lost. */
	good(MAPPING("10000000", "10001000", "") MAPPING("10000000", "10001000", "x") MAPPING("20000000", "20001000", ""));
	assert_int_equal(parsed.n, 2);
	assert_int_equal(parsed.notes[NOTE_TORN], 1);
	assert_slice(vma_name(&parsed, &parsed.vma[0]), "x");
	assert_true(parsed.complete);
	/* Unequal ones: something is. */
	good(MAPPING("10000000", "10001000", "") MAPPING("10001000", "10002000", "") MAPPING("10000000", "10008000", "y"));
	assert_int_equal(parsed.n, 1);
	assert_int_equal(parsed.notes[NOTE_TORN], 2);
	assert_false(parsed.complete);
	/* One that a later record overlaps goes, though that one goes too. */
	good(MAPPING("10000000", "10002000", "a") MAPPING("10001000", "10004000", "b") MAPPING("10003000", "10005000", "c"));
	assert_int_equal(parsed.n, 1);
	assert_int_equal(parsed.notes[NOTE_TORN], 2);
	assert_slice(vma_name(&parsed, &parsed.vma[0]), "c");
	/* Backwards without overlap is sorted and counted, no more. */
	good(MAPPING("20000000", "20001000", "") MAPPING("10000000", "10001000", "") MAPPING("30000000", "30001000", ""));
	assert_int_equal(parsed.n, 3);
	assert_int_equal(parsed.notes[NOTE_BACKWARD], 1);
	assert_int_equal(parsed.vma[0].start, 0x10000000);
	assert_true(parsed.complete);
}

static void two_processes(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(parse(MAPPING("10000000", "10001000", "[heap]") MAPPING("7ff00000", "7ff01000", "[stack]")
				       MAPPING("20000000", "20001000", "[heap]"), (struct smaps_options){ 0 }, &e), -1);
	assert_int_equal(e.kind, ERR_LIMIT);
	assert_int_equal(e.line, 5);
	/* A heap that mprotect cut has one name three times. */
	good(MAPPING("10000000", "10001000", "[heap]") MAPPING("10001000", "10002000", "[heap]")
		     MAPPING("10002000", "10003000", "[heap]"));
	assert_int_equal(parsed.n, 3);
	/* Of a live process two heaps are no reason to refuse. */
	assert_int_equal(parse(MAPPING("10000000", "10001000", "[heap]") MAPPING("20000000", "20001000", "[heap]"),
			       (struct smaps_options){ .live = true }, &e), 0);
}

static void android_name_line(void **state)
{
	(void)state;
	good("12c00000-32c00000 rw-p 00000000 00:00 0 \nName:           [anon:x <fault>]\nRss:  4 kB\n");
	assert_slice(vma_name(&parsed, parsed.vma), "[anon:x <fault>]");
	assert_int_equal(parsed.notes[NOTE_UNKNOWN] + parsed.notes[NOTE_FOREIGN], 0);
}

/* A key that is not known stands twice in one mapping: one value, the first. */
static void unknown_twice(void **state)
{
	size_t n;

	(void)state;
	good("12c00000-32c00000 rw-p 00000000 00:00 0 \nRss:  4 kB\nFoo:  1 kB\nFoo:  2 kB\nBar:  3 kB\n"
	     "42c00000-52c00000 rw-p 00000000 00:00 0 \nFoo:  4 kB\n");
	const struct smaps_extra *x = smaps_extras(&parsed, 0, &n);
	assert_int_equal(n, 2);
	assert_int_equal(x[0].value, 1);
	assert_int_equal(x[1].value, 3);
	assert_int_equal(smaps_extras(&parsed, 1, &n)->value, 4);
	assert_int_equal(n, 1);
}

/* ---- both readers agree, in any pieces ---- */

static int parse_pieces(struct slice text, struct smaps_options o, size_t piece, struct smaps *ret, struct err *e)
{
	struct smaps_reader *r = smaps_reader_new(ret, o);
	int status = 0;

	while (text.n && !status) {
		status = smaps_feed(r, slice_first(text, piece), e);
		text = slice_skip(text, piece);
	}
	if (!status)
		status = smaps_finish(r, e);
	smaps_reader_free(r);
	return status;
}

static void assert_same_sums(const char *what, struct smaps *a, struct smaps *b)
{
	smaps_gather(a);
	smaps_gather(b);
	const struct smaps_all *x = &a->all, *y = &b->all;

	if (x->n != y->n || x->present != y->present || x->page_kb != y->page_kb || x->huge != y->huge ||
	    x->size_kb != y->size_kb || x->tmpfs_n != y->tmpfs_n)
		fail_msg("%s: what all mappings say together", what);
}

static void assert_same(const char *what, struct smaps *a, struct smaps *b)
{
	assert_same_sums(what, a, b);
	if (a->n != b->n || a->complete != b->complete || a->again != b->again || memcmp(a->notes, b->notes, sizeof(a->notes)))
		fail_msg("%s: %zu and %zu mappings, or other notes", what, a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		struct vma x = a->vma[i], y = b->vma[i];

		if (!slice_eq(vma_name(a, &a->vma[i]), vma_name(b, &b->vma[i])))
			fail_msg("%s: name of mapping %zu", what, i);
		x.name = y.name = 0;
		for (int f = 0; f < SMAPS_FIELDS; f++)
			if (vma_value(a, &a->vma[i], (enum smaps_field)f) != vma_value(b, &b->vma[i], (enum smaps_field)f))
				fail_msg("%s: %s of mapping %zu", what, smaps_fields[f].name, i);
		if (memcmp(&x, &y, sizeof(x)))
			fail_msg("%s: mapping %zu", what, i);
	}
}

static void compare(const char *what, struct slice text)
{
	static const size_t pieces[] = { 1 << 20, 3072, 777, 64 };
	struct smaps slow = { 0 };
	struct err e1 = { 0 }, e2 = { 0 };
	int s1 = smaps_parse(text, (struct smaps_options){ .slow = true }, &slow, &e1);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		struct smaps fast = { 0 };
		int s2 = parse_pieces(text, (struct smaps_options){ 0 }, pieces[i], &fast, &e2);

		if (s1 != s2 || (s1 && (e1.line != e2.line || e1.column != e2.column || strcmp(e1.text, e2.text))))
			fail_msg("%s: '%s' %lu:%lu and '%s' %lu:%lu", what, e1.text, e1.line, e1.column, e2.text, e2.line, e2.column);
		if (!s1)
			assert_same(what, &slow, &fast);
		smaps_free(&fast);
	}
	smaps_free(&slow);
}

static void both_readers_agree(void **state)
{
	struct arena a = { 0 };
	glob_t g;

	(void)state;
	assert_int_equal(glob("tests/fixtures/*/*.smaps", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 20);
	for (size_t i = 0; i < g.gl_pathc; i++)
		compare(g.gl_pathv[i], test_file(&a, g.gl_pathv[i]));
	globfree(&g);
	arena_free(&a);
}

/* The first mapping again, below the highest end so far but above that of the record before it. */
/* A field behind a foreign line, which may begin like an address, still belongs to the record. */
static void fields_behind_a_record(void **state)
{
#define RECORD(range) range " rw-s 00000000 00:01 7 \nSize:               2048 kB\nRss:                2048 kB\n"
	static const char text[] = RECORD("7f0000000000-7f0000200000") RECORD("7f0000400000-7f0000600000")
				   RECORD("7f0000800000-7f0000a00000") "dead lines\nShmemPmdMapped:     2048 kB\n"
				   RECORD("7f0000c00000-7f0000e00000") RECORD("7f0001000000-7f0001200000");

	(void)state;
	compare("fields behind a record", slice_str(text));
	good(text);
	smaps_gather(&parsed);
	assert_int_equal(parsed.all.huge, 2048);
	assert_int_equal(parsed.all.tmpfs_n, 1);
#undef RECORD
}

/* Sums of sizes stop in time; what is no size does not count among them. */
static void wide_values_stop(void **state)
{
	struct smaps s = { 0 };
	struct vma *v = smaps_add(&s);

	(void)state;
	smaps_set(&s, v, SMAPS_ProtectionKey, UINT32_MAX);
	assert_true(vma_value(&s, v, SMAPS_ProtectionKey) == UINT32_MAX);
	assert_int_equal(s.wide_kb, 0);
	for (int f = SMAPS_Rss; f < SMAPS_Rss + 3; f++) {
		smaps_set(&s, v, (enum smaps_field)f, UINT64_MAX);
		assert_true(s.wide_kb > SMAPS_SUM_MAX);
	}
	smaps_free(&s);
}

/* Each tmpfs is found among many, by both numbers. */
static void many_devices(void **state)
{
	enum { N = 1000 };
	struct smaps s = { 0 };
	struct vma other = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 2 * N; i++) {
		struct vma *v = smaps_add(&s);

		v->major = i % N;
		v->minor = i % N % 7;
		smaps_set(&s, v, SMAPS_ShmemPmdMapped, 2048);
	}
	assert_false(smaps_on_tmpfs(&s.all, &s.vma[0])); /* nothing is gathered yet */
	smaps_gather(&s);
	assert_int_equal(s.all.tmpfs_n, N);
	for (size_t i = 0; i < s.n; i++) {
		assert_true(smaps_on_tmpfs(&s.all, &s.vma[i]));
		other.major = s.vma[i].major;
		other.minor = s.vma[i].minor + 1;
		assert_false(smaps_on_tmpfs(&s.all, &other));
	}
	smaps_free(&s);
}

/* What a terminal cut is joined as long as a path may be, and kept once. */
static void name_of_many_lines(void **state)
{
	enum { LINES = 1000, WIDTH = 80 };
	struct out o;

	(void)state;
	out_memory(&o);
	out_printf(&o, "%-73s/aaaaaa\n", "7f0000000000-7f0000200000 r--p 00000000 08:01 7");
	for (int i = 0; i < LINES; i++) {
		out_pad(&o, 'b', WIDTH);
		out_byte(&o, '\n');
	}
	out_str(&o, "Rss:                2048 kB\n");
	out_byte(&o, '\0');
	good(o.buf);
	size_t length = vma_name(&parsed, &parsed.vma[0]).n, joined = (length - 7) / WIDTH;
	assert_int_equal(length, 7 + joined * WIDTH);
	assert_in_range(length, 4 * 4096 - WIDTH, 4 * 4096);
	assert_int_equal(parsed.notes[NOTE_WRAPPED], joined);
	assert_int_equal(parsed.notes[NOTE_FOREIGN], LINES - joined);
	assert_int_equal(parsed.names_n, NAME_FIRST_FREE + 2);
	out_close(&o);
}

static void both_readers_find_a_second_dump(void **state)
{
	static const unsigned starts[] = { 0x2000, 0x4000, 0x1000, 0x2000, 0x3000, 0x5000, 0x6000, 0x7000 };
	struct smaps s = { 0 };
	struct err e;
	struct out o;

	(void)state;
	out_memory(&o);
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		out_printf(&o, "%07x0-%07x0 rw-p 00000000 00:00 0 \nSize:                  4 kB\nRss:                   4 kB\n",
			   starts[i] << 4, (starts[i] << 4) + 0x100);
	compare("a mapping again", out_slice(&o));
	assert_int_equal(smaps_parse(out_slice(&o), (struct smaps_options){ 0 }, &s, &e), 0);
	assert_true(s.again);
	smaps_free(&s);
	out_close(&o);
}

/* One byte changed, taken out or doubled, anywhere: the same answer or the same error. */
static void both_readers_agree_on_damage(void **state)
{
	static const char bytes[] = "\n\n :0129afkBRs-\t\r>.\0z";
	struct arena a = { 0 };
	struct slice text = test_file(&a, "tests/fixtures/kernel-6.18/11-flags-and-advice.smaps");
	uint64_t seed = 17;

	(void)state;
	char *copy = mem_alloc(text.n + 1);
	for (int round = 0; round < 1500; round++) {
		size_t at = test_below(&seed, text.n - 1), n = text.n;

		memcpy(copy, text.p, text.n);
		switch (test_below(&seed, 3)) {
		case 0:
			copy[at] = bytes[test_below(&seed, sizeof(bytes) - 1)];
			break;
		case 1:
			memmove(copy + at, copy + at + 1, text.n - at - 1);
			n--;
			break;
		default:
			memmove(copy + at + 1, copy + at, text.n - at);
			n++;
		}
		char what[64];
		snprintf(what, sizeof(what), "round %d, byte %zu", round, at);
		compare(what, slice_of(copy, n));
	}
	mem_free(copy);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_record),
		cmocka_unit_test(fields_are_found_by_name),
		cmocka_unit_test(unknown_things_pass),
		cmocka_unit_test(wide_values),
		cmocka_unit_test(names_are_bytes),
		cmocka_unit_test(forgiven_and_counted),
		cmocka_unit_test(broken_lines), cmocka_unit_test(nul_bytes),
		cmocka_unit_test(always_an_error),
		cmocka_unit_test(stack_may_differ_by_a_page),
		cmocka_unit_test(flags_may_be_cut),
		cmocka_unit_test(torn_dumps),
		cmocka_unit_test(two_processes),
		cmocka_unit_test(android_name_line),
		cmocka_unit_test(unknown_twice),
		cmocka_unit_test(fields_behind_a_record),
		cmocka_unit_test(wide_values_stop),
		cmocka_unit_test(many_devices),
		cmocka_unit_test(name_of_many_lines),
		cmocka_unit_test(both_readers_agree),
		cmocka_unit_test(both_readers_find_a_second_dump),
		cmocka_unit_test(both_readers_agree_on_damage),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	smaps_free(&parsed);
	return failed;
}
