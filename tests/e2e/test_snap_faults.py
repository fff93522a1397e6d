#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every open, read, write and allocation of hugecov snap, and of reading its archives, fails in turn.

Needs `make CONFIG=faults`; without it all is skipped. FAULT_STEP=1 tries each point, the default a spread of them.
"""
import os
import subprocess
import sys
import tempfile

TOOL = os.path.join(os.environ['TOP'], 'build/faults/hugecov')
STEP = int(os.environ.get('FAULT_STEP', '0'))
failed = False


def say(ok, name, detail=''):
    global failed
    failed |= not ok
    print('%s - %s%s' % ('ok' if ok else 'not ok', name, '' if ok else '\n# ' + str(detail).replace('\n', '\n# ')[:1500]))


def run(fault, *args):
    env = dict(os.environ, ASAN_OPTIONS='detect_leaks=1:exitcode=99', UBSAN_OPTIONS='print_stacktrace=1:halt_on_error=1')
    if fault:
        env['HUGECOV_FAULT'] = fault
    return subprocess.run([TOOL, *args], capture_output=True, env=env, stdin=subprocess.DEVNULL, timeout=60)


def points(kind, args):
    """1, 2, 3 … while the point is reached: a fault that is never met leaves the result as it was."""
    n = 1
    while True:
        yield n, run('%s:%d' % (kind, n), *args)
        n += STEP or max(1, n // 2)


def sweep(name, args, after, limit):
    """after(): what is left behind, and True when the result is whole."""
    for kind in ('open', 'read', 'write', 'alloc'):
        wrong, tried, met = [], 0, 0
        for n, p in points(kind, args):
            tried += 1
            whole, left = after()
            sane = p.returncode in (0, 2) and not left and b'Sanitizer' not in p.stderr and b'runtime error' not in p.stderr
            if p.returncode == 2:
                met += 1
                # A snapshot that is there although it could not be told is whole.
                sane = sane and whole == (b'write standard output' in p.stderr) and p.stderr.startswith(b'hugecov: ')
            if not sane:
                wrong.append((kind, n, p.returncode, whole, left, p.stderr[-600:]))
            if tried >= limit:
                break
        say(not wrong, '%s: %d faults of %s, %d of them told' % (name, tried, kind, met), wrong[:3])


def main():
    if not os.access(TOOL, os.X_OK):
        print('ok - faults # SKIP make CONFIG=faults was not run')
        return
    with tempfile.TemporaryDirectory(prefix='hugecov-faults.') as tmp:
        out = os.path.join(tmp, 'out')
        os.mkdir(out)
        for name in ('dir', 'a.tar', 'a.tar.zst') + (('a.tar.gz', 'a.tar.xz') if STEP else ()):
            target = os.path.join(out, name)

            def after():
                whole = os.path.lexists(target)
                left = [n for n in os.listdir(out) if n != name]
                subprocess.run(['rm', '-rf', target], check=True)
                return whole, left

            sweep('snap -o ' + name, ('snap', 'self', '-o', target), after, 10 if not STEP else 1000)
        for name in ('a.tar.gz',) + (('a.tar', 'a.tar.zst') if STEP else ()):
            archive = os.path.join(tmp, name)
            subprocess.run([TOOL, 'snap', 'self', '-o', archive], check=True, capture_output=True)
            sweep('report ' + name, ('report', '--format', 'json', archive, '--output', '/dev/null'), lambda: (False, []), 10 if not STEP else 1000)
    sys.exit(failed)


main()
