#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make install puts five files where they are found; make uninstall leaves nothing behind."""
import os
import subprocess
import sys
import tempfile

from tap import failed, say, skip

TOP = os.environ['TOP']
FILES = {
    'bin/hugecov': 0o755,
    'share/man/man1/hugecov.1': 0o644,
    'share/bash-completion/completions/hugecov': 0o644,
    'share/zsh/site-functions/_hugecov': 0o644,
    'share/fish/vendor_completions.d/hugecov.fish': 0o644,
}


def make(target, dest, prefix):
    env = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MAKELEVEL', 'MFLAGS')}
    # -o: what was built for this test run is taken as it is.
    return subprocess.run(['make', '-s', '-o', 'hugecov', target, 'DESTDIR=' + dest, 'PREFIX=' + prefix],
                          cwd=TOP, env=env, capture_output=True, text=True)


def files(top):
    return {os.path.relpath(os.path.join(d, f), top): os.stat(os.path.join(d, f)).st_mode & 0o777
            for d, _, names in os.walk(top) for f in names}


def main():
    if not os.path.exists(os.path.join(TOP, 'hugecov')):
        skip('install', './hugecov is not built')
        return False
    with tempfile.TemporaryDirectory() as dest:
        p = make('install', dest, '/opt/x y')
        say(p.returncode == 0 and files(dest + '/opt/x y') == FILES, 'install', (p.stderr, files(dest)))
        v = subprocess.run([dest + '/opt/x y/bin/hugecov', '--version'], capture_output=True, text=True)
        say(v.stdout == 'hugecov %s\n' % open(os.path.join(TOP, 'VERSION')).read().strip(), 'what is installed runs', v)
        keep = dest + '/opt/x y/share/man/man1/other.1'
        open(keep, 'w').close()
        p = make('uninstall', dest, '/opt/x y')
        say(p.returncode == 0 and list(files(dest)) == ['opt/x y/share/man/man1/other.1'],
            'uninstall leaves what others put there', (p.stderr, files(dest)))
        make('install', dest, '/opt/x y')
        os.unlink(keep)
        p = make('uninstall', dest, '/opt/x y')
        say(p.returncode == 0 and os.listdir(dest) == [], 'uninstall leaves nothing behind',
            (p.stderr, list(os.walk(dest))))
        # Without DESTDIR: up to the prefix, and no further.
        os.mkdir(dest + '/home')
        make('install', '', dest + '/home/prefix')
        p = make('uninstall', '', dest + '/home/prefix')
        say(p.returncode == 0 and os.listdir(dest) == ['home'] and os.listdir(dest + '/home') == [],
            'a prefix of its own is removed, not what holds it', (p.stderr, list(os.walk(dest))))
    return failed()


if __name__ == '__main__':
    sys.exit(main())
