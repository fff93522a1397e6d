/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/rfc3339.h"

#include <stdio.h>
#include <time.h>

static const int64_t SECOND = 1000000000;

struct slice rfc3339_put(char *buf, int64_t ns)
{
	time_t seconds = (time_t)(ns / SECOND);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	size_t n = strftime(buf, RFC3339_BUF, "%Y-%m-%dT%H:%M:%S", &tm);
	if (ns % SECOND)
		n += (size_t)snprintf(buf + n, RFC3339_BUF - n, ".%09lld",
				      (long long)(ns % SECOND));
	buf[n++] = 'Z';
	buf[n] = '\0';
	return slice_of(buf, n);
}

/* Exactly n digits from the front. */
static bool take(struct slice *s, size_t n, int *ret)
{
	*ret = 0;
	if (s->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_digit(s->p[i]))
			return false;
		*ret = *ret * 10 + (s->p[i] - '0');
	}
	*s = slice_skip(*s, n);
	return true;
}

static bool skip(struct slice *s, const char *any)
{
	if (!s->n || !strchr(any, s->p[0]) || !s->p[0])
		return false;
	*s = slice_skip(*s, 1);
	return true;
}

static bool take_date(struct slice *s, struct tm *tm)
{
	if (!take(s, 4, &tm->tm_year) || !skip(s, "-") || !take(s, 2, &tm->tm_mon) ||
	    !skip(s, "-") || !take(s, 2, &tm->tm_mday) || !skip(s, "Tt ") ||
	    !take(s, 2, &tm->tm_hour) || !skip(s, ":") || !take(s, 2, &tm->tm_min) ||
	    !skip(s, ":") || !take(s, 2, &tm->tm_sec))
		return false;
	bool ok = tm->tm_year >= 1970 && tm->tm_year < 2262 && tm->tm_mon >= 1 &&
		  tm->tm_mon <= 12 && tm->tm_mday >= 1 && tm->tm_mday <= 31 && tm->tm_hour < 24 &&
		  tm->tm_min < 60 && tm->tm_sec <= 60;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	return ok;
}

static bool take_fraction(struct slice *s, int64_t *ret_ns)
{
	int digit;
	int64_t unit = SECOND / 10;

	*ret_ns = 0;
	if (!skip(s, "."))
		return true;
	if (!s->n || !is_digit(s->p[0]))
		return false;
	for (; take(s, 1, &digit); unit /= 10)
		*ret_ns += digit * unit;
	return true;
}

static bool take_offset(struct slice *s, int *ret_seconds)
{
	int hours, minutes, sign = s->n && s->p[0] == '-' ? -1 : 1;

	*ret_seconds = 0;
	if (skip(s, "Zz"))
		return true;
	if (!skip(s, "+-") || !take(s, 2, &hours) || !skip(s, ":") || !take(s, 2, &minutes))
		return false;
	*ret_seconds = sign * (hours * 3600 + minutes * 60);
	return hours < 24 && minutes < 60;
}

bool rfc3339_read(struct slice s, int64_t *ret_ns)
{
	struct tm tm = { 0 };
	int64_t fraction;
	int offset;

	if (!take_date(&s, &tm) || !take_fraction(&s, &fraction) ||
	    !take_offset(&s, &offset) || s.n)
		return false;
	int day = tm.tm_mday;
	int64_t seconds = (int64_t)timegm(&tm) - offset;
	if (tm.tm_mday != day || seconds < 0) /* timegm made 31 February into March */
		return false;
	*ret_ns = seconds * SECOND + fraction;
	return true;
}

int64_t time_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}
