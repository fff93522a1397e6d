/* SPDX-License-Identifier: MIT */
/*
 * A saved tree, file by file: "== proc/7/status" and its content behind. It
 * becomes a tar and is loaded whole: what stands in stat, status, cgroup,
 * comm, meminfo, sys/, a manifest, perf.txt beside the mappings.
 */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TAR_BLOCK = 512, TAR_NAME = 100 };

static void put_header(struct out *o, struct slice name, size_t size)
{
	char h[TAR_BLOCK] = { 0 };
	unsigned sum = 0;

	memcpy(h, name.p, name.n < TAR_NAME ? name.n : TAR_NAME - 1);
	memcpy(h + 100, "0000644", 8);
	memcpy(h + 108, "0000000", 8);
	memcpy(h + 116, "0000000", 8);
	snprintf(h + 124, 12, "%011o", (unsigned)size);
	memcpy(h + 136, "00000000000", 12);
	memset(h + 148, ' ', 8);
	h[156] = '0';
	memcpy(h + 257, "ustar", 6);
	memcpy(h + 263, "00", 2);
	for (size_t i = 0; i < sizeof(h); i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	out_write(o, h, sizeof(h));
}

static void put_member(struct out *o, struct slice name, struct slice bytes)
{
	put_header(o, name, bytes.n);
	out_put(o, bytes);
	out_pad(o, '\0', (int)(-bytes.n % TAR_BLOCK));
}

static void put_tar(struct out *o, struct slice text)
{
	struct slice mark = SLICE("\n== ");

	while (slice_starts(text, SLICE("== "))) {
		struct cut head = slice_cut_line(slice_skip(text, 3));
		struct slice rest = slice_of(head.head.p + head.head.n, head.tail.n + head.ok);
		ptrdiff_t end = slice_find(rest, mark);
		struct slice bytes = end < 0 ? head.tail : slice_first(head.tail, (size_t)end);

		put_member(o, head.head, bytes);
		text = end < 0 ? slice_of(NULL, 0) : slice_skip(rest, (size_t)end + 1);
	}
	out_pad(o, '\0', 2 * TAR_BLOCK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct common_options common = { .root = "/" };
	char path[FUZZ_PATH];
	struct out tar;

	out_memory(&tar);
	put_tar(&tar, fuzz_text(data, size));
	int fd = fuzz_file(out_slice(&tar), path);
	out_close(&tar);
	fuzz_source(path, &common, (struct load_options){ .all_files = true, .each = true });
	close(fd);
	return 0;
}
