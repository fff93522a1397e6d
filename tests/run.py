#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every test and ends with 'N passed, N failed, N skipped'.

A test is a program that prints TAP: the unit tests built from tests/unit (cmocka), the scripts
test_*.py and test_*.sh in tests/checks, tests/golden, tests/e2e and tests/live. Give names (or parts of names) to run only those.

Environment: B (build folder), CASES (conformance cases, skipped without), UPDATE=1 (rewrite goldens).
"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get('B') or 'build/release'
FOLDERS = ('checks', 'golden', 'e2e', 'live')


def programs():
    found = [p for p in glob.glob(os.path.join(TOP, BUILD, 'tests/unit/test_*')) if os.access(p, os.X_OK) and '.' not in os.path.basename(p)]
    for folder in FOLDERS:
        for ext in ('py', 'sh'):
            found += glob.glob(os.path.join(TOP, 'tests', folder, 'test_*.' + ext))
    return sorted(found)


def environment():
    env = dict(os.environ, LC_ALL='C.UTF-8', TZ='UTC0', NO_COLOR='1', CMOCKA_MESSAGE_OUTPUT='TAP',
               HUGECOV=os.path.join(TOP, BUILD, 'hugecov'), TOP=TOP, BUILD=os.path.join(TOP, BUILD),
               ASAN_OPTIONS='detect_leaks=1:abort_on_error=0:allocator_may_return_null=1', UBSAN_OPTIONS='print_stacktrace=1')
    env.pop('COLUMNS', None)
    env['PYTHONPATH'] = os.path.join(TOP, 'tests')
    env['PYTHONDONTWRITEBYTECODE'] = '1'
    return env


def run(path):
    command = [sys.executable, path] if path.endswith('.py') else ['sh', path] if path.endswith('.sh') else [path]
    started = time.monotonic()
    try:
        p = subprocess.run(command, cwd=TOP, stdin=subprocess.DEVNULL, capture_output=True, timeout=900, env=environment())
        out, code = (p.stdout + p.stderr).decode('utf-8', 'replace'), p.returncode
    except subprocess.TimeoutExpired as e:
        out, code = (e.stdout or b'').decode('utf-8', 'replace') + '\nnot ok - timed out', 1
    return path, out, code, time.monotonic() - started


def count(out):
    passed = failed = skipped = 0
    for line in out.splitlines():
        if re.match(r'(not )?ok\b.*# SKIP', line, re.I):  # cmocka of Debian 12 says "not ok" of a skipped one
            m = re.search(r'# SKIP (\d+)', line, re.I)
            skipped += int(m.group(1)) if m else 1
        elif re.match(r'not ok\b', line):
            failed += 1
        elif re.match(r'ok\b', line):
            passed += 1
    return passed, failed, skipped


def conformance():
    """(passed, failed, skipped, text) of the conformance runner beside the cases."""
    cases = os.environ.get('CASES')
    if not cases:
        return 0, 0, 1, ''
    runner = os.path.join(cases, 'run.py')
    p = subprocess.run([sys.executable, runner, '--tool', os.path.join(TOP, BUILD, 'hugecov')], capture_output=True, env=environment(), cwd=TOP)
    text = p.stdout.decode('utf-8', 'replace') + p.stderr.decode('utf-8', 'replace')
    m = re.search(r'^(\d+) passed, (\d+) failed', text, re.M)
    return (int(m.group(1)), int(m.group(2)), 0, text) if m else (0, 1, 0, text)


def main(names):
    wanted = [p for p in programs() if not names or any(n in p for n in names)]
    total = [0, 0, 0]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for path, out, code, seconds in pool.map(run, wanted):
            p, f, s = count(out)
            if code and not f or p + f + s == 0:
                f += 1
                out += '\n(exit status %d, no failed test named)' % code
            total = [total[0] + p, total[1] + f, total[2] + s]
            print('%-48s %5d passed%s%s  %.1f s' % (os.path.relpath(path, TOP), p, ', %d FAILED' % f if f else '', ', %d skipped' % s if s else '', seconds), flush=True)
            if f:
                print('\n'.join('    ' + l for l in out.splitlines() if not re.match(r'ok\b', l))[:6000], flush=True)
    if not names or 'conformance' in names:
        p, f, s, text = conformance()
        total = [total[0] + p, total[1] + f, total[2] + s]
        print('%-48s %5d passed%s%s' % ('conformance cases', p, ', %d FAILED' % f if f else '', ', skipped: CASES is not set' if s else ''))
        if f:
            print('\n'.join('    ' + l for l in text.splitlines())[:6000])
    print('%d passed, %d failed, %d skipped' % tuple(total))
    return 1 if total[1] or not total[0] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
