/* SPDX-License-Identifier: MIT */
/*
 * Bytes of lines as the kernel prints them, many at a time. Where processors
 * have nothing for that, eight at a time, and one by one where the first byte
 * is not the lowest.
 */
#ifndef PARSE_COLUMNS_H
#define PARSE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

static inline uint64_t load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t load4(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline const char *skip_blanks(const char *p, const char *end)
{
	for (; end - p >= 8; p += 8) {
		uint64_t other = load8(p) ^ UINT64_C(0x2020202020202020);

		if (other)
			return p + __builtin_ctzll(other) / 8;
	}
	while (p < end && *p == ' ')
		p++;
	return p;
}

/*
 * A number in eight columns, right-aligned: blanks, then at least one digit;
 * what is anything else sets bits in *bad. Blanks (0x20) lack the bit 0x10
 * that digits (0x30 to 0x39) have. Three multiplications make the value: of
 * pairs, of fours, of all eight.
 */
static inline uint32_t columns8(const char *p, uint64_t *bad)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t v = load8(p);
	uint64_t digits = v & ones * 0x10;
	/* No digit at all: a shift of 56 leaves the last byte, a blank, to be found bad. */
	unsigned shift = digits ? (unsigned)__builtin_ctzll(digits) & ~7u : 56;
	uint64_t blanks = (UINT64_C(1) << shift) - 1; /* mask of the leading bytes */

	*bad |= (v ^ ones * 0x20) & blanks;
	v |= ones * 0x10 & blanks; /* blanks become '0' */
	uint64_t d = v ^ ones * 0x30;
	*bad |= (d | (d + ones * 6)) & ones * 0xf0;
	d = d * 10 + (d >> 8);
	d &= UINT64_C(0x00ff00ff00ff00ff);
	d = d * 100 + (d >> 16);
	d &= UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(d * 10000 + (d >> 32));
}
#else
static inline const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

static inline uint32_t columns8(const char *p, uint64_t *bad)
{
	uint32_t v = 0;
	int i = 0;

	while (i < 7 && p[i] == ' ')
		i++;
	for (; i < 8; i++) {
		*bad |= (uint64_t)(p[i] < '0' || p[i] > '9');
		v = v * 10 + (uint32_t)(p[i] - '0');
	}
	return v;
}

#endif

/* Value of a lower-case hex digit plus 1; 0: it is none. */
static const uint8_t hex_value[256] = {
	['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

/* Hex digits from p on, up to 16, of 16 bytes that are there. Returns how many there are. */
static inline unsigned hex16_portable(const char *p, uint64_t *ret)
{
	uint64_t v = 0;
	unsigned n = 0, h;

	for (; n < 16 && (h = hex_value[(unsigned char)p[n]]) != 0; n++)
		v = v << 4 | (h - 1);
	*ret = v;
	return n;
}

#ifdef __x86_64__
static inline __m128i byte_within(__m128i x, char first, char last)
{
	__m128i d = _mm_sub_epi8(x, _mm_set1_epi8(first));

	return _mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8((char)(last - first))), d);
}

static inline unsigned hex16_sse2(const char *p, uint64_t *ret)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i letter = byte_within(x, 'a', 'f'), digit = byte_within(x, '0', '9');
	unsigned other = (unsigned)_mm_movemask_epi8(_mm_or_si128(letter, digit)) ^ 0xffff;
	unsigned n = (unsigned)__builtin_ctz(other | 0x10000);
	/* Two digits a byte, the first one in the upper half; what is behind the number is shifted out. */
	__m128i v = _mm_add_epi8(_mm_and_si128(x, _mm_set1_epi8(15)), _mm_and_si128(letter, _mm_set1_epi8(9)));
	v = _mm_or_si128(_mm_slli_epi16(v, 4), _mm_srli_epi16(v, 8));
	v = _mm_packus_epi16(_mm_and_si128(v, _mm_set1_epi16(255)), v);
	uint64_t all = __builtin_bswap64((uint64_t)_mm_cvtsi128_si64(v));
	*ret = n ? all >> (64 - 4 * n) : 0;
	return n;
}
#define hex16 hex16_sse2
#else
#define hex16 hex16_portable
#endif

/* What is not as expected in many lines. */
struct odd {
	uint64_t bits; /* none is set when all is */
	uint32_t most; /* no value in kB is larger */
#ifdef __x86_64__
	__m128i vector; /* as bits */
#endif
};

static inline struct odd odd_none(uint64_t most_kb)
{
	return (struct odd){ .most = most_kb < INT32_MAX ? (uint32_t)most_kb : INT32_MAX };
}

/* Lines of a kB field as the kernel prints them: 16 bytes of key, 8 columns, " kB\n". */
enum { KB_LINE = 28 };

/* Tail and number of such a line. */
static inline void kb_line(const char *p, uint32_t *ret, struct odd *odd)
{
	uint32_t kb = columns8(p + 16, &odd->bits);

	odd->bits |= (load4(p + 24) ^ load4(" kB\n")) | (kb > odd->most);
	*ret = kb;
}

/* Four such lines that follow each other: their keys and tails compared, their numbers read. */
static inline void kb_lines_portable(const char *p, const uint64_t key[4][2], uint32_t ret[4], struct odd *odd)
{
	for (int i = 0; i < 4; i++, p += KB_LINE) {
		odd->bits |= (load8(p) ^ key[i][0]) | (load8(p + 8) ^ key[i][1]);
		kb_line(p, &ret[i], odd);
	}
}

#ifdef __x86_64__
static inline __m128i differs16(const char *p, const uint64_t key[2])
{
	return _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)p),
			     _mm_load_si128((const __m128i *)(const void *)key));
}

/* 16 columns of two numbers as digits, blanks as 0. */
static inline __m128i digits16(const char *a, const char *b, __m128i *odd)
{
	__m128i d = _mm_xor_si128(_mm_set_epi64x((long long)load8(b), (long long)load8(a)), _mm_set1_epi8('0'));
	__m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(9)), d);
	/* What is no digit must be a blank, not the last one, and have no digit in front. */
	__m128i blank = _mm_xor_si128(d, _mm_set1_epi64x(INT64_C(0x0010101010101010)));

	*odd = _mm_or_si128(*odd, _mm_andnot_si128(digit, _mm_or_si128(blank, _mm_slli_epi64(digit, 8))));
	return _mm_and_si128(d, digit);
}

/* Sums of neighbours of 16 digits: of both numbers the upper four digits * 10,000 and the lower four. */
static inline __m128i fours(__m128i digits)
{
	const __m128i zero = _mm_setzero_si128(), tens = _mm_set1_epi64x(INT64_C(0x0001000a006403e8));
	__m128i a = _mm_madd_epi16(_mm_unpacklo_epi8(digits, zero), tens); /* 1000 100 | 10 1 | 1000 100 | 10 1 */
	__m128i b = _mm_madd_epi16(_mm_unpackhi_epi8(digits, zero), tens);

	return _mm_madd_epi16(_mm_packs_epi32(a, b), _mm_set1_epi64x(INT64_C(0x0001000127102710)));
}

static inline void kb_lines_sse2(const char *p, const uint64_t key[4][2], uint32_t ret[4], struct odd *odd)
{
	const char *q = p + 2 * KB_LINE;
	const uint32_t tail = load4(" kB\n");

	odd->bits |= (load4(p + 24) ^ tail) | (load4(p + KB_LINE + 24) ^ tail) | (load4(q + 24) ^ tail) |
		     (load4(q + KB_LINE + 24) ^ tail);
	__m128i keys = _mm_or_si128(_mm_or_si128(differs16(p, key[0]), differs16(p + KB_LINE, key[1])),
				    _mm_or_si128(differs16(q, key[2]), differs16(q + KB_LINE, key[3])));
	odd->vector = _mm_or_si128(odd->vector, keys);
	__m128 ab = _mm_castsi128_ps(fours(digits16(p + 16, p + KB_LINE + 16, &odd->vector)));
	__m128 cd = _mm_castsi128_ps(fours(digits16(q + 16, q + KB_LINE + 16, &odd->vector)));
	__m128i upper = _mm_castps_si128(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(2, 0, 2, 0)));
	__m128i lower = _mm_castps_si128(_mm_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 1, 3, 1)));
	__m128i kb = _mm_add_epi32(upper, lower);
	/* Eight columns hold less than 31 bits: they compare as signed numbers too. */
	odd->vector = _mm_or_si128(odd->vector, _mm_cmpgt_epi32(kb, _mm_set1_epi32((int)odd->most)));
	_mm_storeu_si128((__m128i *)(void *)ret, kb);
}

static inline bool odd_any(const struct odd *odd)
{
	return odd->bits || _mm_movemask_epi8(_mm_cmpeq_epi8(odd->vector, _mm_setzero_si128())) != 0xffff;
}
#define kb_lines kb_lines_sse2
#else
static inline bool odd_any(const struct odd *odd)
{
	return odd->bits != 0;
}
#define kb_lines kb_lines_portable
#endif

#endif
