/* SPDX-License-Identifier: MIT */
/*
 * A file of any kind, as a user names it: bits of the first byte are the
 * options, the next one is --kind, the rest is the file.
 */
#include "fuzz.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct common_options common = { .root = "/" };
	char path[FUZZ_PATH];

	if (size < 2)
		return 0;
	common.strict = data[0] & 1;
	common.kind = data[0] & 8 ? data[1] % KIND_COUNT : KIND_UNKNOWN;
	const struct load_options o = { .all_files = true, .split = data[0] & 2, .each = data[0] & 4 };
	int fd = fuzz_file(fuzz_text(data + 2, size - 2), path);
	fuzz_source(path, &common, o);
	close(fd);
	return 0;
}
