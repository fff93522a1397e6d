#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Start-up, --help, --version, unknown words, closed descriptors, closed pipes, full disks."""
import os
import re
import signal
import subprocess
import sys
import tempfile

from tap import failed, say

HUGECOV, TOP = os.environ['HUGECOV'], os.environ['TOP']


def run(*args, **more):
    return subprocess.run([HUGECOV, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def shell(line, **env):
    return subprocess.run(['bash', '-c', line], capture_output=True, text=True, env=dict(os.environ, **env))


def test_output(folder):
    """--output: complete or not at all, whatever happens."""
    before = os.path.join(TOP, 'tests/fixtures/malloc128/before.txt')
    target = os.path.join(folder, 'out.json')

    def report(output, source=before):
        return run('report', '--format', 'json', '--output', output, source, cwd=folder)

    want = run('report', '--format', 'json', before).stdout
    p = report('out.json')
    say(p.returncode == 0 and not p.stdout and open(target).read() == want and os.listdir(folder) == ['out.json'],
        '--output FILE holds what standard output would', p)
    p = report('-')
    say(p.stdout == want, '--output - is standard output', p)
    p = report('/dev/stdout')
    say(p.stdout == want, '--output /dev/stdout, a pipe', p)
    p = report('out.json', '/nonexistent')
    say(p.returncode == 2 and open(target).read() == want and os.listdir(folder) == ['out.json'],
        'a source that cannot be read leaves the old file', p)
    p = report('/dev/full')
    say(p.returncode == 2 and 'No space left' in p.stderr, '--output /dev/full', p)
    os.symlink('out.json', os.path.join(folder, 'link'))
    p = report('link')
    say(p.returncode == 2 and 'symbolic link' in p.stderr and open(target).read() == want,
        'a planted link is refused', p)
    p = report('missing/out.json')
    say(p.returncode == 2 and 'missing' in p.stderr, 'a folder that is not there', p)


def main():
    version = 'hugecov %s\n' % open(os.path.join(TOP, 'VERSION')).read().strip()
    p = run('--version')
    say((p.stdout, p.stderr, p.returncode) == (version, '', 0), '--version', p)
    p = run('--help')
    say(p.returncode == 0 and p.stdout.startswith('Usage: hugecov COMMAND') and not p.stderr, '--help', p)
    say(run().stdout == p.stdout == run('-h').stdout, 'no argument is --help')
    commands = re.findall(r'^  (\w+) +\S', p.stdout.split('Commands:')[1].split('\n\n')[0], re.M)
    for c in commands:
        p = run(c, '--help')
        say(p.returncode == 0 and p.stdout.startswith('Usage: hugecov %s ' % c)
            and 'Examples:' in p.stdout and max(map(len, p.stdout.split('\n'))) <= 80, '%s --help, 80 columns' % c, p)
        say(run('help', c).stdout == p.stdout, 'help %s is the same' % c)
        p = run(c, '--fromat', 'json')
        say(p.returncode == 2 and not p.stdout and p.stderr.startswith("hugecov: %s: unknown option '--fromat'" % c),
            '%s: an unknown option' % c, p)
    p = run('repotr')
    say(p.returncode == 2 and not p.stdout and p.stderr.startswith("hugecov: unknown command 'repotr'")
        and 'Traceback' not in p.stderr, 'an unknown command', p)
    if 'report' in commands:
        say('(did you mean report?)' in p.stderr, 'its nearest name', p)
    p = run('--nonsense')
    say(p.returncode == 2 and "unknown option '--nonsense'" in p.stderr, 'an unknown option before the command', p)
    p = run('\x1b[31mx')
    say(p.returncode == 2 and '\x1b' not in p.stderr, 'a word of control characters stays harmless', p)

    p = shell('"$HUGECOV" --help >/dev/full')
    say(p.returncode == 2 and 'No space left' in p.stderr, 'a full disk', p)
    p = shell('"$HUGECOV" --version >&-')
    say(p.returncode == 2 and 'Bad file descriptor' in p.stderr, 'standard output is closed', p)
    p = shell('"$HUGECOV" --version 2>&- <&-')
    say(p.returncode == 0 and p.stdout == version, 'standard input and error are closed', p)
    p = shell('"$HUGECOV" repotr 0<&- 1>&- 2>&-')
    say(p.returncode == 2, 'all three are closed', p)

    for ignore in (False, True):
        r, w = os.pipe()
        os.close(r)
        before = signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignore else signal.SIG_DFL)
        p = subprocess.run([HUGECOV, '--help'], stdout=w, stderr=subprocess.PIPE, restore_signals=False)
        signal.signal(signal.SIGPIPE, before)
        os.close(w)
        say(p.returncode == -signal.SIGPIPE and p.stderr == b'',
            'a closed pipe is quiet%s' % (', also when SIGPIPE is ignored' if ignore else ''), p)
    p = shell('"$HUGECOV" --version', LC_ALL='de_DE.UTF-8')
    say(p.stdout == version, 'a locale that may not be installed', p)
    if 'report' in commands:
        with tempfile.TemporaryDirectory() as folder:
            test_output(folder)
    return failed()


if __name__ == '__main__':
    sys.exit(main())
