/* SPDX-License-Identifier: MIT */
/* An archive from a stranger, opened as a tree and loaded whole. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct common_options common = { .root = "/" };
	char path[64];
	struct load load;
	struct err e = { 0 };
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const char *args[] = { path };
	if (!load_sources(&load, args, 1, &common, (struct load_options){ .all_files = true, .each = true }, &e)) {
		for (size_t i = 0; i < load.n; i++)
			fuzz_render(&load.snaps[i], NULL);
		load_free(&load);
	}
	close(fd);
	return 0;
}
