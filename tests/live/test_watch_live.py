#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hugecov watch on a process that loses and regains huge pages on command: seen within one interval."""
import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import sys

from screens import Screen, have_tmux
from tap import failed, say, skip
from thp import policy

HUGECOV, BUILD = os.environ['HUGECOV'], os.environ['BUILD']
TOGGLE = os.path.join(BUILD, 'tests/helpers/toggle')
SANITIZED = 'asan' in HUGECOV or 'faults' in HUGECOV


class Target:
    def __init__(self):
        self.p = subprocess.Popen([TOGGLE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        _, self.pid, self.start = self.p.stdout.readline().split()

    def tell(self, word):
        self.p.stdin.write(word + '\n')
        self.p.stdin.flush()
        return self.p.stdout.readline().split()

    def end(self):
        if self.p.poll() is None:
            self.p.stdin.close()
            self.p.wait()


class Watch:
    def __init__(self, *args):
        self.vmas = {}  # a tick tells those that changed
        self.p = subprocess.Popen([HUGECOV, 'watch', *map(str, args)], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def tick(self):
        line = self.p.stdout.readline()
        tick = json.loads(line) if line else None
        if tick:
            self.vmas.update({int(v['start'], 16): v for v in tick['vmas']})
        return tick

    def after(self):
        """The second tick taken from now on: the first may have been under way already, and older ones wait in the pipe."""
        now = datetime.datetime.now(datetime.timezone.utc)
        while True:
            tick = self.tick()
            time = tick.get('time') or tick['source']['time']
            if datetime.datetime.fromisoformat(time.replace('Z', '+00:00')) >= now:
                return self.tick()

    def end(self, sig=None):
        if sig:
            self.p.send_signal(sig)
        out, err = self.p.communicate(timeout=60)
        return err, self.p.returncode


def huge(tick):
    return tick['totals']['waterfall']['anon']['huge_kb']


def possible():
    """Does this kernel give huge pages, and take them together again?"""
    if policy() in (None, 'never'):
        return 'this kernel has no THP, or it is off'
    t = Target()
    w = Watch('--format', 'json', '--iterations', 1, t.pid)
    first = w.tick()
    w.end()
    lost, gained = t.tell('lose'), t.tell('gain')
    t.end()
    if huge(first) < 16384:
        return 'no huge pages were to be had'
    return None if lost == ['done', 'lose'] and gained == ['done', 'gain'] else 'no MADV_COLLAPSE here'


def loses_and_regains():
    t = Target()
    w = Watch('--format', 'json', '-i', '200ms', '--max-cpu', '100', t.pid)
    before = huge(w.tick())
    say(before >= 16384, 'huge from the start', before)
    t.tell('lose')
    d = w.after()
    say(huge(d) == before - 16384, 'what it lost is seen within one interval', d['totals'])
    start = int(t.start, 16)
    say(w.vmas[start]['thp']['huge_kb'] == 0 and w.vmas[start]['thp']['delivery_loss_kb'] == 16384,
        'in the mapping that lost it', w.vmas[start])
    t.tell('gain')
    say(huge(w.after()) == before, 'and what it regained')
    t.tell('lose')
    t.tell('gain')
    t.tell('lose')
    say(huge(w.after()) == before - 16384, 'forth and back')
    t.tell('exec')
    ticks = [w.tick() for _ in range(3)]
    say(any(d['tick']['exec'] for d in ticks), 'an exec is told', [d['tick'] for d in ticks])
    t.end()
    err, status = w.end()
    say(status == 3 and 'has ended' in err, 'the end: status 3', (err, status))


def cheap_looks():
    """Under a tight --max-cpu the looks between see the same in the page tables as smaps does."""
    t = Target()
    t.tell('more')
    w = Watch('--format', 'json', '-i', '50ms', '--max-cpu', '0.6' if SANITIZED else '0.2', t.pid)
    ticks = [w.tick() for _ in range(40)]
    t.tell('lose')
    ticks += [w.tick() for _ in range(80)]
    w.end(signal.SIGTERM)
    t.end()
    looks = [d['tick']['look'] for d in ticks]
    scans = [d for d in ticks if d['tick']['look'] == 'scan']
    if not scans:
        skip('page tables between full looks', 'no PAGEMAP_SCAN here' if 'scan' not in looks else 'none was due')
    else:
        full = [d for d in ticks[:40] if d['tick']['look'] == 'full'][-1]['totals']['waterfall']['anon']
        near = [d['totals']['waterfall']['anon'] for d in scans if d in ticks[:40]]
        say(all(a['huge_kb'] == full['huge_kb'] and abs(a['rss_kb'] - full['rss_kb']) <= 64 for a in near),
            'page tables between full looks: the same', (full, near[:2]))
        say(any(a['totals']['waterfall']['anon']['huge_kb'] < full['huge_kb'] for a in scans), 'a loss is seen by them')
    say(looks.count('full') < 60 and looks.count('full') >= 2, 'full looks are rationed, and come', looks)
    say(ticks[-1]['tick']['full_every'] > 1, 'and it is said how often', ticks[-1]['tick'])


def slots_on_screen():
    if not have_tmux():
        skip('slots on screen', 'there is no tmux')
        return
    t = Target()
    s = Screen()
    s.type('clear; %s watch -i 100ms %s; echo status=$?' % (HUGECOV, t.pid))
    row = '>%s rw-p hg   16.0   16.0   16.0       8/8/8   0.0  ########' % t.start
    text = s.wait(row)
    if text is None and 'slots, estimated' in s.text():
        skip('slots on screen', 'no PAGEMAP_SCAN here')
    else:
        say(text, 'each slot is huge', s.text())
        t.tell('lose')
        say(s.wait(lambda x: re.search('>%s rw-p hg   16.0   16.0    0.0.      0/8/8  16.0  --------' % t.start, x)),
            'each slot is small', s.text())
        t.tell('gain')
        say(s.wait(lambda x: re.search('>%s rw-p hg   16.0   16.0   16.0.      8/8/8   0.0  ########' % t.start, x)),
            'and huge again', s.text())
    t.tell('quit')
    say(s.wait('has ended'), 'it ends: said', s.text())
    s.keys('q')
    say(s.wait('status=3'), 'status 3', s.text())
    s.close()
    t.end()


def writes_nothing():
    """Every file of the target is opened for reading only, and nobody is stopped or written to."""
    if SANITIZED or not shutil.which('strace'):
        skip('nothing is written to the target', 'needs strace, and a build without sanitizers')
        return
    t = Target()
    p = subprocess.run(['strace', '-f', '-e',
                        'trace=open,openat,openat2,ptrace,process_vm_writev,process_madvise,kill,tgkill,ioctl',
                        HUGECOV, 'watch', '--batch',
                        '-i', '50ms', '--max-cpu', '0.2', '--iterations', '20', t.pid],
                       capture_output=True, text=True, stdin=subprocess.DEVNULL)
    t.end()
    if 'ptrace' in p.stderr and 'Operation not permitted' in p.stderr:
        skip('nothing is written to the target', 'strace is not permitted')
        return
    opens = [l for l in p.stderr.splitlines() if 'proc/%s/' % t.pid in l]
    writing = [l for l in opens if 'O_WRONLY' in l or 'O_RDWR' in l or 'O_CREAT' in l]
    calls = [l for l in p.stderr.splitlines()
             if re.match(r'(\[pid +\d+\] )?(ptrace|process_vm_writev|process_madvise|kill|tgkill)\(', l)]
    say(p.returncode == 0 and len(opens) > 20 and not writing and not calls,
        'nothing is written to the target', writing[:3] + calls[:3] + [p.stderr[-300:]])


def main():
    why = possible()
    if why:
        skip('a process that loses and regains huge pages', why)
        return 0
    loses_and_regains()
    cheap_looks()
    slots_on_screen()
    writes_nothing()
    return failed()


if __name__ == '__main__':
    sys.exit(main())
