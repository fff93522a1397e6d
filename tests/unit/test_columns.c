/* SPDX-License-Identifier: MIT */
/* Many bytes at a time and few at a time say the same. */
#include "test.h"

#include "parse/columns.h"

static uint32_t seed = 1;

static uint32_t any(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static const uint64_t *keys_of(const char *lines)
{
	static _Alignas(16) uint64_t key[4][2];

	for (int i = 0; i < 4; i++) {
		key[i][0] = load8(lines + i * KB_LINE);
		key[i][1] = load8(lines + i * KB_LINE + 8);
	}
	return key[0];
}

/* Both ways over four lines; true when they are regular and none has more than `most`. */
static bool read_lines(const char *lines, const uint64_t *key, uint64_t most, uint32_t ret[4])
{
	const uint64_t(*k)[2] = (const uint64_t(*)[2])(const void *)key;
	struct odd one = odd_none(most), many = one;
	uint32_t other[4];

	kb_lines_portable(lines, k, ret, &one);
	kb_lines(lines, k, other, &many);
	assert_int_equal(odd_any(&one), odd_any(&many));
	if (!odd_any(&one))
		assert_memory_equal(ret, other, sizeof(other));
	return !odd_any(&one);
}

static void write_lines(char *lines, size_t n, const uint32_t v[4])
{
	snprintf(lines, n, "Rss:            %8u kB\nPss:            %8u kB\nPrivate_Hugetlb:%8u kB\nSwap:           %8u kB\n",
		 v[0], v[1], v[2], v[3]);
}

static void values(void **state)
{
	static const uint32_t edges[] = { 0, 1, 9, 10, 99, 100, 9999, 10000, 99999, 9999999, 10000000, 99999999 };
	const uint32_t n = sizeof(edges) / sizeof(*edges);
	char lines[4 * KB_LINE + 1];
	uint32_t v[4], got[4];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		for (int i = 0; i < 4; i++)
			v[i] = round < 2000 ? edges[any(n)] : any(100000000) >> any(27);
		write_lines(lines, sizeof(lines), v);
		assert_true(read_lines(lines, keys_of(lines), UINT64_MAX, got));
		assert_memory_equal(got, v, sizeof(v));
		uint32_t most = v[any(4)];
		bool more = v[0] > most || v[1] > most || v[2] > most || v[3] > most;
		assert_int_equal(read_lines(lines, keys_of(lines), most, got), !more);
	}
}

/* One byte changed: never read, unless it is a digit for a digit. */
static void changed_bytes(void **state)
{
	char lines[4 * KB_LINE + 1], good[4 * KB_LINE + 1];
	uint32_t v[4], got[4];

	(void)state;
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < 4; i++)
			v[i] = any(100000000) >> any(27);
		write_lines(good, sizeof(good), v);
		const uint64_t *key = keys_of(good);
		for (size_t at = 0; at < sizeof(good) - 1; at++) {
			size_t column = at % KB_LINE;

			memcpy(lines, good, sizeof(lines));
			lines[at] = (char)any(256);
			bool same = lines[at] == good[at];
			bool digit = column >= 16 && column < 24 && lines[at] >= '0' && lines[at] <= '9';
			/* A digit needs one behind it; the first one may become a blank. */
			bool number = digit && (column == 23 || good[at + 1] != ' ');
			bool shorter = column >= 16 && column < 23 && lines[at] == ' ' && good[at - 1] == ' ';
			bool first = column == 16 && lines[at] == ' ';
			assert_int_equal(read_lines(lines, key, UINT64_MAX, got), same || number || shorter || first);
		}
	}
}

static void hex(void **state)
{
	static const char digits[] = "0123456789abcdef";
	static const char others[] = "-: \n`g/:@AFG\x80\xff";
	char text[17];
	uint64_t a, b;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		unsigned n = any(17);

		for (unsigned i = 0; i < 16; i++)
			text[i] = digits[any(16)];
		text[16] = '\0';
		if (n < 16)
			text[n] = others[any(sizeof(others) - 1)];
		assert_int_equal(hex16_portable(text, &a), n);
		assert_int_equal(hex16(text, &b), n);
		assert_int_equal(a, b);
		if (n < 16)
			text[n] = '\0';
		assert_int_equal(a, strtoull(text, NULL, 16));
	}
}

static void blanks(void **state)
{
	char text[64];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		memset(text, ' ', sizeof(text));
		assert_ptr_equal(skip_blanks(text, text + n), text + n);
		text[n] = any(2) ? 'x' : '\0';
		assert_ptr_equal(skip_blanks(text, text + sizeof(text)), text + n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(changed_bytes),
		cmocka_unit_test(hex),
		cmocka_unit_test(blanks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
