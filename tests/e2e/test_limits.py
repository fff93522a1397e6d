#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What has a limit: numbers at the edges of 64 bits, values larger than their mapping, patterns that explode, options.

HARD=1 tries more forms of numbers.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

from tap import failed, say
from tool import refused

HUGECOV, HARD = os.environ['HUGECOV'], bool(os.environ.get('HARD'))
U64, KB_MAX = 2 ** 64 - 1, 2 ** 54
PARTS = ('subslot_kb', 'policy_loss_kb', 'alignment_loss_kb', 'delivery_loss_kb', 'huge_kb')


def run(*args, **more):
    more.setdefault('stdin', subprocess.DEVNULL)
    if 'input' in more:
        del more['stdin']
    return subprocess.run([HUGECOV, *map(str, args)], capture_output=True, text=True, timeout=60, **more)


def report(text, *args):
    p = run('report', '--format', 'json', *args, '-', input=text)
    return p, json.loads(p.stdout) if p.returncode == 0 else None


def put(tmp, name, text):
    path = os.path.join(tmp, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write(text)
    return path


def record(start, kb, inode=0, **fields):
    """One record as 6.18 prints it, as far as it matters here."""
    known = dict(Size=kb, KernelPageSize=4, MMUPageSize=4, Rss=0, Pss=0, Referenced=0,
                 Anonymous=0, AnonHugePages=0, ShmemPmdMapped=0, FilePmdMapped=0, Swap=0, SwapPss=0)
    known.update(fields)
    head = '%012x-%012x rw-p 00000000 %s %d' % (start, start + kb * 1024, '08:01' if inode else '00:00', inode)
    return head.ljust(73) + ('/f' if inode else '') + '\n' + ''.join('%-16s%8d kB\n' % (k + ':', v)
                                                                     for k,
                                                                     v in known.items()) + 'VmFlags: rd wr mr mw me ac \n'


def falls(doc):
    return all(w['rss_kb'] is None or sum(w[k] for k in PARTS) == w['rss_kb'] and min(w[k] for k in PARTS) >= 0
               for w in doc['totals']['waterfall'].values())


# ---- more than the mapping has ----

def oversize():
    sound = ''.join(record(0x7f0000000000 + i * (8 << 20), 4096, Rss=4096, Pss=4096,
                           Anonymous=4096, AnonHugePages=4096, Referenced=4096, Swap=4096) for i in range(4))
    p, doc = report(sound)
    say(doc and doc['source']['complete'] and not doc['source']['notes'] and falls(doc),
        'what is as large as its mapping is sound', p)
    for field in ('Rss', 'Pss', 'Referenced', 'Anonymous', 'AnonHugePages',
                  'ShmemPmdMapped', 'FilePmdMapped', 'Swap', 'SwapPss'):
        for value in (4100, 2 ** 31, 2 ** 32, 2 ** 40):
            wrong = record(0x7e0000000000, 4096, **{field: value})
            docs = []
            for text in (sound + wrong.replace('7e0000', '7f1000'), wrong + sound):
                p, doc = report(text)
                docs.append(doc and (doc['source']['notes'].get('oversize'), doc['source']['complete'], falls(doc),
                                     [v['smaps'][field] for v in doc['vmas'] if v['smaps'][field] == value]))
            p = run('report', '--strict', '-', input=sound + wrong.replace('7e0000', '7f1000'))
            line = sound.count('\n') + 1 + [x.split(':')[0] for x in record(0, 4).split('\n')].index(field)
            say(docs == [(1, False, True, [value])] * 2
                and refused(p, 'standard input:%d:' % line, 'more than the whole mapping has', '^'),
                '%s of %d kB in 4096 kB' % (field, value), (docs, p))
    p, doc = report(sound + record(0x7f1000000000, 4096, 77, Swap=8192))
    say(doc and doc['source']['complete'],
        "a file's or shared object's swapped pages may lie behind the end of what is mapped", p)
    p, doc = report('7f1000000000-7f1000001000 rw-p 00000000 00:00 0\nSize: 4 kB\nKernelPageSize: 64 kB\nMMUPageSize: 64 kB\nRss: 4 kB\n')
    say(doc and doc['source']['complete'], 'sizes of pages count nothing', p)
    p = run('report', '-', input=record(0x7f1000000000, 4096, Rss=8192))
    say(p.returncode == 0 and 'NOT COMPLETE: numbers are larger than the mapping' in p.stdout, 'people are told', p)
    head, rest = record(0x7f1000000000, 2048).split('Rss:')
    elided = head + '...\nRss:' + rest.split('\n')[0].replace('       0', '    4096') + '\n'
    p, doc = report(elided)
    say(doc and doc['vmas'][0]['smaps'].get('Rss') is None and doc['source']['notes'].get('cut') == 1,
        'behind an elision it is of another mapping', p)
    with tempfile.TemporaryDirectory() as tmp:
        bad = put(tmp, 'bad', sound + record(0x7f1000000000, 4096, Rss=8192))
        p = run('check', '--require', 'rss_kb >= 0', bad)
        say(p.returncode == 0 and 'not complete' in p.stdout, 'a gate notes it', p)
        saved = put(tmp, 'saved.json', run('report', '--format', 'json', bad).stdout)
        p = run('report', '--format', 'json', saved)
        doc = json.loads(p.stdout)
        say(not doc['source']['complete'] and doc['source']['notes'].get('oversize') == 1,
            'and a report that was kept still says so', doc['source'])


# ---- sums ----

def sums(tmp):
    many = ''.join('%x-%x rw-p 00000000 00:00 0 \nRss: %d kB\nAnonHugePages: %d kB\n'
                   % (i << 22, (i << 22) + (1 << 21), KB_MAX, KB_MAX) for i in range(1, 1100))
    p = run('report', '-', input=many)
    say(refused(p, 'standard input:', 'larger than any address space', '^'), 'numbers whose sum is no 64-bit number', p)
    p = run('report', '-', input=many.replace(' %d kB' % KB_MAX, ' %d kB' % (KB_MAX + 1), 1))
    say(refused(p, 'standard input:2:6:', '^'), 'one number that is none', p)
    one = '0-fffffffffffff000 rw-s 00000000 00:05 7 /dev/shm/x\nRss: %d kB\nPss: %d kB\nShmemPmdMapped: %d kB\n' % ((KB_MAX - 4,) * 3)
    p, doc = report(one)
    say(doc and doc['totals']['rss_kb'] == KB_MAX - 4 and falls(doc), 'a mapping of all addresses', p)
    for n in (2, 64, 65):
        root = os.path.join(tmp, 'set%d' % n)
        for i in range(n):
            put(root, 'proc/%d/smaps' % (i + 1), one)
        p = run('report', '--format', 'json', root)
        if n == 65:
            say(refused(p, 'larger than any machine'), 'sizes of %d processes whose sum is no 64-bit number' % n,
                p.stderr or p.stdout[:300])
            continue
        doc = json.loads(p.stdout)
        say(doc['totals']['rss_kb'] == n * (KB_MAX - 4)
            and doc['totals']['waterfall']['shmem']['rss_kb'] == n * (KB_MAX - 4) and falls(doc),
            'a set of %d of these' % n, doc['totals'])
    report_of_one = run('report', '--format', 'json', '-', input=one).stdout
    for old, new, word in (('"Rss":%d' % (KB_MAX - 4), '"Rss":%d' % (KB_MAX + 1), 'larger than an address space'),
                           ('"Rss":%d' % (KB_MAX - 4), '"Rss":%d' % (U64 + 1), '')):
        p = run('report', '-', input=report_of_one.replace(old, new))
        say(old in report_of_one and refused(p, 'standard input:', word), 'a report that says %s' % new, p)
    rollup = '00400000-7fff12345000 ---p 00000000 00:00 0 [rollup]\nRss: 100 kB\nAnonHugePages: 20 kB\n'
    saved = run('report', '--format', 'json', '-', input=rollup).stdout.replace('"rss_kb":100', '"rss_kb":%d' % U64)
    say(refused(run('report', '-', input=saved), 'larger than an address space'),
        'the report of a rollup that says 2^64 - 1')
    p = run('report', '-', input=report_of_one.replace('"Rss":', '"THPeligible":4294967296,"Rss":'))
    say(refused(p, 'standard input:', 'no kernel prints so large a number'), 'a report with a flag of 33 bits', p)
    p = run('report', '-', input=one + 'THPeligible: %d\n' % (U64 - 2 ** 54))
    say(refused(p, 'standard input:5:14:', '^'), 'what is no size is no part of their sum', p)


# ---- sizes of huge pages ----

def pmd_sizes():
    """What --pmd-size would not take, a report that was kept does not say."""
    saved = run('report', '--format', 'json', '--pmd-size', '1024', '-',
                input='7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \nRss: 4 kB\n').stdout
    for kb in (64, 1 << 30):
        p, doc = report(saved.replace('"pmd_kb":1024', '"pmd_kb":%d' % kb))
        say(doc and doc['system']['pmd_kb'] == kb, 'a report with huge pages of %d kB' % kb, p)
    for kb in (0, 3, 32, 1000, 1 << 31, 1 << 63, U64):
        p = run('report', '-', input=saved.replace('"pmd_kb":1024', '"pmd_kb":%d' % kb))
        say('"pmd_kb":1024' in saved and refused(p, 'standard input:', 'a power of two from 64 kB', '^'),
            'a report with huge pages of %d kB' % kb, p)


COUNTERS = ('nr_free_pages', 'pgfault', 'nr_anon_transparent_hugepages', 'thp_fault_alloc',
            'thp_fault_fallback', 'thp_split_page', 'thp_deferred_split_page')
SIZES = ('MemTotal', 'MemFree', 'AnonHugePages', 'AnonPages', 'ShmemHugePages',
         'ShmemPmdMapped', 'Active(anon)', 'Hugepagesize', 'HugePages_Total')


def counters(tmp):
    """Values are exact, and so are their differences, at any size; none is shown as a negative one."""
    for kind, names, form in (('vmstat', COUNTERS, '%s %d\n'), ('meminfo', SIZES, '%s: %d kB\n')):
        for value in (2 ** 53 + 1, 2 ** 63 - 1, 2 ** 63, U64):
            a, b = (put(tmp, kind + str(i), ''.join(form % (n, v) for n in names)) for i, v in enumerate((5, value)))
            p = run('report', '--format', 'json', b)
            read = json.loads(p.stdout)['system'][kind]
            say(all(read[n] == value for n in names), 'report: %s of %d' % (kind, value), read)
            p = run('report', b)
            say(p.returncode == 0 and '-' not in p.stdout.split('\n', 1)[1].replace(' - ', ''), 'as text', p)
            p = run('report', '--kb', b)
            say('{:,}'.format(value) in p.stdout, 'with --kb every digit', p)
            p = run('diff', '--format', 'json', a, b)
            rows = json.loads(p.stdout)['counters']
            say(len(rows) == len(names) and all((r['before'], r['after'], r['delta']) == (5, value, value - 5) and
                all(r[k + '_kb'] == r[k] * 2048 for k in ('before', 'after', 'delta') if k + '_kb' in r) for r in rows),
                'diff', rows)
            p = run('diff', b, a)
            say(p.returncode == 0 and all(len(line.split()) < 9 for line in p.stdout.split('\n')
                                          if '18446744073709551615' in line), 'and back', p)
            p = run('check', '--baseline', a, '--require', 'counters[%s.%s].delta <= %d' % (kind, names[2], value - 5),
                    '--require', 'counters[%s.%s].after > %d' % (kind, names[2], value - 1), b)
            say(p.returncode == 0, 'check', p)
        p = run('report', '--kind', kind, put(tmp, 'over', form % (names[0], 1) + form % (names[2], U64 + 1)))
        say(refused(p, ':2:'), 'one more is refused', p)


# ---- options ----

FORMS = ('%d', '%dTiB', '%dh', '-%d', '%dGiB', '%d%%', '%d.5', '%de9', '0x%x', ' %d', '%d ')[:None if HARD else 3]
EDGES = (0, 1, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63 - 1, 2 ** 63, U64, U64 + 1, 10 ** 40)


def options(tmp):
    """Every option that takes a number: done, or one error line; never a crash, never another number."""
    smaps = put(tmp, 'smaps', record(0x7f0000000000, 8192, Rss=8192))
    wrong = []
    n = 0
    for option, command, end in (('--top', 'report', [smaps]), ('--min-size', 'report', [smaps]),
                                 ('--pmd-size', 'report', [smaps]), ('--pid', 'report', [smaps]),
                                 ('--margin', 'check', ['--require', 'rss_kb >= 0', smaps]),
                                 ('--max-cpu', 'watch', ['--batch', '--iterations', '1', 'self']),
                                 ('--interval', 'watch', ['--batch', '--iterations', '1', 'self']),
                                 ('--record-limit', 'watch', ['--batch', '--iterations', '1', 'self']),
                                 ('--require', 'check', [smaps])):
        for v in EDGES:
            for text in FORMS:
                value = ('rss_kb <= ' if option == '--require' else '') + text % v
                p = run(command, '%s=%s' % (option, value), *end)
                n += 1
                if p.returncode not in (0, 1,
                                        2) or (p.returncode == 2) != p.stderr.startswith('hugecov: ') and not p.stdout:
                    wrong.append((option, value, p))
    say(not wrong, 'numbers of options: %d' % n, wrong[:3])
    for pid in (0, 2 ** 31, 2 ** 32 + os.getpid(), 2 ** 64 + os.getpid(), 10 ** 30):
        for args in (('report', pid), ('watch', '--batch', '--iterations', '1', pid),
                     ('snap', '-o', os.path.join(tmp, 'x.tar'), pid), ('check', '--require', 'rss_kb >= 0', pid)):
            p = run(*args)
            say(refused(p), 'process %d: %s' % (pid, args[0]), p)
    say(run('check', '--require', 'rss_kb <= %dkB' % (2 ** 63), smaps).returncode in (0, 2), 'a limit of 2^63')


# ---- patterns ----

PATTERNS = ('(a+)+$', '(a|a)*$', '(.*)*x', '(?:(?:a*)*)*b', r'(a*)*\1b', '^(([a-z])+.)+[A-Z]([a-z])+$',
            '(?R)?a+b', 'a' * 60000, '(' * 2000 + ')' * 2000, '(a{1,1000}){1,1000}b',
            '[', '(?', '*', '\\', '(?C1)a', '(*NO_JIT)a', '(*UTF)a', '(*LIMIT_MATCH=4000000000)(a+)+$')


def patterns(tmp):
    """Whatever the pattern, it ends within two seconds: done, or refused in words."""
    name = '/' + 'a' * 4000 + '!'
    smaps = put(tmp, 'names', ''.join(record(0x7f0000000000 + (i << 24), 8192,
                                             i + 1, Rss=8192).replace('/f', '%s%d' % (name, i)) for i in range(200)))
    for i, pattern in enumerate(PATTERNS):
        budget = put(tmp, 'budget.json',
                     json.dumps({'schema': 'hugecov.budget/1',
                                 'rules': [{'name': 'x', 'require': 'rss_kb >= 0', 'select': {'match': pattern}}]}))
        for how, args in (('--match', ('report', '--match', pattern, smaps)),
                          ('budget', ('check', '--budget', budget, smaps))):
            begin = time.monotonic()
            p = run(*args)
            took = time.monotonic() - begin
            told = p.returncode in (0, 1) or p.returncode == 2 and (p.stderr.startswith('hugecov: ')
                                                                    or 'could not be measured' in p.stdout)
            say(told and took < (10 if 'asan' in HUGECOV or 'faults' in HUGECOV else 4),
                '%s %.30s' % (how, pattern), (took, p.returncode, p.stderr[:500], p.stdout[:500]))
    p = run('report', '--match', '(a+)+$', smaps)
    say(refused(p, '--match'), 'and says which', p)


def main():
    oversize()
    pmd_sizes()
    for part in (sums, counters, options, patterns):
        with tempfile.TemporaryDirectory(prefix='hugecov-limits.') as tmp:
            part(tmp)
    sys.exit(failed())


main()
