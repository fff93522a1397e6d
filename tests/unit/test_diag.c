/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/nearest.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "cmd/as_root.h"
#include "cmd/diag.h"

static void shown(const struct err *e, const char *want)
{
	struct out o;

	out_memory(&o);
	diag_write(&o, e, true);
	out_byte(&o, '\0');
	assert_string_equal(o.buf, want);
	out_close(&o);
}

static void test_place_line_caret(void **state)
{
	(void)state;
	struct slice line = SLICE("Rss:\t\t2048x kB");
	struct err e;

	err_at(&e, 7, line, line.p + 10, "a number is due here, not '%s'", "2048x");
	err_in(&e, "a.smaps");
	err_hint(&e, "Try this");
	shown(&e, "hugecov: a.smaps:7:11: a number is due here, not '2048x'\n"
		  "Rss:  2048x kB\n"
		  "          ^\n"
		  "Try this\n");
}

static void test_without_place(void **state)
{
	(void)state;
	struct err e;

	err_set(&e, ERR_USAGE, "report: no");
	shown(&e, "hugecov: report: no\n");
	err_at(&e, 3, SLICE("the line"), NULL, "bad");
	err_in(&e, "f");
	shown(&e, "hugecov: f:3: bad\nthe line\n");
}

/* Nothing of a stranger moves the cursor, and the caret still points. */
static void test_hostile(void **state)
{
	(void)state;
	struct slice line = SLICE("a\033[2Jb\377\n!");
	struct err e;

	err_at(&e, 1, line, line.p + line.n - 1, "bad \033]0;title\007");
	err_in(&e, "x\ny");
	shown(&e, "hugecov: x\\x0ay:1:9: bad \\x1b]0;title\\x07\n"
		  "a\\x1b[2Jb\\xff !\n"
		  "              ^\n");
}

/* Wherever the column is, and whatever the line: at most 80 columns, the caret in them. */
static void test_long_lines(void **state)
{
	(void)state;
	char text[5000];

	for (int form = 0; form < 3; form++) {
		for (size_t i = 0; i < sizeof(text); i++)
			text[i] = form == 0 ? 'x' : form == 1 ? '\001' : "\xe6\xbc\xa2"[i % 3];
		for (size_t at = 0; at < sizeof(text); at += 97) {
			struct err e;
			struct out o;

			err_at(&e, 1, slice_of(text, sizeof(text)), text + at, "here");
			err_in(&e, "f");
			out_memory(&o);
			diag_write(&o, &e, false);
			struct cut first = slice_cut_line(out_slice(&o));
			struct cut second = slice_cut_line(first.tail);
			struct cut third = slice_cut_line(second.tail);
			assert_true(utf8_columns(second.head) <= 80);
			assert_true(third.head.n <= 80);
			assert_int_equal(third.head.p[third.head.n - 1], '^');
			assert_int_equal(third.tail.n, 0);
			out_close(&o);
		}
	}
}

/* What a shell would make something of is quoted; what a terminal would, is written down. */
static void test_words_for_a_shell(void **state)
{
	(void)state;
	static const struct {
		const char *word, *want;
		bool ascii;
	} rows[] = {
		{ "report", "report", false },
		{ "--format=json", "--format=json", false },
		{ "./a_b-c.d/e:f,g@h%i+j", "./a_b-c.d/e:f,g@h%i+j", false },
		{ "", "''", false },
		{ "a b", "'a b'", false },
		{ "=ls", "'=ls'", false },
		{ "~root", "'~root'", false },
		{ "coverage >= 90%", "'coverage >= 90%'", false },
		{ "it's", "'it'\\''s'", false },
		{ "$(id)`id`\\", "'$(id)`id`\\'", false },
		{ "\xc3\xb6", "'\xc3\xb6'", false },
		{ "\xc3\xb6", "$'\\303\\266'", true },
		{ "a\n7'\\\033", "$'a\\0127\\'\\\\\\033'", false },
		{ "\xff", "$'\\377'", false },
		{ "\xe2\x80\xae", "$'\\342\\200\\256'", false },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct out o;

		out_memory(&o);
		shell_word(&o, slice_str(rows[i].word), rows[i].ascii);
		out_byte(&o, '\0');
		assert_string_equal(o.buf, rows[i].want);
		out_close(&o);
	}
}

/* Whatever was asked for is what root is to ask for; without a command line nothing is said. */
static void test_as_root(void **state)
{
	(void)state;
	char *line[] = { "./hugecov", "diff", "a b", "4711", "--", "/dev/fd/63", NULL };
	char *piped[] = { "./hugecov", "diff", "/dev/fd/63", "/dev/fd/0", NULL };
	struct err e;

	err_set(&e, ERR_SYSTEM, "permission denied");
	e.as_root = true;
	shown(&e, "hugecov: permission denied\n");
	as_root_remember(line);
	shown(&e, "hugecov: permission denied\nTry: sudo ./hugecov diff 'a b' 4711 -- /dev/fd/63\n");
	e.as_root = false;
	shown(&e, "hugecov: permission denied\n");
	e.as_root = true;
	as_root_remember(piped);
	shown(&e, "hugecov: permission denied\nRoot may read it, but sudo does not hand on the pipe /dev/fd/63:\n"
		  "save what it gives to a file, and name that instead\n");
	as_root_remember(NULL);
}

/* What cannot be seen, or turns round what follows, is written out; accents and joiners of emoji are not. */
static void test_invisible(void **state)
{
	static const int32_t hidden[] = {
		0x1b,	0x9b,	0xad,	0x34f,	0x61c,	0x115f, 0x1160, 0x180e, 0x200b,	 0x200f,  0x2028,  0x202a,
		0x202e, 0x2060, 0x2066, 0x206f, 0x3164, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0xe0001, 0xe0041, 0xe007f,
	};
	static const int32_t shown[] = { 'a', 0xa0, 0xac, 0xae, 0x301, 0x61b, 0x5d0, 0x1161, 0x3042, 0xfe0f, 0xfffd, 0x1f600 };
	char name[4], want[16];
	struct json j;
	struct out o;

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		assert_false(utf8_unsafe(shown[i]));
	out_memory(&o);
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
		struct slice s = slice_of(name, utf8_put(name, hidden[i]));

		snprintf(want, sizeof(want), hidden[i] < 0x20 ? "\\x%02x" : "\\u{%x}", (unsigned)hidden[i]);
		out_reset(&o);
		out_safe(&o, s, false);
		assert_true(slice_eq_str(out_slice(&o), want));
		out_reset(&o);
		json_start(&j, &o);
		json_slice(&j, s);
		assert_true(slice_starts(out_slice(&o), SLICE("\"\\u")));
	}
	assert_true(slice_eq_str(out_slice(&o), "\"\\udb40\\udc7f\""));
	out_close(&o);
}

/* A path keeps its end, a component at a time; what is no path keeps both ends. */
static void test_cut_names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *want, *ascii;
		int width;
	} rows[] = {
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6", NULL, 35 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "\u2026/lib/x86_64-linux-gnu/libc.so.6", "../lib/x86_64-linux-gnu/libc.so.6", 33 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "\u2026/lib/x86_64-linux-gnu/libc.so.6", "../x86_64-linux-gnu/libc.so.6", 32 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "\u2026/x86_64-linux-gnu/libc.so.6", "../libc.so.6", 28 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "\u2026/libc.so.6", "libc.so.6", 11 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so.6", "libc.so.6", 10 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so.6", NULL, 9 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "li\u2026.so.6", "li..so.6", 8 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "l\u2026o.6", "l...6", 5 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr", "/usr", 4 },
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "", "", 0 },
		{ "/libpthread-2.36.so", "libpt\u2026ad-2.36.so", NULL, 16 },
		{ "runs/today/before.smaps", "\u2026/before.smaps", NULL, 19 },
		{ "/home/me/My Games/engine.so", "\u2026/My Games/engine.so", NULL, 20 },
		{ "stress-ng --temp-path /tmp/x", "stres\u2026ath /tmp/x", NULL, 16 },
		{ "[anon:java/heap/old one]", "[ano\u2026p/old one]", NULL, 15 },
		{ "cpu_core/instructions/", "cpu_\u2026uctions/", NULL, 13 },
		{ "/opt/\xff\xff/a\nb", "\u2026/a\\x0ab", NULL, 12 },
		{ "/\xe5\xad\x97\xe5\xad\x97/\xe5\xad\x97\xe5\xad\x97", "\u2026/\xe5\xad\x97\xe5\xad\x97", NULL, 8 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int ascii = 0; ascii < 2; ascii++) {
			const char *want = ascii ? rows[i].ascii : rows[i].want;
			struct out o;

			if (!want)
				continue;
			out_memory(&o);
			int used = out_path_cut(&o, slice_str(rows[i].name), rows[i].width, ascii);
			out_byte(&o, '\0');
			assert_string_equal(o.buf, want);
			assert_int_equal(used, utf8_columns(slice_str(want)));
			out_close(&o);
		}
	}
	/* Whatever the width: within it, and the last component whole where it fits. */
	struct slice name = SLICE("/a/bb/ccc/dddd/\xe5\xad\x97\x01x (deleted)");
	for (int width = 0; width < 60; width++) {
		struct out o;

		out_memory(&o);
		int used = out_path_cut(&o, name, width, false);
		assert_true(used <= width);
		assert_int_equal(used, utf8_columns(out_slice(&o)));
		if (width >= out_path_least(name, false))
			assert_true(slice_ends(out_slice(&o), SLICE("\xe5\xad\x97\\x01x (deleted)")));
		out_close(&o);
	}
}

static void test_nearest(void **state)
{
	(void)state;
	static const struct {
		const char *word, *want;
	} rows[] = {
		{ "covrage", "coverage" }, { "coverage", "coverage" }, { "cov", "coverage" },
		{ "shaer", "share" },	   { "xyzzy", NULL },	       { "", NULL },
		{ "needs_advice", "needs-advice" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nearest n;

		nearest_start(&n, slice_str(rows[i].word));
		nearest_try(&n, "coverage");
		nearest_try(&n, "share");
		nearest_try(&n, "needs-advice");
		if (rows[i].want)
			assert_string_equal(n.best, rows[i].want);
		else
			assert_null(n.best);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place_line_caret), cmocka_unit_test(test_without_place),
		cmocka_unit_test(test_hostile),		 cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_nearest),		 cmocka_unit_test(test_words_for_a_shell),
		cmocka_unit_test(test_as_root),		 cmocka_unit_test(test_cut_names),
		cmocka_unit_test(test_invisible),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
