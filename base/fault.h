/* SPDX-License-Identifier: MIT */
/*
 * Fault points. In a build with -DHUGECOV_FAULTS the variable HUGECOV_FAULT,
 * "KIND:N" or "KIND:N+", makes the N-th point of that kind fail (with '+' all
 * from the N-th on). KIND is alloc, read, write, open or lib (a library loaded
 * at first use). The variable HUGECOV_FAULT_COUNTS names a file that exists: how
 * often each kind was reached, and how many failed, are kept there as numbers
 * of 8 bytes, also when the program is killed. In every other build fault() is
 * the constant false and costs nothing.
 */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>

enum fault_kind { FAULT_ALLOC, FAULT_READ, FAULT_WRITE, FAULT_OPEN, FAULT_LIB, FAULT_KINDS };

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
