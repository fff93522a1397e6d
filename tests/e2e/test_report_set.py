#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Several processes as one set: the document fits its schema, shared memory counts once, what is no set is refused."""
import json
import os
import subprocess
import sys

from mini_schema import validate
from tap import failed, say

TOP, TOOL = os.environ['TOP'], os.environ['HUGECOV']
SCHEMA = json.load(open(os.path.join(TOP, 'schemas/hugecov.set-1.json')))
SET = os.path.join(TOP, 'tests/fixtures/set')
PARTS = ('subslot_kb', 'policy_loss_kb', 'alignment_loss_kb', 'delivery_loss_kb', 'huge_kb')


def run(*args):
    return subprocess.run([TOOL, 'report', *args], capture_output=True, text=True)


def document(*args):
    p = run('--format', 'json', *args)
    return json.loads(p.stdout) if p.returncode == 0 else p.stderr


def test_document():
    d = document(SET)
    faults = list(validate(d, SCHEMA))
    say(not faults, 'it fits the schema', faults[:5])
    vmas = [v for p in d['processes'] for v in p['vmas']]
    falls = d['totals']['waterfall']
    say(all(sum(f[k] for k in PARTS) == f['rss_kb'] for f in falls.values()), 'each waterfall adds up', falls)
    for c in ('shmem', 'file'):
        pss = sum(v['smaps']['Pss'] for v in vmas if v['class'] == c)
        say(falls[c]['rss_kb'] == pss, '%s: the sum of Pss, %d kB' % (c, pss), falls[c])
    rss = sum(v['smaps']['Rss'] for v in vmas if v['class'] == 'anon')
    say(falls['anon']['rss_kb'] == rss, 'anon: the sum of Rss, %d kB' % rss, falls['anon'])
    say(16384 - 3 <= falls['shmem']['policy_loss_kb'] <= 16384,
        '16 MiB of shared memory are not allowed, once (each Pss is rounded down)', falls['shmem'])
    shared = [s for s in d['shared'] if s['class'] == 'shmem']
    say(len(shared) == 1 and shared[0]['mapped_by'] == 3 and shared[0]['pss_kb'] == falls['shmem']['rss_kb'],
        'one object, mapped by three', shared)
    found = [f for f in d['findings'] if f['id'] == 'shmem-policy']
    say(len(found) == 1 and found[0]['lost_kb'] == falls['shmem']['policy_loss_kb']
        and found[0]['evidence']['processes'] == 3, 'one finding for all', found)
    say(d['totals']['rss_kb'] == sum(p['totals']['rss_kb'] for p in d['processes']),
        'plain totals are sums over the processes')


def test_selection():
    d = document('--pid', '1202', SET)
    say(d['schema'] == 'hugecov.report/1' and d['process']['pid'] == 1202, '--pid picks one: a report', d)
    p = run('--pid', '1202', '--pid', '1203', '--pid', '1202', SET)
    say(p.returncode == 0 and p.stdout.startswith('2 worker processes'), 'two of them, one asked for twice', p)
    p = run('--pid', '1202', '--pid', '77', SET)
    say(p.returncode == 2 and 'no process 77' in p.stderr and not p.stdout,
        'one of two that is not there is no report of the other', p)
    p = subprocess.run([TOOL, 'check', '--require', 'rss_kb >= 1', '--pid', '1202', '--pid', '77', SET],
                       capture_output=True, text=True)
    say(p.returncode == 2 and 'no process 77' in p.stderr, 'nor a passed check', p)
    d = document('--class', 'shmem', SET)
    say(d['totals']['waterfall']['anon']['rss_kb'] == 0 and d['totals']['vmas'] == 3,
        '--class selects in all of them', d['totals'])
    p = run('--each', SET)
    say(p.stdout.count('worker (120') == 3, '--each: one after the other', p)
    lines = run('--format', 'csv', SET).stdout.splitlines()
    say({l.split(',')[0] for l in lines[1:]} == {'1201', '1202', '1203'} and lines[0].startswith('pid,comm,'),
        'CSV: one table with pids', lines[:2])


def test_no_set():
    me = str(os.getpid())
    d = document(me, me)
    say(d['schema'] == 'hugecov.report/1', 'one process named twice is one', d)
    p = run(SET, os.path.join(TOP, 'tests/fixtures/malloc128/before.txt'))
    say(p.returncode == 2 and 'not one set' in p.stderr and not p.stdout, 'several times or machines are no set', p)
    d = document(me, str(os.getppid()), '2147483646')
    say(isinstance(d, dict) and d['totals']['processes'] == 2, 'one that has ended is left out', d)
    text = run(me, str(os.getppid()), '2147483646').stdout
    say('1 of the 3 processes had ended: left out' in text, 'and that is said', text)


def main():
    test_document()
    test_selection()
    test_no_set()
    return failed()


if __name__ == '__main__':
    sys.exit(main())
