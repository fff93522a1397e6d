#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What fuzzing once found, and its seeds, through each fuzz target: needs no libFuzzer."""
import glob
import importlib.util
import os
import subprocess
import sys
import tempfile

TOP, BUILD = os.environ['TOP'], os.environ['BUILD']
os.environ.setdefault('B', os.path.relpath(BUILD, TOP))
spec = importlib.util.spec_from_file_location('fuzz_run', os.path.join(TOP, 'tests/fuzz/run.py'))
fuzz = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fuzz)


def main():
    failed = False
    for source in sorted(glob.glob(os.path.join(TOP, 'tests/fuzz/fuzz_*.c'))):
        target = os.path.basename(source)[5:-2]
        with tempfile.TemporaryDirectory(prefix='hugecov-replay.') as folder:
            n = fuzz.seeds(target, folder)
            p = subprocess.run([os.path.join(BUILD, 'tests/replay', target), *sorted(glob.glob(folder + '/*'))], capture_output=True, text=True, errors='replace')
            found = len(glob.glob(os.path.join(TOP, 'tests/fuzz/found', target + '-*')))
            ok = p.returncode == 0 and p.stdout.count('\n') == n and n > 0
            failed |= not ok
            print('%s - %s: %d seeds, %d of them once found' % ('ok' if ok else 'not ok', target, n, found))
            if not ok:
                print('# status %d, at %s\n# %s' % (p.returncode, p.stdout[-200:].strip(), p.stderr[-1500:].replace('\n', '\n# ')))
    sys.exit(failed)


main()
