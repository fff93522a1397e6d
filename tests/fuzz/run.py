#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs fuzz targets: run.py SECONDS TARGET... Ends with 'N passed, N failed'.

Seeds are the fixtures and what was found before (tests/fuzz/seeds.py). With SECONDS 0 they are run once, no more.

FUZZ_JOBS     targets side by side; as many as there are processors unless given
FUZZ_CORPUS   a folder that keeps what was learned, one folder in it for each target; forgotten without
FUZZ_SEED     of what is chosen by chance; another one each time unless given
FUZZ_KEEP     where inputs that broke something go; build/fuzz/broken unless given
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import seeds  # noqa: E402

TOP = seeds.TOP
BUILD = os.path.join(TOP, os.environ['B'])
SECONDS_EACH = 10  # no input may take longer
# Stacks of every allocation take a third of the time.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS='malloc_context_size=2:allocator_may_return_null=1',
                   UBSAN_OPTIONS='print_stacktrace=1')


def command_of(target, seconds, folder):
    corpus = os.path.join(os.environ['FUZZ_CORPUS'],
                          target) if os.environ.get('FUZZ_CORPUS') else os.path.join(folder, 'corpus')
    given = os.path.join(folder, 'seeds')
    os.makedirs(corpus, exist_ok=True)
    os.mkdir(given)
    n = seeds.write(target, given)
    words = os.path.join(folder, 'words')
    seeds.dictionary(target, words)
    return n, [os.path.join(BUILD, 'tests/fuzz', target), '-rss_limit_mb=2048',
               '-entropic=0', '-timeout=%d' % SECONDS_EACH, '-max_len=%d' % seeds.MAX_LEN[target], '-dict=' + words,
               '-artifact_prefix=' + folder + '/', '-seed=' + os.environ.get('FUZZ_SEED', '0'), '-print_final_stats=1',
               '-runs=0' if seconds == 0 else '-max_total_time=%d' % seconds, corpus, given]


def keep(target, folder, left):
    to = os.environ.get('FUZZ_KEEP') or os.path.join(BUILD, 'broken')
    os.makedirs(to, exist_ok=True)
    for f in left:
        shutil.copy(os.path.join(folder, f), os.path.join(to, '%s-%s' % (target, f)))
        print('# kept as %s' % os.path.join(to, '%s-%s' % (target, f)))


def run(target, seconds):
    with tempfile.TemporaryDirectory(prefix='hugecov-fuzz-') as folder:
        n, command = command_of(target, seconds, folder)
        started = time.monotonic()
        log = os.path.join(folder, 'log')
        with open(log, 'wb') as f:
            p = subprocess.Popen(command, stdout=f, stderr=f, cwd=TOP, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
            _, status, used = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(status)
        took, cpu = time.monotonic() - started, used.ru_utime + used.ru_stime
        text = open(log, encoding='utf-8', errors='replace').read()
        m = re.search(r'stat::number_of_executed_units: (\d+)', text)
        units = int(m.group(1)) if m else 0
        left = [f for f in os.listdir(folder) if re.match(r'(crash|oom|timeout|leak)-', f)]
        ok = p.returncode == 0 and not left and units >= n
        line = '%s - fuzz %s: %d inputs in %.0f s, %.0f/s (%.0f/s of processor time), from %d seeds' % (
            'ok' if ok else 'not ok', target, units, took, units / max(took, 0.01), units / max(cpu, 0.01), n)
        if not ok:
            lines = text.splitlines()
            line += '\n# status %d\n# ' % p.returncode + '\n# '.join([l
                                                                      for l in lines
                                                                      if not re.match(r'#\d+\s+(NEW|REDUCE|pulse|RELOAD)|\tNEW_FUNC', l)][-60:])
            keep(target, folder, left)
        return ok, line


def main():
    seconds, targets = int(sys.argv[1]), sys.argv[2:]
    jobs = int(os.environ.get('FUZZ_JOBS') or os.cpu_count() or 1)
    good = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        for ok, line in pool.map(lambda t: run(t, seconds), targets):
            print(line, flush=True)
            good += ok
    print('%d passed, %d failed' % (good, len(targets) - good))
    return 0 if good == len(targets) else 1


if __name__ == '__main__':
    sys.exit(main())
