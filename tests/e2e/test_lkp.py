#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Robot and latency tables in every form that mail programs, archives and pages make of them.

Each form is made here from a table as it was printed; the rows must be those of the original.
"""
import csv
import io
import json
import os
import quopri
import re
import subprocess
import tempfile
import textwrap

import mini_schema
from tap import failed, say

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
FIXTURES = os.path.join(TOP, 'tests/fixtures/lkp')


def run(args, data=b'', **env):
    return subprocess.run([HUGECOV, *args], input=data, capture_output=True, env=dict(os.environ, **env))


def report(data):
    if isinstance(data, str):
        data = data.encode()
    p = run(['report', '--format', 'json', '-'], data)
    try:
        return json.loads(p.stdout)
    except ValueError:
        return {'tables': [], 'error': p.stderr.decode()}


def fixture(name):
    with open(os.path.join(FIXTURES, name), encoding='utf-8') as f:
        return f.read()


def quote(text, mark='> '):
    return ''.join((mark + l).rstrip() + '\n' for l in text.splitlines())


def flat(text):
    return ' '.join(text.split())


def wrap(text, width):
    return '\n'.join('\n'.join(textwrap.wrap(l, width, break_long_words=False,
                                             break_on_hyphens=False, drop_whitespace=False, replace_whitespace=False))
                     for l in text.splitlines()) + '\n'


def qp(text):
    return quopri.encodestring(text.encode()).decode()


def mixed(text):
    """Depth of quoting changes inside the table, and talk stands between rows."""
    out = []
    for i, l in enumerate(text.splitlines()):
        out.append('> ' * (i % 4) + l)
        if i in (14, 20):
            out += ['', 'Is that 5% or -3% here? I measured 12 of 40 with v6.9.', '']
    return '\n'.join(out) + '\n'


FORMS = {
    'as printed': lambda t: t,
    'quoted once': quote,
    'quoted three times, tight': lambda t: quote(t, '>>> '),
    'quoted three times, loose': lambda t: quote(t, '> > > '),
    'quoting of changing depth, with talk': mixed,
    'CR LF': lambda t: t.replace('\n', '\r\n'),
    'runs of blanks made single': lambda t: '\n'.join(flat(l) for l in t.splitlines()) + '\n',
    'flattened': flat,
    'quoted, then flattened': lambda t: flat(quote(t)),
    'quoted and flattened as HTML': lambda t: flat(quote(t)).replace('>', '&gt;').replace('±', '&plusmn;'),
    'wrapped at 72': lambda t: wrap(t, 72),
    'wrapped at 60': lambda t: wrap(t, 60),
    'wrapped at 72, then quoted': lambda t: quote(wrap(t, 72)),
    'filled to paragraphs': lambda t: textwrap.fill(flat(t), 76, break_long_words=False, break_on_hyphens=False),
    'quoted-printable': qp,
    'quoted, then quoted-printable': lambda t: qp(quote(t)),
    'quoted-printable, then quoted': lambda t: quote(qp(t)),
    'quoted-printable with CR LF': lambda t: qp(t).replace('\n', '\r\n'),
    'quoted-printable of Latin-1': lambda t: quopri.encodestring(t.encode('latin-1')).decode(),
    'Latin-1': lambda t: t.encode('latin-1'),
    'HTML entities': lambda t: quote(t).replace('&', '&amp;').replace('>',
                                                                      '&gt;').replace('"', '&quot;').replace('<', '&lt;').replace('±', '&plusmn;'),
    'numeric entities': lambda t: t.replace('±', '&#177;'),
    'a <pre> of a page': lambda t: '<pre>' + t.replace('±', '&plusmn;') + '</pre>',
    'no-break spaces': lambda t: re.sub('  +', lambda m: '\u00a0' * len(m.group()), t),
    'tabs': lambda t: re.sub('  +', '\t', t),
    'no blanks at line ends': lambda t: '\n'.join(l.rstrip() for l in t.splitlines()) + '\n',
    'read as Latin-1, written as UTF-8': lambda t: t.encode().decode('latin-1'),
    'that twice': lambda t: t.encode().decode('cp1252').encode().decode('cp1252'),
    'read as GBK': lambda t: t.replace('±', '卤'),
    'replacement characters': lambda t: t.replace('±', '\ufffd'),
    'two replacement characters': lambda t: t.replace('±', '\ufffd\ufffd'),
    'question marks': lambda t: t.replace('±', '?'),
    'ASCII plus-minus': lambda t: t.replace('±', '+-'),
    'plus slash minus': lambda t: t.replace('±', '+/-'),
    'coloured': lambda t: re.sub(r'([+-][0-9.]+%)', '\033[31m\\1\033[0m', t),
    'no newline at the end': lambda t: t.rstrip('\n'),
    'a byte order mark': lambda t: '\ufeff' + t,
    'dots in front of a row': lambda t: re.sub(r'(?m)^ +(?=[0-9.]+ .*perf-stat.overall)', '...', t),
    'in a long mail': lambda t: 'Received: by x with SMTP id 0;\n' * 1500 + t
    + 'Disclaimer:\nResults have been estimated.\n' * 100,
}


def cells(doc):
    return [(r['metric'], r['section'], r['columns']) for t in doc['tables'] for r in t['rows']]


def test_forms():
    for name, heading in (('two-commits-all.txt', 2), ('three-commits.txt', 3),
                          ('radixsort.txt', 2), ('failures-only.txt', 2)):
        text = fixture(name)
        original = report(text)
        want, commits = cells(original), original['tables'][0]['commits']
        for form, make in FORMS.items():
            try:
                data = make(text)
            except UnicodeError:
                continue
            have = report(data)
            ok = len(have['tables']) == 1 and cells(have) == want
            say(ok, '%s: %s' % (name, form), have.get('error')
                or [(a, b) for a, b in zip(cells(have), want) if a != b][:1] or len(cells(have)))
            if ok and form not in ('dots in front of a row',):
                t = have['tables'][0]
                same = len(t['commits']) == heading and [c['id'] for c in t['commits']] == [c['id'] for c in commits]
                same &= t['parameters'] == original['tables'][0]['parameters'] and t['testcase'] == original['tables'][0]['testcase']
                say(same, '%s: %s: its heading' % (name, form), (t['commits'], t['parameters']))


def whole_mail():
    box = '''+------------------+-------------------------------------------------------+
| testcase: change | filebench: filebench.sum_operations/s -50.1% regression |
| test machine     | 8 threads 1 sockets (Skylake) with 32G memory          |
| test parameters  | cpufreq_governor=performance                           |
|                  | disk=1HDD                                              |
|                  | fs=ext4                                                |
+------------------+-------------------------------------------------------+
| testcase: change | will-it-scale: will-it-scale.per_process_ops  4.6% improvement |
| test parameters  | mode=process                                           |
|                  | nr_task=100%                                           |
+------------------+-------------------------------------------------------+
'''
    return ('Hello,\n\nkernel test robot noticed a 56.4% regression of vm-scalability.throughput on:\n\n'
            'commit: b0c1d2e3f4051627384950617283940a1b2c3d4e ("mm: example change under test")\n\n'
            'testcase: vm-scalability\nparameters:\n\n\truntime: 300s\n\n' + box
            + '\nDetails are as below:\n' + '-' * 98 + '>\n\n'
            + fixture('two-commits-all.txt') + '\n'
            + '*' * 99 + '\nlkp-example2: 8 threads 1 sockets (Skylake) with 32G memory\n'
            + fixture('three-commits.txt') + '\nDisclaimer:\nResults have been estimated based on internal Intel analysis.\n')


def test_mail():
    mail = whole_mail()
    want = [(41, 'a1b2c3d4e5'), (6, 'a1b2c3d4e5')]
    for form in ('as printed', 'quoted once', 'flattened', 'quoted, then flattened',
                 'quoted-printable', 'HTML entities', 'Latin-1', 'CR LF'):
        doc = report(FORMS[form](mail))
        have = [(len(t['rows']), t['commits'][0]['id']) for t in doc['tables']]
        heads = [(h['metric'], h['percent'], h['direction'], h['where'], h['parameters'] or {})
                 for h in doc.get('headlines', [])]
        say(have == want, 'a whole mail, %s: tables' % form, (have, doc.get('error')))
        say(heads == [('vm-scalability.throughput', 56.4, 'regression', 'text', {}),
                      ('filebench.sum_operations/s', -50.1, 'regression', 'box',
                       {'cpufreq_governor': 'performance', 'disk': '1HDD', 'fs': 'ext4'}),
                      ('will-it-scale.per_process_ops', 4.6, 'improvement',
                       'box', {'mode': 'process', 'nr_task': '100%'})],
            'a whole mail, %s: headlines' % form, heads)
        say(doc['tables'] and (doc['tables'][1]['title'] or '').startswith('lkp-example2: 8 threads'),
            'a whole mail, %s: title' % form)
    say(report(mail)['source']['notes'].get('foreign') == 9, 'other lines are counted', report(mail)['source']['notes'])


def test_latency():
    want = report(fixture('lat_mem_rd.txt'))['tables'][0]['rows']
    say(len(want) == 39, 'latency table')
    text = fixture('lat_mem_rd.txt')
    forms = {f: FORMS[f](text) for f in ('quoted once', 'quoted three times, loose',
                                         'CR LF', 'tabs', 'flattened', 'quoted, then flattened',
                                         'no-break spaces', 'quoted-printable', 'HTML entities')}
    forms['quoted with replies'] = fixture('lat_mem_rd-quoted.txt')
    forms['flattened with replies'] = flat(fixture('lat_mem_rd-quoted.txt'))
    for form, data in forms.items():
        doc = report(data)
        ok = len(doc['tables']) == 1 and doc['tables'][0]['rows'] == want and doc['tables'][0]['columns'] == ['6.9-rc7', '6.9-rc7+revert']
        say(ok, 'latency table, %s' % form, doc.get('error') or [t['columns'] for t in doc['tables']])
        say(ok and len(doc['readings']) == 1 and len(doc['readings'][0]['evidence']['ranges']) == 3,
            'latency table, %s: steps' % form)
    for n in (1, 3, 7):
        rows = ''.join('%.5f %s\n' % (2.0 ** i, ' '.join('%.3f' % (c + i) for c in range(n))) for i in range(-11, 9))
        doc = report('"stride=128\n' + rows)
        say(doc['tables'] and len(doc['tables'][0]['columns']) == n and doc['tables'][0]['stride'] == 128,
            'latency table of %d columns' % n, doc)


def test_latency_diff():
    lines = [l.split() for l in fixture('lat_mem_rd.txt').splitlines() if re.match(r'\d', l)]
    sides = ['"stride=128\n' + ''.join('%s %s\n' % (l[0], l[c]) for l in lines) for c in (1, 2)]
    sides[1] = sides[1].replace('24 7.345\n', '20.00000 7.1\n')
    with tempfile.TemporaryDirectory() as d:
        paths = [os.path.join(d, n) for n in ('before', 'after')]
        for path, text in zip(paths, sides):
            with open(path, 'w') as f:
                f.write(text)
        p = run(['diff', '--format', 'json', *paths])
        doc = json.loads(p.stdout)
        rows = {r['name']: r for r in doc['counters']}
        r = rows['lat_mem_rd.64']
        say((r['unit'], r['kind'], r['before'], r['after'], r['delta']) == ('ns', 'latency', 16.253, 12.189, -4.064)
            and abs(r['percent'] + 25.0046) < 1e-3, 'diff of two latency tables: a row', r)
        say(b'"delta":-4.064,' in p.stdout, 'diff of two latency tables: exact in decimal')
        say((rows['lat_mem_rd.24']['after'], rows['lat_mem_rd.20']['before'], len(rows)) == (None, None, 40),
            'diff of two latency tables: sizes of one side')
        say([doc[k] for k in ('vmas', 'waterfall', 'thp_loss_kb')] == [None] * 3,
            'diff of two latency tables: no mappings')
        steps = [x for x in doc['readings'] if x['id'] == 'latency-steps']
        say(len(steps) == 1 and [(x['from_mib'], x['to_mib'])
                                 for x in steps[0]['evidence']['ranges']] == [(0.09375, 0.1875), (0.5, 1.5), (32, 512)],
            'diff of two latency tables: steps', steps)
        text = run(['diff', *paths], COLUMNS='80').stdout.decode()
        say('Three ranges part by more than 5 %' in text and re.search(r'(?m)^ +64 +16.253 +12.189 +-25.0 %$', text)
            and re.search(r'(?m)^ +20 +- +7.1$', text), 'diff of two latency tables: text', text)
        say(len(run(['diff', '--format', 'csv', *paths]).stdout.splitlines()) == 41, 'diff of two latency tables: CSV')
        p = run(['diff', paths[0], os.path.join(FIXTURES, 'seal.txt')])
        say(p.returncode == 2 and b'cannot be compared' in p.stderr, 'a latency table and a robot table are no pair', p)
        p = run(['diff', os.path.join(FIXTURES, 'radixsort.txt'), os.path.join(FIXTURES, 'seal.txt')])
        say(p.returncode == 2 and b'hugecov report' in p.stderr, 'two robot tables are no pair', p)


def test_formats():
    for name in ('radixsort.txt', 'three-commits.txt', 'failures-only.txt', 'lat_mem_rd.txt', 'mail-quoted.txt'):
        path = os.path.join(FIXTURES, name)
        doc = json.loads(run(['report', '--format', 'json', path]).stdout)
        rows = list(csv.DictReader(io.StringIO(run(['report', '--format', 'csv', path]).stdout.decode())))
        n = sum(len(r.get('columns') or r['values']) for t in doc['tables'] for r in t['rows'])
        say(len(rows) == n, '%s: CSV has a line for each cell' % name, (len(rows), n))
        text = run(['report', path], LC_ALL='C', COLUMNS='80').stdout.decode()
        say(text.isascii() and all(len(l) <= 80 for l in text.splitlines()),
            '%s: text, ASCII, 80 columns' % name, [l for l in text.splitlines() if len(l) > 80])
        say(not re.search(r' $', text, re.M), '%s: no blanks at line ends' % name)
        for r in doc['readings']:
            say(flat(r['message']) in flat(re.sub(r'(?m)^ ?\d+ ', '', text)),
                '%s: text says %s' % (name, r['id']), text)
    text = run(['report', os.path.join(FIXTURES, 'radixsort.txt')]).stdout.decode()
    shown = len(re.findall(r'(?m)^  .*%(?:  +[\d-]+/[\d-]+)?(?: ~)?$', text.split('+- %\n')[1]))
    hidden = int(re.search(r'(\d+) rows more: --all', text).group(1))
    say(shown + hidden == 110, 'rows that are not shown are counted', (shown, hidden))


def test_results():
    root = os.path.join(TOP, 'tests/fixtures/lkp-result')
    base, head = (os.path.join(root, c) for c in sorted(os.listdir(root)))
    with open(os.path.join(TOP, 'schemas/hugecov.counters-1.json')) as f:
        schema = json.load(f)
    for what, source in (('a directory', base), ('its matrix.json', base + '/matrix.json')):
        doc = json.loads(run(['report', '--format', 'json', source]).stdout)
        m = {x['metric']: x for x in doc['result']['metrics']}
        cpi = m['perf-stat.overall.cpi']
        say(doc['source']['kind'] == 'lkp-result' and doc['result']['commit'] == os.path.basename(base)
            and doc['result']['runs'] == 3, 'a raw result, %s' % what, doc['result'])
        say((cpi['values'], cpi['missing']) == ([1.25, None, 1.27], 1) and abs(cpi['mean'] - 1.26) < 1e-9,
            'a raw result, %s: the run without data is left out' % what, cpi)
        say([r['id'] for r in doc['readings']] == ['missing-runs'], 'a raw result, %s: and said to be' % what)
        say(not list(mini_schema.validate(doc, schema)), 'a raw result, %s: as its schema says' % what)
    p = run(['report', base], COLUMNS='80')
    say(p.returncode == 0 and b'7 metrics more: --all' in p.stdout
        and max(map(len, p.stdout.decode().splitlines())) <= 80, 'a raw result: text', p)
    doc = json.loads(run(['diff', '--format', 'json', base, head]).stdout)
    rows = {r['name']: r for r in doc['counters']}
    say(abs(rows['perf-stat.overall.cpi']['percent'] + 0.3968) < 1e-3
        and abs(rows['vm-scalability.throughput']['percent'] + 9.9996) < 1e-3, 'diff of two raw results', rows)
    say([(r['id'], r['evidence']['side'])
         for r in doc['readings']] == [('missing-runs', 'before'), ('missing-runs', 'after')],
        'diff of two raw results: readings', doc['readings'])
    p = run(['report', base + '/0'])
    say(p.returncode == 0 and b'of 1 run' in p.stdout, 'the result of one run', p)
    p = run(['report', base + '/0/matrix.json.gz'])
    say(p.returncode == 2 and b'samples of one run' in p.stderr, 'samples of a run are refused', p)


def test_schema():
    with open(os.path.join(TOP, 'schemas/hugecov.counters-1.json')) as f:
        schema = json.load(f)
    for name in sorted(os.listdir(FIXTURES)):
        faults = list(mini_schema.validate(report(fixture(name)), schema))
        say(not faults, '%s: as its schema says' % name, faults[:3])


def test_refused():
    for what, data, words in (
            ('an empty file', '', 'empty'),
            ('prose', 'nothing here\n', 'none of the files'),
            ('a heading without rows', '\n'.join(fixture('malloc1.txt').splitlines()[:-1]) + '\n', 'but no row of it'),
            ('benchstat',
             'goos: linux\n   │ old.txt │ new.txt │\n   │ sec/op │ sec/op vs base │\nA-8 18.5n ± 1% 6.4n ± 1% -65.14% (p=0.000 n=8)\n', 'benchstat'),
            ('a build report', 'kernel test robot noticed the following build errors:\n\nfoo.c:1: error: x\n',
             'build report'),
            ('a mail without its table', 'kernel test robot noticed a 1.0% regression of a.b on:\n\ncommit: x\n',
             'without its comparison table'),
            ('a number too large', '10 +1.0% 11 meminfo.A\n1e+999 +1.0% 2 meminfo.B\n',
             ':2:1: this number is too large')):
        p = run(['report', '-'], data.encode())
        say(p.returncode == 2 and not p.stdout and words in p.stderr.decode(), 'refused: ' + what, p)
    p = run(['report', '--strict', '-'], quote(fixture('radixsort.txt')).encode())
    say(p.returncode == 2 and b'quoted' in p.stderr, 'refused with --strict: quoting', p)
    p = run(['report', '--strict', os.path.join(FIXTURES, 'radixsort.txt')])
    say(p.returncode == 0, 'accepted with --strict: as printed', p)


def test_parameters_twice():
    """One name has one value in JSON: what stands twice is counted as not read, and --strict does not take it."""
    def read(text, *args):
        return subprocess.run([HUGECOV, 'report', *args, '-'], input=text.encode(), capture_output=True)

    def foreign(text):
        doc = json.loads(read(text, '--format', 'json').stdout)
        return doc['source']['notes'].get('foreign', 0), doc

    table, box = fixture('three-commits.txt'), fixture('mail-quoted.txt')
    twice = table.replace('compiler/', 'testcase/', 1)
    n, doc = foreign(twice)
    say(n == foreign(table)[0] + 1 and doc['tables'][0]['parameters'] is None and doc['tables'][0]['testcase'] is None,
        'a table that names a parameter twice has none', (n, doc['tables'][0]))
    p = read(twice, '--strict')
    say(read(table, '--strict').returncode == 0 and p.returncode == 2
        and p.stderr.startswith(b'hugecov: standard input:2:1: nothing is read from this line'),
        'and is refused by --strict', p)
    line, pair = re.search(r'.*\| +\| (\w+=\w+).*\n', box).group(0, 1)
    n, doc = foreign(box.replace(line, 2 * line, 1))
    say(n == foreign(box)[0] + 1 and doc == dict(foreign(box)[1], source=doc['source']),
        'a box that does so keeps the first: %s' % pair, (n, doc['source']))


def main():
    test_parameters_twice()
    test_forms()
    test_mail()
    test_latency()
    test_latency_diff()
    test_formats()
    test_results()
    test_schema()
    test_refused()
    return failed()


if __name__ == '__main__':
    raise SystemExit(main())
