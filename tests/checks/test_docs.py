#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is generated from the tables stands committed as generated. UPDATE=1 (make docs) writes it."""
import os
import subprocess
import sys

TOP = os.environ['TOP']
GENDOCS = os.path.join(os.environ['BUILD'], 'tools/gendocs')
UNDER = [os.environ['UNDER']] if os.environ.get('UNDER') else []
FILES = (
    ('man/hugecov.1', 'man/hugecov.1.in'),
    ('README.md', 'README.md'),
    ('completions/hugecov.bash', None),
    ('completions/_hugecov', None),
    ('completions/hugecov.fish', None),
    ('docs/fields.md', None),
    ('docs/findings.md', None),
    ('docs/readings.md', None),
    ('docs/rules.md', None),
)


def generated(path, template):
    command = [*UNDER, GENDOCS, os.path.basename(path)] + ([os.path.join(TOP, template)] if template else [])
    return subprocess.run(command, check=True, capture_output=True).stdout


def committed(path):
    try:
        with open(path, 'rb') as f:
            return f.read()
    except FileNotFoundError:
        return b''


def main():
    failed = False
    for path, template in FILES:
        want, full = generated(path, template), os.path.join(TOP, path)
        if committed(full) != want and os.environ.get('UPDATE'):
            with open(full, 'wb') as f:
                f.write(want)
            print('# wrote', path)
        same = committed(full) == want
        failed |= not same
        print('%s - %s is what the tables say%s' % ('ok' if same else 'not ok',
                                                    path, '' if same else ': run make docs'))
    return failed


if __name__ == '__main__':
    sys.exit(main())
