/* SPDX-License-Identifier: MIT */
/*
 * A process to be looked at in a hostile moment. Says "ready PID" once it is so:
 *
 *   many N        N mappings more, and waits
 *   vast          1 TiB of PROT_NONE, and waits
 *   long          a file mapping whose path has about 4,000 bytes, made below the
 *                 current folder, and waits
 *   storm         mprotect, mmap, munmap and fork as fast as it can
 *   exec          itself again and again
 *   brief US      16 MiB touched, gone after US microseconds
 *   zombie        a child that has ended and is not waited for: says its number
 *   user UID      becomes that user, without an exec behind it, and waits
 *   hide          at the first byte of standard input may not be dumped any more, and waits
 *
 * Those that wait become "many 10" by exec when they read an x.
 * All end when standard input does, or with their parent.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, MB = 1 << 20, REGION = 16 * MB };

static _Noreturn void ready(long n)
{
	char c;

	printf("ready %ld\n", n);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		if (c == 'x')
			execl("/proc/self/exe", "moments", "many", "10", (char *)NULL);
	_exit(0);
}

static char *map(size_t size, int prot, int flags)
{
	char *p = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (p == MAP_FAILED)
		exit(2);
	return p;
}

static void many(size_t n)
{
	char *p = map((n + 1) * PAGE, PROT_READ, MAP_NORESERVE);

	for (size_t i = 0; i < n; i += 2) /* each second page cuts two more mappings */
		if (mprotect(p + i * PAGE, PAGE, PROT_NONE))
			break;
	ready(getpid());
}

static void long_path(void)
{
	char name[201];

	memset(name, 'n', 200);
	name[200] = '\0';
	for (int i = 0; i < 19; i++)
		if (mkdir(name, 0700) || chdir(name))
			exit(2);
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, PAGE) ||
	    mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		exit(2);
	ready(getpid());
}

static void *toggle(void *region)
{
	char *p = region;

	for (size_t i = 0;; i = (i + 7 * PAGE) % (REGION - 64 * PAGE)) {
		mprotect(p + i, 64 * PAGE, PROT_READ);
		mprotect(p + i, 64 * PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

static void *churn(void *unused)
{
	(void)unused;
	for (size_t i = 1;; i = i % 64 + 1) {
		char *p = map(i * 64 * PAGE, PROT_READ | PROT_WRITE, 0);

		*p = 1;
		munmap(p, i * 64 * PAGE);
	}
	return NULL;
}

static void *fork_on(void *unused)
{
	(void)unused;
	for (;;) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	return NULL;
}

static void storm(void)
{
	pthread_t t;
	char *p = map(REGION, PROT_READ | PROT_WRITE, 0);

	memset(p, 1, REGION);
	if (pthread_create(&t, NULL, toggle, p) || pthread_create(&t, NULL, churn, NULL) ||
	    pthread_create(&t, NULL, fork_on, NULL))
		exit(2);
	ready(getpid());
}

/* Standard input tells the end here too: it is asked before each exec. */
static void exec_on(char **argv)
{
	if (strcmp(argv[1], "exec") == 0) {
		printf("ready %ld\n", (long)getpid());
		fflush(stdout);
		argv[1] = "exec-again";
		fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
	}
	char c;
	if (read(0, &c, 1) == 0)
		exit(0);
	memset(map(MB, PROT_READ | PROT_WRITE, 0), 1, MB);
	usleep(1000);
	execv("/proc/self/exe", argv);
	exit(2);
}

static void brief(useconds_t us)
{
	memset(map(REGION, PROT_READ | PROT_WRITE, 0), 1, REGION);
	printf("ready %ld\n", (long)getpid());
	fflush(stdout);
	usleep(us);
}

static void zombie(void)
{
	siginfo_t info;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	ready(child);
}

static void hide(void)
{
	char c;

	printf("ready %ld\n", (long)getpid());
	fflush(stdout);
	if (read(0, &c, 1) == 1)
		prctl(PR_SET_DUMPABLE, 0);
	ready(getpid());
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (strcmp(what, "many") == 0)
		many(n);
	else if (strcmp(what, "vast") == 0)
		map((size_t)1 << 40, PROT_NONE, MAP_NORESERVE), ready(getpid());
	else if (strcmp(what, "long") == 0)
		long_path();
	else if (strcmp(what, "storm") == 0)
		storm();
	else if (strncmp(what, "exec", 4) == 0)
		exec_on(argv);
	else if (strcmp(what, "brief") == 0)
		brief((useconds_t)n);
	else if (strcmp(what, "zombie") == 0)
		zombie();
	else if (strcmp(what, "hide") == 0)
		hide();
	else if (strcmp(what, "user") == 0)
		return setgid((gid_t)n) || setuid((uid_t)n) ? 2 : (ready(getpid()), 0);
	else
		return 2;
	return 0;
}
