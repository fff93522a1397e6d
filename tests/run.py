#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every test and ends with 'N passed, N failed, N skipped'.

A test is a program that prints TAP: the unit tests built from tests/unit (cmocka), the scripts
test_*.py and test_*.sh in tests/checks, tests/golden, tests/e2e and tests/live. Give names (or parts of names) to run only those.

Environment: B (build folder), CASES (conformance cases, skipped without), UPDATE=1 (rewrite goldens),
VALGRIND=1 (what the tests start runs under valgrind: tests/under_valgrind.py).
"""
import concurrent.futures
import glob
import os
import re
import signal
import subprocess
import sys
import time

import under_valgrind

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get('B') or 'build/release'
FOLDERS = ('checks', 'golden', 'e2e', 'live')
VALGRIND = under_valgrind.Valgrind(TOP, BUILD) if os.environ.get('VALGRIND') else None


def programs():
    found = [p for p in glob.glob(os.path.join(TOP, BUILD, 'tests/unit/test_*'))
             if os.access(p, os.X_OK) and '.' not in os.path.basename(p)]
    for folder in FOLDERS:
        for ext in ('py', 'sh'):
            found += glob.glob(os.path.join(TOP, 'tests', folder, 'test_*.' + ext))
    return sorted(found)


def environment(name):
    env = dict(os.environ, LC_ALL='C.UTF-8', TZ='UTC0', NO_COLOR='1', CMOCKA_MESSAGE_OUTPUT='TAP',
               HUGECOV=os.path.join(TOP, BUILD, 'hugecov'), TOP=TOP, BUILD=os.path.join(TOP, BUILD),
               ASAN_OPTIONS='detect_leaks=1:abort_on_error=0:allocator_may_return_null=1',
               UBSAN_OPTIONS='print_stacktrace=1')
    env.pop('COLUMNS', None)
    env['PYTHONPATH'] = os.path.join(TOP, 'tests')
    env['PYTHONDONTWRITEBYTECODE'] = '1'
    if VALGRIND:
        env['HUGECOV'], env['UNDER'] = VALGRIND.prepare(name)
    return env


def run(path):
    name, why = os.path.relpath(path, TOP), VALGRIND and under_valgrind.skipped(path)
    if why:
        return path, 'ok - %s # SKIP %s' % (name, why), 0, 0
    env = environment(name)
    command = [sys.executable, path] if path.endswith('.py') else ['sh', path] if path.endswith('.sh') else [path]
    if VALGRIND and command[0] == path:
        command = [env['UNDER'], path]
    started = time.monotonic()
    try:
        p = subprocess.run(command, cwd=TOP, stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=7200 if VALGRIND or os.environ.get('HARD') else 900, env=env)
        out, code = (p.stdout + p.stderr).decode('utf-8', 'replace'), p.returncode
    except subprocess.TimeoutExpired as e:
        out, code = (e.stdout or b'').decode('utf-8', 'replace') + '\nnot ok - timed out', 1
    if VALGRIND:
        out, code = under_valgrind.excuse(path, out, code)
        out += '\n' + VALGRIND.judge(name)
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
    env = environment('conformance')
    p = subprocess.run([sys.executable, runner, '--tool', env['HUGECOV']], capture_output=True, env=env, cwd=TOP)
    text = p.stdout.decode('utf-8', 'replace') + p.stderr.decode('utf-8', 'replace')
    m = re.search(r'^(\d+) passed, (\d+) failed', text, re.M)
    more = VALGRIND.judge('conformance') if VALGRIND else ''
    passed, failed, _ = count(more)
    return (int(m.group(1)) + passed, int(m.group(2)) + failed, 0, text + more) if m else (0, 1, 0, text)


def tell(name, counts, text, note):
    p, f, s = counts
    print('%-48s %5d passed%s%s%s' % (name, p, ', %d FAILED' % f if f else '', ', %d skipped' % s if s else '', note),
          flush=True)
    if f:
        print('\n'.join('    ' + l for l in text.splitlines() if not re.match(r'ok\b', l))[:6000], flush=True)
    return counts


def result(path, out, code, seconds):
    p, f, s = count(out)
    if code and not f or p + f + s == 0:
        f += 1
        out += '\n(exit status %d, no failed test named)' % code
    return tell(os.path.relpath(path, TOP), (p, f, s), out, '  %.1f s' % seconds)


def main(names):
    # A shell that runs this in the background ignores SIGINT for it and all below; the tests send it.
    for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(sig, signal.SIG_DFL)
    wanted = [p for p in programs() if not names or any(n in p for n in names)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        begun = {p: pool.submit(run, p) for p in (under_valgrind.first(wanted) if VALGRIND else wanted)}
        cases = pool.submit(conformance) if not names or 'conformance' in names else None
        results = [result(*begun[p].result()) for p in wanted]
    if cases:
        p, f, s, text = cases.result()
        results.append(tell('conformance cases', (p, f, s), text, ': CASES is not set' if s else ''))
    total = [sum(r[i] for r in results) for i in range(3)]
    if VALGRIND:
        print('%d programs ran under valgrind' % VALGRIND.seen)
        total[1] += not VALGRIND.seen
    print('%d passed, %d failed, %d skipped' % tuple(total))
    return 1 if total[1] or not total[0] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
