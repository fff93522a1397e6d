#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hugecov watch on a terminal, in tmux: start, keys, resize, quit; signals, and the terminal sane behind them."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from mini_schema import validate
from screens import Screen, have_tmux
from tap import failed, say, skip

HUGECOV, TOP, BUILD = os.environ['HUGECOV'], os.environ['TOP'], os.environ['BUILD']
FIX = os.path.join(TOP, 'tests/fixtures/kernel-6.18')


def tree(folder, smaps='16-loss-after.smaps'):
    """A root whose process 7 is a fixture."""
    for d in ('proc/7', 'sys/kernel/mm/transparent_hugepage'):
        os.makedirs(os.path.join(folder, d))
    for name, text in (('sys/kernel/mm/transparent_hugepage/enabled', 'always [madvise] never\n'),
                       ('proc/7/stat', '7 (demo) S ' + '0 ' * 18 + '5000 0\n')):
        open(os.path.join(folder, name), 'w').write(text)
    shutil.copy(os.path.join(FIX, smaps), os.path.join(folder, 'proc/7/smaps'))
    shutil.copy(os.path.join(FIX, '16-loss-after.vmstat'), os.path.join(folder, 'proc/vmstat'))
    return folder


def pid_of(text):
    found = re.search(r'PID=(\d+)', text or '')
    return int(found.group(1)) if found else None


def start(s, command):
    """Runs it in the shell; stty before is kept there."""
    s.type('clear; before=$(stty -g); ' + command)


def sane(s):
    """The shell is back, on its own screen, and its modes are what they were."""
    s.type('[ "$(stty -g)" = "$before" ] && echo sa""ne || echo chan""ged')
    text = s.wait(lambda t: 'sane' in t or 'changed' in t)
    return text is not None and 'sane' in text


def colored(s):
    return re.search(r'\x1b\[(\d+;)*[39][0-7](;\d+)*m', s.text(True))


def keys_and_quit(folder):
    s = Screen()
    start(s, '%s watch -i 100ms --root %s 7; echo status=$?' % (HUGECOV, folder))
    text = s.wait('q quit')
    say(text and 'demo (7)   THP madvise' in text and '8.0 of 15.0 MiB huge' in text and '[Mappings]' in text,
        'the screen', text or s.text())
    say(text and '█' in text, 'blocks in a UTF-8 locale', text)
    say('\x1b[32m' in s.text(True), 'in colour', s.text(True))
    s.keys('j')
    say(s.wait('\n>7f30b4a00000'), 'j', s.text())
    s.keys('Up')
    say(s.wait('\n>7f30b4e03000'), 'an arrow', s.text())
    s.keys('Enter')
    say(s.wait('Esc back'), 'Enter', s.text())
    s.keys('Escape')
    say(s.wait('[Mappings]'), 'Esc', s.text())
    s.keys('Tab')
    say(s.wait('[Findings 3]'), 'Tab', s.text())
    s.keys('BTab')
    say(s.wait('[Mappings]'), 'Shift-Tab', s.text())
    s.keys('F1')
    say(s.wait('this page'.replace('this page', 'next row')), 'F1', s.text())
    s.keys('q')
    say(s.wait('status=0'), 'q: status 0', s.text())
    say(sane(s), 'the terminal is as it was', s.text())

    start(s, '%s watch -i 100ms --root %s 7; echo status=$?' % (HUGECOV, folder))
    s.wait('q quit')
    s.keys('p')
    say(s.wait('PAUSED'), 'pause', s.text())
    s.keys('/')
    s.tmux('send-keys', '-l', 'b4a0')
    say(s.wait('find: b4a0_'), 'a word is typed', s.text())
    s.keys('Enter')
    say(s.wait('\n>7f30b4a00000'), 'and found, while paused', s.text())
    s.keys('f')
    s.tmux('send-keys', '-l', '(')
    s.keys('Enter')
    say(s.wait('Not a pattern'), 'a bad pattern is said', s.text())
    s.keys('p')
    say(s.wait(lambda t: 'PAUSED' not in t), 'on again', s.text())
    s.keys('C-c')
    s.wait('shell>')
    s.type('echo status=$?')
    say(s.wait('status=130'), 'Ctrl-C ends it by the signal', s.text())
    say(sane(s), 'and the terminal is as it was', s.text())
    s.close()


def sizes(folder):
    s = Screen()
    start(s, '%s watch -i 100ms --root %s 7; echo status=$?' % (HUGECOV, folder))
    s.wait('q quit')
    s.resize(120, 40)
    say(s.wait(lambda t: len(t.splitlines()[0]) > 100 and 'name' in t), 'a larger screen', s.text())
    s.resize(50, 12)
    say(s.wait(lambda t: len(t.rstrip('\n').splitlines()) <= 12 and t.count('demo (7)') == 1
               and 'coverage 57.1 %' in t), 'a smaller one', s.text())
    s.resize(30, 8)
    say(s.wait('hugecov needs 40x10, this is 30x8'.replace(' 30x8', '')[:20]), 'too small: what it needs', s.text())
    s.resize(80, 24)
    say(s.wait(lambda t: '8.0 of 15.0 MiB huge' in t and 'q quit' in t), 'and back', s.text())
    s.keys('q')
    say(s.wait('status=0') and sane(s), 'quit after resizing', s.text())
    s.close()


def signals(folder):
    for sig, status in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        s = Screen()
        start(s, 'bash -c \'echo PID=$$; sleep 1; exec %s watch -i 100ms --root %s 7\'; echo status=$?'
              % (HUGECOV, folder))
        pid = pid_of(s.wait(lambda t: pid_of(t)))
        s.wait('q quit')
        os.kill(pid, sig)
        say(s.wait('status=%d' % status), '%s: the shell sees it' % sig.name, s.text())
        say(sane(s), '%s: the terminal is as it was' % sig.name, s.text())
        s.close()

    s = Screen()
    start(s, 'set -m; %s watch -i 100ms --root %s 7; echo status=$?' % (HUGECOV, folder))
    s.wait('q quit')
    s.keys('C-z')
    say(s.wait('Stopped'), 'Ctrl-Z stops it', s.text())
    say(sane(s), 'stopped: the terminal is as it was', s.text())
    s.resize(90, 30)
    s.type('clear; fg; echo behind=$?')
    say(s.wait(lambda t: 'q quit' in t and '8.0 of 15.0 MiB' in t), 'fg brings it back, drawn anew', s.text())
    s.keys('q')
    say(s.wait('behind=0') and sane(s), 'quit after that', s.text())
    s.close()

    s = Screen()
    start(s, 'bash -c \'echo PID=$$; sleep 1; exec %s watch -i 100ms --root %s 7\'' % (HUGECOV, folder))
    pid = pid_of(s.wait(lambda t: pid_of(t)))
    s.wait('q quit')
    s.close()
    for _ in range(400):
        if not os.path.exists('/proc/%d' % pid) or open('/proc/%d/stat' % pid).read().split()[2] == 'Z':
            break
        time.sleep(0.05)
    else:
        os.kill(pid, signal.SIGKILL)
        pid = None
    say(pid is not None, 'the terminal goes away: so does it')


def looks(folder):
    s = Screen(NO_COLOR='1')
    start(s, '%s watch -i 100ms --root %s 7' % (HUGECOV, folder))
    s.wait('q quit')
    say(not colored(s), 'NO_COLOR: none', s.text(True))
    s.keys('q')
    s.close()
    s = Screen()
    start(s, 'LC_ALL=C TERM=vt100 %s watch -i 100ms --root %s 7' % (HUGECOV, folder))
    text = s.wait('q quit')
    say(text and text.isascii() and not colored(s), 'vt100 in the C locale: ASCII, no colour', text)
    s.keys('q')
    s.close()


def ended(folder):
    s = Screen(cols=100)
    rec = os.path.join(folder, 'run.ndjson')
    start(s, 'cd %s; %s watch -i 100ms --record run.ndjson --root %s 7; echo status=$?' % (folder, HUGECOV, folder))
    say(s.wait('rec 0.'), 'the size of the recording is shown', s.text())
    s.wait(lambda t: re.search(r'coverage, (0\.[5-9]|[1-9])', t)) # a few ticks
    s.keys('s')
    say(s.wait('Saved: hugecov report hugecov-7-'), 's saves', s.text())
    os.rename(os.path.join(folder, 'proc/7/stat'), os.path.join(folder, 'stat'))
    say(s.wait('Process 7 (demo) has ended: this is its last state'), 'the target ends: said', s.text())
    text = s.text()
    say('ENDED' in text and '8.0 of 15.0 MiB huge' in text, 'the last state stays', text)
    s.keys('Tab')
    say(s.wait('[Findings 3]'), 'and can be walked through', s.text())
    s.keys('q')
    say(s.wait('status=3'), 'status 3', s.text())
    say('process 7 (demo) has ended' in s.text() and sane(s), 'said again behind the screen, terminal as it was',
        s.text())
    saved = [d for d in os.listdir(folder) if d.startswith('hugecov-7-')]
    p = subprocess.run([HUGECOV, 'report', '--format', 'json', '--vmas', 'none', os.path.join(folder, saved[0])]
                       if saved else ['false'], capture_output=True, text=True)
    say(len(saved) == 1 and p.returncode == 0 and '"huge_kb":8192' in p.stdout,
        'what was saved is read by report', (saved, p.stdout[:300], p.stderr))
    manifest = json.load(open(os.path.join(folder, saved[0], 'manifest.json')))
    schema = json.load(open(os.path.join(TOP, 'schemas/hugecov.snapshot-1.json')))
    say(not list(validate(manifest, schema)), 'its manifest fits the schema', list(validate(manifest, schema)))
    return rec


PATTERN = """
import mmap, sys
m = mmap.mmap(-1, 17 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(mmap.MADV_HUGEPAGE)
for at in (1, 9, 13):
    m[at << 20:at + 1 << 20] = b'x' * (1 << 20)
print('ready', flush=True)
sys.stdin.read()
"""


def slots_of_the_ended():
    """What the page tables said of it is there as long as its last state is, wherever one has walked meanwhile."""
    target = subprocess.Popen([sys.executable, '-c', PATTERN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    target.stdout.readline()
    s = Screen()
    start(s, '%s watch -i 100ms --match "^.anon.$" --min-size 16MiB %d; echo status=$?' % (HUGECOV, target.pid))
    row = lambda t: [line for line in t.splitlines() if ' hg ' in line and line[:1] == '>']
    live = s.wait(lambda t: row(t) and 'slots' in t) or s.text()
    if 'estimated' in live or not row(live):
        skip('slots of an ended process', 'the kernel does not tell them')
    else:
        s.keys('Enter')
        wide = s.wait('Esc back') or s.text()
        s.keys('Escape')
        s.wait('[Mappings]')
        target.kill() # at once: an interpreter that ends unmaps piece by piece, and is watched doing so
        s.wait(': this is its last state')
        for word in ('[Findings', '[Counters]', '[Mappings]'):
            s.keys('Tab')
            s.wait(word)
        text = s.text()
        say(row(text) == row(live) and 'estimated' not in text and 'ENDED' in text,
            'its slots and figures stay, as they were', (live, text))
        s.keys('Enter')
        text = s.wait(lambda t: '[Mappings]' not in t) or s.text()
        strip = lambda t: [line for line in t.splitlines() if re.fullmatch(r' *[<.#+>-]{8,}', line)]
        say(strip(text) == strip(wide) and 'estimated' not in text, 'on the page of one, too', (wide, text))
        s.keys('q')
    s.close()
    target.kill()
    target.wait()
    target.stdout.close()


def replayed(rec):
    n = open(rec).read().count('\n')
    s = Screen(cols=100)
    start(s, '%s watch %s; echo status=$?' % (HUGECOV, rec))
    s.keys('-', '-', '-', '-')
    say(s.wait(lambda t: re.search(r'replay, tick \d+ of %d, speed 1/16' % n, t)), 'a replay, slowly', s.text())
    s.keys('p')
    say(s.wait('PAUSED'), 'paused', s.text())
    s.keys('g')
    s.tmux('send-keys', '-l', '0%')
    s.keys('Enter')
    say(s.wait('tick 1 of'), 'a jump to the start', s.text())
    s.keys('Right')
    say(s.wait('tick 2 of'), 'a step on', s.text())
    s.keys('Left')
    say(s.wait('tick 1 of'), 'a step back', s.text())
    s.keys('+')
    say(s.wait('speed 1/8'), 'speed', s.text())
    s.keys('g')
    s.tmux('send-keys', '-l', '100%')
    s.keys('Enter')
    say(s.wait('tick %d of %d' % (n, n)), 'a jump to the end', s.text())
    s.keys('q')
    say(s.wait('status=0') and sane(s), 'quit: status 0', s.text())
    s.close()


def from_a_stranger(folder, rec):
    """A recording may hold any name and time: what is saved of it lies in the snapshot and says what was shown."""
    doc = json.loads(open(rec).readline())
    doc['system']['thp']['../../../../../outside/a'] = 'x'
    doc['system']['thp_sizes'] = [{'kb': 4, 'enabled': None, 'shmem_enabled': None,
                                   'stats': {'../' * 7 + 'outside/b': '1', 'nr_anon': '2'}}]
    doc['process'].update(comm='a\\n\nTHP_enabled:\t0', thp_disabled=False, cgroup='/a\n0::/b')
    os.mkdir(folder)
    with open(os.path.join(folder, 'odd.ndjson'), 'w') as f:
        for second in (58, 59):
            doc['source']['time'] = '2261-12-31T23:59:%dZ' % second
            f.write(json.dumps(doc) + '\n')
    s = Screen(cols=100)
    start(s, 'cd %s; %s watch odd.ndjson; echo status=$?' % (folder, HUGECOV))
    s.wait('q quit')
    s.keys('p')
    s.wait('PAUSED')
    for jump, tick in (('-1000000h', 1), ('+1000000h', 2), ('0%', 1)):
        s.keys('g')
        s.tmux('send-keys', '-l', jump)
        s.keys('Enter')
        say(s.wait('tick %d of 2' % tick), 'a jump by %s' % jump, s.text())
    s.keys('s')
    say(s.wait('Saved: hugecov report hugecov-7-'), 'an odd recording is saved', s.text())
    s.keys('q')
    s.wait('status=')
    s.close()
    here = sorted(os.listdir(folder))
    say(len(here) == 2 and here[0].startswith('hugecov-7-'), 'and nothing beside the snapshot', here)
    p = subprocess.run([HUGECOV, 'report', '--format', 'json', os.path.join(folder, here[0])],
                       capture_output=True, text=True)
    process = json.loads(p.stdout)['process'] if p.returncode == 0 else {}
    say([process.get(n) for n in ('comm', 'thp_disabled', 'cgroup')] == [doc['process']['comm'], False, None],
        'and what it calls itself is no other line', (process, p.stderr))


def main():
    if not have_tmux():
        skip('the screen', 'there is no tmux')
        return 0
    folder = tempfile.mkdtemp(prefix='hugecov-test-')
    try:
        root = tree(os.path.join(folder, 'root'))
        keys_and_quit(root)
        sizes(root)
        signals(root)
        looks(root)
        rec = ended(tree(os.path.join(folder, 'ends')))
        replayed(rec)
        from_a_stranger(os.path.join(folder, 'stranger'), rec)
        slots_of_the_ended()
    finally:
        shutil.rmtree(folder)
    return failed()


if __name__ == '__main__':
    sys.exit(main())
