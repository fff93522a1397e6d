# SPDX-License-Identifier: MIT
"""Seeds and dictionaries of the fuzz targets: every fixture that fits, in the form that a target reads."""
import base64
import glob
import gzip
import io
import json
import os
import quopri
import re
import subprocess
import tarfile
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIXTURES = os.path.join(TOP, 'tests/fixtures')
MARK = b'\n====\n'
LARGEST = 65536
PIECE = 4096  # smaps of more bytes are given in pieces too: the shorter, the more are tried a second

# The longest input that is made.
MAX_LEN = {'smaps': 6144, 'diff': 12288, 'set': 12288, 'archive': 32768, 'load': 8192,
           'tree': 12288, 'replay': 16384, 'report_read': 16384,
           'filter': 2048, 'options': 2048, 'budget': 4096, 'lat': 4096, 'system': 8192,
           'perf': 6144, 'lkp': 4096, 'lkp_result': 8192}
# Other dictionaries than the one of its name.
DICTS = {'diff': ['smaps'], 'set': ['smaps'], 'archive': ['archive', 'smaps', 'system'],
         'tree': ['archive', 'smaps', 'system'],
         'replay': ['replay', 'report_read', 'smaps'],
         'load': ['smaps', 'system', 'perf', 'lkp', 'lat', 'report_read', 'lkp_result', 'mail'],
         'filter': ['filter', 'smaps']}


def read(path):
    with open(os.path.join(FIXTURES, path), 'rb') as f:
        return f.read()


def files(*patterns):
    """(path below the fixtures, bytes) of those that are no larger than a target takes."""
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(FIXTURES, pattern), recursive=True)):
            if os.path.isfile(path) and os.path.getsize(path) <= LARGEST:
                yield os.path.relpath(path, FIXTURES), read(path)


def pieces(dump):
    """A dump of smaps cut between mappings."""
    heads = [m.start() for m in re.finditer(rb'(?m)^[0-9a-f]{5,16}-[0-9a-f]{5,16} ', dump)] + [len(dump)]
    start = 0
    for a, b in zip(heads, heads[1:]):
        if b - start > PIECE and a > start:
            yield dump[start:a]
            start = a
    yield dump[start:]


def dumps():
    for name, data in files('kernel-6.18/*.smaps', 'forms/*.smaps', 'malloc128/*', 'set/proc/*/smaps'):
        yield name, data


def tool(*args, data=None):
    command = os.environ.get('HUGECOV') or os.path.join(TOP, 'hugecov')
    return subprocess.run([command, *args], capture_output=True, input=data, cwd=TOP).stdout


def smaps():
    for name, data in dumps():
        yield data
        if len(data) > PIECE:
            yield from pieces(data)
    yield from (data for _, data in files('kernel-6.18/*.smaps_rollup'))
    small = read('malloc128/before.txt')
    yield re.sub(rb'(?m)^', b'> > ', small)
    yield small.replace(b'\n', b'\r\n')
    yield small.replace(b' ', b'\t')
    yield small.replace(b'Rss:', b'...\nRss:', 1)
    yield small + small


def pairs():
    for before, after in (('malloc128/before.txt', 'malloc128/after.txt'),
                          ('kernel-6.18/16-loss-before.smaps', 'kernel-6.18/16-loss-after.smaps'),
                          ('kernel-6.18/01-aligned.smaps', 'kernel-6.18/02-misaligned.smaps')):
        a, b = read(before), read(after)
        yield a + MARK + b
        yield from (x + MARK + y for x, y in zip(pieces(a), pieces(b)))
    for name, data in dumps():
        part = next(pieces(data))
        yield part + MARK + part


def sets():
    workers = [read('set/proc/%d/smaps' % pid) for pid in (1201, 1202, 1203)]
    parts = [list(pieces(w)) for w in workers]
    yield MARK.join(workers)
    for i in range(min(len(p) for p in parts)):
        yield MARK.join(p[i] for p in parts)
        yield MARK.join([p[i] for p in parts[:2]] * 2)
    yield MARK.join([read('malloc128/before.txt'), read('malloc128/after.txt')] * 2)


def system():
    plain = [data for _, data in files('kernel-6.18/*.vmstat', 'kernel-6.18/*.meminfo',
                                       'kernel-6.18/*.status', 'kernel-6.18/system/*')]
    yield from plain
    yield read('kernel-6.18/16-loss-before.vmstat') + MARK + read('kernel-6.18/16-loss-after.vmstat')
    yield read('kernel-6.18/16-loss-before.meminfo') + MARK + read('kernel-6.18/16-loss-after.meminfo')
    yield read('kernel-6.18/16-loss-before.meminfo')[:600] + read('kernel-6.18/system/transparent_hugepage.tsv')[:3000]


def with_itself(patterns, pairs_of=()):
    small = []
    for name, data in files(*patterns):
        yield data
        if len(data) < 3000:
            small.append(data)
    for a, b in zip(small[::4], small[1::4]):
        yield a + MARK + b
        yield a + MARK + a
    for a, b in pairs_of:
        yield read(a) + MARK + read(b)


def perf():
    return with_itself(['perf/*'])


def lkp():
    for name, data in files('lkp/*'):
        yield data
        yield from (data[i:i + 4000] for i in range(0, len(data), 3000) if len(data) > 4000)


def lat():
    return with_itself(['lkp/lat_mem_rd*'])


def lkp_result():
    results = [data for _, data in files('lkp-result/**/*.json')]
    results += [gzip.decompress(data) for _, data in files('lkp-result/**/*.json.gz')]
    for data in results:
        yield data
        d = json.loads(data)
        few = json.dumps(dict(list(d.items())[:12] + [(k, v) for k, v in d.items()
                                                      if 'hugepage' in k.lower() or k == 'stats_source'])).encode()
        yield few
        yield few + MARK + few
    if len(results) > 1:
        yield results[0] + MARK + results[1]


def reports():
    few = [read('malloc128/before.txt'), read('malloc128/after.txt'),
           next(pieces(read('kernel-6.18/11-flags-and-advice.smaps'))),
           next(pieces(read('kernel-6.18/06-shmem-memfd-sysv-devzero.smaps'))),
           read('kernel-6.18/01-aligned.smaps_rollup'),
           read('kernel-6.18/16-loss-before.meminfo'), read('kernel-6.18/16-loss-before.vmstat')]
    for data in few:
        yield tool('report', '--format', 'json', '-', data=data)
    yield tool('report', '--format', 'json', '--vmas', 'none', '-', data=few[0])


def report_read():
    made = list(reports())
    yield from made
    yield made[0] + MARK + made[1]
    yield made[5] + MARK + made[5]


def recordings():
    small = next(pieces(read('kernel-6.18/17-32bit-process.smaps')))
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(root + '/proc/7')
        for data in (small, read('malloc128/before.txt')):
            with open(root + '/proc/7/smaps', 'wb') as f:
                f.write(data)
            text = tool('watch', '--format', 'json', '--interval', '50ms', '--iterations', '3', '--root', root, '7')
            yield text.replace(b'\n', b'\njj\t/a\r\n')
            yield text.replace(b'\n', b'\nsh?qG\x1b[B\n', 1)


OPTIONS = [b'\x00--format\njson\n--match\n^/x\n4711', b'\x01--by\naddress\n--exit-code\na\nb',
           b'\x02--require\ncoverage >= 90%\n--settle\n5s\n--\ntrue',
           b'\x03--interval\n500ms\n--max-cpu\n2%\n1', b'\x04-o\nx.tar.zst\n--force\n1',
           b'\x00--class\nanon,shmem\n--min-size\n2MiB\n--top=5\nself',
           b'\x01--before\na\nb\n--after\nc\nd\n--vmas\nchanged',
           b'\x02--budget\nb.json\n--baseline\nx\n--if-thp-off\npass\n--samples\n3\ny',
           b'\x02--require\nthp-loss == 0\n--require\ndelta.huge_kb >= -2MiB\n--update-budget\nb\n--margin\n5%\n1',
           b'\x00--pid\n1\n--pid\n2\n--root\n/x\n--kb\n--\n1']


def options():
    return iter(OPTIONS)


RULES = ['coverage >= 90%', 'huge_kb>=140MiB', 'misaligned == 0', 'thp-loss == 0',
         'delta.huge_kb >= -2MiB', 'delta.coverage >= -5%',
         'counters[vmstat.thp_fault_alloc].percent <= 5%', 'totals.waterfall.shmem.coverage > 0.5',
         'a.b.percent < 3', 'slots_lost <= 1', 'thp_loss_kb < 2MiB']


def budget():
    def rule(i, r):
        return dict(name='rule %d' % i, require=r, select=dict(match='^/x|anon', **{'class': 'anon,shmem'},
                                                               min_size_kb=4), severity='warn' if i % 2 else 'fail')
    yield json.dumps(dict(schema='hugecov.budget/1', rules=[rule(i, r) for i, r in enumerate(RULES)])).encode()
    for i, r in enumerate(RULES):
        yield json.dumps(dict(schema='hugecov.budget/1', rules=[rule(i, r)])).encode()
        yield json.dumps(dict(schema='hugecov.budget/1',
                              rules=[dict(name='|<b>::error::%0A', require=[r, r])])).encode()
    yield '\n'.join(RULES).encode() + b'\n'
    for name, data in files('budget/*'):
        yield data


PATTERNS = [b'libc', b'^\\[anon\\]$', b'(a+)+$', b'(?:(?=(a|ab)*)b?)*c', b'(x+x+)+y',
            b'\\p{L}+\\d{2,9}', b'(?i)heap|stack', b'(?<n>.)\\k<n>', b'(?R)?a',
            b'a{0,65535}{0,65535}', b'[[:alpha:]]*+', b'\\Q*\\E', b'(?>a*)*b',
            b'((((((((((a*)*)*)*)*)*)*)*)*)*)b', b'(*LIMIT_MATCH=1)a', b'(*UTF)\xff']


def filters():
    names = b'\n/usr/lib/libc.so.6\n[heap]\n\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n[anon:\xff\xfe]\n/memfd:x (deleted)\n' + b'x' * 600
    return (p + names for p in PATTERNS)


def tar_of(members, flag):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode='w:' + flag, format=tarfile.USTAR_FORMAT) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return b.getvalue()


def small_tree():
    """What a saved process needs, and each kind of file beside it."""
    yield 'proc/7/smaps', next(pieces(read('kernel-6.18/17-32bit-process.smaps')))
    for f in ('stat', 'status', 'comm'):
        yield 'proc/7/' + f, read('set/proc/1201/' + f)[:700].replace(b'1201', b'7')
    yield 'proc/7/cgroup', b'1:memory:/x\n0::/user.slice/a\n'
    yield 'proc/meminfo', read('kernel-6.18/16-loss-before.meminfo')[:500]
    yield 'proc/vmstat', b'nr_anon_transparent_hugepages 1\nthp_fault_alloc 3\n'
    yield 'proc/version', b'Linux version 6.18.44 (x)\n'
    for line in read('kernel-6.18/system/transparent_hugepage.tsv').splitlines()[:8]:
        path, value = line.split(b'\t', 1)
        yield 'sys/kernel/mm/transparent_hugepage/' + path.decode(), value + b'\n'
    yield 'sys/devices/system/node/node0/meminfo', read('kernel-6.18/system/node0-meminfo')[:300]


MANIFEST = json.dumps(dict(schema='hugecov.snapshot/1', tool=dict(name='hugecov', version='0.1.0'),
                           time='2026-01-01T00:00:00Z', complete=False, kernel='6.18',
                           arch='x86_64', boot_id=None, processes=[dict(pid=7, comm='x', complete=False)],
                           unread=[])).encode()


def trees():
    one = list(small_tree())
    yield one
    yield one + [('manifest.json', MANIFEST)]
    yield one + [('perf.txt', read('perf/' + sorted(os.listdir(os.path.join(FIXTURES, 'perf')))[3])[:2000])]
    yield [('proc/%d/%s' % (pid, f), next(pieces(read('set/proc/%d/%s' % (pid, f))))[:3000])
           for pid in (1201, 1202, 1203) for f in ('smaps', 'stat', 'comm')]
    yield [('smaps', one[0][1]), ('meminfo', one[5][1]), ('status', one[2][1]),
           ('enabled', b'always [madvise] never\n')]
    yield [('matrix.json', next(iter(lkp_result()))[:8000])]


def archive():
    for tree in trees():
        for flag in ('', 'gz', 'xz', 'bz2'):
            yield tar_of(tree, flag)


def tree():
    for members in trees():
        yield b'\n'.join(b'== %s\n%s' % (name.encode(), data) for name, data in members) + b'\n'


def mails():
    """As mail programs save them: each encoding, several parts, a mail in a mail, an mbox."""
    dump, table = read('malloc128/before.txt'), read('lkp/malloc1.txt')
    head, qp, b64 = b'From: a\nSubject: b\n', b'Content-Transfer-Encoding: quoted-printable\n\n', b'Content-Transfer-Encoding: base64\n\n'
    yield head + qp + quopri.encodestring(dump)
    yield (head + b64 + base64.encodebytes(dump)).replace(b'\n', b'\r\n')
    one = head + b'Content-Type: multipart/%s;\n boundary="b"\n\n--b\n%s\n--b\nContent-Type: text/html\n\n<b>\n--b--\nend\n\n'
    yield one % (b'alternative', qp + quopri.encodestring(table))
    yield one % (b'mixed', b'Content-Disposition: attachment\n' + b64 + base64.encodebytes(dump))
    yield one % (b'mixed', b'Content-Type: message/rfc822\n\n' + head + qp + quopri.encodestring(dump))
    yield (b'From mboxrd@z Thu Jan  1 00:00:00 1970\n' + one % (b'mixed', qp + quopri.encodestring(table))) * 2
    yield quopri.encodestring(dump)


def load():
    some = [read('malloc128/before.txt'), read('malloc128/before.txt') + read('malloc128/after.txt'),
            gzip.compress(read('malloc128/after.txt')), MANIFEST]
    for pattern in ('kernel-6.18/*', 'kernel-6.18/system/*', 'forms/*', 'perf/*', 'lkp/*', 'lkp-result/**/*.json'):
        some += [data[:8000] for _, data in files(pattern)]
    some += list(reports())
    some += list(mails())
    for i, data in enumerate(some):
        yield bytes([i % 8, 0]) + data


SEEDS = {'smaps': smaps, 'diff': pairs, 'set': sets, 'system': system, 'perf': perf,
         'lkp': lkp, 'lat': lat, 'lkp_result': lkp_result, 'report_read': report_read,
         'replay': recordings, 'options': options, 'budget': budget, 'filter': filters,
         'archive': archive, 'tree': tree, 'load': load}


def write(target, folder):
    """Seeds of a target, and what once broke it, as files. Returns how many."""
    n = 0
    found = (open(path, 'rb').read()
             for path in sorted(glob.glob(os.path.join(TOP, 'tests/fuzz/found', target + '-*'))))
    for which in (SEEDS[target](), found):
        for data in which:
            with open(os.path.join(folder, 'seed%04d' % n), 'wb') as f:
                f.write(data)
            n += 1
    return n


def dictionary(target, path):
    with open(path, 'w') as f:
        for name in DICTS.get(target, [target]):
            f.write(open(os.path.join(TOP, 'tests/fuzz', name + '.dict')).read() + '\n')
