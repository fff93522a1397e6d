/* SPDX-License-Identifier: MIT */
/* parse FILE: reads a saved smaps as the program does, and nothing else. For instruction counts. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parse/smaps.h"

int main(int argc, char **argv)
{
	static char buf[256 * 1024];
	struct smaps s = { 0 };
	struct err e = { 0 };
	struct smaps_reader *r = smaps_reader_new(&s, (struct smaps_options){ 0 });
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return 2;
	smaps_expect(&s, (uint64_t)st.st_size);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (smaps_feed(r, slice_of(buf, (size_t)n), &e))
			return 1;
	if (smaps_finish(r, &e))
		return 1;
	printf("%zu mappings, %zu bytes each, %zu names\n", s.n, sizeof(struct vma), s.names_n);
	smaps_reader_free(r);
	smaps_free(&s);
	return 0;
}
