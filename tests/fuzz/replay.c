/* SPDX-License-Identifier: MIT */
/* Linked with a fuzz target instead of libFuzzer: gives it the files that are named, once each. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

/* An exact allocation, so that a sanitizer sees a read behind its end. */
static int give(const char *path)
{
	static char buf[1 << 20];
	FILE *f = fopen(path, "rb");

	if (!f)
		return -1;
	size_t n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	uint8_t *data = malloc(n ? n : 1);
	if (!data)
		return -1;
	memcpy(data, buf, n);
	printf("%s\n", path);
	fflush(stdout); /* the last line names the culprit */
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	fuzz_all = true;
	for (int i = 1; i < argc; i++)
		if (give(argv[i]))
			return 2;
	return 0;
}
