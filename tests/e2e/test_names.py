#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile names through every format of every command: nothing reaches a terminal, a cell or an annotation as more than text."""
import concurrent.futures
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import tap
from tool import UNDER

HUGECOV = os.environ['HUGECOV']
STEP = 4 if UNDER else 1  # each name goes every fourth way, and each way is gone by every fourth name

NAMES = {
    'escape sequences': b'\x1b]0;pwned\x07\x1b[31mred',
    'C1 controls': '\u009b31m\u0085next'.encode(),
    'single C1 bytes': b'\x9b31m\x85',
    'bidirectional': '\u202eexe.txt\u2066\u2069'.encode(),
    'invisible': 'a\u00ad\u061cb\u180e\u3164\ufff9\U000e0041'.encode(),
    'line separators': 'a\u2028b\u2029c'.encode(),
    'kernel newline': b'a\\012b',
    'carriage return': b'safe\rEVIL',
    'backspace': b'abc\b\b\bxyz\x7f',
    'tab': b'a\tb',
    'no UTF-8': b'\xff\xfe\xc0\xaf',
    'surrogate': b'\xed\xa0\x80',
    'formula =': b"=cmd|' /C calc'!A0",
    'formula +': b'+1+1', 'formula -': b'-2+3', 'formula @': b'@SUM(A1)',
    'table': b'a|b|c', 'code': b'`x` ``` </pre> ```', 'link': b'[x](javascript:alert(1)) ![](http://x)',
    'mention': b'@all #1 <!-- -->',
    'markup': b'<script>&amp;]]></failure><!ENTITY',
    'annotation': b'::error::x', 'annotation after CR': b'x\r::stop-commands::y',
    'annotation percent': b'x%0A::error::y',
    'quotes': b'"\'"",;', 'backslashes': b'\\u0000\\"\\', 'format': b'%s%n%d',
    'wide': '\u6f22\u5b57\u200b\u0301'.encode() * 9,
    'empty end': b'x ', 'long': b'n' * 4095,
}


def say(ok, name, detail=''):
    """What is told of a failure is no attack on whoever reads it."""
    tap.say(ok, name, ascii(str(detail)).replace('\\n', '\n') if detail else '')


def run(*args):
    return subprocess.run([HUGECOV, *args], capture_output=True, stdin=subprocess.DEVNULL, timeout=60)


FIELDS = b'''Size:               6144 kB
KernelPageSize:        4 kB
MMUPageSize:           4 kB
Rss:                6144 kB
Anonymous:          6144 kB
AnonHugePages:      %d kB
VmFlags: rd wr mr mw me ac
'''


def smaps(name, huge):
    """A misaligned one, so that findings name it too, and one as a file."""
    return (b'7f0000001000-7f0000601000 rw-p 00000000 00:00 0                          ' + name + b'\n' + FIELDS % huge
            + b'7f0001000000-7f0001600000 r--p 00000000 08:01 77                         /' + name + b'\n' + FIELDS % 0)


# Shared memory that the setting of the host keeps small: what the setting says stands in its finding.
SHARED = b'''7f0002000000-7f0002800000 rw-s 00000000 00:01 7                          /memfd:x (deleted)
Size:               8192 kB
Rss:                8192 kB
AnonHugePages:         0 kB
THPeligible:           0
VmFlags: rd wr sh mr mw me ms
'''


def perf_text(name):
    return b"\n Performance counter stats for '" + name + b"':\n\n            1,234      " + name + b"\n              100      cycles\n\n       1.000000000 seconds time elapsed\n\n"


def perf_csv(name):
    return b'1234;;' + name.replace(b';',
                                    b',') + b';1000;100.00;;\n100;' + name.replace(b';', b',') + b';cycles;1000;100.00;1.5;' + name.replace(b';', b',') + b'\n'


def lkp(name):
    return (b'=====\n' + name + b'/tbox:\n  x/' + name + b'\n\ncommit:\n  a1b2c3d4e5f6 ("'
            + name + b'")\n  b0c1d2e3f405 ("' + name + b'")\n\n'
            b'a1b2c3d4e5f60718 b0c1d2e3f4051627\n---------------- ---------------------------\n         %stddev     %change         %stddev\n             \\          |                \\\n'
            b'      1000 +-  1%     -50.0%        500 +-  2%  a.'
            + name.replace(b' ', b'_') + b'\n      1000 +-  1%     -50.0%        500 +-  2%  a.b\n')


def lat(name):
    return b'"stride=64 ' + name + b'\n' + b''.join(b'%.5f %.3f\n' % (2.0 ** i / 2048, 1 + i) for i in range(1, 12))


CONTROL = re.compile('[\x00-\x09\x0b-\x1f\x7f-\x9f]')
REORDER = re.compile('[\u202a-\u202e\u2066-\u2069\u2028\u2029\u00ad\u061c\u180e\u3164\ufff9-\ufffb\U000e0000-\U000e007f]')


def text_fault(s):
    if CONTROL.search(s):
        return 'a control character'
    return 'a character that reorders or hides' if REORDER.search(s) else None


def csv_fault(s):
    for row in csv.reader(io.StringIO(s.replace('\t', ''), newline='')):
        for cell in row:
            if re.match(r'[=+@\t\r-]', cell) and not re.fullmatch(r'[-+]?[0-9.]+(e[-+]?\d+)?%?', cell):
                return 'a cell that is a formula: %r' % cell
    return 'a control character' if CONTROL.search(s.replace('\t', '').replace('\r\n', '\n')) else None


def json_fault(s):
    json.loads(s)
    return 'a control character' if CONTROL.search(s) else None


def xml_fault(s):
    ElementTree.fromstring(s)
    return 'a control character' if CONTROL.search(s) else None


def github_fault(s):
    """Each line that is an annotation is one of ours, and a file's name or a rule stays inside it."""
    for line in s.split('\n'):
        if '::' in line and line.startswith('::') and not re.match(r'::(error|warning|notice)( [a-z]+=[^\n:]*)?::',
                                                                   line):
            return 'an annotation of theirs: %r' % line
    return text_fault(s)


def markdown_fault(s):
    width = None
    for line in s.split('\n'):
        if line.startswith('|'):
            cells = len(re.sub(r'\\.', '', line).split('|'))
            if width is not None and cells != width:
                return 'a row with another number of cells: %r' % line
            width = cells
        else:
            width = None
    if re.search(r'<(script|/pre|!--)', s):
        return 'markup'
    return text_fault(s)


FAULTS = dict(text=text_fault, csv=csv_fault, json=json_fault, junit=xml_fault,
              github=github_fault, markdown=markdown_fault)


class Trial:
    def __init__(self, first):
        self.wrong, self.runs, self.done, self.at = [], 0, 0, first

    def of(self, form, *args):
        self.at += 1
        if self.at % STEP:
            return
        p = run(args[0], '--format', form, *args[1:])
        self.runs += 1
        self.done += p.returncode != 2
        why = None
        try:
            why = (FAULTS[form](p.stdout.decode()) if p.stdout else None) or text_fault(p.stderr.decode())
        except (ValueError, ElementTree.ParseError) as e:
            why = 'broken: %s' % e
        if why or p.returncode not in (0, 1, 2):
            self.wrong.append((why, p.returncode, args, p.stdout[:1500], p.stderr[:500]))


def put(tmp, name, data):
    path = os.path.join(tmp, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(data)
    return path


def try_name(tmp, what, name):
    t = Trial(list(NAMES).index(what))
    a, b = put(tmp, 'a', smaps(name, 4096)), put(tmp, 'b', smaps(name, 0))
    named = os.path.join(tmp.encode(), name.replace(b'/', b'_').replace(b'\0', b'')[:200])
    put(tmp.encode(), named, smaps(name, 0))
    put(tmp, 'tree/proc/7/smaps', smaps(name, 0) + SHARED)
    put(tmp, 'tree/proc/7/comm', name + b'\n')
    put(tmp, 'tree/proc/7/status', b'Name:\t' + name + b'\nPid:\t7\n')
    put(tmp, 'tree/proc/7/stat', b'7 (' + name[:15] + b') S 1' + b' 0' * 48 + b'\n')
    put(tmp, 'tree/proc/7/cgroup', b'0::/' + name + b'\n')
    put(tmp, 'tree/sys/kernel/mm/transparent_hugepage/enabled', b'always [' + name.replace(b']', b'') + b'] never\n')
    put(tmp, 'tree/sys/kernel/mm/transparent_hugepage/shmem_enabled',
        b'always [' + name.replace(b']', b'') + b'] never\n')
    put(tmp, 'tree/sys/kernel/mm/transparent_hugepage/khugepaged/defrag', name + b'\n')
    put(tmp, 'tree/proc/meminfo', b'MemTotal: 1 kB\nMemFree: 1 kB\n')
    put(tmp, 'set/proc/8/comm', name + b'\n')
    put(tmp, 'set/proc/8/smaps', smaps(name, 4096).replace(b'7f0001000000-7f0001600000 r--p',
                                                           b'7f0001000000-7f0001600000 r--s'))
    put(tmp, 'set/proc/9/smaps', smaps(name, 0) + SHARED)
    put(tmp, 'set/proc/9/comm', name[::-1] + b'\n')
    shutil.copytree(os.path.join(tmp, 'tree/sys'), os.path.join(tmp, 'set/sys'))
    put(tmp, 'system/sys/kernel/mm/transparent_hugepage/enabled', b'always [' + name.replace(b']', b'') + b'] never\n')
    put(tmp, 'system/proc/meminfo', b'MemTotal: 1 kB\nMemFree: 1 kB\nAnonHugePages: 1 kB\n')
    put(tmp, 'tree/proc/version', b'Linux version ' + name + b'\n')
    budget = put(tmp, 'budget.json', json.dumps({'schema': 'hugecov.budget/1', 'rules': [
        {'name': name.decode('latin-1'), 'require': 'coverage >= 90%'},
        {'name': 'x', 'require': 'misaligned == 0',
         'select': {'match': re.escape(name.decode('utf-8', 'replace'))}}]}).encode())
    counters = [put(tmp, 'perf', perf_text(name)), put(tmp, 'perf.csv', perf_csv(name)),
                put(tmp, 'lkp', lkp(name)), put(tmp, 'lat', lat(name)),
                put(tmp, 'meminfo', b'MemTotal: 1 kB\nMemFree: 1 kB\nAnonHugePages: 1 kB\n' + name + b': 1 kB\n')]
    for form in ('text', 'json', 'csv'):
        for source in (a, named):
            t.of(form, 'report', '--all', source)
        t.of(form, 'diff', '--all', a, b)
        for tree in ('tree', 'set', 'system'):
            t.of(form, 'report', '--all', os.path.join(tmp, tree))
            t.of(form, 'diff', '--all', '--allow-unlike', os.path.join(tmp, tree), os.path.join(tmp, tree))
        t.of(form, 'diff', '--all', '--allow-unlike', a, os.path.join(tmp, 'tree'))
        t.of(form, 'diff', '--all', '--before', a, a, '--after', b, b)
        for source in counters:
            t.of(form, 'report', '--all', source)
            t.of(form, 'diff', '--all', source, source)
    for form in ('text', 'json', 'junit', 'github', 'markdown'):
        t.of(form, 'check', '--require', 'coverage >= 90%', '--require', 'misaligned == 0', named)
        t.of(form, 'check', '--require', 'thp-loss == 0', '--baseline', a, b)
        t.of(form, 'check', '--budget', budget, b)
        t.of(form, 'check', '--require', 'coverage >= 90%', '--require', 'undelivered == 0', os.path.join(tmp, 'set'))
        t.of(form, 'check', '--require', 'a.b.percent >= 0', counters[2])
    for form in ('text', 'json', 'junit', 'github', 'markdown'):
        for tree in ('tree', 'set'):
            t.of(form, 'check', '--require', 'shmem-policy == 0', os.path.join(tmp, tree))
    t.of('text', 'check', '--require', name.replace(b'\0', b''), a)
    t.of('text', 'report', '--match', b'(' + name, a)
    t.of('text', 'report', put(tmp, 'bad', smaps(name, 4096).replace(b'Rss:', b'Rss: x' + name)))
    t.of('text', 'report', put(tmp, 'glued', smaps(name, 4096) + b'7f00-' + name + b'\n'))
    for form in ('text', 'json'):
        t.of(form, 'watch', '--batch', '--iterations', '1', '--root', os.path.join(tmp, 'tree'), '7')
    say(not t.wrong and t.done > t.runs // 2, '%s: %d runs, %d of them to the end' % (what, t.runs, t.done),
        '%d wrong\n' % len(t.wrong) + '\n'.join(map(str, t.wrong[:3])))


def main():
    def one(what):
        with tempfile.TemporaryDirectory(prefix='hugecov-names.') as tmp:
            try_name(tmp, what, NAMES[what])

    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        list(pool.map(one, [what for what in NAMES if not sys.argv[1:] or sys.argv[1] in what]))
    sys.exit(tap.failed())


main()
