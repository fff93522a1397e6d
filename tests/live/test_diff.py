#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A process changes one thing at a time to a region of huge pages: diff names exactly that, to the kB."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from tap import say as ok, skip
from thp import collapses, policy

TOOL, BUILD = os.environ['HUGECOV'], os.environ['BUILD']
P, SIZE = 2048, 16384  # kB

# name: (match, {delta: kB}, loss, cause, what the text says)
STEPS = {
    'nothing': (None, {}, 0, None, 'NO LOSS: '),
    'split': ('split', dict(rss=0, huge=-P, subslot=P), P, 'split',
              'LOSS: 1 huge page lost (2,048 kB): the mapping was cut in 3 (rw-p, r--p, rw-p).'),
    'free': ('resized', dict(rss=-2 * P, huge=-2 * P), 0, None,
             'NO LOSS: 2 huge pages of before are not needed any more: 4,096 kB less is resident'),
    'drop-pages': ('same', dict(rss=-32, huge=-SIZE, subslot=P - 32, delivery_loss=SIZE - P),
                   SIZE - 32, 'freed-in-part',
                   'LOSS: 8 huge pages lost (16,352 kB): parts of huge pages were freed, their rests are small.'),
    'drop-slots': ('same', dict(rss=-3 * P, huge=-3 * P), 0, None,
                   'NO LOSS: 3 huge pages of before are not needed any more'),
    'fork': ('same', dict(rss=0, huge=-P, delivery_loss=P), P, 'delivery',
             'LOSS: 1 huge page lost (2,048 kB): its pages are shared now, as after fork and a write.'),
    'move-off': ('moved', dict(rss=0, huge=-SIZE, alignment_loss=P, delivery_loss=SIZE - P), SIZE, 'delivery',
                 'LOSS: 8 huge pages lost (16,384 kB): it was moved to another place within a huge page, which splits each.'),
    'move-on': ('moved', dict(rss=0, huge=0), 0, None, 'NO LOSS: the same '),
    'unadvise': ('same', dict(rss=0, huge=-SIZE, policy_loss=SIZE), SIZE, 'advice',
                 'LOSS: 8 huge pages lost (16,384 kB): MADV_NOHUGEPAGE is set now.'),
    'no-huge': ('same', dict(rss=0, huge=0), 0, None,
                'now MADV_NOHUGEPAGE: the 16,384 kB that are huge stay so until they are split, swapped or freed; what is touched anew stays small'),
    'grow': ('resized', dict(rss=2 * P, huge=2 * P), 0, None,
             'GAIN: 2 huge pages more (4,096 kB): 4,096 kB more is resident.'),
    'grow-down': ('resized', dict(rss=P, huge=P), 0, None,
                  'GAIN: 1 huge page more (2,048 kB): 2,048 kB more is resident.'),
    'unmap': ('removed', dict(rss=-SIZE, huge=-SIZE), 0, None,
              'NO LOSS: 8 huge pages of before are not needed any more: 16.0 MiB less is resident'),
    'cut-and-join': ('same', dict(rss=0, huge=-P, delivery_loss=P), P, 'delivery',
                     'LOSS: 1 huge page lost (2,048 kB): small pages stand where huge ones did.'),
}


class Target:
    def __init__(self):
        self.p = subprocess.Popen([os.path.join(BUILD, 'tests/helpers/changes')],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = str(self.p.pid)

    def tell(self, line):
        self.p.stdin.write(line + '\n')
        self.p.stdin.flush()
        return self.p.stdout.readline().strip()

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def hugecov(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True)


def all_huge(before, start):
    doc = json.load(open(before))
    v = [v for v in doc['vmas'] if v['start'] == start]
    return bool(v) and v[0]['thp']['huge_kb'] == SIZE and v[0]['thp']['eligible'] == 'yes'


def is_it(row, start):
    sides = [row['before'], row['after']]
    members = [m for s in sides for m in (s if isinstance(s, list) else [s]) if m]
    return row['match'] != 'pool' and any(int(m['start'], 16) <= start < int(m['end'], 16) and m['perms'] != '---p'
                                          for m in members)


def faults(doc, start, step):
    """What is not as the step says; nothing else may lose or gain a huge page."""
    match, deltas, loss, cause, _ = step
    if doc['matched'] != 'address':
        yield 'matched %s' % doc['matched']
    rows = [r for r in doc['vmas'] if r['changed'] and is_it(r, start)]
    if match is None:
        if rows:
            yield 'changed: %s' % rows
    elif len(rows) != 1 or rows[0]['match'] != match:
        yield 'rows: %s' % rows
    else:
        wanted = dict({k: 0 for k in ('subslot', 'policy_loss', 'alignment_loss', 'delivery_loss', 'swap')}, **deltas)
        have = {k: rows[0]['delta'][k + '_kb'] for k in wanted}
        if have != wanted:
            yield 'deltas %s, not %s' % (have, wanted)
        if (rows[0]['thp_loss_kb'] or 0) != loss:
            yield 'loss of the row %s' % rows[0]['thp_loss_kb']
    others = [r for r in doc['vmas'] if r not in rows and r['match'] != 'pool' and
              (r['delta']['huge_kb'] or r['thp_loss_kb'] or abs(r['delta']['rss_kb'] or 0) >= P)]
    if others:
        yield 'others: %s' % others
    if doc['thp_loss_kb'] != loss:
        yield 'loss %s' % doc['thp_loss_kb']
    found = [(f['evidence']['cause'], f['lost_kb'], f['certainty']) for f in doc['findings'] if f['id'] == 'thp-loss']
    wanted = [(cause, loss, 'likely' if match == 'moved' else 'certain')] if cause else []
    if found != wanted:
        yield 'findings %s, not %s' % (found, wanted)


def change(target, folder, name):
    """Report before, the change, report after: two files and the region, or None when there are no huge pages."""
    for _ in range(4):
        start = int(re.match(r'\S+ (\w+)-', target.tell('prepare ' + name)).group(1), 16)
        files = [os.path.join(folder, '%s-%s.json' % (name, side)) for side in ('before', 'after')]
        seen = collapses()
        for path in files:
            with open(path, 'w') as f:
                f.write(hugecov('report', '--format', 'json', target.pid).stdout)
            if path == files[0]:
                target.tell('change')
        if collapses() == seen and all_huge(files[0], hex(start)):
            return files, start
    return None, None


def run_step(target, folder, name, step):
    files, start = change(target, folder, name)
    if not files:
        skip(name, 'the kernel gave no huge pages')
        return
    doc = json.loads(hugecov('diff', '--format', 'json', *files).stdout)
    wrong = list(faults(doc, start, step))
    ok(not wrong, '%s is named to the kB' % name, '\n'.join(wrong))
    p = hugecov('diff', '--exit-code', *files)
    ok(step[4] in ' '.join(p.stdout.split()), '%s in words' % name, p.stdout + p.stderr)
    ok(p.returncode == (1 if step[2] else 0), '%s: exit status' % name, p.stderr)
    if name == 'split':
        p = hugecov('diff', *reversed(files))
        ok('BEFORE was taken later' in p.stdout and p.stdout.count(' apart') == 0,
           'the two sides swapped: said', p.stdout + p.stderr)
    if name == 'fork':
        ok('fork' in doc['findings'][0]['evidence']['signs'], 'fork leaves its sign', doc['findings'])


def program_of(pid):
    return os.path.realpath('/proc/%d/exe' % pid)


def run_exec(folder):
    """One pid, two programs: told, and what lies elsewhere is not paired by address."""
    p = subprocess.Popen([sys.executable, '-c',
                          'import os; print(1, flush=True); input(); os.execlp("sleep", "sleep", "1000")'],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    before, sides = os.path.join(folder, 'exec.json'), [program_of(p.pid)]
    with open(before, 'w') as f:
        f.write(hugecov('report', '--format', 'json', str(p.pid)).stdout)
    p.stdin.write('\n')
    p.stdin.flush()
    while program_of(p.pid) == sides[0] or 'sleep' not in open('/proc/%d/comm'
                                                               % p.pid).read() or not open('/proc/%d/maps' % p.pid).read():
        time.sleep(0.01)
    sides.append(program_of(p.pid))
    doc = json.loads(hugecov('diff', '--format', 'json', before, str(p.pid)).stdout)
    ok((doc['matched'], doc['basis'], doc['exec']) == ('identity', 'exec', True),
       'exec: by identity, and why', {k: doc[k] for k in ('matched', 'basis', 'exec')})
    text = hugecov('diff', before, str(p.pid)).stdout
    ok('same process after an exec' in text and 'PROGRAM: %s -> %s' % tuple(sides) in ' '.join(text.split()),
       'exec: in words', text)
    p.kill()
    p.wait()


def main():
    if policy() not in ('always', 'madvise'):
        skip('diff of a live process', 'huge pages are off here')
        return
    target = Target()
    with tempfile.TemporaryDirectory() as folder:
        for name, step in STEPS.items():
            run_step(target, folder, name, step)
        p = hugecov('diff', target.pid, target.pid)
        ok(p.returncode == 0 and 'NO LOSS: ' in p.stdout, 'a process against itself', p.stdout + p.stderr)
        run_exec(folder)
    target.close()


main()
