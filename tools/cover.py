#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: cover.py BUILD-FOLDER -- lines that the tests reached, by file, least covered first (gcov of gcc)."""
import collections
import glob
import json
import os
import subprocess
import sys


def main(build):
    reached = collections.defaultdict(dict)  # file -> line -> times
    for data in glob.glob(os.path.join(build, '*/*.gcda')):
        p = subprocess.run(['gcov', '--json-format', '--stdout', data], capture_output=True, text=True)
        for document in p.stdout.splitlines():
            for f in json.loads(document)['files']:
                if f['file'].startswith('/'):
                    continue
                for line in f['lines']:
                    n = line['line_number']
                    reached[f['file']][n] = max(reached[f['file']].get(n, 0), line['count'])
    rows = sorted((sum(c > 0 for c in lines.values()) / len(lines), len(lines), name)
                  for name, lines in reached.items() if lines)
    for share, n, name in rows:
        print('%6.1f %%  %5d lines  %s' % (100 * share, n, name))
    total = sum(n for _, n, _ in rows)
    if not total:
        print('cover: no data in ' + build, file=sys.stderr)
        return 1
    print('%6.1f %%  %5d lines  all' % (100 * sum(s * n for s, n, _ in rows) / total, total))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
