/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source/internal.h"
#include "source/sink.h"

static char dir[64];

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *at(const char *name)
{
	static char path[2][256];
	static int i;

	i = !i;
	snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return path[i];
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/hugecov-source.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	mkdir(at("proc"), 0755);
	mkdir(at("proc/7"), 0755);
	put("proc/meminfo", "MemTotal: 1 kB\n");
	put("proc/7/stat", "7 (a) b) (c) S 1 7 7 0 -1 2097216 0 0 0 0 0 0 0 0 20 0 1 0 4242 0\n");
	put("proc/7/smaps", "");
	mkdir(at("n"), 0755);
	put("n/node10", "");
	put("n/node2", "");
	put("n/x", "");
	return 0;
}

static int drop_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static enum got read_as(const char *name, struct err *e)
{
	struct tree *t;
	struct arena a = { 0 };
	struct slice s;

	assert_int_equal(tree_open(dir, &t, e), 0);
	enum got got = tree_read(t, name, 4096, &a, &s, e);
	arena_free(&a);
	tree_close(t);
	return got;
}

static void reads_a_file(void **state)
{
	struct tree *t;
	struct arena a = { 0 };
	struct slice s;
	struct err e;

	(void)state;
	assert_int_equal(tree_open(dir, &t, &e), 0);
	assert_false(tree_is_live(t));
	assert_int_equal(tree_read(t, "proc/meminfo", 4096, &a, &s, &e), GOT_ALL);
	assert_true(slice_eq_str(s, "MemTotal: 1 kB\n"));
	assert_int_equal(tree_read(t, "proc/meminfo", 15, &a, &s, &e), GOT_ALL);
	assert_int_equal(tree_read(t, "proc/meminfo", 14, &a, &s, &e), GOT_FAILED);
	assert_int_equal(e.kind, ERR_LIMIT);
	assert_int_equal(s.n, 0);
	assert_int_equal(tree_read(t, "proc/vmstat", 14, &a, &s, &e), GOT_ABSENT);
	assert_string_equal(e.file, at("proc/vmstat"));
	arena_free(&a);
	tree_close(t);
}

static void nothing_leads_out(void **state)
{
	struct err e;

	(void)state;
	put("../hugecov-outside", "secret\n");
	assert_int_equal(symlink("/tmp/hugecov-outside", at("absolute")), 0);
	assert_int_equal(symlink("../hugecov-outside", at("relative")), 0);
	assert_int_equal(symlink("../..", at("proc/up")), 0);
	assert_int_equal(symlink("proc/meminfo", at("inside")), 0);
	assert_int_equal(symlink("meminfo", at("proc/beside")), 0);
	assert_int_equal(symlink("/dev/zero", at("zero")), 0);
	assert_int_equal(symlink("loop", at("loop")), 0);
	assert_int_equal(mkfifo(at("fifo"), 0644), 0);
	for (int plain = 0; plain < 2; plain++) {
		open_without_openat2 = plain;
		assert_int_equal(read_as("absolute", &e), GOT_FAILED);
		assert_non_null(strstr(e.text, "leads out of"));
		assert_int_equal(read_as("relative", &e), GOT_FAILED);
		assert_int_equal(read_as("zero", &e), GOT_FAILED);
		assert_int_equal(read_as("loop", &e), GOT_FAILED);
		assert_int_equal(read_as("proc/up/hugecov-outside", &e), GOT_FAILED);
		assert_int_equal(read_as("../hugecov-outside", &e), GOT_FAILED);
		assert_int_equal(read_as("/etc/passwd", &e), GOT_FAILED);
		assert_int_equal(read_as("fifo", &e), GOT_FAILED);
		assert_non_null(strstr(e.text, "not a regular file"));
		assert_int_equal(read_as("proc", &e), GOT_FAILED);
		assert_int_equal(read_as("proc/beside", &e), GOT_ALL);
		assert_int_equal(read_as("proc/meminfo/x", &e), GOT_ABSENT);
	}
	open_without_openat2 = false;
	assert_int_equal(read_as("inside", &e), GOT_ALL);
	unlink("/tmp/hugecov-outside");
}

static void lists_by_value(void **state)
{
	struct tree *t;
	struct arena a = { 0 };
	struct slice *names;
	size_t n;
	struct err e;

	(void)state;
	assert_int_equal(tree_open(dir, &t, &e), 0);
	assert_int_equal(tree_list(t, "n", &a, &names, &n, &e), GOT_ALL);
	assert_int_equal(n, 3);
	assert_true(slice_eq_str(names[0], "node2"));
	assert_true(slice_eq_str(names[1], "node10"));
	assert_true(slice_eq_str(names[2], "x"));
	assert_int_equal(tree_list(t, "none", &a, &names, &n, &e), GOT_ABSENT);
	assert_int_equal(n, 0);
	arena_free(&a);
	tree_close(t);
}

static void stat_of_a_process(void **state)
{
	struct tree *t;
	struct process_id p;
	struct err e;

	(void)state;
	assert_int_equal(tree_open(dir, &t, &e), 0);
	assert_int_equal(process_stat(t, 7, &p, &e), GOT_ALL);
	assert_string_equal(p.comm, "a) b) (c");
	assert_int_equal(p.state, 'S');
	assert_int_equal(p.start_ticks, 4242);
	assert_true(p.kernel_thread);
	process_explain(t, 7, GOT_ALL, "smaps", &e);
	assert_non_null(strstr(e.text, "kernel thread"));
	assert_int_equal(process_stat(t, 8, &p, &e), GOT_ABSENT);
	process_explain(t, 8, GOT_ABSENT, "smaps", &e);
	assert_non_null(strstr(e.text, "no process 8"));
	tree_close(t);
}

/* As the kernel wrote it of a process that calls itself "a\nb\\c\\n", and what it never writes. */
static void comms(void **state)
{
	static const struct {
		const char *escaped, *plain;
	} all[] = { { "a\\nb\\\\c\\\\n", "a\nb\\c\\n" }, { "\\", "\\" }, { "\\t", "\\t" }, { "", "" },
		    { "a\\\\", "a\\" }, { "0123456789", "0123456" }, { "012345\\\\9", "012345\\" } };
	char buf[8];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		assert_int_equal(comm_unescaped(slice_str(all[i].escaped), buf, sizeof(buf)), strlen(all[i].plain));
		assert_string_equal(buf, all[i].plain);
	}
	put("proc/7/stat", "7 (a\\n) Z\\\\) S 1 7 7 0 -1 2097216 0 0 0 0 0 0 0 0 20 0 1 0 4242 0\n");
	struct tree *t;
	struct process_id p;
	struct err e;

	assert_int_equal(tree_open(dir, &t, &e), 0);
	assert_int_equal(process_stat(t, 7, &p, &e), GOT_ALL);
	assert_string_equal(p.comm, "a\n) Z\\");
	assert_int_equal(p.comm_n, 6);
	assert_int_equal(p.state, 'S');
	tree_close(t);
}

static void live_machine(void **state)
{
	struct tree *t;
	struct process_id p;
	struct stream *s;
	struct slice piece;
	struct err e;
	size_t bytes = 0, pieces = 0;

	(void)state;
	for (int plain = 0; plain < 2; plain++) {
		open_without_openat2 = plain;
		assert_int_equal(tree_open("/", &t, &e), 0);
		assert_true(tree_is_live(t));
		assert_int_equal(process_stat(t, PID_SELF, &p, &e), GOT_ALL);
		assert_int_equal(p.pid, getpid());
		assert_false(p.kernel_thread);
		assert_int_equal(stream_open(t, "proc/self/smaps", SMAPS_PIECE, &s, &e), GOT_ALL);
		while (stream_next(s, &piece, &e) == 0 && piece.n) {
			assert_true(piece.n <= SMAPS_PIECE);
			bytes += piece.n;
			pieces++;
		}
		assert_true(bytes > 1000);
		assert_true(pieces > 1);
		stream_close(s);
		tree_close(t);
	}
	open_without_openat2 = false;
}

static void process_that_ended(void **state)
{
	struct tree *t;
	struct process_id p;
	struct err e;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(0);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(tree_open("/", &t, &e), 0);
	assert_int_equal(process_stat(t, child, &p, &e), GOT_ALL);
	assert_int_equal(p.state, 'Z');
	process_explain(t, child, GOT_ALL, "smaps", &e);
	assert_non_null(strstr(e.text, "zombie"));
	waitpid(child, NULL, 0);
	assert_int_equal(process_stat(t, child, &p, &e), GOT_ABSENT);
	process_explain(t, child, GOT_ABSENT, "smaps", &e);
	assert_non_null(strstr(e.text, "there is no process"));
	tree_close(t);
}

static void forms(void **state)
{
	static const struct {
		const char *argument;
		int status;
		enum source_form form;
		int64_t pid;
	} cases[] = {
		{ "-", 0, FORM_STDIN, -1 },	{ "123", 0, FORM_PID, 123 },
		{ "self", 0, FORM_SELF, -1 },	{ "/", 0, FORM_DIRECTORY, -1 },
		{ "/dev/zero", -1, 0, -1 },	{ "/dev/null", 0, FORM_FILE, -1 },
		{ "0", -1, 0, -1 },		{ "99999999999999999999", -1, 0, -1 },
		{ "/nonexistent", -1, 0, -1 },	{ "/proc/meminfo", 0, FORM_FILE, -1 },
		{ "./123", -1, 0, -1 },		{ "", -1, 0, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum source_form form = 0;
		int64_t pid;
		struct err e;

		assert_int_equal(source_form(cases[i].argument, &form, &pid, &e), cases[i].status);
		assert_int_equal(form, cases[i].form);
		assert_int_equal(pid, cases[i].pid);
	}
}

static void streams(void **state)
{
	struct stream *s;
	struct slice piece, all;
	struct arena a = { 0 };
	struct err e;

	(void)state;
	assert_int_equal(stream_open_path("/dev/zero", &s, &e), -1);
	assert_non_null(strstr(e.text, "is a device"));
	assert_int_equal(stream_open_path(dir, &s, &e), -1);
	assert_non_null(strstr(e.text, "is a directory"));
	assert_int_equal(stream_open_path(at("proc/meminfo"), &s, &e), 0);
	assert_int_equal(stream_next(s, &piece, &e), 0);
	stream_unread(s, piece);
	assert_int_equal(stream_all(s, 15, &a, &all, &e), 0);
	assert_true(slice_eq_str(all, "MemTotal: 1 kB\n"));
	assert_int_equal(stream_next(s, &piece, &e), 0);
	assert_int_equal(piece.n, 0);
	stream_close(s);
	s = stream_memory(SLICE("abc"));
	assert_int_equal(stream_all(s, 2, &a, &all, &e), -1);
	assert_int_equal(e.kind, ERR_LIMIT);
	stream_close(s);
	arena_free(&a);
}

static void pipes(void **state)
{
	int ends[2];
	char path[32];
	struct stream *s;
	struct slice all;
	struct arena a = { 0 };
	struct err e;

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 3; i++) {
			usleep(20000);
			if (write(ends[1], "abc", 3) != 3)
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_int_equal(stream_open_path(path, &s, &e), 0);
	assert_int_equal(stream_all(s, 100, &a, &all, &e), 0);
	assert_true(slice_eq_str(all, "abcabcabc"));
	stream_close(s);
	close(ends[0]);
	arena_free(&a);
	waitpid(child, NULL, 0);
}

/* Runs f(target) as user 65534 in a child; its exit status. */
static int as_nobody(int (*f)(pid_t), pid_t target)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(99);
		_exit(f(target));
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

/* 0: the words are those that are due. */
static int denied_and_says(pid_t target, const char *word)
{
	struct tree *t;
	struct stream *s;
	struct err e;
	char name[64];

	if (tree_open("/", &t, &e) < 0)
		return 1;
	snprintf(name, sizeof(name), "proc/%d/smaps", (int)target);
	if (stream_open(t, name, SMAPS_PIECE, &s, &e) != GOT_DENIED)
		return 2;
	process_explain(t, target, GOT_DENIED, "smaps", &e);
	tree_close(t);
	return !strstr(e.text, word) || !e.as_root;
}

static int others_process(pid_t target)
{
	return denied_and_says(target, "it belongs to root; you are");
}

static int own_that_changed(pid_t target)
{
	return denied_and_says(target, "it is yours, but");
}

static int gone_process(pid_t target)
{
	struct tree *t;
	struct process_id p;
	struct err e;

	if (tree_open("/", &t, &e) < 0 || process_stat(t, target, &p, &e) != GOT_ABSENT)
		return 1;
	process_explain(t, target, GOT_ABSENT, "smaps", &e);
	tree_close(t);
	return !strstr(e.text, "there is no process");
}

/* A child that waits; after `change` it is nobody's, and may not be dumped. */
static pid_t sleeper(bool change)
{
	int ready[2];
	char c;

	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		if (change && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(1);
		close(ready[0]);
		close(ready[1]); /* the reader sees the end */
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 0);
	close(ready[0]);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* The same process, and another program in it. */
static void exec_is_seen(void **state)
{
	struct tree *t;
	struct process_id before, again, after;
	struct err e;
	pid_t child = sleeper(false);

	(void)state;
	assert_int_equal(tree_open("/", &t, &e), 0);
	assert_int_equal(process_stat(t, child, &before, &e), GOT_ALL);
	assert_int_equal(process_stat(t, child, &again, &e), GOT_ALL);
	assert_true(process_is_same(&before, &again));
	end(child);
	child = fork();
	if (child == 0) {
		raise(SIGSTOP);
		execlp("sleep", "sleep", "1000", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, WUNTRACED);
	assert_int_equal(process_stat(t, child, &before, &e), GOT_ALL);
	kill(child, SIGCONT);
	do
		assert_int_equal(process_stat(t, child, &after, &e), GOT_ALL);
	while (strcmp(after.comm, "sleep") != 0);
	assert_int_equal(after.start_ticks, before.start_ticks);
	assert_false(process_is_same(&before, &after));
	end(child);
	tree_close(t);
}

static void denied_in_words(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	pid_t child = sleeper(false);
	assert_int_equal(as_nobody(others_process, child), 0);
	end(child);
	assert_int_equal(as_nobody(gone_process, child), 0);
	child = sleeper(true);
	assert_int_equal(as_nobody(own_that_changed, child), 0);
	end(child);
}

/* A snapshot writes nothing outside of itself, whoever made the names. */
static void nothing_is_written_outside(void **state)
{
	static const char *const out[] = { "", ".", "..", "/", "../out", "a/../../out", "a/..", "a//b", "a/", "./a" };
	static const char *const kinds[] = { "saved", "saved.tar" };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct sink *s;
		struct err e;

		assert_int_equal(sink_open(at(kinds[k]), false, 0, &s, &e), 0);
		for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++)
			assert_int_equal(sink_file(s, out[i], SLICE("x"), &e), -1);
		assert_int_equal(access(at("out"), F_OK), -1);
		assert_int_equal(sink_file(s, "a/..b/...", SLICE("x"), &e), 0);
		assert_int_equal(sink_commit(s, &e), 0);
	}
	assert_int_equal(access(at("saved/a/..b/..."), F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_file),	     cmocka_unit_test(nothing_leads_out),
		cmocka_unit_test(lists_by_value),    cmocka_unit_test(stat_of_a_process),
		cmocka_unit_test(live_machine),	     cmocka_unit_test(process_that_ended),
		cmocka_unit_test(forms),	     cmocka_unit_test(streams),
		cmocka_unit_test(pipes),	     cmocka_unit_test(exec_is_seen),
		cmocka_unit_test(denied_in_words),   cmocka_unit_test(nothing_is_written_outside),
		cmocka_unit_test(comms),
	};

	return cmocka_run_group_tests_name("source", tests, make_dir, drop_dir);
}
