/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmd/as_root.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shell.h"

static char *const *typed;

void as_root_remember(char *const *argv)
{
	typed = argv;
}

/*
 * sudo looks for programs in a path of its own (secure_path): what was found
 * elsewhere by its bare name must be named in full.
 */
static const char *program(char *buf, size_t size)
{
	static const char *const secure[] = { "/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/",
					      "/usr/bin/", "/sbin/", "/bin/" };
	ssize_t n;

	if (strchr(typed[0], '/') || (n = readlink("/proc/self/exe", buf, size - 1)) <= 0)
		return typed[0];
	buf[n] = '\0';
	char *name = strrchr(buf, '/') + 1;
	for (size_t i = 0; i < sizeof(secure) / sizeof(*secure); i++)
		if (strlen(secure[i]) == (size_t)(name - buf) && !strncmp(buf, secure[i], (size_t)(name - buf)))
			return typed[0];
	return buf;
}

/* A descriptor that this shell has opened, as <(...) does; sudo closes all but 0, 1 and 2. */
static const char *pipe_word(void)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	for (char *const *w = typed + 1; *w && strcmp(*w, "--"); w++)
		for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
			if (!strncmp(*w, folders[i], strlen(folders[i])) && atoi(*w + strlen(folders[i])) > 2)
				return *w;
	return NULL;
}

void as_root_hint(struct out *o, bool ascii)
{
	char buf[PATH_MAX];
	const char *pipe;

	if (!typed || !typed[0])
		return;
	if ((pipe = pipe_word())) {
		out_str(o, "Root may read it, but sudo does not hand on the pipe ");
		shell_word(o, slice_str(pipe), ascii);
		out_str(o, ":\nsave what it gives to a file, and name that instead\n");
		return;
	}
	out_str(o, "Try: sudo ");
	shell_word(o, slice_str(program(buf, sizeof(buf))), ascii);
	for (char *const *w = typed + 1; *w; w++) {
		out_byte(o, ' ');
		shell_word(o, slice_str(*w), ascii);
	}
	out_byte(o, '\n');
}
