#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hugecov diff --before A... --after B...: several runs a side."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

import mini_schema
from tap import failed, say

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
SCHEMA = json.load(open(os.path.join(TOP, 'schemas/hugecov.runs-1.json')))
MAPPING = '''%x-%x rw-p 00000000 00:00 0 
Size:           %8d kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:            %8d kB
Anonymous:      %8d kB
AnonHugePages:  %8d kB
Swap:                  0 kB
THPeligible:           %d
VmFlags: rd wr mr mw me ac hg 
'''


def smaps(path, rss, huge, small, page=4):
    """64 MiB that could be huge, and a small mapping that could not."""
    with open(path, 'w') as f:
        f.write((MAPPING % (0x7f0000000000, 0x7f0004000000, 65536, rss, rss,
                            huge, 1)).replace('ize:        4', 'ize:        %d' % page))
        f.write((MAPPING % (0x7f1000000000, 0x7f1000100000, 1024, small, small,
                            0, 0)).replace('ize:        4', 'ize:        %d' % page))
    return path


def diff(before, after, *more):
    return subprocess.run([HUGECOV, 'diff', '--before', *before, '--after', *after, *more],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)


def document(before, after):
    p = diff(before, after, '--format', 'json')
    doc = json.loads(p.stdout)
    faults = list(mini_schema.validate(doc, SCHEMA))
    say(p.returncode == 0 and not faults and p.stdout.endswith('\n'), 'its JSON fits the schema', (p, faults))
    return doc


def figure(doc, name):
    return next(f for f in doc['figures'] if f['name'] == name)


def main():
    with tempfile.TemporaryDirectory(prefix='hugecov-runs.') as tmp:
        make = lambda name, *args, **more: smaps(os.path.join(tmp, name), *args, **more)
        before = [make('b%d' % i, 65536, 65536 - 2048 * (i % 2), 200 + 8 * i) for i in range(5)]
        lost = [make('l%d' % i, 65536, 40960 - 2048 * (i % 3), 204 + 12 * i) for i in range(5)]
        freed = [make('f%d' % i, 40960 - 2048 * (i % 3), 40960 - 2048 * (i % 3), 204) for i in range(5)]

        doc = document(before, lost)
        f = figure(doc, 'anon.huge_kb')
        say(f['before']['values'] == [65536, 63488, 65536, 63488, 65536]
            and f['after']['values'] == [40960, 38912, 36864, 40960, 38912], 'each run is one value', f)
        say((f['before']['median'], f['after']['median'], f['delta'], f['u'],
             f['exact']) == (65536, 38912, -26624, 25, True), 'medians, their difference, U', f)
        # All 25 pairs fell: 2 of the 252 ways to deal ten runs are like this.
        say(abs(f['p'] - 2 / 252) < 1e-12 and f['stands_out'] is True, 'exact p', f)
        f = figure(doc, 'anon.rss_kb')
        say(f['stands_out'] is False and f['p'] > 0.05, 'what did not change does not stand out', f)
        f = figure(doc, 'anon.coverage')
        say(f['unit'] == 'fraction' and f['before']['median'] == 1 and abs(f['after']['median'] - 38912 / 65536) < 1e-8,
            'fractions', f)
        say((doc['verdict'], doc['thp_loss_kb'], doc['unlike']) == ('loss', 26624, []),
            'a loss', (doc['verdict'], doc['thp_loss_kb']))
        say(len(doc['before']) == 5 and doc['after'][4]['source']['path'] == lost[4], 'the sources', doc['after'])

        p = diff(before, lost)
        say('LOSS: 26,624 kB of anonymous memory is no longer huge in the median run\n(p 0.008, 5 and 5 runs); most of it is not delivered now.' in p.stdout
            and '* anon huge ' in p.stdout and 'p 5+5' in p.stdout and max(map(len, p.stdout.split('\n'))) <= 80,
            'text', p.stdout)
        say(not any(w in p.stdout for w in ('subslot', 'policy_loss', 'alignment_loss', 'waterfall')),
            "text has a report's words", p.stdout)
        say(diff(before, lost, '--exit-code').returncode == 1, '--exit-code: 1 for a loss')
        p = diff(before, freed, '--exit-code')
        say(p.returncode == 0 and 'NO LOSS' in p.stdout, 'memory that was freed is no loss', p)
        say(document(lost, before)['verdict'] == 'gain', 'a gain')
        doc = document(before[:3], lost[:3])
        say(doc['verdict'] is None and doc['p_min'] == 0.1 and not any(f['stands_out'] for f in doc['figures']),
            'three a side are too few', doc['verdict'])
        p = diff(before[:3], lost[:3], '--exit-code')
        say(p.returncode == 2 and 'Too few runs: 3 and 3' in p.stdout
            and '4 a side can (0.029)' in ' '.join(p.stdout.split()) and 'too few' in p.stderr, 'which is said', p)
        doc = document(before[:1], lost)
        say(figure(doc, 'anon.huge_kb')['before']['n'] == 1 and abs(doc['p_min'] - 2 / 6) < 1e-12,
            'one run against five', doc['p_min'])
        say(document(before, before)['verdict'] == 'no-loss', 'the same runs twice')

        p = diff(before, lost, '--format', 'csv')
        rows = list(csv.DictReader(io.StringIO(p.stdout)))
        row = next(r for r in rows if r['name'] == 'anon.huge_kb')
        say((row['before_n'], row['before_median'], row['after_median'],
             row['stands_out']) == ('5', '65536', '38912', 'true'), 'CSV', row)
        row = next(r for r in rows if r['name'] == 'shmem.coverage')
        say(row['before_n'] == '0' and row['before_median'] == row['p'] == row['stands_out'] == '',
            'what is absent is empty', row)

        other = make('page16', 65536, 65536, 200, page=16)
        p = diff(before, lost[:4] + [other], '--exit-code')
        say(p.returncode == 2 and 'The runs differ in: page_kb, pmd_kb' in p.stdout, 'runs that cannot be compared', p)
        say(diff(before, lost[:4] + [other], '--exit-code', '--allow-unlike').returncode in (0, 1), '--allow-unlike')
        table = os.path.join(tmp, 'meminfo')
        open(table, 'w').write('MemTotal:  100 kB\nMemFree: 50 kB\nAnonHugePages: 0 kB\nAnonPages: 10 kB\n')
        p = diff(before[:2], [lost[0], os.path.join(tmp, 'gone')])
        say(p.returncode == 2 and not p.stdout and 'gone' in p.stderr, 'a run that is not there', p)
        doc = document([table] * 4, [table] * 4)
        say(figure(doc, 'meminfo.AnonHugePages')['p'] == 1 and doc['verdict'] is None and doc['thp_loss_kb'] is None,
            'runs of meminfo', doc)
        p = diff([table] * 4, [table] * 4, '--exit-code')
        say(p.returncode == 2 and 'mappings' in p.stderr, 'have no verdict', p)

        saved = []
        for i, path in enumerate(before):
            saved.append(os.path.join(tmp, 'r%d.json' % i))
            subprocess.run([HUGECOV, 'report', '--format', 'json', '--output', saved[-1], path], check=True)
        back = document(saved, lost)
        say([f['before'] for f in back['figures']] == [f['before'] for f in document(before, lost)['figures']],
            'saved reports are runs too')

        lat = []
        for i, factor in enumerate((1.0, 1.01, 0.99, 1.02, 1.2, 1.21, 1.19, 1.22)):
            lat.append(os.path.join(tmp, 'lat%d' % i))
            with open(lat[-1], 'w') as out:
                out.write('"stride=64\n')
                for size in (0.00049, 0.00098, 0.5, 1.0, 2.0, 64.0):
                    out.write('%.5f %.3f\n' % (size, (1.5 + size / 4) * factor))
        doc = document(lat[:4], lat[4:])
        f = figure(doc, 'lat_mem_rd.64')
        say(f['stands_out'] is True and 18 < f['percent'] < 22 and f['kind'] == 'latency', 'runs of lat_mem_rd', f)
        p = diff(lat[:2], before[:2])
        say(p.returncode == 2 and 'of another kind' in p.stderr and not p.stdout, 'two kinds', p)
    sys.exit(failed())


main()
