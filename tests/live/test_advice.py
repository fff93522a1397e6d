#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each piece of advice is followed on this kernel, and the promised result is seen.

A test is a function named after the advice in model/advice.c; an advice without one fails. What this kernel or machine
does not have (no THP, an older kernel, an allocator that is not installed) is skipped and counted.
HUGECOV_SETTINGS=1, as root, also tries what changes settings of the whole machine, and puts them back.
"""
import contextlib
import ctypes
import glob
import json
import mmap
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from tap import failed, say, skip, undisturbed
from thp import collapses

TOOL, TOP, BUILD = os.environ['HUGECOV'], os.environ['TOP'], os.environ['BUILD']
HELPER = os.path.join(BUILD, 'tests/helpers/advice')
SYS = '/sys/kernel/mm/transparent_hugepage/'
MADVISE = 'madvise'


class Skip(Exception):
    pass


def setting(name):
    try:
        text = open(SYS + name).read()
    except OSError:
        return None
    m = re.search(r'\[([\w+]+)\]', text)
    return m.group(1) if m else text.strip()


def kernel():
    m = re.match(r'(\d+)\.(\d+)\.?(\d*)', os.uname().release)
    return tuple(int(x or 0) for x in m.groups())


def need(condition, why):
    if not condition:
        raise Skip(why)


class Case:
    """The helper in its wrong state; right() follows the advice. Addresses of what is looked at are in start and end."""

    def __init__(self, name, env=None, preload=None):
        e = dict(os.environ)
        e.pop('GLIBC_TUNABLES', None)
        e.update(env or {})
        if preload:
            e['LD_PRELOAD'] = preload
        self.p = subprocess.Popen([HELPER, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=e)
        self.pid = self.p.pid
        self.read()

    def read(self):
        line = self.p.stdout.readline().strip()
        need(line != 'past', 'this kernel has no such call')
        m = re.match(r'at ([0-9a-f]+)-([0-9a-f]+)$', line)
        if not m:
            raise RuntimeError('the helper says %r' % line)
        self.start, self.end = (int(x, 16) for x in m.groups())

    def right(self):
        self.p.stdin.write('go\n')
        self.p.stdin.flush()
        self.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.p.stdin.close()
        try:
            self.p.wait(5)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()

    def report(self):
        p = subprocess.run([TOOL, 'report', '--format', 'json', str(self.pid)], capture_output=True, text=True)
        if p.returncode:
            raise RuntimeError(p.stderr)
        return json.loads(p.stdout)

    def inside(self, r):
        return [v for v in r['vmas'] if int(v['start'], 16) < self.end and int(v['end'], 16) > self.start]

    def findings(self, r):
        starts = {v['start'] for v in self.inside(r)}
        return [f for f in r['findings'] if f['start'] is None or f['start'] in starts]

    def advised(self, finding, text, r=None):
        """The finding is there with this advice, now or in this report; its loss in kB."""
        r = r or self.report()
        hits = [f for f in self.findings(r) if f['id'] == finding and re.search(text, f['advice'])]
        say(hits, '%s is found and says: %s' % (finding, text), [(f['id'], f['advice']) for f in r['findings']])
        return hits[0]['lost_kb'] if hits else 0

    def huge(self, r=None):
        return sum(v['thp']['huge_kb'] or 0 for v in self.inside(r or self.report()))

    def gone(self, *ids):
        r = self.report()
        left = [f['id'] for f in self.findings(r) if f['id'] in ids]
        say(not left, 'no %s any more' % ' or '.join(ids), left)
        return r


def all_huge(c, what, kb=8192):
    say(c.huge() >= kb, '%s: %d kB are huge' % (what, kb), '%d kB' % c.huge())


def advised_policy():
    need(setting('enabled') == MADVISE, 'THP is not madvise here')


# ---- where it lies ----


def align_start():
    for how in ('align-start', 'align-start-part'):
        with Case(how) as c:
            say(c.advised('misaligned', 'Align the start to 2 MiB') == 2048, 'one huge page is lost')
            c.right()
            all_huge(c, how)
            c.gone('misaligned')


def round_length():
    with Case('round-length') as c:
        say(c.advised('misaligned', r'Map a multiple of 2 MiB \(4 MiB\)') == 2048, 'the one slot is lost')
        need(kernel() >= (6, 7), 'before Linux 6.7 nothing is placed on a boundary')
        c.right()
        say(c.start % (2 << 20) == 0, '4 MiB are on a boundary', hex(c.start))
        all_huge(c, 'a multiple of 2 MiB', 4096)
        c.gone('misaligned', 'odd-length')


def fewer_bytes():
    tunable = {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}
    advised_policy()
    with Case('fewer-bytes', tunable) as c:
        c.advised('header-page', r'24 bytes less \(134,217,704\)')
        need(kernel() >= (6, 7), 'before Linux 6.7 nothing is placed on a boundary')
        c.right()
        say(c.start % (2 << 20) == 0 and c.end - c.start == 128 << 20, '24 bytes less: 131,072 kB on a boundary',
            hex(c.start))
        all_huge(c, '64 of 64 slots', 131072)
    with Case('fewer-bytes-16', tunable) as c:
        c.right()
        size = [int(v['end'], 16) - int(v['start'], 16) for v in c.inside(c.report())]
        say(c.end - c.start == (128 << 20) + 4096 and all(s % ((128 << 20) + 4096) == 0 for s in size),
            '16 bytes less still takes a page more', (hex(c.start), hex(c.end), size))


def fewer_bytes_each():
    advised_policy()
    with Case('fewer-bytes-each', {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}) as c:
        r = c.report()
        kinds = {f['evidence'].get('state') for f in c.findings(r) if f['id'] == 'header-page'}
        need('blocks' in kinds, 'the blocks did not merge here')
        c.advised('header-page', '24 bytes less than a multiple of 2 MiB each time')
        before = c.huge()
        c.right()
        say(c.huge() >= 32768 > before, 'eight blocks of 4 MiB are huge: %d kB, before %d kB' % (c.huge(), before))


def sparse_block():
    with Case('sparse-block') as c:
        say(c.advised('header-page', 'MADV_NOHUGEPAGE before the first touch') == 2044, 'up to 2,044 kB is waste')
        c.right()
        rss = sum(v['smaps']['Rss'] for v in c.inside(c.report()))
        say(rss == 4, 'the first touch takes one small page', rss)


def same_offset():
    need(kernel() >= (6, 1), 'no MADV_COLLAPSE before Linux 6.1')
    with Case('same-offset') as c:
        c.advised('misaligned', 'address and the file offset agree modulo 2 MiB')
        c.right()
        all_huge(c, 'at a congruent address')


def heap_start():
    advised_policy()
    with Case('heap-start', {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}) as c:
        r = c.report()
        # What malloc had before it advised is a mapping of its own.
        t = max((v['thp'] for v in r['vmas'] if v['name'] == '[heap]'), key=lambda t: t['rss_kb'], default=None)
        need(t and t['rss_kb'] > 32768, 'malloc does not use brk here')
        say(t['alignment_loss_kb'] <= 2048, 'its start costs one huge page at most', t)
        say(t['huge_kb'] >= t['rss_kb'] - 3 * 2048, 'the rest is huge', t)


def one_permission():
    need(kernel() >= (6, 1), 'no MADV_COLLAPSE before Linux 6.1')
    with Case('one-permission') as c:
        c.advised('split-mapping', 'same permissions')
        say(c.huge() == 6144, 'one huge page of four is lost', c.huge())
        c.right()
        all_huge(c, 'one mapping again')
        c.gone('split-mapping')


def one_advice():
    with Case('one-advice') as c:
        c.advised('split-mapping', 'same advice, before the first touch')
        c.right()
        all_huge(c, 'one advice')
        c.gone('split-mapping')
    with Case('one-advice-late') as c:
        c.right()
        say(len(c.inside(c.report())) == 3, 'parts touched apart stay apart',
            [v['start'] for v in c.inside(c.report())])


# ---- what is allowed ----


def madvise():
    advised_policy()
    with Case('madvise') as c:
        say(c.advised('needs-advice', r'madvise\(MADV_HUGEPAGE\) before the first touch') == 8192,
            '8,192 kB are not allowed')
        c.right()
        all_huge(c, 'advised before the first touch')
        c.gone('needs-advice')
    need(kernel() >= (6, 1), 'no MADV_COLLAPSE before Linux 6.1')
    with Case('madvise-collapse') as c:
        c.right()
        all_huge(c, 'MADV_COLLAPSE of what is there')


def share(c):
    """Of the anonymous memory of the process the part that is huge."""
    return c.report()['totals']['waterfall']['anon']['share']


def with_switch(case, preload, env, text, least=0.8):
    with Case(case, preload=preload) as c:
        c.advised('needs-advice', text)
        say(share(c) == 0, 'nothing is huge without it', share(c))
    with Case(case, env, preload=preload) as c:
        say(share(c) >= least, '%s: %.0f %% of its memory is huge'
            % (' '.join('%s=%s' % e for e in env.items()), 100 * share(c)), share(c))


def library(pattern, package):
    found = sorted(glob.glob('/usr/lib/*/' + pattern) + glob.glob('/usr/local/lib/' + pattern))
    need(found, '%s is not installed' % package)
    return found[0]


def glibc():
    advised_policy()
    need(ctypes.CDLL(None).gnu_get_libc_version, 'not glibc')
    version = ctypes.CDLL(None).gnu_get_libc_version
    version.restype = ctypes.c_char_p
    need(tuple(int(x) for x in version().decode().split('.')[:2]) >= (2, 35), 'the tunable came with glibc 2.35')
    with_switch('big-malloc', None, {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'},
                'GLIBC_TUNABLES=glibc.malloc.hugetlb=1')
    both = 'glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824'
    with Case('small-mallocs', {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}) as c:
        say(share(c) < 0.5, 'blocks below 2 MiB stay small without the threshold', share(c))
    with Case('small-mallocs', {'GLIBC_TUNABLES': both}) as c:
        say(share(c) >= 0.8, 'with it they are huge: %.0f %%' % (100 * share(c)), share(c))


def jemalloc():
    advised_policy()
    with_switch('big-malloc', library('libjemalloc.so.2', 'libjemalloc2'), {'MALLOC_CONF': 'thp:always'},
                'MALLOC_CONF=thp:always')


def mimalloc():
    advised_policy()
    lib = library('libmimalloc.so.[23]', 'libmimalloc2.0')
    with_switch('big-malloc', lib, {'MIMALLOC_LARGE_OS_PAGES': '1', 'MIMALLOC_ALLOW_LARGE_OS_PAGES': '1'},
                'MIMALLOC_LARGE_OS_PAGES=1')


class Iovec(ctypes.Structure):
    _fields_ = [('base', ctypes.c_void_p), ('len', ctypes.c_size_t)]


def collapse_from_outside(pid, ranges):
    """process_madvise(MADV_COLLAPSE), by its numbers on x86-64 and arm64 alike. Holes in a range make it say EAGAIN."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(434, pid, 0)
    need(fd >= 0, 'no pidfd')
    for start, end in ranges:
        start, end = (start + (2 << 20) - 1) & ~((2 << 20) - 1), end & ~((2 << 20) - 1)
        for at in range(start, end, 2 << 20):
            libc.syscall(440, fd, ctypes.byref(Iovec(at, 2 << 20)), 1, 25, 0)
    os.close(fd)


def tcmalloc():
    advised_policy()
    need(kernel() >= (6, 1) and os.geteuid() == 0, 'process_madvise(MADV_COLLAPSE) needs Linux 6.1 and root')
    with Case('big-malloc', preload=library('libtcmalloc_minimal.so.4', 'libtcmalloc-minimal4')) as c:
        c.advised('needs-advice', "tcmalloc advises nothing.*process_madvise")
        say(share(c) == 0, 'nothing is huge', share(c))
        collapse_from_outside(c.pid, [(int(v['start'], 16), int(v['end'], 16))
                                      for v in c.report()['vmas'] if v['class'] == 'anon' and 'w' in v['perms']])
        say(share(c) >= 0.8, 'collapsed from outside: %.0f %% is huge' % (100 * share(c)), share(c))


class Process(Case):
    """Any program, waited for until its memory is there."""

    def __init__(self, command, resident_kb, feed=None, env=None):
        self.p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, env=dict(os.environ, **(env or {})), text=True)
        self.pid, self.start, self.end = self.p.pid, 0, 1 << 63
        if feed:
            self.p.stdin.write(feed)
            self.p.stdin.flush()
        before = 0
        for _ in range(200):
            time.sleep(0.1)
            now = self.rss()
            if now >= resident_kb and now == before:
                return
            before = now
        self.__exit__()
        raise Skip('%s did not come up' % command[0])

    def rss(self):
        try:
            return int(re.search(r'VmRSS:\s+(\d+)', open('/proc/%d/status' % self.pid).read()).group(1))
        except (OSError, AttributeError):
            return 0


def go():
    advised_policy()
    fzf = shutil.which('fzf')
    need(fzf, 'fzf, a program in Go, is not installed')
    need(kernel() >= (6, 1) and os.geteuid() == 0, 'process_madvise(MADV_COLLAPSE) needs Linux 6.1 and root')
    lines = ''.join('line %d of some length, so that the heap of the program fills up\n' % i for i in range(400000))
    with Process([fzf, '--filter=zzzzqqqq'], 20000, feed=lines) as c:
        heap = [v for v in c.report()['vmas'] if v['start'].startswith('0xc0') and v['perms'] == 'rw-p']
        c.advised('needs-advice', 'Go advises no heap.*process_madvise')
        collapse_from_outside(c.pid, [(int(v['start'], 16), int(v['end'], 16)) for v in heap])
        after = [v for v in c.report()['vmas'] if v['start'].startswith('0xc0') and v['perms'] == 'rw-p']
        huge, rss = (sum(v['thp'][k] for v in after) for k in ('huge_kb', 'rss_kb'))
        say(huge >= 0.7 * rss, 'collapsed from outside: %d of %d kB of the heap are huge' % (huge, rss))


JAVA = 'public class Idle { public static void main(String[] a) throws Exception { System.in.read(); } }'


def jvm():
    advised_policy()
    need(shutil.which('javac') and shutil.which('java'), 'there is no JDK')
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'Idle.java'), 'w') as f:
            f.write(JAVA)
        need(subprocess.run(['javac', '-d', folder, f.name], capture_output=True).returncode == 0,
             'javac does not work')
        flags = ['-Xms128m', '-Xmx128m', '-XX:+AlwaysPreTouch', '-cp', folder, 'Idle']
        with Process(['java'] + flags, 131072) as c:
            lost = c.advised('needs-advice', r'java -XX:\+UseTransparentHugePages')
            say(lost >= 100000, 'the heap is small: %d kB' % lost)
        with Process(['java', '-XX:+UseTransparentHugePages'] + flags, 131072) as c:
            huge = c.report()['totals']['waterfall']['anon']['huge_kb']
            say(huge >= 100000, 'with it %d kB are huge' % huge)


def stack():
    with Case('stack') as c:
        r = c.report()
        mine = c.inside(r)
        need(mine[0]['flags'] and 'nh' in mine[0]['flags'], 'MAP_STACK forbids nothing before Linux 6.7.6')
        c.advised('opted-out', r'pthread_attr_setstack\(\) on aligned memory')
        c.right()
        say(c.huge() >= 2048, 'a stack of advised memory: %d kB are huge' % c.huge())


def nohugepage():
    need(kernel() >= (6, 1), 'no MADV_COLLAPSE before Linux 6.1')
    with Case('nohugepage') as c:
        say(c.advised('opted-out', 'Drop MADV_NOHUGEPAGE') == 8192, '8,192 kB are not allowed')
        c.right()
        all_huge(c, 'advised and collapsed')
        c.gone('opted-out')


def prctl():
    with Case('prctl') as c:
        say(c.advised('opted-out', 'Do not set PR_SET_THP_DISABLE') == 8192, '8,192 kB are not allowed')
        say('THP off by prctl' in subprocess.run([TOOL, 'report', str(c.pid)], capture_output=True, text=True).stdout,
            'the text says it')
        c.right()
        all_huge(c, 'without it')
        c.gone('opted-out')
    # A child has it from its parent, through exec too.
    code = 'import ctypes,os\nctypes.CDLL(None).prctl(41,1,0,0,0)\nos.execvp("cat", ["cat", "/proc/self/status"])'
    status = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout
    need('THP_enabled' in status, 'this kernel does not tell')
    say(re.search(r'THP_enabled:\s+0', status), 'it passes through exec')


def refused():
    with Case('prctl') as c, tempfile.NamedTemporaryFile('w', suffix='.smaps') as f:
        f.write(open('/proc/%d/smaps' % c.pid).read())
        f.flush()
        p = subprocess.run([TOOL, 'report', '--format', 'json', f.name], capture_output=True, text=True)
        hits = [x for x in json.loads(p.stdout)['findings'] if x['id'] == 'opted-out']
        say(hits and 'PR_SET_THP_DISABLE' in hits[0]['advice'], 'smaps alone says where to look', p.stdout[-600:])
        status = open('/proc/%d/status' % c.pid).read()
        need('THP_enabled' in status, 'this kernel does not tell')
        say(re.search(r'THP_enabled:\s+0', status), 'and there it is')


def shmem():
    need(setting('shmem_enabled') == 'never', 'shmem_enabled is not never here')
    need(kernel() >= (6, 1), 'no MADV_COLLAPSE before Linux 6.1')
    with Case('shmem') as c:
        say(c.advised('shmem-policy', 'MADV_COLLAPSE .* whatever the setting') == 8192, '8,192 kB are not allowed')
        c.right()
        all_huge(c, 'collapsed although shmem_enabled is never')
    tmpfs()


def tmpfs():
    """mount -o huge=advise, in a mount namespace of its own."""
    need(os.geteuid() == 0 and shutil.which('unshare'), 'a mount of its own needs root')
    folder = tempfile.mkdtemp(prefix='hugecov-tmpfs.')
    try:
        inner = subprocess.run(['unshare', '-m', sys.executable, os.path.abspath(__file__), '--tmpfs', folder],
                               capture_output=True, text=True)
        print(inner.stdout, end='')
        need(inner.stdout, 'unshare does not work here: ' + inner.stderr[-200:])
        if inner.returncode:
            say(False, 'tmpfs: the inner test ends well', inner.stderr)
    finally:
        os.rmdir(folder)


def tmpfs_inside(folder):
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'huge=never,size=64m', 'none', folder], check=True)
    with Case('tmpfs', {'HUGECOV_TMPFS': folder}) as c:
        before = c.huge()
        subprocess.run(['mount', '-o', 'remount,huge=advise', folder], check=True)
        c.right()
        say(before == 0 and c.huge() == 8192, 'a tmpfs with huge=advise and MADV_HUGEPAGE: 8,192 kB are huge',
            (before, c.huge()))


# ---- settings of the machine ----


class Setting:
    def __init__(self, path, value):
        need(os.environ.get('HUGECOV_SETTINGS') and os.geteuid() == 0,
             'it changes the whole machine: HUGECOV_SETTINGS=1, as root')
        self.path, self.value = path, value

    def __enter__(self):
        text = open(self.path).read()
        m = re.search(r'\[([\w+]+)\]', text)
        self.old = m.group(1) if m else text.strip()
        open(self.path, 'w').write(self.value)

    def __exit__(self, *_):
        open(self.path, 'w').write(self.old)


def enable():
    with Setting(SYS + 'enabled', 'never'):
        with Case('madvise') as c:
            c.advised('policy-off', 'echo madvise > ')
            with Setting(SYS + 'enabled', 'madvise'):
                c.right()
                all_huge(c, 'madvise, and advised')
    with Setting(SYS + 'enabled', 'always'):
        with Case('madvise') as c:
            all_huge(c, 'always, and not advised')


def shmem_setting():
    with Setting(SYS + 'shmem_enabled', 'advise'):
        with Case('shmem-advised') as c:
            c.right()
            all_huge(c, 'shmem_enabled = advise and MADV_HUGEPAGE')


def postgres():
    tools = sorted(glob.glob('/usr/lib/postgresql/*/bin/postgres'))
    need(tools and os.geteuid() == 0, 'PostgreSQL is not installed, or this is not root')
    where = os.path.dirname(tools[-1])
    folder = tempfile.mkdtemp(prefix='hugecov-pg.')
    shutil.chown(folder, 'postgres')
    data = os.path.join(folder, 'data')

    def su(*command):
        return subprocess.run(['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] + list(command),
                              capture_output=True, text=True, cwd=folder, env=dict(os.environ, HOME=folder))

    def start(more):
        with open(os.path.join(data, 'postgresql.conf'), 'a') as f:
            f.write("shared_buffers=64MB\nunix_socket_directories='%s'\nlisten_addresses=''\nport=54398\n%s\n"
                    % (folder, more))
        return su(where + '/pg_ctl', '-D', data, '-l', folder + '/log', '-w', 'start')

    try:
        need(su(where + '/initdb', '-D', data).returncode == 0 and start('').returncode == 0,
             'PostgreSQL does not start')
        su(where + '/createdb', '-h', folder, '-p', '54398', 'x')
        su(where + '/psql', '-h', folder, '-p', '54398', 'x', '-c',
           'create table t as select i, repeat(md5(i::text), 20) from generate_series(1, 60000) i')
        pids = [str(p) for p in children(int(open(data + '/postmaster.pid').readline()))]
        text = subprocess.run([TOOL, 'report'] + pids, capture_output=True, text=True).stdout
        m = re.search(r'huge_pages = on and ([\d,]+)\s+huge pages', re.sub(r'\s+', ' ', text))
        say(m, 'its shared memory is recognised', text)
        su(where + '/pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop')
        says = su(where + '/postgres', '-D', data, '-C', 'shared_memory_size_in_huge_pages').stdout.strip()
        say(m and m.group(1).replace(',', '') == says, 'the number of huge pages is the one PostgreSQL asks for',
            (m and m.group(1), says))
        with Setting('/proc/sys/vm/nr_hugepages', says):
            say(start('huge_pages=on').returncode == 0, 'with that many it starts on huge pages',
                open(folder + '/log').read()[-300:])
            master = int(open(data + '/postmaster.pid').readline())
            r = json.loads(subprocess.run([TOOL, 'report', '--format', 'json', str(master)],
                                          capture_output=True, text=True).stdout)
            say(any(v['class'] == 'hugetlb' for v in r['vmas']), 'and holds them')
            su(where + '/pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop')
    finally:
        su(where + '/pg_ctl', '-D', data, '-m', 'immediate', 'stop')
        shutil.rmtree(folder, ignore_errors=True)


def children(pid):
    found = [pid]
    for p in filter(str.isdigit, os.listdir('/proc')):
        try:
            if int(open('/proc/%s/stat' % p).read().rsplit(')', 1)[1].split()[1]) == pid:
                found.append(int(p))
        except OSError:
            pass
    return found


# ---- what was not delivered ----


@contextlib.contextmanager
def not_collapsed(name, huge_kb):
    """
    The helper, and a report of it, before khugepaged has come. It comes at once
    when no other process has advised memory: so this one has.
    """
    with mmap.mmap(-1, 4 << 20) as advised:
        advised.madvise(mmap.MADV_HUGEPAGE)
        for _ in range(5):
            with Case(name) as c:
                r = c.report()
                if c.huge(r) == huge_kb:
                    yield c, r
                    return
            time.sleep(0.5)
    need(False, 'khugepaged was there first')


def late():
    need(kernel() >= (6, 1), 'no MADV_COLLAPSE before Linux 6.1')
    with not_collapsed('late', 0) as (c, r):
        say(c.advised('undelivered', 'older than the advice', r) == 8192, '8,192 kB were not delivered')
        c.right()
        all_huge(c, 'collapsed')
        c.gone('undelivered')


def collapse():
    need(kernel() >= (6, 1), 'no MADV_COLLAPSE before Linux 6.1')
    with not_collapsed('collapse', 4096) as (c, r):
        say(c.advised('undelivered', 'MADV_COLLAPSE', r) == 4096, '4,096 kB were not delivered')
        c.right()
        all_huge(c, 'collapsed')
        c.gone('undelivered')


def guards():
    with Case('guards') as c:
        flags = c.inside(c.report())[0]['flags']
        need('gu' in flags, 'this kernel does not show guards')
        c.advised('undelivered', 'guard pages')
        c.right()
        all_huge(c, 'without guards')


def main():
    if sys.argv[1:2] == ['--tmpfs']:
        tmpfs_inside(sys.argv[2])
        return failed()
    ids = re.findall(r'^\t\t\.id = "([a-z-]+)"', open(os.path.join(TOP, 'model/advice.c')).read(), re.M)
    say(len(ids) > 20, 'the table of advice is read', ids)
    if not setting('enabled') or setting('enabled') == 'never':
        skip('following advice', '%d there are no transparent huge pages here' % (len(ids) - 1))
        return failed()
    for name in [i for i in ids if i != 'none'] + ['shmem-setting']:
        test = globals().get(name.replace('-', '_'))
        if not test:
            say(False, '%s has no test' % name)
            continue
        print('# ' + name)
        try:
            undisturbed(test, collapses)
        except Skip as e:
            skip(name, e)
    return failed()


if __name__ == '__main__':
    sys.exit(main())
