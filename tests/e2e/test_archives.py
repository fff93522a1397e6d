#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives and folders from strangers: nested, without end, with names and links of every kind, and changed while they are read.

HARD=1 swaps for longer and unpacks the largest ones too.
"""
import bz2
import gzip
import io
import json
import lzma
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

from tap import failed, say
from tars import add_members
from tool import refused

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
HARD = bool(os.environ.get('HARD'))
SLOW = 'asan' in HUGECOV or 'faults' in HUGECOV
with open(os.path.join(TOP, 'tests/fixtures/kernel-6.18/01-aligned.smaps'), 'rb') as _f:
    SMAPS = _f.read()
TREE = [('proc/7/smaps', SMAPS)]


def run(*args):
    return subprocess.run([HUGECOV, *map(str, args)], capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


def tar(members, form=tarfile.GNU_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=form) as t:
        add_members(t, members)
    return out.getvalue()


class Place:
    def __init__(self, tmp):
        self.path = os.path.join(tmp, 'archive')

    def report(self, data, *args):
        with open(self.path, 'wb') as f:
            f.write(data)
        return run('report', *args, self.path)


def nested(place):
    """One compression is undone, and what lies in an archive in it is not looked for."""
    plain = place.report(SMAPS).stdout
    for name, pack in (('gzip', gzip.compress), ('xz', lzma.compress), ('bzip2', bz2.compress)):
        say(place.report(pack(SMAPS)).stdout == plain, 'compressed once: %s' % name)
        for inner, pack_inner in (('gzip', gzip.compress), ('xz', lzma.compress), ('bzip2', bz2.compress)):
            for what, data in (('smaps', SMAPS), ('a tar', tar(TREE))):
                p = place.report(pack(pack_inner(data)))
                say(refused(p, 'compressed more than once'), '%s in %s in %s' % (what, inner, name), p)
    # Nothing comes out of 50 MB of empty files, which pack to some hundred bytes: no limit on output would end it.
    bomb = SMAPS
    for empties in (1, 2_500_000, 0, 0):
        bomb = gzip.compress(gzip.compress(b'') * empties + gzip.compress(bomb) if empties else bomb, 6)
    begin = time.monotonic()
    p = place.report(bomb)
    took = time.monotonic() - begin
    say(refused(p, 'compressed more than once') and took < 5, 'empty files in an empty file, %d bytes' % len(bomb),
        (took, p))
    p = place.report(tar([('inner.tar', tar(TREE)), ('proc.tar.gz', gzip.compress(tar(TREE)))]))
    say(refused(p, 'holds neither'), 'archives in an archive', p)


def without_end(place):
    """What is not wanted is not unpacked without end either."""
    head = tarfile.TarInfo('var/log/big')
    head.size = 4 << 30
    size = (1 << 30) + (16 << 20)
    if SLOW or not HARD:
        return
    squeeze = lzma.LZMACompressor(preset=0)
    whole = 512 + (len(SMAPS) + 511) // 512 * 512  # of the first member
    data = squeeze.compress(tar(TREE)[:whole] + head.tobuf())
    zeros = bytes(1 << 20)
    for _ in range(size >> 20):
        data += squeeze.compress(zeros)
    p = place.report(data + squeeze.flush())
    say(refused(p, 'times its size'), '1 GiB of what is not wanted in %d kB' % (len(data) >> 10), p)
    one = tarfile.TarInfo('x').tobuf(tarfile.GNU_FORMAT)
    p = place.report(gzip.compress(one * 1000001 + bytes(1024), 1))
    say(refused(p, 'more than 1000000 members'), 'a million members', p)


def many(place):
    """Time grows with the number of processes, not with its square."""
    def processes(n):
        return gzip.compress(b''.join(tarfile.TarInfo('proc/%d/smaps' % k).tobuf(tarfile.GNU_FORMAT)
                                      for k in range(1, n + 1)) + bytes(1024), 1)
    n = 10000 if SLOW else 60000
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = place.report(processes(n))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    say(p.returncode == 0 and b'%d processes' % n in p.stdout and took < (30 if SLOW else 3),
        '%d processes' % n, (took, p.stderr, p.stdout[:200]))
    p = run('snap', '--root', place.path, '--all-pids', '-o', place.path + '.tar')
    saved = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = saved.ru_utime + saved.ru_stime - after.ru_utime - after.ru_stime
    say(p.returncode == 0 and b'Saved %d processes' % n in p.stdout and took < (30 if SLOW else 5),
        '%d processes, saved' % n, (took, p))


def names(place):
    for form, label in ((tarfile.GNU_FORMAT, 'GNU'), (tarfile.PAX_FORMAT, 'pax')):
        for n in (300, 5000, 100000):
            p = place.report(tar([('a/' * (n // 2) + 'x', b'')] + TREE, form))
            say(p.returncode == 0 and not p.stderr, '%s: another name of %d bytes' % (label, n), p)
            p = place.report(tar([('a' * n + '/proc/7/smaps', SMAPS)], form))
            say(p.returncode in (0, 2) and (p.returncode == 0) == (not p.stderr) and len(p.stderr) < 1000,
                '%s: a tree below %d bytes' % (label, n), p)
            p = place.report(tar(TREE + [('proc/7/comm', (tarfile.SYMTYPE, 'x' * n))], form))
            say(refused(p, 'proc/7/comm') and len(p.stderr) < 1000, '%s: a link of %d bytes' % (label, n), p)
        p = place.report(tar([('b' * 3000000, b'')] + TREE, form))
        say(refused(p), '%s: a name of 3,000,000 bytes' % label, p)
    for name in ('../proc/7/smaps', 'proc/../../7/smaps', '/proc/7/smaps', 'proc/7/../../../etc/smaps',
                 './../x/proc/7/smaps', 'proc/7/smaps/..'):
        p = place.report(tar([(name, SMAPS)]))
        say(refused(p, 'leads out') or refused(p, 'absolute') or refused(p, 'holds neither') or refused(p, '..'),
            'a name that leads out: %s' % name, p)


def links(place):
    soft, hard = (lambda to: (tarfile.SYMTYPE, to)), (lambda to: (tarfile.LNKTYPE, to))
    p = place.report(tar(TREE + [('proc/8/smaps', hard('proc/7/smaps')), ('proc/9/smaps', soft('../7/smaps'))]),
                     '--format', 'json')
    say(p.returncode == 0 and len(json.loads(p.stdout)['processes']) == 3, 'links that stay inside', p.stderr)
    for name, members in (('to itself', [('proc/7/smaps', hard('proc/7/smaps'))]),
                          ('in a ring', [('proc/7/smaps', soft('../8/smaps')), ('proc/8/smaps', soft('../7/smaps'))]),
                          ('in a chain', [('proc/%d/smaps' % i, soft('../%d/smaps' % (i + 1)))
                                          for i in range(1, 3000)] + [('proc/3000/smaps', SMAPS)]),
                          ('out, upwards', [('proc/7/smaps', soft('../../../etc/passwd'))]),
                          ('out, absolute', [('proc/7/smaps', soft('/etc/passwd'))]),
                          ('hard, out', [('proc/7/smaps', hard('../etc/passwd'))]),
                          ('hard, absolute', [('proc/7/smaps', hard('/etc/passwd'))]),
                          ('to nothing', [('proc/7/smaps', soft('nowhere'))])):
        p = place.report(tar(members))
        say(refused(p), 'links %s' % name, p)
    p = place.report(tar([('proc/7', soft('/proc/1')), ('proc/7/smaps', SMAPS)]))
    say(b'root:' not in p.stdout + p.stderr and p.returncode in (0, 2), 'a folder that is a link', p)


# ---- not even opened ----

def not_opened(tmp):
    """Opening alone can do something: a writer that waits at a FIFO would be let go, a watchdog would start."""
    root = os.path.join(tmp, 'root')
    os.makedirs(os.path.join(root, 'proc/7'))
    for name in ('smaps', 'stat'):
        fifo = os.path.join(root, 'proc/7', name)
        os.mkfifo(fifo)
        writer = subprocess.Popen([sys.executable, '-c',
                                   'import sys; print("waits", flush=True); open(sys.argv[1], "wb")', fifo],
                                  stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(0.3)
        ends = [run('report', root), run('report', '--root', root, 7),
                run('snap', '--force', '-o', os.path.join(tmp, 'x.tar'), '--root', root, 7)]
        time.sleep(0.05)
        say(writer.poll() is None and all(p.returncode == 2 for p in ends),
            'a FIFO in a tree is not opened: %s' % name, (writer.poll(), ends))
        writer.kill()
        writer.wait()
        writer.stdout.close()
        os.remove(fifo)
        with open(fifo, 'wb') as f:
            f.write(SMAPS)


# ---- swapped while they are read ----

SECRET = b'7f0000000000-7f0000200000 rw-p 00000000 00:00 0 [anon:secret]\nSize: 2048 kB\nRss: 4 kB\n'


def swapped(tmp):
    """A file, and the folder that it lies in, turn into links that lead out and back, as fast as can be."""
    secret = os.path.join(tmp, 'secret')
    os.makedirs(os.path.join(secret, '7'))
    for path in (os.path.join(secret, '7/smaps'), os.path.join(secret, 'smaps')):
        with open(path, 'wb') as f:
            f.write(SECRET)
    root = os.path.join(tmp, 'root')
    os.makedirs(os.path.join(root, 'proc/7'))
    with open(os.path.join(root, 'proc/7/smaps'), 'wb') as f:
        f.write(SMAPS)
    os.makedirs(os.path.join(root, 'proc/8'))
    with open(os.path.join(root, 'proc/8/smaps'), 'wb') as f:
        f.write(SMAPS)
    os.symlink(os.path.join(secret, 'smaps'), os.path.join(root, 'proc/8/link'))
    os.symlink('../../secret/7', os.path.join(root, 'proc/linked'))
    code = '''
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
pairs = [(b"proc/7", b"proc/linked"), (b"proc/8/smaps", b"proc/8/link")]
os.chdir(sys.argv[1])
while os.getppid() == int(sys.argv[2]):
    for a, b in pairs:
        libc.renameat2(-100, a, -100, b, 2)  # RENAME_EXCHANGE
'''
    swap = subprocess.Popen([sys.executable, '-c', code, root, str(os.getpid())])
    seen = {0: 0, 2: 0}
    wrong = []
    try:
        until = time.monotonic() + (20 if HARD else 1.5)
        while time.monotonic() < until:
            for args in (('report', '--format', 'json', root), ('report', '--format', 'json', '--root', root, 7),
                         ('report', '--format', 'json', '--root', root, 8),
                         ('snap', '--force', '-o', os.path.join(tmp, 'x.tar'), '--root', root, 7)):
                p = run(*args)
                seen[p.returncode] = seen.get(p.returncode, 0) + 1
                copied = b''
                if args[0] == 'snap' and p.returncode == 0:
                    with open(os.path.join(tmp, 'x.tar'), 'rb') as f:
                        copied = f.read()
                if b'anon:secret' in p.stdout + p.stderr + copied or p.returncode not in (0, 2):
                    wrong.append((args, p))
    finally:
        swap.kill()
        swap.wait()
    say(not wrong, 'links that are swapped while they are read: %s' % seen, wrong[:2])
    say(seen[0] and seen[2], 'some were read, and some met a link', seen)


def main():
    for part in (nested, without_end, many, names, links):
        with tempfile.TemporaryDirectory(prefix='hugecov-archives.') as tmp:
            part(Place(tmp))
    with tempfile.TemporaryDirectory(prefix='hugecov-archives.') as tmp:
        not_opened(os.path.join(tmp, 'not-opened'))
        swapped(tmp)
        shutil.rmtree(os.path.join(tmp, 'root'), ignore_errors=True)


main()
sys.exit(failed())
