/* SPDX-License-Identifier: MIT */
/* The command behind "--": started, told what signals we get, waited for. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/check.h"

/* ---- signals are passed on ---- */

static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };
enum { PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };
static volatile sig_atomic_t child_pid;
static struct sigaction before_us[PASSED_ON], children_before_us;

static void pass_on(int sig, siginfo_t *info, void *context)
{
	int code = errno;

	(void)context;
	/* What the terminal sends has reached the command already: it is in our group. */
	if (child_pid > 0 && info->si_code != SI_KERNEL)
		kill(child_pid, sig);
	errno = code;
}

static void block_signals(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < PASSED_ON; i++)
		sigaddset(&set, passed_on[i]);
	sigprocmask(how, &set, NULL);
}

/* A caller that ignores SIGCHLD leaves it so in us: the kernel would then forget how the command ended. */
static void take_signals(void)
{
	struct sigaction sa = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &children_before_us);
	for (int i = 0; i < PASSED_ON; i++) {
		sigaction(passed_on[i], NULL, &before_us[i]);
		if (before_us[i].sa_handler != SIG_IGN)
			sigaction(passed_on[i], &sa, NULL);
	}
}

static void give_signals_back(void)
{
	for (int i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &before_us[i], NULL);
	sigaction(SIGCHLD, &children_before_us, NULL);
}

/* ---- starting it ---- */

static bool results_to_stdout(const struct check *c)
{
	return !c->o->common.output || !strcmp(c->o->common.output, "-");
}

static void be_the_command(const struct check *c, int report)
{
	give_signals_back();
	block_signals(SIG_UNBLOCK);
	signal(SIGXFSZ, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody is left to judge it */
	/* Results own standard output; what the command prints must not stand among them. */
	if (results_to_stdout(c))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(c->call->rest[0], c->call->rest);
	int code = errno;
	ssize_t n = write(report, &code, sizeof(code));

	(void)n;
	_exit(127);
}

/* The pipe closes when exec has succeeded; else it brings the errno. */
static int wait_for_exec(int fd, pid_t pid, const struct check *c, struct err *e)
{
	int code = 0;
	ssize_t n;

	while ((n = read(fd, &code, sizeof(code))) < 0 && errno == EINTR)
		;
	if (n != sizeof(code))
		return 0;
	waitpid(pid, NULL, 0);
	return err_sys(e, code, "cannot run %.200s", c->call->rest[0]);
}

int check_start(const struct check *c, pid_t *ret, struct err *e)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return err_sys(e, errno, "cannot make a pipe");
	take_signals();
	block_signals(SIG_BLOCK); /* none is lost before there is somebody to pass it on to */
	pid_t pid = fork();
	if (pid == 0)
		be_the_command(c, fds[1]);
	int code = errno;
	child_pid = pid;
	block_signals(SIG_UNBLOCK);
	close(fds[1]);
	int status = pid < 0 ? err_sys(e, code, "cannot start a process") :
			       wait_for_exec(fds[0], pid, c, e);
	close(fds[0]);
	if (status)
		give_signals_back();
	*ret = pid;
	return status;
}

/* ---- its end ---- */

void check_wait(struct check_command *k, pid_t pid)
{
	int status = -1; /* neither exited nor killed: what is not known is no success */

	block_signals(SIG_BLOCK); /* its number may be another process's as soon as it is reaped */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child_pid = 0;
	block_signals(SIG_UNBLOCK);
	k->ran = true;
	k->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	k->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	give_signals_back();
}
