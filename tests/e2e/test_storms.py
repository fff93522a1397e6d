#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Targets that map, protect, fork, exec and end as fast as they can: no crash, and no total that breaks its own rules
without saying that it is torn or not complete.

HARD=1 looks 200 times where the short form looks six times.
"""
import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile

from tap import failed, say

HUGECOV, BUILD = os.environ['HUGECOV'], os.environ['BUILD']
HELPER = os.path.join(BUILD, 'tests/helpers/moments')
LOOKS = 200 if os.environ.get('HARD') else 6
LOSSES = ('subslot_kb', 'policy_loss_kb', 'alignment_loss_kb', 'delivery_loss_kb')
PARTS = (*LOSSES, 'huge_kb')
SLOW = 'asan' in BUILD or 'faults' in BUILD


def run(*args):
    return subprocess.run([HUGECOV, *map(str, args)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120)


@contextlib.contextmanager
def target(*words):
    p = subprocess.Popen([HELPER, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield int(p.stdout.readline().split()[1])
    finally:
        p.kill()
        p.wait()
        p.stdin.close()
        p.stdout.close()


# ---- what holds ----

def unsound_falls(falls):
    for name, w in falls.items():
        if w['rss_kb'] is not None and (sum(w[k] for k in PARTS) != w['rss_kb'] or min(w[k] for k in PARTS) < 0):
            return 'the waterfall of %s' % name
    return None


def unsound(doc):
    """What does not hold in a report, or None."""
    why = unsound_falls(doc['totals']['waterfall'])
    if why or doc['source']['notes'].get('torn') or not doc['source']['complete']:
        return why
    end = 0
    for v in doc['vmas']:
        start, end_here = int(v['start'], 16), int(v['end'], 16)
        if start < end or end_here <= start:
            return 'the mapping at %s' % v['start']
        if not (v['thp']['huge_kb'] or 0) <= v['smaps']['Rss'] <= v['smaps']['Size']:
            return 'the values of the mapping at %s' % v['start']
        end = end_here
    sizes = sum((int(v['end'], 16) - int(v['start'], 16)) // 1024 for v in doc['vmas'])
    if (doc['totals']['vmas'], doc['totals']['size_kb'],
        doc['totals']['rss_kb']) != (len(doc['vmas']), sizes,
                                     sum(v['smaps']['Rss'] for v in doc['vmas'])) and doc['vmas']:
        return 'the totals'
    return None


def too_little(complete, kb, least):
    """What was touched before it said "ready" is in every document that calls itself complete; a zombie has nothing."""
    return 'the end of it is missing: %s kB' % kb if complete and 0 < (kb or 0) < least else None


def unsound_diff(doc):
    for name, w in doc['waterfall'].items():
        if any(w[k]['delta'] is None for k in w if k.endswith('_kb')):
            continue
        if w['huge_kb']['delta'] != w['rss_kb']['delta'] - sum(w[k]['delta'] for k in LOSSES):
            return 'the waterfall of %s' % name
    return None


def unsound_check(doc):
    values = {r['require'].split()[0]: r['value'] for r in doc['rules']}
    if all(v is not None for v in values.values()) and sum(values[k] for k in PARTS) != values['rss_kb']:
        return 'the rules: %s' % values
    return None


# ---- one look of each command: (what it came to, what was wrong) ----

def told(p):
    """Status 2 and one error line; further lines may show the place and what to try."""
    lines = [line for line in p.stderr.split('\n') if line.startswith('hugecov: ')]
    return p.returncode == 2 and len(lines) == 1 and p.stderr.startswith('hugecov: ')


def look_report(pid, i, tmp, least=0):
    p = run('report', '--format', 'json', *['--allow-partial'] * (i % 2), pid)
    if told(p):
        return 'told', None
    if p.returncode or p.stderr:
        return 'wrong', (p.returncode, p.stderr)
    doc = json.loads(p.stdout)
    return 'whole' if doc['source']['complete'] else 'partial', unsound(doc) or too_little(doc['source']['complete'], doc['totals']['waterfall']['anon']['rss_kb'], least)


def look_diff(pid, i, tmp, least=0):
    p = run('diff', '--format', 'json', '--allow-partial', pid, pid)
    if told(p):
        return 'told', None
    if p.returncode or p.stderr:
        return 'wrong', (p.returncode, p.stderr)
    doc = json.loads(p.stdout)
    complete = doc['before']['source']['complete'] and doc['after']['source']['complete']
    return 'whole' if complete else 'partial', unsound_diff(doc) or too_little(complete, doc['waterfall']['anon']['rss_kb']['after'], least)


def look_check(pid, i, tmp, least=0):
    rules = [w for k in ('rss_kb', *PARTS) for w in ('--require', k + ' >= 0')]
    p = run('check', '--format', 'json', *rules, pid)
    doc = json.loads(p.stdout)
    if p.returncode == 2 and (told(p) or not p.stderr) and doc['verdict'] == 'could-not':
        return 'told', None
    return ('wrong',
            (p.returncode,
             p.stderr)) if p.returncode or p.stderr else ('whole', unsound_check(doc)
                                                          or too_little(True, doc['rules'][0]['value'], least))


def look_watch(pid, i, tmp, least=0):
    p = run('watch', '--batch', '--format', 'json', '-i', '50ms', '--iterations', '3', '--max-cpu', '100', pid)
    if p.returncode not in (0, 3) and not told(p):
        return 'wrong', (p.returncode, p.stderr)
    for line in p.stdout.splitlines():
        doc = json.loads(line)
        why = unsound(doc) if doc['schema'] == 'hugecov.report/1' else unsound_falls(doc['totals']['waterfall'])
        if why:
            return 'wrong', (why, line[:500])
    return 'whole' if p.returncode == 0 else 'told', None if p.returncode == 0 or 'ended' in p.stderr or told(p) else 'it does not say why it ends'


def look_snap(pid, i, tmp, least=0):
    path = os.path.join(tmp, 'snap%d%s' % (i, '' if i % 2 else '.tar.gz'))
    p = run('snap', *['--allow-partial'] * (i % 2), '-o', path, pid)
    if told(p):
        return 'told', 'something is left behind' if os.path.lexists(path) else None
    if p.returncode or p.stderr:
        return 'wrong', (p.returncode, p.stderr)
    p = run('report', '--format', 'json', path)
    if p.returncode:
        return 'wrong', (p.returncode, p.stderr)
    doc = json.loads(p.stdout)
    return 'whole' if doc['source']['complete'] else 'partial', unsound(doc) or too_little(doc['source']['complete'], doc['totals']['waterfall']['anon']['rss_kb'], least)


COMMANDS = {'report': look_report, 'diff': look_diff, 'check': look_check, 'watch': look_watch, 'snap': look_snap}


def result(name, ends):
    counts = {}
    for end, why in ends:
        counts[end] = counts.get(end, 0) + 1
    wrong = [why for end, why in ends if why]
    say(not wrong and not counts.get('wrong') and (counts.get('whole') or counts.get('partial')),
        '%s: %s' % (name, counts), wrong[:3] or counts)


def storms(what):
    with tempfile.TemporaryDirectory(prefix='hugecov-storms.') as tmp, target(what) as pid, concurrent.futures.ThreadPoolExecutor(3) as pool:
        jobs = {name: [pool.submit(look, pid, i, tmp) for i in range(LOOKS)] for name, look in COMMANDS.items()}
        for name, list_of in jobs.items():
            result('%d looks of %s at a process in a %s' % (LOOKS, name, what), [j.result() for j in list_of])


def brief(name, look):
    """At one that ends meanwhile: at each time of its life."""
    def one(i):
        with tempfile.TemporaryDirectory(prefix='hugecov-storms.') as tmp, target('brief', i * 1789 % 12000 * (4 if SLOW else 1)) as pid:
            return look(pid, i, tmp, 16384)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        ends = list(pool.map(one, range(LOOKS)))
    counts = {end: [e for e, _ in ends].count(end) for end, _ in ends}
    wrong = [why for end, why in ends if why]
    say(not wrong and not counts.get('wrong') and len(ends) == LOOKS,
        '%d looks of %s at processes that end meanwhile: %s' % (LOOKS, name, counts), wrong[:3])


def in_the_middle(how):
    """It ends, or becomes another program, while half of its mappings have been read: that is told, and is not half a report."""
    for _ in range(20):
        p = subprocess.Popen([HELPER, 'many', '30000'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        pid = int(p.stdout.readline().split()[1])
        r = subprocess.Popen([HUGECOV, 'report', '--format', 'json', str(pid)],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        path, half = '/proc/%d/smaps' % pid, False
        while not half and r.poll() is None:
            with contextlib.suppress(OSError):
                half = any(os.readlink('/proc/%d/fd/%s' % (r.pid, fd)) == path
                           for fd in os.listdir('/proc/%d/fd' % r.pid))
        os.kill(r.pid, signal.SIGSTOP)
        with contextlib.suppress(OSError):
            half = any(os.readlink('/proc/%d/fd/%s' % (r.pid, fd)) == path for fd in os.listdir('/proc/%d/fd' % r.pid))
        if how == 'exec':
            p.stdin.write('x')
            p.stdin.flush()
            p.stdout.readline()
        else:
            p.kill()
            if how == 'end':
                p.wait()
            else:
                while open('/proc/%d/stat' % pid).read().rsplit(')', 1)[1].split()[0] != 'Z':
                    pass
        os.kill(r.pid, signal.SIGCONT)
        out, err = r.communicate()
        p.kill()
        p.wait()
        p.stdin.close()
        p.stdout.close()
        if half:
            return say(r.returncode == 2 and not out and 'ended while it was read' in err
                       or r.returncode == 0 and json.loads(out)['totals']['vmas'] >= 30000,
                       'in the middle of a read: %s' % how, (r.returncode, err, out[-300:]))
    say(False, 'in the middle of a read: %s' % how, 'the middle was never met')


def the_judge_judges():
    """Totals that are wrong are seen to be."""
    fall = dict.fromkeys(PARTS, 0) | {'rss_kb': 8, 'subslot_kb': 8}
    v = dict(start='0x1000', end='0x3000', smaps={'Rss': 8, 'Size': 8}, thp={'huge_kb': 0})
    good = dict(source=dict(notes={}, complete=True),
                totals=dict(vmas=1, size_kb=8, rss_kb=8, waterfall={'anon': fall}), vmas=[v])
    bad = [dict(good, totals=dict(good['totals'], waterfall={'anon': fall | {'huge_kb': 4}})),
           dict(good, totals=dict(good['totals'], rss_kb=4)), dict(good, vmas=[v, v]),
           dict(good, vmas=[v | {'smaps': {'Rss': 12, 'Size': 8}}]),
           dict(good, totals=dict(good['totals'], waterfall={'anon': fall | {'huge_kb': -4, 'subslot_kb': 12}}))]
    say(unsound(good) is None and all(unsound(b) for b in bad), 'what breaks a rule is seen', [unsound(b) for b in bad])


def main():
    the_judge_judges()
    for how in ('end', 'zombie', 'exec'):
        in_the_middle(how)
    for what in ('storm', 'exec'):
        storms(what)
    for name, look in COMMANDS.items():
        brief(name, look)


main()
sys.exit(failed())
