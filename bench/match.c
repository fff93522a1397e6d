/* SPDX-License-Identifier: MIT */
/* match BEFORE AFTER: pairs two saved smaps by address and by identity, and judges; ns of CPU a mapping, best of 5. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "model/diff.h"

static int load(const char *path, struct snapshot *ret)
{
	static char buf[256 * 1024];
	struct err e = { 0 };
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	*ret = (struct snapshot){ .has_smaps = true, .source = { .pid = -1, .time_ns = -1 } };
	struct smaps_reader *r = smaps_reader_new(&ret->smaps, (struct smaps_options){ 0 });
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (smaps_feed(r, slice_of(buf, (size_t)n), &e))
			return -1;
	n = smaps_finish(r, &e);
	smaps_reader_free(r);
	close(fd);
	return (int)n;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double smaller(double a, double b)
{
	return a < b || b == 0 ? a : b;
}

static int measure(struct model m[SIDES], enum match_by by)
{
	size_t n = m[AFTER].smaps->n, rows = 0;
	double match = 0, judge = 0;
	struct err e;

	for (int i = 0; i < 5; i++) {
		struct diff d;
		double start = now();

		if (diff_start(&d, &m[BEFORE], &m[AFTER], by, &e))
			return 1;
		double paired = now();
		diff_judge(&d);
		match = smaller(paired - start, match);
		judge = smaller(now() - paired, judge);
		rows = d.match.n;
		diff_free(&d);
	}
	printf("%s: %zu mappings, %zu rows, match %.1f ns, judge %.1f ns a mapping\n",
	       by == MATCH_ADDRESS ? "address" : "identity", n, rows, match / (double)n, judge / (double)n);
	return 0;
}

int main(int argc, char **argv)
{
	struct snapshot s[SIDES];
	struct model m[SIDES];

	if (argc != 3 || load(argv[1], &s[BEFORE]) || load(argv[2], &s[AFTER]))
		return 2;
	model_init_pair(&m[BEFORE], &s[BEFORE], &m[AFTER], &s[AFTER], &(struct model_options){ 0 });
	return measure(m, MATCH_ADDRESS) || measure(m, MATCH_IDENTITY);
}
