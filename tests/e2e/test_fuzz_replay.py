#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What fuzzing once found, and its seeds, through each fuzz target: needs no libFuzzer."""
import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile

TOP, BUILD = os.environ['TOP'], os.environ['BUILD']
UNDER = [os.environ['UNDER']] if os.environ.get('UNDER') else []
sys.path.insert(0, os.path.join(TOP, 'tests/fuzz'))
import seeds  # noqa: E402


def replay(target):
    with tempfile.TemporaryDirectory(prefix='hugecov-replay.') as folder:
        n = seeds.write(target, folder)
        p = subprocess.run([*UNDER, os.path.join(BUILD, 'tests/replay', target), *sorted(glob.glob(folder + '/*'))],
                           capture_output=True, text=True, errors='replace', cwd=TOP)
    found = len(glob.glob(os.path.join(TOP, 'tests/fuzz/found', target + '-*')))
    names = [line for line in p.stdout.splitlines() if line.startswith(folder)]
    ok = p.returncode == 0 and len(names) == n and n > 0
    print('%s - %s: %d seeds, %d of them once found' % ('ok' if ok else 'not ok', target, n, found), flush=True)
    if not ok:
        print('# status %d\n# %s\n# %s' % (p.returncode, p.stdout[-1000:].strip().replace('\n', '\n# '),
                                           p.stderr[-1500:].replace('\n', '\n# ')))
    return ok


def main():
    targets = [os.path.basename(source)[5:-2] for source in sorted(glob.glob(os.path.join(TOP, 'tests/fuzz/fuzz_*.c')))]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(replay, targets))
    sys.exit(not all(results))


main()
