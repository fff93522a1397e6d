/* SPDX-License-Identifier: MIT */
#include "base/fault.h"

#ifdef HUGECOV_FAULTS
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[FAULT_KINDS] = { "alloc", "read", "write", "open" };

/* Which kind fails, from which count on; 0 when none does. */
static struct {
	bool read;
	int kind;
	unsigned long from, seen;
	bool all;
} plan;

static void plan_read(void)
{
	const char *spec = getenv("HUGECOV_FAULT");

	plan.read = true;
	plan.kind = -1;
	if (!spec)
		return;
	for (int i = 0; i < FAULT_KINDS; i++) {
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
	if ((int)kind != plan.kind || plan.from == 0)
		return false;
	plan.seen++;
	return plan.all ? plan.seen >= plan.from : plan.seen == plan.from;
}
#else
typedef int fault_is_compiled_out; /* ISO C forbids an empty translation unit */
#endif
