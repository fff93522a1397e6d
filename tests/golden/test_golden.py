#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is printed, byte for byte: each case of tests/golden/cases, and every fixture in every form.

expected/NAME holds the line that was run, standard output, and where there is any standard error and the exit status.
UPDATE=1 writes what is printed now; read the difference before it is committed.
"""
import os
import re
import subprocess
import sys

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']
HERE = os.path.join(TOP, 'tests/golden')
EXPECTED = os.path.join(HERE, 'expected')
UPDATE = bool(os.environ.get('UPDATE'))
VERSION = open(os.path.join(TOP, 'VERSION')).read().strip()
# Kinds of fixtures that `report` takes.
REPORTED = re.compile(r'\.(smaps|smaps_rollup|meminfo|vmstat|txt)$|/system/(node0-)?(meminfo|vmstat)$')
FORMS = (('80.txt', 'COLUMNS=80', ''), ('40.txt', 'COLUMNS=40', ''), ('120.txt', 'COLUMNS=120', ''),
         ('json', '', ' --format json'), ('csv', '', ' --format csv'))


def fixtures():
    for folder in ('kernel-6.18', 'kernel-6.18/system', 'malloc128', 'forms'):
        path = os.path.join(TOP, 'tests/fixtures', folder)
        for f in sorted(os.listdir(path)):
            name = 'tests/fixtures/%s/%s' % (folder, f)
            if REPORTED.search(name):
                yield name


def cases():
    for line in open(os.path.join(HERE, 'cases')):
        if line.strip() and not line.startswith('#'):
            name, command = line.split('|', 1)
            yield name.strip(), command.strip()
    for f in fixtures():
        for form, env, args in FORMS:
            short = f[len('tests/fixtures/'):].replace('/', '_')
            yield 'report/%s.%s' % (short, form), '%s hugecov report%s %s' % (env, args, f)


def run(command):
    env = dict(os.environ, PATH=os.path.dirname(HUGECOV) + ':' + os.environ['PATH'])
    p = subprocess.run(['bash', '-c', command], cwd=TOP, capture_output=True,
                       env=env, stdin=subprocess.DEVNULL, timeout=120)
    out = b'$ ' + command.strip().encode() + b'\n' + p.stdout
    if p.stderr:
        out += b'--- standard error\n' + p.stderr
    if p.returncode:
        out += b'--- exit %d\n' % p.returncode
    # The version is no part of what is tested.
    return out.replace(b'"version":"%s"' % VERSION.encode(), b'"version":"VERSION"')


def check(name, command):
    path = os.path.join(EXPECTED, name)
    have = run(command)
    if UPDATE:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, 'wb').write(have)
    want = open(path, 'rb').read() if os.path.exists(path) else b''
    if have == want:
        print('ok - %s' % name)
        return True
    print('not ok - %s' % name)
    a, b = want.decode('utf-8', 'replace').split('\n'), have.decode('utf-8', 'replace').split('\n')
    for i in range(max(len(a), len(b))):
        x, y = (l[i] if i < len(l) else '(end)' for l in (a, b))
        if x != y:
            print('# line %d is   %.300s\n# it should be %.300s' % (i + 1, y, x))
            break
    return False


def widths(names):
    """No line of text is wider than it may be. Long words and file names of ours are whole: 40 columns are not tested."""
    bad = []
    for name, limit in names:
        for line in open(os.path.join(EXPECTED, name), encoding='utf-8', errors='replace').read().split('\n')[1:]:
            if len(line) > limit:
                bad.append('%s: %d columns: %s' % (name, len(line), line))
    print('%s - no line is wider than the screen%s' % ('not ok' if bad else 'ok',
                                                       ''.join('\n# ' + b for b in bad[:10])))
    return not bad


def stale(known):
    found = [os.path.relpath(os.path.join(d, f), EXPECTED) for d, _, files in os.walk(EXPECTED) for f in files]
    left = sorted(set(found) - set(known))
    if UPDATE:
        for f in left:
            os.remove(os.path.join(EXPECTED, f))
        left = []
    print('%s - every expected output has its case%s' % ('not ok' if left else 'ok', ''.join('\n# ' + f for f in left)))
    return not left


def main():
    all_cases = list(cases())
    good = all([check(name, command) for name, command in all_cases])
    names = [n for n, _ in all_cases]
    good &= widths([(n, int(n.rsplit('.', 2)[1])) for n in names if n.endswith(('.80.txt', '.120.txt'))])
    good &= stale(names)
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
