#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A process that maps known regions is reported exactly, as root and as an ordinary user."""
import json
import os
import re
import shutil
import subprocess
import tempfile

from tap import say as ok, skip
from thp import policy

TOOL, BUILD = os.environ['HUGECOV'], os.environ['BUILD']
NOBODY = 65534


def fallbacks():
    return sum(int(l.split()[1]) for l in open('/proc/vmstat') if l.startswith('thp_fault_fallback '))


class Target:
    """A helper program that says what it did, then waits."""

    def __init__(self, name, user=None):
        def drop():
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
        self.folder = tempfile.mkdtemp(prefix='hugecov-test-')
        os.chmod(self.folder, 0o755)
        path = shutil.copy(os.path.join(BUILD, 'tests/helpers', name), self.folder)
        before = fallbacks()
        self.p = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=drop)
        self.regions = {}
        for line in self.p.stdout:
            if line == 'ready\n':
                break
            m = re.match(r'(\S+) (\w+)-(\w+) fit=(\d+) ideal=(\d+) huge=(\w+)', line)
            self.regions[m.group(1)] = dict(start='0x' + m.group(2), end='0x' + m.group(3),
                                            fit=int(m.group(4)), ideal=int(m.group(5)), when=m.group(6))
        self.fell_back = fallbacks() != before
        self.pid = str(self.p.pid)

    def close(self):
        self.p.stdin.close()
        self.p.wait()
        shutil.rmtree(self.folder)


def as_user(user, *args):
    command = [TOOL, *args]
    if user is not None:
        with tempfile.TemporaryDirectory(prefix='hugecov-test-') as folder:
            os.chmod(folder, 0o755)
            command[0] = shutil.copy(TOOL, folder)
            return subprocess.run(['setpriv', '--reuid', str(user), '--regid', str(user), '--clear-groups', *command],
                                  capture_output=True, text=True)
    return subprocess.run(command, capture_output=True, text=True)


def expect_huge(region, host):
    if region['when'] == 'NEVER' or host == 'never' or (region['when'] == 'ALWAYS' and host != 'always'):
        return 0
    return region['fit'] * 2048


def check_regions(t, user, host):
    who = 'root' if user is None else 'uid %d' % user
    p = as_user(user, 'report', '--format', 'json', t.pid)
    if p.returncode:
        return ok(False, 'report as ' + who, p.stderr)
    doc = json.loads(p.stdout)
    ok(doc['source']['complete'] and doc['source']['kind'] == 'process' and doc['process']['comm'] == 'regions',
       'report as ' + who)
    ok(doc['system']['policy'] == host, 'policy as ' + who, doc['system']['policy'])
    by_start = {v['start']: v for v in doc['vmas']}
    for name, r in t.regions.items():
        v = by_start.get(r['start'])
        label = '%s as %s' % (name, who)
        if not v or v['end'] != r['end']:
            ok(False, label, 'mapping not found at %s' % r['start'])
            continue
        th = v['thp']
        good = th['slots_fit'] == r['fit'] and th['slots_ideal'] == r['ideal']
        if t.fell_back:
            skip(label, 'huge-page faults fell back: memory is fragmented')
        else:
            ok(good and th['huge_kb'] == expect_huge(r, host), label, (r, th))
    if host == 'madvise' and not t.fell_back:
        at = {(f['id'], f['start']): f for f in doc['findings']}
        for fid, region, lost in (('misaligned', 'shifted', 2048), ('misaligned', 'astride', 2048),
                                  ('needs-advice', 'unadvised', 16384), ('opted-out', 'refused', 4096)):
            f = at.get((fid, t.regions[region]['start']))
            ok(f and f['lost_kb'] == lost, '%s names %s as %s' % (fid, region, who), f)
    return doc


def main():
    host = policy()
    if host is None:
        return skip('live report', 'THP is not compiled in')
    root = os.geteuid() == 0
    t = Target('regions')
    try:
        doc = check_regions(t, None, host)
        smaps = open('/proc/%s/smaps' % t.pid).read()
        total = sum(int(n) for n in re.findall(r'^AnonHugePages: +(\d+) kB', smaps, re.M))
        ok(doc and doc['totals']['anon_huge_kb'] == total, 'the sum is what grep finds', total)
        if root:
            p = as_user(NOBODY, 'report', t.pid)
            ok(p.returncode == 2 and 'permission denied' in p.stderr and not p.stdout,
               "another user's process is refused in words", p.stderr)
        else:
            skip("another user's process", 'needs root')
    finally:
        t.close()
    p = as_user(None, 'report', t.pid)
    ok(p.returncode == 2 and 'no process' in p.stderr.lower(), 'a process that has ended', p.stderr)
    if not root:
        return skip('as an ordinary user', 'needs root to become one')
    t = Target('regions', NOBODY)
    try:
        check_regions(t, NOBODY, host)
    finally:
        t.close()
    kthread = as_user(None, 'report', '--format', 'json', '2')
    if kthread.returncode == 0:
        d = json.loads(kthread.stdout)
        ok(d['totals']['vmas'] == 0, 'a kernel thread has no mappings', kthread.stdout[:200])
    else:
        skip('a kernel thread', 'no process 2 here')
    zombie = subprocess.Popen(['true'], stdout=subprocess.DEVNULL)
    while open('/proc/%d/stat' % zombie.pid).read().rsplit(')', 1)[1].split()[0] != 'Z':
        pass
    p = as_user(None, 'report', '--format', 'json', str(zombie.pid))
    ok(p.returncode == 0 and json.loads(p.stdout)['totals']['vmas'] == 0, 'a zombie has no mappings', p.stderr)
    text = as_user(None, 'report', str(zombie.pid))
    ok(text.returncode == 0 and 'zombie' in text.stdout, 'and that is said in words', text.stdout)
    zombie.wait()


main()
