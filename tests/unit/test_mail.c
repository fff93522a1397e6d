/* SPDX-License-Identifier: MIT */
/* Mails as they are saved: which text is taken, how it is decoded, and that places stay where they were. */
#define _GNU_SOURCE
#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/out.h"
#include "parse/mail.h"

static struct arena arena;

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

#define FROM "From: a@example.com\nSubject: a table\n"
#define QP   "Content-Transfer-Encoding: quoted-printable\n"
#define B64  "Content-Transfer-Encoding: base64\n"
#define MIXED "Content-Type: multipart/mixed;\n\tboundary=\"b;1\"\n"
#define ALT  "Content-Type: multipart/alternative; boundary=alt\n"

static void assert_text(const char *mail, bool attachments, const char *want)
{
	struct slice text;
	struct err e = { 0 };

	if (mail_decode(slice_str(mail), attachments, &arena, &text, &e))
		fail_msg("refused: %s", e.text);
	assert_slice(text, want);
}

static void test_encodings(void **state)
{
	(void)state;
	assert_text(FROM QP "\na=3Db =C2=B1 5%=\n and on\nx=20\ny  \nz=\n", false,
		    FROM QP "\na=b \xc2\xb1 5% and on\n\nx \ny\nz\n");
	assert_text(FROM QP "\nlower =c2=b1, none =zz =3 =\r\nsoft\r\nhard\r\n", false,
		    FROM QP "\nlower \xc2\xb1, none =zz =3 soft\r\n\nhard\r\n");
	/* A rule of a table in text that was decoded already: nothing goes on behind it. */
	assert_text(FROM QP "\n=======\na/b:\n", false, FROM QP "\n=======\na/b:\n");
	assert_text(FROM QP "\n=3D=3D=\n=3D\n", false, FROM QP "\n===\n\n");
	assert_text(FROM B64 "\naGVsbG8K\nd29y\nbGQK\n", false, FROM B64 "\nhello\nworld\n\n");
	assert_text(FROM B64 "\r\naGVsbG8=\r\n", false, FROM B64 "\r\nhello\n");
	assert_text(FROM B64 "\naGVsbA==\n", false, FROM B64 "\nhell\n");
	assert_text(FROM B64 "\naAphCmIKYwo=\n", false, FROM B64 "\nh\na\nb\nc\n");
	/* 8bit and what is not known stay. A name is written in any case, and folded. */
	assert_text(FROM "Content-Transfer-Encoding: 8bit\n\na=3Db\n", false, FROM "Content-Transfer-Encoding: 8bit\n\na=3Db\n");
	assert_text("FROM: a\ncontent-TRANSFER-encoding:\n Quoted-Printable\n\na=3Db\n", false,
		    "FROM: a\ncontent-TRANSFER-encoding:\n Quoted-Printable\n\na=b\n");
}

static void test_parts(void **state)
{
	(void)state;
	assert_text(FROM MIXED "\nfor old programs\n--b;1\n" QP "\nx=3Dy\n--b;1\nContent-Type: image/png\n" B64
			       "\nAAAA\n--b;1--\nbehind\n",
		    false, FROM MIXED "\n\n\n\n\nx=y\n\n\n\n\n\n\n\n");
	/* What is attached is text only when asked for. */
	static const char attached[] = FROM MIXED "\n--b;1\n\nhello\n--b;1\nContent-Disposition: attachment; filename=x\n"
						  QP "\nx=3Dy\n--b;1--\n";
	assert_text(attached, false, FROM MIXED "\n\n\nhello\n\n\n\n\n\n\n");
	assert_text(attached, true, FROM MIXED "\n\n\nhello\n\n\n\n\nx=y\n\n");
	/* Of several forms of one text the plain one. */
	assert_text(FROM ALT "\n--alt\nContent-Type: text/html\n\n<b>1\n--alt\nContent-Type: text/plain\n\n1\n--alt--\n", false,
		    FROM ALT "\n\n\n\n\n\n\n\n1\n\n");
	assert_text(FROM ALT "\n--alt\nContent-Type: text/html\n\n<b>1\n--alt--\n", false, FROM ALT "\n\n\n\n<b>1\n\n");
	/* A mail in a mail; parts in parts; an end that was cut; a boundary that was lost. */
	/* Of no known type: text or not. */
#define OCTETS "Content-Disposition: attachment\nContent-Type: application/octet-stream; name=x\n" B64
	assert_text(FROM MIXED "\n--b;1\n" OCTETS "\neAo=\n--b;1\n" OCTETS "\nAAECAw==\n--b;1--\n", true,
		    FROM MIXED "\n\n\n\n\n\nx\n\n\n\n\n\n\n\n");
	assert_text(FROM MIXED "\n--b;1\n" OCTETS "\neAo=\n--b;1--\n", false, FROM MIXED "\n\n\n\n\n\n\n\n");
	assert_text(FROM MIXED "\n--b;1\nContent-Type: message/rfc822\n\n" FROM QP "\n=3D\n--b;1--\n", false,
		    FROM MIXED "\n\n\n\n" FROM QP "\n=\n\n");
	assert_text(FROM MIXED "\n--b;1\n" ALT "\n--alt\n\n1\n--alt--\n--b;1\n\n2\n", false,
		    FROM MIXED "\n\n\n\n\n\n1\n\n\n\n2\n");
	assert_text(FROM MIXED "\nnothing of it\n", false, FROM MIXED "\nnothing of it\n");
	assert_text(FROM MIXED "\n--b;12\nx\n", false, FROM MIXED "\n--b;12\nx\n");
}

static void test_mbox(void **state)
{
	(void)state;
#define SEP "From mboxrd@z Thu Jan  1 00:00:00 1970\n"
	assert_text(SEP FROM QP "\n=3D\n\n" SEP FROM B64 "\naGVsbG8K\n", false,
		    SEP FROM QP "\n=\n\n" SEP FROM B64 "\nhello\n");
	/* A sentence that begins like a separator: no header follows. */
	assert_text(SEP FROM QP "\n=3D\n\nFrom the log at 10:30 of 2024\n=3D\n", false,
		    SEP FROM QP "\n=\n\nFrom the log at 10:30 of 2024\n=\n");
	assert_true(mail_looks(SLICE(SEP FROM "\nx\n")));
}

static void test_refused(void **state)
{
	static const struct {
		const char *mail, *says;
		unsigned long line, column;
	} rows[] = {
		{ FROM B64 "\naGVs\nbG8 !AAA\n", "not base64", 6, 5 },
		{ FROM B64 "\naGVsb\n", "cut here", 5, 6 },
		{ FROM B64 "\naGVsbG8\n", "cut here", 5, 8 },
		{ FROM B64 "\naGVsbG8=\naGVs\n", "behind its end", 6, 1 },
		{ FROM MIXED "\n--b;1\n" B64 "\n\xc3\xa4\n--b;1--\n", "not base64", 9, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct slice text;
		struct err e = { 0 };

		assert_int_equal(mail_decode(slice_str(rows[i].mail), false, &arena, &text, &e), -1);
		if (!strstr(e.text, rows[i].says) || e.line != rows[i].line || e.column != rows[i].column)
			fail_msg("row %zu: %lu:%lu %s", i, e.line, e.column, e.text);
		assert_true(e.hint[0]);
		assert_int_equal(text.n, 0);
	}
}

static void test_looks(void **state)
{
	(void)state;
	assert_true(mail_looks(SLICE(FROM QP "\n")));
	assert_true(mail_looks(SLICE(FROM MIXED "\n")));
	assert_true(mail_looks(SLICE(FROM "Content-Type: text/html\n\n")));
	/* Plain text as it is; one header; system files; nothing. */
	assert_false(mail_looks(SLICE(FROM "Content-Type: text/plain; charset=utf-8\n\nx\n")));
	assert_false(mail_looks(SLICE("Subject: x\n" QP "\nx\n")));
	assert_false(mail_looks(SLICE("MemTotal:   1 kB\nMemFree: 2 kB\n")));
	assert_false(mail_looks(SLICE("7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \nRss: 4 kB\n")));
	assert_false(mail_looks(SLICE("")));
	assert_true(mail_looks_encoded(SLICE("7f0000000000-7f0000200000 rw-p 00000000 00:00 0=20\nRss: 4 kB\nVmFlags: rd=20\n")));
	assert_false(mail_looks_encoded(SLICE("7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \nRss: 4 kB\n")));
	/* Names that end so, of a 32-bit kernel; what kept its blanks was not encoded. */
#define SHORT(name) "40000000-40400000 rw-p 00000000 08:01 1234       " name "\nRss: 4 kB\n"
	assert_false(mail_looks_encoded(SLICE(SHORT("/tmp/QWxhZGRpbg==") SHORT("/tmp/cache/key=") SHORT("/tmp/kez="))));
	assert_false(mail_looks_encoded(SLICE(SHORT("/tmp/a=20") SHORT("/tmp/b=20") "VmFlags: rd \nVmFlags: rd \n")));
	assert_false(mail_looks_encoded(SLICE("")));
#define LONG "Binary files are shown as a sequence of words that a mail program br"
	assert_true(mail_looks_encoded(SLICE(LONG "oke he=\nre\n" LONG "oke =3D=\n")));
#define CODE "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg==QUJDREV\n"
#define LINE "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5e\n"
	assert_true(mail_looks_base64(SLICE(LINE LINE LINE)));
	assert_false(mail_looks_base64(SLICE(LINE LINE)));
	assert_false(mail_looks_base64(SLICE(LINE CODE LINE)));
	assert_false(mail_looks_base64(SLICE(LINE LINE "x\n" LINE)));
}

static unsigned lines_of(struct slice s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

/* Wherever it is cut, right before an unreadable page: no byte too far, and no line more or less. */
static void test_prefixes(void **state)
{
	static const char mail[] = SEP FROM MIXED "\nold\n--b;1\n" ALT "\n--alt\n" QP "\nx=3D=\ny\n--alt\nContent-Type: text/html\n\n"
				   "<b>\n--alt--\n--b;1\nContent-Type: message/rfc822\n\n" FROM "\nz\n--b;1\nContent-Type: "
				   "application/x\n\nAAAA\n--b;1--\nend\n\n" SEP FROM QP "\na=20\n";
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(p != MAP_FAILED && sizeof(mail) < page);
	assert_int_equal(mprotect(p + page, page, PROT_NONE), 0);
	for (size_t n = 0; n < sizeof(mail); n++) {
		struct slice text, in = slice_of(p + page - n, n);
		struct err e = { 0 };

		memcpy(p + page - n, mail, n);
		mail_looks(in);
		mail_looks_encoded(in);
		for (int attachments = 0; attachments < 2; attachments++) {
			assert_int_equal(mail_decode(in, attachments, &arena, &text, &e), 0);
			if (lines_of(text) != lines_of(in))
				fail_msg("%zu bytes: %u lines, not %u", n, lines_of(text), lines_of(in));
		}
	}
	munmap(p, 2 * page);
}

/* Mails in mails without end. */
static void test_depth(void **state)
{
	struct out o;
	struct slice text;
	struct err e = { 0 };

	(void)state;
	out_memory(&o);
	for (int i = 0; i < 20000; i++)
		out_str(&o, "Content-Type: message/rfc822\n\n");
	for (int i = 0; i < 20000; i++)
		out_str(&o, SEP);
	assert_int_equal(mail_decode(out_slice(&o), true, &arena, &text, &e), 0);
	assert_int_equal(lines_of(text), lines_of(out_slice(&o)));
	out_close(&o);
}

#define T(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_encodings), T(test_parts), T(test_mbox), T(test_refused), T(test_looks), T(test_prefixes), T(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
