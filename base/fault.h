/* SPDX-License-Identifier: MIT */
/*
 * Fault points. In a build with -DHUGECOV_FAULTS the variable HUGECOV_FAULT,
 * "KIND:N" or "KIND:N+", makes the N-th point of that kind fail (with '+' all
 * from the N-th on). KIND is alloc, read, write or open. In every other build
 * fault() is the constant false and costs nothing.
 */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>

enum fault_kind { FAULT_ALLOC, FAULT_READ, FAULT_WRITE, FAULT_OPEN, FAULT_KINDS };

#ifdef HUGECOV_FAULTS
bool fault(enum fault_kind kind);
#else
static inline bool fault(enum fault_kind kind)
{
	(void)kind;
	return false;
}
#endif

#endif
