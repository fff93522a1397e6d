#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hugecov diff of two sets of processes."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import time

import mini_schema
from tap import failed, say

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
MAPPING = '''%s-%s %s %s
Size:           %8d kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:            %8d kB
Pss:            %8d kB
Anonymous:      %8d kB
AnonHugePages:  %8d kB
ShmemPmdMapped: %8d kB
Swap:                  0 kB
THPeligible:           1
VmFlags: rd wr mr mw me ac hg 
'''


def heap(huge):
    return MAPPING % ('7f0000000000', '7f0004000000', 'rw-p', '00000000 00:00 0 ', 65536, 65536, 65536, 65536, huge, 0)


def segment(huge):
    """Shared by all: one tmpfs file."""
    return MAPPING % ('7f1000000000', '7f1004000000', 'rw-s', '00000000 00:01 4242                       /dev/shm/x',
                      65536, 65536, 32768, 0, 0, huge)


def tree(folder, processes, boot='one'):
    """processes: {pid: (comm, start, smaps)}"""
    for pid, (comm, start, smaps) in processes.items():
        at = os.path.join(folder, 'proc/%d' % pid)
        os.makedirs(at)
        open(at + '/smaps', 'w').write(smaps)
        open(at + '/stat', 'w').write('%d (%s) S 1 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 %d 0\n'
                                      % (pid, comm, start))
        open(at + '/comm', 'w').write(comm + '\n')
    os.makedirs(os.path.join(folder, 'proc/sys/kernel/random'))
    open(os.path.join(folder, 'proc/sys/kernel/random/boot_id'), 'w').write(boot + '\n')
    return folder


def diff(*args):
    return subprocess.run([HUGECOV, 'diff', *args], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def document(*args):
    p = diff(*args, '--format', 'json')
    doc = json.loads(p.stdout)
    load = lambda name: json.load(open(os.path.join(TOP, 'schemas', name)))
    faults = list(mini_schema.validate(doc, load('hugecov.diffs-1.json')))
    for x in doc['processes']:
        faults += list(mini_schema.validate(x['diff'], load('hugecov.diff-1.json')))
    say(p.returncode == 0 and not faults, 'its JSON fits the schemas', (p.stderr, faults))
    return doc


def main():
    with tempfile.TemporaryDirectory(prefix='hugecov-sets.') as tmp:
        at = lambda name: os.path.join(tmp, name)
        before = tree(at('before'), {
            10: ('server', 100, heap(65536) + segment(65536)), 11: ('worker', 110, heap(65536) + segment(65536)),
            12: ('worker', 120, heap(4096) + segment(65536)), 13: ('old', 130, heap(65536))})
        # One boot: 10 and 11 are the same; 12 was restarted as 20. Each sees 8 MiB less of the segment.
        after = tree(at('after'), {
            10: ('server', 100, heap(65536) + segment(57344)), 11: ('worker', 110, heap(53248) + segment(57344)),
            20: ('worker', 900, heap(8192) + segment(57344)), 21: ('new', 910, heap(65536))})
        doc = document(before, after)
        pairs = [(x['match'], x['comm'], x['before_pid'], x['after_pid'], x['diff']['thp_loss_kb'],
                  x['diff']['verdict']) for x in doc['processes']]
        say(pairs == [('same', 'server', 10, 10, 8192, 'loss'), ('same', 'worker', 11, 11, 20480, 'loss'),
                      ('comm', 'worker', 12, 20, 8192, 'loss')], 'who is who', pairs)
        say(doc['unmatched'] == {'before': [{'pid': 13, 'comm': 'old'}], 'after': [{'pid': 21, 'comm': 'new'}]},
            'who is left', doc['unmatched'])
        say(doc['totals'] == {'processes': 3, 'losing': 3, 'thp_loss_kb': 8192 + 12288} and doc['verdict'] == 'loss',
            'what they share is lost once', doc['totals'])

        p = diff(before, after)
        say('LOSS: 20,480 kB of huge pages, in 3 of 3 processes (shared memory once).' in p.stdout
            and '4 and 4 processes, 3 paired: 2 the same, 1 by name and order' in p.stdout
            and '1 only before: old 13' in p.stdout
            and p.stdout.index('worker 11') < p.stdout.index('server 10') and 'worker 12 -> 20' in p.stdout
            and max(map(len, p.stdout.split('\n'))) <= 80, 'text, most loss first', p.stdout)
        say(diff(before, after, '--exit-code').returncode == 1, '--exit-code: a loss')
        p = diff(before, after, '--all')
        say(p.stdout.count('LOSS:') == 4 and max(map(len, p.stdout.split('\n'))) <= 80,
            '--all shows each in full', p.stdout)
        rows = list(csv.DictReader(io.StringIO(diff(before, after, '--format', 'csv').stdout)))
        say([(r['comm'], r['before_pid'], r['after_pid'], r['before_huge_kb'],
              r['after_huge_kb'], r['thp_loss_kb'], r['verdict']) for r in rows][1] ==
            ('worker', '11', '11', '131072', '110592', '20480', 'loss') and len(rows) == 3, 'CSV', rows)

        p = diff(before, before, '--exit-code')
        say(p.returncode == 0 and 'NO LOSS' in p.stdout and '4 paired: the same ones' in p.stdout
            and '4 processes without loss or gain' in p.stdout, 'a set and itself', p)
        p = diff(after, before, '--exit-code', '--class', 'shmem')
        say(p.returncode == 0 and 'GAIN' in p.stdout, 'a gain', p)
        p = diff(before, after, '--pid', '12', '--pid', '20', '--format', 'json')
        one = json.loads(p.stdout)
        say(one['schema'] == 'hugecov.diff/1' and one['thp_loss_kb'] == 8192,
            '--pid of each side makes it one', p.stderr)
        other = tree(at('other'), {30: ('server', 1, heap(0)), 31: ('worker', 1, heap(65536))}, boot='two')
        p = diff(before, other)
        say('2 paired by name and order' in p.stdout and 'server 10 -> 30' in p.stdout, 'another boot', p.stdout)
        stack = lambda start: MAPPING % ('%x' % start, '%x' % (start + 0x21000), 'rw-p',
                                         '00000000 00:00 0                          [stack]', 132, 12, 12, 12, 0, 0)
        old, new = (tree(at(name), {10: ('server', 100, heap(65536).replace('7f0', x) + stack(s)),
                                    11: ('worker', 110, heap(65536))})
                    for name, x, s in (('old', '7f0', 0x7ffc00000000), ('new', '7f2', 0x7ffd00000000)))
        p = diff(old, new)
        say('1 with another program since (exec): server 10\n' in p.stdout and '2 paired: the same ones' in p.stdout,
            'an exec is told', p.stdout)
        doc = document(old, new)
        say([(x['diff']['basis'], x['diff']['matched'])
             for x in doc['processes']] == [('exec', 'identity'), ('process', 'address')],
            'and how each is paired', p.stdout)
        strange = tree(at('strange'), {40: ('none', 1, heap(0)), 41: ('none', 1, heap(0))}, boot='three')
        p = diff(before, strange, '--exit-code')
        say(p.returncode == 2 and 'no two processes' in p.stderr, 'nobody is paired', p)
        bad = tree(at('bad'), {50: ('e\x1b[31mvil', 1, heap(0)), 51: ('worker', 1, heap(0))}, boot='four')
        p = diff(before, bad, '--all')
        say('\x1b' not in p.stdout and '\\x1b' in p.stdout, 'names stay harmless', p.stdout)

        # And live: a set taken twice of processes at rest.
        children = [subprocess.Popen(['sleep', '1000']) for _ in range(3)]
        try:
            while any(open('/proc/%d/comm' % c.pid).read() != 'sleep\n' for c in children):
                time.sleep(0.01)
            time.sleep(0.1)
            pids = [str(c.pid) for c in children]
            for name in ('x.tar', 'y'):
                subprocess.run([HUGECOV, 'snap', *pids, '-o', at(name)], check=True, capture_output=True)
            doc = document(at('x.tar'), at('y'))
            say([x['match'] for x in doc['processes']] == ['same'] * 3 and doc['totals']['thp_loss_kb'] == 0,
                'snapshots of three live processes', doc['totals'])
        finally:
            for c in children:
                c.kill()
                c.wait()
    sys.exit(failed())


main()
