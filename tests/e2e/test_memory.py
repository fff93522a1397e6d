#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a hostile file makes the tool allocate, and how long it takes, is bounded by its size.

With HARD=1 files of 4 MiB instead of 1: what takes time by the square of a size does not pass.
"""
import gzip
import io
import os
import resource
import subprocess
import sys
import tarfile
import tempfile

from tap import failed, say, skip

HUGECOV = os.environ['HUGECOV']
MB = 1 << 20
SIZE = 4 * MB if os.environ.get('HARD') else MB
FIXED, TIMES = 48 * MB, 60  # what may be used whatever the input, and for each of its bytes
UNPACKED = 1024             # an archive may unpack to 500 times its size and 64 MiB, into a buffer that doubles
KINDS = {'smaps': 'smaps', 'meminfo': 'meminfo', 'vmstat': 'vmstat', 'json': 'report',
         'perf': 'perf-stat', 'csv': 'perf-stat',
         'jsonl': 'perf-stat', 'lkp': 'lkp', 'lat': 'lat_mem_rd'}
SECONDS = 5                 # of processor time: ten times what is needed here

HEAD = b'7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n'
SMAPS = HEAD + b'Size:               2048 kB\nRss:                   0 kB\n'
MODES = b'# started on Mon\n\n Performance counter stats for \'x\':\n\n'
MOMENT = b'{"schema":"hugecov.report/1","vmas":[]}\n'
TICK = b'{"schema":"hugecov.tick/1",'
ROBOT = (b'a1b2c3d4e5f60718 b0c1d2e3f4051627\n---------------- ----------------\n'
         b'         %stddev     %change         %stddev\n'
         b'             \\          |                \\\n')
TABLE_OF_X = (b'=====\na/testcase:\n  b/x\n' + ROBOT
              + b'      100 +-  1%      +0.1%        100 +-  2%  a.AnonHugePages\n')


def repeat(text, head=b'', tail=b'', size=SIZE):
    return head + text * ((size - len(head) - len(tail)) // len(text)) + tail


def numbered(text, head=b'', size=SIZE):
    out, i = io.BytesIO(), 0
    out.write(head)
    while out.tell() < size:
        out.write(text.replace(b'@', b'%d' % i))
        i += 1
    return out.getvalue()


def mappings(form, size=SIZE):
    out, at = io.BytesIO(), 0x1000
    while out.tell() < size:
        out.write(form % (at, at + 0x1000))
        at += 0x2000
    return out.getvalue()


def reversed_mappings():
    return b''.join(b'%x-%x rw-p 00000000 00:00 0\nRss: 4 kB\n' % (a, a + 0x1000)
                    for a in range(SIZE // 48 * 0x2000, 0x2000, -0x2000))


def overlapping():
    return b''.join(b'%x-7fff00000000 rw-p 00000000 00:00 0\nRss: 4 kB\n' % (0x1000 * i) for i in range(1, SIZE // 60))


def misaligned(size):
    """Each costs by its place, and each for the page before its memory."""
    out, at = io.BytesIO(), 0x7f0000001000
    while out.tell() < size:
        out.write(b'%x-%x rw-p 0 0:0 0\nRss: 4100 kB\nAnonHugePages: 0 kB\nTHPeligible: 1\n' % (at, at + 0x401000))
        at += 0x800000
    return out.getvalue()


def one_inode(n):
    return b''.join(b'%x-%x rw-s 0 0:1 7 /x%05d\nRss: 4 kB\n' % (i << 13, (i << 13) + 4096, i) for i in range(1, n))


def tar_with(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as t:
        for name, data in files:
            m = tarfile.TarInfo(name)
            m.size = len(data)
            t.addfile(m, io.BytesIO(data))
    return out.getvalue()


def folders(n):
    return [('sys/kernel/mm/transparent_hugepage/d%d/x' % i, b'1\n') for i in range(n)] + [('proc/1/smaps', SMAPS)]


def tar_of(n, size=0):
    return tar_with(('proc/%d/smaps' % (i + 1), bytes(size)) for i in range(n))


def sparse(claim):
    """A member of the old GNU form that says it is a hole of that size."""
    m = tarfile.TarInfo('proc/1/smaps')
    head = bytearray(m.tobuf(tarfile.GNU_FORMAT))
    head[156:157] = b'S'
    head[386:398], head[398:410] = b'%011o\0' % claim, b'%011o\0' % 0
    head[483:495] = b'%011o\0' % claim
    head[148:156] = b' ' * 8
    head[148:156] = b'%06o\0 ' % sum(head)
    return bytes(head) + bytes(1024)


INPUTS = {
    'mappings.smaps': lambda: mappings(b'%x-%x rw-p 00000000 00:00 0\n'),
    'short-mappings.smaps': lambda: mappings(b'%x-%x r--p 0 0:0 0\nRss: 0 kB\n'),
    'backward.smaps': reversed_mappings,
    'overlapping.smaps': overlapping,
    'misaligned.smaps': lambda: misaligned(4 * SIZE),
    'headings.lkp': lambda: repeat(ROBOT + b'      100 +-  1%     -50.0%         50 +-  2%  a.m\n'),
    'intervals.csv': lambda: numbered(b'@.000000000,1,,cycles,1,100.00,,\n'),
    'cgroups.csv': lambda: numbered(b'1,,cycles,g@,1,100.00,,\n'),
    'cores.perf': lambda: numbered(b'S0-D0-C@  2  1  cycles\n', MODES),
    'titles.lkp': lambda: numbered(b'=====\na/b@:\n  x/y\n', b'', SIZE // 2) + ROBOT + b' 1  -50.0%  2  a.m\n',
    'tables.lat': lambda: repeat(b'"stride=64\n0.00049 1.5\n0.00098 1.5\n'),
    'tables-with-a-heading.lat': lambda: repeat(b'"stride=64\n1.00000 2.500\n2.00000 3.500\n4.00000 4.500\n'),
    'rows-of-no-size.lat': lambda: repeat(b'0 5\n', repeat(b'a ', b'MB  ', b'\n', SIZE // 2)),
    'one-long-line.smaps': lambda: repeat(b'x', SMAPS),
    'one-long-name.smaps': lambda: repeat(b'n', HEAD[:-2] + b'  /', b'\n' + SMAPS.split(b'\n', 1)[1]),
    'unknown-fields.smaps': lambda: numbered(b'Field@: 1 kB\n', SMAPS),
    'unknown-flags.smaps': lambda: repeat(b'zz ', SMAPS + b'VmFlags: ', b'\n'),
    'one-letter-flags.smaps': lambda: repeat(b'z ', SMAPS + b'VmFlags: ', b' ' * (SIZE // 2) + b'\n'),
    'unknown-twice.smaps': lambda: repeat(b'A: 1\n', SMAPS + b'A: 1\n'
                                          + repeat(b'zz ', b'VmFlags: ', b'\n', SIZE // 2)),
    'dumps.smaps': lambda: repeat(HEAD[:-1] + b'[heap]\nRss: 4 kB\n'),
    'long-number.smaps': lambda: repeat(b'9', HEAD + b'Rss: ', b' kB\n'),
    'newlines.smaps': lambda: repeat(b'\n', SMAPS),
    'quotes.smaps': lambda: repeat(b'> ', b'', b'\n' + SMAPS),
    'nul.smaps': lambda: repeat(b'\0', SMAPS),
    'names.meminfo': lambda: numbered(b'Key@: 1 kB\n', b'MemTotal: 1 kB\nMemFree: 1 kB\n'),
    'names.vmstat': lambda: numbered(b'key_@ 1\n', b'nr_free_pages 1\npgfault 1\n'),
    'gauges.vmstat': lambda: numbered(b'nr_@ 1\n', b'nr_free_pages 1\npgfault 1\n'),
    'rules.json': lambda: numbered(b'{"require":"coverage >= 0%"},\n', b'{"schema":"hugecov.budget/1","rules":[')
    + b'{"require":"coverage >= 0%"}]}',
    'deep.json': lambda: repeat(b'['),
    'deep-objects.json': lambda: repeat(b'{"a":'),
    'deep-report.json': lambda: repeat(b'[', b'{"schema":"hugecov.report/1","vmas":'),
    'monitors.json': lambda: numbered(b'"m@.x":[1,2],', b'{"stats_source":[1' + b',1' * (SIZE // 4) + b'],"a.a":[1'
                                      + b',1' * (SIZE // 8) + b'],') + b'"z.z":1}',
    'members.json': lambda: numbered(b'"k@":1,', b'{"schema":"hugecov.report/1",') + b'"z":1}',
    'elements.json': lambda: repeat(b'0,', b'{"schema":"hugecov.report/1","vmas":[', b'0]}'),
    'long-number.json': lambda: repeat(b'9', b'{"schema":"hugecov.report/1","n":', b'}'),
    'long-string.json': lambda: repeat(b'\\u0041', b'{"schema":"hugecov.report/1","n":"', b'"}'),
    'ticks.ndjson': lambda: repeat(TICK + b'"tick":{"n":2}}\n', MOMENT),
    'counters.ndjson': lambda: numbered(b'"thp_@":@,', MOMENT + TICK + b'"vmstat":{') + b'"thp_":1}}\n',
    'counters-of-a-moment.ndjson': lambda: numbered(b'"thp_@":@,', MOMENT[:-2] + b',"system":{"vmstat":{')
    + b'"thp_":1}}}\n' + (TICK + b'"vmstat":{"thp_1":7}}\n') * 2,
    'gone.ndjson': lambda: numbered(b'"0x@000",', MOMENT + TICK + b'"gone":[') + b'"0x0"]}\n',
    'events.perf': lambda: numbered(b'   1  ev@   \n', MODES),
    'long-number.perf': lambda: repeat(b'9', MODES, b'  cycles\n'),
    'long-name.perf': lambda: repeat(b'n', MODES + b'   1  ', b'\n'),
    'headers.perf': lambda: repeat(MODES + b'  1 a\n'),
    'metrics.perf': lambda: numbered(b' # 1 m@', MODES + b'  1 a'),
    'cells.perf': lambda: numbered(b'    1.000', MODES + b'  m\n'),
    'headings.perf': lambda: repeat(b'1.00000\n', repeat(b'  m', MODES, b'\n', SIZE // 2)),
    'a-long-group.perf': lambda: repeat(b'  # 1 a\n', repeat(b'T', MODES + b'  1 a\n', b'  # 1 a\n', SIZE // 2)),
    'repeats.perf': lambda: numbered(b'  5000  ev@  #  1.000 K/sec\n', b" Performance counter stats for 'a' (2 runs):\n\n"),
    'open-quote.perf': lambda: repeat(b'x\n', b" Performance counter stats for 'a\n"),
    'header-words.perf': lambda: repeat(b'Performance ', b'  5 cycles # 1 a # 2 b '),
    'quotes.perf': lambda: repeat(b' ', repeat(b"': ", b" Performance counter stats for '", b'', SIZE // 2), b'\n 5 a\n'),
    'columns.csv': lambda: repeat(b',', b'1,,cycles,1,100.00', b'\n'),
    'rows.csv': lambda: numbered(b'1,,e@,1,100.00,,\n'),
    'quotes.csv': lambda: repeat(b'""', b'1,,"', b'",1,100.00,,\n'),
    'lines.jsonl': lambda: numbered(b'{"counter-value":"1","event":"e@"}\n'),
    'cells.jsonl': lambda: numbered(b'"metric @" : "1.0",', b'{', SIZE - 9) + b'"m":"1"}\n',
    'bad-lines.jsonl': lambda: repeat(b'{"counter-value":"1","event":\n',
                                      b'{"counter-value":"1.0","unit":"","event":"cycles","event-runtime":1,"pcnt-running":100.00}\n'),
    'rows.lkp': lambda: numbered(b'      100 +-  1%     -50.0%         50 +-  2%  m.@\n', ROBOT),
    'escapes.lkp': lambda: repeat(b'\033[', ROBOT, b'\n 1  -50.0%  2  a.m\n'),
    'failures.lkp': lambda: repeat(b'%stddev %change |\n',
                                   repeat(b':6 1% :6 a.b\n', b'', b'', 3 * SIZE // 2), b'', 3 * SIZE),
    'headlines.lkp': lambda: numbered(b'noticed a 1.@% regression of x.m@ on:\n', TABLE_OF_X, 3 * SIZE),
    'headlines-of-a-test.lkp': lambda: numbered(b'noticed a 1.@% regression of x.m@ on:\n',
                                                repeat(TABLE_OF_X, b'', b'', SIZE // 2)),
    'long-headlines.lkp': lambda: numbered(b'noticed a 1.@% regression of x.m@' + b'y' * (SIZE // 16) + b' on:\n',
                                           repeat(TABLE_OF_X, b'', b'', SIZE // 2)),
    'huge-page-rows.lkp': lambda: numbered(b'      100 +-  1%      +0.1%        100 +-  2%  m@.AnonHugePages\n',
                                           numbered(b'noticed a 1.@% regression of x.m@ on:\n', TABLE_OF_X, SIZE // 2)
                                           + TABLE_OF_X),
    'boxes.lkp': lambda: repeat(b'testcase: change a: b.cc 1% regression\n', TABLE_OF_X),
    'columns.lkp': lambda: repeat(b' 0123456789abcdef0 ', b'', b'\n'),
    'bars.lkp': lambda: repeat(b'|  \\ ', b'         %stddev     %change         %stddev\n', b'\n'),
    'rows.lat': lambda: numbered(b'0.@ 1.5\n', b'"stride=64\n'),
    'columns.lat': lambda: repeat(b' 1.5', b'"stride=64\n0.00049', b'\n'),
    'members.tar': lambda: tar_of(1000),
    'one-inode.tar': lambda: tar_with([('proc/%d/smaps' % p, one_inode(32 * SIZE // 1024)) for p in (1, 2)]),
    'folders.tar.gz': lambda: gzip.compress(tar_with(folders(40 * SIZE // 1024)), 9),
    'sparse.tar': lambda: sparse(1 << 32) + bytes(1024),
    'bomb.tar.gz': lambda: gzip.compress(tar_of(1, 160 * MB), 9),
    'text-bomb.gz': lambda: gzip.compress(bytes(160 * MB), 9),
}


def measured(args):
    """(status, end of standard error, peak bytes, seconds of processor time)"""
    with tempfile.TemporaryFile() as err:
        p = subprocess.Popen([HUGECOV, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1)))
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return p.returncode, err.read()[-400:], used.ru_maxrss * 1024, used.ru_utime + used.ru_stime


def ended_well(status, err, judges):
    """With a sentence where it is refused; a gate also with rules that are broken or could not be measured."""
    if judges and not err:
        return status in (0, 1, 2)
    return status in (0, 2) and (status == 2) == err.startswith(b'hugecov: ')


def main():
    only = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix='hugecov-memory.') as tmp:
        budget = os.path.join(tmp, 'small.smaps')
        with open(budget, 'wb') as f:
            f.write(SMAPS)
        check = subprocess.run([HUGECOV, 'check', '--help'], capture_output=True).returncode == 0
        for name, make in INPUTS.items():
            if only and not any(o in name for o in only):
                continue
            path = os.path.join(tmp, name)
            data = make()
            with open(path, 'wb') as f:
                f.write(data)
            ways = [('report', '--format', 'json', path), ('report', path),
                    ('report', '--root', path, '1') if '.tar' in name else ('diff', path, path)]
            if name.endswith('.ndjson'):
                ways = [('watch', '--batch', path), ('watch', '--batch', '--format', 'json', path)]
            kind = KINDS.get(name.rsplit('.', 1)[1])
            if kind:
                ways.append(('report', '--kind', kind, path))
            if name == 'dumps.smaps':
                ways.append(('report', '--split', path))
            if check and name.endswith('.json'):
                ways.append(('check', '--budget', path, budget))
            if name.endswith('.vmstat'):
                ways.append(('diff', '--before', path, path, '--after', path, path))
            if check and name.endswith('.smaps'):
                ways.append(('check', '--require', 'coverage >= 90%', path))
            ends = [(w[0], *measured(w)) for w in ways]
            rules = name == 'rules.json' or not name.endswith('.json')  # the other budgets are refused
            wrong = [e for e in ends if not ended_well(*e[1:3], e[0] == 'check' and rules)
                     or e[3] > FIXED + (128 * MB + UNPACKED * len(data) if name.endswith('gz') else TIMES * len(data))
                     or e[4] > SECONDS]
            if only:
                print('# %s' % [(e[0], e[1], e[3] // MB, round(e[4], 2), e[2][:150]) for e in ends])
            say(not wrong, '%s: %d kB, %d MiB at most, %.1f s'
                % (name, len(data) // 1024, max(e[3] for e in ends) // MB, max(e[4] for e in ends)), wrong)
            os.remove(path)
    sys.exit(failed())


if os.environ.get('BUILD', 'release').endswith('release'):
    main()
skip('memory', 'a sanitizer has memory of its own')
