/* SPDX-License-Identifier: MIT */
#include "base/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double middle(const double *sorted, size_t n)
{
	/* halves first: the sum of two large values may not be a number */
	return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

struct stats stats_of(const double *values, size_t n)
{
	struct stats s = { .n = n };

	if (!n)
		return s;
	double *v = mem_array(n, sizeof(*v));
	memcpy(v, values, n * sizeof(*v));
	qsort(v, n, sizeof(*v), by_value);
	s.min = v[0];
	s.max = v[n - 1];
	s.median = middle(v, n);
	for (size_t i = 0; i < n; i++) {
		s.mean += v[i] / (double)n;
		v[i] = fabs(v[i] - s.median);
	}
	qsort(v, n, sizeof(*v), by_value);
	s.mad = middle(v, n);
	mem_free(v);
	return s;
}

/* ---- Mann-Whitney ---- */

struct ranked {
	double value;
	bool of_a;
	unsigned rank2; /* twice the rank, so that the mean of two ranks is whole */
};

static int by_ranked(const void *x, const void *y)
{
	return by_value(&((const struct ranked *)x)->value, &((const struct ranked *)y)->value);
}

/* Ranks from 1; ties share the mean. Returns the sum of t^3 - t over groups of t ties. */
static double give_ranks(struct ranked *r, size_t n)
{
	double ties = 0;

	qsort(r, n, sizeof(*r), by_ranked);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && r[end].value <= r[i].value; end++)
			;
		double t = (double)(end - i);

		ties += t * t * t - t;
		for (size_t k = i; k < end; k++) /* ranks i+1 to end */
			r[k].rank2 = (unsigned)(i + 1 + end);
	}
	return ties;
}

/* n over k, exact as long as it is below 2^53. */
static double choose(size_t n, size_t k)
{
	double c = 1;

	for (size_t i = 1; i <= k; i++)
		c = c * (double)(n - k + i) / (double)i;
	return c;
}

/*
 * Of all ways to take n_a of the ranks, the share whose sum is at least as far
 * from the expected one as `sum2`. ways[k * width + s]: how many sets of k
 * ranks have the doubled sum s.
 */
static double exact_p(const struct ranked *r, size_t n, size_t n_a, unsigned sum2)
{
	size_t width = n * (n + 1) + 1;
	uint64_t *ways = mem_array((n_a + 1) * width, sizeof(*ways));
	long expected2 = (long)(n_a * (n + 1));
	long distance = labs((long)sum2 - expected2);
	double extreme = 0;

	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = n_a < i + 1 ? n_a : i + 1; k > 0; k--)
			for (size_t s = width - 1; s >= r[i].rank2; s--)
				ways[k * width + s] += ways[(k - 1) * width + s - r[i].rank2];
	for (size_t s = 0; s < width; s++)
		if (labs((long)s - expected2) >= distance)
			extreme += (double)ways[n_a * width + s];
	mem_free(ways);
	return extreme / choose(n, n_a);
}

static double normal_p(double u, double n_a, double n_b, double ties)
{
	double n = n_a + n_b;
	double variance = n_a * n_b / 12 * (n + 1 - ties / (n * (n - 1)));
	double distance = fabs(u - n_a * n_b / 2) - 0.5;

	if (variance <= 0 || distance <= 0) /* all are equal, or right in the middle */
		return 1;
	return erfc(distance / sqrt(variance) / sqrt(2));
}

/* Both ways of complete separation, out of all. */
double stats_p_min(size_t n_a, size_t n_b)
{
	return fmin(1, 2 / choose(n_a + n_b, n_a < n_b ? n_a : n_b));
}

static unsigned sum_of_a(const struct ranked *r, size_t n)
{
	unsigned sum2 = 0;

	for (size_t i = 0; i < n; i++)
		sum2 += r[i].of_a ? r[i].rank2 : 0;
	return sum2;
}

bool stats_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b,
			struct mann_whitney *ret)
{
	size_t n = n_a + n_b;

	if (!n_a || !n_b)
		return false;
	struct ranked *r = mem_array(n, sizeof(*r));
	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){ .value = i < n_a ? a[i] : b[i - n_a], .of_a = i < n_a };
	double ties = give_ranks(r, n);
	unsigned sum2 = sum_of_a(r, n);

	*ret = (struct mann_whitney){ .n_a = n_a, .n_b = n_b, .exact = n <= STATS_EXACT_MAX };
	ret->u = (double)sum2 / 2 - (double)n_a * (double)(n_a + 1) / 2;
	ret->p_min = stats_p_min(n_a, n_b);
	ret->p = ret->exact ? exact_p(r, n, n_a, sum2)
			    : normal_p(ret->u, (double)n_a, (double)n_b, ties);
	mem_free(r);
	return true;
}
