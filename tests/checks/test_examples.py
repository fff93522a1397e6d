#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command line shown in README, man page, help and docs has options that exist and arguments that are right."""
import glob
import os
import re
import shlex
import subprocess
import sys

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']


def help_text(*args):
    return subprocess.run([HUGECOV, *args, '--help'], capture_output=True, text=True).stdout


def commands():
    return re.findall(r'^  (\w+) +\S', help_text().split('Commands:')[1].split('\n\n')[0], re.M)


def lines(names):
    """(where, line) of all that looks like a call of ours."""
    pages = [(os.path.relpath(p, TOP), open(p, encoding='utf-8').read())
             for p in [os.path.join(TOP, 'README.md'), os.path.join(TOP, 'man/hugecov.1'),
                       *glob.glob(os.path.join(TOP, 'docs/*.md'))] if os.path.exists(p)]
    pages += [(c + ' --help', help_text(c)) for c in names]
    for where, text in pages:
        text = text.replace('\\-', '-').replace('\\\n', ' ')
        for line in text.split('\n'):
            line = re.sub(r'^\.Dl "(.*)"$', r'\1', line).strip('` ')
            m = re.match(r'(?:\$ )?(?:sudo )?(?:\./)?(hugecov (?:%s) .*)' % '|'.join(names), line)
            if m and '[' not in m.group(1) and '...' not in m.group(1):
                yield where, m.group(1)


def words(line):
    """The arguments as a shell would split them, up to a pipe, comment or list; substitutions become one word."""
    line = re.sub(r'[$<]\([^()]*(?:\([^()]*\))?[^()]*\)', 'X', line)
    line = re.split(r'\s(?:\||;|&&|#|2?>)\s?|;\s', line)[0]
    return shlex.split(line)[1:]


def main():
    failed, names, seen = False, commands(), 0
    if not names:
        print('ok - examples # SKIP no command is built in')
        return False
    for where, line in lines(names):
        try:
            args = words(line)
        except ValueError:
            continue  # prose with an apostrophe
        at = args.index('--') if '--' in args else len(args)
        p = subprocess.run([HUGECOV] + args[:at] + ['--help'] + args[at:], capture_output=True, text=True)
        seen += 1
        if p.returncode or not p.stdout.startswith('Usage:'):
            failed = True
            print('not ok - %s: %s\n# %s' % (where, line, p.stderr))
    if not failed:
        print('ok - %d examples' % seen)
    return failed or not seen


if __name__ == '__main__':
    sys.exit(main())
