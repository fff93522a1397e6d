/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* mkdtemp, symlink, setenv */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/output.h"

static char folder[64];

static int in_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/hugecov-output-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") || system(command);
}

static int entries(void)
{
	DIR *d = opendir(".");
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void holds(const char *path, const char *want)
{
	char buf[100] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	buf[fread(buf, 1, sizeof(buf) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(buf, want);
}

static void make(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int open_to(struct output *o, const char *path, struct err *e)
{
	struct common_options c = { .output = path };

	return output_open(o, &c, e);
}

static void test_new_file(void **state)
{
	(void)state;
	struct output o;
	struct err e;

	assert_int_equal(open_to(&o, "new", &e), 0);
	out_str(&o.out, "text");
	assert_int_equal(access("new", F_OK), -1); /* not before it is complete */
	assert_int_equal(output_close(&o, &e), 0);
	holds("new", "text");
	assert_int_equal(entries(), 1);
}

static void test_replaces(void **state)
{
	(void)state;
	struct output o;
	struct err e;
	struct stat st;
	char path[200];

	make("old", "old text");
	chmod("old", 0640);
	snprintf(path, sizeof(path), "%s/old", folder);
	assert_int_equal(open_to(&o, path, &e), 0);
	out_str(&o.out, "new");
	holds("old", "old text");
	assert_int_equal(output_close(&o, &e), 0);
	holds("old", "new");
	stat("old", &st);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(entries(), 1);
}

static void test_drop(void **state)
{
	(void)state;
	struct output o;
	struct err e;

	make("old", "old text");
	assert_int_equal(open_to(&o, "old", &e), 0);
	out_str(&o.out, "half");
	out_flush(&o.out);
	output_drop(&o);
	holds("old", "old text");
	assert_int_equal(entries(), 1);
}

static void refused(const char *path, const char *text)
{
	struct output o;
	struct err e;
	int before = entries();

	assert_int_equal(open_to(&o, path, &e), -1);
	if (!strstr(e.text, text))
		fail_msg("%s: '%s' lacks '%s'", path, e.text, text);
	assert_int_equal(entries(), before);
}

static void test_refused(void **state)
{
	(void)state;
	make("target", "x");
	mkdir("folder", 0755);
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(symlink("/nowhere/x", "dangling"), 0);
	refused("link", "symbolic link");
	refused("dangling", "symbolic link");
	refused("folder", "it is no file");
	refused("missing/file", "No such file");
	refused("target/file", "Not a directory");
	refused("folder/", "it is no file");
	holds("target", "x");
}

/* A signal while a file is written leaves what was there. */
static void test_signal(void **state)
{
	(void)state;
	make("old", "old text");
	pid_t pid = fork();
	if (pid == 0) {
		struct output o;
		struct err e;

		if (open_to(&o, "old", &e))
			_exit(9);
		out_str(&o.out, "half");
		out_flush(&o.out);
		raise(SIGTERM);
		_exit(8);
	}
	int status;
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	holds("old", "old text");
	assert_int_equal(entries(), 1);
}

/* What a full disk looks like: no byte more than the limit. */
static void test_full(void **state)
{
	(void)state;
	struct rlimit keep, limit;
	struct output o;
	struct err e;

	make("old", "old text");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &keep);
	limit = keep;
	limit.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(open_to(&o, "old", &e), 0);
	out_pad(&o.out, 'x', 100000);
	int status = output_close(&o, &e);
	setrlimit(RLIMIT_FSIZE, &keep);
	assert_int_equal(status, -1);
	assert_non_null(strstr(e.text, "cannot write old"));
	holds("old", "old text");
	assert_int_equal(entries(), 1);
}

static void test_fifo(void **state)
{
	(void)state;
	struct output o;
	struct err e;
	char buf[10] = "";

	assert_int_equal(mkfifo("fifo", 0600), 0);
	int fd = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_int_equal(open_to(&o, "fifo", &e), 0);
	out_str(&o.out, "text");
	assert_int_equal(output_close(&o, &e), 0);
	assert_int_equal(read(fd, buf, sizeof(buf)), 4);
	assert_string_equal(buf, "text");
	close(fd);
}

static void test_own_descriptor(void **state)
{
	(void)state;
	struct output o;
	struct err e;
	char path[40];

	make("kept", "");
	int fd = open("kept", O_WRONLY);
	assert_int_equal(write(fd, "one ", 4), 4);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_int_equal(open_to(&o, path, &e), 0);
	out_str(&o.out, "two");
	assert_int_equal(output_close(&o, &e), 0);
	assert_int_equal(write(fd, " three", 6), 6); /* it is still open, and goes on behind */
	close(fd);
	holds("kept", "one two three");
	refused("/dev/fd/77", "cannot write");
}

static void test_style(void **state)
{
	(void)state;
	struct common_options c = { .color = COLOR_ALWAYS, .kb = true };
	int fd = open("/dev/null", O_WRONLY);

	unsetenv("COLUMNS");
	struct text_style st = output_style(fd, &c);
	assert_int_equal(st.width, 80);
	assert_true(st.color && st.kb);
	setenv("COLUMNS", "123", 1);
	assert_int_equal(output_style(fd, &c).width, 123);
	setenv("COLUMNS", "3", 1);
	assert_int_equal(output_style(fd, &c).width, 40);
	setenv("COLUMNS", "wide", 1);
	assert_int_equal(output_style(fd, &c).width, 80);
	unsetenv("COLUMNS");
	c.color = COLOR_AUTO; /* /dev/null is no terminal */
	assert_false(output_style(fd, &c).color);
	close(fd);
}

int main(void)
{
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, in_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_new_file), IN_FOLDER(test_replaces), IN_FOLDER(test_drop),
		IN_FOLDER(test_refused),  IN_FOLDER(test_signal),   IN_FOLDER(test_full),
		IN_FOLDER(test_fifo),	  IN_FOLDER(test_own_descriptor),
		cmocka_unit_test(test_style),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
