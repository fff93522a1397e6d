#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Signals that pour in while it reads and writes: calls that are interrupted go on, and nothing is lost or said twice."""
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from tap import failed, say, skip

HUGECOV, TOP, BUILD = os.environ['HUGECOV'], os.environ['TOP'], os.environ['BUILD']
HELPER = os.path.join(BUILD, 'tests/helpers/moments')
BEFORE, AFTER = (os.path.join(TOP, 'tests/fixtures/malloc128', f) for f in ('before.txt', 'after.txt'))
CALLS = ('openat2', 'read', 'write', 'ppoll', 'wait4', 'waitid', 'clock_nanosleep')
HARD = bool(os.environ.get('HARD'))


def untimed(text):
    """Seconds, and what a command cost, differ from run to run."""
    text = re.sub(r'\d{4}-\d\d-\d\dT[\d:.]+Z?', 'TIME', text)
    text = re.sub(r'"(n|elapsed_ns|interval_ms|cost_us|full_cost_us|full_every|full_age|looks|seconds)":[\d.]+',
                  r'"\1":N', text)
    return re.sub(r'\d\d:\d\d:\d\d', 'TIME', text)


# ---- EINTR, from each call in turn ----

def commands(pid, tmp):
    """(arguments, whether what is printed is the same each time)"""
    yield ('report', '--format', 'json', BEFORE), True
    yield ('report', pid), False
    yield ('diff', BEFORE, AFTER), True
    yield ('check', '--require', 'rss_kb >= 0', BEFORE), True
    yield ('check', '--settle', '300ms', '--require', 'rss_kb >= 0', pid), False
    yield ('check', '--require', 'rss_kb >= 0', '--', '/bin/sleep', '0.1'), False
    yield ('watch', '--batch', '-i', '50ms', '--iterations', '3', pid), False
    yield ('snap', '--force', '-o', os.path.join(tmp, 'x.tar.gz'), pid), False
    yield ('report', '--output', os.path.join(tmp, 'out'), BEFORE), True
    yield ('report', os.path.join(tmp, 'x.tar.gz')), False


def loader_reads():
    """How many read() calls are the loader's."""
    log = subprocess.run(['strace', '-qq', '-e', 'trace=read', HUGECOV, '--version'],
                         capture_output=True, text=True, stdin=subprocess.DEVNULL).stderr
    return log.count('read(')


def interrupted(pid, tmp):
    if 'asan' in BUILD or 'faults' in BUILD:
        return skip('EINTR from each call', 'a sanitizer calls the kernel itself')
    if not shutil.which('strace') or subprocess.run(['strace', '-o', '/dev/null', 'true'],
                                                    capture_output=True).returncode:
        return skip('EINTR from each call', 'needs strace')
    first = loader_reads() + 1
    log = os.path.join(tmp, 'log')
    hit = dict.fromkeys(CALLS, 0)
    def try_one(job):
        args, call, n = job
        # Of openat2 not the first of a run: it tells whether there is one. Libraries are read by read() too, at their time.
        when = {'read': '%d+3' % first, 'openat2': '2+2'}.get(call, '1+2')
        p = subprocess.run(['strace', '-f', '-qq', '-o', log + str(n), '-e', 'signal=none', '-e', 'trace=' + call,
                            '-e', 'inject=%s:error=EINTR:when=%s' % (call, when), HUGECOV, *map(str, args)],
                           capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        with open(log + str(n), errors='replace') as f:
            return p, f.read().count('EINTR')

    for args, same in commands(pid, tmp):
        whole = subprocess.run([HUGECOV, *map(str, args)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        calls = [c for c in CALLS if c != 'read' or not any('tar' in str(a) for a in args)]
        side_by_side = 1 if '-o' in args or '--output' in args else 4
        wrong = []
        with concurrent.futures.ThreadPoolExecutor(side_by_side) as pool:
            for call, (p, n) in zip(calls, pool.map(try_one, [(args, c, i) for i, c in enumerate(calls)])):
                hit[call] += n
                if p.returncode != whole.returncode or p.stderr != whole.stderr or (same and untimed(p.stdout) != untimed(whole.stdout)) or len(p.stdout.splitlines()) != len(whole.stdout.splitlines()):
                    wrong.append((call, p.returncode, p.stderr, p.stdout[:300]))
        say(whole.returncode == 0 and not wrong, 'EINTR: %s' % ' '.join(map(str, args[:3])).replace(tmp, ''), wrong[:3])
    say(all(hit[c] for c in CALLS if c != 'clock_nanosleep') and sum(hit.values()) > 100,
        'it came from each call: %s' % hit)


# ---- real ones ----

class Pelt(threading.Thread):
    """Stops a process and lets it go on, and sends what is harmless, every millisecond until it ends."""

    def __init__(self, p):
        super().__init__(daemon=True)
        self.p, self.sent = p, 0

    def run(self):
        while self.p.poll() is None:
            for sig in (signal.SIGSTOP, signal.SIGCONT, signal.SIGWINCH, signal.SIGURG, signal.SIGCHLD):
                try:
                    os.kill(self.p.pid, sig)
                except ProcessLookupError:
                    return
                self.sent += 1
            time.sleep(0.001)


def slowly_in(p, data, piece):
    try:
        for i in range(0, len(data), piece):
            p.stdin.write(data[i:i + piece])
            p.stdin.flush()
            time.sleep(0.002)
        p.stdin.close()
    except BrokenPipeError:
        pass


def slowly_out(p):
    got = b''
    while True:
        piece = os.read(p.stdout.fileno(), 8192)
        if not piece:
            return got
        got += piece
        time.sleep(0.001)


def pelted(args, data=None):
    p = subprocess.Popen([HUGECOV, *map(str, args)], stdin=subprocess.PIPE if data else subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pelt = Pelt(p)
    pelt.start()
    if data:
        threading.Thread(target=slowly_in, args=(p, data, max(997, len(data) // 60)), daemon=True).start()
    out = slowly_out(p)
    err = p.stderr.read()
    p.wait()
    pelt.join()
    p.stdout.close()
    p.stderr.close()
    return p.returncode, out, err, pelt.sent


def poured(pid, many, tmp):
    with open('/proc/%d/smaps' % many, 'rb') as f:
        data = f.read()
    path = os.path.join(tmp, 'many')
    with open(path, 'wb') as f:
        f.write(data)
    total = 0
    for args, given in ((('report', '--format', 'json', '-'), data), (('report', '--format', 'csv', path), None),
                        (('diff', '--format', 'json', path, path), None),
                        (('check', '--format', 'json', '--require', 'rss_kb >= 0', '-'), data)):
        whole = subprocess.run([HUGECOV, *args], input=given,
                               capture_output=True) if given else subprocess.run([HUGECOV, *args], stdin=subprocess.DEVNULL, capture_output=True)
        status, out, err, sent = pelted(args, given)
        total += sent
        same = untimed(out.decode()) == untimed(whole.stdout.decode())
        say(status == whole.returncode and not err and same and len(out) > 60,
            'signals pour in: %s, %d bytes through slow pipes' % (args[0], len(out)),
            (status, err[:300], len(out), len(whole.stdout)))
    for args, lines in ((('report', pid), 3), (('watch', '--batch', '-i', '50ms', '--iterations', '4', pid), 5),
                        (('watch', '--batch', '--format', 'json', '-i', '50ms', '--iterations', '4', many), 4),
                        (('check', '--require', 'rss_kb >= 0', '--', '/bin/sleep', '0.2'), 3),
                        (('check', '--settle', '300ms', '--require', 'rss_kb >= 0', pid), 2),
                        (('snap', '--force', '-o', os.path.join(tmp, 'p.tar.gz'), many), 1),
                        (('snap', '--force', '-o', os.path.join(tmp, 'p'), many), 1)):
        status, out, err, sent = pelted(args)
        total += sent
        exact = args[0] == 'watch'
        n = len(out.splitlines())
        say(status == 0 and not err and (n == lines if exact else n >= lines),
            'signals pour in: %s' % ' '.join(map(str, args[:3])).replace(tmp, ''), (status, err[:300], out[-300:]))
    for saved in ('p.tar.gz', 'p'):
        p = subprocess.run([HUGECOV, 'report', '--format', 'json', os.path.join(tmp, saved)],
                           capture_output=True, text=True)
        say(p.returncode == 0 and '"complete":true' in p.stdout, 'what was saved meanwhile is whole: %s' % saved,
            p.stderr)
    say(total > 500, '%d signals were sent' % total)


def start(*words):
    p = subprocess.Popen([HELPER, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return p, int(p.stdout.readline().split()[1])


def main():
    few, pid = start('many', '20')
    lots, many = start('many', '20000' if HARD else '1000')
    with tempfile.TemporaryDirectory(prefix='hugecov-signals.') as tmp:
        interrupted(pid, tmp)
        poured(pid, many, tmp)
    for p in (few, lots):
        p.kill()
        p.wait()


main()
sys.exit(failed())
