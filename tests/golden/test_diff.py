#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What diff says in words and as CSV, pair by pair, against tests/golden/diff. UPDATE=1 rewrites them."""
import os
import subprocess
import tempfile

import diff_pairs

TOP, TOOL = os.environ['TOP'], os.environ['HUGECOV']
GOLDEN = os.path.join(TOP, 'tests/golden/diff')
WIDE, NARROW = {'COLUMNS': '80'}, {'COLUMNS': '72'}
RUNS = [(name, ['--format', 'text'], WIDE)
        for name in [*diff_pairs.MADE, *diff_pairs.TREES, 'malloc128', 'loss', 'rollups', 'meminfo', 'vmstat']]
RUNS += [('loss', ['--all', '--kb'], WIDE), ('two', ['--top', '1'], WIDE), ('cut', [], NARROW),
         ('cut', ['--color', 'always'], WIDE),
         ('loss', ['--by', 'identity'], WIDE), ('other-boot', ['--all'], WIDE), ('loss', ['--min-size', '1MiB'], WIDE)]
RUNS += [(name, ['--format', 'csv'], WIDE) for name in ('cut', 'unmapped', 'vmstat', 'rollups')]


def golden_name(name, args, env):
    words = [w.lstrip('-').replace('/', '_') for w in args if w not in ('--format', 'text')]
    return '-'.join([name] + words + (['narrow'] if env is NARROW else [])) + '.txt'


def check(folder, pairs, name, args, env):
    p = subprocess.run([TOOL, 'diff', *args, *pairs[name]], cwd=folder, capture_output=True,
                       env=dict(os.environ, **env))
    have = p.stdout + p.stderr
    path = os.path.join(GOLDEN, golden_name(name, args, env))
    if os.environ.get('UPDATE'):
        with open(path, 'wb') as f:
            f.write(have)
    try:
        with open(path, 'rb') as f:
            want = f.read()
    except FileNotFoundError:
        want = b''
    print('%s - %s' % ('ok' if have == want and p.returncode == 0 else 'not ok', os.path.basename(path)))
    if have != want:
        print('\n'.join('# ' + line for line in have.decode('utf-8', 'replace').splitlines()))
    width = int(env['COLUMNS'])
    wide = [line for line in have.decode('utf-8').splitlines() if len(line) > width]
    if 'csv' not in args and '--color' not in args and wide:
        print('not ok - %s: a line wider than %d columns' % (os.path.basename(path), width))
        print('# ' + wide[0])


def main():
    with tempfile.TemporaryDirectory() as folder:
        pairs = diff_pairs.write(folder)
        for run in RUNS:
            check(folder, pairs, *run)
    names = {golden_name(*run) for run in RUNS}
    left = sorted(set(os.listdir(GOLDEN)) - names)
    print('%s - every golden belongs to a run' % ('not ok' if left else 'ok'), *left)


main()
