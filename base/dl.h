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

/*
 * The same from an X-macro that lists the functions by the names of the
 * library's own header: a static struct `lib` of pointers to them, and load(),
 * which sets them.
 */
#define DL_POINTER(name) __typeof__(&name) name;
#define DL_SYMBOL(name) { #name, (void **)&lib.name },
#define DL_LIBRARY(soname, package, CALLS)                                                   \
	static struct {                                                                      \
		CALLS(DL_POINTER)                                                            \
	} lib;                                                                               \
                                                                                             \
	static int load(struct err *e)                                                       \
	{                                                                                    \
		static const struct dl_symbol symbols[] = { CALLS(DL_SYMBOL) };              \
                                                                                             \
		return dl_load(soname, package, symbols, sizeof(symbols) / sizeof(*symbols), e); \
	}

#endif
