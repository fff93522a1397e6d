#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The completions, really run: bash and fish without a terminal, zsh on a pseudo-terminal."""
import ctypes
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

from tap import failed, say, skip

TOP = os.environ['TOP']
COMPLETIONS = os.path.join(TOP, 'completions')
COMMANDS = re.findall(r'^  (\w+) +\S', subprocess.run([os.environ['HUGECOV'], '--help'], capture_output=True,
                                                      text=True).stdout.split('Commands:')[1].split('\n\n')[0], re.M)
NAME = 'hc-%d' % os.getpid()  # of this run alone


def bash(words, cwd, comp_type='9'):
    """What bash offers for the last of `words`, split as readline does it at '='."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMP_TYPE=%s; _hugecov; printf "%%s\\n" "${COMPREPLY[@]}"' % comp_type
    p = subprocess.run(['bash', '--norc', '-c', script, 'bash', os.path.join(COMPLETIONS, 'hugecov.bash')] + words,
                       capture_output=True, text=True, cwd=cwd)
    return [l for l in p.stdout.split('\n') if l] + ([p.stderr] if p.stderr else [])


def fish(line, cwd):
    script = 'source %s; complete -C %s' % (os.path.join(COMPLETIONS, 'hugecov.fish'),
                                            "'" + line.replace("'", "\\'") + "'")
    p = subprocess.run(['fish', '--no-config', '-c', script], capture_output=True,
                       text=True, cwd=cwd, env=dict(os.environ, HOME=cwd, XDG_CONFIG_HOME=cwd, XDG_DATA_HOME=cwd))
    return p.stdout.rstrip('\n').split('\n') + ([p.stderr] if p.stderr else [])


class Zsh:
    """An interactive zsh: its completion system runs nowhere else."""

    def __init__(self, cwd):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.environ.update(TERM='dumb', HOME=cwd, ZDOTDIR=cwd, COLUMNS='200', LINES='50', PS1='')
            os.execvp('zsh', ['zsh', '-f', '-i'])
        self.run("PS1='' PROMPT_SP='' PROMPT_EOL_MARK=''; stty -echo cols 200 rows 50")
        self.run('fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D' % COMPLETIONS)
        self.run("zstyle ':completion:*' list-max 1000; LISTMAX=1000; unsetopt beep; setopt nolistambiguous autolist")
        self.run("show() { zle -I; print -r -- \"BUFFER<$BUFFER>\"; BUFFER=; }; zle -N show; bindkey '^Xb' show")

    def read(self, until, seconds=20):
        data, end = b'', time.monotonic() + seconds
        while until not in data and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    data += os.read(self.fd, 65536)
                except OSError:
                    break
        return data.decode('utf-8', 'replace')

    def run(self, line):
        os.write(self.fd, line.encode() + b"; print DO''NE\n")
        return self.read(b'DONE\r\n')

    def complete(self, line):
        """(the line after a tab behind `line`, what was listed)"""
        os.write(self.fd, line.encode() + b'\t\x18b')
        listed, _, rest = self.read(b'>\r\n').rpartition('BUFFER<')
        return rest.partition('>\r\n')[0], listed

    def close(self):
        os.write(self.fd, b'\x15exit\n')
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def sleeper(name):
    """A child of ours with this comm."""
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
        time.sleep(600)
        os._exit(0)
    while open('/proc/%d/comm' % pid, 'rb').read() != name + b'\n':
        time.sleep(0.01)
    return pid


def test_bash(cwd, pid, hostile):
    h = ['hugecov']
    say(set(bash(h + [''], cwd)) == set(COMMANDS) | {'--help', '--version'}, 'bash: the commands', bash(h + [''], cwd))
    say(bash(h + ['rep'], cwd) == ['report'], 'bash: a command', bash(h + ['rep'], cwd))
    say(bash(h + ['report', '--format', 'j'], cwd) == ['json'], 'bash: a choice')
    say(bash(h + ['report', '-f', ''], cwd) == ['text', 'json', 'csv'], 'bash: the choices behind a letter')
    say(bash(h + ['report', '--format', '=', 'c'], cwd) == ['csv'], 'bash: --format=c, split at =')
    say(bash(h + ['report', '--format', '='], cwd) == ['text', 'json', 'csv'], 'bash: --format=, split at =')
    say(bash(h + ['report', '--format=c'], cwd) == ['--format=csv'], 'bash: --format=c, not split')
    say(bash(h + ['report', '--class', 'anon,s'], cwd) == ['anon,shmem', 'anon,special'], 'bash: behind a comma')
    say(bash(h + ['report', '--for'], cwd) == ['--format'], 'bash: an option')
    say('--exit-code' not in bash(h + ['report', '--'], cwd), 'bash: only options of the command')
    say(bash(h + ['report', str(pid)], cwd) == [str(pid)], 'bash: a PID alone is inserted without its name',
        bash(h + ['report', str(pid)], cwd))
    say('%d (%s)' % (pid, NAME) in bash(h + ['report', str(pid)[0]], cwd), 'bash: PIDs with names')
    say(not any(' (' in l for l in bash(h + ['report', str(pid)[0]], cwd, '37')),
        'bash: menu completion inserts no names')
    say(not any('\x1b' in l or '$' in l for l in bash(h + ['report', str(hostile)[0]], cwd))
        and bash(h + ['report', str(hostile)], cwd) == [str(hostile)], 'bash: a hostile name is made harmless')
    say(bash(h + ['report', 'a'], cwd) == ['a file', 'adir'], 'bash: files, with blanks too',
        bash(h + ['report', 'a'], cwd))
    say(bash(h + ['report', '--root', 'a'], cwd) == ['adir'], 'bash: only directories for --root')
    say(bash(h + ['report', '--top', ''], cwd) == [], 'bash: nothing for a number')
    say(bash(h + ['report', '--all', 'a'], cwd) == ['a file', 'adir'], 'bash: a flag takes no argument')
    if 'check' in COMMANDS:
        say('true' in bash(h + ['check', '--', 'tru'], cwd), 'bash: a command behind --')
        say(bash(h + ['check', '--', 'true', 'a'], cwd) == ['a file', 'adir'], 'bash: its files')


def test_fish(cwd, pid, hostile):
    if not shutil.which('fish'):
        skip('fish', 'not installed')
        return
    words = lambda line: [l.split('\t')[0] for l in fish(line, cwd)]
    say(set(COMMANDS) <= set(words('hugecov ')), 'fish: the commands', fish('hugecov ', cwd))
    say(any(l.startswith('report\t') and 'huge pages' in l for l in fish('hugecov rep', cwd)),
        'fish: a command and what it does')
    say(fish('hugecov report --format j', cwd) == ['json\tone document with every number'],
        'fish: a choice, explained', fish('hugecov report --format j', cwd))
    say(fish('hugecov report --format=c', cwd)[0].startswith('--format=csv'),
        'fish: --format=c', fish('hugecov report --format=c', cwd))
    say([w for w in words('hugecov report --class anon,s')] == ['anon,shmem', 'anon,special'],
        'fish: behind a comma', fish('hugecov report --class anon,s', cwd))
    say(words('hugecov report --for') == ['--format'], 'fish: an option', fish('hugecov report --for', cwd))
    say('%d\t%s' % (pid, NAME) in fish('hugecov report %d' % pid, cwd), 'fish: a PID with its name',
        fish('hugecov report %d' % pid, cwd))
    shown = fish('hugecov report %d' % hostile, cwd)
    say(shown[0].startswith('%d\t?' % hostile) and not any('\x1b' in l or '$' in l for l in shown),
        'fish: a hostile name is made harmless')
    say('adir/' in words('hugecov report a') and any('file' in w for w in words('hugecov report a')),
        'fish: files', fish('hugecov report a', cwd))
    say(words('hugecov report --root a') == ['adir/'], 'fish: only directories for --root',
        fish('hugecov report --root a', cwd))
    if 'check' in COMMANDS:
        say('true' in words('hugecov check -- tru'), 'fish: a command behind --', fish('hugecov check -- tru', cwd))


def test_zsh(cwd, pid, hostile):
    if not shutil.which('zsh'):
        skip('zsh', 'not installed')
        return
    try:
        z = Zsh(cwd)
    except OSError as e:
        skip('zsh', 'no pseudo-terminal: %s' % e)
        return
    line, listed = z.complete('hugecov ')
    say(all(re.search(r'\b%s +-- ' % c, listed) for c in COMMANDS), 'zsh: the commands and what they do', listed)
    line, listed = z.complete('hugecov report --format ')
    say(all(w in listed for w in ('json', 'one document with every number', 'csv')),
        'zsh: the choices, explained', listed)
    line, listed = z.complete('hugecov report --format=j')
    say(line.rstrip() == 'hugecov report --format=json', 'zsh: --format=j', line)
    line, listed = z.complete('hugecov report --class anon,')
    say('shmem' in listed and 'shared memory and tmpfs' in listed and 'private memory' not in listed,
        'zsh: behind a comma, without what is there', listed)
    line, listed = z.complete('hugecov report --')
    say('--format' in listed and '--exit-code' not in listed and '[anon]' in listed,
        'zsh: options of the command', listed)
    line, listed = z.complete('hugecov report --root a')
    say(line == 'hugecov report --root adir/', 'zsh: only directories for --root', line)
    line, listed = z.complete('hugecov report %d' % pid)
    say(line.rstrip() == 'hugecov report %d' % pid, 'zsh: a PID', line)
    line, listed = z.complete('hugecov report ')
    say(re.search(r'\b%d +-- %s' % (pid, NAME), listed) and 'adir' in listed, 'zsh: PIDs with names, and files', listed)
    say(str(hostile) in listed and '\x1b[31m' not in listed and '$(' not in listed,
        'zsh: a hostile name is made harmless', repr(listed))
    if 'diff' in COMMANDS:
        line, listed = z.complete('hugecov diff --before adir a\\ ')
        say(line.rstrip() == 'hugecov diff --before adir a\\ file', 'zsh: several sources behind --before', line)
    if 'check' in COMMANDS:
        line, listed = z.complete('hugecov check --all -- base6')
        say(line.rstrip() == 'hugecov check --all -- base64', 'zsh: a command behind --', line)
    z.close()


def main():
    if 'report' not in COMMANDS:
        skip('completions', 'no report command is built in')
        return False
    pids = [sleeper(NAME.encode()), sleeper(b'\x1b[31m$(id)`;:x')]
    try:
        with tempfile.TemporaryDirectory() as cwd:
            os.mkdir(os.path.join(cwd, 'adir'))
            open(os.path.join(cwd, 'a file'), 'w').close()
            for test in (test_bash, test_fish, test_zsh):
                test(cwd, *pids)
    finally:
        for pid in pids:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
    return failed()


if __name__ == '__main__':
    sys.exit(main())
