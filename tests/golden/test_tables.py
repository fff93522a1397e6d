#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Robot and latency tables as text, at 80 and 132 columns. UPDATE=1 writes the goldens anew."""
import os
import subprocess

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
GOLDEN = os.path.join(TOP, 'tests/golden/tables')
RESULT = 'lkp-result/a1b2c3d4e5f60718293a4b5c6d7e8f9001122334'

CASES = {
    **{name: ['report', 'lkp/%s.txt' % name] for name in (
        'malloc1', 'radixsort', 'seal', 'anon-cow-seq', 'mail-quoted', 'three-commits', 'failures-only',
        'result-root-compare', 'lat_mem_rd')},
    'three-commits-all': ['report', '--all', 'lkp/three-commits.txt'],
    'two-commits-all-132': ['report', '--all', 'lkp/two-commits-all.txt'],
    'lat_mem_rd-diff': ['diff', 'lkp/lat_mem_rd.txt', 'lkp/lat_mem_rd-quoted.txt'],
    'result': ['report', RESULT + '/matrix.json'],
    'result-diff': ['diff', RESULT + '/matrix.json',
                    RESULT.replace('a1b2c3d4e5f60718293a4b5c6d7e8f9001122334',
                                   'b0c1d2e3f4051627384950617283940a1b2c3d4e') + '/matrix.json'],
}


def main():
    failed = False
    os.makedirs(GOLDEN, exist_ok=True)
    for name, args in sorted(CASES.items()):
        width = '132' if name.endswith('132') else '80'
        have = subprocess.run([HUGECOV, *args], cwd=os.path.join(TOP, 'tests/fixtures'), capture_output=True, text=True,
                              env=dict(os.environ, COLUMNS=width)).stdout
        path = os.path.join(GOLDEN, name + '.txt')
        if os.environ.get('UPDATE'):
            with open(path, 'w') as f:
                f.write(have)
        want = open(path).read() if os.path.exists(path) else ''
        ok = have == want and have != ''
        failed |= not ok
        print('%s - %s' % ('ok' if ok else 'not ok', name))
        if not ok:
            print('# ' + have.replace('\n', '\n# '))
    return failed


if __name__ == '__main__':
    raise SystemExit(main())
