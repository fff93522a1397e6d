/* SPDX-License-Identifier: MIT */
/* An archive from a stranger, opened as a tree and loaded whole. */
#include "fuzz.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct common_options common = { .root = "/" };
	char path[FUZZ_PATH];
	int fd = fuzz_file(fuzz_text(data, size), path);

	fuzz_source(path, &common, (struct load_options){ .all_files = true, .each = true });
	close(fd);
	return 0;
}
