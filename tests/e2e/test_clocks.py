#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clocks that jump and counters that go backwards: in recordings, between snapshots, and while watching."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from tap import failed, say

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
SMAPS = os.path.join(TOP, 'tests/fixtures/kernel-6.18/01-aligned.smaps')
FALL = ('vmstat.pgfault', 'vmstat.thp_fault_alloc', 'vmstat.thp_split_pmd')


def run(*args):
    return subprocess.run([HUGECOV, *map(str, args)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)


def vmstat(n):
    return 'nr_free_pages 1000\nnr_anon_transparent_hugepages 3\npgfault %d\nthp_fault_alloc %d\nthp_fault_fallback 0\nthp_split_pmd %d\n' % (n, n, n)


def tree(tmp, name, counted, taken=None):
    root = os.path.join(tmp, name)
    os.makedirs(os.path.join(root, 'proc/7'))
    shutil.copy(SMAPS, os.path.join(root, 'proc/7/smaps'))
    with open(os.path.join(root, 'proc/vmstat'), 'w') as f:
        f.write(vmstat(counted))
    with open(os.path.join(root, 'proc/7/stat'), 'w') as f:
        f.write('7 (seven) S 1' + ' 0' * 17 + ' 4711' + ' 0' * 30 + '\n')
    if taken:
        with open(os.path.join(root, 'manifest.json'), 'w') as f:
            json.dump({'schema': 'hugecov.snapshot/1', 'time': taken, 'complete': True, 'processes': [], 'unread': []},
                      f)
    return root


# ---- two snapshots ----

def between_snapshots(tmp):
    """A counter that fell was reset: it has no difference. A clock that went back says only that BEFORE was taken later."""
    early, late = '2026-01-01T00:00:00Z', '2026-01-01T00:00:10Z'
    ways = {(a, b, t, u): None for a in (100, 5000) for b in (100, 5000) for t in (early, late) for u in (early, late)}
    for i, (a, b, t, u) in enumerate(ways):
        before, after = tree(tmp, 'a%d' % i, a, t), tree(tmp, 'b%d' % i, b, u)
        p = run('diff', '--format', 'json', before, after)
        doc = json.loads(p.stdout) if p.returncode == 0 else {'counters': []}
        rows = {c['name']: c for c in doc['counters'] if c['name'] in FALL}
        right = all((c['delta'], c['note']) == ((None, 'reset') if b < a else (b - a, None))
                    for c in rows.values()) and len(rows) == 3
        right &= doc.get('seconds') == (10 if (t, u) == (early, late) else None)
        right &= all(('per_s' in c) == (doc.get('seconds') is not None and b >= a) and c.get('per_s', 0) >= 0
                     for c in rows.values())
        say(right and doc['verdict'] == 'no-loss', 'diff: counters %d -> %d, clock %s -> %s'
            % (a, b, t[-3:-1], u[-3:-1]), (doc.get('seconds'), rows, p.stderr))
        p = run('diff', before, after)
        say(p.returncode == 0 and ('BEFORE was taken later' in p.stdout) == (t > u)
            and not re.search(r'-\d+\.\d+ s apart', p.stdout), 'as text', p.stdout)
        p = run('check', '--baseline', before, '--require', 'counters[vmstat.pgfault].delta >= 0',
                '--require', 'thp-loss == 0', after)
        say(p.returncode == (2 if b < a else 0) and (b >= a or 'reset' in p.stdout),
            'check: what fell could not be measured', p.stdout)


# ---- a recording ----

def tape(tmp):
    """Six ticks of a process that does not move."""
    path = os.path.join(tmp, 'tape.ndjson')
    p = subprocess.Popen(['sleep', '60'])
    while open('/proc/%d/comm' % p.pid).read() != 'sleep\n':
        time.sleep(0.01)
    run('watch', '--batch', '-i', '50ms', '--iterations', '6', '--max-cpu', '100', '--record', path, p.pid)
    p.kill()
    p.wait()
    with open(path) as f:
        return f.read().splitlines(True)


TIMES = {'back a minute': ('17:40:00', '17:39:00', '17:39:01', '17:38:00', '17:40:00', '17:00:00'),
         'standing still': ('17:40:00',) * 6,
         'forth a day': ('00:00:00', '23:59:59', '00:00:01', '00:00:02', '23:00:00', '00:00:00')}
ELAPSED = {'back': (5 * 10 ** 9, 4 * 10 ** 9, 10 ** 9, 0, 3, 10 ** 10), 'standing still': (7,) * 6,
           'to the end of time': (0, 1, 2 ** 62 - 1, 0, 2 ** 62 - 1, 2)}
COUNTS = {'back': (5000, 4000, 3000, 10, 4, 0),
          'to the end of 64 bits and round': (2 ** 64 - 3, 2 ** 64 - 1, 0, 1, 2 ** 64 - 1, 7)}


def replayed(path, name, lines):
    with open(path, 'w') as f:
        f.writelines(lines)
    p = run('watch', '--batch', path)
    say(p.returncode == 0 and not p.stderr and len(p.stdout.splitlines()) == 7
        and not re.search(r'(?<![\d-])-\d+/s|nan|inf', p.stdout), '%s: a line a tick' % name, p)
    p = run('watch', '--batch', '--format', 'json', path)
    ticks = [json.loads(line) for line in p.stdout.splitlines()]
    say(p.returncode == 0 and [t['tick']['n'] for t in ticks] == [1, 2, 3, 4, 5, 6],
        '%s: the same ticks' % name, p.stderr)
    return ticks


def recordings(tmp):
    lines = tape(tmp)
    path = os.path.join(tmp, 'made.ndjson')
    say(len(lines) == 6, 'six ticks were recorded', len(lines))
    for name, at in TIMES.items():
        ticks = replayed(path, 'the clock goes ' + name,
                         [re.sub(r'"time":"[^"]*"', '"time":"2026-11-30T%s.000Z"' % t, line, count=1)
                          for line, t in zip(lines, at)])
        say([(t.get('time') or t['source']['time'])[11:19] for t in ticks] == list(at),
            'the clock goes %s: as it was' % name, ticks[0])
    for name, at in ELAPSED.items():
        replayed(path, 'elapsed time goes ' + name,
                 [re.sub(r'"elapsed_ns":\d+', '"elapsed_ns":%d' % t, line, count=1) for line, t in zip(lines, at)])
    for name, at in COUNTS.items():
        made = []
        for line, n in zip(lines, at):
            doc = json.loads(line)
            for key in ('pgfault', 'thp_fault_alloc', 'thp_split_page'):
                (doc['system']['vmstat'] if 'system' in doc else doc['vmstat'])[key] = n
            made.append(json.dumps(doc, separators=(',', ':')) + '\n')
        replayed(path, 'counters go ' + name, made)


# ---- watching ----

def watching(tmp):
    """Under a running watch the counters of the host fall, as they do when a machine is restored."""
    root = tree(tmp, 'live', 1000)
    p = subprocess.Popen([HUGECOV, 'watch', '--batch', '--format', 'json', '-i',
                          '50ms', '--iterations', '12', '--root', root, '7'],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)

    def move():
        for n in (2000, 1500, 3, 2 ** 64 - 1, 0, 17):
            time.sleep(0.09)
            with open(os.path.join(root, 'vmstat.new'), 'w') as f:
                f.write(vmstat(n))
            os.rename(os.path.join(root, 'vmstat.new'), os.path.join(root, 'proc/vmstat'))

    mover = threading.Thread(target=move)
    mover.start()
    out, err = p.communicate(timeout=60)
    mover.join()
    ticks = [json.loads(line) for line in out.splitlines()]
    seen = [(t['system']['vmstat'] if 'system' in t else t.get('vmstat') or {}).get('pgfault') for t in ticks]
    seen = [n for n in seen if n is not None]  # some looks read it anew
    say(p.returncode == 0 and not err and len(ticks) == 12 and any(b < a for a, b in zip(seen, seen[1:])),
        'counters fall while it watches', (seen, err))
    text = run('watch', '--batch', '-i', '50ms', '--iterations', '2', '--root', root, '7')
    say(text.returncode == 0 and '-1' not in text.stdout, 'as text', text)


def main():
    for part in (between_snapshots, recordings, watching):
        with tempfile.TemporaryDirectory(prefix='hugecov-clocks.') as tmp:
            part(tmp)


main()
sys.exit(failed())
