#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""diff as JSON over all pairs: it fits the schema, adds up, is empty against itself; sources, options, refusals."""
import json
import os
import subprocess
import tempfile

import diff_pairs
from mini_schema import validate
from tap import say as ok

TOP, TOOL = os.environ['TOP'], os.environ['HUGECOV']
SCHEMA = json.load(open(os.path.join(TOP, 'schemas/hugecov.diff-1.json')))
LOSSES = ('subslot_kb', 'policy_loss_kb', 'alignment_loss_kb', 'delivery_loss_kb')
FIXTURES = os.path.join(TOP, 'tests/fixtures')


def run(folder, *args, **kw):
    return subprocess.run([TOOL, *args], cwd=folder, capture_output=True, **kw)


def diff(folder, *args, **kw):
    p = run(folder, 'diff', '--format', 'json', *args, **kw)
    return json.loads(p.stdout) if p.returncode in (0, 1) and p.stdout else {'failed': p.stderr.decode()}


def adds_up(doc):
    rows = doc['vmas'] or []
    for r in rows:
        d = r['delta']
        if d['rss_kb'] is not None and d['huge_kb'] != d['rss_kb'] - sum(d[k] for k in LOSSES):
            return 'row %s' % r
    if doc['thp_loss_kb'] is not None and doc['thp_loss_kb'] != sum(r['thp_loss_kb'] or 0 for r in rows):
        return 'losses of rows'
    if doc['waterfall'] and doc['thp_loss_kb'] is not None:
        for key, both in doc['waterfall']['all'].items():
            if key.endswith('_kb') and both['delta'] != sum(r['delta'][key] or 0 for r in rows if r['match'] != 'pool'):
                return key
    return None


def every_pair(folder, pairs):
    for name, pair in pairs.items():
        doc = diff(folder, *pair)
        if 'failed' in doc:
            ok(False, name, doc['failed'])
            continue
        faults = list(validate(doc, SCHEMA))
        ok(not faults and not adds_up(doc), name, faults[:5] or adds_up(doc))
        for side in pair:
            same = diff(folder, side, side)
            changed = [r for r in same['vmas'] or [] if r['changed'] or r['match'] != 'same']
            moved = [c for c in same['counters'] if c['delta'] or c['note']]
            ok(not changed and not moved and not same['findings'] and same['thp_loss_kb'] in (0, None) and
               same['verdict'] in ('no-loss', None), '%s against itself' % side, (changed, moved, same['findings']))


def causes(folder, pairs):
    for name, cause, kb in (('cut', 'split', 2048), ('advice-lost', 'advice', 16384), ('swapped', 'swapped', 8192),
                            ('freed-in-part', 'freed-in-part', 16352), ('forked', 'delivery', 2048),
                            ('tmpfs', 'delivery', 8192)):
        doc = diff(folder, *pairs[name])
        loss = [f for f in doc['findings'] if f['id'] == 'thp-loss']
        ok(len(loss) == 1 and loss[0]['evidence']['cause'] == cause and loss[0]['lost_kb'] == kb
           and doc['verdict'] == 'loss',
           '%s is named %s' % (name, cause), loss)
    ok('fork' in diff(folder, *pairs['forked'])['findings'][0]['evidence']['signs'], 'shared now: a sign of fork')
    for name, cause, ids in (('setting-changed', 'policy', ['setting-changed', 'setting-changed', 'thp-loss']),
                             ('prctl', 'policy', ['setting-changed', 'thp-loss']),
                             ('fallback', None, ['fallback']), ('other-boot', None, [])):
        doc = diff(folder, *pairs[name])
        found = sorted(f['id'] for f in doc['findings'])
        ok(found == ids and all(f['evidence']['cause'] == cause for f in doc['findings'] if f['id'] == 'thp-loss'),
           'findings of ' + name, doc['findings'])
        ok(doc['matched'] == 'address' or name == 'other-boot', name + ' is one process')
    counters = {c['name']: c for c in diff(folder, *pairs['other-boot'])['counters']}
    ok(counters['vmstat.thp_fault_alloc']['note'] == 'other boot'
       and counters['vmstat.thp_fault_alloc']['delta'] is None and
       counters['vmstat.nr_free_pages']['delta'] == 0, 'counters of another boot have no difference', counters)
    ok(diff(folder, *pairs['pmd-size'])['unlike'] == ['pmd_kb'], 'unlike huge page sizes')
    ok(diff(folder, *pairs['setting-changed'])['unlike'] == ['policy'], 'unlike policies')
    for name, match in (('cut', 'split'), ('merged', 'merged'), ('unmapped', 'removed'), ('grown', 'resized')):
        rows = [r['match'] for r in diff(folder, *pairs[name], '--vmas', 'changed')['vmas'] if r['match'] != 'pool']
        ok(rows == [match], '%s is one row: %s' % (name, match), rows)


def statuses(folder, pairs):
    for name, want in (('cut', 1), ('freed', 0), ('grown', 0), ('malloc128', 0),
                       ('loss', 1), ('rollups', 2), ('meminfo', 2), ('nothing-known', 2)):
        p = run(folder, 'diff', '--exit-code', *pairs[name])
        ok(p.returncode == want and bool(p.stderr) == (want == 2), '--exit-code of %s is %d' % (name, want),
           (p.returncode, p.stderr))
        ok(run(folder, 'diff', *pairs[name]).returncode == 0, 'without it 0')
    p = run(folder, 'diff', '--exit-code', *pairs['pmd-size'])
    ok(p.returncode == 2 and b'pmd_kb' in p.stderr and p.stdout.startswith(b'UNLIKE: huge page size 2048 -> 1024 kB'),
       'unlike huge pages: not judged', p.stdout + p.stderr)
    p = run(folder, 'diff', '--exit-code', '--allow-unlike', *pairs['pmd-size'])
    ok(p.returncode in (0, 1), '--allow-unlike judges all the same', p.stderr)
    p = run(folder, 'diff', '--exit-code', '--pmd-size', '1MiB', *pairs['freed'])
    ok(p.returncode == 0, 'one --pmd-size is that of both', p.stderr)


def baselines(folder, pairs):
    before, after = pairs['loss']
    with open(os.path.join(folder, 'kept.json'), 'wb') as f:
        f.write(run(folder, 'report', '--format', 'json', before).stdout)
    direct, kept = diff(folder, before, after), diff(folder, 'kept.json', after)
    for key in ('matched', 'totals', 'waterfall', 'vmas', 'counters', 'findings', 'verdict', 'thp_loss_kb'):
        ok(direct[key] == kept[key], 'a kept report gives the same ' + key, (direct[key], kept[key]))
    with open(os.path.join(folder, 'kept.json'), 'rb') as f:
        text = f.read()
    ok(diff(folder, '-', after, input=text)['vmas'] == direct['vmas'], 'a report on standard input')
    for change, word in ((b'hugecov.report/2', b'newer'), (b'hugecov.set/1', b'hugecov')):
        p = run(folder, 'diff', '-', after, input=text.replace(b'hugecov.report/1', change, 1))
        ok(p.returncode == 2 and word in p.stderr and not p.stdout, 'a document of %s is refused' % change.decode(),
           p.stderr)
    more = json.loads(text)
    more['later'] = {'x': [1]}
    more['vmas'][0]['later'] = more['system']['later'] = 'x'
    ok(diff(folder, '-', after, input=json.dumps(more).encode())['vmas'] == direct['vmas'],
       'unknown members are passed over')
    for mode in ('none', 'findings'):
        p = run(folder, 'report', '--format', 'json', '--vmas', mode, before)
        p = run(folder, 'diff', '-', after, input=p.stdout)
        ok(p.returncode == 2 and b'without its mappings' in p.stderr, 'a report with --vmas %s cannot be a side' % mode,
           p.stderr)
    for path, fault in ((('vmas', 3, 'end'), '0x10'), (('vmas', 3, 'perms'), 'rw'), (('vmas', 3, 'start'), 12),
                        (('vmas', 3, 'smaps', 'Rss'), -1), (('vmas', 3, 'smaps', 'Rss'), 1 << 60),
                        (('vmas', 3, 'dev'), 'fe'),
                        (('vmas', 3, 'name_hex'), 'zz'), (('vmas', 4, 'start'), '0x1000'), (('vmas', 3), 7),
                        (('system', 'vmstat'), []), (('source', 'time'), 'yesterday'), (('process',), 'x')):
        broken = json.loads(text)
        at = broken
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = fault
        p = run(folder, 'diff', '-', after, input=json.dumps(broken, indent=1).encode())
        ok(p.returncode == 2 and b'standard input:' in p.stderr and b'^' in p.stderr and not p.stdout,
           'a fault in %s is shown with its place' % '.'.join(map(str, path)), p.stderr)
    p = run(folder, 'report', '--format', 'json', 'kept.json')
    again, once = json.loads(p.stdout), json.loads(text)
    ok(all(again[k] == once[k] for k in once if k != 'source'), 'a report of a report is the report', p.stderr)
    fixture = FIXTURES + '/kernel-6.18/01-aligned.smaps'
    p = run(folder, 'report', '--format', 'json', '--policy', 'never', '--pmd-size', '1MiB', fixture)
    doc = json.loads(run(folder, 'report', '--format', 'json', '-', input=p.stdout).stdout)
    ok(doc['system']['policy'] == 'never' and doc['system']['pmd_kb'] == 1024,
       '--policy and --pmd-size are kept with it', doc['system'])


def every_fixture_reads_back(folder):
    for sub in ('kernel-6.18', 'forms'):
        for name in sorted(os.listdir(os.path.join(FIXTURES, sub))):
            path = os.path.join(FIXTURES, sub, name)
            if not name.endswith(('.smaps', '.smaps_rollup', '.meminfo', '.vmstat')):
                continue
            p = run(folder, 'report', '--format', 'json', path)
            q = run(folder, 'report', '--format', 'json', '-', input=p.stdout)
            once, again = json.loads(p.stdout), json.loads(q.stdout or b'{}')
            ok(all(once[k] == again.get(k) for k in once if k not in ('source',)), name + ' reads back', q.stderr)


def refusals(folder, pairs):
    before = pairs['loss'][0]
    for args, word in (((), b'two sources'), ((before,), b'two sources'),
                       ((before, 'loss-after/vmstat'), b'cannot be compared'),
                       (('loss-before/meminfo', 'loss-after/vmstat'), b'nothing to compare'),
                       ((before, FIXTURES + '/ORIGIN'), b''), (('--before', before), b'--after'),
                       ((before, 'absent'), b'absent'),
                       (('--before', before, '--after', before, '--by', 'address', before), b'')):
        p = run(folder, 'diff', *args)
        ok(p.returncode == 2 and word in p.stderr and not p.stdout, 'refused: diff ' + ' '.join(args), p.stderr)
    for name, pid in (('many', '7'), ('many', '8')):
        os.makedirs(os.path.join(folder, name, 'proc', pid), exist_ok=True)
        with open(os.path.join(folder, before, 'smaps'),
                  'rb') as f, open(os.path.join(folder, name, 'proc', pid, 'smaps'), 'wb') as g:
            g.write(f.read())
    p = run(folder, 'diff', 'many', before)
    ok(p.returncode == 2 and b'--pid' in p.stderr, 'a snapshot of several processes asks which', p.stderr)
    ok(diff(folder, '--pid', '7', 'many', before).get('verdict') == 'no-loss', '--pid says which')


def options(folder, pairs):
    before, after = pairs['loss']
    doc = diff(folder, before, after)
    ok(diff(folder, '--before', before, '--after', after) == doc, '--before and --after are the same')
    ok(diff(folder, '--vmas', 'none', before, after)['vmas'] is None, '--vmas none')
    ok(all(r['changed'] for r in diff(folder, '--vmas', 'changed', before, after)['vmas']), '--vmas changed')
    ok(diff(folder, '--by', 'identity', before, after)['matched'] == 'identity', '--by identity')
    ok(diff(folder, '--by', 'address', *pairs['malloc128'])['vmas'][0]['match'] == 'moved', '--by address')
    only = diff(folder, '--class', 'file', before, after)
    ok(only['verdict'] == 'no-loss' and {r['class'] for r in only['vmas']} == {'file'}, '--class')
    only = diff(folder, '--match', r'^\[heap\]$', before, after)
    ok([r['name'] for r in only['vmas']] == ['[heap]'] and only['totals']['vmas']['before'] == 1, '--match', only)
    kb = [c for c in doc['counters'] if c['name'] == 'vmstat.nr_anon_transparent_hugepages'][0]
    ok(kb['delta'] == -3 and kb['delta_kb'] == -6144 and kb['before_kb'] == 2048 * kb['before'],
       'gauges of huge pages in kB too', kb)
    back = diff(folder, after, before)
    reset = [c for c in back['counters'] if c['name'] == 'vmstat.thp_split_pmd'][0]
    ok(reset['note'] == 'reset' and reset['delta'] is None, 'a counter that fell was reset', reset)
    gauge = [c for c in back['counters'] if c['name'] == 'meminfo.AnonHugePages'][0]
    ok(gauge['delta'] == 6144, 'a gauge may fall', gauge)
    p = subprocess.run(['bash', '-c', '"$0" diff <(cat %s/smaps) <(cat %s/smaps)' % (before, after), TOOL],
                       cwd=folder, capture_output=True)
    ok(p.returncode == 0 and p.stdout.startswith(b'/dev/fd/') and b'LOSS: 4 huge pages' in p.stdout, 'pipes', p.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        pairs = diff_pairs.write(folder)
        every_pair(folder, pairs)
        causes(folder, pairs)
        statuses(folder, pairs)
        baselines(folder, pairs)
        every_fixture_reads_back(folder)
        refusals(folder, pairs)
        options(folder, pairs)


main()
