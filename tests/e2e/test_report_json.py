#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every fixture as JSON: it fits the schema, and what it says of itself adds up."""
import glob
import json
import os
import subprocess
import tempfile

from mini_schema import validate
from tap import say as ok

TOP, TOOL = os.environ['TOP'], os.environ['HUGECOV']
SCHEMA = json.load(open(os.path.join(TOP, 'schemas/hugecov.report-1.json')))
LOSSES = ('subslot_kb', 'policy_loss_kb', 'alignment_loss_kb', 'delivery_loss_kb', 'huge_kb')


def run(*args, **kw):
    return subprocess.run([TOOL, *args], capture_output=True, **kw)


def adds_up(doc):
    for v in doc['vmas'] or []:
        t = v['thp']
        if t['rss_kb'] is not None and sum(t[k] for k in LOSSES) != t['rss_kb']:
            return 'waterfall of %s' % v['start']
        if t['slots_fit'] + t['slots_lost'] != t['slots_ideal']:
            return 'slots of %s' % v['start']
    if not doc['totals'] or not doc['totals']['waterfall']:
        return None
    for name, fall in doc['totals']['waterfall'].items():
        if fall['rss_kb'] is None:
            continue
        if sum(fall[k] for k in LOSSES) != fall['rss_kb']:
            return 'waterfall of ' + name
        of_vmas = sum(v['thp']['rss_kb'] or 0 for v in doc['vmas'] if name in (v['class'], 'all')
                      and v['class'] in ('anon', 'shmem', 'file'))
        if doc['vmas'] and of_vmas != fall['rss_kb']:
            return 'mappings of %s: %d, not %d' % (name, of_vmas, fall['rss_kb'])
    return None


def check(path):
    p = run('report', '--format', 'json', path)
    name = os.path.relpath(path, TOP) if os.path.isabs(path) else path
    if p.returncode:
        return ok(False, name, p.stderr.decode())
    doc = json.loads(p.stdout.decode('utf-8'))
    faults = list(validate(doc, SCHEMA))
    ok(not faults and not adds_up(doc) and p.stdout.endswith(b'\n'), name, faults[:5] or adds_up(doc))


def main():
    for path in sorted(glob.glob(TOP
                                 + '/tests/fixtures/kernel-6.18/*.smaps*') + glob.glob(TOP + '/tests/fixtures/forms/*') +
                       glob.glob(TOP
                                 + '/tests/fixtures/malloc128/*') + glob.glob(TOP + '/tests/fixtures/kernel-6.18/*.meminfo') +
                       glob.glob(TOP + '/tests/fixtures/kernel-6.18/*.vmstat')):
        check(path)
    check('self')
    fixture = TOP + '/tests/fixtures/kernel-6.18/08-odd-file-names.smaps'
    doc = json.loads(run('report', '--format', 'json', fixture).stdout)
    odd = [v for v in doc['vmas'] if v['name_hex']]
    ok(len(odd) == 1 and bytes.fromhex(odd[0]['name_hex']).endswith(b'\x01\x1b\xff') and '\ufffd' in odd[0]['name'],
       'bytes that are not UTF-8 are kept in name_hex', odd)
    with open(fixture, 'rb') as f:
        text = f.read()
    by_file = run('report', '--format', 'json', fixture).stdout
    for how, p in (('standard input', run('report', '--format', 'json', '-', input=text)),
                   ('a pipe', run('report', '--format', 'json', '/dev/stdin', input=text))):
        same = json.loads(p.stdout or b'null')
        ok(same and same['vmas'] == doc['vmas'] and same['totals'] == doc['totals'],
           how + ' gives what the file gives', p.stderr)
    ok(by_file == run('report', '--format', 'json', fixture).stdout, 'the same bytes every time')
    for mode, count in (('none', None), ('findings', len({f['start'] for f in doc['findings'] if f['start']}))):
        d = json.loads(run('report', '--format', 'json', '--vmas', mode, fixture).stdout)
        ok((d['vmas'] if count is None else len(d['vmas'])) == count, '--vmas ' + mode)
    # The second mapping lacks a field that the first has: no waterfall, but its length is as odd.
    lacking = (b'7f0000000000-7f0000001000 rw-p 00000000 00:00 0\nSize: 4 kB\nKernelPageSize: 4 kB\nRss: 4 kB\nAnonHugePages: 0 kB\n'
               b'7f0000200000-7f0000500000 rw-p 00000000 00:00 0\nSize: 3072 kB\nRss: 3072 kB\nTHPeligible: 1\n')
    found = json.loads(run('report', '--format', 'json', '-', input=lacking).stdout)['findings']
    ok([(f['id'], f['lost_kb']) for f in found] == [('odd-length', None)],
       'a finding whose cost is not known says null', found)
    p = run('report', '--format', 'json', TOP + '/tests/fixtures/ORIGIN')
    ok(p.returncode == 2 and not p.stdout and b'none of the files' in p.stderr,
       'another kind of file is refused in words', p.stderr)
    # A report that was changed by hand is refused where nothing of it can be meant, and what we write can be read back.
    report = run('report', '--format', 'json', '-', input=lacking).stdout
    for what, old, new in (('perms', b'"rw-p"', b'"\\u001b[2J"'),
                           ('a counter twice', b'"vmstat":null', b'"vmstat":{"a":1,"a":2}'),
                           ('a counter of any bytes', b'"vmstat":null', b'"vmstat":{"\xff":1}'),
                           ('a field of any bytes', b'"Rss":', b'"\xff":1,"Rss":')):
        p = run('report', '-', input=report.replace(old, new, 1))
        ok(old in report and p.returncode == 2 and not p.stdout, 'a report with %s is refused' % what,
           p.stdout + p.stderr)
    with tempfile.TemporaryDirectory() as tree:
        os.makedirs(tree + '/proc/7')
        for name, data in (('smaps', lacking), ('comm', b'a\0b\n')):
            with open(tree + '/proc/7/' + name, 'wb') as f:
                f.write(data)
        p = run('report', '--format', 'json', tree)
        again = run('report', '--format', 'json', '-', input=p.stdout)
        ok(json.loads(p.stdout)['process']['comm'] == 'a\ufffdb' and again.returncode == 0,
           'a NUL in a name does not make a report that cannot be read', again.stderr)
    both = text + open(TOP + '/tests/fixtures/kernel-6.18/01-aligned.smaps', 'rb').read()
    p = run('report', '--format', 'json', '-', input=both)
    ok(p.returncode == 2 and b':1001: addresses start again' in p.stderr and b'--split' in p.stderr,
       'two dumps in one input', p.stderr)
    loss = [open(TOP + '/tests/fixtures/kernel-6.18/16-loss-%s.smaps' % s, 'rb').read() for s in ('before', 'after')]
    alone = [run('report', '-', input=x).stdout for x in loss]
    for order in ((0, 1), (1, 0), (0, 0), (0, 1, 0)):
        p = run('report', '--split', '-', input=b''.join(loss[i] for i in order))
        ok(p.returncode == 0 and p.stdout.split() == b' '.join(alone[i] for i in order).split(),
           'dumps %s of one process, split' % (order,), p.stdout + p.stderr)
    p = run('report', '--split', '-', input=loss[0] + both)
    ok(p.returncode == 0 and p.stdout.count(b'standard input ') == 3, 'dumps of one process and of two others, split',
       p.stdout + p.stderr)
    p = run('report', '-', input=loss[0] + loss[1])
    ok(p.returncode == 0 and b'two dumps of one process' in p.stdout, 'two dumps of one process as one: said',
       p.stdout + p.stderr)
    for torn in ('15a-torn-duplicate', '15b-torn-backwards'):
        p = run('report', '--split', TOP + '/tests/fixtures/kernel-6.18/%s.smaps' % torn)
        ok(p.returncode == 0 and p.stdout.count(b' smaps') == 1 and b'two dumps' not in p.stdout,
           torn + ' is one dump', p.stdout + p.stderr)
    p = run('report', '-', input=loss[0].decode().encode('utf-16'))
    ok(p.returncode == 2 and b'UTF-16' in p.stderr and b'iconv' in p.stderr,
       'UTF-16: how to make it readable', p.stderr)
    p = run('report', '-', input=b'{"schema":"hugecov.report/1"}\n{"schema":"hugecov.tick/1"}\n')
    ok(p.returncode == 2 and b'recording' in p.stderr, 'a recording: who reads it', p.stderr)
    p = run('report', '--format', 'json', fixture, TOP + '/tests/fixtures/kernel-6.18/01-aligned.smaps')
    ok(p.returncode == 2 and b'hugecov diff' in p.stderr, 'two files with mappings are not one snapshot', p.stderr)
    system = [TOP + '/tests/fixtures/kernel-6.18/16-loss-before.' + k for k in ('vmstat', 'meminfo')]
    d = json.loads(run('report', '--format', 'json', system[0],
                       TOP + '/tests/fixtures/kernel-6.18/16-loss-before.smaps', system[1]).stdout)
    ok(d['totals']['anon_huge_kb'] == 16384 and d['system']['vmstat']['thp_split_pmd'] >= 0
       and d['system']['meminfo']['AnonHugePages'] == 147456,
       'system files beside a dump are one snapshot', d['system'])


main()
