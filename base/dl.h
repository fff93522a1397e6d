/* SPDX-License-Identifier: MIT */
/*
 * Libraries that only some commands need are loaded at first use, so that the
 * others start at once: what is linked is mapped and relocated before main().
 * Each library's home file has one table of its symbols.
 */
#ifndef BASE_DL_H
#define BASE_DL_H

#include <stddef.h>

#include "base/err.h"

struct dl_symbol {
	const char *name;
	void **at; /* address of the function pointer to set */
};

/*
 * Loads `soname` and sets all n pointers. Cheap when done before (the handle
 * is kept). -1: not installed, or too old; the hint names the Debian package.
 */
int dl_load(const char *soname, const char *package, const struct dl_symbol *symbols, size_t n,
	    struct err *e);

#endif
