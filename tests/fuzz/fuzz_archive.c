/* SPDX-License-Identifier: MIT */
/* An archive from a stranger, opened as a tree and loaded whole. */
#include "fuzz.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct common_options common = { .root = "/" };
	char path[FUZZ_PATH];
	const char *args[] = { path };
	int fd = fuzz_file(fuzz_text(data, size), path);
	struct load load;
	struct err e = { 0 };

	if (load_sources(&load, args, 1, &common, (struct load_options){ .all_files = true, .each = true }, &e)) {
		fuzz_error(&e);
	} else {
		fuzz_load(&load);
		load_free(&load);
	}
	close(fd);
	return 0;
}
