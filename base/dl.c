/* SPDX-License-Identifier: MIT */
#include "base/dl.h"

#include <dlfcn.h>
#include <string.h>

#include "base/fault.h"

int dl_load(const char *soname, const char *package, const struct dl_symbol *symbols, size_t n,
	    struct err *e)
{
	if (n && *symbols[0].at)
		return 0;
	void *handle = fault(FAULT_LIB) ? NULL : dlopen(soname, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *why = dlerror();

		if (!why || strstr(why, "No such file")) {
			err_set(e, ERR_SYSTEM, "%s cannot be loaded", soname);
			return err_hint(e, "apt-get install %s", package);
		}
		return err_set(e, ERR_SYSTEM, "%s cannot be loaded: %s", soname, why);
	}
	/* The first pointer is set last: it stands for all of them. */
	for (size_t i = n; i-- > 0;) {
		void *f = dlsym(handle, symbols[i].name);

		if (!f) {
			err_set(e, ERR_SYSTEM, "%s has no %s: it is too old", soname, symbols[i].name);
			return err_hint(e, "apt-get install --only-upgrade %s", package);
		}
		*symbols[i].at = f;
	}
	return 0;
}
