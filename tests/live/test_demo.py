#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make demo: what the program maps is what hugecov reports, what the script says is true, nothing stays behind."""
import json
import os
import re
import subprocess
import sys
import tempfile

from tap import failed, say, skip
from thp import policy

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
PROGRAM = os.path.join(TOP, 'build/demo/demo')


def test_program():
    p = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         text=True, env=dict(os.environ, GLIBC_TUNABLES='glibc.malloc.hugetlb=1'))
    said = {}
    while 'heap_advised' not in said:
        name, value = p.stdout.readline().strip().split('=')
        said[name] = value
    r = json.loads(subprocess.run([HUGECOV, 'report', '--format', 'json', said['pid']],
                                  capture_output=True, text=True).stdout)
    p.stdin.close()
    say(p.wait(60) == 0, 'the program ends when it is told to')

    pmd = int(said['pmd_kb'])

    def at(name):
        return next(v for v in r['vmas'] if int(v['start'], 16) <= int(said[name], 16) < int(v['end'], 16))

    def ids(name):
        return {f['id'] for f in r['findings'] if f['start'] == at(name)['start']}

    for name, ideal, fit in (('plain', 32, 32), ('across', 1, 0), ('past', 4, 3), ('good', 4, 4)):
        t = at(name)['thp']
        say((t['slots_ideal'], t['slots_fit']) == (ideal, fit), '%s: %d slots, %d fit' % (name, ideal, fit), at(name))
    say(at('plain')['thp']['rss_kb'] == 32 * pmd and at('across')['thp']['rss_kb'] == pmd * 3 // 2,
        'all of it is resident')
    if policy() == 'madvise':
        say('needs-advice' in ids('plain') and at('plain')['thp']['policy_loss_kb'] == 32 * pmd,
            'plain needs advice', ids('plain'))
    if policy() in ('always', 'madvise'):
        say('misaligned' in ids('across') and 'misaligned' in ids('past'), 'across and past are misaligned',
            r['findings'])
        say(not ids('good') - {'undelivered'}, 'nothing is wrong with good', ids('good'))


def fake_uname(folder, release):
    with open(os.path.join(folder, 'uname'), 'w') as f:
        f.write('#!/bin/sh\necho %s\n' % release)
    os.chmod(f.name, 0o755)
    return dict(os.environ, PATH=folder + ':' + os.environ['PATH'], TMPDIR=folder)


def test_script():
    with tempfile.TemporaryDirectory() as folder:
        for release, wanted in ((os.uname().release, None), ('6.1.0-31-amd64', 'Before Linux 6.7'),
                                ('6.11.6', 'Linux 6.7 to 6.11.6'), ('6.11.7-arch1', 'Since Linux 6.12'),
                                ('7.0.0-rc1', 'Since Linux 6.12')):
            p = subprocess.run(['sh', os.path.join(TOP, 'tools/demo.sh'), HUGECOV, PROGRAM], capture_output=True,
                               text=True, env=fake_uname(folder, release), stdin=subprocess.DEVNULL)
            said = p.stdout
            say(p.returncode == 0 and not p.stderr and len(re.findall(r'^\$ hugecov ', said, re.M)) == 3,
                'the script runs, Linux %s' % release, p)
            if policy():
                say('Here THP is ' + policy() in said, 'it says the policy')
                say(not wanted or wanted in said, 'it says what Linux %s does' % release, said)
            say(os.listdir(folder) == ['uname'], 'no file stays behind', os.listdir(folder))
        pid = re.search(r'^\$ hugecov report (\d+)$', said, re.M).group(1)
        say(not os.path.exists('/proc/%s/exe' % pid), 'no process stays behind')


if __name__ == '__main__':
    if not os.path.exists(PROGRAM):
        skip('demo', 'it is not built')
        sys.exit(0)
    test_program()
    if 'diff' in subprocess.run([HUGECOV, '--help'], capture_output=True,
                                text=True).stdout.split('Commands:')[1].split('\n\n')[0]:
        test_script()
    sys.exit(failed())
