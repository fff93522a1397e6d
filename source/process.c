/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/num.h"
#include "source/internal.h"

enum {
	STAT_MAX = 16 * 1024,
	PF_KTHREAD = 0x00200000,
	/* Fields of proc(5), counted behind the comm: field 3 is the first. */
	FIELD_STATE = 3,
	FIELD_FLAGS = 9,
	FIELD_START = 22,
	FIELD_START_CODE = 26,
	FIELD_START_STACK = 28,
};

static void take_field(struct process_id *p, unsigned field, struct slice word)
{
	uint64_t v;

	if (field == FIELD_STATE)
		p->state = word.p[0];
	else if (field == FIELD_FLAGS && num_u64(word, &v))
		p->kernel_thread = v & PF_KTHREAD;
	else if (field == FIELD_START && num_u64(word, &v))
		p->start_ticks = v;
	else if (field == FIELD_START_CODE && num_u64(word, &v))
		p->start_code = v;
	else if (field == FIELD_START_STACK && num_u64(word, &v))
		p->start_stack = v;
}

size_t comm_unescaped(struct slice s, char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n && n < size - 1; i++) {
		char next = s.p[i] == '\\' && i + 1 < s.n ? s.p[i + 1] : '\0';

		i += next == 'n' || next == '\\';
		buf[n++] = next == 'n' ? '\n' : s.p[i];
	}
	buf[n] = '\0';
	return n;
}

/* "PID (COMM) STATE ...": COMM may hold anything, so that its end is the last ')'. */
static bool parse_stat(struct slice s, struct process_id *p)
{
	size_t close = s.n;
	struct cut open = slice_cut(s, '(');
	uint64_t pid;

	while (close > 0 && s.p[close - 1] != ')')
		close--;
	if (!open.ok || close == 0 || s.p + close - 1 < open.tail.p ||
	    !num_u64(slice_trim(open.head), &pid) || pid > INT64_MAX)
		return false;
	struct slice comm = slice_of(open.tail.p, (size_t)(s.p + close - 1 - open.tail.p));
	p->pid = (int64_t)pid;
	p->comm_n = comm_unescaped(comm, p->comm, sizeof(p->comm));

	struct cut w = slice_cut_word(slice_rtrim(slice_skip(s, close)));
	for (unsigned field = FIELD_STATE; w.head.n; field++) {
		take_field(p, field, w.head);
		w = slice_cut_word(w.tail);
	}
	return p->state != 0;
}

bool process_is_same(const struct process_id *before, const struct process_id *after)
{
	return before->start_ticks == after->start_ticks &&
	       before->start_code == after->start_code &&
	       before->start_stack == after->start_stack;
}

static char *proc_name(char *buf, size_t size, int64_t pid, const char *file)
{
	if (pid == PID_SELF)
		snprintf(buf, size, "proc/self%s%s", file[0] ? "/" : "", file);
	else
		snprintf(buf, size, "proc/%lld%s%s", (long long)pid, file[0] ? "/" : "", file);
	return buf;
}

enum got process_stat(struct tree *t, int64_t pid, struct process_id *ret, struct err *e)
{
	char name[64];
	struct arena a = { 0 };
	struct slice text;

	*ret = (struct process_id){ .pid = pid };
	proc_name(name, sizeof(name), pid, "stat");
	enum got got = tree_read(t, name, STAT_MAX, &a, &text, e);
	if (got == GOT_PARTIAL && e->kind != ERR_GONE)
		got = GOT_FAILED; /* half a line is none, and nothing has ended */
	if (got == GOT_ALL && !parse_stat(text, ret)) {
		char path[sizeof(e->file)];

		err_set(e, ERR_PARSE, "is not a process' stat: PID (NAME) STATE ...");
		err_in(e, tree_name(t, name, path, sizeof(path)));
		got = GOT_FAILED;
	}
	arena_free(&a);
	return got;
}

/* ---- why not ---- */

static const char *user_name(uid_t uid, char *buf, size_t size)
{
	const struct passwd *p = getpwuid(uid);

	if (p && p->pw_name)
		snprintf(buf, size, "%s", p->pw_name);
	else
		snprintf(buf, size, "user %u", (unsigned)uid);
	return buf;
}

/*
 * The real user id in proc/PID/status. The owner of the folder would not do:
 * it is root where the process may not be dumped.
 */
static bool owner_of(struct tree *t, int64_t pid, uid_t *ret)
{
	char name[64];
	struct arena a = { 0 };
	struct slice text;
	struct err ignored;
	bool found = false;

	proc_name(name, sizeof(name), pid, "status");
	if (tree_read(t, name, SYSTEM_FILE_MAX, &a, &text, &ignored) == GOT_ALL) {
		ptrdiff_t at = slice_find(text, SLICE("\nUid:"));
		uint64_t uid;

		if (at >= 0) {
			struct slice rest = slice_skip(text, (size_t)at + 5);

			found = num_u64(slice_cut_word(rest).head, &uid) && uid <= UINT32_MAX;
			*ret = found ? (uid_t)uid : 0;
		}
	}
	arena_free(&a);
	return found;
}

static void explain_denied(struct tree *t, int64_t pid, struct err *e)
{
	char owner[64], me[64];
	uid_t uid = 0, mine = geteuid();

	if (!t->live || !owner_of(t, pid, &uid)) {
		err_set(e, ERR_SYSTEM, "permission denied (you are %s)",
			user_name(mine, me, sizeof(me)));
	} else if (mine == 0) {
		err_set(e, ERR_SYSTEM, "permission denied, even to root (CAP_SYS_PTRACE is needed: "
				       "a container or a security module has taken it)");
		return;
	} else if (uid == mine) {
		err_set(e, ERR_SYSTEM, "permission denied (it is yours, but it has changed its "
				       "user or gained privileges)");
	} else {
		err_set(e, ERR_SYSTEM, "permission denied (it belongs to %s; you are %s)",
			user_name(uid, owner, sizeof(owner)), user_name(mine, me, sizeof(me)));
	}
	e->as_root = t->live && mine != 0;
}

bool process_self(struct tree *t, int64_t *ret)
{
	struct process_id me;
	struct err ignored;

	*ret = -1;
	if (process_stat(t, PID_SELF, &me, &ignored) != GOT_ALL)
		return false;
	*ret = me.pid;
	return true;
}

/* With hidepid the folder is not there for us, while a signal would find the process. */
static bool is_hidden(struct tree *t, int64_t pid)
{
	int64_t me;

	return t->live && pid > 0 && (!process_self(t, &me) || me == getpid()) &&
	       kill((pid_t)pid, 0) < 0 && errno == EPERM;
}

static void explain_absent(struct tree *t, int64_t pid, const char *file, struct err *e)
{
	char name[64];
	struct stat s;
	struct err ignored;
	struct process_id p;
	long long n = pid;

	if (process_stat(t, pid, &p, &ignored) == GOT_ALL) {
		if (t->live)
			err_set(e, ERR_SYSTEM,
				"this kernel has no %s (CONFIG_PROC_PAGE_MONITOR is off)", file);
		else
			err_set(e, ERR_SYSTEM, "the snapshot does not hold this file");
	} else if (t->fd >= 0 && !tree_stat(t, "proc", &s)) {
		err_set(e, ERR_SYSTEM, "there is no proc/ in %s", t->path);
	} else if (is_hidden(t, pid)) {
		err_set(e, ERR_SYSTEM,
			"process %lld is hidden from you (/proc is mounted with hidepid)", n);
		e->as_root = true;
	} else if (t->live) {
		err_set(e, ERR_GONE, "there is no process %lld", n);
		if (tree_stat(t, proc_name(name, sizeof(name), pid, ""), &s))
			err_set(e, ERR_GONE, "process %lld has just ended", n);
	} else {
		err_set(e, ERR_SYSTEM, "no process %lld in %s", n, t->path);
	}
}

/* Of a process that gives no mappings: kernel thread, zombie, or ended. */
static void explain_empty(struct tree *t, int64_t pid, struct err *e)
{
	struct err ignored;
	struct process_id p;
	char comm[sizeof(p.comm) * 4];
	struct out o;
	long long n = pid;
	const char *why = "changed its program or ended while it was read";

	if (process_stat(t, pid, &p, &ignored) != GOT_ALL) {
		err_set(e, ERR_GONE, "process %lld ended while it was read", n);
		return;
	}
	out_memory(&o);
	out_safe(&o, slice_of(p.comm, p.comm_n), false);
	slice_cstr(out_slice(&o), comm, sizeof(comm));
	out_close(&o);
	if (p.kernel_thread)
		why = "is a kernel thread: it has no memory of its own";
	else if (p.state == 'Z' || p.state == 'X')
		why = "is a zombie: it has ended, and its memory is gone";
	err_set(e, ERR_GONE, "process %lld (%s) %s", n, comm, why);
}

void process_explain(struct tree *t, int64_t pid, enum got got, const char *file, struct err *e)
{
	char name[64], path[sizeof(e->file)];

	switch (got) {
	case GOT_FAILED: /* `e` says it already */
		return;
	case GOT_DENIED:
		explain_denied(t, pid, e);
		e->code = EACCES;
		break;
	case GOT_ABSENT:
		explain_absent(t, pid, file, e);
		break;
	case GOT_ALL:
	case GOT_VANISHED:
	case GOT_PARTIAL:
		explain_empty(t, pid, e);
		break;
	}
	proc_name(name, sizeof(name), pid, file);
	err_in(e, tree_name(t, name, path, sizeof(path)));
}
