#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs fuzz targets: run.py SECONDS TARGET... Seeds are the fixtures; ends with 'N passed, N failed'.

With SECONDS 0 the seeds and tests/fuzz/found are run once, no more.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TOP, os.environ['B'])
FIXTURES = os.path.join(TOP, 'tests/fixtures')
SEEDS = {
    'smaps': ['kernel-6.18/*.smaps*', 'forms/*', 'malloc128/*'],
    'system': ['kernel-6.18/*.vmstat', 'kernel-6.18/*.meminfo', 'kernel-6.18/*.status', 'kernel-6.18/system/*'],
    'perf': ['perf/*'], 'lkp': ['lkp/*', 'robot/*'], 'lat': ['lkp/lat_mem_rd*'], 'report_read': [], 'budget': ['budget/*'],
    'options': [], 'archive': [], 'diff': [], 'replay': [],
}
OPTIONS = [b'\x00--format\njson\n--match\n^/x\n4711', b'\x01--by\naddress\n--exit-code\na\nb', b'\x02--require\ncoverage >= 90%\n--settle\n5s\n--\ntrue',
           b'\x03--interval\n500ms\n--max-cpu\n2%\n1', b'\x04-o\nx.tar.zst\n--force\n1', b'\x00--class\nanon,shmem\n--min-size\n2MiB\n--top=5\nself']
BUDGET = b'{"schema":"hugecov.budget/1","rules":[{"name":"a","require":"coverage >= 90%","select":{"match":"^/x","class":"anon","min_size_kb":4},"severity":"warn"}]}'


def seeds(target, folder):
    n = 0

    def put(data):
        nonlocal n
        with open(os.path.join(folder, 'seed%03d' % n), 'wb') as f:
            f.write(data)
        n += 1
    for pattern in SEEDS.get(target, []):
        for path in sorted(glob.glob(os.path.join(FIXTURES, pattern))):
            if os.path.isfile(path) and os.path.getsize(path) < 65536:
                put(open(path, 'rb').read())
    small = open(os.path.join(FIXTURES, 'kernel-6.18/17-32bit-process.smaps'), 'rb').read()
    tool = os.environ.get('HUGECOV', os.path.join(TOP, 'hugecov'))
    if target == 'diff':
        before, after = (open(os.path.join(FIXTURES, 'malloc128', x), 'rb').read() for x in ('before.txt', 'after.txt'))
        put(before + b'\n====\n' + after)
        put(small + b'\n====\n' + small)
    elif target == 'report_read' and os.access(tool, os.X_OK):
        for path in ('malloc128/before.txt', 'kernel-6.18/17-32bit-process.smaps'):
            put(subprocess.run([tool, 'report', '--format', 'json', os.path.join(FIXTURES, path)], capture_output=True).stdout)
    elif target == 'replay' and os.access(tool, os.X_OK):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(root + '/proc/7')
            with open(root + '/proc/7/smaps', 'wb') as f:
                f.write(small)
            p = subprocess.run([tool, 'watch', '--format', 'json', '--interval', '50ms', '--iterations', '3', '--root', root, '7'], capture_output=True)
            put(p.stdout.replace(b'\n', b'\njj\t/a\r\n'))
    elif target == 'options':
        for line in OPTIONS:
            put(line)
    elif target == 'budget':
        put(BUDGET)
        put(b'thp-loss == 0\ncounters[perf.dTLB-load-misses].percent <= 5%\ndelta.huge_kb >= -2MiB\n')
    elif target == 'archive':
        with tempfile.TemporaryDirectory() as tree:
            os.makedirs(tree + '/proc/7')
            with open(tree + '/proc/7/smaps', 'wb') as f:
                f.write(small)
            for flag in ('c', 'cz', 'cJ'):
                put(subprocess.run(['tar', '-' + flag, '-C', tree, 'proc'], capture_output=True).stdout)
    for path in sorted(glob.glob(os.path.join(TOP, 'tests/fuzz/found', target + '-*'))):
        put(open(path, 'rb').read())
    return n


def run(target, seconds):
    with tempfile.TemporaryDirectory(prefix='hugecov-fuzz-') as folder:
        corpus = os.path.join(folder, 'corpus')
        os.mkdir(corpus)
        n = seeds(target, corpus)
        command = [os.path.join(BUILD, 'tests/fuzz', target), '-rss_limit_mb=2048', '-timeout=20', '-max_len=32768', '-artifact_prefix=' + folder + '/',
                   '-print_final_stats=1', '-verbosity=1']
        dictionary = os.path.join(TOP, 'tests/fuzz', target + '.dict')
        if os.path.exists(dictionary):
            command.append('-dict=' + dictionary)
        command += ['-runs=0'] if seconds == 0 else ['-max_total_time=%d' % seconds]
        p = subprocess.run([*command, corpus], capture_output=True, cwd=TOP)
        text = p.stderr.decode('utf-8', 'replace')
        m = re.search(r'stat::number_of_executed_units: (\d+)', text)
        left = [f for f in os.listdir(folder) if re.match(r'(crash|oom|timeout|leak)-', f)]
        bad = p.returncode != 0 or left
        print('%s - fuzz %s: %s inputs, %d seeds' % ('not ok' if bad else 'ok', target, m.group(1) if m else '?', n), flush=True)
        if bad:
            print('# ' + '\n# '.join(text.splitlines()[-40:]))
            keep = os.environ.get('FUZZ_KEEP')
            for f in left:
                if keep:
                    shutil.copy(os.path.join(folder, f), os.path.join(keep, '%s-%s' % (target, f)))
        return not bad


def main():
    seconds, targets = int(sys.argv[1]), sys.argv[2:]
    results = [run(t, seconds) for t in targets]
    print('%d passed, %d failed' % (sum(results), len(results) - sum(results)))
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
