/* SPDX-License-Identifier: MIT */
#include "parse/binary.h"

#define UNPACK "Unpack it first; tar (gzip, xz, zstd) is read as it is"

/* How those begin that people give by mistake. To add one: a row. */
static const struct magic {
	struct slice bytes;
	const char *what, *hint; /* hint NULL: there is nothing to try */
} magics[] = {
	{ { "\177ELF", 4 }, "not text but a program, library or core dump (ELF)",
	  "Of a process that runs it: hugecov report PID" },
	{ { "PERFILE2", 8 }, "not text but a perf.data file", "perf stat report -i FILE prints what is read here" },
	{ { "\xff\xfe", 2 }, "text in UTF-16", "iconv -f utf-16 -t utf-8 makes it readable" },
	{ { "\xfe\xff", 2 }, "text in UTF-16", "iconv -f utf-16 -t utf-8 makes it readable" },
	{ { "PK\003\004", 4 }, "not text but a zip archive", UNPACK },
	{ { "7z\274\257\047\034", 6 }, "not text but a 7z archive", UNPACK },
	{ { "%PDF-", 5 }, "not text but a PDF document", "pdftotext -layout makes text of it" },
	{ { "\211PNG\r\n", 6 }, "not text but an image (PNG)", NULL },
	{ { "\377\330\377", 3 }, "not text but an image (JPEG)", NULL },
	{ { "GIF8", 4 }, "not text but an image (GIF)", NULL },
	{ { "SQLite format 3", 15 }, "not text but a database (SQLite)", NULL },
};

/* Neither a blank nor what terminals and logs use: bell, backspace, escape. */
static bool is_control(unsigned char c)
{
	return (c < 0x20 && !strchr("\t\n\v\f\r\a\b\033", c)) || c == 0x7f;
}

enum { CONTROL_SHARE = 20 }; /* one byte in so many; NULs are counted apart: a crash leaves blocks of them */

static bool has_controls(struct slice head)
{
	size_t controls = 0, nuls = 0;

	for (size_t i = 0; i < head.n; i++) {
		nuls += head.p[i] == '\0';
		controls += head.p[i] && is_control((unsigned char)head.p[i]);
	}
	return (controls && controls * CONTROL_SHARE >= head.n - nuls) || (nuls && nuls == head.n);
}

int binary_refuse(struct slice head, struct err *e)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++) {
		if (!slice_starts(head, magics[i].bytes))
			continue;
		err_set(e, ERR_KIND, "this is %s", magics[i].what);
		return magics[i].hint ? err_hint(e, "%s", magics[i].hint) : -1;
	}
	return has_controls(head) ? err_set(e, ERR_KIND, "this is not text: it has bytes that no text has") : 0;
}
