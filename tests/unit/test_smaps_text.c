/* SPDX-License-Identifier: MIT */
/* What smaps_text() writes is, read back, the same table; of a capture it is the capture. */
#include "model/carry.h"
#include "report/smaps_text.h"
#include "test.h"

static void same_tables(const struct smaps *a, const struct smaps *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		assert_true(same_vma(a, i, b, i));
}

static void round_trip(struct slice text, struct out *o)
{
	struct smaps a = { 0 }, b = { 0 };
	struct err e;

	assert_int_equal(smaps_parse(text, (struct smaps_options){ 0 }, &a, &e), 0);
	out_reset(o);
	smaps_text(o, &a);
	assert_int_equal(
		smaps_parse(out_slice(o), (struct smaps_options){ .strict = true }, &b, &e), 0);
	same_tables(&a, &b);
	smaps_free(&a);
	smaps_free(&b);
}

static void test_captures(void **state)
{
	(void)state;
	static const char *const files[] = {
		"kernel-6.18/01-aligned.smaps",
		"kernel-6.18/06-shmem-memfd-sysv-devzero.smaps",
		"kernel-6.18/08-odd-file-names.smaps",
		"kernel-6.18/11-flags-and-advice.smaps",
		"kernel-6.18/17-32bit-process.smaps",
	};
	char path[128];
	struct arena mem = { 0 };
	struct out o;

	out_memory(&o);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "tests/fixtures/%s", files[i]);
		struct slice text = test_file(&mem, path);

		round_trip(text, &o);
		assert_true(slice_eq(text, out_slice(&o))); /* to the byte */
	}
	arena_free(&mem);
	out_close(&o);
}

static void test_other_forms(void **state)
{
	(void)state;
	/* A number of more than 32 bits, unknown fields and flags, records without flags. */
	static const char text[] =
		"100000000000-180000000000 rw-p 123456789a 103:1ff 12345678901234567890 /a b\n"
		"Size:           8589934592 kB\n"
		"7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n"
		"Size:               2048 kB\n"
		"Rss:                   4 kB\n"
		"Marvel:               12 kB\n"
		"VmFlags: rd wr zz hg \n"
		"7f0000200000-7f0000201000 ---p 00000000 00:00 0 \n";
	struct out o;

	out_memory(&o);
	round_trip(slice_of(text, sizeof(text) - 1), &o);
	out_close(&o);
}

/* A report may give a name or a flag a newline: no line of its own comes of it. */
static void test_newlines(void **state)
{
	(void)state;
	struct smaps a = { 0 };
	struct out o;
	struct vma *v = smaps_add(&a);

	v->start = 0x1000;
	v->end = 0x2000;
	memcpy(v->perms, "rw-p", 4);
	v->name = smaps_intern(&a, SLICE("/a\nRss: 4 kB\n"));
	v->present |= UINT32_C(1) << PRESENT_VMFLAGS;
	smaps_set_flag(&a, v, SLICE("\nRss: 9"));
	out_memory(&o);
	smaps_text(&o, &a);
	assert_non_null(strstr(o.buf, " /a\\012Rss: 4 kB\\012\nVmFlags: \\012Rss: 9 \n"));
	out_close(&o);
	smaps_free(&a);
}

static void test_carry(void **state)
{
	(void)state;
	struct arena mem = { 0 };
	struct smaps a = { 0 }, b = { 0 };
	struct err e;

	assert_int_equal(
		smaps_parse(test_file(&mem, "tests/fixtures/kernel-6.18/08-odd-file-names.smaps"),
			    (struct smaps_options){ 0 }, &a, &e),
		0);
	arena_free(&mem);
	struct vma *v = smaps_add(&a);
	v->start = UINT64_C(0xffffffffff700000);
	v->end = UINT64_C(0xffffffffff800000);
	memcpy(v->perms, "---p", 4);
	smaps_set(&a, v, SMAPS_Rss, UINT64_C(1) << 40);
	smaps_set_unknown(&a, v, SLICE("Marvel"), 12);
	smaps_set_flag(&a, v, SLICE("zz"));
	struct carry c = { .to = &b };
	for (size_t i = 0; i < a.n; i++)
		carry_vma(&c, &a, i);
	carry_end(&c);
	same_tables(&a, &b);
	smaps_free(&a); /* the copy stands alone */
	assert_int_equal(vma_value(&b, &b.vma[b.n - 1], SMAPS_Rss), UINT64_C(1) << 40);
	smaps_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captures),
		cmocka_unit_test(test_other_forms),
		cmocka_unit_test(test_carry),
		cmocka_unit_test(test_newlines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
