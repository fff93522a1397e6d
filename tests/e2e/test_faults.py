#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every open, read, write, allocation and library of each command fails in turn.

Needs `make CONFIG=faults`, as `make hard` does; without it all is skipped. A run must end with
status 2, one error line and no file, or, when what failed was optional, with status 0 and whole
output: never by a signal or with a report of a sanitizer. FAULT_STEP=1 tries each point, the
default the first of them and a spread of the rest. ONLY=WORD takes the commands with that word.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

TOP = os.environ['TOP']
TOOL = os.path.join(TOP, 'build/faults/hugecov')
STEP = int(os.environ.get('FAULT_STEP', '0'))
KINDS = ('alloc', 'read', 'write', 'open', 'lib')
FIXTURES = os.path.join(TOP, 'tests/fixtures')
failed = False
told = 0


def say(ok, name, detail=''):
    global failed
    failed |= not ok
    print('%s - %s%s' % ('ok' if ok else 'not ok', name, '' if ok else '\n# ' + str(detail).replace('\n', '\n# ')[:3000]), flush=True)


class Bench:
    """A folder to run in, with the counts that the tool keeps there."""

    def __init__(self, tmp):
        self.tmp, self.out, self.counts = tmp, os.path.join(tmp, 'out'), os.path.join(tmp, 'counts')

    def run(self, fault, args, stdin=None):
        shutil.rmtree(self.out, ignore_errors=True)
        os.mkdir(self.out)
        open(self.counts, 'wb').close()
        env = dict(os.environ, ASAN_OPTIONS='detect_leaks=1:exitcode=99:allocator_may_return_null=1', UBSAN_OPTIONS='print_stacktrace=1',
                   HUGECOV_FAULT_COUNTS=self.counts, **({'HUGECOV_FAULT': fault} if fault else {}))
        with open(stdin or '/dev/null', 'rb') as source:
            p = subprocess.run([TOOL, *args], stdin=source, capture_output=True, env=env, cwd=self.out, timeout=120)
        data = open(self.counts, 'rb').read()
        numbers = struct.unpack('6Q', data) if len(data) == 48 else (0,) * 6
        return p, dict(zip(KINDS, numbers)), numbers[5]


def points(n):
    """Of 1..n: each, or the first and the last ones and a spread of those between."""
    if STEP:
        return list(range(1, n + 1, STEP))
    some = set(range(1, min(n, 12) + 1)) | {max(1, n - i) for i in range(4)}
    return sorted(some | set(range(1, n + 1, max(1, n // 16)))) if n else []


def is_json(path):
    try:
        with open(path) as f:
            json.load(f)
    except ValueError:
        return False
    return True


def fault_of(p, kind, files, form, whole):
    """What is wrong with the end of a run in which something failed; None when nothing is."""
    text = p.stderr.decode('utf-8', 'replace')
    errors = [line for line in text.split('\n') if line.startswith('hugecov: ')]
    if p.returncode not in (0, 2) or 'Sanitizer' in text or 'runtime error' in text:
        return 'status %d' % p.returncode
    if p.returncode == 2:
        if len(errors) != 1 or not text.startswith('hugecov: '):
            return 'not one error line'
        # What was done before only the summary could not be told is whole.
        if files and 'standard output' not in text and not (files[0].endswith('new.json') and is_json(files[0])):
            return 'left behind: %s' % files
        return None
    if kind == 'alloc' and errors:
        return 'status 0 with an error line'
    out = files[0] if files else None
    data = open(out, 'rb').read() if out and os.path.isfile(out) else p.stdout
    if not data and whole:
        return 'status 0 without output'
    if form == 'json':
        for line in [data] if not out or not out.endswith('ndjson') else data.splitlines():
            try:
                json.loads(line)
            except ValueError as e:
                return 'no JSON: %s' % e
    return None


def sweep(bench, name, args, form='text', stdin=None):
    global told
    p, numbers, _ = bench.run('', args, stdin)
    if p.returncode != 0:
        return say(False, '%s: the run without a fault' % name, p)
    for kind in KINDS:
        wrong, tried, met, n_told, n = [], 0, 0, 0, 0
        for n in points(numbers[kind]):
            p, _, hit = bench.run('%s:%d' % (kind, n), args, stdin)
            tried, met, n_told = tried + 1, met + (hit > 0), n_told + (p.returncode == 2)
            files = [os.path.join(bench.out, f) for f in sorted(os.listdir(bench.out))]
            why = fault_of(p, kind, files, form, True)
            if why:
                wrong.append('%s:%d: %s: %s' % (kind, n, why, p.stderr.decode('utf-8', 'replace')[:1200]))
        told += met
        if tried:
            say(not wrong and met, '%s: %s fails, %d of %d points, %d told' % (name, kind, met, numbers[kind], n_told), '%d wrong\n' % len(wrong) + '\n'.join(wrong[:3]))


def snapshots(tmp):
    """A saved process as a directory and as archives."""
    for name in ('dir', 'a.tar', 'a.tar.zst'):
        subprocess.run([TOOL, 'snap', 'self', '-o', os.path.join(tmp, name)], check=True, capture_output=True)


def commands(tmp):
    """(name, arguments, form, standard input) of what is tried; files are written to the current folder."""
    a, b = (os.path.join(FIXTURES, 'malloc128', f) for f in ('before.txt', 'after.txt'))
    perf = [os.path.join(FIXTURES, 'perf/hugetlbfs-%s.txt' % w) for w in ('before', 'after')]
    saved = os.path.join(tmp, 'report.json')
    subprocess.run([TOOL, 'report', '--format', 'json', '--output', saved, a], check=True)
    for form in ('text', 'json', 'csv'):
        yield 'report %s' % form, ('report', '--format', form, a), form, None
        yield 'diff %s' % form, ('diff', '--format', form, a, b), form, None
    yield 'report --output', ('report', '--format', 'json', '--output', 'x.json', a), 'json', None
    yield 'report -', ('report', '--format', 'json', '-'), 'json', b
    yield 'report of a report', ('report', saved), 'text', None
    yield 'report self', ('report', '--format', 'json', 'self'), 'json', None
    yield 'report --match', ('report', '--match', '^/x', '--all', 'self'), 'text', None
    yield 'report --each', ('report', '--each', 'self', a), 'text', None
    yield 'report of a set', ('report', '--format', 'json', 'self', str(os.getpid())), 'json', None
    yield 'report dir', ('report', '--format', 'json', os.path.join(tmp, 'dir')), 'json', None
    yield 'report tar', ('report', '--format', 'json', os.path.join(tmp, 'a.tar')), 'json', None
    yield 'report tar.zst', ('report', os.path.join(tmp, 'a.tar.zst')), 'text', None
    yield 'report perf-stat', ('report', '--format', 'json', perf[0]), 'json', None
    yield 'report perf-stat CSV', ('report', os.path.join(FIXTURES, 'perf/p61-real-default.csv')), 'text', None
    yield 'report perf-stat JSON', ('report', os.path.join(FIXTURES, 'perf/p61-real-default.jsonl')), 'text', None
    yield 'report lkp', ('report', '--format', 'json', os.path.join(FIXTURES, 'lkp/radixsort.txt')), 'json', None
    yield 'report lat_mem_rd', ('report', os.path.join(FIXTURES, 'lkp/lat_mem_rd.txt')), 'text', None
    yield 'diff perf-stat', ('diff', '--format', 'json', *perf), 'json', None
    yield 'diff of runs', ('diff', '--before', a, a, '--after', b, b), 'text', None
    yield 'diff live', ('diff', '--output', 'x.txt', os.path.join(tmp, 'dir'), 'self'), 'text', None
    yield 'watch', ('watch', '--batch', '--iterations', '1', '--format', 'json', str(os.getpid())), 'json', None
    yield 'help', ('report', '--help'), 'text', None
    if subprocess.run([TOOL, 'check', '--help'], capture_output=True).returncode == 0:
        for form in ('text', 'json', 'junit', 'github', 'markdown'):
            yield 'check %s' % form, ('check', '--format', form, '--require', 'rss_kb >= 0', a), form, None
        yield 'check --baseline', ('check', '--format', 'json', '--baseline', a, '--require', 'rss_kb >= 0', b), 'json', None
        budget = os.path.join(tmp, 'budget.json')
        with open(budget, 'w') as f:
            f.write('{"schema":"hugecov.budget/1","rules":[{"name":"a","require":"rss_kb >= 0","select":{"class":"anon"},"severity":"fail"}]}')
        yield 'check --update-budget', ('check', '--format', 'json', '--update-budget', 'new.json', a), 'text', None
        yield 'check of a command', ('check', '--require', 'rss_kb >= 0', '--', 'sleep', '0.3'), 'text', None
        yield 'check --budget', ('check', '--budget', budget, a), 'text', None


def main():
    if not os.access(TOOL, os.X_OK):
        print('ok - faults # SKIP make CONFIG=faults was not run')
        return
    with tempfile.TemporaryDirectory(prefix='hugecov-faults.') as tmp:
        snapshots(tmp)
        bench = Bench(tmp)
        for name, args, form, stdin in commands(tmp):
            if os.environ.get('ONLY', '') in name:
                sweep(bench, name, args, form, stdin)
    print('# %d faults' % told)
    sys.exit(failed)


main()
