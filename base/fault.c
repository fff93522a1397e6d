/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/fault.h"

#ifdef HUGECOV_FAULTS
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const kind_names[FAULT_KINDS] = { "alloc", "read", "write", "open", "lib" };

/* Which kind fails, from which count on; 0 when none does. */
static struct {
	bool read;
	int kind;
	uint64_t from;
	bool all;
} plan;

/* Times that each kind was reached, and last how many of them failed. */
static uint64_t counts_here[FAULT_KINDS + 1], *counts = counts_here;

static void counts_open(const char *path)
{
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(counts_here)) == 0)
		p = mmap(NULL, sizeof(counts_here), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (p != MAP_FAILED)
		counts = p;
}

static void plan_read(void)
{
	const char *spec = getenv("HUGECOV_FAULT");

	plan.read = true;
	plan.kind = -1;
	counts_open(getenv("HUGECOV_FAULT_COUNTS"));
	for (int i = 0; spec && i < FAULT_KINDS; i++) {
		size_t n = strlen(kind_names[i]);

		if (strncmp(spec, kind_names[i], n) == 0 && spec[n] == ':') {
			char *end;

			plan.kind = i;
			plan.from = strtoul(spec + n + 1, &end, 10);
			plan.all = *end == '+';
		}
	}
}

bool fault(enum fault_kind kind)
{
	if (!plan.read)
		plan_read();
	uint64_t seen = ++counts[kind];
	bool fails = (int)kind == plan.kind && plan.from &&
		     (plan.all ? seen >= plan.from : seen == plan.from);

	counts[FAULT_KINDS] += fails;
	return fails;
}
#else
typedef int fault_is_compiled_out; /* ISO C forbids an empty translation unit */
#endif
