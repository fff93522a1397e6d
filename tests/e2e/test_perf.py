#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perf stat's output in every form: what hugecov report finds is what the tables beside the fixtures say, digit by digit."""
import csv
import glob
import html
import json
import os
import quopri
import re
import shutil
import subprocess
import tempfile
from decimal import Decimal

from mini_schema import validate
from tap import say as ok

TOP, TOOL = os.environ['TOP'], os.environ['HUGECOV']
FIXTURES = os.path.join(TOP, 'tests/fixtures/perf')
TARGETS = {'command': 'command', 'system wide': 'system', 'cpus': 'cpus', 'process id': 'pid', 'thread id': 'tid'}


def report(path):
    p = subprocess.run([TOOL, 'report', '--format', 'json', path], capture_output=True)
    if p.returncode or p.stderr:
        raise RuntimeError(p.stderr.decode())
    return json.loads(p.stdout.decode('utf-8'), parse_float=Decimal, parse_int=Decimal)


def table(path):
    with open(path, encoding='utf-8', errors='surrogateescape') as f:
        return list(csv.DictReader(f, delimiter='\t', quoting=csv.QUOTE_NONE))


def number(s):
    return Decimal(s) if s and s != 'nan' else None


def unit(s):
    return re.sub(' +', ' ', s) or None


def no_clock(row, name):
    """-j prints 0 GHz for cycles without a clock; that is no metric."""
    return name.endswith('jsonl') and row['metric_unit'] in ('GHz', 'Ghz') and Decimal(row['metric']) == 0


def has_metric(row, name):
    return bool(row['metric'] or row['metric_unit']) and not no_clock(row, name)


def metrics_of(rows, name):
    """For each counter its metrics, in order."""
    found = []
    for r in rows:
        if r['type'] == 'count':
            found.append([])
        if found and r['type'] in ('count', 'metric') and has_metric(r, name):
            found[-1].append((number(r['metric']), unit(r['metric_unit'])))
    return found


def compare_events(doc, rows, name):
    have = [e for b in doc['blocks'] for e in b['events']]
    want = [r for r in rows if r['type'] == 'count']
    if len(have) != len(want):
        yield '%d events, not %d' % (len(have), len(want))
    if not want:  # --metric-only as JSON
        cells = [c['value'] for b in doc['blocks'] for c in b['metrics']]
        if cells != [number(r['metric']) for r in rows if r['type'] == 'metric']:
            yield 'cells %s' % cells
    for e, r, metrics in zip(have, want, metrics_of(rows, name)):
        pairs = {'event': r['event'], 'state': r['state'].replace('_', '-'),
                 'unit': r['unit'] or None, 'cgroup': r['cgroup'] or None,
                 'aggregate': r['aggr'] or None, 'cpus': number(r['nr']), 'value': number(r['value']),
                 'variance_pct': number(r['var_pct']),
                 'runtime_ns': number(r['runtime']), 'running_pct': number(r['running_pct']),
                 'time': None if r['ts'] == 'summary' else number(r['ts'])}
        for key, value in pairs.items():
            if e[key] != value:
                yield '%s of %s: %s, not %s' % (key, r['event'], e[key], value)
        if not name.endswith('jsonl') and e['value'] is not None and str(e['value']) != r['value']:
            yield 'digits of %s: %s, not %s' % (r['event'], e['value'], r['value'])
        if [(m['value'], m['unit']) for m in e['metrics']] != metrics:
            yield 'metrics of %s: %s, not %s' % (r['event'], e['metrics'], metrics)


def compare_blocks(doc, rows):
    headed = [b for b in doc['blocks'] if b['target'] is not None]
    want = [(r['event'], number(r['value']), TARGETS[r['state']]) for r in rows if r['type'] == 'header']
    have = [(b['target'], b['runs'], b['target_kind']) for b in headed]
    if have != want:
        yield 'headers %s, not %s' % (have, want)
    for kind, key in (('elapsed', 'elapsed_s'), ('user', 'user_s'), ('sys', 'sys_s')):
        want = [number(r['value']) for r in rows if r['type'] == kind]
        have = [b[key] for b in doc['blocks'] if b[key] is not None]
        if have != want:
            yield '%s %s, not %s' % (key, have, want)
    notes = doc['source']['notes']
    for kind, note in (('noise', 'foreign'), ('invalid', 'damaged')):
        if notes.get(note, 0) != sum(r['type'] == kind for r in rows):
            yield '%s: %s' % (note, notes)
    if doc['source']['complete'] != ('damaged' not in notes):
        yield 'complete: %s' % doc['source']['complete']


def compare_cells(doc, rows, name):
    """--metric-only. Text may hold names on a line of their own: they are given to the cells when there are as many."""
    cells = [c for b in doc['blocks'] for c in b['metrics']]
    want = [r for r in rows if r['column'] != 'names']
    if len(cells) != len(want):
        yield '%d cells, not %d' % (len(cells), len(want))
    for c, r in zip(cells, want):
        have = (c['value'], c['time'], c['aggregate'], c['cpus'])
        wish = (number(r['value'].rstrip('% ')), number(r['ts']), r['aggr'] or None, number(r['nr']))
        if have != wish or (r['value'].endswith('%') != (c['unit'] == '%')):
            yield '%s, not %s' % (c, r)
        if not name.endswith('.txt') and c['name'] != (r['name'] or None):
            yield 'name %s, not %s' % (c['name'], r['name'])


def check(path):
    name = os.path.basename(path)[:-len('.expected.tsv')]
    rows = table(path)
    try:
        doc = report(os.path.join(FIXTURES, name))
    except RuntimeError as e:
        return ok(False, name, e)
    if rows and 'line' in rows[0]:
        faults = list(compare_cells(doc, rows, name))
    else:
        faults = list(compare_events(doc, rows, name)) + list(compare_blocks(doc, rows))
    ok(not faults, name, '\n'.join(map(str, faults[:5])))


def plain(doc):
    """What must not depend on how the text came."""
    return [[(e['event'], e['state'], e['value'], e['unit'], e['running_pct'], str(e['metrics']))
             for e in b['events']] +
            [b['target'], b['elapsed_s'], b['user_s'], b['sys_s']] for b in doc['blocks']]


def compare_damaged_paths():
    """Mail, terminals and web pages: all give what the plain file gives."""
    whole = [report(os.path.join(FIXTURES, 'hugetlbfs-%s.txt' % side)) for side in ('before', 'after')]
    want = [b for d in whole for b in plain(d)]
    ok(plain(report(os.path.join(FIXTURES, 'hugetlbfs-flattened.txt'))) == want, 'flattened by a web page')
    text = ''.join(open(os.path.join(FIXTURES, 'hugetlbfs-%s.txt' % side)).read() for side in ('before', 'after'))
    lines = text.split('\n')
    forms = {
        'quoted': '\n'.join('> ' + s for s in lines),
        'quoted three times': '\n'.join('>>> ' + s for s in lines),
        'crlf': text.replace('\n', '\r\n'),
        'indented': '\n'.join('        ' + s for s in lines),
        'blanks collapsed': '\n'.join(re.sub(' +', ' ', s) for s in lines),
        'trailing blanks cut': '\n'.join(s.rstrip() for s in lines),
        'percentages wrapped to the next line': re.sub(r' +(\(\d+\.\d\d%\))', r'\n\1', text),
        'metrics wrapped to the next line': re.sub(r' +(# .*)', r'\n\1', text),
        'no final newline': text.rstrip('\n'),
        'escapes of a terminal': text.replace('0.45%', '\x1b[33m0.45%\x1b[m'),
        'source of a web page': html.escape(text).replace('  ', ' &nbsp;'),
        'blanks of a web page': re.sub('  +', lambda m: '\xa0' * (len(m.group()) - 1) + ' ', text),
        'quoted-printable': quopri.encodestring(text.encode()).decode(),
        'quoted-printable, quoted': '\n'.join('> ' + s
                                              for s in quopri.encodestring(text.encode()).decode().split('\n')),
        'words before and after': 'Hi,\nthis is what 5 runs say:\n' + text
        + '\nSome events weren\'t counted. Try disabling the NMI watchdog:\n-- \nme\n',
    }
    for name, form in forms.items():
        p = subprocess.run([TOOL, 'report', '--format', 'json', '-'], input=form.encode(), capture_output=True)
        have = plain(json.loads(p.stdout, parse_float=Decimal,
                                parse_int=Decimal)) if p.returncode == 0 else p.stderr.decode()
        ok(have == want, name, have)
    for name in ('p61-hw-default-en.txt', 'p61-hw-stalled.csv', 'p61-hw-topdown-spr.jsonl',
                 'p61-hw-default-fr.txt', 'p61-real-default.tsv'):
        raw = open(os.path.join(FIXTURES, name), 'rb').read()
        p = subprocess.run([TOOL, 'report', '--format', 'json', '-'],
                           input=b''.join(b'> ' + s + b'\r\n' for s in raw.splitlines()), capture_output=True)
        have = plain(json.loads(p.stdout, parse_float=Decimal,
                                parse_int=Decimal)) if p.returncode == 0 else p.stderr.decode()
        ok(have == plain(report(os.path.join(FIXTURES, name))), 'quoted, CR LF: ' + name, have)


def compare_groups():
    """Metric groups of perf 6.5 and later: the same in text, CSV and JSON."""
    def groups(name):
        return [(c['group'], c['name'], c['unit'], c['aggregate'], c['time'])
                for b in report(os.path.join(FIXTURES, name))['blocks'] for c in b['metrics']]
    csv_groups = groups('made-v612-groups.csv')
    ok(len(csv_groups) == 5 and csv_groups == groups('made-v612-groups.jsonl'), 'groups in CSV and JSON', csv_groups)
    text = groups('made-v612-groups-r2.txt')
    ok([g[0] for g in text] == ['TopdownL1'] * 4 + ['TopdownL2'] * 2
       and text[0][1:3] == ('tma_backend_bound', '% tma_backend_bound'), 'groups in text', text)
    timed = groups('made-v612-groups-interval-persocket.txt')
    ok(len(timed) == 4 and timed[2][3:] == ('S0', Decimal('2.000123456')), 'groups per interval and socket', timed)
    ok(len(groups('made-v612-groups-interval-persocket.csv')) == 3, 'groups per interval and socket in CSV')


def check_schema():
    """hugecov.counters/1, of all kinds."""
    schema = json.load(open(os.path.join(TOP, 'schemas/hugecov.counters-1.json')))
    faults = []
    for path in sorted(glob.glob(FIXTURES + '/*.*') + glob.glob(TOP + '/tests/fixtures/lkp/*.txt')):
        p = subprocess.run([TOOL, 'report', '--format', 'json', path], capture_output=True)
        faults += ['%s: %s' % (os.path.basename(path), f)
                   for f in (validate(json.loads(p.stdout), schema) if p.stdout else [p.stderr])]
    ok(not faults, 'all documents fit the schema', '\n'.join(map(str, faults[:5])))


def diff(before, after, *options):
    return subprocess.run([TOOL, 'diff', *options, before, after], cwd=FIXTURES, capture_output=True)


def compare_diffs():
    """Two outputs in any pair of forms."""
    forms = ['p61-hw-default-en.txt', 'p61-hw-default-de.csv', 'p61-hw-default-de.txt',
             'p61-hw-default-de-semicolon.csv', 'p61-hw-default-de.jsonl', 'p61-hw-default-fr.txt']
    for before in forms:
        for after in forms:
            p = diff(before, after, '--format', 'json')
            doc = json.loads(p.stdout) if p.returncode == 0 else {}
            rows = {r['name']: r for r in doc.get('counters', [])}
            cycles = rows.get('perf.cycles', {})
            good = doc.get('schema') == 'hugecov.diff/1' and doc['vmas'] is None and cycles.get('delta') == 0 and cycles['percent'] == 0 and \
                cycles['before'] == 45678901234 and abs(rows['perf.task-clock']['delta']) < 0.01 and not any(r['note'] and 'absent' in r['note'] for r in rows.values() if r['kind'] == 'event')
            ok(good, 'diff %s %s' % (before, after), p.stderr.decode() or cycles)
    p = diff('hugetlbfs-before.txt', 'hugetlbfs-after.txt', '--format', 'json')
    doc = json.loads(p.stdout)
    rows = {r['name']: r for r in doc['counters']}
    miss = rows['perf.dTLB-load-misses']
    ok((miss['before'], miss['after'], miss['delta']) == (819, 530, -289)
       and miss['note'] == 'multiplexed 20.02 % before, multiplexed 19.97 % after', 'a diff is exact', miss)
    ok(rows['perf.L1-icache-loads']['before'] is None and rows['perf.L1-icache-loads']['note'] == 'not supported',
       'not supported is null')
    ok([r['id'] for r in doc['readings']] == ['multiplexed'] and len(doc['readings'][0]['evidence']['events']) == 20,
       'multiplexed is said', doc['readings'])
    p = diff('p61-hw-r5.txt', 'p61-hw-r5.csv', '--format', 'json')
    ok([r['id'] for r in json.loads(p.stdout)['readings']] == ['perf-r-last-run'] * 2,
       'the counts of perf 6.1 -r are the last run\'s, on both sides')
    ok(b'"' not in diff('p61-real-noaggr.txt', 'p61-real-noaggr.jsonl', '--format', 'csv').stdout.splitlines()[1],
       'a diff as CSV')


def check_beside():
    """A perf file and a snapshot given together are read together."""
    kernel = TOP + '/tests/fixtures/kernel-6.18/'
    with tempfile.TemporaryDirectory() as folder:
        for side in ('before', 'after'):
            os.mkdir(os.path.join(folder, side))
            shutil.copy(kernel + '16-loss-%s.smaps' % side, os.path.join(folder, side, 'smaps'))
            shutil.copy(FIXTURES + '/hugetlbfs-%s.txt' % side, os.path.join(folder, side, 'perf.txt'))
        before, after = os.path.join(folder, 'before'), os.path.join(folder, 'after')
        doc = json.loads(diff(before, after, '--format', 'json').stdout)
        rows = {r['name']: r for r in doc['counters']}
        ok(doc['verdict'] == 'loss' and doc['thp_loss_kb'] > 0 and rows['perf.dTLB-load-misses']['delta'] == -289 and
           [r['id'] for r in doc['readings']] == ['multiplexed'], 'diff of folders that hold smaps and perf.txt',
           doc['verdict'])
        out = diff(before, after).stdout.decode()
        ok('LOSS' in out and '~ dTLB-load-misses' in out, 'the same as text', out)
        subprocess.run(['tar', '-C', before, '-cf', os.path.join(folder, 'b.tar'), '.'], check=True)
        for name, args in (('a folder', [before]), ('an archive', [os.path.join(folder, 'b.tar')]),
                           ('two files', [before + '/smaps', FIXTURES + '/p61-hw-ddd.csv'])):
            p = subprocess.run([TOOL, 'report', '--format', 'json', *args], capture_output=True)
            doc = json.loads(p.stdout) if p.returncode == 0 else {}
            ok(doc.get('vmas') and [c['source']['kind'] for c in doc['counters']] == ['perf-stat']
               and doc['counters'][0]['blocks'], 'report of mappings and counters from ' + name, p.stderr)
        os.remove(before + '/smaps')
        p = subprocess.run([TOOL, 'report', '--format', 'json', before], capture_output=True)
        ok(p.returncode == 0 and json.loads(p.stdout)['schema'] == 'hugecov.counters/1',
           'a folder with perf.txt alone', p.stderr)
        open(before + '/perf.txt', 'w').write('hello\n')
        p = subprocess.run([TOOL, 'report', before], capture_output=True)
        ok(p.returncode == 2 and b'no proc/' in p.stderr, 'a folder with a perf.txt that is none', p.stderr)


def check_texts():
    """What people see: TLB, faults and caches first, estimates named, the rest counted."""
    out = subprocess.run([TOOL, 'report', 'hugetlbfs-before.txt'], cwd=FIXTURES, capture_output=True).stdout.decode()
    lines = out.splitlines()
    ok(lines[6].split()[:2] == ['dTLB-load-misses', '819'], 'dTLB stands first', out)
    ok('page-faults' in out and 'cycles' not in out and '14 events more: --all' in out, 'the rest is counted', out)
    ok('estimates' in out and '~20 %' in out, 'multiplexed events are estimates', out)
    ok(max(map(len, lines)) <= 80, '80 columns', out)
    out = subprocess.run([TOOL, 'report', 'p61-hw-metric-only-tma.jsonl'], cwd=FIXTURES,
                         capture_output=True).stdout.decode()
    ok('INCOMPLETE' in out, 'a broken file is said to be one', out)
    out = diff('hugetlbfs-before.txt', 'hugetlbfs-after.txt').stdout.decode()
    ok('~ dTLB-load-misses' in out and '-35.3 %' in out and '- page-faults' in out and '17 counters more: --all' in out,
       'a diff marks each change', out)
    out = diff('--all', 'p61-hw-r5.txt', 'p61-hw-r5.jsonl').stdout.decode()
    ok('+- %' in out and '= cycles' in out, 'the error stands beside the change', out)


def check_refusals():
    for name, text, says in (('rows without a header', '  5      cycles\n', b'no line "Performance counter stats for"'),
                             ('perf report', '# Samples: 3\n# Overhead  Command\n', b'perf report'),
                             ('a number of 39 digits',
                              " Performance counter stats for 'x':\n\n  123456789012345678901234567890123456789      cycles\n", b':3:3: a number of more than 38 digits')):
        p = subprocess.run([TOOL, 'report', '-'], input=text.encode(), capture_output=True)
        ok(p.returncode == 2 and says in p.stderr and not p.stdout, name + ' is refused', p.stderr)
    p = subprocess.run([TOOL, 'report', '--strict', os.path.join(FIXTURES, 'p61-real-mixed-stderr.txt')],
                       capture_output=True)
    ok(p.returncode == 2 and b':1:1: nothing is read from this line (--strict)\n' in p.stderr,
       '--strict names the line', p.stderr)
    p = diff('hugetlbfs-before.txt', os.path.join(TOP, 'tests/fixtures/lkp/malloc1.txt'))
    ok(p.returncode == 2 and b'cannot be compared' in p.stderr, 'perf against a robot table', p.stderr)


def main():
    for path in sorted(glob.glob(FIXTURES + '/expected/*.tsv')):
        check(path)
    compare_damaged_paths()
    compare_groups()
    check_schema()
    compare_diffs()
    check_beside()
    check_texts()
    check_refusals()


main()
