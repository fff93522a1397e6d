/* SPDX-License-Identifier: MIT */
/* Start-up, dispatch, --help and --version. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/version.h"
#include "cmd/as_root.h"
#include "cmd/diag.h"
#include "cmd/help.h"
#include "cmd/output.h"
#include "source/sink.h"

static void on_exhausted(void)
{
	static const char text[] = "hugecov: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n; /* there is nobody else to tell */
	output_emergency();
	sink_emergency();
	_exit(STATUS_FAILED);
}

static bool at_the_end;

/* libarchive and curses leave by exit(1) when they are out of memory, and 1 means something here. */
static void on_exit_of_others(void)
{
	static const char text[] = "hugecov: a library ended the program: out of memory?\n";

	if (at_the_end)
		return;
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	output_emergency();
	sink_emergency();
	_exit(STATUS_FAILED);
}

/*
 * A descriptor 0, 1 or 2 that the caller closed would be taken by the next
 * file opened, and output would go there. It is filled with /dev/null, opened
 * the wrong way round, so that using it still fails and is reported.
 */
static void fill_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(STATUS_FAILED);
}

static int print_help(const struct command *c)
{
	static const struct common_options defaults;
	struct output o;
	struct err e;

	if (output_open(&o, &defaults, &e))
		return diag_print(&e);
	if (c)
		help_command(&o.out, c);
	else
		help_main(&o.out);
	return output_close(&o, &e) ? diag_print(&e) : STATUS_DONE;
}

static int print_version(void)
{
	static const struct common_options defaults;
	struct output o;
	struct err e;

	if (output_open(&o, &defaults, &e))
		return diag_print(&e);
	out_printf(&o.out, "hugecov %s\n", hugecov_version);
	return output_close(&o, &e) ? diag_print(&e) : STATUS_DONE;
}

static int unknown_command(const char *word)
{
	struct nearest near;
	struct err e;

	nearest_start(&near, slice_str(word));
	for (const struct command *c = commands; c->name; c++)
		nearest_try(&near, c->name);
	if (near.best)
		err_set(&e, ERR_USAGE, "unknown command '%.60s' (did you mean %s?)", word,
			near.best);
	else
		err_set(&e, ERR_USAGE, "unknown %s '%.60s'", *word == '-' ? "option" : "command",
			word);
	err_hint(&e, "hugecov --help lists the commands");
	return diag_print(&e);
}

static int run(const struct command *c, int n, char **argv)
{
	struct opt_set set = option_set(c->id);
	void *options = options_new(c->id);
	struct opt_result r;
	struct err e;
	int status;

	if (opt_parse(&set, n, argv, options, &r, &e))
		status = diag_print(&e);
	else if (r.help)
		status = print_help(c);
	else if (r.words.n > c->max_args)
		status = diag_usage(c->name, "unexpected argument '%.60s'",
				    r.words.at[c->max_args]);
	else
		status = c->run(&(struct call){ c, options, r.words.at, r.words.n, r.rest,
						r.rest_n });
	opt_free(&set, options, &r);
	mem_free(options);
	return status;
}

static int dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "--help";
	const struct command *c = command_find(slice_str(word));

	if (c)
		return run(c, argc - 2, argv + 2);
	if (!strcmp(word, "help") && argc > 2) {
		c = command_find(slice_str(argv[2]));
		return c ? print_help(c) : unknown_command(argv[2]);
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		return print_help(NULL);
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return print_version();
	return unknown_command(word);
}

int main(int argc, char **argv)
{
	fill_descriptors();
	mem_on_exhausted(on_exhausted);
	signal(SIGPIPE, SIG_DFL); /* a closed pipe is quiet, also when the caller ignores SIGPIPE */
	signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error like a full disk */
	setlocale(LC_CTYPE, "");  /* numbers stay as in C */
	as_root_remember(argv);
	atexit(on_exit_of_others);
	int status = dispatch(argc, argv);

	at_the_end = true;
	return status;
}
