#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a SOURCE may be, and what is refused in words: forms, pipes, devices, links, archives, other users."""
import bz2
import gzip
import json
import lzma
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

from tap import failed, say, skip
from tars import add_members
from tool import ITSELF, is_itself, refused

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
SMAPS_PATH = os.path.join(TOP, 'tests/fixtures/kernel-6.18/01-aligned.smaps')
SMAPS = open(SMAPS_PATH, 'rb').read()
NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']


def report(*args, before=(), **more):
    more.setdefault('stdin', subprocess.DEVNULL)
    if 'input' in more:
        del more['stdin']
    return subprocess.run([*before, HUGECOV, 'report', '--format', 'json', *map(str, args)],
                          capture_output=True, timeout=60, **more)


def same(p, wanted, name):
    """The report of SMAPS, however it came in."""
    doc = json.loads(p.stdout) if p.returncode == 0 else None
    for d in (doc, wanted):
        if d:
            d['source'].update(path=None, kind=None, time=None)
    say(doc == wanted, name, p.stderr or p.stdout[:300])


def as_root(pid):
    """What root is told to run is the command that was typed, ready to paste."""
    for words in (['report', '--match', 'a b|it\'s "$HOME"', pid], ['diff', SMAPS_PATH, pid],
                  ['diff', pid, '--', SMAPS_PATH],
                  ['check', '--require', 'coverage >= 90%', pid], ['watch', '--batch', '--iterations', '1', pid],
                  ['snap', pid, '-o', '/tmp/no such\n(folder)'], ['report', '1', pid]):
        words = [*map(str, words)]
        p = subprocess.run([*NOBODY, HUGECOV, *words], capture_output=True, timeout=60)
        hint = p.stderr.decode().splitlines()[-1]
        shell = subprocess.run(['bash', '-c', 'sudo() { printf "%s\\0" "$@"; }; ' + hint.removeprefix('Try: ')],
                               capture_output=True)
        say(p.returncode == 2 and hint.startswith('Try: sudo ')
            and shell.stdout.decode().split('\0')[:-1] == [ITSELF, *words],
            'as root: ' + words[0], (hint, shell.stdout, p.stderr))


def forms(tmp):
    path = os.path.join(tmp, '123456789')
    open(path, 'wb').write(SMAPS)
    wanted = json.loads(report(path).stdout)
    same(report('./123456789', cwd=tmp), wanted, './123456789 is a file')
    p = report('123456789', cwd=tmp)
    say(refused(p, 'there is no process 123456789'), '123456789 is a process', p)
    same(report('-', input=SMAPS), wanted, 'standard input')
    same(report('-', stdin=open(path)), wanted, 'standard input from a file')
    p = subprocess.run(['bash', '-c', '"$0" report --format json <(cat "$1")', HUGECOV, path], capture_output=True)
    same(p, wanted, 'process substitution')
    fifo = os.path.join(tmp, 'fifo')
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: (time.sleep(0.2), open(fifo, 'wb').write(SMAPS)))
    writer.start()
    same(report(fifo), wanted, 'a FIFO that is named waits for its writer')
    writer.join()
    a, b = socket.socketpair()
    a.sendall(SMAPS)
    a.close()
    same(report('/dev/fd/%d' % b.fileno(), pass_fds=[b.fileno()]), wanted, 'a socket that was inherited')
    same(report('/dev/stdin', input=SMAPS), wanted, '/dev/stdin')
    slow = subprocess.Popen(['sh', '-c', 'head -c 5000 "$0"; sleep 0.2; tail -c +5001 "$0"', path],
                            stdout=subprocess.PIPE)
    os.set_blocking(slow.stdout.fileno(), False)
    same(report('-', stdin=slow.stdout), wanted, 'a pipe that is slow and non-blocking')
    slow.wait()
    p = report('self')
    say(p.returncode == 0 and is_itself(json.loads(p.stdout)['process']), 'self', p.stderr)
    for name, pack in (('gz', gzip.compress), ('xz', lzma.compress), ('bz2', bz2.compress)):
        packed = os.path.join(tmp, 'smaps-' + name) # the content tells, not the name
        data = pack(SMAPS)
        open(packed, 'wb').write(data)
        same(report(packed), wanted, 'compressed: ' + name)
        same(report('-', input=data), wanted, 'compressed, from a pipe: ' + name)
        for part in (data[:len(data) // 2], pack(b'')):
            open(packed, 'wb').write(part)
            p = report(packed)
            say(refused(p, packed, 'cut short, or nothing was compressed'),
                '%s: %d bytes of nothing' % (name, len(part)), p)


def not_sources(tmp):
    p = report('/dev/zero')
    say(refused(p, '/dev/zero', 'is a device'), '/dev/zero', p)
    p = report('-', stdin=open('/dev/zero', 'rb'))
    say(refused(p, 'is a device'), 'standard input from /dev/zero', p)
    p = report('-', stdin=os.open(tmp, os.O_RDONLY))
    say(refused(p, 'is a directory'), 'standard input from a directory', p)
    p = report('/dev/null')
    say(refused(p, '/dev/null'), '/dev/null is empty', p)
    p = report('-', stdin=None, preexec_fn=lambda: os.close(0))
    say(refused(p), 'standard input is closed', p)
    p = report(tmp)
    say(refused(p, tmp), 'a directory of nothing', p)
    for word in ('0', '99999999999999999999', 'no/such/file', ''):
        p = report(word)
        say(refused(p), 'no source: %r' % word, p)
    os.mkfifo(os.path.join(tmp, 'locked'))
    device = next(('/dev/' + d for d in ('vda', 'sda', 'nvme0n1', 'loop0', 'ram0') if os.path.exists('/dev/' + d)),
                  None)
    if device:
        p = report(device)
        say(refused(p, 'is a block device'), device, p)
    else:
        skip('a block device', 'there is none')


def saved_tree(tmp, name):
    root = os.path.join(tmp, name)
    os.makedirs(os.path.join(root, 'proc/7'))
    os.makedirs(os.path.join(root, 'sys/kernel/mm/transparent_hugepage'))
    open(os.path.join(root, 'proc/7/smaps'), 'wb').write(SMAPS)
    open(os.path.join(root, 'proc/meminfo'), 'w').write('MemTotal:       4242 kB\n')
    return root


def thin(tmp):
    """People take along, or paste, less than all of it."""
    root = saved_tree(tmp, 'thin')
    open(os.path.join(root, 'proc/7/comm'), 'w').write('seven\n')
    doc = json.loads(report(root).stdout)
    say(doc['process']['comm'] == 'seven', 'a process without stat has the name of its comm file', doc['process'])
    os.unlink(os.path.join(root, 'proc/7/smaps'))
    open(os.path.join(root, 'proc/7/smaps_rollup'), 'w').write(
        '00400000-7fff12345000 ---p 00000000 00:00 0                          [rollup]\nRss:     100 kB\nAnonHugePages: 20 kB\n')
    doc = json.loads(report(root).stdout)
    say(doc['process']['pid'] == 7 and doc['totals']['rss_kb'] == 100 and doc['vmas'] is None,
        'a tree with smaps_rollup alone has totals', doc)
    for kind, text in (('meminfo', 'AnonHugePages:   2048 kB\nHugepagesize:    2048 kB\n'),
                       ('meminfo', 'MemTotal: 4 kB\nMemFree: 1 kB\n'),
                       ('vmstat', 'thp_fault_alloc 10\nthp_fault_fallback 2\n'),
                       ('vmstat', 'nr_anon_transparent_hugepages 3\nthp_split_page 0\n')):
        p = report('-', input=text.encode())
        say(p.returncode == 0 and json.loads(p.stdout)['source']['kind'] == kind,
            'two lines of %s: %s' % (kind, text.split()[0]), p)


def wrong_kinds(tmp):
    """--kind overrides what the content looks like; it makes no file of what is none."""
    smaps, meminfo, none = os.path.join(tmp, 'smaps'), os.path.join(tmp, 'meminfo'), os.path.join(tmp, 'none')
    open(smaps, 'wb').write(SMAPS)
    open(meminfo, 'w').write('MemTotal: 4 kB\nAnonHugePages: 0 kB\n')
    open(none, 'w').close()
    for kind, path in (('meminfo', smaps), ('node-meminfo', smaps), ('vmstat', smaps),
                       ('smaps_rollup', smaps), ('smaps', meminfo),
                       ('smaps_rollup', meminfo), ('vmstat', meminfo)):
        p = report('--kind', kind, path)
        say(refused(p, path), 'what is %s is not read as %s' % (os.path.basename(path), kind), p)
    p = report('--kind', 'smaps', none)
    say(p.returncode == 0 and json.loads(p.stdout)['totals']['vmas'] == 0, 'an empty smaps is that of a zombie', p)


def documents(tmp):
    """JSON is one document, however many reports are in it."""
    path = os.path.join(tmp, 'two')
    first = b'7f0000000000-7f0000200000 rw-p 00000000 00:00 0          [heap]\nSize: 2048 kB\nRss: 4 kB\n'
    open(path, 'wb').write(first + first.replace(b'7f00', b'6f00'))
    p = report(path)
    say(refused(p, ':4', '--split'), 'two dumps in one file', p)
    for how, p in (('a file', report('--split', path)), ('standard input', report('--split', '-', stdin=open(path)))):
        doc = json.loads(p.stdout)
        say(doc['schema'] == 'hugecov.set/1' and [x['totals']['size_kb'] for x in doc['processes']] == [2048, 2048],
            '--split: ' + how, p)
        say({x['source']['path'] for x in doc['processes']} == {path if how == 'a file' else '-'},
            '--split: their path', doc['processes'])
    other = os.path.join(tmp, 'other')
    open(other, 'wb').write(first)
    p = report('--each', other, other)
    say(len(json.loads(p.stdout)['processes']) == 2, '--each: two files', p)


def hostile_trees(tmp):
    """In a tree from strangers nothing leads out, and nothing blocks."""
    secret = os.path.join(tmp, 'secret')
    open(secret, 'wb').write(SMAPS)
    plants = {
        'an absolute link': lambda p: os.symlink(secret, p),
        'a link upwards': lambda p: os.symlink('../../../secret', p),
        'a link to itself': lambda p: os.symlink('smaps', p),
        'a magic link': lambda p: os.symlink('/proc/self/fd/0', p),
        'a FIFO': os.mkfifo,
        'a directory': os.mkdir,
        'a link to a device': lambda p: os.symlink('/dev/zero', p),
    }
    if os.geteuid() == 0:
        plants['a device'] = lambda p: os.mknod(p, 0o20666, os.makedev(1, 5))
    for i, (name, plant) in enumerate(plants.items()):
        root = saved_tree(tmp, 'root%d' % i)
        path = os.path.join(root, 'proc/7/smaps')
        os.unlink(path)
        plant(path)
        for args in ((root,), ('--root', root, 7)):
            p = report(*args)
            say(p.returncode == 2 and not p.stdout, '%s for smaps: %s' % (name, ' '.join(map(str, args))[:8]), p)
    for name in ('perf.txt', 'matrix.json', 'matrix.json.gz', 'stats.json', 'manifest.json'):
        for what, plant in (('a link out', lambda p: os.symlink('/etc/passwd', p)), ('a FIFO', os.mkfifo)):
            root = saved_tree(tmp, 'beside-%s-%s' % (name, what[:6]))
            plant(os.path.join(root, name))
            p = report(root)
            say(p.returncode in (0, 2) and b'root:' not in p.stdout + p.stderr, '%s for %s' % (what, name), p)
    root = saved_tree(tmp, 'folder')
    shutil.rmtree(os.path.join(root, 'proc/7'))
    outside = os.path.join(tmp, 'outside')
    os.mkdir(outside)
    open(os.path.join(outside, 'smaps'), 'wb').write(SMAPS)
    os.symlink('../../outside', os.path.join(root, 'proc/7'))
    p = report('--root', root, 7)
    say(p.returncode == 2 and not p.stdout, 'a process that is a link out', p)
    root = saved_tree(tmp, 'inside')
    os.symlink('7', os.path.join(root, 'proc/8'))
    p = report('--root', root, 8)
    say(p.returncode == 0 and json.loads(p.stdout)['process']['pid'] == 8, 'a link that stays inside is followed', p)
    p = report(root, '--format', 'text')
    say(p.returncode == 0 and b'process (7)' in p.stdout and b'1 name in proc/ is a link' in p.stdout,
        'two names of one process are one process', p)
    os.symlink('7', os.path.join(root, 'proc/self'))
    os.symlink('9', os.path.join(root, 'proc/10'))
    p = report(root)
    say(p.returncode == 0 and json.loads(p.stdout)['process']['pid'] == 7, 'links to nothing, and proc/self', p)
    again(tmp)


def again(tmp):
    """Links cost nothing; what they lead to is not read without end."""
    large = SMAPS * ((2 << 20) // len(SMAPS) + 1)
    root = saved_tree(tmp, 'again')
    for pid in range(100, 140):
        os.mkdir(os.path.join(root, 'proc/%d' % pid))
        os.symlink('../7/smaps', os.path.join(root, 'proc/%d/smaps' % pid))
    p = report(root)
    say(p.returncode == 0 and len(json.loads(p.stdout)['processes']) == 41, 'small files that are links', p.stderr)
    open(os.path.join(root, 'proc/7/smaps'), 'wb').write(large)
    p = report('--split', root)
    say(p.returncode == 2 and b'again and again' in p.stderr, '40 links to a file of 2 MiB', p)
    p = report('--split', '--pid', 7, root)
    say(b'again and again' not in p.stderr, 'one of them, asked for', p)
    p = subprocess.run([HUGECOV, 'snap', '--root', root, '--all-pids', '-o', os.path.join(tmp, 'saved')],
                       capture_output=True)
    say(p.returncode == 2 and b'again and again' in p.stderr and not os.path.exists(os.path.join(tmp, 'saved')),
        'nor are they saved without end', p)
    path = tar_of(os.path.join(tmp, 'again.tar.gz'), [('proc/7/smaps', large)] + [
        ('proc/%d/smaps' % pid, (tarfile.LNKTYPE, 'proc/7/smaps')) for pid in range(100, 140)], 'w:gz')
    p = report(path)
    say(p.returncode == 2 and b'times its size' in p.stderr, '40 links in an archive', p)


def tar_of(path, members, mode='w'):
    with tarfile.open(path, mode) as t:
        add_members(t, members)
    return path


def archives(tmp):
    root = saved_tree(tmp, 'root')
    wanted = json.loads(report(root).stdout)
    tree = [('proc/7/smaps', SMAPS), ('proc/meminfo', b'MemTotal:       4242 kB\n')]
    path = os.path.join(tmp, 'a')
    for prefix in ('', './', 'host-1/', 'deep/er/'):
        for mode in ('w', 'w:gz', 'w:xz', 'w:bz2'):
            p = report(tar_of(path, [(prefix + n, t) for n, t in tree], mode))
            doc = json.loads(p.stdout) if p.returncode == 0 else None
            if doc:
                doc['source']['path'] = root
            say(doc == wanted, 'a tar, %s, in %r' % (mode, prefix), p.stderr)
    of_proc = tar_of(path, [('proc/7/smaps', b''), ('proc/8/smaps', SMAPS)])
    p = subprocess.run([HUGECOV, 'report', '--pid', '7', of_proc], capture_output=True)
    say(p.returncode == 0 and b'as tar makes it' in p.stdout, 'tar of a live /proc: why it is empty',
        p.stdout + p.stderr)
    p = subprocess.run([HUGECOV, 'report', of_proc], capture_output=True)
    say(p.returncode == 0 and b'as tar makes it' not in p.stdout and b'1 of them have no mappings' in p.stdout,
        'beside others: how many are empty', p.stdout + p.stderr)
    p = subprocess.run([HUGECOV, 'check', '--pid', '7', '--require', 'coverage >= 1%',
                        '--require', 'misaligned == 0', of_proc], capture_output=True)
    say(p.returncode == 2 and p.stdout.count(b'there are no mappings') == 2,
        'nor can it be judged', p.stdout + p.stderr)
    p = report('')
    say(refused(p, 'an empty argument'), 'an empty argument', p)
    p = report('--root', tar_of(path, tree), 7)
    say(p.returncode == 0 and json.loads(p.stdout)['process']['pid'] == 7, 'a tar as --root', p)
    p = report('--pid', 8, path)
    say(refused(p), 'a process that is not in it', p)
    for name, members, word in (
            ('an absolute name', [('/proc/7/smaps', SMAPS)], 'absolute'),
            ('"..", even of what is not wanted', tree + [('x/../../y', b'')], 'leads out'),
            ('a link out', [('proc/7/smaps', (tarfile.SYMTYPE, '/etc/passwd'))], 'leads out'),
            ('a hard link out', [('proc/7/smaps', (tarfile.LNKTYPE, '../x'))], 'leads out'),
            ('a FIFO', [('proc/7/smaps', (tarfile.FIFOTYPE, ''))], 'no regular file'),
            ('a device', [('proc/meminfo', (tarfile.CHRTYPE, ''))], 'no regular file'),
            ('two trees', [('a/' + n, t) for n, t in tree] + [('b/' + n, t) for n, t in tree], 'second tree'),
            ('a name of control characters', [('\x1b[31m/../proc/meminfo', b'x')], 'leads out'),
            ('nothing of use', [('etc/hosts', b'127.0.0.1 localhost\n')], 'holds neither')):
        p = report(tar_of(path, members))
        say(refused(p, word) and b'\x1b' not in p.stderr, 'in a tar: ' + name, p)
    whole = open(tar_of(path, tree), 'rb').read()
    wrong = []
    for n in range(512, len(whole) - 9000, 2048):
        open(path, 'wb').write(whole[:n])
        if not refused(report(path), 'cut short'):
            wrong.append(n)
    say(not wrong, 'a tar cut short', wrong)
    open(path, 'wb').write(gzip.compress(b'\0' * (70 << 20)))
    p = report(path)
    say(refused(p), '70 MiB of zeros', p)
    with open(path, 'wb') as f:
        info = tarfile.TarInfo('proc/7/smaps')
        info.size = 90 << 20
        f.write(gzip.compress(info.tobuf() + b'\0' * info.size + b'\0' * 1024))
    p = report(path)
    say(refused(p, 'times its size'), '90 MiB of zeros as smaps', p)


def other_users(tmp):
    if os.geteuid() != 0:
        skip('other users', 'only root can become another user')
        return
    mine = subprocess.Popen(['sleep', '1000'])
    theirs = subprocess.Popen([*NOBODY, 'sleep', '1000'])
    try:
        while open('/proc/%d/comm' % mine.pid).read() + open('/proc/%d/comm' % theirs.pid).read() != 'sleep\nsleep\n':
            time.sleep(0.01)
        p = report(theirs.pid, before=NOBODY)
        say(p.returncode == 0 and json.loads(p.stdout)['process']['pid'] == theirs.pid,
            "nobody reads nobody's process", p)
        p = report(mine.pid, before=NOBODY)
        say(refused(p, '/proc/%d/smaps: permission denied (it belongs to root; you are ' % mine.pid,
                    '\nTry: sudo %s report --format json %d\n' % (ITSELF, mine.pid)), "and not root's", p)
        as_root(mine.pid)
        say(p.stderr.count(b'/proc/') == 1, 'whose path is said once', p)
        p = report('--rollup', mine.pid, before=NOBODY)
        say(refused(p, '/proc/%d/smaps_rollup: permission denied' % mine.pid), 'nor its rollup', p)
    finally:
        for child in (mine, theirs):
            child.kill()
            child.wait()
    p = report(mine.pid, before=NOBODY)
    say(refused(p, 'there is no process %d' % mine.pid), 'one that has ended', p)
    path = os.path.join(tmp, 'mine')
    os.chmod(tmp, 0o755)
    open(path, 'wb').write(SMAPS)
    os.chmod(path, 0o600)
    p = report(path, before=NOBODY)
    say(refused(p, path, 'Permission denied'), 'a file that may not be read', p)


def main():
    for part in (forms, not_sources, thin, wrong_kinds, documents, hostile_trees, archives, other_users):
        with tempfile.TemporaryDirectory(prefix='hugecov-sources.') as tmp:
            part(tmp)
    sys.exit(failed())


main()
