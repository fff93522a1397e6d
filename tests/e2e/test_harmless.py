#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""It harms nothing: each command writes what it was told to write and nothing else, does nothing to what it looks at, and starts no shell."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import failed, say, skip

HUGECOV, TOP, BUILD = os.environ['HUGECOV'], os.environ['TOP'], os.environ['BUILD']
HELPER = os.path.join(BUILD, 'tests/helpers/moments')
BEFORE, AFTER = (os.path.join(TOP, 'tests/fixtures/malloc128', f) for f in ('before.txt', 'after.txt'))
SET = os.path.join(TOP, 'tests/fixtures/set')
# What changes files, processes or the machine, or leaves it. Calls that are left out change only this process.
WRITES = ('open', 'openat', 'openat2', 'creat', 'truncate', 'ftruncate', 'fallocate',
          'copy_file_range', 'sendfile', 'unlink', 'unlinkat', 'rmdir', 'rename', 'renameat', 'renameat2',
          'mkdir', 'mkdirat', 'mknod', 'mknodat', 'link', 'linkat', 'symlink',
          'symlinkat', 'chmod', 'fchmod', 'fchmodat', 'fchmodat2', 'chown', 'fchown', 'lchown', 'fchownat',
          'utime', 'utimes', 'utimensat', 'setxattr', 'lsetxattr', 'fsetxattr', 'removexattr', 'fcntl', 'flock')
ACTS = ('execve', 'execveat', 'fork', 'vfork', 'clone', 'clone3', 'ptrace',
        'kill', 'tkill', 'tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo', 'pidfd_send_signal', 'pidfd_getfd',
        'process_vm_readv', 'process_vm_writev', 'process_madvise', 'process_mrelease',
        'kcmp', 'socket', 'connect', 'bind', 'sendto', 'sendmsg', 'mount', 'umount2', 'unshare', 'setns', 'chroot',
        'setuid', 'setresuid', 'setpriority', 'sched_setaffinity', 'sched_setscheduler',
        'ioprio_set', 'migrate_pages', 'move_pages', 'perf_event_open', 'bpf', 'userfaultfd',
        'memfd_create', 'shmget', 'mq_open', 'io_uring_setup', 'reboot', 'swapon', 'ioctl', 'prlimit64')


def cases(pid, tmp):
    """(arguments, what they may write)"""
    out = lambda name: os.path.join(tmp, 'out', name)
    for form in ('text', 'json', 'csv'):
        yield ('report', '--format', form, pid), ()
        yield ('diff', '--format', form, BEFORE, AFTER), ()
    for form in ('text', 'json', 'junit', 'github', 'markdown'):
        yield ('check', '--format', form, '--require', 'rss_kb >= 0', pid), ()
    yield ('report', '/'), ()
    yield ('report', SET), ()
    yield ('report', '--root', SET, '1201'), ()
    yield ('report', os.path.join(tmp, 'in/set.tar.gz')), ()
    yield ('report', '--match', 'heap', '--class', 'anon', BEFORE), ()
    yield ('report', os.path.join(TOP, 'tests/fixtures/perf/p61-real-default.csv')), ()
    yield ('report', os.path.join(TOP, 'tests/fixtures/lkp/radixsort.txt')), ()
    yield ('diff', pid, pid), ()
    yield ('diff', SET, os.path.join(tmp, 'in/set.tar.gz')), ()
    yield ('diff', '--before', BEFORE, BEFORE, '--after', AFTER, AFTER), ()
    yield ('check', '--baseline', BEFORE, '--require', 'thp-loss == 0', AFTER), ()
    yield ('check', '--self-test', '--require', 'coverage >= 90%'), ()
    yield ('check', '--settle', '50ms', '--require', 'rss_kb >= 0', pid), ()
    yield ('watch', '--batch', '--iterations', '3', '-i', '50ms', '--max-cpu', '0.2', pid), ()
    yield ('watch', '--batch', os.path.join(tmp, 'in/tape.ndjson')), ()
    yield ('report', 'no/such/file'), ()
    yield ('--help',), ()
    yield ('--version',), ()
    yield ('watch', '--help'), ()
    yield ('report', '--output', out('report'), pid), ('report',)
    yield ('report', '--output', out('twice'), BEFORE), ('twice',)
    yield ('report', '--output', out('twice'), BEFORE), ('twice',)
    yield ('diff', '--format', 'json', '--output', out('diff'), BEFORE, AFTER), ('diff',)
    yield ('check', '--output', out('check'), '--require', 'rss_kb >= 0', pid), ('check',)
    yield ('check', '--update-budget', out('budget'), BEFORE), ('budget',)
    yield ('watch', '--batch', '--iterations', '3', '-i', '50ms', '--record', out('tape'), pid), ('tape',)
    yield ('watch', '--batch', '--iterations', '2', '-i', '50ms', '--output', out('lines'), pid), ('lines',)
    yield ('snap', '-o', out('snap'), pid), ('snap',)
    yield ('snap', '-o', out('snap.tar.zst'), pid), ('snap.tar.zst',)
    yield ('snap', '--force', '-o', out('snap.tar.zst'), pid, 'self'), ('snap.tar.zst',)


def listing(top):
    """Each file with what it holds, except the output folder: its names only."""
    found = {}
    for folder, _, files in os.walk(top):
        for f in files:
            path = os.path.join(folder, f)
            with open(path, 'rb') as g:
                found[os.path.relpath(path, top)] = g.read() if '/out' not in folder else None
    return found


CALL = re.compile(r'^(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)')
OUR_OWN = re.compile(r'\.hugecov-[\w.-]*$')


def opened(rest):
    """The name in a call that takes one, and whether it is opened to be written."""
    name = re.search(r'"((?:[^"\\]|\\.)*)"', rest)
    return name.group(1) if name else '', bool(re.search(r'O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE', rest))


def may_write(call, name, allowed):
    """A file that was named, or the temporary one beside it that takes its name at the end."""
    last = os.path.basename(name)
    return bool(allowed) and (last in allowed or OUR_OWN.match(last) is not None
                              or any('/%s/' % a in name for a in allowed) or '.hugecov-' in name
                              or call in ('mkdirat', 'openat', 'openat2', 'renameat', 'renameat2', 'unlinkat')
                              and not name.startswith('/') and allowed[0] == 'snap')


def fault(line, allowed, commands):
    """Why a line of strace tells of harm, or None."""
    m = CALL.match(line)
    if not m:
        return None
    call, rest = m.groups()
    name, writes = opened(rest)
    if call in ('open', 'openat', 'openat2'):
        return 'opened to be written' if writes and not may_write(call, name, allowed) else None
    if call == 'fcntl':
        return 'locks' if re.search(r'F_(OFD_)?SETLK|F_SETLEASE|F_NOTIFY|F_SETOWN', rest) else None
    if call == 'execve':
        return None if name in commands else 'runs a program'
    if call in ('clone', 'clone3', 'fork', 'vfork'):
        return None if len(commands) > 1 else 'starts a process'
    if call == 'ioctl':
        return None if re.search(r'TCGETS|TIOCGWINSZ|FIONREAD|PAGEMAP_SCAN|_IOC\(_IOC_READ\|_IOC_WRITE, 0x66, 0x10',
                                 rest) else 'an ioctl'
    if call == 'prlimit64':
        return None if rest.startswith('0, ') and ', NULL' in rest else 'limits'
    if call in ('fchmod', 'ftruncate', 'fchown', 'fsetxattr', 'fallocate'):
        return None if allowed else 'changes a file'
    if call in WRITES:
        return None if may_write(call, name, allowed) else 'changes a file'
    return 'acts on something else'


def trace(args, allowed, env, here, commands=()):
    log = os.path.join(here, '..', 'log')
    p = subprocess.run(['strace', '-f', '-qq', '-o', log, '-e', 'signal=none',
                        '-e', 'trace=?' + ',?'.join(WRITES + ACTS), HUGECOV, *map(str, args)], capture_output=True,
                       text=True, stdin=subprocess.DEVNULL, env=env, cwd=here, timeout=120)
    with open(log, errors='replace') as f:
        lines = f.read().split('\n')
    faults = []
    for line in lines:
        why = fault(line, allowed, (HUGECOV, *commands))
        if why:
            faults.append((why, line[:200]))
    return p, lines, faults


def can_trace():
    if any(word in BUILD for word in ('asan', 'faults')):
        return 'a sanitizer calls the kernel itself'
    if not shutil.which('strace'):
        return 'there is no strace'
    p = subprocess.run(['strace', '-o', '/dev/null', 'true'], capture_output=True)
    return 'strace is not permitted' if p.returncode else None


@contextlib.contextmanager
def target():
    p = subprocess.Popen([HELPER, 'many', '50'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield int(p.stdout.readline().split()[1])
    finally:
        p.kill()
        p.wait()
        p.stdin.close()
        p.stdout.close()


def the_judge_judges():
    """What is looked for is found, in lines as strace writes them."""
    bad = ('openat(AT_FDCWD, "/etc/passwd", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3',
           '12 openat2(3, "proc/7/clear_refs", {flags=O_WRONLY|O_CLOEXEC, resolve=0}, 24) = 4',
           'open("/tmp/x", O_RDWR) = 3', 'unlinkat(AT_FDCWD, "/x", 0) = 0', 'kill(77, SIGSTOP) = 0',
           'ptrace(PTRACE_SEIZE, 7, NULL, 0) = 0', '[pid   12] process_madvise(3, [], 1, MADV_COLLAPSE, 0) = 0',
           'execve("/bin/sh", ["sh", "-c", "x"], 0x7ffd /* 9 vars */) = 0',
           'clone(child_stack=NULL, flags=SIGCHLD) = 9', 'socket(AF_INET, SOCK_STREAM, 0) = 3',
           'ioctl(3, _IOC(_IOC_WRITE, 0x66, 0x11, 0x8), 0x7ff) = 0',
           'prlimit64(7, RLIMIT_CPU, {rlim_cur=1}, NULL) = 0', 'process_vm_readv(7, [], 1, [], 1, 0) = 4')
    good = ('openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3',
            'execve("%s", ["hugecov"], 0x7ffd /* 9 vars */) = 0' % HUGECOV,
            'fcntl(3, F_GETFL) = 0x8000', 'ioctl(1, TCGETS, 0x7ffe) = -1 ENOTTY',
            'prlimit64(0, RLIMIT_STACK, NULL, {rlim_cur=8192*1024}) = 0')
    say(all(fault(line, (), (HUGECOV,)) for line in bad), 'harm is seen as such: %d kinds' % len(bad),
        [line for line in bad if not fault(line, (), (HUGECOV,))])
    say(not any(fault(line, (), (HUGECOV,)) for line in good), 'and nothing else',
        [line for line in good if fault(line, (), (HUGECOV,))])
    mine = 'openat(7, ".hugecov-12-0.tmp", O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0666) = 8'
    say(fault(mine, (), (HUGECOV,)) and not fault(mine, ('report',), (HUGECOV,)),
        'a temporary file is one of the output that was named')


def main():
    why = can_trace()
    the_judge_judges()
    with tempfile.TemporaryDirectory(prefix='hugecov-harmless.') as tmp, target() as pid:
        for folder in ('in', 'out', 'here', 'tmpdir', 'home'):
            os.mkdir(os.path.join(tmp, folder))
        here = os.path.join(tmp, 'here')
        env = dict(os.environ, TMPDIR=os.path.join(tmp, 'tmpdir'), TMP=os.path.join(tmp, 'tmpdir'),
                   HOME=os.path.join(tmp, 'home'), XDG_CONFIG_HOME=os.path.join(tmp, 'home'), SHELL='/bin/false')
        subprocess.run(['tar', '-C', SET, '-czf', os.path.join(tmp, 'in/set.tar.gz'), 'proc', 'sys'], check=True)
        subprocess.run([HUGECOV, 'watch', '--batch', '--iterations', '3', '-i',
                        '50ms', '--record', os.path.join(tmp, 'in/tape.ndjson'), str(pid)],
                       check=True, capture_output=True, stdin=subprocess.DEVNULL)
        named, wrong, calls, n = set(), [], [], 0
        for args, allowed in cases(pid, tmp):
            named |= set(allowed)
            before = listing(tmp)
            if why:
                subprocess.run([HUGECOV, *map(str, args)], capture_output=True,
                               stdin=subprocess.DEVNULL, env=env, cwd=here, timeout=120)
            else:
                p, lines, faults = trace(args, allowed, env, here)
                if faults or p.returncode not in (0, 1, 2) or len(lines) < 3:
                    calls.append((args, p.returncode, p.stderr[-300:], len(lines), faults[:3]))
                if any(env['TMPDIR'] in line or env['HOME'] in line for line in lines):
                    calls.append((args, 'asks TMPDIR or HOME',
                                  [line for line in lines if env['TMPDIR'] in line or env['HOME'] in line][:2]))
                os.remove(os.path.join(tmp, 'log'))
            after = listing(tmp)
            more = {p.split('/')[1] for p in set(after) - set(before) if p.startswith('out/')}
            if {k: v for k, v in after.items()
                if not k.startswith('out/')} != {k: v for k, v in before.items()
                                                 if not k.startswith('out/')} or not more <= set(allowed) or (allowed and not os.path.lexists(os.path.join(tmp, 'out', allowed[0]))):
                wrong.append((args, sorted(set(after) ^ set(before))))
            n += 1
        say(not wrong, 'files: %d runs write what --output, -o, --record and --update-budget name' % n, wrong[:3])
        say(sorted(os.listdir(os.path.join(tmp, 'out'))) == sorted(named), 'and leave nothing else',
            os.listdir(os.path.join(tmp, 'out')))
        if why:
            return skip('calls of the kernel', why)
        say(not calls, 'calls of the kernel: %d runs write nothing else, run nothing, and do nothing to the target' % n,
            '\n'.join(map(str, calls[:5])))
        p, lines, faults = trace(('check', '--require', 'rss_kb >= 0', '--', '/bin/sleep', '0.2'),
                                 (), env, here, ['/bin/sleep'])
        ran = [line for line in lines if 'execve(' in line]
        say(p.returncode == 0 and not faults and len(ran) == 2,
            'check runs the command that it was given, and no shell', (p, faults[:3], ran))


main()
sys.exit(failed())
