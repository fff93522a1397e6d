#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is larger than CONTRIBUTING asks for: files above 500 lines, functions above 60, lines above 120 columns."""
import glob
import os
import re
import statistics
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ('base', 'source', 'parse', 'model', 'report', 'cmd', 'tools', 'demo')
NAME = re.compile(r'(\w+)\(')


def functions(lines):
    """(first line, name, length): a body starts with a '{' in the first column and ends with a '}' there."""
    start = None
    for i, line in enumerate(lines):
        if line == '{' and i:
            start = i
        elif line == '}' and start is not None:
            head = next((l for l in reversed(lines[:start]) if l and not l[0].isspace()), '')
            m = NAME.search(head)
            yield start + 1, m.group(1) if m else '?', i - start - 1
            start = None


def main():
    lengths = []
    for path in sorted(p for f in FOLDERS for p in glob.glob(os.path.join(TOP, f, '*.[ch]'))):
        name = os.path.relpath(path, TOP)
        lines = open(path, encoding='utf-8').read().split('\n')[:-1]
        if len(lines) > 500:
            print('%s: %d lines' % (name, len(lines)))
        wide = [i + 1 for i, l in enumerate(lines) if len(l.expandtabs(8)) > 120]
        if wide:
            print('%s: wider than 120 columns: %s' % (name, ' '.join(map(str, wide))))
        for line, function, n in functions(lines):
            lengths.append(n)
            if n > 60:
                print('%s:%d: %s() has %d lines' % (name, line, function, n))
    print('%d functions, median %g lines, %.1f %% above 60' % (len(lengths), statistics.median(lengths),
                                                               100 * sum(n > 60 for n in lengths) / len(lengths)))


if __name__ == '__main__':
    sys.exit(main())
