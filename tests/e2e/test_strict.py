#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--strict names the first thing that was forgiven, whatever reader forgave it: file, line, column, the line and a caret."""
import os
import subprocess

from tap import say as ok

TOP, TOOL = os.environ['TOP'], os.environ['HUGECOV']


def fixture(name):
    with open(os.path.join(TOP, 'tests/fixtures', name), 'rb') as f:
        return f.read()


def put(text, n, new):
    """The text with a line more behind its line n."""
    lines = text.split(b'\n')
    return b'\n'.join(lines[:n] + [new] + lines[n:])


def line(text, n):
    return text.split(b'\n')[n - 1]


SMAPS = fixture('kernel-6.18/01-aligned.smaps')
TORN, BACK = fixture('kernel-6.18/15a-torn-duplicate.smaps'), fixture('kernel-6.18/15b-torn-backwards.smaps')
MEMINFO = fixture('kernel-6.18/16-loss-before.meminfo')
TABLE, LAT = fixture('lkp/radixsort.txt'), fixture('lkp/lat_mem_rd.txt')
PERF, CSV = fixture('perf/p61-real-default.txt'), fixture('perf/p61-hw-default-de.csv')
FOREIGN = b'nothing is read from this line'

# What it is, the text, where, what is said, the line that is shown; the caret stands under the column.
CASES = (
    ('smaps, quoted', put(SMAPS, 40, b'> Foo'), 41, 1, b'a quoted line', b'> Foo'),
    ('smaps, foreign', put(SMAPS, 40, b'hello there'), 41, 1, b'this line is not from smaps', b'hello there'),
    ('smaps, CR LF', SMAPS.replace(b' kB\n', b' kB\r\n', 1), 2, 28, b'CR LF', line(SMAPS, 2)),
    ('smaps, torn', TORN, 251, 1, b'this overlaps a mapping before it', line(TORN, 251).rstrip()),
    ('smaps, torn before a quoted line', TORN + b'> x\n', 251, 1, b'this overlaps a mapping before it',
     line(TORN, 251).rstrip()),
    ('smaps, backward', BACK, 501, 1, b'addresses go back here', line(BACK, 501).rstrip()),
    ('meminfo, foreign', put(MEMINFO, 3, b'hello there'), 4, 1, b'this line is not from meminfo', b'hello there'),
    ('robot table, quoted', put(TABLE, 9, b'> 1 apple'), 10, 1, b'a quoted line', b'> 1 apple'),
    ('robot table, foreign', put(TABLE, 9, b'  an apple'), 10, 3, FOREIGN, b'  an apple'),
    ('robot table, left out', put(TABLE, 12, b'    [...]'), 13, 6, b'lines were left out here', b'    [...]'),
    ('robot table, the first of both', put(put(TABLE, 20, b'> 1 apple'), 9, b'an apple'), 10, 1, FOREIGN, b'an apple'),
    ('robot table, CR LF', TABLE.replace(b'\n', b'\r\n'), 1, len(line(TABLE, 1)) + 1, b'CR LF', None),
    ('robot table, a tab', put(TABLE, 9, b'an\tapple'), 10, 3, b'a tab', b'an apple'),
    ('robot table, a name on the next line', TABLE.replace(b'  meminfo.Active\n', b'\n  meminfo.Active\n'),
     TABLE[:TABLE.index(b'  meminfo.Active\n')].count(b'\n') + 2,
     3, b'lines were broken or joined here', b'  meminfo.Active'),
    ('latencies, quoted', put(LAT, 7, b'> > a'), 8, 1, b'a quoted line', b'> > a'),
    ('latencies, no newline', LAT.rstrip(b'\n'), LAT.rstrip(b'\n').count(b'\n') + 1,
     len(line(LAT.rstrip(b'\n'), 0)) + 1, b'the last line has no newline', line(LAT.rstrip(b'\n'), 0)),
    ('perf, foreign', put(PERF, 1, b'one two'), 2, 1, FOREIGN, b'one two'),
    ('perf, the first of both', put(PERF, 1, b'one two') + b'x\r\n', 2, 1, FOREIGN, b'one two'),
    ('perf, a decimal comma', CSV, 1, 6, b'a decimal comma', line(CSV, 1)),
)


def main():
    for name, text, n, column, words, shown in CASES:
        p = subprocess.run([TOOL, 'report', '--strict', '-'], input=text, capture_output=True)
        lines = p.stderr.split(b'\n')
        good = (p.returncode == 2 and not p.stdout
                and lines[0].startswith(b'hugecov: standard input:%d:%d: ' % (n, column))
                and words in lines[0] and lines[0].endswith(b' (--strict)'))
        if shown is not None:
            good = good and lines[1:4] == [shown, b' ' * (column - 1) + b'^', b'']
        ok(good, name, p.stderr)
        p = subprocess.run([TOOL, 'report', '-'], input=text, capture_output=True)
        ok(p.returncode == 0, name + ': read without --strict', p.stderr)
    p = subprocess.run([TOOL, 'report', '--strict', '--split', '-'],
                       input=SMAPS + fixture('kernel-6.18/02-misaligned.smaps'), capture_output=True)
    ok(p.returncode == 0 and p.stdout.count(b'standard input ') == 2, 'two dumps are split, with --strict too',
       p.stderr + p.stdout[:300])


main()
