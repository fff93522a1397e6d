#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A real program run twice diffs to no-loss, every time: Java, and Python under glibc's malloc tunable.

A few runs each; HUGECOV_RUNS=20 makes it twenty.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import say as ok, skip, undisturbed
from thp import collapses, policy

TOOL = os.environ['HUGECOV']
RUNS = int(os.environ.get('HUGECOV_RUNS') or 3)

PYTHON = '''
import sys
blocks = [bytearray(b'x') * (5000000 + 700000 * i) for i in range(12)]
table = {i: str(i) * 3 for i in range(200000)}
print('ready', flush=True)
sys.stdin.readline()
'''
JAVA = '''
import java.util.*;
public class Work {
	public static void main(String[] a) throws Exception {
		Map<Integer, byte[]> m = new HashMap<>();
		for (int i = 0; i < 20000; i++)
			m.put(i, new byte[1000]);
		System.out.println("ready");
		System.in.read();
	}
}
'''


def report(command, env, path):
    """Runs it until it is ready, keeps its report in a file."""
    p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, env=dict(os.environ, **env))
    try:
        if p.stdout.readline().strip() != 'ready':
            return None
        with open(path, 'w') as f:
            f.write(subprocess.run([TOOL, 'report', '--format', 'json', str(p.pid)],
                                   capture_output=True, text=True).stdout)
    finally:
        p.stdin.close()
        p.wait()
    with open(path) as f:
        return json.load(f)


def twice(folder, name, command, env):
    lost, huge = [], []
    for i in range(RUNS + 1):
        path = os.path.join(folder, '%s-%d.json' % (name, i))
        doc = report(command, env, path)
        if not doc:
            skip(name, 'it does not run here')
            return
        huge.append(doc['totals']['huge_kb'])
        if not i:
            continue
        before = os.path.join(folder, '%s-%d.json' % (name, i - 1))
        d = json.loads(subprocess.run([TOOL, 'diff', '--format', 'json', before, path],
                                      capture_output=True, text=True).stdout)
        if d['verdict'] == 'loss' or d['matched'] != 'identity':
            lost.append((d['matched'], d['findings']))
    ok(min(huge) > 0, '%s: huge pages in every run' % name, huge)
    ok(not lost, '%s: no loss in %d of %d' % (name, RUNS - len(lost), RUNS), json.dumps(lost, indent=1))


def main():
    if policy() not in ('always', 'madvise'):
        skip('diff of two runs', 'huge pages are off here')
        return
    with tempfile.TemporaryDirectory() as folder:
        python = [shutil.which('python3', path='/usr/bin') or sys.executable, '-c', PYTHON]
        tunable = {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}
        undisturbed(lambda: twice(folder, 'python', python, tunable), collapses)
        source = os.path.join(folder, 'Work.java')
        with open(source, 'w') as f:
            f.write(JAVA)
        if not shutil.which('javac') or subprocess.run(['javac', '-d', folder, source], capture_output=True).returncode:
            skip('java', 'there is no javac')
            return
        java = ['java', '-XX:+UseTransparentHugePages', '-Xms128m', '-Xmx128m',
                '-XX:+AlwaysPreTouch', '-cp', folder, 'Work']
        undisturbed(lambda: twice(folder, 'java', java, {}), collapses)


main()
